"""The reason for a verdict, as text for a table's cell: what decided it, and by how much it missed."""

from vegaslab.papers.judging.claims import Claim
from vegaslab.papers.judging.verdict import Finding, Verdict

_NOTHING = 1e-9


def judged_by(verdict: Verdict) -> str:
    """Returns what decided: the conclusion alone, or the number that used most of its limit.

    The ratio of our number to the paper's decides nothing by itself: two packets in place of one may be within the
    limit, and a conclusion may fail that does not concern the number.
    """
    claim, finding = verdict.claim, verdict.finding
    match verdict.word:
        case "not comparable":
            return "not judged: the paper measured something else"
        case "inconsistent":
            return "not judged: the paper contradicts itself"
        case "open":
            return f"readings give different verdicts: {claim.undecided}"
        case _ if not finding.holds:
            return f"the conclusion does not hold: {claim.conclusion}"
        case _ if finding.beyond:
            return f"{finding.beyond}; the conclusion holds: {claim.conclusion}"
        case _ if claim.limit.rule == "holds":
            return f"the conclusion alone, and it holds: {claim.conclusion}"
        case _:
            return f"{_farthest(verdict)}; the conclusion holds"


def _farthest(verdict: Verdict) -> str:
    """Describes the number that is farthest beyond its limit, or the nearest to it."""
    claim = verdict.claim
    pairs = list(enumerate(zip(verdict.finding.values, claim.values, strict=True)))
    judged = [place for place, (ours, theirs) in pairs if not _is_beyond(claim, place, ours, theirs)]
    if not judged:
        return "at least as much as the paper says"
    if claim.limit.rule == "exact" and verdict.word in ("reproduced", "not discriminating"):
        return f"{'all' if len(pairs) > 1 else 'as'} printed, digit by digit"
    place = max(judged, key=lambda one: _off(claim, one, verdict.finding))
    ours, theirs = verdict.finding.values[place], claim.values[place]
    if _off(claim, place, verdict.finding) < _NOTHING:
        return f"not off at all, of {_limit(claim, place)}"
    which = f"value {place + 1} of {len(pairs)}: " if len(pairs) > 1 else ""
    if claim.limit.rule == "exact":
        return f"{which}{ours:.6g} for {theirs:.6g}, which is not as printed"
    percent = "%" if _is_relative(claim, theirs) else ""
    off = f"{(100 if percent else 1) * _off(claim, place, verdict.finding):.3g}"
    return f"{which}off by {f'{off} {percent}'.strip()}, of {_limit(claim, place)}"


def _limit(claim: Claim, place: int) -> str:
    units = {"within_percent": "%", "standard_errors": "standard errors"}
    return f"{claim.limit.size:g} {units.get(claim.limit.rule, claim.units[place])} allowed"


def _is_relative(claim: Claim, theirs: float) -> bool:
    return claim.limit.rule == "within_percent" and theirs != 0


def _is_beyond(claim: Claim, place: int, ours: float, theirs: float) -> bool:
    """Returns whether the paper's number is a lower bound, and ours is above it."""
    return place in claim.at_least and ours >= theirs


def _off(claim: Claim, place: int, found: Finding) -> float:
    """Returns how far a number is off: as a part of the paper's, in standard errors, or in its unit."""
    theirs = claim.values[place]
    off = abs(found.values[place] - theirs)
    if claim.limit.rule == "standard_errors":
        return off / found.errors[place].both
    return off / abs(theirs) if _is_relative(claim, theirs) else off

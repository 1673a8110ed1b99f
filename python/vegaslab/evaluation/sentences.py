"""Sentences made from a chapter's numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from vegaslab.evaluation.criterion import TITLES, Headline
from vegaslab.evaluation.figures import FIGURES, Figure
from vegaslab.util.text import significant

_WORDS = {
    "higher": "more than",
    "lower": "less than",
    "same": "equal to",
    "alike": "within one per cent of",
    "no significant difference": "not significantly different from",
}
_DIGITS = 3

BEHIND = 0.1
"""The part of the best baseline's value by which an algorithm has to be worse to be called behind it; of harm, the
difference itself."""


def sentence(headline: Headline, case: Mapping[str, Any]) -> str:
    """Returns what a chapter says of a figure: the algorithm's value, those of the others, and the verdicts."""
    tested, *others = case["rows"]
    name, figure = tested["algorithm"], headline.figure
    if tested["refused"]:
        return f"{headline.setting}, {name} is not run: {tested['refused']}."
    known = FIGURES[figure]
    mean = _as_said(tested, figure)
    beside = TITLES.get(case["beside"], case["beside"])
    shown = value(mean, replace(known, unit="%") if known.is_harm else known)
    said = known.says.format(shown, beside=beside) if mean else f"has no {known.title} in any run"
    begin = f"{headline.setting}, {name} {said}"
    compared = [row for row in others if not row["refused"]]
    return f"{begin}{_others(compared, figure)}."


def yardstick(cases: Sequence[Mapping[str, Any]], figure: str = "harm_goodput") -> str:
    """Returns how the algorithm's harm compares with that of a second flow of the old algorithm (Ware et al.)."""
    within: dict[bool, list[str]] = {True: [], False: []}
    for case in (case for case in cases if figure in case["figures"] and not case["rows"][0]["refused"]):
        own, old = (_harm(case, name, figure) for name in (case["rows"][0]["algorithm"], case["beside"]))
        if own is not None and old is not None:
            words = (
                f"{case['title'][0].lower()}{case['title'][1:]} ({significant(own, 2)} against {significant(old, 2)})"
            )
            within[own <= old].append(words)
    parts = [f"at most that of a second flow of the old algorithm {listed(within[True])}"] if within[True] else []
    parts += [f"greater {listed(within[False])}"] if within[False] else []
    return f"By the yardstick, the harm to goodput is {', and '.join(parts)}." if parts else ""


def _harm(case: Mapping[str, Any], name: str, figure: str) -> float | None:
    mean = next(row["means"].get(figure) for row in case["rows"] if row["algorithm"] == name)
    return mean["mean"] if mean else None


def in_time(cases: Sequence[Mapping[str, Any]]) -> str:
    """Returns in how many of the cases with bounds every trial keeps to it, for each algorithm."""
    bounded = [case for case in cases if "in_time_percent" in case["figures"]]
    if not bounded:
        return ""
    kept = {row["algorithm"]: 0 for case in bounded for row in case["rows"]}
    for row in (row for case in bounded for row in case["rows"]):
        mean = row["means"].get("in_time_percent")
        kept[row["algorithm"]] += mean is not None and mean["mean"] == 100
    counts = [f"{name} in {count}" for name, count in kept.items()]
    return f"Of the {len(bounded)} cases, every trial is within the bounds for {listed(counts)}."


def summary(chapters: Sequence[Mapping[str, Any]], algorithms: Sequence[str]) -> list[str]:
    """Returns for each baseline in how many of the headlines the algorithm is better, and in how many worse."""
    name, *others = algorithms
    cases = {case["id"]: case for chapter in chapters for case in chapter["cases"]}
    wanted = [(cases[case], figure) for chapter in chapters for case, figure in chapter["headlines"]]
    parts = []
    for other in others:
        better, worse, compared = _counted(wanted, other)
        if compared:
            parts.append(f"better than {other} in {better} and worse in {worse} of {compared}")
    if not parts:
        return []
    return [
        f"In the figures of the chapters' sentences, {name} is {listed(parts)}; "
        "the rest are equal or not significantly different."
    ]


def behind_the_best(chapters: Sequence[Mapping[str, Any]], algorithms: Sequence[str]) -> dict[str, Any]:
    """Returns in which headlines the algorithm is behind the best of its baselines by more than a tenth, with a
    significant difference, and how many headlines there are of which less or more is better. Where the event that a
    figure is the time to happens in no run, while it does with a baseline, it is behind: its value is None.
    """
    name, *others = algorithms
    cases = {case["id"]: case for chapter in chapters for case in chapter["cases"]}
    compared, behind = 0, []
    for case, figure in (pair for chapter in chapters for pair in chapter["headlines"]):
        run = {row["algorithm"] for row in cases[case]["rows"] if not row["refused"]}
        rows = {row["algorithm"]: row for row in cases[case]["rows"] if row["means"].get(figure)}
        best = _best(figure, [rows[other] for other in others if other in rows])
        if best is None or name not in run:
            continue
        compared += 1
        other = best["means"][figure]["mean"]
        if name not in rows:
            behind.append({"case": case, "figure": figure, "value": None, "best": best["algorithm"], "of_best": other})
            continue
        own = rows[name]["means"][figure]["mean"]
        lost = (other - own) if FIGURES[figure].better == "higher" else (own - other)
        told = best["verdicts"].get(figure) in ("higher", "lower")
        # harm is a part of the whole already, and often near 0
        least = BEHIND if FIGURES[figure].may_be_negative else BEHIND * abs(other)
        if told and lost > least:
            behind.append({"case": case, "figure": figure, "value": own, "best": best["algorithm"], "of_best": other})
    return {"compared": compared, "behind": behind}


def _best(figure: str, rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    better = FIGURES[figure].better
    if better == "neither" or not rows:
        return None
    sign = 1 if better == "higher" else -1
    return max(rows, key=lambda row: float(sign * row["means"][figure]["mean"]))


def _counted(wanted: Sequence[tuple[Mapping[str, Any], str]], other: str) -> tuple[int, int, int]:
    """Returns in how many figures the algorithm under test is better than another, worse, and how many there are."""
    counts = {"better": 0, "worse": 0, "compared": 0}
    for case, figure in wanted:
        better = FIGURES[figure].better
        verdict = next((row["verdicts"].get(figure, "") for row in case["rows"] if row["algorithm"] == other), "")
        if better != "neither" and verdict:
            counts["compared"] += 1
            if verdict in ("higher", "lower"):
                counts["better" if verdict == better else "worse"] += 1
    return counts["better"], counts["worse"], counts["compared"]


def value(mean: Mapping[str, Any] | None, figure: Figure) -> str:
    """Formats a mean with its interval, and says in how many runs there is one, if not in all."""
    if mean is None:
        return "none"
    low, high = mean["mean"] - mean["half_width"], mean["mean"] + mean["half_width"]
    low = low if figure.may_be_negative else max(low, 0.0)
    text = f"{significant(mean['mean'], _DIGITS)} {figure.unit}".rstrip()
    if mean["half_width"] > 0 and significant(low, _DIGITS) != significant(high, _DIGITS):
        text += f" ({significant(low, _DIGITS)} to {significant(high, _DIGITS)})"
    return text if mean["seeds"] == mean["of"] else f"{text} in {mean['seeds']} of {mean['of']} runs"


def _others(rows: Sequence[Mapping[str, Any]], figure: str) -> str:
    """Returns the baselines' values, in groups by their verdicts."""
    groups: dict[str, list[str]] = {}
    for row in rows:
        mean = _as_said(row, figure)
        shown = "none" if mean is None else significant(mean["mean"], _DIGITS)
        groups.setdefault(row["verdicts"].get(figure, ""), []).append(f"{row['algorithm']} ({shown})")
    parts = [f"{_WORDS[verdict]} {listed(names)}" for verdict, names in groups.items() if verdict]
    parts += [f"beside {listed(groups[''])}"] if "" in groups else []
    return ", " + ", ".join(parts) if parts else ""


def _as_said(row: Mapping[str, Any], figure: str) -> Mapping[str, Any] | None:
    """Returns a figure's mean in the unit of sentences: harm in per cent."""
    mean: Mapping[str, Any] | None = row["means"].get(figure)
    if mean is None or not FIGURES[figure].is_harm:
        return mean
    return {**mean, "mean": 100 * mean["mean"], "half_width": 100 * mean["half_width"]}


def listed(names: Sequence[str]) -> str:
    """Returns names in a row.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

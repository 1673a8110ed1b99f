"""All experiments, by paper. A paper's room registers its own in one line here."""

from collections.abc import Sequence

from vegaslab.papers.beyond import experiments as beyond
from vegaslab.papers.dynamic import experiments as dynamic
from vegaslab.papers.experiments.experiment import Experiment
from vegaslab.papers.gallop import experiments as gallop
from vegaslab.papers.judging.claims import PAPERS, claims
from vegaslab.papers.judging.errors import PapersError
from vegaslab.papers.revisited import experiments as revisited
from vegaslab.papers.rovegas import experiments as rovegas
from vegaslab.papers.slow_start import experiments as slow_start
from vegaslab.util.text import nearest

EXPERIMENTS: dict[str, tuple[Experiment, ...]] = {
    "gallop": gallop.EXPERIMENTS,
    "slow-start": slow_start.EXPERIMENTS,
    "dynamic": dynamic.EXPERIMENTS,
    "rovegas": rovegas.EXPERIMENTS,
    "revisited": revisited.EXPERIMENTS,
    "beyond": beyond.EXPERIMENTS,
}


def select(names: Sequence[str]) -> list[tuple[str, Experiment]]:
    """Returns the experiments, each with its paper, for "all", papers' names and claims' ids. Raises `PapersError`.

    An experiment is run as a whole, even if only one of its claims was named.
    """
    wanted = {claim for name in names for claim in _claims_of(name)}
    missing = sorted(wanted.difference(_carried_out()))
    if missing:
        raise PapersError(
            f"{missing[0]}: no experiment carries out this claim yet; there are {', '.join(_carried_out())}"
        )
    return [
        (paper, one)
        for paper, experiments in EXPERIMENTS.items()
        for one in experiments
        if wanted.intersection(one.claims) or (not one.claims and {"all", paper}.intersection(names))
    ]


def not_carried_out() -> list[str]:
    """Returns the claims without an experiment, in the order of the claims file."""
    return [name for name in claims() if name not in _carried_out()]


def _carried_out() -> list[str]:
    return [claim for paper in EXPERIMENTS.values() for one in paper for claim in one.claims]


def _claims_of(name: str) -> list[str]:
    carried_out = _carried_out()
    if name == "all":
        return carried_out
    if name in EXPERIMENTS:
        return [claim for claim in carried_out if claims()[claim].paper == name]
    if name in claims():
        return [name]
    known = f"all, {', '.join(EXPERIMENTS)}, or a claim such as {carried_out[0]}"
    if name in PAPERS:
        raise PapersError(f"{name}: no experiment carries out this paper yet; there are {known}")
    near = nearest(name, [*EXPERIMENTS, *claims()])
    hint = f'did you mean "{near[0]}"?' if near else f"there are {known}"
    raise PapersError(f"{name}: no such paper or claim; {hint}")

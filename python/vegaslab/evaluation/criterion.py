"""A criterion: a chapter of the dossier, as data. `criteria` has one of them for each section of RFC 9743."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vegaslab.evaluation.figures import FIGURES
from vegaslab.util.errors import InputError

OLD = ("cubic", "sack", "bbr3")
"""The algorithms that are there already: CUBIC (RFC 9438), Reno with selective acknowledgements (RFC 5681, RFC 6675),
and BBRv3 (draft-ietf-ccwg-bbr). They are the baselines unless others are named, and the flows beside which an algorithm
is run."""

TITLES = {"cubic": "CUBIC", "sack": "Reno with SACK", "bbr3": "BBRv3"}
"""Their names in titles and sentences."""


class EvaluationError(InputError):
    """A dossier cannot be made: one line that names what was given and what would be right."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A scenario, with what is varied in it and what is measured."""

    id: str
    title: str
    scenario: str
    """The name of a shipped scenario, which runs by itself."""
    figures: Sequence[str]
    """The columns of the table, by their names in `figures`."""
    set: Mapping[str, object] = field(default_factory=dict)
    tested: Sequence[int] = (0,)
    """The tables of the flows that have the algorithm under test, and then each baseline in its place."""
    transfers: Sequence[int] = ()
    """The sources of traffic that have it, too."""
    beside: str = ""
    """The algorithm of all flows and sources that are not under test, where that is not the scenario's."""
    link: str = "r1->r2"
    event: Sequence[float] = ()
    """The times at which something begins and ends, s."""
    solo: str = ""
    """The scenario in which the flow that is there already is alone, for the harm to it."""
    bound_s: float | None = None
    """The time within which the flow under test must complete, s."""
    frames_ms: tuple[float, float] | None = None
    """The mean and the greatest delay that the frames of voice, and those of video, may have, ms."""
    frames_from_s: float = 0
    """Frames that are made before this time do not count, s."""
    full_only: bool = False

    @property
    def is_bounded(self) -> bool:
        """Whether a trial is within the bounds of its suite, or not."""
        return self.bound_s is not None or self.frames_ms is not None

    def __post_init__(self) -> None:
        """Checks that the figures exist."""
        unknown = set(self.figures) - FIGURES.keys()
        if unknown:
            raise ValueError(f"{self.id}: {min(unknown)} is no figure")


@dataclass(frozen=True)
class Headline:
    """A figure of which the chapter says a sentence."""

    case: str
    figure: str
    setting: str
    """The beginning of the sentence, such as "With a queue of ten BDP"."""


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """A chapter."""

    id: str
    section: str
    """The section of RFC 9743, or the name of the suite."""
    title: str
    question: str
    """What the document asks, in our words."""
    cases: Sequence[Case] = ()
    headlines: Sequence[Headline] = ()
    cannot: str
    """What the chapter cannot say."""

"""A check that a run repeats itself: a user's algorithm may read a clock, or draw random numbers of its own."""

from vegaslab.runs.result import Result
from vegaslab.util.errors import AlgorithmError


def check_repeats(first: Result, second: Result) -> None:
    """Raises `AlgorithmError` unless two runs of one scenario have the same tables."""
    tables = {
        "flows": (first.flows, second.flows),
        "links": (first.links, second.links),
        "traffic": (first.traffic, second.traffic),
        "flow_series": (first.series.flows, second.series.flows),
        "link_series": (first.series.links, second.series.links),
        "incidents": (first.incidents, second.incidents),
        "media": (first.media, second.media),
    }
    differing = [name for name, (one, other) in tables.items() if not one.equals(other)]
    if differing:
        name = first.summary["scenario"]
        raise AlgorithmError(
            f"{name}: a second run differs in {', '.join(differing)}; an algorithm may use no clock, and no random "
            "numbers but those that begin with start.seed"
        )

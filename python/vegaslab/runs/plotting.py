"""Several runs drawn on the same axes."""

from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING

from vegaslab.reports.sheet import sheet_of_runs
from vegaslab.runs.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot(
    runs: Sequence[Result] | Mapping[str, Result],
    panels: str | Sequence[str] | PathLike[str] | None = None,
    path: str | PathLike[str] | None = None,
) -> "Figure":
    """Draws several runs on the same axes, a colour for each run; writes them to `path` (`.png`, `.svg`, `.pdf`).

    The runs may be of different scenarios. A mapping gives them names; those of a sequence are named after what tells
    them apart: scenario, algorithms or seed. `panels` are as for `Result.plot`. Raises `ValueError` for no runs and for
    a panel that there is not, `OSError` if the file cannot be written.

    >>> import vegaslab
    >>> runs = [vegaslab.run("quic", set={"duration": "2s", "flow.0.algorithm": name}) for name in ("vegas", "reno")]
    >>> figure = vegaslab.plot(runs, ["cwnd", "rtt"])
    >>> [axes.get_ylabel() for axes in figure.axes], [text.get_text() for text in figure.legends[0].get_texts()]
    (['window (segments)', 'RTT (ms)'], ['vegas', 'reno'])
    """
    named = dict(runs) if isinstance(runs, Mapping) else dict(zip(_names(runs), runs, strict=True))
    if not named:
        raise ValueError("runs: there is none; give results of vegaslab.run")
    # matplotlib takes longer to load than a command should take to start
    from vegaslab.reports.figure import draw_and_save
    from vegaslab.reports.panels import panels as panels_of

    sheet = sheet_of_runs(named)
    return draw_and_save(sheet, partial(panels_of, sheet), panels, path)


def _names(runs: Sequence[Result]) -> list[str]:
    """Returns names that distinguish the runs: the first property that does, or else their numbers."""
    scenarios = [str(run.summary["scenario"]) for run in runs]
    algorithms = [", ".join(dict.fromkeys(flow["algorithm"] for flow in run.summary["flows"])) for run in runs]
    seeds = [f"seed {run.summary['seed']}" for run in runs]
    both = [f"{scenario}, {names}" for scenario, names in zip(scenarios, algorithms, strict=True)]
    for names in (scenarios, algorithms, both, seeds):
        if len(set(names)) == len(runs):
            return names
    return [f"{number}: {name}" for number, name in enumerate(both)]

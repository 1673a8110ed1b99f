"""`vegaslab.figure`: a figure for a paper, from runs, comparisons and sweeps."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from vegaslab.reports.figure import save, suffix_of
from vegaslab.reports.panels import NAMES, known
from vegaslab.reports.panels import panels as panels_of
from vegaslab.reports.paper import KINDS, Kind, Samples, axis_label, of_samples, over_time
from vegaslab.reports.sheet import sheet_of_runs
from vegaslab.runs.drawable import Drawable
from vegaslab.runs.result import Result
from vegaslab.runs.seeds.figures import Figures
from vegaslab.sweeps.analysis.analyse import SweepAnalysis, analyse
from vegaslab.sweeps.analysis.cells import AnalysisError, numbers, unit
from vegaslab.util.folder import FolderError
from vegaslab.util.parquet import read_table
from vegaslab.util.text import did_you_mean

_MOST_PANELS = 4
"""The panels where no figures were chosen."""

Shown = Drawable | Figures | SweepAnalysis | Mapping[str, Result]


def figure(
    what: Shown | str | PathLike[str],
    panels: str | Sequence[str] | None = None,
    path: str | PathLike[str] | None = None,
    *,
    kind: Kind = "lines",
    over: str | None = None,
    by: str | None = None,
    width: str | float = "one",
    height: float | None = None,
    labels: Mapping[str, str] | None = None,
    dark: bool = False,
) -> Figure:
    """Draws a figure in the size and type of a paper's column, and writes it to `path` (.pdf, .pgf, .svg, .png).

    `what` is a run, a comparison, several runs by name, an analysis of a sweep, or the folder of one of them. Of runs,
    `panels` are those of `Result.plot`, over time. Of a comparison over seeds and of a sweep they are figures, such as
    "flow.0.goodput_mbps", a panel each; `kind` is "lines" (means with their intervals), "box" or "ecdf" (of the
    seeds). A sweep is drawn over the key `over`, with a series for each value of the key `by`; a mean over all other
    keys. `width` is "one" or "two" columns of the IEEE's journals, or a width in cm; `height` is in cm. `labels`
    rewrites names of series, panels, figures and keys. `dark` draws in light colours on a dark ground, for slides.
    Raises `AnalysisError`, `PanelError`, `WidthError`, `SuffixError`.

    >>> import vegaslab
    >>> runs = vegaslab.compare("quic", ["vegas", "reno"], set={"duration": "2s"})
    >>> drawn = vegaslab.figure(runs, ["cwnd", "rtt"], labels={"vegas": "Vegas", "reno": "Reno"})
    >>> [text.get_text() for text in drawn.legends[0].get_texts()], f"{drawn.get_figwidth():.1f} inches"
    (['Vegas', 'Reno'], '3.5 inches')
    """
    if path is not None:
        suffix_of(Path(path))
    if kind not in KINDS:
        raise AnalysisError(f"kind: {kind!r} was given; {', '.join(KINDS)}")
    named, asked = labels or {}, (panels,) if isinstance(panels, str) else panels
    shown = _opened(Path(what), asked) if isinstance(what, str | PathLike) else what
    if isinstance(shown, Figures | SweepAnalysis):
        _check_labels(named, _names_of(shown))
        drawn = of_samples(_samples(shown, asked, over, by, named), kind, width, height, dark=dark)
    elif kind != "lines" or over or by:
        raise AnalysisError("kind, over, by: are of comparisons over seeds and of sweeps; runs are drawn over time")
    else:
        sheet = shown.sheet() if isinstance(shown, Drawable) else sheet_of_runs(shown)
        names = known(asked, NAMES)
        _check_labels(named, [*(group.label for group in sheet.groups), *names])
        groups = tuple(replace(group, label=named.get(group.label, group.label)) for group in sheet.groups)
        pairs = zip(names, panels_of(sheet, names), strict=True)
        chosen = [replace(panel, y=named.get(name, panel.y)) for name, panel in pairs]
        drawn = over_time(replace(sheet, groups=groups), chosen, width, height, dark=dark)
    if path is not None:
        save(drawn, Path(path))
    return drawn


def _names_of(of: Figures | SweepAnalysis) -> list[str]:
    """Returns what labels may rewrite: figures, and variants, or keys and their values."""
    if isinstance(of, SweepAnalysis):
        return [*of.figures, *of.keys, *(value for key in of.keys for value in of.values_of(key))]
    return [*of.figures, *of.runs]


def _check_labels(labels: Mapping[str, str], names: Sequence[str]) -> None:
    for name in labels:
        if name not in names:
            raise AnalysisError(f"labels: {name!r} is no name in this figure; {did_you_mean(name, names)}")


def _opened(folder: Path, figures: Sequence[str] | None) -> Shown:
    """Reads the folder of a run, of a comparison, of one over seeds, or of a sweep."""
    file = folder / "comparison.json"
    if file.exists():
        try:
            written = json.loads(file.read_text(encoding="utf-8"))
            return _over_seeds(folder, written) if "means" in written else _runs(folder, written)
        except (ValueError, KeyError, TypeError):
            raise FolderError(f"{file}: is damaged; restore it, or make the folder again") from None
    return analyse(folder, figures) if (folder / "runs").is_dir() else Result.open(folder)


def _runs(folder: Path, written: Mapping[str, Any]) -> dict[str, Result]:
    return {name: Result.open(folder / name) for name in written["runs"]}


def _over_seeds(folder: Path, written: Mapping[str, Any]) -> Figures:
    table = read_table(folder / "runs.parquet")
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in written["means"]}
    column = table.column_names[0]
    for row in table.to_pylist():
        name = row.pop(column)
        runs[name].append({figure: math.nan if value is None else value for figure, value in row.items()})
    seeds = range(written["seeds"][0], written["seeds"][-1] + 1)
    known = {name: written[name] for name in ("level", "scenario", "duration_s", "bottleneck")}
    return Figures(runs, seeds, alike=not written["seeds_matter"], column=column, **known)


def _samples(
    of: Figures | SweepAnalysis,
    asked: Sequence[str] | None,
    over: str | None,
    by: str | None,
    named: Mapping[str, str],
) -> list[Samples]:
    wanted = asked or list(of.figures)[:_MOST_PANELS]
    for name in wanted:
        if name not in of.figures:
            raise AnalysisError(f'"{name}" is no figure of these runs; {did_you_mean(name, list(of.figures))}')
    if isinstance(of, SweepAnalysis):
        return [_of_sweep(of, name, of.axes(over, by), named) for name in wanted]
    if over or by:
        raise AnalysisError("over, by: are keys of a sweep; a comparison has its variants side by side")
    return [
        Samples(
            named.get(name, axis_label(name)),
            {
                named.get(variant, variant): {"": [v for v in of.values(variant, name) if not math.isnan(v)]}
                for variant in of.runs
            },
            level=of.level,
        )
        for name in wanted
    ]


def _of_sweep(of: SweepAnalysis, figure: str, axes: Sequence[str], named: Mapping[str, str]) -> Samples:
    x, by = axes[0], (axes[1] if len(axes) > 1 else None)
    places = of.values_of(x)
    quantities = numbers(places)

    def at(place: str, series: str) -> list[float]:
        return of.of_whole_seeds(of.cells_at({x: place, **({by: series} if by else {})}), figure)

    return Samples(
        named.get(figure, axis_label(figure)),
        {
            named.get(series, series): {place: at(place, series) for place in places}
            for series in (of.values_of(by) if by else [""])
        },
        over=named.get(x, axis_label(x, unit(places))),
        places=dict(zip(places, quantities, strict=True)) if quantities else {},
        level=of.level,
    )

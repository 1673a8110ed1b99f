"""Analysis of a sweep's runs: a mean with its interval over seeds for each cell, and differences from a baseline."""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.compute as pc

from vegaslab.reports.optional import optional_picture
from vegaslab.reports.totals import Row, of_flows, of_groups, of_link, of_media
from vegaslab.sweeps.analysis.cells import AnalysisError, Cell, Cells
from vegaslab.sweeps.analysis.report import report, write_tables
from vegaslab.sweeps.columns import FAILED
from vegaslab.sweeps.dataset import flows_of, read_runs
from vegaslab.util.folder import whole_folder

FIGURES = (
    "goodput_mbps",
    "jain_index",
    "retransmitted_percent",
    "timeouts",
    "mean_rtt_ms",
    "utilisation_percent",
    "drops",
    "mean_queueing_ms",
)
"""The default figures; docs/comparing.md describes each."""


def analyse(
    dir: str | PathLike[str],
    figures: str | Sequence[str] | None = None,
    *,
    baseline: Mapping[str, object] | None = None,
    level: float = 0.95,
) -> "SweepAnalysis":
    """Analyses the runs in a sweep's folder; those that failed are left out.

    `figures` are of `FIGURES`, which is the default, or columns of numbers of the runs. Each cell is compared with the
    one that has the values of `baseline`, by key, and is otherwise the same (default: the first value of the first
    key), seed by seed. Raises `AnalysisError` for what the runs do not have, `FolderError` for a folder without runs.

    >>> import tempfile, vegaslab
    >>> grid = {"flow.0.algorithm": ["vegas", "reno"], "duration": ["10s"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     swept = vegaslab.sweep(vegaslab.Plan("lossy", grid=grid, replications=4), folder)
    ...     analysis = vegaslab.analyse(folder, "flow.0.goodput_mbps")
    >>> for (figure, cell), difference in analysis.differences.items():
    ...     print(figure, cell, difference.verdict)
    flow.0.goodput_mbps ('reno', '10s') lower
    """
    if not 0 < level < 1:
        raise AnalysisError(f"level: {level:g} was given; a number between 0 and 1, such as 0.95")
    table = read_runs(dir)
    keys = table.column_names[: table.column_names.index("seed")]
    asked = [figures] if isinstance(figures, str) else figures or []
    cells, known, failed = _cells(table, keys, asked, flows_of(dir))
    wanted = list(dict.fromkeys(asked or [name for name in FIGURES if name in known]))
    for name in wanted:
        if name not in known:
            close = get_close_matches(name, known, 3, 0.5) or list(FIGURES)
            raise AnalysisError(f'{dir}: "{name}" is no figure of the runs; did you mean {" or ".join(close)}?')
    chosen = _baseline(str(dir), keys, cells, baseline)
    name = Path(dir).resolve().name
    return SweepAnalysis(
        name,
        keys,
        cells,
        wanted,
        baseline=chosen,
        level=level,
        failed=failed,
        alike=_alike(table, keys),
        several="flow.1.goodput_mbps" in table.column_names,
    )


def _alike(table: pyarrow.Table, keys: Sequence[str]) -> bool:
    """Returns whether no run depends on its seed: all runs of a cell have one row, and a cell has several."""
    of_one = table.filter(pc.not_equal(table["status"], FAILED)).drop_columns(["seed", "status", "error", "run_id"])
    rows = [json.dumps(row, sort_keys=True) for row in of_one.to_pylist()]
    cells = [json.dumps({key: row[key] for key in keys}, sort_keys=True) for row in of_one.select(keys).to_pylist()]
    return len(set(rows)) == len(set(cells)) < len(rows)


def _cells(
    table: pyarrow.Table, keys: Sequence[str], asked: Sequence[str], written: Sequence[Row]
) -> tuple[list[Cell], dict[str, None], int]:
    """Returns the cells in the plan's order, the names of the figures that occur, and the number of failed runs.

    `written` are the scenario's flows: they have the groups and the applications, which are no figures of a run.
    """
    numeric = {
        field.name
        for field in table.schema
        if pyarrow.types.is_integer(field.type) or pyarrow.types.is_floating(field.type)
    }
    flows = sorted({name.split(".")[1] for name in numeric if re.fullmatch(r"flow\.[0-9]+\.goodput_mbps", name)})
    found: dict[tuple[str, ...], dict[int, dict[str, float]]] = {}
    known: dict[str, None] = {}
    link, failed = "", 0
    rows = table.to_pylist()
    labels = {key: _labels([row[key] for row in rows]) for key in keys}
    for row in rows:
        place = found.setdefault(tuple(labels[key][row[key]] for key in keys), {})
        if row["status"] == FAILED:
            failed += 1
            continue
        # the first run decides for all runs which link is the bottleneck
        link = link or _busiest(row)
        columns = {name: _number(row[name]) for name in asked if name in numeric}
        there = [flow for flow in flows if row[f"flow.{flow}.goodput_mbps"] is not None]
        present = [_part(row, f"flow.{flow}.") | _described(written, int(flow)) for flow in there]
        of_its_link = of_link(_part(row, f"link.{link}.")) if row[f"link.{link}.utilisation"] is not None else {}
        media = _layers(row)
        more = {**of_media(media), **of_groups(present, media, {flow["group"] for flow in present if "group" in flow})}
        place[row["seed"]] = {**of_flows(present), **of_its_link, **more, **columns}
        known.update(dict.fromkeys(place[row["seed"]]))
    known.update(dict.fromkeys(sorted(numeric - {*keys, "seed"}) if not all(name in known for name in asked) else ()))
    return [Cell(values, runs) for values, runs in found.items()], known, failed


def _part(row: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): value for name, value in row.items() if name.startswith(prefix)}


def _described(written: Sequence[Row], flow: int) -> dict[str, Any]:
    """Returns a flow's id, group and application, as in a summary; without the last two if the file does not tell."""
    table = written[flow] if flow < len(written) else {}
    kinds = dict.fromkeys(phase["kind"] for phase in table.get("application", []))
    group = {"group": table["group"]} if "group" in table else {}
    return {"id": flow, "application": "+".join(kinds) or "bulk", **group}


def _layers(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the totals of the layers of media, as in a summary."""
    ids = {
        tuple(name.split(".")[1:3]) for name, value in row.items() if name.startswith("media.") and value is not None
    }
    return [
        {"flow": int(flow), "layer": int(layer), **_part(row, f"media.{flow}.{layer}.")}
        for flow, layer in sorted(ids, key=lambda id_: (int(id_[0]), int(id_[1])))
    ]


def _busiest(row: Mapping[str, Any]) -> str:
    links = {name: value for name, value in row.items() if name.endswith(".utilisation") and value is not None}
    return max(links, key=lambda name: float(links[name])).removeprefix("link.").removesuffix(".utilisation")


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _labels(values: Sequence[object]) -> dict[object, str]:
    """Returns a word for each value; values that would share a word have a longer one, or are written out."""
    values = list(dict.fromkeys(values))
    found = {value: str(value) for value in values}
    for word_of in (_text, _short):
        words = {value: word_of(value) for value in values}
        of_words = Counter(words.values())
        found |= {value: word for value, word in words.items() if of_words[word] == 1}
    return found


def _short(value: object) -> str:
    """Returns the class of an own algorithm in Python, or the name of its file in another language; otherwise the word
    of the value.
    """
    if isinstance(value, str) and value.startswith("{"):
        table = json.loads(value)
        file = next((table[key] for key in ("python", "wasm", "javascript") if key in table), None)
        if file is not None and "name" not in table:
            path, _, name = str(file).rpartition(":")
            return name if path else Path(name).stem
    return _text(value)


def _text(value: object) -> str:
    """Returns a varied value as a word; for a table its name, or else its content."""
    if value is None:
        return "-"
    if isinstance(value, str) and value.startswith("{"):
        table = json.loads(value)
        words = [item if isinstance(item, str) else f"{key}-{json.dumps(item)}" for key, item in table.items()]
        return str(table.get("name") or "+".join(words))
    return value if isinstance(value, str) else json.dumps(value)


def _baseline(
    source: str, keys: Sequence[str], cells: Sequence[Cell], given: Mapping[str, object] | None
) -> dict[str, str]:
    if given is None:
        varying = [place for place in range(len(keys)) if len({cell.values[place] for cell in cells}) > 1]
        return {keys[varying[0]]: cells[0].values[varying[0]]} if varying else {}
    chosen = {}
    for key, value in given.items():
        if key not in keys:
            raise AnalysisError(f'{source}: "{key}" is not varied; baseline takes {" or ".join(keys) or "nothing"}')
        values = list(dict.fromkeys(cell.values[keys.index(key)] for cell in cells))
        word = next((word for word in (_short(value), _text(value)) if word in values), None)
        if word is None:
            raise AnalysisError(f"{source}: {key} is never {_text(value)}; baseline takes {' or '.join(values)}")
        chosen[key] = word
    return chosen


class SweepAnalysis(Cells):
    """Means of every cell, and differences from the baseline. `analyse` makes one.

    >>> import tempfile, vegaslab
    >>> plan = vegaslab.Plan("lossy", grid={"flow.0.algorithm": ["vegas", "reno"], "duration": ["5s"]}, replications=2)
    >>> with tempfile.TemporaryDirectory(prefix="sweep-") as folder:
    ...     swept = vegaslab.sweep(plan, folder)
    ...     analysis = vegaslab.analyse(folder)
    >>> analysis.keys, analysis.values_of("flow.0.algorithm"), analysis.seeds
    (('flow.0.algorithm', 'duration'), ['vegas', 'reno'], [1, 2])
    """

    def __repr__(self) -> str:
        """Names the sweep, and its keys and extent."""
        return f"<vegaslab.SweepAnalysis {self.sweep}: {len(self.cells)} cells of {', '.join(self.keys)}>"

    @property
    def summary(self) -> dict[str, Any]:
        """The dict that `vegaslab analyse --json` prints."""
        return {
            "sweep": self.sweep,
            "keys": list(self.keys),
            "baseline": self.baseline,
            "level": self.level,
            "figures": list(self.figures),
            "cells": [
                {
                    **dict(zip(self.keys, cell.values, strict=True)),
                    "figures": {figure: self.record(cell, figure) for figure in self.figures},
                }
                for cell in self.cells
            ],
        }

    def report(self) -> str:
        """Returns the tables of all figures as text."""
        return report(self)

    def write(self, dir: str | PathLike[str], *, plot: bool = True, x: str | None = None, y: str | None = None) -> Path:
        """Writes `analysis.json` and a folder a figure, with CSV, LaTeX and pictures over the keys `x` and `y`.

        All of it or nothing, but for pictures: one that cannot be drawn is a `PictureWarning`. Raises `FolderError` for
        a folder that holds anything else, `AnalysisError` for keys that are not varied, `OSError`.
        """
        axes = self.axes(x, y)
        with whole_folder(Path(dir)) as folder:
            for figure in self.figures:
                (folder / figure).mkdir()
                write_tables(self, figure, folder / figure)
                if plot and axes:
                    self._draw(figure, folder / figure, axes)
            (folder / "analysis.json").write_text(json.dumps(self.summary, indent=2) + "\n", encoding="utf-8")
        return Path(dir)

    def _draw(self, name: str, folder: Path, axes: Sequence[str]) -> None:
        with optional_picture(f"picture of {name}"):
            # loads matplotlib, which an analysis without pictures does not need
            from vegaslab.reports.figure import save
            from vegaslab.sweeps.analysis.picture import draw

            figure = draw(self, name, axes)
            for ending in ("png", "svg", "pdf"):
                save(figure, folder / f"picture.{ending}")

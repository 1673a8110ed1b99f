"""A plan's factorial design, run and analysed."""

import json
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vegaslab.dataset import hexadecimal, read_runs, run_ids
from vegaslab.factorial.analysis import Analysis
from vegaslab.factorial.report import report, summary, write_tables
from vegaslab.factorial.spec import Spec
from vegaslab.plan import Plan, PlanLike, load_plan

if TYPE_CHECKING:
    import pyarrow

    from vegaslab.statistics import Floats


class Factorial:
    """The analyses of a factorial plan's responses."""

    def __init__(self, plan: Plan, spec: Spec, analyses: Mapping[str, Analysis]) -> None:
        """Holds the analyses by response, as `analyse` makes them."""
        self.plan = plan
        self.spec = spec
        self.analyses = dict(analyses)

    def __getitem__(self, response: str) -> Analysis:
        """The analysis of a response; its name is the column's."""
        return self.analyses[response]

    @property
    def summary(self) -> dict[str, Any]:
        """What `vegaslab factorial --json` prints: `plan`, `factors` and `analyses`, a record a response."""
        records = [summary(analysis, self._title(name), self.spec.names) for name, analysis in self.analyses.items()]
        return {"plan": self.plan.name, "factors": self.spec.names, "analyses": records}

    def report(self) -> str:
        """The tables of all responses as text."""
        texts = [report(analysis, self._title(name), self.spec.names) for name, analysis in self.analyses.items()]
        return "\n\n\n".join(texts)

    def write(self, dir: str | PathLike[str], *, plot: bool = True) -> Path:
        """Writes `factorial.json` and a folder a response into the folder `dir`; returns it. Raises `OSError`."""
        folder = Path(dir)
        folder.mkdir(parents=True, exist_ok=True)
        for name, analysis in self.analyses.items():
            (folder / name).mkdir(exist_ok=True)
            write_tables(analysis, self._title(name), self.spec.names, folder / name)
            if plot:
                self._draw(name, folder / name)
        (folder / "factorial.json").write_text(json.dumps(self.summary, indent=2) + "\n", encoding="utf-8")
        return folder

    def _draw(self, name: str, folder: Path) -> None:
        from vegaslab.factorial.picture import draw
        from vegaslab.figure import save

        figure = draw(self.analyses[name], self._title(name), self.spec.names)
        save(figure, folder / "picture.png")
        save(figure, folder / "picture.svg")

    def _title(self, name: str) -> str:
        return f"log10 {name}" if self.spec.transform == "log10" else name


def factorial_spec(plan: Plan, *, responses: tuple[str, ...] = (), level: float | None = None) -> Spec:
    """The plan's table `[factorial]`, with other responses or level where they are given. Raises `PlanError`."""
    spec = plan.factorial
    if spec is None:
        plan.fail("factorial", "is missing; add a table [factorial] with factors (docs/factorial.md shows one)")
    if plan.number_of_cells != spec.design.cells:
        plan.fail("factorial", "varies beside grid, zip, list or random; let a factorial plan vary its factors alone")
    spec = replace(spec, responses=responses or spec.responses, level=level or spec.level)
    if not spec.responses:
        plan.fail("factorial", 'names no responses; give columns of runs: responses = ["flow.0.goodput_mbps"]')
    return spec


def analyse(
    plan: PlanLike, folder: str | PathLike[str], *, responses: tuple[str, ...] = (), level: float | None = None
) -> Factorial:
    """Analyses the runs that a sweep of the plan left in `folder`.

    `responses` and `level` (between 0 and 1) replace those of the plan. Raises `PlanError` for a plan without
    factors or with a response that runs do not have, `FolderError` for a folder without runs.
    """
    plan = load_plan(plan)
    spec = factorial_spec(plan, responses=responses, level=level)
    runs = _in_order(plan, read_runs(folder))
    analyses = {
        name: Analysis.of(spec.design, _responses(plan, spec, runs, name), spec.level, blocks=spec.blocks)
        for name in spec.responses
    }
    return Factorial(plan, spec, analyses)


def _in_order(plan: Plan, runs: "pyarrow.Table") -> "pyarrow.Table":
    """The runs of the plan, in its order; of cells that are the same, the same rows."""
    import pyarrow

    rows = {id_: row for row, id_ in enumerate(runs["run_id"].to_pylist())}
    wanted = [rows.get(hexadecimal(id_)) for id_ in run_ids(plan)]
    if None in wanted:
        plan.fail("factorial", f"{wanted.count(None)} of {len(wanted)} runs are not there; sweep the plan first")
    return runs.take(pyarrow.array(wanted, pyarrow.int64()))


def _responses(plan: Plan, spec: Spec, runs: "pyarrow.Table", name: str) -> "Floats":
    """A column of the runs, shape (cells, replications)."""
    column = _column(plan, runs, name)
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        cell, seed = divmod(row, plan.replications)
        levels = " ".join(
            f"{letter}{'+' if level > 0 else '-'}"
            for letter, level in zip(spec.design.letters, spec.design.levels[cell].tolist(), strict=True)
        )
        where = (
            f'"{name}" is missing in {column.null_count} of {len(runs)} runs, first {levels}, seed {plan.seeds[seed]}'
        )
        plan.fail("factorial.responses", f"{where}; choose what every run has")
    values = np.asarray(column.to_numpy(), dtype=np.float64).reshape(spec.design.cells, plan.replications)
    if spec.transform == "none":
        return values
    if values.min() <= 0:
        plan.fail("factorial.transform", f'"{name}" is {values.min():g} in a run, which has no logarithm')
    return np.asarray(np.log10(values), dtype=np.float64)


def _column(plan: Plan, runs: "pyarrow.Table", name: str) -> "pyarrow.ChunkedArray":
    import pyarrow

    numeric = [
        field.name
        for field in runs.schema
        if pyarrow.types.is_integer(field.type) or pyarrow.types.is_floating(field.type)
    ]
    if name not in numeric:
        close = get_close_matches(name, numeric, 3, 0.5) or numeric[-3:]
        right = f"did you mean {' or '.join(close)}?"
        plan.fail("factorial.responses", f'"{name}" is no column of numbers of the runs; {right}')
    return runs[name].cast(pyarrow.float64())

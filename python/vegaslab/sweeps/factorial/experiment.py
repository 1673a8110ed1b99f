"""A plan's factorial design, run and analysed."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow

from vegaslab.reports.optional import optional_picture
from vegaslab.sweeps.columns import may_be_numeric
from vegaslab.sweeps.dataset import hexadecimal, read_runs, run_ids
from vegaslab.sweeps.factorial.analysis import Analysis
from vegaslab.sweeps.factorial.report import report, summary, write_tables
from vegaslab.sweeps.plans.factorial import Spec
from vegaslab.sweeps.plans.plan import Plan, PlanLike, load_plan
from vegaslab.util.folder import FolderError, whole_folder

if TYPE_CHECKING:
    from vegaslab.statistics import Floats


_RECORD = "factorial.json"


class Factorial:
    """The analyses of a factorial plan's responses.

    >>> import tempfile, vegaslab
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     analysed = vegaslab.factorial("vegas-phases", folder + "/phases", plot=False)
    >>> analysed.plan.name, "flow.0.goodput_mbps" in analysed.analyses
    ('vegas-phases', True)
    """

    def __init__(self, plan: Plan, spec: Spec, analyses: Mapping[str, Analysis]) -> None:
        """Takes the analyses by response, as `analyse` makes them."""
        self.plan = plan
        self.spec = spec
        self.analyses = dict(analyses)
        self.folder: Path | None = None
        """Where the analysis was written, if it was."""

    def __getitem__(self, response: str) -> Analysis:
        """Returns the analysis of a response; its name is the column's."""
        return self.analyses[response]

    @property
    def summary(self) -> dict[str, Any]:
        """The dict that `vegaslab factorial --json` prints: `plan`, `factors` and `analyses`, with a record for each
        response.
        """
        records = [summary(analysis, self._title(name), self.spec.names) for name, analysis in self.analyses.items()]
        return {"plan": self.plan.name, "factors": self.spec.names, "analyses": records}

    def report(self) -> str:
        """Returns the tables of all responses as text."""
        texts = [report(analysis, self._title(name), self.spec.names) for name, analysis in self.analyses.items()]
        return "\n\n\n".join(texts)

    def write(self, dir: str | PathLike[str], *, plot: bool = True, keep: bool = False) -> Path:
        """Writes `factorial.json` and a folder a response into the folder `dir`; returns it.

        With `keep`, analyses of other responses that are there stay. All of it or nothing, but for pictures: one that
        cannot be drawn is a `PictureWarning`. Raises `FolderError` for a folder that holds anything else, or with
        `keep` analyses of other factors, `OSError` if it cannot be written.
        """
        with whole_folder(Path(dir)) as folder:
            earlier = self._copy_earlier(Path(dir), folder) if keep else []
            for name, analysis in self.analyses.items():
                (folder / name).mkdir(exist_ok=True)
                write_tables(analysis, self._title(name), self.spec.names, folder / name)
            record = {**self.summary, "analyses": [*earlier, *self.summary["analyses"]]}
            (folder / _RECORD).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
            for name in self.analyses if plot else ():
                self._draw(name, folder / name)
        return Path(dir)

    def _copy_earlier(self, dir: Path, folder: Path) -> list[dict[str, Any]]:
        """Copies the analyses of other responses; returns their records."""
        records = [
            record
            for record in check_earlier(self.plan, self.spec, dir)
            if record["response"].removeprefix("log10 ") not in self.analyses
        ]
        for record in records:
            name = record["response"].removeprefix("log10 ")
            shutil.copytree(dir / name, folder / name)
        return records

    def _draw(self, name: str, folder: Path) -> None:
        with optional_picture(f"picture of {name}"):
            # imported here: if matplotlib cannot be loaded, the tables are written all the same
            from vegaslab.reports.figure import save
            from vegaslab.sweeps.factorial.picture import draw

            figure = draw(self.analyses[name], self._title(name), self.spec.names)
            save(figure, folder / "picture.png")
            save(figure, folder / "picture.svg")

    def _title(self, name: str) -> str:
        return f"log10 {name}" if self.spec.transform == "log10" else name


def check_earlier(plan: Plan, spec: Spec, dir: Path) -> list[dict[str, Any]]:
    """Returns the analyses in the folder; others may be added to them if plan and factors are the same.

    Raises `FolderError`.
    """
    if not (dir / _RECORD).exists():
        return []
    found = json.loads((dir / _RECORD).read_text(encoding="utf-8"))
    if (found["plan"], found["factors"]) != (plan.name, spec.names):
        raise FolderError(f"{dir}: holds analyses of other factors; move it away, or leave out -r to replace them")
    records: list[dict[str, Any]] = found["analyses"]
    return records


def factorial_spec(plan: Plan, *, responses: tuple[str, ...] = (), level: float | None = None) -> Spec:
    """Returns the plan's table `[factorial]`, with other responses or another level if given. Raises `PlanError`."""
    spec = plan.factorial
    if spec is None:
        plan.fail("factorial", "is missing; add a table [factorial] with factors (docs/factorial.md shows one)")
    if plan.number_of_cells != spec.design.cells:
        plan.fail("factorial", "varies beside grid, zip, list or random; let a factorial plan vary its factors alone")
    spec = replace(spec, responses=responses or spec.responses, level=level or spec.level)
    if not spec.responses:
        plan.fail("factorial", 'names no responses; give columns of runs: responses = ["flow.0.goodput_mbps"]')
    for name in spec.responses:
        # known before the first run
        if not may_be_numeric(plan, name):
            plan.fail("factorial.responses", f'"{name}" is no figure of runs; give one such as flow.0.goodput_mbps')
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


def _in_order(plan: Plan, runs: pyarrow.Table) -> pyarrow.Table:
    """Returns the rows of the runs in the plan's order; identical cells share their rows."""
    rows = {id_: row for row, id_ in enumerate(runs["run_id"].to_pylist())}
    wanted = [rows.get(hexadecimal(id_)) for id_ in run_ids(plan)]
    if None in wanted:
        plan.fail("factorial", f"{wanted.count(None)} of {len(wanted)} runs are not there; sweep the plan first")
    return runs.take(pyarrow.array(wanted, pyarrow.int64()))


def _responses(plan: Plan, spec: Spec, runs: pyarrow.Table, name: str) -> "Floats":
    """Returns a column of the runs, shape (cells, replications)."""
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


def _column(plan: Plan, runs: pyarrow.Table, name: str) -> pyarrow.ChunkedArray:
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

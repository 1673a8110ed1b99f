"""Thousands of short runs of one scenario, made as a sweep; only columns of their totals are kept."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vegaslab.papers.judging.errors import PapersError
from vegaslab.runs.kept.cache import keep, taken
from vegaslab.sweeps.dataset import read_runs, remove_dataset, run_ids
from vegaslab.sweeps.plans.plan import Plan
from vegaslab.sweeps.sweep import sweep
from vegaslab.util.folder import replace_file
from vegaslab.util.progress import SweepProgress

_HASH_DIGITS = 24

Columns = dict[str, list[list[float | None]]]
"""Values by column, of shape (cells, replications); None where a run lacks the value."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Cells, each a table of values by key; all are run with the same seeds, counted up from the scenario's.

    An experiment gets the batch's `columns`, as `Columns`.
    """

    scenario: str
    cells: Sequence[Mapping[str, object]]
    replications: int
    columns: Sequence[str]

    def plan(self) -> Plan:
        """The sweep's plan."""
        return Plan(self.scenario, list=self.cells, replications=self.replications, name=Path(self.scenario).name)


def carry_out_batch(batch: Batch, cache_folder: Path, engine: str) -> Columns:
    """Returns the columns of the runs. They are read from `cache_folder` if the same `engine` has made them before.

    Until all runs are made, a folder there holds the finished ones, from which interrupted work continues.
    """
    plan = batch.plan()
    parts = (json.dumps(plan.document, sort_keys=True), " ".join(batch.columns), engine)
    name = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_HASH_DIGITS]
    kept, runs = cache_folder / f"{name}.json", cache_folder / name
    if not kept.exists():
        columns = _taken_or_made(batch, plan, runs, name)
        replace_file(kept, lambda file: file.write(columns), new_suffix=".part")
    remove_dataset(runs)
    found: Columns = json.loads(kept.read_text(encoding="utf-8"))
    return found


def _taken_or_made(batch: Batch, plan: Plan, folder: Path, name: str) -> bytes:
    ids = run_ids(plan)
    decided_by = (name, hashlib.sha256(ids.tobytes()).hexdigest())
    columns = taken("batch", *decided_by, runs=len(ids))
    if columns is None:
        with SweepProgress() as progress:
            sweep(plan, folder, observer=progress)
        columns = json.dumps(_columns(batch, folder)).encode()
        keep(columns, "batch", *decided_by)
    return columns


def _columns(batch: Batch, folder: Path) -> Columns:
    table = read_runs(folder)
    for row, error in enumerate(table["error"].to_pylist()):
        if error is not None:
            cell = batch.cells[row // batch.replications]
            raise PapersError(f"{batch.scenario} with {dict(cell)}: {error}")
    return {name: _by_cell(table[name].to_pylist(), batch.replications) for name in batch.columns}


def _by_cell(values: list[float | None], replications: int) -> list[list[float | None]]:
    return [values[first : first + replications] for first in range(0, len(values), replications)]

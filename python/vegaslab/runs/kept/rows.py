"""Rows of many runs: those that are kept, and those that are made."""

import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow

from vegaslab import _vegaslab
from vegaslab.runs.kept import cache as kept
from vegaslab.util.errors import ScenarioError

Run = tuple[int, str, int]
"""A run: its place in the plan, the replaced values as JSON text, and its seed."""

Deliver = Callable[[pyarrow.Table], None]

_DELIVERED = ("place", "error")
_TAKEN_AT_ONCE = 64
_OWN = "python"


@dataclass(frozen=True)
class Sweep:
    """What many runs have in common."""

    template: _vegaslab.Template
    text: str
    """The text of the scenario."""
    limits: str
    """Those that decide which runs fail."""
    jobs: int
    """The number of runs that are made at a time."""


def may_be_kept(template: _vegaslab.Template, text: str, replaced: str, seed: int) -> bool:
    """Returns whether a run's id says all that decides it; `text` is the template's. A scenario is read for that only
    where it has algorithms in Python.
    """
    if _OWN not in text and _OWN not in replaced:
        return True
    try:
        return kept.may_be_kept(template.scenario(replaced, seed).own_sha256())
    except ScenarioError:
        return False


class Rows:
    """Delivers the rows of runs that are kept, and keeps those of the others.

    The maker of runs takes them from `missing`, and calls this with tables of `place`, `error` and figures.
    """

    def __init__(self, known: set[str], of: Sweep, deliver: Deliver) -> None:
        """Takes the `known` keys of the cache, what the runs have in common, and what is called with their rows."""
        # most runs are new: to look for each on the disk would take as long as a short run
        self._known = known
        self._of = of
        self._deliver = deliver
        self._under_way: dict[int, tuple[str, int]] = {}
        self._taken: list[tuple[int, pyarrow.Table]] = []
        self._began_s = time.monotonic()
        self._made = 0

    def missing(self, runs: Iterator[Run]) -> Iterator[Run]:
        """Yields the runs that are not kept; delivers the rows of the others."""
        for place, replaced, seed in runs:
            row = self._row(replaced, seed) if self._known else None
            if row is None:
                self._under_way[place] = replaced, seed
                yield place, replaced, seed
                continue
            self._taken.append((place, row))
            if len(self._taken) == _TAKEN_AT_ONCE:
                self._deliver_taken()
        self._deliver_taken()

    def __call__(self, made: pyarrow.Table) -> None:
        """Delivers rows, and keeps those of runs that took time."""
        self._made += len(made)
        run_s = (time.monotonic() - self._began_s) * self._of.jobs / max(self._made, 1)
        self._deliver(made)
        kept.count.note(made=len(made))
        runs = [self._under_way.pop(place) for place in made["place"].to_pylist()]
        if run_s < kept.LEAST_S:
            return
        figures = made.drop_columns(_DELIVERED)
        for number, (run, error) in enumerate(zip(runs, made["error"].to_pylist(), strict=True)):
            if error is None and self._may_be_kept(*run):
                kept.keep(_written(figures.slice(number, 1)), *self._parts(*run))

    def _row(self, replaced: str, seed: int) -> pyarrow.Table | None:
        parts = self._parts(replaced, seed)
        if kept.key_of(*parts) not in self._known or not self._may_be_kept(replaced, seed):
            return None
        written = kept.taken(*parts)
        return None if written is None else _read(written)

    def _parts(self, replaced: str, seed: int) -> tuple[str, str, str]:
        return "row", self._of.template.run_ids([replaced], [seed]).hex(), self._of.limits

    def _may_be_kept(self, replaced: str, seed: int) -> bool:
        return may_be_kept(self._of.template, self._of.text, replaced, seed)

    def _deliver_taken(self) -> None:
        taken, self._taken = self._taken, []
        while taken:
            schema = taken[0][1].schema
            alike = [(place, row) for place, row in taken if row.schema == schema]
            taken = [(place, row) for place, row in taken if row.schema != schema]
            self._deliver(_delivered([place for place, _ in alike], pyarrow.concat_tables([row for _, row in alike])))


def _delivered(places: list[int], figures: pyarrow.Table) -> pyarrow.Table:
    place = pyarrow.array(places, pyarrow.uint64())
    error = pyarrow.nulls(len(places), pyarrow.string())
    fields = [pyarrow.field("place", pyarrow.uint64(), nullable=False), pyarrow.field("error", pyarrow.string())]
    schema = pyarrow.schema([*fields, *figures.schema])
    return pyarrow.Table.from_arrays([place, error, *figures.columns], schema=schema)


def _written(row: pyarrow.Table) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, row.schema) as writer:
        writer.write_table(row.combine_chunks())
    # names of columns are most of it
    return zlib.compress(sink.getvalue(), 1)


def _read(written: bytes) -> pyarrow.Table:
    with pyarrow.ipc.open_stream(zlib.decompress(written)) as reader:
        return reader.read_all()

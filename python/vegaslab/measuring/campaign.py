"""Repeated transfers over paths, of several sizes and by several algorithms: the method of Gallop-Vegas's table 5.

A path is a host that receives, or a scenario that is carried out with real sockets on this machine. Every round has
each path, size and algorithm once, in a random order of its own, so that changes on a path affect all alike.
"""

import csv
import dataclasses
import io
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from vegaslab.measuring.transfers import number, schedule
from vegaslab.statistics import Interval, Ratio, mean_interval, paired_ratio
from vegaslab.util.folder import LOCK, FolderError, lock_folder, replace_file, writing

TABLE5_SIZES = (480_000, 10**6, 2 * 10**6, 5 * 10**6, 50 * 10**6, 100 * 10**6, 400 * 10**6)
"""The sizes in the table, bytes."""

_PLAN, _TRANSFERS, _TABLE = "plan.json", "transfers.csv", "table.csv"
_NEW_PLAN = "plan.new"

_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One combination of path, size and algorithm."""

    path: str
    size_bytes: int
    algorithm: str


@dataclass(frozen=True, kw_only=True)
class Transfer:
    """A completed transfer."""

    number: int
    """The transfer's number in the plan's order, from 0."""
    path: str
    size_bytes: int
    algorithm: str
    completion_s: float
    throughput_mbps: float
    retransmits: int
    min_rtt_ms: float | None
    lateness_p99_us: float | None
    """The 99th percentile of the router's lateness, us; only on an emulated path."""
    trustworthy: bool | None
    """Whether no packet was late by half a packet's time; only on an emulated path."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The transfers to make."""

    paths: tuple[str, ...]
    sizes_bytes: tuple[int, ...]
    algorithms: tuple[str, ...]
    repeat: int
    seed: int

    def cells(self) -> list[Cell]:
        """All combinations, in the order of the table."""
        return [
            Cell(path=path, size_bytes=size, algorithm=algorithm)
            for path in self.paths
            for size in self.sizes_bytes
            for algorithm in self.algorithms
        ]

    def order(self) -> list[Cell]:
        """All transfers, in their order."""
        return schedule(self.cells(), self.repeat, self.seed)


@dataclass(frozen=True, kw_only=True)
class Row:
    """The figures of a cell's transfers."""

    path: str
    size_bytes: int
    algorithm: str
    completion_s: Interval
    throughput_mbps: Interval
    over_first: Ratio | None
    """The throughput over that of the first algorithm in the same round; None for the first algorithm."""
    retransmits: float
    """The mean number of retransmissions."""
    late: int | None
    """The number of transfers over an emulated path in which a packet was late by more than half a packet's time; None
    for hosts.
    """


class Journal:
    """A folder with a plan and its completed transfers, each written at once; without a folder, nothing is written."""

    def __init__(self, folder: Path | None, plan: Plan) -> None:
        """Reads the transfers of earlier calls. Raises `FolderError` if the folder has another plan.

        No other journal can use the folder until this one is closed.
        """
        self._folder = folder
        self._plan = plan
        self._lock: BinaryIO | None = None
        self.done: list[Transfer] = []
        if folder is not None:
            try:
                self._open(folder)
            except BaseException:
                self.close()
                raise

    def __enter__(self) -> "Journal":
        """Returns the journal, which locks the folder until the block ends."""
        return self

    def __exit__(self, *_: object) -> None:
        """Unlocks the folder."""
        self.close()

    def close(self) -> None:
        """Unlocks the folder."""
        if self._lock is not None:
            self._lock.close()

    def add(self, transfer: Transfer) -> None:
        """Writes a transfer to the disk before it returns."""
        self.done.append(transfer)
        if self._folder is not None:
            _append(self._folder / _TRANSFERS, [transfer])

    def write_table(self, rows: Sequence[Row]) -> None:
        """Writes the table of the transfers."""
        if self._folder is not None and rows:
            _write_rows(self._folder / _TABLE, [_flat(row) for row in rows])

    def _open(self, folder: Path) -> None:
        """Opens the folder. The number of rounds may differ: a larger number begins with the same rounds."""
        about = {key: value for key, value in json.loads(_json(self._plan)).items() if key != "repeat"}
        file = folder / _PLAN
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if not file.exists() and not {path.name for path in folder.iterdir()} <= {LOCK, _NEW_PLAN}:
                raise FolderError(f"{folder}: holds files but no {_PLAN} of an earlier call; give a new folder")
            self._lock = lock_folder(folder, "measurement")
        try:
            if not file.exists():
                replace_file(file, lambda out: out.write(json.dumps(about, indent=2).encode() + b"\n"))
            elif (other := _other_key(file, about)) is not None:
                raise FolderError(f"{folder}: has transfers of other {other}; give them again, or a new folder")
            self.done = _read(folder / _TRANSFERS)
        except (ValueError, csv.Error, RecursionError) as error:
            raise FolderError(f"{folder}: {error!s:.200}; restore it, or give a new folder") from None


def measure(
    plan: Plan, journal: Journal, transfer: Callable[[int, Cell], Transfer], progress: Callable[[int, int, Cell], None]
) -> None:
    """Makes the missing transfers, in their order. `progress` gets a transfer's number, the count and the cell."""
    done = {transfer.number for transfer in journal.done}
    order = plan.order()
    for place, cell in enumerate(order):
        if place not in done:
            progress(place, len(order), cell)
            journal.add(transfer(place, cell))


def table(plan: Plan, done: Sequence[Transfer], level: float = 0.95) -> list[Row]:
    """Returns a row for each cell that has transfers, in the plan's order."""
    found = {cell: [transfer for transfer in done if _cell(transfer) == cell] for cell in plan.cells()}
    rounds = len(plan.cells())
    rows = []
    for cell, transfers in found.items():
        if not transfers:
            continue
        first = found[dataclasses.replace(cell, algorithm=plan.algorithms[0])]
        rows.append(
            Row(
                **dataclasses.asdict(cell),
                completion_s=mean_interval([transfer.completion_s for transfer in transfers], level),
                throughput_mbps=mean_interval([transfer.throughput_mbps for transfer in transfers], level),
                over_first=_ratio(transfers, first, rounds, level) if cell.algorithm != plan.algorithms[0] else None,
                retransmits=sum(transfer.retransmits for transfer in transfers) / len(transfers),
                late=_late(transfers),
            )
        )
    return rows


def as_json(plan: Plan, done: Sequence[Transfer], rows: Sequence[Row]) -> dict[str, Any]:
    """Returns plan, transfers and table, without NaN."""
    return {
        "plan": json.loads(_json(plan)),
        "transfers": [dataclasses.asdict(transfer) for transfer in done],
        "table": [_flat(row) for row in rows],
    }


def _late(transfers: Sequence[Transfer]) -> int | None:
    verdicts = [transfer.trustworthy for transfer in transfers if transfer.trustworthy is not None]
    return verdicts.count(False) if verdicts else None


def _ratio(transfers: Sequence[Transfer], first: Sequence[Transfer], a_round: int, level: float) -> Ratio | None:
    """Returns the ratio of throughputs over the rounds in which both were measured."""
    by_round = [{one.number // a_round: one.throughput_mbps for one in group} for group in (transfers, first)]
    both = sorted(by_round[0].keys() & by_round[1].keys())
    if not both:
        return None
    return paired_ratio([by_round[0][one] for one in both], [by_round[1][one] for one in both], level)


def _cell(transfer: Transfer) -> Cell:
    return Cell(path=transfer.path, size_bytes=transfer.size_bytes, algorithm=transfer.algorithm)


def _flat(row: Row) -> dict[str, Any]:
    ratio = row.over_first
    return {
        "path": row.path,
        "size_bytes": row.size_bytes,
        "algorithm": row.algorithm,
        "transfers": row.completion_s.values,
        "completion_s": row.completion_s.mean,
        "completion_half_width_s": number(row.completion_s.half_width),
        "throughput_mbps": row.throughput_mbps.mean,
        "throughput_half_width_mbps": number(row.throughput_mbps.half_width),
        "ratio": ratio and ratio.ratio,
        "ratio_low": ratio and number(ratio.low),
        "ratio_high": ratio and number(ratio.high),
        "retransmits": row.retransmits,
        "late": row.late,
    }


def _json(plan: Plan) -> str:
    return json.dumps(dataclasses.asdict(plan))


def _other_key(file: Path, about: dict[str, Any]) -> str | None:
    found = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise ValueError(f"{_PLAN} is no plan")
    return next((key for key, value in about.items() if found.get(key) != value), None)


# --- transfers.csv ---

_COLUMNS = [field.name for field in dataclasses.fields(Transfer)]


def _append(file: Path, transfers: Sequence[Transfer]) -> None:
    with writing(file), file.open("a", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, _COLUMNS)
        if out.tell() == 0:
            writer.writeheader()
        writer.writerows(dataclasses.asdict(transfer) for transfer in transfers)
        out.flush()
        os.fsync(out.fileno())


def _read(file: Path) -> list[Transfer]:
    """Reads the transfers in a file; removes a last line that a crash cut short."""
    if not file.exists():
        return []
    text = file.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    done = list(_parsed(csv.DictReader(whole.decode().splitlines())))
    if whole != text:
        os.truncate(file, len(whole))
    return done


def _parsed(rows: Iterable[dict[str, str]]) -> Iterator[Transfer]:
    for line, row in enumerate(rows, 2):
        try:
            yield _transfer(row)
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"{_TRANSFERS}: line {line} is no transfer") from None


def _transfer(row: dict[str, str]) -> Transfer:
    """Parses a row. Raises `KeyError`, `TypeError` or `ValueError` for one that `_append` does not write."""

    def optional(kind: Callable[[str], _T], text: str) -> _T | None:
        return kind(text) if text else None

    return Transfer(
        number=_count(row["number"]),
        path=row["path"],
        size_bytes=_count(row["size_bytes"]),
        algorithm=row["algorithm"],
        completion_s=_positive(row["completion_s"]),
        throughput_mbps=_positive(row["throughput_mbps"]),
        retransmits=_count(row["retransmits"]),
        min_rtt_ms=optional(_finite, row["min_rtt_ms"]),
        lateness_p99_us=optional(_finite, row["lateness_p99_us"]),
        trustworthy=optional("True".__eq__, row["trustworthy"]),
    )


def _count(text: str) -> int:
    if not 0 <= (value := int(text)) < 2**63:
        raise ValueError(text)
    return value


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ValueError(text)
    return value


def _positive(text: str) -> float:
    if not (value := _finite(text)) > 0:
        raise ValueError(text)
    return value


def _write_rows(file: Path, rows: Sequence[dict[str, Any]]) -> None:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    replace_file(file, lambda out: out.write(text.getvalue().encode()))

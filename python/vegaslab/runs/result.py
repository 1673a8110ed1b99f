"""One run and its result."""

import json
import shutil
import time
import weakref
from collections.abc import Callable, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Any, Literal, Protocol

from vegaslab import _vegaslab
from vegaslab.reports.tables import show_arrow_in_notebooks
from vegaslab.runs.drawable import Drawable
from vegaslab.runs.kept import cache as kept
from vegaslab.scenario.source import Overrides, ScenarioLike, folder_of, load, warn_of_unused
from vegaslab.scenario.variants import AlgorithmLike, used_by_all
from vegaslab.util.folder import FolderError, whole_folder
from vegaslab.util.memory import memory_bytes
from vegaslab.util.parquet import read_table
from vegaslab.util.progress import Progress, notebook
from vegaslab.util.text import printable

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from vegaslab.reports.sheet import Sheet

_MANIFEST = "manifest.json"
_GENERATOR = "vegaslab"
_FORMAT = 1

Engine = Literal["fast", "reference"]
"""The engine, which computes where packets are; both give the same results."""


class World(Protocol):
    """Where scenarios are carried out, if not in the simulator."""

    @property
    def name(self) -> str:
        """The name among several."""

    def run(self, scenario: _vegaslab.Scenario, beside: Path, *options: str) -> "Result":
        """Carries a scenario out, which names files from the folder `beside`."""


def run(
    scenario: ScenarioLike,
    *,
    algorithm: AlgorithmLike | None = None,
    seed: int | None = None,
    set: Mapping[str, object] | Overrides | None = None,
    memory: str | int | None = None,
    engine: Engine = "fast",
    world: World | None = None,
) -> "Result":
    """Runs a scenario to its end.

    `scenario` is a path to a TOML or JSON file, the name of a shipped scenario, TOML text (a string of several
    lines), a dict of the file's keys, or a `Scenario`. `algorithm`, if given, is that of all its flows: a preset's
    name, a table of parts, a class of your own, or a file such as "mine.py:Mine" or "mine.wasm". `set` overrides
    values by dotted key, `seed` the seed. Ctrl-C raises `KeyboardInterrupt` within a fraction of a second; other
    threads run meanwhile. In a notebook, a run of more than a second says how far it is. `memory` is the most that
    the run, with its results, may take: bytes, or a size such as "4gb" (default: half of the machine's).
    `engine="reference"` runs it on the network that has an event for each packet and link: the same results, some
    times slower, to check the fast one. `world=vegaslab.KernelWorld()` carries it out in Linux, in a virtual machine
    (docs/kernel-world.md).

    Raises `ScenarioError` for what is wrong in the scenario, `OSError` for a file that cannot be read,
    `LimitError` where the run would take more memory, `AlgorithmError` where an algorithm of your own fails, and
    `LinuxError` for what the kernel's world lacks or does not carry.

    >>> import vegaslab
    >>> result = vegaslab.run("gallop-50mbit", set={"flow.0.algorithm": "reno", "duration": "20s"})
    >>> result
    <vegaslab.Result gallop-50mbit: 20 s, 1 flows, 6 links>
    >>> round(result.summary["flows"][0]["throughput_mbps"], 1)
    7.9

    A scenario may be a dict:

    >>> link = {"rate": "10mbit", "delay": "10ms", "queue": "30p"}
    >>> topology = {"kind": "dumbbell", "access": {"rate": "1gbit", "delay": "1ms"}, "bottleneck": link}
    >>> flow = {"algorithm": "vegas"}
    >>> vegaslab.run({"name": "mine", "duration": "5s", "topology": topology, "flow": [flow]})
    <vegaslab.Result mine: 5 s, 1 flows, 6 links>
    """
    limit = memory_bytes(memory)
    if algorithm is not None:
        set = used_by_all(scenario, algorithm, set)
    checked = load(scenario, seed=seed, set=set, memory=limit)
    warn_of_unused(checked)
    if world is not None:
        return world.run(checked, folder_of(scenario))
    with Progress(checked.duration_s, place=notebook()) as progress:
        return run_checked(checked, progress, memory=limit, engine=engine)


def run_checked(
    scenario: _vegaslab.Scenario,
    progress: Callable[[float], object] | None = None,
    *,
    memory: str | int | None = None,
    engine: Engine = "fast",
    cached: bool = True,
) -> "Result":
    """Runs a checked scenario; `progress` is called some 20 times a second with the simulated time reached, s.

    `memory` and `engine` are as for `run`. If `cached`, the result may be one that an equal run had (docs/cache.md);
    the engine for checks runs always.
    """
    may_be_kept = cached and engine == "fast" and kept.is_on() and kept.may_be_kept(scenario.own_sha256())
    run_id = scenario.run_id() if may_be_kept else ""
    packed = kept.taken("result", run_id) if may_be_kept else None
    if packed is not None:
        return Result(scenario, _vegaslab.unpack(scenario, packed), from_cache=True)
    began = time.monotonic()
    outcome = _vegaslab.run(scenario, progress, memory_bytes(memory), engine)
    if may_be_kept:
        kept.count.note(made=1)
        if time.monotonic() - began >= kept.LEAST_S and (packed := outcome.pack()) is not None:
            kept.keep(packed, "result", run_id)
    return Result(scenario, outcome)


class Result(Drawable):
    """The results of a run. Tables are made when first used and share their memory with the simulator.

    >>> import vegaslab
    >>> result = vegaslab.run("gallop-50mbit", set={"duration": "20s"})
    >>> result.flows["algorithm"].to_pylist()
    ['vegas']
    >>> [link["id"] for link in result.links.to_pylist()]
    ['r1->r2', 'r2->r1', 's0->r1', 'r1->s0', 'r2->d0', 'd0->r2']
    >>> result.series["links"].column_names[:3]
    ['time_s', 'link', 'queue_packets']
    >>> sorted(set(result.incidents["kind"].to_pylist()))
    ['slow-start-exit']
    """

    from_cache: bool = False
    """Whether an equal run had this result before, and it was read from the cache (docs/cache.md)."""

    def __init__(self, scenario: _vegaslab.Scenario, outcome: _vegaslab.Outcome, *, from_cache: bool = False) -> None:
        """Wraps the native outcome; `vegaslab.run` makes one."""
        self.scenario = scenario
        self.from_cache = from_cache
        self._outcome = outcome

    @classmethod
    def open(cls, dir: str | PathLike[str]) -> "Result":
        """Reads back what a run, or `Result.write`, has written into the folder `dir`.

        Tables are read when first asked for. Raises `FolderError` for a folder that is not a run's, and where a file of
        it is missing or damaged.

        >>> import tempfile, vegaslab
        >>> result = vegaslab.run("gallop-50mbit", set={"duration": "20s"})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     opened = vegaslab.Result.open(result.write(folder + "/run"))
        ...     opened.flows.equals(result.flows)
        True
        >>> opened
        <vegaslab.Result gallop-50mbit: 20 s, 1 flows, 6 links>
        """
        return open_folder(Path(dir))

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The summary that `vegaslab run --json` prints, as a dict."""
        # the hook is a Python function that is called for every row, so Ctrl-C works before hundreds of thousands of
        # rows are read
        summary: dict[str, Any] = json.loads(self._outcome.summary_json(), object_hook=lambda row: row)
        return summary

    @cached_property
    def flows(self) -> "pyarrow.Table":
        """The flows' totals, a row for each flow."""
        return _arrow(self._outcome.flows)

    @cached_property
    def links(self) -> "pyarrow.Table":
        """The links' totals, a row for each one-way link."""
        return _arrow(self._outcome.links)

    @cached_property
    def traffic(self) -> "pyarrow.Table":
        """The totals of background traffic, a row for each source."""
        return _arrow(self._outcome.traffic)

    @cached_property
    def series(self) -> "Series":
        """The time series of flows and links."""
        return Series(_arrow(self._outcome.flow_series), _arrow(self._outcome.link_series))

    @cached_property
    def incidents(self) -> "pyarrow.Table":
        """Drops, losses, retransmissions, timeouts and exits from slow start, in order of time."""
        return _arrow(self._outcome.incidents)

    @cached_property
    def media(self) -> "pyarrow.Table":
        """The frames of flows that send media, in the order in which each flow makes them."""
        return _arrow(self._outcome.media)

    def sheet(self) -> "Sheet":
        """The lines that the pictures show: the flows and the bottleneck over time."""
        # loads numpy, as other imports below load pyarrow and pandas, which the command `run` does not need
        from vegaslab.reports.sheet import sheet_of_run

        return sheet_of_run(self)

    def summaries(self) -> dict[str, dict[str, Any]]:
        """The run's summary, under an empty name."""
        return {"": self.summary}

    def write(self, dir: str | PathLike[str], *, csv: bool = False, pcapng: bool = False) -> Path:
        """Writes manifest and tables into the folder `dir`, all of it or nothing; returns the folder.

        `pcapng` needs a run with `capture = true`. Raises `FolderError` for a folder that holds anything that vegaslab
        does not write, `OSError` if it cannot be written.
        """
        self._outcome.write(dir, csv=csv, pcapng=pcapng)
        return Path(dir)

    def __reduce__(self) -> tuple[Callable[[dict[str, bytes]], "Result"], tuple[dict[str, bytes]]]:
        """Lets pickle, and with it joblib and multiprocessing, take a run: as the files of its folder."""
        with TemporaryDirectory() as folder:
            written = self.write(Path(folder) / "run")
            return _of_files, ({file.name: file.read_bytes() for file in sorted(written.iterdir())},)

    def __repr__(self) -> str:
        """Names the scenario and its extent."""
        summary = self.summary
        flows, links = len(summary["flows"]), len(summary["links"])
        return f"<vegaslab.Result {summary['scenario']}: {summary['duration_s']:g} s, {flows} flows, {links} links>"


class Series:
    """Time series of a run: `flows` and `links`. Taken as one table, it is that of the flows.

    pyarrow, polars and others take it without a copy through `__arrow_c_stream__`; `to_pandas` does likewise.

    >>> import vegaslab, polars
    >>> series = vegaslab.run("gallop-50mbit", set={"duration": "20s"}).series
    >>> series
    <vegaslab.Series flows: 200 rows, links: 1200 rows>
    >>> polars.DataFrame(series)["cwnd_segments"].max()
    243.0000332482159
    >>> float(series.to_pandas()["rtt_ms"].min())
    100.18304
    >>> series["links"]["queue_packets"].to_pylist()[-1]
    0
    """

    def __init__(self, flows: "pyarrow.Table", links: "pyarrow.Table") -> None:
        """Holds the two tables."""
        self.flows = flows
        self.links = links

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The flows' series, without a copy."""
        return self.flows.__arrow_c_stream__(requested_schema)

    @property
    def column_names(self) -> list[str]:
        """Columns of the flows' series."""
        return list(self.flows.column_names)

    @property
    def num_rows(self) -> int:
        """Rows of the flows' series."""
        return int(self.flows.num_rows)

    def __len__(self) -> int:
        """Rows of the flows' series."""
        return self.num_rows

    def __getitem__(self, key: str) -> Any:
        """The table "flows" or "links", or a column of the flows' series."""
        if key in ("flows", "links"):
            return getattr(self, key)
        return self.flows[key]

    def to_pandas(self) -> "pandas.DataFrame":
        """The flows' series as a pandas frame of Arrow-backed columns, which share the memory."""
        import pandas

        frame: pandas.DataFrame = self.flows.to_pandas(types_mapper=pandas.ArrowDtype)
        return frame

    def __repr__(self) -> str:
        """Names the extent of both tables."""
        return f"<vegaslab.Series flows: {self.flows.num_rows} rows, links: {self.links.num_rows} rows>"


class KeptResult(Result):
    """The results of a run, in its folder. Tables are read when first used; an unreadable one raises `FolderError`."""

    def __init__(self, folder: Path, summary: dict[str, Any], scenario: object) -> None:
        """Takes the run's `summary`, and its `scenario` as a document or as a checked scenario."""
        self._folder = folder
        self._summary = summary
        self._document = scenario

    @cached_property
    def scenario(self) -> _vegaslab.Scenario:  # type: ignore[override]
        """The scenario, checked again when first asked for: raises `ScenarioError` where rate traces are gone."""
        if isinstance(self._document, _vegaslab.Scenario):
            return self._document
        return load(self._document)  # type: ignore[arg-type]

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The summary that the run printed."""
        return self._summary

    @cached_property
    def flows(self) -> "pyarrow.Table":
        """The flows' totals, a row for each flow."""
        return self._table("flows")

    @cached_property
    def links(self) -> "pyarrow.Table":
        """The links' totals, a row for each one-way link."""
        return self._table("links")

    @cached_property
    def traffic(self) -> "pyarrow.Table":
        """The totals of background traffic, a row for each source."""
        return self._table("traffic")

    @cached_property
    def series(self) -> Series:
        """The time series of flows and links."""
        return Series(self._table("flow_series"), self._table("link_series"))

    @cached_property
    def incidents(self) -> "pyarrow.Table":
        """Drops, losses, timeouts and exits from slow start, in order of time."""
        return self._table("incidents")

    @cached_property
    def media(self) -> "pyarrow.Table":
        """The frames of flows that send media; without rows where the run has none."""
        if (self._folder / "media.parquet").exists():
            return self._table("media")
        # commands that read no tables need not wait for it
        import pyarrow as pa

        kinds = {"time_s": "float64", "flow": "uint32", "layer": "uint32", "bytes": "uint64", "delay_ms": "float64"}
        columns = {name: pa.array([], pa.type_for_alias(kind)) for name, kind in kinds.items()}
        columns["state"] = pa.array([], pa.dictionary(pa.int32(), pa.string()))
        return pa.table(columns).select(["time_s", "flow", "layer", "bytes", "state", "delay_ms"])

    def write(self, dir: str | PathLike[str], *, csv: bool = False, pcapng: bool = False) -> Path:  # noqa: ARG002
        """Copies the folder, all of it or nothing; adds nothing that the run did not write."""
        with whole_folder(Path(dir)) as folder:
            shutil.copytree(self._folder, folder, dirs_exist_ok=True)
        return Path(dir)

    def _table(self, name: str) -> "pyarrow.Table":
        show_arrow_in_notebooks()
        return read_table(self._folder / f"{name}.parquet")


def _of_files(files: Mapping[str, bytes]) -> KeptResult:
    """Returns the run in these files, which a folder holds for as long as the run is used."""
    folder = Path(mkdtemp(prefix="vegaslab-"))
    for name, content in files.items():
        (folder / name).write_bytes(content)
    result = open_folder(folder)
    weakref.finalize(result, shutil.rmtree, folder, ignore_errors=True)
    return result


def open_folder(folder: Path) -> KeptResult:
    """See `Result.open`."""
    file = folder / _MANIFEST
    try:
        manifest = json.loads(file.read_bytes())
    except OSError as error:
        raise FolderError(_of_no_run(folder) or f"{_named(file)}: {error.strerror}; give the folder of a run") from None
    except (ValueError, RecursionError):
        raise FolderError(f"{_named(file)}: is no manifest; restore it, or make the folder again") from None
    if not isinstance(manifest, dict) or manifest.get("generator") != _GENERATOR:
        raise FolderError(f"{_named(file)}: is not vegaslab's; give the folder of a run")
    if manifest.get("format") != _FORMAT:
        raise FolderError(f"{_named(file)}: has another format than {_FORMAT}; read it with the version that wrote it")
    summary, scenario = manifest.get("summary"), manifest.get("scenario")
    if not (isinstance(summary, dict) and isinstance(scenario, dict)) or not summary.keys() >= _KEYS:
        raise FolderError(f"{_named(file)}: is not that of a run; give the folder of a run")
    return KeptResult(folder, summary, scenario)


def _of_no_run(folder: Path) -> str:
    """Returns what to give in place of the folder of a comparison or of a sweep; nothing for another folder."""
    runs = sorted(_named(run.parent) for run in folder.glob(f"*/{_MANIFEST}"))
    if runs:
        return f"{_named(folder)}: holds several runs; give the folder of one: {', '.join(runs)}"
    if (folder / "comparison.json").exists() or (folder / "plan.json").exists():
        again = "vegaslab run FILE --set flow.0.algorithm=NAME --seed N -o RUN"
        return f"{_named(folder)}: keeps figures of its runs alone; make one of them again ({again}), and give RUN"
    return ""


_KEYS = {"scenario", "duration_s", "flows", "links"}
"""The keys of a summary that the text of a `Result` needs."""


def _named(file: Path) -> str:
    return printable(str(file))


def _arrow(table: _vegaslab.Table) -> "pyarrow.Table":
    import pyarrow

    show_arrow_in_notebooks()
    # pyarrow.table would give the same table, but load pandas first
    return pyarrow.RecordBatchReader.from_stream(table).read_all()

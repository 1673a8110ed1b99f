"""Results in a folder, read back on demand."""

import json
import shutil
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vegaslab import _vegaslab
from vegaslab.runs.result import Result, Series
from vegaslab.scenario.source import load
from vegaslab.util.folder import FolderError, whole_folder
from vegaslab.util.parquet import read_table
from vegaslab.util.text import printable

if TYPE_CHECKING:
    import pyarrow

_MANIFEST = "manifest.json"
_GENERATOR = "vegaslab"
_FORMAT = 1


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
        return read_table(self._folder / f"{name}.parquet")


def open_folder(folder: Path) -> KeptResult:
    """See `Result.open`."""
    file = folder / _MANIFEST
    try:
        manifest = json.loads(file.read_bytes())
    except OSError as error:
        raise FolderError(f"{_named(file)}: {error.strerror}; give the folder of a run") from None
    except (ValueError, RecursionError):
        raise FolderError(f"{_named(file)}: is no manifest; restore it, or make the folder anew") from None
    if not isinstance(manifest, dict) or manifest.get("generator") != _GENERATOR:
        raise FolderError(f"{_named(file)}: is not vegaslab's; give the folder of a run")
    if manifest.get("format") != _FORMAT:
        raise FolderError(f"{_named(file)}: has another format than {_FORMAT}; read it with the version that wrote it")
    summary, scenario = manifest.get("summary"), manifest.get("scenario")
    if not (isinstance(summary, dict) and isinstance(scenario, dict)) or not summary.keys() >= _KEYS:
        raise FolderError(f"{_named(file)}: is not that of a run; give the folder of a run")
    return KeptResult(folder, summary, scenario)


_KEYS = {"scenario", "duration_s", "flows", "links"}
"""The keys of a summary that the text of a `Result` needs."""


def _named(file: Path) -> str:
    return printable(str(file))

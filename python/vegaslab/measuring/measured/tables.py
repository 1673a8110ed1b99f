"""The tables of a measurement, and what the report says."""

import json
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vegaslab.runs.result import Series
from vegaslab.util.folder import FolderError
from vegaslab.util.parquet import read_table
from vegaslab.util.text import printable

if TYPE_CHECKING:
    import pyarrow

MANIFEST, SCENARIO = "manifest.json", "path.toml"


class MeasuredTables:
    """The tables of a measurement, read when first used; an unreadable one raises `FolderError`."""

    def __init__(self, folder: Path, *, in_memory: bool = False) -> None:
        """Opens the folder; `in_memory` reads all of it at once."""
        self._folder = folder
        self.report: dict[str, Any] = _report_of(folder / MANIFEST)
        """What was read, what is odd about it, and the path, as `vegaslab measured --json` prints it."""
        if in_memory:
            for name in ("flows", "links", "series", "incidents", "rtt_samples", "scenario"):
                getattr(self, name)

    @cached_property
    def flows(self) -> "pyarrow.Table":
        """The flows' totals, a row for each flow."""
        return self._table("flows")

    @cached_property
    def links(self) -> "pyarrow.Table | None":
        """The totals of the link, of a link's log."""
        return self._table("links") if self.report["links"] else None

    @cached_property
    def series(self) -> Series:
        """The time series of flows; `links` of it is that of the link, of a link's log."""
        flows = self._table("flow_series")
        return Series(flows, self._table("link_series") if self.report["links"] else flows.slice(0, 0))

    @cached_property
    def incidents(self) -> "pyarrow.Table":
        """Retransmissions by kind, timeouts, marks, reordered segments, drops, in order of time."""
        return self._table("incidents")

    @cached_property
    def rtt_samples(self) -> "pyarrow.Table":
        """Each round-trip sample of a capture."""
        return self._table("rtt_samples")

    @cached_property
    def scenario(self) -> str | None:
        """The path as the text of a scenario file; none of a log, and of a capture that shows too little."""
        return (self._folder / SCENARIO).read_text(encoding="utf-8") if self.report["path"] else None

    def _table(self, name: str) -> "pyarrow.Table":
        return read_table(self._folder / f"{name}.parquet")


def _report_of(manifest: Path) -> dict[str, Any]:
    try:
        report = json.loads(manifest.read_bytes())["measured"]
    except (OSError, ValueError, KeyError, TypeError):
        what = "is no folder of a measurement; give one that vegaslab measured has written"
        raise FolderError(f"{printable(str(manifest.parent))}: {what}") from None
    if not isinstance(report, dict):
        raise FolderError(f"{printable(str(manifest.parent))}: its manifest is damaged; read the measurement again")
    return report

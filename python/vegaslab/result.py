"""One run and what it gave."""

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vegaslab import _vegaslab
from vegaslab.drawable import Drawable
from vegaslab.source import Overrides, ScenarioLike, load

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from vegaslab.sheet import Sheet


def run(
    scenario: ScenarioLike, *, seed: int | None = None, set: Mapping[str, object] | Overrides | None = None
) -> "Result":
    """Runs a scenario to its end.

    For `scenario`, `seed` and `set`, and what they raise, see `vegaslab.source.load`. Ctrl-C raises
    `KeyboardInterrupt` within a fraction of a second; other threads run meanwhile.
    """
    return run_checked(load(scenario, seed=seed, set=set))


def run_checked(scenario: _vegaslab.Scenario, progress: Callable[[float], object] | None = None) -> "Result":
    """Runs a checked scenario; `progress` is called some 20 times a second with the simulated time reached, s."""
    return Result(scenario, _vegaslab.run(scenario, progress))


class Result(Drawable):
    """What a run gave. Tables are made when first asked for and share their memory with the simulator."""

    def __init__(self, scenario: _vegaslab.Scenario, outcome: _vegaslab.Outcome) -> None:
        """Wraps what the native half gave; `vegaslab.run` makes one."""
        self.scenario = scenario
        self._outcome = outcome

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The summary that `vegaslab run --json` prints, as a dict."""
        summary: dict[str, Any] = json.loads(self._outcome.summary_json())
        return summary

    @cached_property
    def flows(self) -> "pyarrow.Table":
        """One row a flow: its totals."""
        return _arrow(self._outcome.flows)

    @cached_property
    def links(self) -> "pyarrow.Table":
        """One row a one-way link: its totals."""
        return _arrow(self._outcome.links)

    @cached_property
    def traffic(self) -> "pyarrow.Table":
        """One row a source of background traffic: its totals."""
        return _arrow(self._outcome.traffic)

    @cached_property
    def series(self) -> "Series":
        """The time series of flows and links."""
        return Series(_arrow(self._outcome.flow_series), _arrow(self._outcome.link_series))

    @cached_property
    def incidents(self) -> "pyarrow.Table":
        """Drops, losses, retransmissions, timeouts and exits from slow start, in order of time."""
        return _arrow(self._outcome.incidents)

    def sheet(self) -> "Sheet":
        """What the pictures show: window, throughput and the bottleneck's queue over time."""
        from vegaslab.sheet import sheet_of_run

        return sheet_of_run(self)

    def html(self) -> str:
        """An interactive page of the same, in one piece: it needs neither network nor other files."""
        from vegaslab.page import page

        return page(self.sheet(), {"": self.summary})

    def write(self, dir: str | PathLike[str], *, csv: bool = False, pcapng: bool = False) -> Path:
        """Writes manifest and tables into the folder `dir`, all of it or nothing; returns the folder.

        `pcapng` needs a run with `capture = true`. Raises `OSError`.
        """
        self._outcome.write(dir, csv=csv, pcapng=pcapng)
        return Path(dir)

    def __repr__(self) -> str:
        """Names the scenario and its extent."""
        summary = self.summary
        flows, links = len(summary["flows"]), len(summary["links"])
        return f"<vegaslab.Result {summary['scenario']}: {summary['duration_s']:g} s, {flows} flows, {links} links>"


class Series:
    """Time series of a run: `flows` and `links`. Taken as one table, it is that of the flows.

    pyarrow, polars and others take it without a copy through `__arrow_c_stream__`; `to_pandas` does likewise.
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


def _arrow(table: _vegaslab.Table) -> "pyarrow.Table":
    import pyarrow

    return pyarrow.table(table)

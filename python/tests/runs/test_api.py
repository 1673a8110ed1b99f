import dataclasses
import json
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import vegaslab
from tests.conftest import SHORT
from vegaslab import Dumbbell, Flow, Graph, Host, Link, ParkingLot, Parts, Scenario, Traffic
from vegaslab.reports.summary import report
from vegaslab.runs.result import run_checked
from vegaslab.scenario.source import load

TYPED = Scenario(
    name="short",
    duration="3s",
    seed=1,
    topology=Dumbbell(
        access=Link(rate="100mbit", delay="1ms"),
        bottleneck=Link(rate="10mbit", delay="8ms", queue="10p"),
    ),
    flow=[Flow(algorithm="reno"), Flow(algorithm="vegas", start="500ms")],
)
PLAIN_COLUMNS = ("time_s", "cwnd_segments", "rtt_ms", "acked_bytes")


@pytest.fixture(scope="module")
def result() -> vegaslab.Result:
    return vegaslab.run(SHORT)


def address(column: Any) -> int:
    """Where a column's values lie in memory."""
    (chunk,) = column.chunks
    return int(chunk.buffers()[1].address)


def without_clock(summary: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in summary.items() if key != "wall_s"}


def test_a_scenario_is_the_same_from_path_text_dict_and_objects(short: Path, result: vegaslab.Result) -> None:
    for same in (short, str(short), TYPED, TYPED.to_dict()):
        again = vegaslab.run(same)
        assert without_clock(again.summary) == without_clock(result.summary)
        assert again.series.flows.equals(result.series.flows)


def test_overrides_and_seed() -> None:
    result = vegaslab.run(TYPED, seed=9, set={"flow.0.algorithm": "sack", "flow.1.alpha": 2, "capture": True})
    assert result.summary["seed"] == 9
    assert result.summary["flows"][0]["algorithm"] == "sack"
    assert json.loads(result.scenario.document_json())["flow"][1]["alpha"] == 2


def test_other_topologies_and_a_table_of_parts() -> None:
    link = Link(rate="10mbit", delay="5ms", queue="50p")
    lot = Scenario(
        name="lot",
        duration="1s",
        topology=ParkingLot(access=Link(rate="100mbit", delay="1ms"), bottleneck=link, hops=2),
        flow=[Flow(algorithm=Parts(preset="vegas", slow_start="reno"), host=Host(rto_min="300ms"))],
    )
    assert vegaslab.run(lot).summary["flows"][0]["algorithm"] == "vegas+reno-slow-start"
    graph = Scenario(
        name="graph",
        duration="1s",
        topology=Graph(nodes=["a", "b"], link=[Link(between=("a", "b"), rate="1mbit", delay="1ms", queue="9p")]),
        flow=[Flow(algorithm="reno", from_="a", to="b")],
    )
    assert [row["id"] for row in vegaslab.run(graph).summary["links"]] == ["a->b", "b->a"]


def test_a_table_of_parts_is_set_as_a_dict() -> None:
    parts = {"preset": "vegas", "slow_start": "reno", "keep_up": False}
    document = json.loads(load(TYPED, set={"flow.0.algorithm": parts}).document_json())
    assert document["flow"][0]["algorithm"] == parts


def test_errors_name_the_key() -> None:
    with pytest.raises(vegaslab.ScenarioError, match=r"flow\.0\.algorithm") as caught:
        vegaslab.run(TYPED, set={"flow.0.algorithm": "nothing"})
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)
    with pytest.raises(FileNotFoundError):
        vegaslab.run("no-such-scenario")
    with pytest.raises(vegaslab.ScenarioError, match="dict"):
        vegaslab.run({"name": object()})


def test_tables_agree_with_the_summary(result: vegaslab.Result) -> None:
    assert result.flows.to_pylist() == result.summary["flows"]
    assert result.links.to_pylist() == result.summary["links"]
    drops = sum(link["drops"] for link in result.summary["links"])
    assert result.incidents["kind"].to_pylist().count("queue-drop") == drops > 0


def test_traffic_has_a_table_and_a_part_of_the_report(result: vegaslab.Result) -> None:
    assert result.traffic.num_rows == 0
    assert "exponential-on-off" not in report(result.summary)
    traffic = Traffic(kind="exponential-on-off", rate="2mbit", on="100ms", off="100ms")
    busy = vegaslab.run(dataclasses.replace(TYPED, traffic=[traffic]))
    assert busy.traffic.to_pylist() == busy.summary["traffic"]
    assert busy.summary["traffic"][0]["sent_packets"] > 0
    assert "exponential-on-off" in report(busy.summary)


def test_series_is_the_flows_table_and_holds_both(result: vegaslab.Result) -> None:
    series = result.series
    assert series.column_names[:3] == ["time_s", "flow", "cwnd_segments"]
    assert series["flows"] is series.flows
    assert series["links"] is series.links
    assert series["time_s"].equals(series.flows["time_s"])
    assert len(series) == series.flows.num_rows > 0
    assert pa.table(series).equals(series.flows)


def test_arrow_shares_the_simulators_memory(result: vegaslab.Result) -> None:
    first, second = (pa.table(result._outcome.flow_series) for _ in range(2))
    for name in PLAIN_COLUMNS:
        assert address(first[name]) == address(second[name])


def test_pandas_takes_the_series_without_a_copy(result: vegaslab.Result) -> None:
    frame = result.series.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == result.series.column_names
    for name in PLAIN_COLUMNS:
        assert address(frame[name].array.__arrow_array__()) == address(result.series.flows[name])


def test_polars_takes_the_series_without_a_copy(result: vegaslab.Result) -> None:
    frame = pl.DataFrame(result.series)
    assert frame.columns == result.series.column_names
    assert frame.height == len(result.series)
    for name in PLAIN_COLUMNS:
        assert address(pa.chunked_array([frame[name].to_arrow()])) == address(result.series.flows[name])


def test_the_tables_outlive_their_run() -> None:
    table = vegaslab.run(TYPED).series.flows
    assert table["time_s"].to_pylist()[-1] == pytest.approx(3.0)


def test_write(result: vegaslab.Result, tmp_path: Path) -> None:
    folder = result.write(tmp_path / "out", csv=True)
    assert (folder / "manifest.json").exists()
    assert (folder / "flows.csv").read_text().startswith("id,algorithm,")
    with pytest.raises(OSError, match="capture"):
        result.write(tmp_path / "packets", pcapng=True)
    assert not (tmp_path / "packets").exists()


def test_compare(tmp_path: Path) -> None:
    comparison = vegaslab.compare(TYPED, ["vegas", "reno"])
    assert list(comparison) == ["vegas", "reno"]
    assert comparison.summary["scenario"] == "short"
    assert comparison["reno"].summary["flows"][1]["algorithm"] == "reno"
    folder = comparison.write(tmp_path / "out")
    assert json.loads((folder / "comparison.json").read_text()) == comparison.summary
    with pytest.raises(ValueError, match="algorithms"):
        vegaslab.compare(TYPED, [])


class _OverError(Exception):
    pass


def _end(_number: int, _frame: object) -> None:
    raise _OverError


def test_other_threads_run_meanwhile() -> None:
    """The run takes hours, unless another thread looks a hundred times and ends it."""
    main = threading.get_ident()

    def look() -> None:
        looks = 0
        while looks < 100:
            time.sleep(0.001)
            looks += sys._current_frames()[main].f_code is run_checked.__code__
        signal.pthread_kill(main, signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, _end)
    other = threading.Thread(target=look)
    try:
        other.start()
        with pytest.raises(_OverError):
            vegaslab.run(TYPED, set={"duration": "500000s", "sample": "off"})
        other.join()
    finally:
        signal.signal(signal.SIGUSR1, before)

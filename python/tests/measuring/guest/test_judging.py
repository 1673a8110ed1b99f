"""The kernel as judge: its rules, its findings, and where QEMU and a kernel are installed, a network in both worlds."""

import json
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.measuring.guest.test_guest import whole
from vegaslab import KernelWorld, _vegaslab
from vegaslab.commands import cli
from vegaslab.measuring.guest import kernels
from vegaslab.measuring.judging import judge
from vegaslab.measuring.judging.judge import verdict_on
from vegaslab.measuring.judging.rules import Difference, Figures, Flow, difference, figures
from vegaslab.runs.result import run_checked
from vegaslab.scenario.source import load
from vegaslab.sweeps.swarm import batches as swarms

FLOW = Flow(
    algorithm="reno-linux",
    slow_start=(0.5, 100.0),
    lost=(146_000, 149_000),
    retransmitted=40,
    timeouts=1,
    delivered_bytes=10_000_000,
    completion_s=None,
)
RUN = Figures(flows=(FLOW,), mean_queue_packets=20.0, segment_bytes=(1460,), round_trip_s=0.1)


def beside(**changes: Any) -> Figures:
    return replace(RUN, flows=(replace(FLOW, **changes),))


@pytest.mark.parametrize(
    ("within", "beyond", "rule"),
    [
        (beside(slow_start=(0.6, 105.0)), beside(slow_start=(0.61, 100.0)), "slow_start"),
        (beside(slow_start=(0.5, 95.0)), beside(slow_start=(0.5, 94.0)), "slow_start"),
        (RUN, beside(slow_start=None), "slow_start"),
        (beside(lost=(146_000,) * 5), beside(lost=(146_000,) * 6), "lost"),
        (beside(lost=(152_000, 160_000)), beside(lost=(157_000, 160_000)), "lost"),
        (RUN, beside(timeouts=2), "timeouts"),
        (beside(retransmitted=44), beside(retransmitted=45), "retransmitted"),
        (beside(delivered_bytes=9_500_000), beside(delivered_bytes=9_490_000), "delivered"),
        (replace(RUN, mean_queue_packets=18.1), replace(RUN, mean_queue_packets=17.9), "queue"),
    ],
)
def test_a_rule_allows_what_it_says(within: Figures, beyond: Figures, rule: str) -> None:
    assert difference([RUN], [within]) is None
    found = difference([RUN], [beyond])
    assert found is not None
    assert found.rule == rule
    assert "\n" not in found.message


def test_of_one_flow_that_differs_several_starts_are_compared() -> None:
    """The receiver's clock of milliseconds decides where its window opens."""
    assert difference([RUN, beside(slow_start=(0.7, 130.0))], [beside(slow_start=(0.65, 120.0))]) is None
    # where slow start ends in one world at some starts, it may or may not end in the other
    assert difference([RUN, beside(slow_start=None)], [beside(slow_start=None)]) is None


@pytest.mark.parametrize(
    ("ends_s", "runs", "verdict"),
    [((0.5, 0.5, 0.5, 0.5, 0.5), 1, "held"), ((0.9, 0.8, 0.5, 0.8, 0.9), 5, "held"), ((0.9,) * 5, 5, "failed")],
)
def test_one_flow_runs_again_at_later_starts_where_it_differs(
    ends_s: tuple[float, ...], runs: int, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the simulator slow start ends at 0.5 s, in the kernel at these times."""
    starts: list[str] = []

    def in_kernel(document: dict[str, Any], *_: object) -> Figures:
        starts.append(document["flow"][0]["start"])
        return beside(slow_start=(ends_s[len(starts) - 1], 100.0))

    monkeypatch.setattr(judge, "_in_kernel", in_kernel)
    monkeypatch.setattr(judge, "figures", lambda _: RUN)
    monkeypatch.setattr(KernelWorld, "__init__", lambda *_: None)
    found = verdict_on(network() | {"duration": "100ms"}, KernelWorld())
    assert found["verdict"] == verdict
    assert starts == ["0ns", "800000ns", "1600000ns", "2400000ns", "3200000ns"][:runs]


def two(share: float, *, lost: int = 0) -> Figures:
    """A run of two flows that together deliver 10 MB."""
    bytes_of_first = round(share * 10_000_000)
    first = replace(FLOW, delivered_bytes=bytes_of_first, lost=(0,) * lost)
    return replace(RUN, flows=(first, replace(FLOW, delivered_bytes=10_000_000 - bytes_of_first)))


def test_of_several_flows_the_ranges_of_several_starts_are_compared() -> None:
    simulated = [two(share, lost=10) for share in (0.30, 0.42, 0.36)]
    assert difference(simulated, simulated[:1]) is None
    # single runs are far apart, the ranges are not
    assert difference(simulated, [two(0.47, lost=10), two(0.70, lost=13)]) is None
    found = difference(simulated, [two(0.48, lost=10), two(0.70, lost=10)])
    assert found == Difference(
        "share",
        "reno-linux, reno-linux: first flow's share: "
        "0.3 to 0.42 in the simulator, 0.48 to 0.7 in the kernel; at most 0.05 apart",
    )
    found = difference(simulated, [two(0.36, lost=17), two(0.36, lost=20)])
    assert found is not None
    assert found.rule == "lost"


def test_transfers_are_compared_by_the_time_that_they_take() -> None:
    both = (beside(completion_s=1.0), beside(completion_s=1.05), beside(completion_s=1.07))
    assert difference([both[0]], [both[1]]) is None
    found = difference([both[0]], [both[2]])
    assert found is not None
    assert found.message == (
        "reno-linux: transfer takes, s: 1 in the simulator, 1.07 in the kernel; at most 0.0535 apart"
    )


# asks for the network, and then for smaller ones: without its last flow, and without its hosts
SCRIPT = f"""\
#!{sys.executable}
import json, sys
if "--version" in sys.argv:
    sys.exit(print("vegaslab-swarm {_vegaslab.version}"))
host = {judge._HOST}
flows = [{{"host": host, "packet": "1500b", "number": int(sys.argv[-1])}}] * 2
for asked in (flows, flows[:1], [{{}}]):
    print(json.dumps({{"document": {{"flow": asked}}}}), flush=True)
    if sys.stdin.readline() != "differs\\n":
        break
    best = asked
print(json.dumps({{"toml": "best = " + str(len(best)) if "best" in globals() else ""}}))
"""


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Judges without runs: networks with odd numbers differ. Returns the numbers judged, each as often as it was."""
    path = tmp_path / "vegaslab-swarm"
    path.write_text(SCRIPT)
    path.chmod(0o755)
    monkeypatch.setattr(swarms, "program", lambda: path)
    monkeypatch.setattr(KernelWorld, "__init__", lambda *_: None)
    monkeypatch.setattr(KernelWorld, "boot", lambda _: None)
    about = {"kernel_build": "6.12", "qemu": "7.2", "files_sha256": "0"}
    monkeypatch.setattr(KernelWorld, "about", property(lambda _: about))
    numbers: list[int] = []

    def verdict(document: dict[str, Any], *_: object) -> dict[str, Any]:
        number = document["flow"][0]["number"]
        numbers.append(number)
        failed = {"verdict": "failed", "check": "lost", "message": f"{number}", "place": "", "traces": {}}
        return {**(failed if number % 2 else {"verdict": "held"}), "compared": ["kernel"]}

    monkeypatch.setattr(judge, "verdict_on", verdict)
    return numbers


def test_findings_are_made_small_and_an_interrupted_judge_goes_on(
    judged: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "s"
    command = ["swarm", "--judge", "kernel", "--networks", "6", "-j", "1", "-o", str(folder), "--json"]
    kept: list[int] = []

    def add_two(there: swarms.Swarm, made: swarms.Made) -> None:
        if len(there.batches) == 2:
            raise KeyboardInterrupt
        add(there, made)
        kept.append(made[0].first)

    add = swarms.Swarm.add
    with monkeypatch.context() as hurried:
        hurried.setattr(swarms.Swarm, "add", add_two)
        assert cli.main(command) == 130
    assert "the same command goes on" in capsys.readouterr().err
    judged.clear()
    assert cli.main(command) == 1
    summary = json.loads(capsys.readouterr().out)
    assert (summary["networks"], summary["held"], summary["failed"]) == (6, 3, 3)
    # those that differ twice, once as they were drawn and once smaller
    assert sorted(judged) == sorted([0, 1, 1, 2, 3, 3, 4, 5, 5][len(kept) + kept.count(1) :])
    found = folder / "findings" / "3-lost.toml"
    assert found.read_text() == "# network 3 of seed 1: lost\n# 3\nbest = 1"
    assert cli.main([*command[:-1], "--seed", "2"]) == 2


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--kernel", "6.12"], "--kernel: goes with --judge kernel"),
        (["--judge", "kernel", "--relation", "twice"], "--relation: goes without --judge"),
        (["--judge", "kernel", "--on", "tcp://10.0.0.1:8786"], "--judge: goes with --on local"),
    ],
)
def test_options_that_do_not_go_together(
    options: list[str], line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "find", lambda _: pytest.fail("a kernel was looked for"))
    assert cli.main(["swarm", *options]) == 2
    assert line in capsys.readouterr().err


def network(**flow: object) -> dict[str, Any]:
    host = {**judge._HOST, "sack": True, "timestamps": False, "receive_window": 1_048_576}
    link = {"rate": "10mbit", "delay": "10ms", "queue": "30p"}
    return {
        "name": "both",
        "duration": "2s",
        "sample": "off",
        "topology": {"kind": "dumbbell", "access": {"rate": "1gbit", "delay": "500us"}, "bottleneck": link},
        "flow": [{"algorithm": "reno-linux", "packet": "1500b", "initial_window": 10, "host": host, **flow}],
    }


def test_a_segment_has_room_for_the_time_stamps_that_its_host_has_by_default() -> None:
    """A network that is made small may lose the key."""
    stamped = [
        figures(run_checked(load(network(host=host)))) for host in (judge._HOST, {**judge._HOST, "timestamps": True})
    ]
    assert [run.segment_bytes for run in stamped] == [(1448,), (1448,)]
    assert figures(run_checked(load(network()))).segment_bytes == (1460,)


@whole
def test_both_worlds_agree_and_a_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reno's slow start loses 51 segments. With another first window in one world, both differ."""
    world = KernelWorld()
    assert verdict_on(network(), world) == {"verdict": "held", "compared": ["kernel"]}
    refused = verdict_on(network(algorithm="ledbat"), world)
    assert refused["verdict"] == "refused"
    simulated = run_checked(load(network(initial_window=2)))
    monkeypatch.setattr(judge, "run_checked", lambda *_, **__: simulated)
    found = verdict_on(network(), world)
    assert (found["verdict"], found["check"]) == ("failed", "slow_start")


@whole
def test_two_flows_agree_over_several_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of Vegas, of which one joins later. With Reno in their place in one world, both differ."""
    vegas = network(algorithm="vegas-linux")["flow"][0]
    document = network() | {"flow": [vegas, vegas | {"start": "200ms"}]}
    world = KernelWorld()
    assert verdict_on(document, world) == {"verdict": "held", "compared": ["kernel"]}
    monkeypatch.setattr(judge, "_RULE_OF_MODULE", {"vegas-linux": "reno-linux"})
    found = verdict_on(document, world)
    assert (found["verdict"], found["check"]) == ("failed", "slow_start")


@whole
def test_a_transfer_ends_when_its_last_data_are_acknowledged() -> None:
    """Its last segment is short, and acknowledged when it is read; a FIN in it would delay that by 40 ms."""
    scenario = load(network(host=judge._HOST, size="20000b"))
    simulated, real = (run.summary["flows"][0] for run in (run_checked(scenario), KernelWorld().run(scenario, Path())))
    assert real["completion_s"] == pytest.approx(simulated["completion_s"], abs=0.001)


@whole
def test_a_receiver_that_tunes_its_window_reads_as_data_come() -> None:
    """Else the kernel acknowledges when the data are read: by intervals of 20 ms, 16 segments at once."""
    document = network(host={**judge._HOST, "receive_window": "linux"}) | {"sample": "change"}
    result = KernelWorld().run(load(document), Path())
    ended = result.summary["flows"][0]["slow_start_end_s"]
    rows = [row for row in result.series["flows"].to_pylist() if row["time_s"] < ended]
    steps = [after["cwnd_segments"] - before["cwnd_segments"] for before, after in pairwise(rows)]
    assert len(steps) > 40
    assert max(steps) <= 4


@whole
def test_slow_start_ends_with_the_recovery_that_answers_its_loss() -> None:
    """Twenty segments into a queue of five: in the recovery few segments are in flight, and the kernel's window is then
    below the threshold, 22.
    """
    document = network(algorithm="scalable", initial_window=20) | {"duration": "100ms"}
    link = document["topology"]["bottleneck"] | {"rate": "39500kbit", "delay": "1850us", "queue": "5p"}
    document["topology"]["bottleneck"] = link
    summary = KernelWorld().run(load(document), Path()).summary
    assert summary["flows"][0]["cwnd_at_slow_start_end"] == pytest.approx(25, abs=2)


@whole
def test_a_window_that_never_limits_has_each_segment_acknowledged() -> None:
    """The receiver's window grows with each; with a buffer of 64 MiB it stopped after 2,900 segments, and every second
    one was acknowledged.
    """
    document = network(size="5mb") | {"duration": "10s", "sample": "change"}
    rows = KernelWorld().run(load(document), Path()).series["flows"].to_pylist()
    acked = [row["acked_bytes"] // 1460 for row in rows[-200:]]
    assert [after - before for before, after in pairwise(acked)].count(2) < 10

"""Limits on memory, and signals, in every phase of a run."""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import vegaslab as package
from tests.conftest import SHORT, TIMEOUT_S, Command, cpu_s, ended_cpu_s, prepared
from vegaslab.util import memory

CAPTURE = ("--set", "capture=true", "--set", "duration=60s")


def limited(done: subprocess.CompletedProcess[str], folder: Path) -> None:
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "memory limit of 10000000 bytes reached; nothing was written; --memory SIZE" in done.stderr
    assert list(folder.iterdir()) == []


def test_a_run_that_would_take_too_much_ends_in_one_line(vegaslab: Command, short: Path, here: Path) -> None:
    limited(vegaslab("run", short, *CAPTURE, "--memory", "10mb"), here)


def test_a_million_flows_are_refused_before_they_are_made(vegaslab: Command, short: Path, here: Path) -> None:
    limited(vegaslab("run", short, "--set", "flow.0.count=100000", "--memory", "10mb"), here)


def test_compare_shares_its_memory(vegaslab: Command, short: Path, here: Path) -> None:
    done = vegaslab("compare", short, *CAPTURE, "-a", "vegas", "-a", "reno", "--memory", "20mb")
    limited(done, here)


def test_runs_over_seeds_share_their_memory(vegaslab: Command, short: Path, here: Path) -> None:
    done = vegaslab("compare", short, *CAPTURE, "-a", "vegas", "--seeds", "2", "--memory", "10mb")
    limited(done, here)


@pytest.mark.parametrize("size", ["much", "0gb", "4", "4GB"])
def test_a_bad_size_is_named(vegaslab: Command, short: Path, size: str) -> None:
    done = vegaslab("run", short, "--memory", size)
    assert done.returncode == 2
    assert size in done.stderr.splitlines()[-1]
    assert "memory" in done.stderr.splitlines()[-1]


def test_python_says_the_same() -> None:
    with pytest.raises(package.LimitError, match="memory limit of 10000000 bytes reached"):
        package.run(SHORT, set={"capture": "true", "duration": "60s"}, memory="10mb")
    with pytest.raises(package.LimitError):
        package.compare(SHORT, ["vegas"], set={"capture": "true", "duration": "60s"}, memory=10_000_000)
    with pytest.raises(ValueError, match="such as"):
        package.run(SHORT, memory="much")
    limited_enough, unlimited = (package.run(SHORT, memory=size).summary for size in ("100mb", None))
    assert {**limited_enough, "wall_s": 0} == {**unlimited, "wall_s": 0}


def test_what_is_wrong_in_python_is_an_error_of_the_scenario() -> None:
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"x": deep}
    cyclic: list[object] = []
    cyclic.append(cyclic)
    with pytest.raises(package.ScenarioError, match="dict: maximum recursion depth"):
        package.run(deep)
    with pytest.raises(package.ScenarioError, match="set: maximum recursion depth"):
        package.run(SHORT, set={"flow": cyclic})
    for given in ({1: 2}, [1], 5):
        with pytest.raises(package.ScenarioError, match=r"^set: "):
            package.run(SHORT, set=given)  # type: ignore[arg-type]
    assert memory.memory_bytes(10**30) == 2**63


@pytest.mark.parametrize("arguments", [["run"], ["check"], ["sweep"], ["run", "gallop-50mbit", "--algorithm-file"]])
def test_files_without_end_are_refused(vegaslab: Command, arguments: list[str], here: Path) -> None:
    (here / "endless.py").symlink_to("/dev/zero")
    done = vegaslab(*arguments, "endless.py")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert "endless.py: has more than 100000000 bytes; " in done.stderr


def test_half_of_the_memory_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < memory.memory_bytes(None) <= whole // 2
    monkeypatch.setattr(resource, "getrlimit", lambda _: (3_000_000, 3_000_000))
    assert memory.memory_bytes(None) == 1_000_000
    assert memory.memory_bytes(None, runs=4) == 250_000


def test_runs_without_number_are_refused(vegaslab: Command, short: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('scenario = "short.toml"\nreplications = 1000000000\n')
    done = vegaslab("sweep", plan)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "plan.toml:2: replications: 1 cells with 1000000000 seeds each are more than 10000000 runs" in done.stderr
    done = vegaslab("compare", short, "-a", "vegas", "-a", "reno", "--seeds", "1000000000")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "50000 at most" in done.stderr


def many_flows(folder: Path) -> Path:
    path = folder / "many.json"
    flows = [{"algorithm": "vegas", "count": 100_000}] * 3
    link = {"rate": "1gbit", "delay": "1ms"}
    topology = {"kind": "dumbbell", "access": link, "bottleneck": {**link, "queue": "100p"}}
    document = {"name": "many", "duration": "1s", "sample": "off", "flow": flows, "topology": topology}
    path.write_text(json.dumps(document))
    return path


def test_setting_up_listens_to_signals(here: Path, tmp_path: Path) -> None:
    """From Python: Ctrl-C as the run first reports; what the run computes does not matter."""
    source = f"""
import os, signal, time
from vegaslab.runs import result
from vegaslab.scenario import source
scenario = source.load({str(many_flows(tmp_path))!r})
at = [time.process_time()]
def interrupt(reached_s):
    at.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)
try:
    result.run_checked(scenario, interrupt)
except KeyboardInterrupt:
    print(time.process_time() - at[1], at[0])
"""
    done = subprocess.run([sys.executable, "-c", source], cwd=here, capture_output=True, text=True, check=True)
    # without looks between it would be the CPU time that the set-up takes, which is more than that of the reading
    end_s, reading_s = map(float, done.stdout.split())
    assert end_s < 0.5 + reading_s


def test_a_signal_while_a_scenario_is_read_ends_the_command(here: Path, tmp_path: Path) -> None:
    says_so = (
        "from vegaslab import _vegaslab; load = _vegaslab.load;"
        " _vegaslab.load = lambda *given: (print('reading', flush=True), load(*given))[1]"
    )
    command = prepared(says_so, ["run", many_flows(tmp_path), "--memory", "100gb"])
    before_s = ended_cpu_s()
    with subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "reading\n"
        at_signal_s = cpu_s(process)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=TIMEOUT_S)
    assert ended_cpu_s() - before_s - at_signal_s < 1 + at_signal_s
    assert process.returncode == 130, stderr
    assert stderr.splitlines()[-1] == "vegaslab: interrupted; nothing was written"
    assert list(here.iterdir()) == []

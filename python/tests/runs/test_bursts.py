"""Limits and signals hold in the middle of events that send very many segments."""

import json
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import vegaslab as package
from tests.conftest import TIMEOUT_S

LIMIT_BYTES = 100_000_000
PROCESS_BYTES = 90_000_000
"""What the command takes without a run, with libraries."""

HANG = """\
name = "hang"
duration = "8s"
sample = "off"
[topology]
kind = "dumbbell"
access = { rate = "31250kbit", delay = "6.5ms", queue = "1p" }
bottleneck = { rate = "250mbit", delay = "6.5ms", queue = "unlimited" }
[[flow]]
algorithm = "yeah"
host = "bsd"
receiver = { misbehaves = "optimistic-acks", ahead = 63 }
"""
"""A receiver that acknowledges what has not arrived makes the sender send its whole window at each acknowledgement."""

BURST = ["sample=off", "topology.access.queue=1p", "flow.0.initial_window=1048576"]
OPENS = '[{kind="poisson-transfers",interarrival="1ns",size="1gb",flow={algorithm="reno"}}]'
MANY = {
    "starts of 100 flows": [*BURST, "flow.0.count=100"],
    "starts over QUIC": [*BURST, "flow.0.count=30", 'flow.0.transport="quic"', 'flow.0.packet="1500b"'],
    "a connection a nanosecond": ["sample=off", f"traffic={OPENS}"],
}


def run_limited(arguments: list[str], folder: Path, addresses_bytes: int) -> tuple[int, str, int]:
    """Runs the command with limits; returns its exit code, its stderr and its greatest resident memory, bytes."""
    program = f"import resource, sys; resource.setrlimit(resource.RLIMIT_AS, ({addresses_bytes},) * 2)"
    program += "\nfrom vegaslab.commands.cli import main"
    # not what wait4 says: a child counts what its parent had resident when it began, too
    program += "\ntry: sys.exit(main())"
    program += "\nfinally: open('status', 'w').write(open('/proc/self/status').read())"
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    (peak,) = re.findall(r"^VmHWM:\s*(\d+) kB$", (folder / "status").read_text(), re.MULTILINE)
    peak_bytes = int(peak) * 1024
    print(f"{arguments[:2]}: peak of {peak_bytes / 1e6:.0f} MB")
    return done.returncode, done.stderr, peak_bytes


def check_peak(code: int, stderr: str, peak_bytes: int) -> None:
    assert (code, len(stderr.splitlines())) == (1, 1), stderr
    assert f"memory limit of {LIMIT_BYTES} bytes reached" in stderr
    assert peak_bytes < 1.2 * LIMIT_BYTES + 50_000_000 + PROCESS_BYTES, peak_bytes


@pytest.mark.parametrize("what", MANY)
def test_one_event_stays_within_the_memory(what: str, here: Path) -> None:
    sets = [option for value in MANY[what] for option in ("--set", value)]
    command = ["run", "gallop-50mbit", "--json", "--memory", "100mb", *sets]
    check_peak(*run_limited(command, here, 3 * 10**9))


@pytest.mark.parametrize("preset", ["yeah", "htcp", "illinois", "westwood", "fast", "cubic-linux", "lp", "nv", "bbr3"])
def test_acknowledgements_of_what_was_not_sent_stay_within_the_memory(preset: str, here: Path) -> None:
    (here / "hang.toml").write_text(HANG.replace("yeah", preset))
    command = ["run", "hang.toml", "--json", "--memory", "100mb"]
    code, stderr, peak_bytes = run_limited(command, here, 3 * 10**9)
    if code == 1:
        check_peak(code, stderr, peak_bytes)
    assert peak_bytes < 1.2 * LIMIT_BYTES + 50_000_000 + PROCESS_BYTES, peak_bytes


RECEIVERS: dict[str, dict[str, object] | None] = {
    "keeps the rules": None,
    "acknowledges ahead": {"misbehaves": "optimistic-acks", "ahead": 63},
    "acknowledges in parts": {"misbehaves": "ack-division", "parts": 64},
    "repeats acknowledgements": {"misbehaves": "dupack-spoofing"},
}
SMALL_BYTES = 20_000_000

PEAKS = """
import json, re, resource, sys
from pathlib import Path

import vegaslab
from vegaslab import _vegaslab

def kilobytes(key):
    return int(re.search(key + r":\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])

transport, receiver, limit_bytes = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_AS, (3 * 10**9,) * 2)
link = {"rate": "31250kbit", "delay": "6.5ms", "queue": "1p"}
for preset in [about["name"] for about in _vegaslab.algorithms()]:
    flow = {"algorithm": preset, "initial_window": 1048576, "packet": "1500b", "transport": transport}
    flow |= {"receiver": receiver} if receiver else {}
    topology = {"kind": "dumbbell", "access": link, "bottleneck": link | {"rate": "250mbit", "queue": "unlimited"}}
    document = {"name": "burst", "duration": "50ms", "sample": "off", "topology": topology, "flow": [flow] * 2}
    for engine in ("fast", "reference"):
        Path("/proc/self/clear_refs").write_text("5")
        before = kilobytes("VmRSS")
        try:
            vegaslab.run(document, memory=limit_bytes, engine=engine)
            ended = "done"
        except vegaslab.LimitError:
            ended = "limit"
        except vegaslab.ScenarioError as error:
            ended = str(error)
        print(json.dumps([preset, engine, ended, (kilobytes("VmHWM") - before) * 1024]))
"""
"""Runs each preset on both engines; prints how it ended, and the memory that it took above that of before."""


@pytest.mark.parametrize(
    ("transport", "receiver"), [*(("tcp", receiver) for receiver in RECEIVERS), ("quic", "keeps the rules")]
)
def test_every_preset_stays_within_the_memory(transport: str, receiver: str) -> None:
    """Receivers of QUIC keep the rules."""
    command = [sys.executable, "-c", PEAKS, transport, json.dumps(RECEIVERS[receiver]), str(SMALL_BYTES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    refused = {preset: ended for preset, _, ended, _ in rows if ended not in ("done", "limit")}
    print(f"{transport}, {receiver}: {max(row[3] for row in rows) / 1e6:.0f} MB at most; refused: {refused}")
    assert any(ended == "limit" for _, _, ended, _ in rows)
    assert [row for row in rows if row[3] > 1.2 * SMALL_BYTES + 50_000_000] == []


def test_a_cell_fails_alone(here: Path) -> None:
    (here / "hang.toml").write_text(HANG)
    plan = package.Plan(
        str(here / "hang.toml"),
        grid={"flow.0.max_window": [20, 1048576]},
        limits={"memory": "100mb"},
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = package.sweep(plan, here / "sweep", jobs=1)
    assert done.failed == 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 170_000
    errors = package.read_runs(here / "sweep")["error"].to_pylist()
    assert errors == [None, "memory limit of 100000000 bytes reached"]


OWN = "class Mine:\n    window = 1\n    def __init__(self, start): ...\n    def on_ack(self, ack): ...\n"
OWN += "    def on_loss(self, loss): ...\n"


@pytest.mark.parametrize("transport", ["tcp", "quic"])
def test_a_signal_is_answered_within_an_event(transport: str, here: Path) -> None:
    """From Python: Ctrl-C in the first events. A run that calls Python is waited for until it stops."""
    (here / "mine.py").write_text(OWN)
    document = {
        "name": "signal",
        "duration": "5s",
        "sample": "off",
        "topology": {
            "kind": "dumbbell",
            "access": {"rate": "1gbit", "delay": "1ms", "queue": "1p"},
            "bottleneck": {"rate": "50mbit", "delay": "48ms", "queue": "100p"},
        },
        "flow": [
            {"algorithm": {"python": str(here / "mine.py")}, "start": "4s"},
            {"algorithm": "reno", "initial_window": 1048576, "count": 20, "transport": transport},
        ],
    }
    source = f"""
import os, signal, time
from vegaslab.runs import result
from vegaslab.scenario import source
scenario = source.load({document!r})
at = []
def interrupt(reached_s):
    at.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)
try:
    result.run_checked(scenario, interrupt)
except KeyboardInterrupt:
    print(time.process_time() - at[0])
"""
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=here, capture_output=True, text=True, check=True, timeout=TIMEOUT_S
    )
    print(f"{transport}: {float(done.stdout):.3f} s after the signal")
    assert float(done.stdout) < 0.3

"""Algorithms of one's own in Python: they decide what presets decide, everywhere presets run, and fail in one line."""

import contextlib
import io
import json
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import vegaslab
from documentation import ROOT
from tests.scenario.test_link import link
from vegaslab import _vegaslab
from vegaslab.commands.cli import main
from vegaslab.runs.result import Result

EXAMPLES = ROOT / "examples" / "own-algorithm"
PAGE = ROOT / "docs" / "own-algorithm.md"

# `make test-modules` names a folder with modules built from their sources just now
BUILT = os.environ.get("MODULES")
PRESETS = Path(BUILT) if BUILT else EXAMPLES / "modules"
HARMFUL = Path(BUILT) if BUILT else Path(__file__).parent / "wasm"

RENO = {"python": str(EXAMPLES / "reno.py"), "preset": "reno"}
MODULES = [
    (preset, {"wasm": str(file), "name": preset.title(), "preset": preset})
    for preset in ("reno", "vegas")
    for file in sorted(PRESETS.glob(f"{preset}-*.wasm"))
]
VEGAS = {"python": str(EXAMPLES / "vegas.py:Vegas"), "preset": "vegas"}


def tables(result: Result) -> dict[str, pyarrow.Table]:
    """All tables; the algorithm's name is its own, and so is the group's, which is called after it."""
    return {
        "flows": result.flows.drop_columns(["algorithm", "group"]),
        "links": result.links,
        "traffic": result.traffic,
        "flow_series": result.series.flows,
        "link_series": result.series.links,
        "incidents": result.incidents,
    }


@pytest.mark.parametrize(("preset", "own"), [("reno", RENO), ("vegas", VEGAS), *MODULES])
@pytest.mark.parametrize(
    "scenario",
    [
        "gallop-50mbit-queue30",
        "burst-loss",
        "lossy",
        "rovegas-eight-flows",
        "changing-network",
        "managed-queue-ecn",
        "parking-lot",
        "short-transfers",
    ],
)
def test_a_copy_of_a_preset_gives_its_results(scenario: str, preset: str, own: dict[str, str]) -> None:
    copy = vegaslab.run(scenario, algorithm=own, set=recorded(scenario))
    assert copy.flows["algorithm"][0].as_py() == preset.title()
    for (name, table), other in zip(tables_of_preset(scenario, preset).items(), tables(copy).values(), strict=True):
        assert table.equals(other), name


@cache
def tables_of_preset(scenario: str, preset: str) -> dict[str, pyarrow.Table]:
    return tables(vegaslab.run(scenario, algorithm=preset, set=recorded(scenario)))


def recorded(scenario: str) -> dict[str, Any]:
    """Everything is recorded; two scenarios go on after 20 s as they did before."""
    first = {"duration": "20s"} if scenario in ("gallop-50mbit-queue30", "parking-lot") else {}
    return {"sample": "change", "capture": True, **first}


@pytest.mark.parametrize("preset", ["reno", "vegas"])
def test_a_linux_host_takes_losses_back(preset: str) -> None:
    """It copies the control before each loss, and gives the copy back if the loss was none."""
    change = {"topology.bottleneck.reorder": {"probability": "1%", "delay": "20ms"}, "flow.0.host": "linux"}
    parts = {"fine_retransmit": False, "recheck_after_retransmit": False, "burst": "none"}
    own = {**(RENO if preset == "reno" else VEGAS), **parts}
    both = [{"preset": preset, **parts}, own]
    one, other = (vegaslab.run("gallop-50mbit", set={**change, "flow.0.algorithm": each}) for each in both)
    assert sum(one.flows["segments_retransmitted"].to_pylist()) > 0
    assert tables(one).keys() == tables(other).keys()
    assert all(table.equals(tables(other)[name]) for name, table in tables(one).items())


def test_reno_is_short() -> None:
    assert (EXAMPLES / "reno.py").read_text().count("\n") <= 40


HOSTILE = {"wasm": str(HARMFUL / "hostile.wasm")}


@pytest.mark.parametrize(
    ("harm", "line"),
    [
        (2, "hostile.wasm: on_ack at 0.10018304 s: all fuel consumed"),
        (3, "hostile.wasm: on_ack at 0.10018304 s: wasm `unreachable` instruction executed"),
        (4, "hostile.wasm: on_ack at 0.10018304 s: out of bounds memory access"),
        (5, "hostile.wasm: start at 0 s: start gave the address 2147483647, beyond the memory"),
    ],
)
def test_a_module_does_no_harm(harm: int, line: str) -> None:
    """One that does not end, takes memory, writes beyond it, or has its outputs there."""
    with pytest.raises(vegaslab.AlgorithmError, match=re.escape(line)):
        vegaslab.run("gallop-50mbit", algorithm=HOSTILE, set={"flow.0.initial_window": harm})


class Told:
    """As `wasm/told.c`: the handshake is its base RTT, segments lost its backlog, ends of recovery its threshold."""

    def __init__(self, start: _vegaslab.Start) -> None:
        assert start.max_window > 20
        self.window, self.ssthresh, self.diff = 20, 0, 0
        self.base_rtt_ns: int | None = None

    def on_handshake(self, now_ns: int, rtt_ns: int) -> None:
        assert now_ns >= rtt_ns
        self.base_rtt_ns = rtt_ns

    def on_segment_lost(self, lost: _vegaslab.LostSegment) -> None:
        assert 0 < lost.lost <= lost.in_flight
        self.diff += 1

    def on_recovered(self, now_ns: int) -> None:
        self.ssthresh += 1
        assert now_ns > 0

    def on_ack(self, ack: _vegaslab.Ack) -> None:
        pass

    def on_loss(self, loss: _vegaslab.Loss) -> None:
        pass


MODULE = {"wasm": str(HARMFUL / "told.wasm")}


@pytest.mark.parametrize("host", ["bsd", "linux"])
def test_handshakes_and_lost_segments_are_told(host: str) -> None:
    sack = {"flow.0.recovery": "sack"} if host == "bsd" else {}
    change = {"flow.0.host": host, **sack, "topology.bottleneck.loss": "1%", "duration": "20s"}
    one, other = (vegaslab.run("lossy", set={**change, "flow.0.algorithm": own}).series.flows for own in (Told, MODULE))
    assert one.equals(other)
    last = [row for row in one.to_pylist() if row["flow"] == 0][-1]
    assert last["diff_segments"] > 10
    assert (last["base_rtt_ms"] is not None) == (host == "linux")


def test_a_window_is_held_between_its_bounds() -> None:
    run = vegaslab.run("gallop-50mbit", algorithm=HOSTILE, set={"flow.0.initial_window": 6, "duration": "2s"})
    assert run.series.flows["cwnd_segments"].to_pylist()[-1] == 1.0


def test_a_module_imports_nothing(tmp_path: Path) -> None:
    header, types = b"\0asm\1\0\0\0", b"\1\4\1\x60\0\0"
    (tmp_path / "clock.wasm").write_bytes(header + types + b"\2\x0d\1\3env\5clock\0\0")
    with pytest.raises(vegaslab.ScenarioError, match=r"clock\.wasm: imports env\.clock; an algorithm imports nothing"):
        vegaslab.run("gallop-50mbit", algorithm=str(tmp_path / "clock.wasm"))
    (tmp_path / "empty.wasm").write_bytes(header)
    with pytest.raises(vegaslab.ScenarioError, match=r"empty\.wasm: exports no memory"):
        vegaslab.run("gallop-50mbit", algorithm=str(tmp_path / "empty.wasm"))
    (tmp_path / "text.wasm").write_text("(module)")
    with pytest.raises(vegaslab.ScenarioError, match=r"text\.wasm: is no WebAssembly module"):
        vegaslab.run("gallop-50mbit", algorithm=str(tmp_path / "text.wasm"))


class Fixed:
    """A class that a program gives by itself."""

    def __init__(self, start: _vegaslab.Start) -> None:
        self.start = start
        self.window = 20.0

    def on_ack(self, ack: _vegaslab.Ack) -> None:
        """Nothing."""

    def on_loss(self, loss: _vegaslab.Loss) -> None:
        """Nothing."""


def write(folder: Path, on_ack: str, more: str = "") -> str:
    file = folder / "mine.py"
    file.write_text(
        f"import random, time\n\nclass Mine:\n{more}    def __init__(self, start):\n        self.window = 5\n"
        f"    def on_ack(self, ack):\n        {on_ack}\n    def on_loss(self, loss):\n        pass\n"
    )
    return str(file)


def test_a_class_runs_wherever_a_preset_does(tmp_path: Path) -> None:
    short = {"duration": "5s"}
    one = vegaslab.run("gallop-50mbit", algorithm=Fixed, set=short)
    assert set(one.series.flows["cwnd_segments"].to_pylist()) == {20.0}
    assert vegaslab.run("gallop-50mbit", set={**short, "flow.0.algorithm": Fixed}).flows.equals(one.flows)
    flow = vegaslab.Flow(algorithm=Fixed).to_dict()  # type: ignore[arg-type]
    assert flow["algorithm"] == {"python": f"{Path(__file__).absolute()}:Fixed"}
    comparison = vegaslab.compare("gallop-50mbit", ["vegas", Fixed], set=short)
    assert list(comparison) == ["vegas", "Fixed"]
    plan = vegaslab.Plan("gallop-50mbit", grid={"flow.0.algorithm": ["vegas", Fixed], "duration": ["5s"]})
    vegaslab.sweep(plan, tmp_path / "sweep", jobs=2)
    rows = vegaslab.read_runs(tmp_path / "sweep")
    assert rows["flow.0.goodput_mbps"].to_pylist()[1] == one.flows["goodput_mbps"][0].as_py()


def test_the_run_id_follows_the_file(tmp_path: Path) -> None:
    mine = write(tmp_path, "pass")
    plan = vegaslab.Plan("gallop-50mbit", grid={"flow.0.algorithm": [{"python": mine}], "duration": ["1s"]})

    def made() -> int:
        return vegaslab.sweep(plan, tmp_path / "sweep").made

    assert (made(), made()) == (1, 0)
    write(tmp_path, "self.window = 6")
    assert made() == 1
    folder = vegaslab.run("gallop-50mbit", algorithm=mine, set={"duration": "1s"}).write(tmp_path / "run")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert list(manifest["algorithms"]) == [mine]


def test_the_run_id_does_not_follow_the_folder(tmp_path: Path) -> None:
    ids = []
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        mine = write(tmp_path / name, "pass")
        folder = vegaslab.run("gallop-50mbit", algorithm=mine, set={"duration": "1s"}).write(tmp_path / name / "run")
        ids.append(json.loads((folder / "manifest.json").read_text())["run_id"])
    assert ids[0] == ids[1]


@pytest.mark.parametrize(
    ("on_ack", "line"),
    [
        ("1 / 0", "mine.py:7: on_ack at 0.100183 s: ZeroDivisionError: division by zero"),
        (
            "self.window = -1",
            "mine.py:6: on_ack at 0.100183 s: ValueError: window is -1; a finite number, not negative",
        ),
        (
            "self.window = 'x'",
            "mine.py:6: on_ack at 0.100183 s: ValueError: window is x; a finite number, not negative",
        ),
        ("del self.window", "mine.py:6: on_ack at 0.100183 s: AttributeError: 'Mine' object has no attribute 'window'"),
        ("self.window = float('nan')", "mine.py:6: on_ack at 0.100183 s: ValueError: window is nan"),
    ],
)
def test_what_fails_is_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], on_ack: str, line: str
) -> None:
    mine = write(tmp_path, on_ack)
    with pytest.raises(vegaslab.AlgorithmError, match=re.escape(line)):
        vegaslab.run("gallop-50mbit", algorithm=mine)
    monkeypatch.chdir(tmp_path)
    assert main(["run", "gallop-50mbit", "--algorithm-file", "mine.py", "-o", "out"]) == 1
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert line in error
    assert not (tmp_path / "out").exists()
    plan = vegaslab.Plan("gallop-50mbit", grid={"flow.0.algorithm": [{"python": mine}], "duration": ["1s"]})
    assert vegaslab.sweep(plan, tmp_path / "sweep").failed == 1


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("class Mine\n", "mine.py:1: expected ':'"),
        ("import nothing_of_that_name\n", "mine.py:1: ModuleNotFoundError: No module named 'nothing_of_that_name'"),
        ("x = 1\n", "mine.py: has no class with on_ack and on_loss"),
        ("class Mine:\n    def on_ack(self, ack): ...\n", "mine.py: has no class with on_ack and on_loss"),
    ],
)
def test_a_file_is_checked_before_the_run(tmp_path: Path, text: str, line: str) -> None:
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(vegaslab.ScenarioError, match=re.escape(line)):
        vegaslab.run("gallop-50mbit", algorithm=str(tmp_path / "mine.py"))


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("base_rtt_ns", "1e8", "base_rtt_ns is 100000000.0; a whole number of nanoseconds, not negative, or None"),
        ("base_rtt_ns", "-1", "base_rtt_ns is -1; a whole number"),
        ("diff", "0.5", "diff is 0.5; a whole number of segments, or None"),
        ("diff", "1 << 40", "diff is 1099511627776; a whole number"),
        ("ssthresh", "'x'", "ssthresh is x; a finite number"),
        ("pace", "'x'", "pace is x; a finite number"),
    ],
)
def test_a_wrong_attribute_is_named(tmp_path: Path, name: str, value: str, line: str) -> None:
    (tmp_path / "mine.py").write_text(
        f"class Mine:\n    def __init__(self, start):\n        self.window, self.{name} = 5, {value}\n"
        "    def on_ack(self, ack): ...\n    def on_loss(self, loss): ...\n"
    )
    with pytest.raises(vegaslab.AlgorithmError, match=re.escape(f"__init__ at 0 s: ValueError: {line}")):
        vegaslab.run("gallop-50mbit", algorithm=str(tmp_path / "mine.py"), set={"duration": "1s"})


def test_needs_are_checked_before_the_run(tmp_path: Path) -> None:
    with pytest.raises(vegaslab.ScenarioError, match='needs: "speed" was given'):
        vegaslab.run("gallop-50mbit", algorithm=write(tmp_path, "pass", '    needs = ("speed",)\n'))
    rates = write(tmp_path, "assert ack.rate is None or ack.rate.delivered > 0", '    needs = ("rate",)\n')
    vegaslab.run("gallop-50mbit", algorithm=rates, set={"duration": "2s"})


@pytest.mark.parametrize("method", ["async def on_ack(self, ack): ...", "def on_ack(self, ack): yield"])
def test_methods_that_would_run_later_are_refused(tmp_path: Path, method: str) -> None:
    text = f"class Mine:\n    window = 2\n    {method}\n    def on_loss(self, loss): ...\n"
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(vegaslab.ScenarioError, match="on_ack would not run when it is called"):
        vegaslab.run("gallop-50mbit", algorithm=f"{tmp_path / 'mine.py'}:Mine")


def test_needs_without_end_are_read_to_an_end(tmp_path: Path) -> None:
    mine = write(tmp_path, "pass", '    import itertools\n    needs = itertools.repeat("rate")\n')
    vegaslab.run("gallop-50mbit", algorithm=mine, set={"duration": "1s"})


@pytest.mark.parametrize("name", ["/elsewhere/abs", "../x", ".", "a/b", "a\x1b[2J"])
def test_a_class_is_named_as_any_algorithm(tmp_path: Path, name: str) -> None:
    mine = write(tmp_path, "pass")
    with Path(mine).open("a") as file:
        file.write(f"\nMine.__name__ = {name!r}\n")
    with pytest.raises(vegaslab.ScenarioError, match=r"is no name; write letters, digits, - _ \+") as refused:
        vegaslab.run("gallop-50mbit", algorithm=mine)
    assert str(refused.value).isprintable()
    table = {"python": mine, "name": "mine-1-2"}
    assert vegaslab.run("gallop-50mbit", algorithm=table, set={"duration": "1s"}).summary


def test_a_terminal_does_not_obey_an_error(tmp_path: Path) -> None:
    mine = write(tmp_path, 'raise ValueError("\\x1b[2J")')
    with pytest.raises(vegaslab.AlgorithmError) as failed:
        vegaslab.run("gallop-50mbit", algorithm=mine)
    assert str(failed.value).endswith(r"ValueError: \x1b[2J")


class Delays:
    """Shows the newest one-way delay as its base RTT."""

    needs: tuple[str, ...] = ("one_way_delay",)

    def __init__(self, start: _vegaslab.Start) -> None:
        self.window = 5 * start.initial_window
        self.base_rtt_ns: int | None = None

    def on_ack(self, ack: _vegaslab.Ack) -> None:
        self.base_rtt_ns = ack.one_way_delay_ns

    def on_loss(self, loss: _vegaslab.Loss) -> None:
        """Nothing."""


def test_one_way_delays_are_told_to_those_that_ask() -> None:
    """With ten segments in flight none waits in the end: the delay is that of links and transmitters."""
    module = {"wasm": str(HARMFUL / "delay.wasm")}
    shown = [
        vegaslab.run("gallop-50mbit", algorithm=each, set={"duration": "3s"}).series.flows["base_rtt_ms"].to_pylist()
        for each in (Delays, module)
    ]
    assert shown[0] == shown[1]
    # 1 ms, 48 ms and 1 ms of propagation; 1000 bytes at 1 Gb/s, 50 Mb/s and 1 Gb/s
    assert shown[0][-1] == pytest.approx(50.176, abs=0.001)
    with pytest.raises(vegaslab.AlgorithmError, match="TypeError"):
        vegaslab.run("gallop-50mbit", algorithm=Unasked)


class Unasked(Delays):
    """Reckons with a delay that it does not ask for."""

    needs = ()

    def on_ack(self, ack: _vegaslab.Ack) -> None:
        self.window = 10 + ack.one_way_delay_ns  # type: ignore[operator]


def test_a_file_that_runs_itself_is_refused(tmp_path: Path) -> None:
    mine = write(tmp_path, "pass")
    with Path(mine).open("a") as file:
        file.write('import vegaslab\nvegaslab.run("gallop-50mbit", algorithm=__file__)\n')
    with pytest.raises(vegaslab.ScenarioError, match="runs a scenario while it is loaded"):
        vegaslab.run("gallop-50mbit", algorithm=mine)


def test_a_second_run_tells_of_chance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "mine.py")
    run = ["run", "gallop-50mbit", "--algorithm-file", file, "--twice", "--set", "duration=5s", "--json"]
    write(tmp_path, "self.window = 5 + random.random()")
    assert main(run) == 1
    assert "gallop-50mbit: a second run differs in flows, " in capsys.readouterr().err
    write(tmp_path, "self.window = 6")
    assert main(run) == 0


def test_a_link_loads_no_file(tmp_path: Path) -> None:
    text = (ROOT / "scenarios" / "gallop-50mbit.toml").read_text()
    mine = write(tmp_path, "pass")
    named = re.sub(r'algorithm = ".*"', f'algorithm = {{ python = "{mine}" }}', text)
    assert vegaslab.run(named, set={"duration": "1s"}).flows["algorithm"][0].as_py() == "Mine"
    with pytest.raises(
        vegaslab.ScenarioError, match=r"flow\.0\.algorithm\.python: a link names no file of this machine"
    ):
        vegaslab.run(link(named))


@pytest.fixture
def shown() -> tuple[str, str]:
    """The page's Python, and what it says that it prints."""
    page = PAGE.read_text()
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    printed = page.split("\nprints\n\n")[1].split("\n\n")[0]
    return code, "".join(f"{line.strip()}\n" for line in printed.splitlines())


def test_the_page_prints_what_it_says(shown: tuple[str, str], tmp_path: Path) -> None:
    code, printed = shown
    file = tmp_path / "page.py"
    file.write_text(code)
    sys.modules.pop("page", None)
    out = io.StringIO()
    sys.path.insert(0, str(tmp_path))
    try:
        with contextlib.redirect_stdout(out):
            __import__("page")
    finally:
        sys.path.remove(str(tmp_path))
    assert out.getvalue() == printed


def test_the_page_shows_the_file() -> None:
    shown = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[0]
    assert (EXAMPLES / "aimd.py").read_text().endswith(shown)


def test_a_table_names_a_file_of_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "self.window += ack.acked / self.window")
    monkeypatch.chdir(tmp_path)
    for table in ('grow={ python = "mine.py:Mine", preset = "vegas" }', '{ python = "mine.py", name = "grow" }'):
        assert list(vegaslab.compare("lossy", [table, "vegas"], set={"duration": "1s"})) == ["grow", "vegas"]
    as_dict = {"python": "mine.py:Mine", "preset": "vegas", "name": "grow"}
    assert list(vegaslab.compare("lossy", [as_dict, "vegas"], set={"duration": "1s"})) == ["grow", "vegas"]
    with pytest.raises(vegaslab.ScenarioError, match=r"other\.py: No such file"):
        vegaslab.compare("lossy", ['{ python = "other.py" }', "vegas"], set={"duration": "1s"})

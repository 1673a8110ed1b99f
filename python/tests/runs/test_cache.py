"""The cache of runs: what it gives is what a run gives, it is never wrong, and it stays small (docs/cache.md)."""

import json
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import vegaslab
from vegaslab import _vegaslab
from vegaslab.commands import cli
from vegaslab.runs.kept import cache as kept
from vegaslab.runs.kept import code
from vegaslab.sweeps.sweep import Local, forecast
from vegaslab.util.store import Store

MINE = """\
class Mine:
    def __init__(self, start):
        self.window = start.initial_window

    def on_ack(self, ack):
        self.window += {gain}

    def on_loss(self, loss):
        self.window = max(self.window / 2, 2)
"""


pytestmark = pytest.mark.usefixtures("cached")


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def without_wall_s(files: dict[str, bytes]) -> dict[str, bytes]:
    manifest = json.loads(files["manifest.json"])
    del manifest["summary"]["wall_s"]
    return files | {"manifest.json": json.dumps(manifest).encode()}


@pytest.mark.parametrize(
    "scenario", ["gallop-50mbit", "lossy", "applications", "quic", "managed-queue-ecn", "short-transfers", "rate-trace"]
)
def test_a_kept_result_is_that_of_a_run_byte_for_byte(scenario: str, tmp_path: Path) -> None:
    short = {"duration": "5s"}
    made, taken = (vegaslab.run(scenario, set=short) for _ in range(2))
    with kept.off():
        again = vegaslab.run(scenario, set=short)
    assert (made.from_cache, taken.from_cache, again.from_cache) == (False, True, False)
    assert (kept.count.made, kept.count.taken) == (1, 1)
    files = [files_of(result.write(tmp_path / str(n), csv=True)) for n, result in enumerate((made, taken, again))]
    assert len(files[0]) > 8
    assert files[0] == files[1]
    assert without_wall_s(files[1]) == without_wall_s(files[2])
    assert made.summary == taken.summary


def test_other_runs_are_not_taken_for_one(short: Path) -> None:
    vegaslab.run(short)
    for other in ({"seed": 2}, {"set": {"duration": "2s"}}, {"algorithm": "cubic"}, {"set": {"sample": "50ms"}}):
        assert not vegaslab.run(short, **other).from_cache
    assert not vegaslab.run(short, engine="reference").from_cache
    assert vegaslab.run(short.read_text()).from_cache
    assert vegaslab.run(short).from_cache


def test_runs_with_captured_packets_are_not_kept(short: Path, tmp_path: Path) -> None:
    for _ in range(2):
        result = vegaslab.run(short, set={"capture": True})
        assert not result.from_cache
        result.write(tmp_path / "captured", pcapng=True)


def test_commands_say_what_they_took(short: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    compare = ["compare", str(short), "-a", "vegas", "-a", "reno", "--no-plot", "-o"]
    said = []
    for number, more in enumerate(([], [], ["-a", "cubic"], ["--no-cache"])):
        assert cli.main([*compare, str(tmp_path / str(number)), *more]) == 0
        said.append(capfd.readouterr())
    line = "vegaslab: {} runs were taken from the cache; --no-cache makes them again\n"
    assert [one.err for one in said] == ["", line.format("2 of 2"), line.format("2 of 3"), ""]
    table = [one.out.replace(str(tmp_path / str(number)), "") for number, one in enumerate(said)]
    assert table[0] == table[1]
    assert files_of(tmp_path / "0") == files_of(tmp_path / "1")


def test_a_run_that_has_to_be_the_same_twice_is_made_twice(cached: Store, short: Path, tmp_path: Path) -> None:
    for _ in range(2):
        assert cli.main(["run", str(short), "--twice", "--no-plot", "-o", str(tmp_path / "twice")]) == 0
    assert cached.size().entries == 0


def test_rows_of_sweeps_are_kept(short: Path, tmp_path: Path) -> None:
    def plan(*queues: str) -> vegaslab.Plan:
        return vegaslab.Plan(short, grid={"topology.bottleneck.queue": [*queues]}, replications=3)

    def swept(name: str, plan: vegaslab.Plan) -> tuple[int, dict[str, bytes]]:
        before = kept.count.taken
        vegaslab.sweep(plan, tmp_path / name)
        return kept.count.taken - before, files_of(tmp_path / name)

    with kept.off():
        _, expected = swept("off", plan("5p", "10p", "bad"))
    assert swept("new", plan("5p", "10p", "bad")) == (0, expected)
    # a run that fails is made again
    assert swept("again", plan("5p", "10p", "bad")) == (6, expected)
    assert swept("more", plan("10p", "20p"))[0] == 3
    assert swept("series", vegaslab.Plan(short, series=["flows"]))[0] == 0
    before = kept.count.taken
    forecast(plan("5p"), tmp_path / "forecast", runner=Local(1))
    assert kept.count.taken == before, "a forecast measures runs"


def test_a_limit_that_makes_runs_fail_counts(short: Path, tmp_path: Path) -> None:
    vegaslab.sweep(vegaslab.Plan(short), tmp_path / "free")
    limited = vegaslab.sweep(vegaslab.Plan(short, limits={"events": 100}), tmp_path / "limited")
    assert (limited.failed, kept.count.taken) == (1, 0)


def test_an_own_algorithm_counts_by_its_content(short: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"

    def run(text: str) -> bool:
        file.write_text(text)
        return vegaslab.run(short, algorithm=f"{file}:Mine").from_cache

    assert [run(MINE.format(gain=gain)) for gain in (0.1, 0.1, 0.2, 0.1)] == [False, True, False, True]


@pytest.mark.parametrize(
    "needs", ["import numpy", "from . import other", "import time", "DATA = open(__file__).read()"]
)
def test_an_own_algorithm_that_needs_more_than_its_file_is_not_kept(needs: str, short: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    text = MINE.format(gain=0.1)
    # within a method, so that nothing has to be there
    file.write_text(text.replace("    def on_loss", f"    def later(self):\n        {needs}\n\n    def on_loss"))
    runs = [vegaslab.run(short, algorithm=f"{file}:Mine") for _ in range(2)]
    assert not any(run.from_cache for run in runs)
    plan = vegaslab.Plan(short, grid={"flow.0.algorithm": [{"python": f"{file}:Mine"}, "vegas"]})
    for name in ("one", "other"):
        assert vegaslab.sweep(plan, tmp_path / name).failed == 0
    assert kept.count.taken == 1


def test_a_class_that_a_program_holds_is_not_kept(short: Path) -> None:
    class Mine:
        gain = 0.1

        def __init__(self, start: _vegaslab.Start) -> None:
            self.window: float = start.initial_window

        def on_ack(self, _ack: object) -> None:
            self.window += self.gain

        def on_loss(self, _loss: object) -> None:
            self.window = max(self.window / 2, 2)

    slow = vegaslab.run(short, algorithm=Mine)
    Mine.gain = 0.5
    fast = vegaslab.run(short, algorithm=Mine)
    assert not fast.from_cache
    assert not fast.flows.equals(slow.flows)


def test_another_build_makes_its_own_runs(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vegaslab.run(short)
    kept._engine.cache_clear()
    # as if the library had been written since this process began
    monkeypatch.setattr(code, "_BEGAN_S", 0)
    assert not vegaslab.run(short).from_cache
    assert vegaslab.run(short).from_cache
    kept._engine.cache_clear()


def test_the_command_shows_and_clears(cached: Store, short: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vegaslab.run(short)
    there = vegaslab.cache()
    # the result, and the digest of the library
    assert (there.entries, there.in_use, there.limit_bytes) == (2, True, 10**9)
    assert there.bytes % 4096 == 0
    assert cli.main(["cache"]) == 0
    assert f"folder   {cached.folder}\nentries  2\n" in capsys.readouterr().out
    assert cli.main(["cache", "clear", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["entries"] == 2
    assert vegaslab.cache().entries == 0
    assert not vegaslab.run(short).from_cache


def test_the_environment_turns_it_off_and_bounds_it(
    short: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(kept.VARIABLE, "off")
    for _ in range(2):
        assert not vegaslab.run(short).from_cache
    assert cli.main(["cache"]) == 0
    assert "VEGASLAB_CACHE=off" in capsys.readouterr().out
    monkeypatch.setenv(kept.VARIABLE, "much")
    assert cli.main(["cache"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("vegaslab: VEGASLAB_CACHE: ")
    assert error.endswith("; or off\n")
    monkeypatch.setenv(kept.VARIABLE, "2gb")
    assert vegaslab.cache().limit_bytes == 2 * 10**9


def test_a_cache_that_cannot_be_written_costs_no_result(
    short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert not vegaslab.run(short).from_cache
    assert not vegaslab.run(short).from_cache


# --- the store ---


def key(number: int) -> str:
    return f"{number * 2654435761 % 2**256:064x}"[::-1]


def test_a_damaged_value_counts_as_missing(tmp_path: Path) -> None:
    store = Store(tmp_path, 10**6)
    store.put(key(1), b"value of one")
    path = store._path(key(1))
    content = path.read_bytes()
    rng = np.random.default_rng(1)
    for _ in range(100):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        assert store.get(key(1)) is None
        assert not path.exists(), "it is removed"
        path.write_bytes(content[: rng.integers(len(content))])
        assert store.get(key(1)) is None
    store.put(key(1), b"value of one")
    # the value of one key under the name of another
    path.rename(store._path(key(1)[:-1] + "f"))
    assert store.get(key(1)[:-1] + "f") is None
    assert store.get(key(1)) is None


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    store = Store(tmp_path, 100 * 4096)
    often, seldom = key(0), key(1)
    store.put(often, b"often")
    store.put(seldom, b"seldom")
    os.utime(store._path(seldom), (1, 1))
    for number in range(2, 400):
        # times of files differ by more than the system's clock
        os.utime(store._path(often), (number, number))
        store.put(key(number), b"")
        os.utime(store._path(key(number)), (number, number))
        assert store.get(often) == b"often"
        os.utime(store._path(often), (number, number))
        assert store.size().bytes <= store.limit_bytes
    assert store.get(seldom) is None
    assert store.size().bytes > store.limit_bytes / 2
    assert store.get(key(399)) == b""


def test_a_value_that_takes_too_much_is_not_kept(tmp_path: Path) -> None:
    store = Store(tmp_path, 10**6)
    store.put(key(1), bytes(10**6 // 16))
    assert store.size().entries == 0


def test_what_a_killed_process_left_is_removed_in_the_end(tmp_path: Path) -> None:
    store = Store(tmp_path, 10**6)
    store.put(key(1), b"one")
    left = store._path(key(1)).with_name(".new-left")
    left.write_bytes(b"half")
    os.utime(left, (0, 0))
    mine = tmp_path / "notes.txt"
    mine.write_text("not a value")
    # whatever the number of written bytes was, it is not believed
    (tmp_path / "written").write_text("many")
    store.put(key(2), b"two")
    assert not left.exists()
    assert (store.get(key(1)), store.get(key(2))) == (b"one", b"two")
    assert store.clear().entries == 2
    assert mine.exists()
    assert store.keys() == set()


def fill(folder: str, first: int) -> int:
    """Puts values, some of which others put too; returns how many of those that it asks for are wrong."""
    store = Store(Path(folder), 60 * 4096)
    wrong = 0
    for number in range(first, first + 200):
        store.put(key(number), f"value {number}".encode())
        found = store.get(key(number - 7))
        wrong += found not in (None, f"value {number - 7}".encode())
    return wrong


def test_many_processes_write_at_a_time(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as processes:
        wrong = list(processes.map(fill, [str(tmp_path)] * 4, [0, 50, 100, 150]))
    assert wrong == [0, 0, 0, 0]
    store = Store(tmp_path, 60 * 4096)
    assert 20 < store.size().entries <= 60
    assert not list(tmp_path.rglob(".new-*"))

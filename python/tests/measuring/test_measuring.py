"""Measured transfers: their order, what is kept of them, and what they come to."""

import csv
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import TIMEOUT_S, Command, interrupted, wait_until
from vegaslab.commands import cli
from vegaslab.measuring import linux
from vegaslab.measuring.campaign import Cell, Journal, Plan, Transfer, measure, table
from vegaslab.measuring.receiver import Limits, Receiver
from vegaslab.statistics import paired_ratio
from vegaslab.util.folder import FolderError

COMMAND = [sys.executable, "-m", "vegaslab", "linux"]
PLAN = Plan(paths=("near", "far"), sizes_bytes=(10, 20), algorithms=("vegas", "gallop"), repeat=3, seed=1)


def made(number: int, cell: Cell, seconds: float = 1.0) -> Transfer:
    """A transfer that took this long."""
    return Transfer(
        number=number,
        path=cell.path,
        size_bytes=cell.size_bytes,
        algorithm=cell.algorithm,
        completion_s=seconds,
        throughput_mbps=cell.size_bytes * 8e-6 / seconds,
        retransmits=0,
        min_rtt_ms=None,
        lateness_p99_us=None,
        trustworthy=None,
    )


def nothing(_number: int, _all: int, _cell: Cell) -> None:
    """No progress is shown."""


def test_each_round_has_all_in_an_order_of_its_own_and_more_rounds_begin_alike() -> None:
    order = PLAN.order()
    rounds = [order[at : at + 8] for at in (0, 8, 16)]
    assert all(set(one) == set(PLAN.cells()) for one in rounds)
    assert len({tuple(one) for one in rounds}) == 3
    longer = Plan(paths=PLAN.paths, sizes_bytes=PLAN.sizes_bytes, algorithms=PLAN.algorithms, repeat=5, seed=1)
    assert longer.order()[:24] == order


def test_what_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    numbers: list[int] = []

    def until_seven(number: int, cell: Cell) -> Transfer:
        if len(numbers) == 7:
            raise KeyboardInterrupt
        numbers.append(number)
        return made(number, cell)

    with pytest.raises(KeyboardInterrupt), Journal(tmp_path, PLAN) as journal:
        measure(PLAN, journal, until_seven, nothing)
    # a crash cut the last line short
    file = tmp_path / "transfers.csv"
    with file.open("a") as out:
        out.write("7,near,10,ve")
    with Journal(tmp_path, PLAN) as again:
        assert [transfer.number for transfer in again.done] == numbers == list(range(7))
        with pytest.raises(FolderError, match="another measurement is writing there"):
            Journal(tmp_path, PLAN)
        measure(PLAN, again, made, nothing)
    with Journal(tmp_path, PLAN) as whole:
        assert [transfer.number for transfer in whole.done] == list(range(24))
    assert [(one.path, one.size_bytes, one.algorithm) for one in again.done] == [
        (cell.path, cell.size_bytes, cell.algorithm) for cell in PLAN.order()
    ]


def test_a_folder_of_another_plan_or_none_is_left_alone(tmp_path: Path) -> None:
    Journal(tmp_path, PLAN).close()
    other = Plan(paths=PLAN.paths, sizes_bytes=(10,), algorithms=PLAN.algorithms, repeat=3, seed=1)
    with pytest.raises(FolderError, match="has transfers of other sizes_bytes"):
        Journal(tmp_path, other)
    other_folder = tmp_path / "other"
    other_folder.mkdir()
    (other_folder / "letter.txt").write_text("dear")
    with pytest.raises(FolderError, match=r"holds files but no plan\.json"):
        Journal(other_folder, PLAN)


def test_ratios_are_of_one_round() -> None:
    """Gallop takes half of Vegas's time in every round, whatever that is: ratio 2, without any width."""
    plan = Plan(paths=("near",), sizes_bytes=(10,), algorithms=("vegas", "gallop"), repeat=4, seed=1)
    times = {"vegas": 2.0, "gallop": 1.0}
    done = [made(at, cell, times[cell.algorithm] * (1 + at // 2)) for at, cell in enumerate(plan.order())]
    vegas, gallop = table(plan, done)
    assert vegas.over_first is None
    assert gallop.over_first is not None
    assert gallop.over_first.ratio == pytest.approx(2.0)
    assert (gallop.over_first.low, gallop.over_first.high) == pytest.approx((2.0, 2.0))
    assert (vegas.completion_s.mean, gallop.completion_s.mean) == pytest.approx((5.0, 2.5))
    assert table(plan, done[:1])[0].completion_s.values == 1


def test_the_ratio_s_interval_by_hand() -> None:
    """Ratios 1 and e^2: the mean of their logarithms is 1, its standard error 1, t[0.975; 1] = 12.706."""
    found = paired_ratio([1.0, math.e**2], [1.0, 1.0])
    assert found.ratio == pytest.approx(math.e)
    assert (math.log(found.low), math.log(found.high)) == pytest.approx((1 - 12.706, 1 + 12.706), abs=1e-3)
    back = paired_ratio([1.0, 1.0], [1.0, math.e**2])
    assert (back.low, back.high) == pytest.approx((1 / found.high, 1 / found.low))
    assert math.isnan(paired_ratio([2.0], [1.0]).low)


@pytest.fixture
def receiver() -> Iterator[str]:
    """Where one listens."""
    here = Receiver(("127.0.0.1", 0), Limits(), lambda _line: None)
    thread = threading.Thread(target=here.serve)
    thread.start()
    yield f"127.0.0.1:{here.port}"
    here.close()
    thread.join()


def test_kernel_s_own_need_no_program_and_no_root(vegaslab: Command, receiver: str, here: Path) -> None:
    options = ["--sizes", "20kb,1mb", "-a", "kernel:reno", "-a", "kernel:cubic", "--repeat", "2", "--pause", "0"]
    done = vegaslab("linux", "measure", receiver, *options, "--json", "-o", "kept")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert len(told["transfers"]) == 8
    assert [(row["size_bytes"], row["algorithm"], row["transfers"]) for row in told["table"]] == [
        (20_000, "kernel:reno", 2),
        (20_000, "kernel:cubic", 2),
        (10**6, "kernel:reno", 2),
        (10**6, "kernel:cubic", 2),
    ]
    assert told["table"][0]["ratio"] is None
    assert told["table"][1]["ratio_low"] < told["table"][1]["ratio"] < told["table"][1]["ratio_high"]
    for file, rows in (("transfers.csv", 8), ("table.csv", 4)):
        assert len(rows_of(here / "kept" / file)) == rows
    again = vegaslab("linux", "measure", receiver, *options, "-o", "kept")
    assert again.stdout.splitlines()[0].split()[:4] == ["path", "size", "algorithm", "transfers"]
    assert "1mb" in again.stdout


def test_bad_input_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    cases = {
        (): "no path: give a HOST on which vegaslab linux receive runs, or --emulate FILE",
        ("x:y",): "x:y: write HOST or HOST:PORT",
        ("x", "x"): "HOST, --emulate: x was given twice",
        ("x", "--sizes", "1kb,1kb"): "--sizes: 1000 was given twice",
        ("x", "--sizes", "9b"): "9 bytes; at least 16",
        ("x", "--sizes", "1kx"): '"1kx" is not a size',
        ("x", "--repeat", "0"): "--repeat: 0 was given; more than 0",
        ("x", "--pause", "-1"): "--pause: -1 was given; seconds, 0 or more",
        ("x", "-a", "kernel:a", "-a", "kernel:a"): "-a: kernel:a was given twice",
        ("--emulate", "short-of-a-file"): "no such file, nor a shipped scenario",
        ("--emulate", "gallop-50mbit", "-a", "kernel:reno"): "-a kernel:reno: on an emulated path only",
        ("--emulate", "papers/gallop-fig10"): "flow: one is measured; others belong into traffic",
    }
    for arguments, said in cases.items():
        assert cli.main(["linux", "measure", *arguments]) == 2, arguments
        out, err = capsys.readouterr()
        assert out == "", arguments
        assert said in err, arguments
        assert len(err.splitlines()) == 1, arguments
    for options in (["--listen", "nowhere:x"], ["--max-connections", "0"], ["--listen", "203.0.113.1:1"]):
        assert cli.main(["linux", "receive", *options]) == 2, options
        assert len(capsys.readouterr().err.splitlines()) == 1, options


def test_ctrl_c_keeps_what_was_measured(vegaslab: Command, receiver: str, here: Path) -> None:
    options = ["measure", receiver, "--sizes", "20kb", "-a", "kernel:reno", "--repeat", "9", "--pause", "0"]
    command = ["linux", *options, "-o", "kept"]
    done = interrupted(command, 30, signal.SIGINT, folder=here)
    assert done.returncode == 130, done.stderr
    file = here / "kept" / "transfers.csv"
    kept = len(file.read_text().splitlines()) - 1
    assert 0 < kept < 9
    assert done.stderr == f"vegaslab: interrupted; {kept} of 9 transfers are in kept; the same command goes on\n"
    assert "kernel:reno" in done.stdout
    assert vegaslab(*command).stderr == ""
    assert [row["number"] for row in rows_of(file)] == [str(number) for number in range(9)]


def test_receive_ends_by_ctrl_c(here: Path) -> None:
    process = begin([*COMMAND, "receive", "--listen", "127.0.0.1:0"], here)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("listening at 127.0.0.1:")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=TIMEOUT_S)
    assert (process.returncode, out, err) == (0, "", "")


def rows_of(file: Path) -> list[dict[str, str]]:
    """A CSV file's."""
    return list(csv.DictReader(file.read_text().splitlines()))


def begin(command: list[str], folder: Path) -> "subprocess.Popen[str]":
    """A process with a Ctrl-C of its own."""
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def until_longer(file: Path) -> None:
    """Waits until a table has a row more."""
    known = len(file.read_text().splitlines()) if file.exists() else 1
    wait_until(lambda: file.exists() and len(file.read_text().splitlines()) > known)


# --- with the kernel's side ---


def registered() -> dict[str, int]:
    """The congestion controls that a process has registered, with the process; others may have some, too."""
    names = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text()
    return {name: int(process) for name, process in re.findall(r"\b(vl(\d+)_\d+)", names)}


def parent(process: int) -> int | None:
    """The process that started one; None once it has gone."""
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except FileNotFoundError:
        return None


def nothing_is_left() -> bool:
    return all(parent(process) is not None for process in registered().values())


@pytest.fixture
def kernel() -> None:
    """Passes where the program is built and may be used; in CI it must."""
    try:
        refused = subprocess.run([linux.program(), "status"], capture_output=True, text=True, check=False).stderr
    except linux.LinuxError as error:
        refused = str(error)
    if refused:
        assert os.environ.get("CI") != "true", refused
        pytest.skip(refused)


@pytest.mark.usefixtures("kernel")
def test_what_measures_registers_goes_with_it_also_if_it_is_killed(receiver: str, here: Path) -> None:
    # for hours
    options = ["measure", receiver, "--sizes", "20kb", "--repeat", "99999", "--pause", "0.1", "-o", "kept"]
    file = here / "kept" / "transfers.csv"
    for signal_, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)):
        process = begin([*COMMAND, *options], here)
        until_longer(file)
        assert [parent(holder) for holder in registered().values()].count(process.pid) == 2
        process.send_signal(signal_)
        process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == code
        wait_until(nothing_is_left)


@pytest.mark.usefixtures("kernel")
def test_an_emulated_path_is_measured(vegaslab: Command) -> None:
    options = ["--sizes", "100kb", "--repeat", "1", "--json"]
    done = vegaslab("linux", "measure", "--emulate", "papers/gallop-table5-near", *options)
    assert (done.returncode, done.stderr) == (0, "")
    vegas, gallop = json.loads(done.stdout)["table"]
    # 100 Mb/s take 8 ms for the payload
    assert vegas["completion_s"] > 0.008
    assert gallop["ratio"] == pytest.approx(vegas["completion_s"] / gallop["completion_s"])
    assert vegas["late"] in (0, 1)
    wait_until(nothing_is_left)


@pytest.mark.usefixtures("kernel")
def test_without_root_the_family_cannot_be_measured(receiver: str) -> None:
    """One line, exit code 2. The child has loaded all it needs when it gives its rights away."""
    code = (
        "import os, sys; import scipy.special; from vegaslab.commands import cli;"
        "from vegaslab.measuring import campaign, linux, paths; linux.program = paths.program = lambda: sys.argv[1];"
        "os.setgid(65534); os.setuid(65534); sys.exit(cli.main(sys.argv[2:]))"
    )
    with tempfile.TemporaryDirectory() as folder:
        program = Path(shutil.copy(linux.program(), folder))
        for path in (program, Path(folder)):
            path.chmod(0o755)
        for options in ([receiver], ["--emulate", "papers/gallop-table5-near"]):
            command = [sys.executable, "-c", code, str(program), "linux", "measure", *options, "--sizes", "20kb"]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
            assert done.returncode == 2
            assert done.stderr.startswith("vegaslab: vegaslab linux needs root: run it with sudo")
            assert len(done.stderr.splitlines()) == 1

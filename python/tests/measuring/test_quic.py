"""`vegaslab quic` from end to end over loopback; the program's own tests are in Rust."""

import json
import os
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Command
from vegaslab.commands import cli
from vegaslab.measuring import quic, transfers


def _program_is_built() -> bool:
    try:
        quic.program()
    except quic.QuicError:
        return False
    return True


# in CI it is built before the tests, so that none of these can be left out there
needs_program = pytest.mark.skipif(
    not _program_is_built() and os.environ.get("CI") != "true",
    reason=f"{quic.PROGRAM} is not built; `make quic` and `make test-python` build it",
)


@dataclass(frozen=True)
class Server:
    """A server that listens."""

    address: str
    fingerprint: str
    process: subprocess.Popen[str]


@contextmanager
def serving(*options: str) -> Iterator[Server]:
    """A server on a free port of loopback, while it is needed."""
    command = [sys.executable, "-m", "vegaslab", "quic", "serve", "--listen", "127.0.0.1:0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address, fingerprint = process.stdout.readline().split()
            yield Server(address, fingerprint, process)
        finally:
            process.terminate()


@needs_program
def test_transfers_are_shuffled_and_their_means_have_intervals(vegaslab: Command) -> None:
    """Each algorithm once a round; throughput and time belong together."""
    with serving() as server:
        arguments = ("quic", "fetch", server.address, "300kb", "--fingerprint", server.fingerprint)
        done = vegaslab(*arguments, "-a", "gallop", "-a", "cubic", "--repeat", "3", "--json")
        table = vegaslab(*arguments, "-a", "vegas")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    order = [transfer["algorithm"] for transfer in result["transfers"]]
    assert order == transfers.schedule(["gallop", "cubic"], 3, 1)
    assert [sorted(order[first : first + 2]) for first in (0, 2, 4)] == [["cubic", "gallop"]] * 3
    for transfer in result["transfers"]:
        assert transfer["completion_s"] * transfer["throughput_mbps"] == pytest.approx(2.4)
        assert transfer["sender"]["sent_packets"] > 200
    for algorithm in result["algorithms"]:
        assert algorithm["transfers"] == 3
        assert algorithm["completion_half_width_s"] > 0
    assert table.returncode == 0, table.stderr
    assert [line.split()[0] for line in table.stdout.splitlines()] == ["algorithm", "vegas"]


@needs_program
def test_another_certificate_is_refused(vegaslab: Command) -> None:
    """One line that says which certificate the server has."""
    with serving() as server:
        wrong = "0" * 64
        refused = vegaslab("quic", "fetch", server.address, "1kb", "-a", "vegas", "--fingerprint", wrong)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert server.fingerprint in refused.stderr
    assert "not the one that was asked for" in refused.stderr


@needs_program
def test_limits_hold_and_the_server_goes_on(vegaslab: Command) -> None:
    """More bytes than allowed are refused; the allowed number is served."""
    with serving("--max-bytes", "300kb") as server:
        arguments = ("-a", "vegas", "--fingerprint", server.fingerprint)
        refused = vegaslab("quic", "fetch", server.address, "301kb", *arguments)
        served = vegaslab("quic", "fetch", server.address, "300kb", *arguments)
    assert (refused.returncode, served.returncode) == (2, 0), served.stderr
    assert server.address in refused.stderr
    assert "refused: asks for 301000 bytes; 300000 are allowed" in refused.stderr


@needs_program
def test_a_flood_of_bad_packets_leaves_it_serving(vegaslab: Command) -> None:
    """Bytes at random, a third of which begin as QUIC's long headers of version 1 do."""
    draws = random.Random(7)
    with serving() as server, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as flood:
        host, port = server.address.split(":")
        for packet in range(5_000):
            head = b"\xc0\x00\x00\x00\x01\x08" if packet % 3 == 0 else b""
            flood.sendto(head + draws.randbytes(draws.randrange(1, 1200)), (host, int(port)))
        served = vegaslab("quic", "fetch", server.address, "300kb", "-a", "gallop", "--fingerprint", server.fingerprint)
        assert server.process.poll() is None
    assert served.returncode == 0, served.stderr


@needs_program
def test_numbers_are_the_servers(vegaslab: Command, tmp_path: Path) -> None:
    """A window of four packets, of an algorithm that no delay makes smaller; qlog files at both ends."""
    with serving("--set", "max_window=4", "--set", "initial_window=4", "--qlog", str(tmp_path)) as server:
        arguments = ("-a", "reno", "--fingerprint", server.fingerprint, "--json", "--qlog", tmp_path)
        done = vegaslab("quic", "fetch", server.address, "100kb", *arguments)
    assert done.returncode == 0, done.stderr
    sender = json.loads(done.stdout)["transfers"][0]["sender"]
    assert sender["cwnd_bytes"] == 4 * sender["mtu_bytes"] + 1
    assert {path.name for path in tmp_path.glob("*.sqlog")} == {"client-1-reno.sqlog", "server-1.sqlog"}


@needs_program
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("-a", "rovegas"), "rovegas: signal: needs a host"),
        (("-a", "tahoe"), 'no algorithm is called "tahoe"; there are reno'),
        (("-a", "vegas", "-a", "vegas"), "-a vegas was given twice"),
        (("-a", "vegas", "--repeat", "0"), "--repeat: 0 was given; at least 1"),
        (("-a", "vegas", "--pause", "-1"), "--pause: -1 was given"),
        (("-a", "vegas", "--qlog", "nowhere"), "--qlog: nowhere is no folder"),
    ],
)
def test_bad_input_is_one_line(vegaslab: Command, arguments: tuple[str, ...], complaint: str) -> None:
    """No server is asked for anything."""
    done = vegaslab("quic", "fetch", "127.0.0.1:9", "1kb", "--fingerprint", "0" * 64, *arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


def test_without_its_program_it_says_how_to_build_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, exit code 2; the rest of vegaslab does not need it."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cli.main(["quic", "serve", "--listen", "127.0.0.1:0"]) == 2
    assert capsys.readouterr().err == (
        "vegaslab: vegaslab-quic is not installed: pip install --find-links FOLDER 'vegaslab[quic]', with the "
        "folder of vegaslab's wheels, or `make quic` in the sources (docs/install.md)\n"
    )


def test_schedules_depend_on_the_seed_alone() -> None:
    """The same seed, the same order; all orders come."""
    names = ["vegas", "gallop", "cubic"]
    assert transfers.schedule(names, 10, 4) == transfers.schedule(names, 10, 4)
    rounds = transfers.schedule(names, 100, 1)
    assert len({tuple(rounds[first : first + 3]) for first in range(0, 300, 3)}) == 6

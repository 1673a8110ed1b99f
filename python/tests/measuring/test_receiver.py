"""The receiver of measured transfers: what it takes, and that no sender harms it."""

import socket
import struct
import threading
import time
from collections.abc import Iterator

import pytest

from tests.conftest import TIMEOUT_S, wait_until
from vegaslab.measuring.receiver import HEADER, MAGIC, Limits, Receiver
from vegaslab.measuring.sender import TransferError, counted, send

HERE = "127.0.0.1"


class Listening:
    """A receiver in a thread, and what it said."""

    def __init__(self, limits: Limits) -> None:
        self.said: list[str] = []
        self.receiver = Receiver((HERE, 0), limits, self.said.append)
        self.thread = threading.Thread(target=self.receiver.serve)
        self.thread.start()

    @property
    def address(self) -> tuple[str, int]:
        return HERE, self.receiver.port

    def answer_to(self, data: bytes, *, ends: bool = True) -> str:
        """What it says to bytes."""
        with socket.create_connection(self.address, timeout=TIMEOUT_S) as connection:
            connection.sendall(data)
            if ends:
                connection.shutdown(socket.SHUT_WR)
            return connection.makefile().read().strip()

    def close(self) -> None:
        self.receiver.close()
        self.thread.join(timeout=TIMEOUT_S)
        assert not self.thread.is_alive()


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listening]:
    """One of small limits, except for time."""
    monkeypatch.setattr("vegaslab.measuring.receiver._HEADER_S", TIMEOUT_S)
    here = Listening(Limits(connections=2, size=10**6, seconds=TIMEOUT_S))
    yield here
    here.close()


def test_a_transfer_is_timed_and_counted(listening: Listening) -> None:
    for size in (16, 17, 300_000, 10**6):
        sent = send(listening.address, size, "reno", TIMEOUT_S)
        assert sent.completion_s > 0
        assert sent.min_rtt_ms > 0
    # a thread a connection says so after its answer
    lines = {f"{HERE}: {size} bytes" for size in (16, 17)}
    wait_until(lambda: lines <= {line.split(" in ")[0] for line in listening.said})


def test_a_sender_that_brings_too_little_loses_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vegaslab.measuring.receiver._PROGRESS_S", 0.3)
    listening = Listening(Limits(connections=1, size=10**6, seconds=TIMEOUT_S))
    try:
        said = listening.answer_to(HEADER.pack(MAGIC, 10**6) + bytes(20_000), ends=False)
        assert said == "refused: too slow"
        # its place is free then
        wait_until(lambda: f"{HERE}: refused: too slow" in listening.said)
        assert send(listening.address, 300_000, "reno", TIMEOUT_S).completion_s > 0
    finally:
        listening.close()


def test_a_place_is_free_when_its_transfer_is_answered() -> None:
    listening = Listening(Limits(connections=1, size=10**6, seconds=TIMEOUT_S))
    try:
        for _ in range(50):
            send(listening.address, 16, "reno", TIMEOUT_S)
    finally:
        listening.close()


def test_counters_are_read_where_linux_has_them() -> None:
    # linux/tcp.h: 8 fields of a byte, 24 of four of which the last is tcpi_total_retrans, 4 of eight,
    # then tcpi_segs_out, tcpi_segs_in, tcpi_notsent_bytes, tcpi_min_rtt; each has its own number here
    assert counted(struct.pack("=8B24I4Q4I", *range(40))) == (31, 39 / 1e3)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "refused: it ended before its size was said"),
        (b"GET / HTTP/1.1\r\n\r\n", "refused: these are no bytes of vegaslab linux measure"),
        (b"\xff" * 16, "refused: these are no bytes of vegaslab linux measure"),
        (MAGIC + b"\0", "refused: it ended before its size was said"),
        (HEADER.pack(MAGIC, 0), "refused: 0 bytes; 16 to 1000000 are taken"),
        (HEADER.pack(MAGIC, 15), "refused: 15 bytes; 16 to 1000000 are taken"),
        (HEADER.pack(MAGIC, 2**64 - 1), f"refused: {2**64 - 1} bytes; 16 to 1000000 are taken"),
        (HEADER.pack(MAGIC, 100) + b"0123", "refused: it ended 80 bytes early"),
    ],
)
def test_hostile_bytes_are_refused_in_a_line(listening: Listening, data: bytes, says: str) -> None:
    assert listening.answer_to(data) == says
    assert send(listening.address, 1000, "reno", TIMEOUT_S).completion_s > 0


def test_a_slow_sender_is_sent_away() -> None:
    listening = Listening(Limits(connections=2, size=10**6, seconds=1.0))
    try:
        for data in (b"", HEADER.pack(MAGIC, 1000) + b"1"):
            started = time.monotonic()
            assert listening.answer_to(data, ends=False) == "refused: too slow"
            assert time.monotonic() - started >= 1.0
        # a machine may be too slow for a second
        wait_until(lambda: _is_taken(listening))
    finally:
        listening.close()


def test_a_reset_does_no_harm(listening: Listening) -> None:
    for _ in range(20):
        with socket.create_connection(listening.address) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.sendall(HEADER.pack(MAGIC, 1000))
    # both places are free again
    wait_until(lambda: _is_taken(listening))


def _is_taken(listening: Listening) -> bool:
    try:
        return send(listening.address, 1000, "reno", TIMEOUT_S).completion_s > 0
    except TransferError:
        return False


def test_more_than_it_has_places_for_are_refused(listening: Listening) -> None:
    with socket.create_connection(listening.address), socket.create_connection(listening.address):
        # one of these may be taken before the two above
        wait_until(lambda: not _is_taken(listening) and any("already" in line for line in listening.said))


def test_a_sender_says_what_is_wrong_in_a_line(listening: Listening) -> None:
    with pytest.raises(TransferError, match="refused: 1000001 bytes; 16 to 1000000 are taken"):
        send(listening.address, 10**6 + 1, "reno", TIMEOUT_S)
    with pytest.raises(TransferError, match=r"no_such_one: this kernel has no such congestion control; it has .*reno"):
        send(listening.address, 1000, "no_such_one", 10.0)
    with socket.create_server((HERE, 0)) as other:
        with pytest.raises(TransferError, match=r"no end after 0\.2 s"):
            send((HERE, other.getsockname()[1]), 1000, "reno", 0.2)
        port = other.getsockname()[1]
    with pytest.raises(TransferError, match=f"{HERE}:{port}: Connection refused"):
        send((HERE, port), 1000, "reno", TIMEOUT_S)


def test_the_answer_of_something_else_is_shown_without_its_control_characters() -> None:
    with socket.create_server((HERE, 0)) as other:

        def answer() -> None:
            connection, _ = other.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"\x1b[31mhello\xff" + b"x" * 1000)

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(TransferError) as complaint:
            send((HERE, other.getsockname()[1]), 1000, "reno", TIMEOUT_S)
        thread.join()
    text = str(complaint.value)
    assert "[31mhello" in text
    assert text.isprintable()
    assert len(text) < 300

"""Any bytes on the connection of a measured transfer: as a sender's, and as the answer of what is no receiver."""

import contextlib
import socket
import time
from collections.abc import Callable
from functools import cache

from vegaslab.measuring.receiver import ANSWER_BYTES_MAX, HEADER, MAGIC, Limits, Receiver
from vegaslab.measuring.sender import _answer

_LIMITS = Limits(connections=1, size=10**6, seconds=1.0)


def check(data: bytes) -> None:
    """The first byte says which end sent the others."""
    if data[:1] < b"\x80":
        _check_receiver(data[1:])
    else:
        _check_sender(data[1:])


def _check_receiver(data: bytes) -> None:
    answer = _exchange(data, _take)
    assert answer == f"{_expected(data)}\n".encode(), answer


def _expected(data: bytes) -> str:
    if len(data) < HEADER.size:
        return "refused: it ended before its size was said"
    magic, size = HEADER.unpack(data[: HEADER.size])
    if magic != MAGIC:
        return "refused: these are no bytes of vegaslab linux measure"
    if not HEADER.size <= size <= _LIMITS.size:
        return f"refused: {size} bytes; {HEADER.size} to {_LIMITS.size} are taken"
    return f"refused: it ended {size - len(data)} bytes early" if len(data) < size else f"received {size}"


def _check_sender(data: bytes) -> None:
    shown = ""

    def take(connection: socket.socket) -> None:
        nonlocal shown
        shown = _answer(connection, time.monotonic() + 1.0)

    _exchange(data, take)
    assert shown.isprintable()
    assert len(shown) <= ANSWER_BYTES_MAX


def _exchange(data: bytes, take: Callable[[socket.socket], None]) -> bytes:
    """What comes back to a peer that has sent `data` and ended."""
    peer, connection = socket.socketpair()
    with peer:
        with connection:
            peer.sendall(data)
            peer.shutdown(socket.SHUT_WR)
            take(connection)
        # what is closed with bytes unread may reset the connection
        with contextlib.suppress(ConnectionResetError):
            return peer.recv(1000)
    return b""


@cache
def _receiver() -> Receiver:
    return Receiver(("127.0.0.1", 0), _LIMITS, lambda _: None)


def _take(connection: socket.socket) -> None:
    receiver = _receiver()
    assert receiver._places.acquire(blocking=False), "the last connection has given its place free"
    receiver._take(connection, "peer")

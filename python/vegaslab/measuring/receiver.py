"""The receiving end of measured TCP transfers: reads bytes and reports their number. It needs no rights, and trusts no
sender.

A transfer's first 16 bytes are `MAGIC` and its size, which includes these 16, in network order. When all bytes have
come, or the transfer is refused, the receiver answers with a line of ASCII and closes.
"""

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

MAGIC = b"VEGASLAB"
HEADER = struct.Struct("!8sQ")
ANSWER_BYTES_MAX = 200
RECEIVED = "received"
PORT = 5204
"""The default port of `vegaslab linux receive`: near iperf3's 5201, and not registered."""

_HEADER_S = 10.0
"""The longest wait for a header, s: longer than a handshake's retransmissions take. A connection without data for this
long has no sender.
"""
_PROGRESS_S = 60.0
_PROGRESS_BYTES = 10_000
"""What a transfer must bring in each span, unless it is its rest: slow senders must not hold all places. A path of
2 kb/s brings more.
"""
_ROOM = 1 << 18
_BREATH_S = 0.01
_LINGER_S = 1.0
"""The time for which the rest of a connection is read, s: closing a socket with unread bytes resets the connection, and
the peer may lose the line sent to it.
"""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits on what a receiver accepts."""

    connections: int = 8
    """The most connections at one time."""
    size: int = 4 * 10**9
    """The most bytes of one transfer."""
    seconds: float = 3600.0
    """The longest duration of one transfer, s."""


class _RefusedError(Exception):
    """A transfer is refused; the message is the reason, in a few words."""


class Receiver:
    """A listening socket. Each connection has a thread of its own and a quarter of a megabyte of memory."""

    def __init__(self, address: tuple[str, int], limits: Limits, say: Callable[[str], None]) -> None:
        """Listens from now on; `say` gets a line for each connection. Raises `OSError`."""
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self._listener = socket.create_server(address, family=family, backlog=limits.connections)
        self._limits = limits
        self._say = say
        self._closed = False
        self._places = threading.BoundedSemaphore(limits.connections)

    @property
    def port(self) -> int:
        """The port of the listening socket."""
        port: int = self._listener.getsockname()[1]
        return port

    def serve(self) -> None:
        """Accepts connections until `close`."""
        while True:
            try:
                connection, peer = self._listener.accept()
            except OSError:
                if self._closed:
                    return
                # a connection that ended before it was accepted, or a brief lack of memory
                time.sleep(_BREATH_S)
                continue
            if self._places.acquire(blocking=False):
                threading.Thread(target=self._take, args=(connection, peer[0]), daemon=True).start()
            else:
                self._say(f"{peer[0]}: refused: {self._limits.connections} connections already")
                _answer(connection, f"refused: {self._limits.connections} connections already")

    def close(self) -> None:
        """Stops accepting connections."""
        self._closed = True
        # wakes the thread that waits in accept; closing alone does not
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _take(self, connection: socket.socket, peer: str) -> None:
        started = time.monotonic()
        try:
            size = self._read(connection, started)
        except (_RefusedError, OSError) as error:
            answer, line = _refusal(error)
            # a refused connection keeps its place while it lingers, so that a flood of them makes no additional threads
            try:
                _answer(connection, answer, _LINGER_S)
            finally:
                self._places.release()
        else:
            line = f"{size} bytes in {time.monotonic() - started:.3f} s"
            # released first: a sender that has its answer may begin its next transfer at once
            self._places.release()
            _answer(connection, f"{RECEIVED} {size}")
        self._say(f"{peer}: {line}")

    def _read(self, connection: socket.socket, started: float) -> int:
        """Reads all announced bytes; returns the size."""
        header = self._fill(connection, HEADER.size, started + min(_HEADER_S, self._limits.seconds))
        magic, size = HEADER.unpack(header)
        if magic != MAGIC:
            raise _RefusedError("these are no bytes of vegaslab linux measure")
        if not HEADER.size <= size <= self._limits.size:
            raise _RefusedError(f"{size} bytes; {HEADER.size} to {self._limits.size} are taken")
        self._drain(connection, size - HEADER.size, started + self._limits.seconds)
        return int(size)

    @staticmethod
    def _fill(connection: socket.socket, size: int, deadline: float) -> bytes:
        data = b""
        while len(data) < size:
            _wait_until(connection, deadline)
            more = connection.recv(size - len(data))
            if not more:
                raise _RefusedError("it ended before its size was said")
            data += more
        return data

    @staticmethod
    def _drain(connection: socket.socket, left: int, deadline: float) -> None:
        room = memoryview(bytearray(_ROOM))
        while left > 0:
            due, wanted = min(deadline, time.monotonic() + _PROGRESS_S), max(0, left - _PROGRESS_BYTES)
            while left > wanted:
                _wait_until(connection, due)
                length = connection.recv_into(room[: min(left, _ROOM)])
                if length == 0:
                    raise _RefusedError(f"it ended {left} bytes early")
                left -= length


def _refusal(error: Exception) -> tuple[str, str]:
    """Returns the answer to the sender, and the line that the receiver prints."""
    match error:
        case _RefusedError():
            return f"refused: {error}", f"refused: {error}"
        case TimeoutError():
            return "refused: too slow", "refused: too slow"
        case OSError():
            return "refused: broken", f"broken: {error.strerror}"
    raise error


def place(address: tuple[str, int]) -> str:
    """Returns the address as a user types it."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _wait_until(connection: socket.socket, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    connection.settimeout(left)


def _answer(connection: socket.socket, line: str, linger_s: float = 0.0) -> None:
    """Ends a connection with a line. Until the peer closes, bytes are read and dropped, for a limited time."""
    # the peer may have left; the line fits any socket's buffer
    with connection, contextlib.suppress(OSError):
        connection.settimeout(1.0)
        connection.sendall(f"{line}\n".encode("ascii", "replace"))
        connection.shutdown(socket.SHUT_WR)
        deadline = time.monotonic() + linger_s
        _wait_until(connection, deadline)
        while connection.recv(_ROOM):
            _wait_until(connection, deadline)

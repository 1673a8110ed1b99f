"""The sending end of measured TCP transfers."""

import contextlib
import socket
import struct
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vegaslab.measuring.receiver import ANSWER_BYTES_MAX, HEADER, MAGIC, RECEIVED, place
from vegaslab.util.errors import InputError

_CHUNK = 1 << 17
_TCP_CONGESTION = 13
"""The value in linux/tcp.h. Python has the name only where it was built on Linux, and type checkers know it only for
Linux.
"""
_TOTAL_RETRANS_AT, _MIN_RTT_AT = 100, 148
"""The places of these fields in struct tcp_info of linux/tcp.h, which only grows at its end."""


class TransferError(InputError):
    """A transfer cannot begin or failed: one line."""


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A completed transfer."""

    completion_s: float
    """The time from the handshake's first packet to the receiver's confirmation of the last byte, s."""
    retransmits: int
    min_rtt_ms: float


def send(address: tuple[str, int], size: int, congestion: str, limit_s: float) -> Sent:
    """Sends `size` bytes, at least 16, with a congestion control of this kernel. Raises `TransferError`."""
    try:
        found = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)[0]
        with socket.socket(*found[:3]) as connection:
            _choose(connection, congestion)
            started = time.monotonic()
            _send(connection, found[4], size, started + limit_s)
            answer = _answer(connection, started + limit_s)
            completion_s = time.monotonic() - started
            retransmits, min_rtt_ms = counted(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256))
    except TimeoutError:
        raise TransferError(f"{place(address)}: no end after {limit_s:g} s") from None
    except OSError as error:
        raise TransferError(f"{place(address)}: {error.strerror or error}") from None
    if answer != f"{RECEIVED} {size}":
        raise TransferError(f"{place(address)}: {answer or 'no answer; is this vegaslab linux receive?'}")
    return Sent(completion_s=completion_s, retransmits=retransmits, min_rtt_ms=min_rtt_ms)


def available() -> list[str]:
    """Returns the congestion controls that this kernel has."""
    return Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text(encoding="ascii").split()


def _choose(connection: socket.socket, congestion: str) -> None:
    try:
        connection.setsockopt(socket.IPPROTO_TCP, _TCP_CONGESTION, congestion.encode())
    except FileNotFoundError:
        names = ", ".join(available())
        raise TransferError(f"{congestion}: this kernel has no such congestion control; it has {names}") from None
    except PermissionError:
        raise TransferError(f"{congestion}: this congestion control is for root only") from None


def _send(connection: socket.socket, address: Any, size: int, deadline: float) -> None:
    _wait_until(connection, deadline)
    connection.connect(address)
    zeros = memoryview(bytes(_CHUNK))
    first = HEADER.pack(MAGIC, size) + zeros[: min(_CHUNK, size) - HEADER.size]
    left = size - len(first)
    # a receiver that refuses a transfer says why before it closes
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.sendall(first)
        while left > 0:
            _wait_until(connection, deadline)
            left -= connection.send(zeros[:left])


def _answer(connection: socket.socket, deadline: float) -> str:
    """Returns the receiver's line; bytes that are not ASCII are replaced, control characters are dropped."""
    data = b""
    while len(data) < ANSWER_BYTES_MAX and not data.endswith(b"\n"):
        _wait_until(connection, deadline)
        more = connection.recv(ANSWER_BYTES_MAX - len(data))
        if not more:
            break
        data += more
    return "".join(letter for letter in data.decode("ascii", "replace") if letter.isprintable())


def counted(tcp_info: bytes) -> tuple[int, float]:
    """Returns the retransmissions, and the smallest RTT in ms, from a struct tcp_info of linux/tcp.h."""
    retransmits, min_rtt_us = (struct.unpack_from("=I", tcp_info, at)[0] for at in (_TOTAL_RETRANS_AT, _MIN_RTT_AT))
    return retransmits, min_rtt_us / 1e3


def _wait_until(connection: socket.socket, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    connection.settimeout(left)

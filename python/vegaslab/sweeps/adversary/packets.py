"""Reads the packets of the captures that a run wrote: pcapng (draft-ietf-opsawg-pcapng) with raw IPv4 packets."""

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_ENHANCED_PACKET = 6
_SYN = 0x02
_TCP_HEADER_BYTES = 20
_RECEIVER_PORT, _FIRST_SENDER_PORT = 5001, 40000


@dataclass(frozen=True, kw_only=True)
class Sight:
    """TCP packets as one end saw them, in the order of the capture; an array a column."""

    time: NDArray[np.int64]
    """Nanoseconds since the beginning of the run."""
    flow: NDArray[np.int64]
    size: NDArray[np.int64]
    """The packet on the simulated wire, bytes."""
    backward: NDArray[np.int64]
    """1 for a packet from the receiver."""
    number: NDArray[np.int64]
    """The sequence number of what the sender sends, the acknowledgement number of what the receiver sends."""

    def of(self, flow: int, *, backward: bool) -> "Sight":
        """Returns the packets of one flow in one direction."""
        chosen = (self.flow == flow) & (self.backward == backward)
        return Sight(**{name: column[chosen] for name, column in vars(self).items()})


def read_capture(path: Path) -> Sight:
    """Reads a capture. Raises `OSError`."""
    content = path.read_bytes()
    rows: list[tuple[int, int, int, int, int]] = []
    at = 0
    while at < len(content):
        kind, length = struct.unpack_from("<II", content, at)
        if kind == _ENHANCED_PACKET:
            rows.append(_packet(content, at))
        at += length
    columns = np.array(rows, np.int64).reshape(-1, 5).T
    return Sight(time=columns[0], flow=columns[1], size=columns[2], backward=columns[3], number=columns[4])


def _packet(content: bytes, block: int) -> tuple[int, int, int, int, int]:
    high, low, _, size = struct.unpack_from("<IIII", content, block + 12)
    ip = block + 28
    tcp = ip + 4 * (content[ip] & 0xF)
    source, destination, sequence, acknowledged = struct.unpack_from(">HHII", content, tcp)
    if content[tcp + 13] & _SYN:
        # the simulated SYN has no options, the capture's has (docs/results.md, captures)
        size -= 4 * (content[tcp + 12] >> 4) - _TCP_HEADER_BYTES
    backward = source == _RECEIVER_PORT
    flow = (destination if backward else source) - _FIRST_SENDER_PORT
    return (high << 32) | low, flow, size, backward, acknowledged if backward else sequence


def unwrapped(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns sequence numbers of 32 bits, each near the one before it, as counts of bytes from 0."""
    steps = (np.diff(numbers, prepend=1) + (1 << 31)) % (1 << 32) - (1 << 31)
    counts: NDArray[np.int64] = np.cumsum(steps)
    return counts

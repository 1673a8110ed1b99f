"""Captures of others as pcap files: a table of packet headers becomes what `vegaslab measured` reads.

What the table lacks is made up: addresses, ports, the window field, the values of time stamps, checksums.
"""

import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

TABLE = "captures-50ms.parquet"

_FILE_HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 101)
"""pcap with times in us, of raw IP packets (LINKTYPE_RAW)."""

_SYN, _ACK = 0x02, 0x10
_WINDOW, _WINDOW_SHIFT = 65_535, 7
_MSS_BYTES = 256
_ADDRESSES = (bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2]))
_PORTS = (443, 40_000)


def names(folder: Path) -> list[str]:
    """Returns the names of the captures in the folder's table."""
    found = pq.read_table(folder / TABLE, columns=["trace"])["trace"].cast("string")
    return sorted(str(name) for name in pc.unique(found).to_pylist())


def write_pcap(folder: Path, name: str, file: Path) -> None:
    """Writes a capture of the folder's table as a pcap file."""
    table = pq.read_table(folder / TABLE)
    rows = table.filter(pc.equal(table["trace"].cast("string"), name)).to_pylist()
    with file.open("wb") as out:
        out.write(_FILE_HEADER)
        for row, packet in _packets(rows):
            seconds, microseconds = divmod(row["time_us"], 1_000_000)
            out.write(struct.pack("<IIII", seconds, microseconds, len(packet), len(packet)) + packet)


def _packets(rows: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], bytes]]:
    begun: set[bool] = set()
    for row in rows:
        is_syn = row["to_receiver"] not in begun and row["payload"] == 0
        begun.add(row["to_receiver"])
        yield row, _packet(row, is_syn=is_syn)


def _packet(row: Mapping[str, Any], *, is_syn: bool) -> bytes:
    source, target = (0, 1) if row["to_receiver"] else (1, 0)
    options = _options(row, is_syn=is_syn)
    flags = _SYN * is_syn | _ACK * (not is_syn or bool(row["ack"]))
    numbers = (row["seq"] % 2**32, row["ack"] % 2**32)
    offset = (20 + len(options)) // 4 << 4
    ports = (_PORTS[source], _PORTS[target])
    tcp = struct.pack("!HHIIBBHHH", *ports, *numbers, offset, flags, _WINDOW, 0, 0) + options + bytes(row["payload"])
    fixed = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0)
    return fixed + _ADDRESSES[source] + _ADDRESSES[target] + tcp


def _options(row: Mapping[str, Any], *, is_syn: bool) -> bytes:
    """Time stamps where the frame has room for them; those of a SYN also say the segment's size and the shift."""
    stamps = struct.pack("!BBBBII", 1, 1, 8, 10, row["time_us"] // 1000, 0)
    if is_syn:
        return struct.pack("!BBHBBBB", 2, 4, _MSS_BYTES, 3, 3, _WINDOW_SHIFT, 1) + stamps
    room = row["frame"] - 40 - row["payload"]
    return stamps if room >= len(stamps) else b""

"""What a command and its guest exchange: requests and answers in memory that both have."""

import json
import mmap
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vegaslab.measuring.linux import LinuxError

BYTES = 512 << 20
"""The size of the memory. Pages that are not written take none."""

# the layout, as in crates/vegas-linux/src/guest/exchange.rs
_REQUEST_LENGTH, _ANSWER_LENGTH, _REQUEST, _ANSWER = 0, 8, 4096, 64 << 20
_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True)
class Parcel:
    """A request or an answer: a head, and files by their names."""

    head: dict[str, Any]
    files: Mapping[str, bytes] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """Returns the length of the head, the head, and the files that it lists."""
        listed = [[name, len(content)] for name, content in self.files.items()]
        head = json.dumps({**self.head, "files": listed}).encode()
        return b"".join([_LENGTH.pack(len(head)), head, *self.files.values()])

    @classmethod
    def from_bytes(cls, content: bytes) -> "Parcel":
        """Reads what `to_bytes`, or the guest, has made."""
        (length,) = _LENGTH.unpack_from(content)
        at = _LENGTH.size + length
        head = json.loads(content[_LENGTH.size : at])
        files = {}
        for name, size in head.pop("files"):
            files[name] = content[at : at + size]
            at += size
        return cls(head, files)


class Exchange:
    """The memory. It has no name, and goes with the processes that have it."""

    def __init__(self) -> None:
        """Makes memory for one guest."""
        self.file = os.memfd_create("vegaslab-guest")
        os.ftruncate(self.file, BYTES)
        self._memory = mmap.mmap(self.file, BYTES)

    def ask(self, request: Parcel) -> None:
        """Puts a request where the guest reads it. Raises `LinuxError` if it is too long."""
        content = request.to_bytes()
        if len(content) > _ANSWER - _REQUEST:
            raise LinuxError(
                f"the scenario with its files has {len(content)} bytes; a guest takes {_ANSWER - _REQUEST}"
            )
        self._memory[_REQUEST : _REQUEST + len(content)] = content
        _LENGTH.pack_into(self._memory, _REQUEST_LENGTH, len(content))

    def answer(self) -> Parcel | None:
        """Returns the guest's answer; none if it gave none."""
        (length,) = _LENGTH.unpack_from(self._memory, _ANSWER_LENGTH)
        return Parcel.from_bytes(self._memory[_ANSWER : _ANSWER + length]) if length else None

    def close(self) -> None:
        """Releases the memory."""
        self._memory.close()
        os.close(self.file)

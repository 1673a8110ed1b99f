"""What the guest's kernel holds, and calls of it that Python has no name for."""

import ctypes
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

C = ctypes.CDLL(None, use_errno=True)

PINS = Path("/sys/fs/bpf")
_SYS_BPF = 321
_MAP_CREATE, _OBJ_PIN = 0, 6
_NEXT = {"BPF programs": 11, "BPF maps": 12, "BPF links": 31}
ARRAY, RING = 2, 27
_NAMESPACES = Path("/proc/sys/user/max_net_namespaces")
_CLONE_NEWNET = 0x40000000

Held = dict[str, list[str]]


def bpf(command: int, attributes: bytes) -> tuple[int, bytes]:
    """Calls the kernel; returns its answer, and the attributes as it has written them."""
    room = ctypes.create_string_buffer(attributes.ljust(128, b"\0"), 128)
    return int(C.syscall(_SYS_BPF, command, room, 128)), room.raw


def pinned_map(kind: int, value_bytes: int, entries: int, path: Path) -> None:
    """Makes a map, and pins it."""
    sizes = (0, 0) if kind == RING else (4, value_bytes)
    words = (kind, *sizes, entries)
    number, _ = bpf(_MAP_CREATE, b"".join(word.to_bytes(4, "little") for word in words))
    assert number >= 0, f"no map: {os.strerror(ctypes.get_errno())}"
    path.parent.mkdir(parents=True, exist_ok=True)
    name = ctypes.create_string_buffer(os.fsencode(path))
    done, _ = bpf(_OBJ_PIN, ctypes.addressof(name).to_bytes(8, "little") + number.to_bytes(4, "little"))
    assert done == 0, f"{path}: {os.strerror(ctypes.get_errno())}"
    os.close(number)


def held() -> Held:
    """Returns what can be left over: what the kernel has, and what hosts have set."""
    controls = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    settings = sorted(Path("/proc/sys/net/ipv4").glob("tcp_*"))
    return {
        "congestion controls": sorted(controls),
        "pins": sorted(str(path.relative_to(PINS)) for path in PINS.rglob("*")),
        **{what: _numbers(command) for what, command in _NEXT.items()},
        "devices": sorted(path.name for path in Path("/sys/class/net").iterdir()),
        "namespaces": [str(number) for number in range(_namespaces())],
        "settings": [f"{path.name} {_read(path)}" for path in settings],
        "processes": [path.name for path in Path("/proc").glob("[1-9]*") if _is_the_program(path)],
    }


def settled(wanted: Held, seconds: float = 5.0) -> Held:
    """Returns what is held, once it is as wanted, or after some time: the kernel frees much later than it is asked."""
    until = time.monotonic() + seconds
    while (now := held()) != wanted and time.monotonic() < until:
        time.sleep(0.05)
    return now


def more(before: Held, now: Held) -> list[str]:
    """Returns what is held now and was not before, or the other way around, in words."""
    said = []
    for what, names in now.items():
        for change, some in (("", set(names) - set(before[what])), ("fewer ", set(before[what]) - set(names))):
            if some:
                shown = ": " + ", ".join(sorted(some)) if what in ("congestion controls", "pins", "settings") else ""
                said.append(f"{len(some)} {change}{what}{shown}")
    return said


def complaints() -> list[str]:
    """Returns the lines of the kernel's log that tell of a fault of its own."""
    log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    lines = []
    try:
        while True:
            lines.append(os.read(log, 8192).decode(errors="replace").partition(";")[2])
    except BlockingIOError:
        return [line.strip() for line in lines if re.search(r"BUG|WARNING|Oops|general protection|segfault", line)]
    finally:
        os.close(log)


def in_child(work: Callable[[], int]) -> int:
    """Returns what work in a process of its own ends with."""
    child = os.fork()
    if not child:
        code = 99
        try:
            code = work()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _namespaces() -> int:
    """Returns how many network namespaces there are but the first: the least limit at which there is no new one."""
    limit = _NAMESPACES.read_text()
    try:
        for most in range(100):
            _NAMESPACES.write_text(str(most))
            if in_child(lambda: C.unshare(_CLONE_NEWNET) != 0) == 0:
                # the one that was tried goes before the next count
                time.sleep(0.3)
                return most - 1
    finally:
        _NAMESPACES.write_text(limit)
    return 100


def _numbers(command: int) -> list[str]:
    numbers: list[str] = []
    last = 0
    while True:
        done, attributes = bpf(command, last.to_bytes(4, "little"))
        if done != 0:
            return numbers
        last = int.from_bytes(attributes[4:8], "little")
        numbers.append(str(last))


def _is_the_program(process: Path) -> bool:
    try:
        return process.name != "1" and (process / "cmdline").read_bytes().startswith(b"/init\0")
    except OSError:
        return False


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return "-"

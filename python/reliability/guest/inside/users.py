"""Users without rights, and machines that lack something: one line for each command, and nothing made."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reliability.guest.inside.kernel import PINS, C, held, more, settled
from reliability.guest.inside.program import call, run_arguments

FOLDER = Path("/tmp/users")
_TUN, _HIDDEN = Path("/dev/net/tun"), Path("/dev/net/hidden")
_NOBODY = 65534
_CLONE_NEWUSER, _PR_CAPBSET_DROP, _CAPABILITIES = 0x10000000, 24, 41
_MOUNT_RDONLY, _MOUNT_REMOUNT = 1, 32
BAD = 2


@dataclass(frozen=True)
class User:
    """A user that a command is carried out as."""

    name: str
    become: Callable[[], None]
    expected: str = ""
    """What each line must say."""


def attack(points: int, only: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yields a row for each user and command: `points` commands, or all if there are none."""
    FOLDER.mkdir(exist_ok=True)
    FOLDER.chmod(0o755)
    commands = [("install", "gallop"), ("echo", "lo"), ("status",), ("remove",), ("watch",), ("hold", "gallop")]
    commands.append(tuple(run_arguments(FOLDER)))
    for user in _users():
        for command in [one for one in commands[: points or None] if not only or one[0] in only]:
            yield _row(user.name, command, user.become, user.expected)
    for name, lacking in _LACKING.items():
        with lacking() as command:
            yield _row(name, command, lambda: None, "")


def _users() -> list[User]:
    return [
        User("another user", lambda: os.setuid(_NOBODY), "vegaslab linux needs root: run it with sudo"),
        User("root without capabilities", _without_capabilities, "vegaslab linux needs CAP_NET_ADMIN"),
        User("root of a user namespace", _own_namespace),
    ]


def _row(name: str, command: tuple[str, ...], become: Callable[[], None], expected: str) -> dict[str, Any]:
    clean = held()
    said = call(*command, before=become)
    # nothing is there to list, to watch or to remove: that is an answer, too
    problem = said.problem(BAD) if expected or said.code else None
    if problem is None and expected not in said.error:
        problem = f"said {said.error}"
    left = more(clean, settled(clean))
    problems = [*([problem] if problem else []), *([f"left {left}"] if left else [])]
    line = (said.error or said.out).splitlines()[-1:] or ["-"]
    return {"target": name, "stage": command[0], "left": left, "next": line[0], "problems": problems}


def _without_capabilities() -> None:
    for capability in range(_CAPABILITIES):
        C.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def _own_namespace() -> None:
    assert C.unshare(_CLONE_NEWUSER) == 0
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text("0 0 1")


@contextmanager
def _no_devices() -> Iterator[tuple[str, ...]]:
    _TUN.rename(_HIDDEN)
    try:
        yield tuple(run_arguments(FOLDER))
    finally:
        _HIDDEN.rename(_TUN)


@contextmanager
def _read_only() -> Iterator[tuple[str, ...]]:
    flags = _MOUNT_REMOUNT | _MOUNT_RDONLY
    assert C.mount(b"bpf", os.fsencode(PINS), b"bpf", flags, None) == 0
    try:
        yield ("install", "gallop")
    finally:
        C.mount(b"bpf", os.fsencode(PINS), b"bpf", _MOUNT_REMOUNT, None)


@contextmanager
def _no_output() -> Iterator[tuple[str, ...]]:
    yield (*run_arguments(FOLDER)[:2], "-o", "/proc/results")


@contextmanager
def _a_file_in_the_way() -> Iterator[tuple[str, ...]]:
    (PINS / "vegaslab").symlink_to("/tmp")
    try:
        yield ("install", "gallop")
    finally:
        (PINS / "vegaslab").unlink()


_LACKING = {
    "no /dev/net/tun": _no_devices,
    "a BPF file system that is read only": _read_only,
    "no place for results": _no_output,
    "a link in place of the folder": _a_file_in_the_way,
}

"""BPF objects and pins that are not this version's: damaged, renamed, or of other sizes. One line for each call."""

import random
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from reliability.guest.inside.kernel import ARRAY, PINS, RING, held, more, pinned_map, settled
from reliability.guest.inside.program import PROGRAM, call

FOLDER = Path("/tmp/objects")
INSTALLED = PINS / "vegaslab" / "vegas_gallop"
OPTION = PINS / "vegaslab-option"
_ELF = b"\x7fELF\x02\x01\x01"
_MACHINE_BPF = 247
_BAD = 2

Change = Callable[[bytearray], None]


def attack(points: int, only: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yields a row for each damage; `points` of them are random."""
    FOLDER.mkdir(exist_ok=True)
    for name, make in _pins().items():
        if not only or "pins" in only:
            yield _with_pins(name, make)
    for name, change in _changes(points).items():
        if not only or "object" in only:
            yield _with_object(name, change)


def _pins() -> dict[str, Callable[[], None]]:
    """Returns what may lie where this version has its own."""

    def installed(config: int, counts: int, trace: int, link: int) -> None:
        """Another version's installation: maps of these sizes, and a link if there is a size."""
        for name, value in (("config", config), ("counts", counts), ("traced_until", 8), ("link", link)):
            if value:
                pinned_map(ARRAY, value, 1, INSTALLED / name)
        pinned_map(trace, 4096 if trace == RING else 8, 4096 if trace == RING else 1, INSTALLED / "trace")

    return {
        "an installation with another configuration": lambda: installed(8, 16, RING, 8),
        "an installation with other counts": lambda: installed(4096, 8, RING, 8),
        "an installation with another trace": lambda: installed(4096, 16, ARRAY, 8),
        "an installation without maps": lambda: pinned_map(ARRAY, 8, 1, INSTALLED / "link"),
        "an installation that was not ended": lambda: pinned_map(ARRAY, 8, 1, INSTALLED / "config"),
        "an empty folder": lambda: INSTALLED.mkdir(parents=True),
        "a map in place of the folder": lambda: pinned_map(ARRAY, 8, 1, INSTALLED),
        "the option's map of another size": lambda: pinned_map(ARRAY, 8, 1, OPTION / "feedback"),
        "a device without links": lambda: pinned_map(ARRAY, 32, 1, OPTION / "devices" / "lo" / "counts"),
        "a device with other counts": lambda: pinned_map(ARRAY, 8, 1, OPTION / "devices" / "lo" / "counts"),
        "a device that is gone": lambda: (OPTION / "devices" / "gone0").mkdir(parents=True),
        "an empty device": lambda: (OPTION / "devices" / "lo").mkdir(parents=True),
    }


def _with_pins(name: str, make: Callable[[], None]) -> dict[str, Any]:
    """Calls each command over such pins; in the end `remove` has taken them away."""
    clean = held()
    make()
    problems: list[str] = []
    lines = []
    calls = [("status",), ("watch", "--seconds", "1"), ("install", "gallop"), ("install", "streak")]
    calls += [("echo", "lo"), ("install", "rovegas", "--device", "lo"), ("status",), ("remove",)]
    for command in calls:
        said = call(*command)
        problems += [f"{command}: {problem}"] if (problem := said.problem(0, _BAD)) else []
        lines += [f"{command[0]}: {said.error}"] if said.code else []
    problems += [f"remove: {problem}"] if (problem := call("remove").problem(0)) else []
    if left := more(clean, settled(clean)):
        problems.append(f"left in the end: {left}")
        _remove_by_hand()
    return {"target": "pins", "stage": name, "left": lines, "problems": problems}


def _remove_by_hand() -> None:
    """Leaves nothing of this attack to the next."""
    for path in sorted(PINS.glob("vegaslab*/**/*"), reverse=True) + list(PINS.glob("vegaslab*")):
        path.rmdir() if path.is_dir() else path.unlink()


def _changes(points: int) -> dict[str, Change]:
    """Returns what may be wrong with an object."""

    def named(old: bytes, new: bytes) -> Change:
        def rename(elf: bytearray) -> None:
            assert old in elf, f"the object has no {old!r}"
            elf[:] = elf.replace(old, new)

        return rename

    def cut(elf: bytearray) -> None:
        elf[len(elf) // 2 :] = bytes(len(elf) - len(elf) // 2)

    def flips(seed: int) -> Change:
        def flip(elf: bytearray) -> None:
            draw = random.Random(seed)
            for _ in range(draw.choice([1, 8, 64])):
                elf[draw.randrange(len(elf))] ^= 1 << draw.randrange(8)

        return flip

    known: dict[str, Change] = {
        "no ELF": lambda elf: elf.__setitem__(slice(0, 4), bytes(4)),
        "another processor's": lambda elf: elf.__setitem__(slice(18, 20), b"\x3e\0"),
        "cut in half": cut,
        "another name of the struct_ops map": named(b"vegas_window\0", b"vegas_windox\0"),
        "another name of the section struct_ops": named(b".struct_ops.link\0", b".struct_opt.link\0"),
        "another name of the configuration": named(b".rodata.config\0", b".rodata.confix\0"),
        "another name of the counts": named(b".data.counts\0", b".data.countz\0"),
        "no types": named(b".BTF\0", b".BTX\0"),
        "another member of the kernel's": named(b"cong_avoid\0", b"cong_avoix\0"),
    }
    return known | {f"random bits, seed {seed}": flips(seed) for seed in range(points)}


def _with_object(name: str, change: Change) -> dict[str, Any]:
    """Installs by a copy of the program with another object."""
    clean = held()
    program = FOLDER / "vegas-linux"
    _write(program, change)
    said = call("install", "gallop", program=str(program))
    problems = [problem] if (problem := said.problem(0, _BAD)) else []
    problems += [f"remove: {problem}"] if (problem := call("remove").problem(0)) else []
    if left := more(clean, settled(clean)):
        problems.append(f"left {left}")
    line = said.error.splitlines()[-1:] or ["-"]
    return {"target": "the object", "stage": name, "next": line[0], "left": left, "problems": problems}


def _write(program: Path, change: Change) -> None:
    """Writes a copy of the program in which the congestion control's object is changed."""
    content = Path(PROGRAM).read_bytes()
    at, end = next(place for place in _objects(content) if b"vegas_window\0" in content[slice(*place)])
    elf = bytearray(content[at:end])
    change(elf)
    program.write_bytes(content[:at] + elf + content[end:])
    program.chmod(0o755)


def _objects(content: bytes) -> Iterator[tuple[int, int]]:
    """Yields where BPF objects begin and end in the program; their section headers come last."""
    at = content.find(_ELF, 1)
    while at >= 0:
        (machine,) = struct.unpack_from("<H", content, at + 18)
        (sections,) = struct.unpack_from("<Q", content, at + 40)
        size, count = struct.unpack_from("<HH", content, at + 58)
        if machine == _MACHINE_BPF:
            yield at, at + sections + size * count
        at = content.find(_ELF, at + 1)

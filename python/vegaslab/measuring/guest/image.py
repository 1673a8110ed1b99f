"""The guest's file system: the program with its libraries, and the kernel's modules that a run may need."""

import lzma
import re
import shutil
import subprocess
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from vegaslab.measuring.guest.kernels import Kernel
from vegaslab.measuring.linux import LinuxError

MODULES = (
    *("tun", "sch_fq", "sch_ingress"),
    *("tcp_bbr", "tcp_bic", "tcp_cdg", "tcp_cubic", "tcp_dctcp", "tcp_highspeed", "tcp_htcp", "tcp_hybla"),
    *("tcp_illinois", "tcp_lp", "tcp_nv", "tcp_scalable", "tcp_vegas", "tcp_veno", "tcp_westwood", "tcp_yeah"),
)
"""The modules that are loaded if the kernel has them as such. Others are built in, or missing."""

_SUFFIX = re.compile(r"\.ko(\.xz|\.zst|\.gz)?$")
_FOLDER, _FILE, _PROGRAM = 0o040755, 0o100644, 0o100755


def initial_files(kernel: Kernel, program: Path, more: Collection[Path] = ()) -> bytes:
    """Returns the file system as the kernel reads it (cpio): the same bytes for the same files. `more` lie where they
    lie here. Raises `LinuxError`.
    """
    modules = list(_in_order(kernel, MODULES))
    order = "".join(f"{name}.ko\n" for name, _ in modules)
    files = [
        ("dev", _FOLDER, b""),
        ("init", _PROGRAM, program.read_bytes()),
        *_in_place({*more, *(library for binary in (program, *more) for library in _libraries(binary))}),
        ("modules", _FOLDER, b""),
        ("modules/order", _FILE, order.encode()),
        *((f"modules/{name}.ko", _FILE, content) for name, content in modules),
    ]
    return b"".join(_entry(number, *file) for number, file in enumerate([*files, ("TRAILER!!!", 0, b"")]))


def _libraries(binary: Path) -> Iterator[Path]:
    """Yields the libraries that a program or a library needs; none for another file."""
    said = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=False)
    if "not found" in said.stdout:
        raise LinuxError(f"{binary}: {said.stdout[: said.stdout.index(' =>')].split()[-1]} is missing, a library")
    # each line ends with a path and an address; a program that is linked statically has none
    yield from map(Path, re.findall(r"(/\S+) \(0x", said.stdout))


def _in_place(files: Iterable[Path]) -> Iterator[tuple[str, int, bytes]]:
    """Yields files by their paths, with the folders above them."""
    listed = sorted(map(str, files))
    folders = {above for file in listed for above in Path(file).parents}
    for folder in sorted(folders - {Path("/")}):
        yield str(folder)[1:], _FOLDER, b""
    for file in listed:
        yield file[1:], _PROGRAM, Path(file).read_bytes()


def _entry(number: int, name: str, mode: int, content: bytes) -> bytes:
    """Returns an entry in the format that cpio calls newc."""
    links = 2 if mode == _FOLDER else 1
    fields = (number, mode, 0, 0, links, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return _padded(head) + _padded(content)


def _padded(part: bytes) -> bytes:
    return part + b"\0" * (-len(part) % 4)


def _in_order(kernel: Kernel, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yields the modules by name, each after those that it needs."""
    # a file has - where another that needs it has _
    files = {_SUFFIX.sub("", file.name).replace("-", "_"): file for file in kernel.modules.rglob("*.ko*")}
    done: set[str] = set()

    def with_needed(name: str) -> Iterator[tuple[str, bytes]]:
        if name in done or name not in files:
            return
        done.add(name)
        content = _content(files[name])
        needed = re.search(rb"\0depends=([^\0]*)\0", content)
        for other in needed[1].decode().split(",") if needed else []:
            yield from with_needed(other.replace("-", "_"))
        yield name, content

    for name in names:
        yield from with_needed(name)


def _content(file: Path) -> bytes:
    packed = file.read_bytes()
    match file.suffix:
        case ".xz":
            return lzma.decompress(packed)
        case ".gz":
            return zlib.decompress(packed, wbits=31)
        case ".zst":
            if shutil.which("zstd") is None:
                raise LinuxError(f"{file}: zstd is missing, which unpacks it (apt-get install zstd)")
            return subprocess.run(["zstd", "-dc"], input=packed, capture_output=True, check=True).stdout
    return packed

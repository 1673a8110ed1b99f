"""Kernels for the guest: those that Debian's packages have installed, and those that were fetched without root."""

import os
import re
import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from vegaslab.measuring.linux import LinuxError
from vegaslab.util.folder import sync_folder, user_cache

VERSIONS = ("6.12", "6.1")
"""The versions of Debian 12, the default first."""

_BOOT = Path("/boot")
_ROOT = Path("/")
_MODULES = Path("lib/modules")


@dataclass(frozen=True)
class Kernel:
    """A kernel's image, and the folder of its modules."""

    release: str
    image: Path
    modules: Path

    @property
    def version(self) -> str:
        """The first two numbers of the release, such as "6.12"."""
        return ".".join(self.release.split(".")[:2])


def find(wanted: str | None = None) -> Kernel:
    """Returns the kernel that `wanted` names: a version, a release, an image's file, or an unpacked package's folder.

    Without it: of the fetched and installed ones the newest of the default version, or else the newest. Raises
    `LinuxError`.
    """
    if wanted is not None and ("/" in wanted or Path(wanted).exists()):
        return _at(Path(wanted))
    known = list(found())
    if wanted is not None:
        chosen = [kernel for kernel in known if wanted in (kernel.release, kernel.version)]
    else:
        chosen = [kernel for kernel in known if kernel.version == VERSIONS[0]] or known
    if not chosen:
        raise LinuxError(f"no kernel{f' {wanted}' if wanted else ''} was found; {_REMEDY}")
    return max(chosen, key=lambda kernel: _order(kernel.release))


def found() -> Iterator[Kernel]:
    """Yields the kernels that were fetched, and those of this machine that its users may read."""
    for folder in sorted((user_cache() / "kernels").glob("*")):
        yield from _in_package(folder)
    for image in sorted(_BOOT.glob("vmlinuz-*")):
        release = image.name.removeprefix("vmlinuz-")
        modules = _ROOT / _MODULES / release
        if modules.is_dir() and os.access(image, os.R_OK):
            yield Kernel(release, image, modules)


def fetch(version: str) -> Kernel:
    """Fetches Debian's kernel of a version by apt-get, and unpacks it without installing it. Raises `LinuxError`."""
    missing = [name for name in ("apt-cache", "apt-get", "dpkg-deb") if shutil.which(name) is None]
    if missing:
        raise LinuxError(f"{missing[0]} is missing, so Debian's kernels cannot be fetched; --kernel FILE names another")
    package = _package(version)
    target = user_cache() / "kernels" / package
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=".fetch-") as place:
            _run(["apt-get", "download", "--quiet", "--quiet", package], Path(place))
            (archive,) = Path(place).glob("*.deb")
            _run(["dpkg-deb", "--extract", archive.name, "unpacked"], Path(place))
            (Path(place) / "unpacked").rename(target)
            sync_folder(target.parent)
    return next(_in_package(target))


def build_of(image: Path) -> str:
    """Returns release and build as a kernel's image has them (Documentation/arch/x86/boot.rst). Raises `LinuxError`."""
    try:
        with image.open("rb") as file:
            head = file.read(1 << 16)
    except OSError as error:
        raise LinuxError(f"{image}: {error.strerror}; give a kernel's image, such as /boot/vmlinuz-6.12.0") from None
    if head[0x202:0x206] != b"HdrS":
        raise LinuxError(f"{image}: is no kernel's image for x86-64; give one, such as /boot/vmlinuz-6.12.0")
    (offset,) = struct.unpack_from("<H", head, 0x20E)
    return head[0x200 + offset :].split(b"\0", 1)[0].decode(errors="replace")


_REMEDY = "vegaslab kernel fetch downloads Debian's, --kernel FILE names one"


def _at(place: Path) -> Kernel:
    if place.is_dir():
        kernel = next(_in_package(place), None)
        if kernel is None:
            raise LinuxError(f"{place}: has no boot/vmlinuz-* with its modules; give an unpacked package, or an image")
        return kernel
    release = build_of(place).split(" ", 1)[0]
    beside = place.resolve().parent.parent
    roots = [beside, beside / "usr", _ROOT]
    modules = next((folder for root in roots if (folder := root / _MODULES / release).is_dir()), None)
    if modules is None:
        raise LinuxError(f"{place}: no modules of {release} in {beside / _MODULES} or {_ROOT / _MODULES}")
    return Kernel(release, place, modules)


def _in_package(folder: Path) -> Iterator[Kernel]:
    for image in sorted((folder / "boot").glob("vmlinuz-*")):
        release = image.name.removeprefix("vmlinuz-")
        for root in (folder, folder / "usr"):
            if (root / _MODULES / release).is_dir():
                yield Kernel(release, image, root / _MODULES / release)


def _package(version: str) -> str:
    """Returns the package of a version: the kernel for virtual machines, which is smaller, or else the general one."""
    for meta in (
        f"linux-image-{version}-cloud-amd64",
        "linux-image-cloud-amd64",
        f"linux-image-{version}-amd64",
        "linux-image-amd64",
    ):
        said = subprocess.run(["apt-cache", "depends", meta], capture_output=True, text=True, check=False).stdout
        for package in re.findall(r"Depends: (linux-image-\S+)", said):
            if package.startswith(f"linux-image-{version}."):
                return str(package)
    raise LinuxError(
        f"no package of apt-get has Linux {version}; Debian 12 has {' and '.join(VERSIONS)} (after apt-get update)"
    )


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise LinuxError(f"{' '.join(command)}: {said[-1] if said else done.returncode}")


def _order(release: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", release)]

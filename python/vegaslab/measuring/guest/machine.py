"""The machine of a run: a kernel and its first files, booted for this run alone, and a description of both."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from vegaslab.measuring.guest import qemu
from vegaslab.measuring.guest.exchange import Exchange
from vegaslab.measuring.guest.image import initial_files
from vegaslab.measuring.guest.kernels import Kernel, build_of
from vegaslab.measuring.guest.qemu import Machine, kernel_arguments


class Description:
    """What a machine is made of."""

    def __init__(self, kernel: Kernel, program: Path) -> None:
        """Reads kernel and program. Raises `LinuxError` for what is missing."""
        self._found = qemu.find()
        self._kernel = kernel
        self._files = initial_files(kernel, program)
        _, _, _, _, *parameters = kernel_arguments(kernel, Path("files"))
        self.about: dict[str, Any] = {
            "qemu": self._found.version,
            "kernel": kernel.release,
            "kernel_build": build_of(kernel.image),
            "kernel_sha256": _sha256(kernel.image.read_bytes()),
            "files_sha256": _sha256(self._files),
            "program_sha256": _sha256(program.read_bytes()),
            "machine": " ".join([*qemu.arguments(), *parameters]),
        }

    @contextmanager
    def booted(self, exchange: Exchange) -> Iterator[Machine]:
        """Boots a machine, which reads the request of `exchange`."""
        with NamedTemporaryFile(prefix="vegaslab-") as files:
            files.write(self._files)
            files.flush()
            described = [*qemu.arguments(), *kernel_arguments(self._kernel, Path(files.name))]
            with Machine(self._found, described, exchange) as machine:
                yield machine


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

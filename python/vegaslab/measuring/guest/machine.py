"""The machine of runs: a kernel and its first files, booted once, and a description of both."""

import hashlib
from collections.abc import Collection
from functools import cached_property
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from vegaslab.measuring.guest import qemu
from vegaslab.measuring.guest.image import initial_files
from vegaslab.measuring.guest.kernels import Kernel, build_of
from vegaslab.measuring.guest.qemu import kernel_arguments
from vegaslab.measuring.guest.saved import Saved


class Description:
    """What a machine is made of."""

    def __init__(self, kernel: Kernel, program: Path, more: Collection[Path] = ()) -> None:
        """Reads kernel, program, and `more` files of the guest. Raises `LinuxError` for what is missing."""
        self._found = qemu.find()
        self._kernel = kernel
        self._files = initial_files(kernel, program, more)
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

    @cached_property
    def saved(self) -> Saved:
        """The machine as each run begins, which is booted for the first of them. Raises `LinuxError`."""
        with NamedTemporaryFile(prefix="vegaslab-") as files:
            files.write(self._files)
            files.flush()
            return Saved(self._found, qemu.arguments(), kernel_arguments(self._kernel, Path(files.name)))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

"""QEMU: found, started with a clock that counts instructions, and ended with its user."""

import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from vegaslab.measuring.guest.exchange import BYTES, Exchange
from vegaslab.measuring.guest.kernels import Kernel
from vegaslab.measuring.linux import LinuxError

_PROGRAM = "qemu-system-x86_64"
MEMORY_MB = 1024
"""The guest's memory. Pages that the guest does not use take none."""

_CPU = "qemu64,+fsgsbase,+rdtscp"
"""A processor without instructions that draw random numbers, and without those that move bytes one by one: of these
each byte counts as an instruction."""

_CLOCK = "shift=0,sleep=off,rr=record,rrfile=/dev/null"
"""A nanosecond an instruction, and idle time is skipped. The record is not wanted, but what QEMU does for its sake: the
thread that skips waits while the processor runs. Else it may see the processor halted before its last instructions are
counted, and skip too far, by some tens of nanoseconds: docs/kernel-world.md."""

_PARAMETERS = (
    # each run has the same addresses
    *("console=ttyS0", "quiet", "panic=-1", "nokaslr", "norandmaps"),
    # one clock, that of instructions, and one timer
    *("tsc=reliable", "nolapic_timer", "nr_cpus=1", "cpuidle.off=1"),
    # work that a machine for one run does not need
    *("mitigations=off", "init_on_alloc=0", "hardened_usercopy=off", "randomize_kstack_offset=off"),
    *("audit=0", "lsm=capability", "psi=0", "nowatchdog", "cgroup_disable=memory", "nosmap", "nosmep"),
    # no thread delays the router by work on memory
    *("preempt=full", "transparent_hugepage=never"),
)


class EndedError(LinuxError):
    """A guest came to its limit, or ended without what was asked of it: one line."""


@dataclass(frozen=True)
class Qemu:
    """The program and its version."""

    program: str
    version: str


def find() -> Qemu:
    """Returns the QEMU of this machine. Raises `LinuxError` if there is none."""
    program = shutil.which(_PROGRAM)
    if program is None:
        raise LinuxError(f"{_PROGRAM} is missing: apt-get install qemu-system-x86 (docs/kernel-world.md)")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"version (\S+(?: \(\S+ \S+\))?)", said)
    if version is None:
        raise LinuxError(f"{program}: prints no version")
    return Qemu(program, version[1])


def arguments() -> list[str]:
    """Returns the machine's description but its kernel: with QEMU's version, it decides the results of a run."""
    return [
        *("-no-user-config", "-nodefaults", "-display", "none", "-no-reboot"),
        *("-machine", "q35,usb=off,vmport=off,memory-backend=ram,suppress-vmdesc=on"),
        *("-m", str(MEMORY_MB), "-smp", "1"),
        *("-cpu", _CPU, "-accel", "tcg,thread=single,tb-size=256", "-icount", _CLOCK),
        *("-rtc", "base=2020-01-01,clock=vm", "-seed", "1"),
        # what stops a machine that has booted, and a state that names neither machine nor condition
        *("-device", "i6300esb,addr=0x11", "-action", "watchdog=pause"),
        *("-global", "migration.send-configuration=off", "-global", "migration.store-global-state=off"),
    ]


class Machine:
    """A guest. It ends with the block that has it; where setpriv is installed, also with a process that is killed."""

    def __init__(self, qemu: Qemu, described: Sequence[str], exchange: Exchange, files: Sequence[int]) -> None:
        """Starts a machine, which shares the memory of `exchange` with this process. Its description may name
        `files` by their numbers.
        """
        self._console = os.memfd_create("vegaslab-console")
        command = [
            *_WITH_PARENT,
            *(qemu.program, *described),
            *_shared(exchange.file),
            *("-chardev", f"file,id=console,path=/dev/fd/{self._console}", "-serial", "chardev:console"),
        ]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=(exchange.file, self._console, *files),
        )

    def __enter__(self) -> Self:
        """Returns the machine."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends it."""
        self._process.kill()
        self._process.communicate()
        os.close(self._console)

    def wait(self, limit_s: float, stop: threading.Event | None = None) -> None:
        """Waits until the guest has switched itself off. Raises `LinuxError` after `limit_s`, and `KeyboardInterrupt`
        once `stop` is set.
        """
        until = time.monotonic() + limit_s
        while self._process.poll() is None:
            if stop is not None and stop.is_set():
                raise KeyboardInterrupt
            if time.monotonic() >= until:
                raise self.not_ended_in(limit_s)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(min(_GLANCE_S, max(until - time.monotonic(), 0.0)))
        if self._process.returncode != 0:
            raise LinuxError(self._said())

    def console(self) -> str:
        """Returns what the guest's kernel has printed."""
        size = os.fstat(self._console).st_size
        return os.pread(self._console, size, 0).decode(errors="replace").replace("\r", "")

    def not_ended_in(self, limit_s: float) -> EndedError:
        """Returns the error of a guest that has come to its limit."""
        return EndedError(f"the guest did not end in {limit_s:g} s{self._last_words()}")

    def ended_without(self, what: str) -> EndedError:
        """Returns the error of a guest that has ended without this."""
        return EndedError(f"the guest ended without {what}{self._last_words()}")

    def _last_words(self) -> str:
        lines = [line for line in self.console().splitlines() if line.strip()]
        # after the program's own line the kernel prints that it goes off
        said = [line for line in lines if line.startswith(_PROGRAM_SAYS)] or lines
        return f"; its last line: {said[-1]}" if said else ""

    def _said(self) -> str:
        _, said = self._process.communicate()
        lines = said.strip().splitlines()
        return lines[-1] if lines else f"QEMU ended with {self._process.returncode}{self._last_words()}"


def _shared(file: int) -> list[str]:
    """Describes the device with the shared memory."""
    memory = f"memory-backend-file,id=exchange,size={BYTES},mem-path=/dev/fd/{file},share=on"
    return ["-object", memory, "-device", "ivshmem-plain,memdev=exchange,addr=0x10,master=on"]


_PROGRAM_SAYS = "vegaslab: "
"""The beginning of the lines that the guest's program prints (crates/vegas-linux/src/guest.rs)."""

_GLANCE_S = 0.5
"""The time between looks at whether a guest is still wanted."""

_WITH_PARENT = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
"""What ends QEMU when this process is killed."""


def kernel_arguments(kernel: Kernel, initial_files: Path) -> list[str]:
    """Returns the rest of the machine's description."""
    return ["-kernel", str(kernel.image), "-initrd", str(initial_files), "-append", " ".join(_PARAMETERS)]

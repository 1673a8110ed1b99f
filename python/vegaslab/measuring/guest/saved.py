"""A machine that has booted: it is saved where its own clock has stopped it, and each run begins with a copy of it."""

import json
import os
import socket
import weakref
from collections.abc import Sequence
from contextlib import ExitStack

from vegaslab.measuring.guest.exchange import Exchange
from vegaslab.measuring.guest.qemu import MEMORY_MB, Machine, Qemu
from vegaslab.measuring.linux import LinuxError

_BOOT_LIMIT_S = 300.0
"""The limit of the boot by the clock of this machine: far above what the slowest boot takes."""


class Saved:
    """The memory of a machine, which copies share until they write to it, and the state of its devices."""

    def __init__(self, qemu: Qemu, described: Sequence[str], booted_from: Sequence[str]) -> None:
        """Boots a machine of this description from a kernel, and saves it. Raises `LinuxError`."""
        self._qemu, self._described = qemu, described
        self._memory = os.memfd_create("vegaslab-memory")
        weakref.finalize(self, os.close, self._memory)
        os.ftruncate(self._memory, MEMORY_MB << 20)
        with ExitStack() as places:
            exchange = Exchange()
            places.callback(exchange.close)
            monitor, theirs = (places.enter_context(end) for end in socket.socketpair())
            state = os.memfd_create("vegaslab-state")
            places.callback(os.close, state)
            controlled = ["-chardev", f"socket,id=monitor,fd={theirs.fileno()}", "-mon", "chardev=monitor,mode=control"]
            described = [*described, *_memory_of(self._memory, "on"), *booted_from, *controlled]
            files = [self._memory, theirs.fileno(), state]
            with Machine(qemu, described, exchange, files) as machine:
                theirs.close()
                _save_when_stopped(machine, monitor, state)
            self._state = os.pread(state, os.fstat(state).st_size, 0)

    def copy(self, exchange: Exchange) -> Machine:
        """Starts a copy, which goes on where the machine has stopped."""
        state = os.memfd_create("vegaslab-state")
        try:
            os.pwrite(state, self._state, 0)
            described = [*self._described, *_memory_of(self._memory, "off"), "-incoming", f"fd:{state}"]
            return Machine(self._qemu, described, exchange, [self._memory, state])
        finally:
            os.close(state)


def _memory_of(file: int, share: str) -> list[str]:
    """Describes memory that has a file's content; it is written to the file if it shares it."""
    return ["-object", f"memory-backend-file,id=ram,size={MEMORY_MB}M,mem-path=/dev/fd/{file},share={share}"]


def _save_when_stopped(machine: Machine, monitor: socket.socket, state: int) -> None:
    """Waits until a machine has stopped itself, and writes the state of its devices into a file."""
    monitor.settimeout(_BOOT_LIMIT_S)
    with monitor.makefile("rwb") as lines:

        def until(key: str, *values: object) -> None:
            for line in lines:
                message = json.loads(line)
                if "error" in message:
                    raise LinuxError(f"the guest was not saved: {message['error']['desc']}")
                if key in message and (not values or message[key] in values):
                    return
            raise ConnectionError

        def carry_out(command: str, **parameters: str) -> None:
            lines.write(json.dumps({"execute": command, "arguments": parameters}).encode())
            lines.flush()

        try:
            carry_out("qmp_capabilities")
            until("event", "STOP")
            # the state of devices alone, for the memory is in a file; QEMU has the command for the sake of Xen
            carry_out("xen-save-devices-state", filename=f"/dev/fd/{state}")
            until("return")
        except TimeoutError:
            raise machine.not_ended_in(_BOOT_LIMIT_S) from None
        except ConnectionError:
            machine.wait(_BOOT_LIMIT_S)
            raise machine.ended_without("being saved") from None

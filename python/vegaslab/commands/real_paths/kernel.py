"""`--world kernel` of commands that run scenarios, and `vegaslab kernel`: which kernels there are, and fetching one."""

import argparse
from typing import TYPE_CHECKING, Any

from vegaslab.commands.parsing import OK, Commands, Parser, UsageError

if TYPE_CHECKING:
    from vegaslab.measuring.guest.world import KernelWorld

SIMULATOR, BPF = "simulator", "kernel-bpf"


def add_world(parser: argparse.ArgumentParser, *, many: bool = False) -> None:
    """Adds the options that say where a scenario is carried out."""
    more = "; may be repeated, for several beside each other" if many else ""
    parser.add_argument(
        "--world",
        choices=(SIMULATOR, "kernel", BPF),
        action="append" if many else "store",
        help="simulator (default), or kernel: Linux in a virtual machine, without root, the same bytes each time, with "
        f"the kernel's own algorithms where it has them; kernel-bpf: with vegaslab's in all flows{more}",
    )
    parser.add_argument(
        "--kernel",
        metavar="KERNEL",
        action="append" if many else "store",
        help="the kernel of --world kernel: a version such as 6.12 (vegaslab kernel list), or the file of an image "
        f"(default: the newest 6.12){more}",
    )


def worlds_of(options: argparse.Namespace) -> "list[KernelWorld | None]":
    """Returns the worlds, each once; None is the simulator. Raises `UsageError`, `LinuxError`."""
    given = [options.world] if isinstance(options.world, str) else options.world or [SIMULATOR]
    names = list(dict.fromkeys(given))
    if names == [SIMULATOR] and options.kernel is not None:
        raise UsageError("--kernel goes with --world kernel")
    if names == [SIMULATOR]:
        return [None]
    # imported here: a run in the simulator need not wait for it
    from vegaslab.measuring.guest.world import KernelWorld

    kernels = list(dict.fromkeys(options.kernel)) if isinstance(options.kernel, list) else [options.kernel]
    return [
        world
        for name in names
        for world in ([None] if name == SIMULATOR else [KernelWorld(kernel, bpf=name == BPF) for kernel in kernels])
    ]


def switches(options: argparse.Namespace) -> list[str]:
    """Returns the options that a run passes on to the guest."""
    return [f"--{name}" for name in ("csv", "pcapng") if getattr(options, name)]


def about(world: dict[str, Any]) -> str:
    """Returns a line about the machine of a run."""
    median, latest, bound = (world[f"lateness_{name}_us"] for name in ("median", "max", "bound"))
    verdict = "" if world["trustworthy"] else ": more than half a packet's time"
    machine = f"Linux {world['kernel']} in QEMU {world['qemu'].split(' ')[0]}"
    return f"{machine}; packets late by {median:.0f} us (median), {latest:.0f} us (most) of {bound:.0f} us{verdict}"


def add(commands: Commands) -> None:
    """Adds the command."""
    kernel = commands.add_parser("kernel", help="the kernels of --world kernel: docs/kernel-world.md")
    actions = kernel.add_subparsers(required=True, metavar="ACTION", parser_class=Parser)
    listing = actions.add_parser("list", help="list the kernels that were found, the default one first")
    listing.set_defaults(action=_list)
    fetching = actions.add_parser("fetch", help="fetch Debian's kernel of a version, without root")
    fetching.add_argument("version", nargs="?", default="6.12", metavar="VERSION", help="6.12 (default) or 6.1")
    fetching.set_defaults(action=_fetch)


def _list(_options: argparse.Namespace) -> int:
    # imported here: other commands need not wait for it
    from vegaslab.measuring.guest import kernels

    default = kernels.find()
    others = [kernel for kernel in kernels.found() if kernel != default]
    for kernel in [default, *others]:
        print(f"{kernel.release:28}  {kernel.image}")
    return OK


def _fetch(options: argparse.Namespace) -> int:
    # imported here: other commands need not wait for it
    from vegaslab.measuring.guest import kernels

    kernel = kernels.fetch(options.version)
    print(f"{kernel.release}: {kernel.image}")
    return OK

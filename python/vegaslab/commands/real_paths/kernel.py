"""`--world kernel` of commands that run scenarios, and `vegaslab kernel`: which kernels there are, and fetching one."""

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vegaslab._vegaslab import Scenario
from vegaslab.commands.parsing import OK, Commands, Parser, UsageError
from vegaslab.measuring.guest import kernels
from vegaslab.measuring.guest.world import World, run
from vegaslab.runs.result import Result
from vegaslab.scenario import link
from vegaslab.scenario.source import find, shipped_scenarios

SIMULATOR = "simulator"
_KERNEL, _KERNEL_BPF = "kernel", "kernel-bpf"
WORLDS = (SIMULATOR, _KERNEL, _KERNEL_BPF)


def add_world(parser: argparse.ArgumentParser, *, many: bool = False) -> None:
    """Adds the options that say where a scenario is carried out."""
    more = "; may be repeated, for several beside each other" if many else ""
    parser.add_argument(
        "--world",
        choices=WORLDS,
        action="append" if many else "store",
        help="simulator (default), or kernel: Linux in a virtual machine, without root, the same bytes each time, with "
        f"the kernel's own algorithms where it has them; kernel-bpf: with vegaslab's in all flows{more}",
    )
    parser.add_argument(
        "--kernel",
        metavar="KERNEL",
        help="the kernel of --world kernel: a version such as 6.12 (vegaslab kernel list), or the file of an image "
        "(default: the newest 6.12)",
    )


def worlds_of(options: argparse.Namespace) -> dict[str, World | None]:
    """Returns the worlds by name; none for the simulator. Raises `UsageError` for options that do not go together."""
    names: Sequence[str] = options.world or [SIMULATOR]
    if isinstance(names, str):
        names = [names]
    if all(name == SIMULATOR for name in names):
        if options.kernel is not None:
            raise UsageError("--kernel goes with --world kernel")
        return {SIMULATOR: None}
    kernel = kernels.find(options.kernel)
    return {name: None if name == SIMULATOR else World(kernel, name == _KERNEL) for name in dict.fromkeys(names)}


def carry_out(scenario: Scenario, world: World, places: ExitStack, options: argparse.Namespace) -> Result:
    """Carries a scenario out in the kernel; its results lie in a folder of `places`. Raises `LinuxError`."""
    folder = Path(places.enter_context(TemporaryDirectory(prefix="vegaslab-"))) / "results"
    switches = [f"--{name}" for name in ("csv", "pcapng") if getattr(options, name)]
    return run(scenario, folder_of(options.file), folder, world, *switches)


def folder_of(given: str) -> Path:
    """Returns the folder from which a scenario names files: its own, or the present one if it is no file."""
    if "\n" in given or link.is_link(given):
        return Path()
    return find(given, shipped_scenarios(), "scenario").parent


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
    default = kernels.find()
    others = [kernel for kernel in kernels.found() if kernel != default]
    for kernel in [default, *others]:
        print(f"{kernel.release:28}  {kernel.image}")
    return OK


def _fetch(options: argparse.Namespace) -> int:
    kernel = kernels.fetch(options.version)
    print(f"{kernel.release}: {kernel.image}")
    return OK

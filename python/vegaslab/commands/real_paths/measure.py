"""`vegaslab linux receive` and `vegaslab linux measure`: compare algorithms by equal transfers on real paths."""

import argparse
import contextlib
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from vegaslab.commands.parsing import OK, Commands, UsageError
from vegaslab.measuring.linux import LinuxError
from vegaslab.measuring.receiver import HEADER, PORT, Limits, Receiver, place
from vegaslab.measuring.sender import TransferError
from vegaslab.measuring.transfers import size_bytes, size_text
from vegaslab.reports.summary import aligned
from vegaslab.util.ending import interrupted
from vegaslab.util.progress import TransferProgress
from vegaslab.util.terminal import complain
from vegaslab.util.text import plus_minus

if TYPE_CHECKING:
    from vegaslab.measuring.campaign import Cell, Journal, Plan, Row
    from vegaslab.measuring.paths import Emulated, Host
    from vegaslab.statistics import Ratio

    Paths = dict[str, Host | Emulated]

_T = TypeVar("_T")


def add(actions: Commands) -> None:
    """Adds both commands to `vegaslab linux`."""
    receive = actions.add_parser("receive", help="take in the bytes of vegaslab linux measure; needs no root")
    receive.add_argument("--listen", default=f"0.0.0.0:{PORT}", metavar="ADDRESS:PORT", help="default: %(default)s")
    limits = Limits()
    receive.add_argument("--max-connections", type=int, default=limits.connections, metavar="N", help="at once")
    receive.add_argument(
        "--max-bytes", type=size_bytes, default=limits.size, metavar="SIZE", help="of one transfer (default: 4gb)"
    )
    receive.add_argument("--max-seconds", type=float, default=limits.seconds, metavar="S", help="of one transfer")
    receive.set_defaults(action=_receive)

    measure = actions.add_parser("measure", help="transfers to a host, or over an emulated path, with intervals")
    add = measure.add_argument
    add("hosts", nargs="*", metavar="HOST[:PORT]", help="where vegaslab linux receive runs")
    add("--emulate", action="append", default=[], metavar="FILE", help="a scenario's network instead; may be repeated")
    add("--sizes", type=_sizes, metavar="SIZE,...", help="such as 480kb,5mb (default: those of Gallop-Vegas's table 5)")
    add(
        "-a",
        "--algorithm",
        action="append",
        metavar="NAME",
        help="a preset, or a congestion control of the kernel's own as kernel:cubic; "
        "others are compared with the first (default: -a vegas -a gallop)",
    )
    add("--repeat", type=int, default=5, metavar="N", help="rounds, each with all of them once (default: 5)")
    add(
        "--pause",
        type=float,
        default=1.0,
        metavar="S",
        help="before each transfer to a host (default: 1; the paper: 60)",
    )
    add("--seed", type=int, default=1, metavar="N", help="of the order (default: 1)")
    add("--max-seconds", type=float, default=600.0, metavar="S", help="of one transfer to a host (default: 600)")
    add("-o", "--output", type=Path, metavar="DIR", help="keeps the transfers there, and goes on where it stopped")
    add("--json", action="store_true", help="plan, transfers and table as JSON")
    measure.set_defaults(action=_measure)


def _receive(options: argparse.Namespace) -> int:
    for name in ("max_connections", "max_seconds"):
        _check_above_zero(name, getattr(options, name))
    limits = Limits(connections=options.max_connections, size=options.max_bytes, seconds=options.max_seconds)
    address = _address(options.listen)

    def say(line: str) -> None:
        print(line, flush=True)

    try:
        receiver = Receiver(address, limits, say)
    except OSError as error:
        raise UsageError(f"--listen {options.listen}: {error.strerror or error}") from None
    with contextlib.suppress(KeyboardInterrupt):
        say(f"listening at {place((address[0], receiver.port))}; Ctrl-C ends it")
        receiver.serve()
    receiver.close()
    return OK


def _measure(options: argparse.Namespace) -> int:
    # imported here: other commands need not wait for it
    from vegaslab.measuring.campaign import Journal, measure
    from vegaslab.measuring.paths import congestion_controls

    plan, emulations = _plan(options)
    addresses = {host: _address(host) for host in options.hosts}
    controls = congestion_controls(plan.algorithms if options.hosts else [])
    with controls as congestion, Journal(options.output, plan) as journal:
        paths = emulations | _hosts(options, addresses, congestion)
        ended: KeyboardInterrupt | str | None = None
        try:
            with TransferProgress() as progress:
                measure(
                    plan,
                    journal,
                    lambda number, cell: paths[cell.path].transfer(number, cell),
                    lambda number, all_, cell: progress(number, all_, _text(cell)),
                )
        except KeyboardInterrupt as interrupt:
            # the transfers made so far are reported
            ended = interrupt
        except (TransferError, LinuxError) as error:
            ended = str(error)
    _report(options, plan, journal)
    if ended is None:
        return OK
    count = f"{len(journal.done)} of {len(plan.order())} transfers"
    kept = f"{count} are in {options.output}; the same command goes on" if options.output else f"{count} were made"
    if not isinstance(ended, KeyboardInterrupt):
        raise TransferError(f"{ended} ({kept})")
    complain(f"interrupted; {kept}")
    return interrupted(ended)


def _plan(options: argparse.Namespace) -> tuple["Plan", "Paths"]:
    """Returns the plan of the measurement, and the emulated paths by their names."""
    from vegaslab.measuring.campaign import TABLE5_SIZES, Plan
    from vegaslab.measuring.paths import KERNELS, emulated

    algorithms = options.algorithm or ["vegas", "gallop"]
    emulations = [emulated(file) for file in options.emulate]
    _check_above_zero("repeat", options.repeat)
    _check_above_zero("max_seconds", options.max_seconds)
    if not 0 <= options.pause < math.inf:
        raise UsageError(f"--pause: {options.pause:g} was given; seconds, 0 or more")
    if emulations and (kernels := [name for name in algorithms if name.startswith(KERNELS)]):
        raise UsageError(f"-a {kernels[0]}: on an emulated path only the family's algorithms are measured")
    paths = _each_once("HOST, --emulate", [*options.hosts, *(emulation.name for emulation in emulations)])
    if not paths:
        raise UsageError("no path: give a HOST on which vegaslab linux receive runs, or --emulate FILE")
    plan = Plan(
        paths=paths,
        sizes_bytes=options.sizes or TABLE5_SIZES,
        algorithms=_each_once("-a", algorithms),
        repeat=options.repeat,
        seed=options.seed,
    )
    return plan, {emulation.name: emulation for emulation in emulations}


def _hosts(options: argparse.Namespace, addresses: dict[str, tuple[str, int]], congestion: dict[str, str]) -> "Paths":
    from vegaslab.measuring.paths import Host

    return {
        host: Host(address=address, congestion=congestion, pause_s=options.pause, limit_s=options.max_seconds)
        for host, address in addresses.items()
    }


def _report(options: argparse.Namespace, plan: "Plan", journal: "Journal") -> None:
    from vegaslab.measuring.campaign import as_json, table

    rows = table(plan, journal.done)
    journal.write_table(rows)
    if options.json:
        print(json.dumps(as_json(plan, journal.done, rows)))
    elif rows:
        print("\n".join(_lines(plan, rows)))
        print(f"\nintervals: 95 %; ratios: geometric means of the rounds' throughput over {plan.algorithms[0]}'s")


def _lines(plan: "Plan", rows: "Sequence[Row]") -> list[str]:
    over = f"over {plan.algorithms[0]}"
    measured = ["transfers", "done s", "throughput Mb/s", over, "resent segments", "late transfers"]
    titles = ["path", "size", "algorithm", *measured]
    cells = [
        [
            row.path,
            size_text(row.size_bytes),
            row.algorithm,
            str(row.completion_s.values),
            plus_minus(row.completion_s.mean, row.completion_s.half_width),
            plus_minus(row.throughput_mbps.mean, row.throughput_mbps.half_width),
            _ratio(row.over_first),
            f"{row.retransmits:.1f}",
            "-" if row.late is None else str(row.late),
        ]
        for row in rows
    ]
    return aligned(titles, cells, keys=3)


def _ratio(ratio: "Ratio | None") -> str:
    if ratio is None:
        return "-"
    if math.isnan(ratio.low):
        return f"{ratio.ratio:.3f}"
    return f"{ratio.ratio:.3f} ({ratio.low:.3f} to {ratio.high:.3f})"


def _text(cell: "Cell") -> str:
    return f"{cell.path} {size_text(cell.size_bytes)} {cell.algorithm}"


def _sizes(text: str) -> tuple[int, ...]:
    sizes = [size_bytes(size) for size in text.split(",")]
    small = [size for size in sizes if size < HEADER.size]
    if small:
        raise argparse.ArgumentTypeError(f"{small[0]} bytes; at least {HEADER.size}")
    return _each_once("--sizes", sizes)


def _each_once(what: str, values: Sequence[_T]) -> tuple[_T, ...]:
    twice = [value for value in values if values.count(value) > 1]
    if twice:
        raise UsageError(f"{what}: {twice[0]} was given twice")
    return tuple(values)


def _address(text: str) -> tuple[str, int]:
    """Parses host and port; an IPv6 address with a port stands in brackets."""
    host, colon, port = text.rpartition(":")
    if not colon or (":" in host.strip("[]") and not host.startswith("[")):
        host, port = text, str(PORT)
    if not host.strip("[]") or not port.isdigit() or int(port) > 65_535:
        raise UsageError(f"{text}: write HOST or HOST:PORT, an IPv6 address in brackets")
    return host.strip("[]"), int(port)


def _check_above_zero(name: str, value: float) -> None:
    if not 0 < value < math.inf:
        raise UsageError(f"--{name.replace('_', '-')}: {value:g} was given; more than 0")

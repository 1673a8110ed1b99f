"""`vegaslab trace`: what a file of recorded rates or delays is taken for, and its conversion to our own format."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from vegaslab import _vegaslab
from vegaslab.commands.parsing import OK, Commands, UsageError
from vegaslab.measuring.watching import sparkline
from vegaslab.util.folder import write_new
from vegaslab.util.text import printable

if TYPE_CHECKING:
    from vegaslab._vegaslab import TraceInfo

_BYTES_MAX = 256 << 20
_WIDTH = 60


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("trace", help="show and convert a trace of rates or delays, as links follow them")
    add = parser.add_argument
    add(
        "file",
        type=Path,
        metavar="FILE",
        help="Mahimahi's opportunities, a table of times and rates or delays, ping -D",
    )
    add("--as", dest="kind", choices=("rate", "delay"), help="what it records, where its content may be either")
    add("--step", metavar="TIME", help="of a file with one value a line: how long each holds, such as 10ms")
    add("-o", "--output", type=Path, metavar="OUT", help="write it there: Mahimahi's format, or time_s,delay_ms")
    add("--json", action="store_true", help="print what was found, with its points, as JSON")
    parser.set_defaults(action=_trace)


def _trace(options: argparse.Namespace) -> int:
    found = read(options.file, options.kind, options.step)
    if options.output is not None:
        write_new(options.output, found["text"].encode())
    if options.json:
        print(json.dumps({name: value for name, value in found.items() if name != "text"}))
        return OK
    print("\n".join(_report(options.file, found)))
    if options.output is not None:
        print(f"written: {options.output}")
    return OK


def read(file: Path, kind: str | None, step: str | None) -> "TraceInfo":
    """Reads a trace. Raises `UsageError` for what is none, `OSError` for a file that cannot be read."""
    name = printable(str(file))
    if file.stat().st_size > _BYTES_MAX:
        raise UsageError(f"{name}: has {file.stat().st_size} bytes; a trace has {_BYTES_MAX} at most")
    text = file.read_text(encoding="utf-8", errors="replace")
    try:
        step_ns = None if step is None else _vegaslab.nanoseconds(step)
        return _vegaslab.read_trace(text, kind, step_ns)
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None


def _report(file: Path, found: "TraceInfo") -> list[str]:
    times, values = zip(*found["points"], strict=True)
    unit = "Mb/s" if found["kind"] == "rate" else "ms"
    mean = _mean(times, values, found)
    spread = f"mean {mean:.4g} {unit}, from {min(values):.4g} to {max(values):.4g}"
    return [
        f"{printable(str(file))}: taken for {found['taken_for']}",
        f"{found['kind']}: {spread}, over {found['period_s']:g} s, then again",
        f"{_line(times, values, found['period_s'])} {max(values):.4g} {unit}",
    ]


def _mean(times: tuple[float, ...], values: tuple[float, ...], found: "TraceInfo") -> float:
    """Returns the mean over time: a rate is that of the step before its point, a delay holds from its point on."""
    if found["kind"] == "rate":
        return sum(values) / len(values)
    ends = [*times[1:], found["period_s"]]
    spans = [end - begin for begin, end in zip(times, ends, strict=True)]
    return sum(value * span for value, span in zip(values, spans, strict=True)) / max(sum(spans), 1e-9)


def _line(times: tuple[float, ...], values: tuple[float, ...], period_s: float) -> str:
    """Returns a line of bars: the most of each stretch of time."""
    most = [0.0] * _WIDTH
    place = 0
    for at, value in zip(times, values, strict=True):
        upto = min(_WIDTH - 1, int(at / max(period_s, 1e-9) * _WIDTH))
        place = max(place, upto)
        most[place] = max(most[place], value)
    return sparkline(most, _WIDTH)

"""A capture beside runs of the path that it shows, with congestion controls that may have sent it."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from vegaslab import _vegaslab
from vegaslab.measuring.measured.figures import CAPTURE, FIGURES, Sides
from vegaslab.measuring.measured.measurement import Measured, MeasuredError, check_readable, read_into
from vegaslab.measuring.measured.tables import SCENARIO
from vegaslab.runs.drawable import Pictured
from vegaslab.runs.result import Result, World, run_checked
from vegaslab.scenario.source import Overrides, load, override_list
from vegaslab.util.errors import ScenarioError
from vegaslab.util.folder import whole_folder, write_file
from vegaslab.util.progress import Progress, ReadingProgress, notebook, nowhere
from vegaslab.util.text import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SENDERS = (
    *("reno-linux", "cubic-linux", "bbr1", "bbr3-linux", "vegas-linux", "nv", "veno", "westwood", "yeah"),
    *("illinois", "htcp", "bic", "highspeed", "hybla", "scalable", "cdg", "lp"),
)
"""The congestion controls that Linux can send with, by the presets' names."""

_COMPARISON = "comparison.json"
_STEP = "10ms"


def against(
    file: str | PathLike[str],
    algorithms: Sequence[str] | None = None,
    dir: str | PathLike[str] | None = None,
    *,
    flow: int | None = None,
    set: Mapping[str, object] | Overrides | None = None,
    world: World | None = None,
) -> "Against":
    """Works the path out of a capture, runs it with each algorithm, and reads the runs as the capture was read.

    `algorithms` are presets' names (default: those of Linux). The tables go into the folder `dir`, a folder for the
    capture and for each run; without one they are kept in memory. `flow` is as for `vegaslab.measured`; `set` changes
    the path's scenario by dotted key. `world=vegaslab.KernelWorld()` runs it in Linux.

    Raises `MeasuredError` for a file that shows no path, and the errors of `vegaslab.measured` and `vegaslab.run`.

    >>> import pathlib, tempfile, vegaslab
    >>> link = {"rate": "2mbit", "delay": "20ms", "queue": "10p"}
    >>> topology = {"kind": "dumbbell", "access": {"rate": "1gbit", "delay": "1ms"}, "bottleneck": link}
    >>> flow = {"algorithm": "reno-linux", "host": {"kind": "linux"}}
    >>> scenario = {"name": "mine", "duration": "10s", "topology": topology, "flow": [flow], "capture": True}
    >>> folder = vegaslab.run(scenario).write(pathlib.Path(tempfile.mkdtemp(), "run"), pcapng=True)
    >>> beside = vegaslab.against(folder / "capture.pcapng", ["reno-linux", "cubic-linux"])
    >>> beside
    <vegaslab.Against capture.pcapng: reno-linux, cubic-linux>
    >>> beside.figures["capture"]["timeouts"], beside.figures["reno-linux"]["timeouts"]
    (0, 0)
    """
    chosen = list(algorithms or SENDERS)
    if dir is None:
        with TemporaryDirectory(prefix="vegaslab-") as folder:
            runs = read_beside(Path(file), Path(folder), chosen, flow=flow, set=set, world=world, in_memory=True)
            return Against(runs)
    check_readable(Path(file))
    with whole_folder(Path(dir)) as folder_of_all:
        beside = Against(read_beside(Path(file), folder_of_all, chosen, flow=flow, set=set, world=world))
        beside.write_into(folder_of_all)
    return Against({name: Measured(Path(dir) / name) for name in beside.runs})


def read_beside(
    file: Path,
    folder: Path,
    algorithms: Sequence[str],
    *,
    flow: int | None,
    set: Mapping[str, object] | Overrides | None,
    world: World | None,
    in_memory: bool = False,
) -> dict[str, Measured]:
    """Reads the capture and each run into a folder of its own in `folder`. Raises as `against` does."""
    capture = folder / CAPTURE
    capture.mkdir()
    read_into(file, capture, flow=flow, step=_STEP, progress=ReadingProgress(file, place=notebook()))
    measurement = Measured(capture, in_memory=in_memory)
    scenarios = dict(scenarios_of(measurement, capture, algorithms, set, in_kernel=world is not None))
    runs = {CAPTURE: measurement}
    for name, scenario in scenarios.items():
        runs[name] = replayed(_run(scenario, capture, world, name), folder / name, in_memory=in_memory)
    return runs


def scenarios_of(
    measurement: Measured,
    folder: Path,
    algorithms: Sequence[str],
    set: Mapping[str, object] | Overrides | None = None,
    *,
    in_kernel: bool = False,
) -> Iterator[tuple[str, _vegaslab.Scenario]]:
    """Yields the path's scenario with each algorithm, which captures its packets. Raises `MeasuredError`."""
    report = measurement.report
    if report["path"] is None:
        raise MeasuredError(f"{report['file']}: shows no path; give a capture of a flow of TCP with more data")
    of_kernel = _kernels_own(measurement) if in_kernel else []
    for name in algorithms:
        given = [("flow.0.algorithm", name), ("capture", "true"), *of_kernel, *override_list(set)]
        yield name, _loaded(folder / SCENARIO, given, report["file"])


def _loaded(scenario: Path, given: Overrides, capture: str) -> _vegaslab.Scenario:
    """Returns the path's scenario. An error names the capture: the scenario is in a folder that is being written."""
    try:
        return load(scenario, set=given)
    except ScenarioError as error:
        line = str(error).removeprefix(f"{printable(str(scenario))}: ")
        raise ScenarioError(f"{printable(capture)}: its path, {line}") from None


def _kernels_own(measurement: Measured) -> list[tuple[str, str]]:
    """Returns what the kernel has its own of: headers, and a receiver that tunes its window and reads by itself."""
    flow = tomllib.loads(measurement.scenario or "")["flow"][0]
    header = 52 if flow["host"].get("timestamps", True) else 40
    payload = int(flow["packet"].removesuffix("b")) - int(flow["header"].removesuffix("b"))
    sizes = {"packet": payload + header, "header": header, "ack": header}
    return [
        *((f"flow.0.{key}", f"{size}b") for key, size in sizes.items()),
        ("flow.0.host.receive_window", "linux"),
        ("flow.0.host.reads_after", "0s"),
    ]


def _run(scenario: _vegaslab.Scenario, beside: Path, world: World | None, name: str) -> Result:
    if world is not None:
        return world.run(scenario, beside, "--pcapng")
    with Progress(scenario.duration_s, f"{name}: ", notebook()) as progress:
        return run_checked(scenario, progress)


def replayed(result: Result, folder: Path, *, in_memory: bool = False) -> Measured:
    """Returns a run as its capture shows it, read into `folder`."""
    with TemporaryDirectory(prefix="vegaslab-") as place:
        file = result.write(Path(place) / "run", pcapng=True) / "capture.pcapng"
        folder.mkdir()
        read_into(file, folder, flow=None, step=_STEP, progress=ReadingProgress(file, place=nowhere()), path=False)
    return Measured(folder, in_memory=in_memory)


@dataclass(frozen=True)
class Limit:
    """How far a figure of a run may be from the capture's: as a part of it, or in the figure's unit."""

    figure: str
    most: float
    is_part: bool

    @classmethod
    def parse(cls, text: str) -> "Limit":
        """Reads `FIGURE=VALUE` or `FIGURE=PERCENT%`. Raises `ValueError` with what would be right.

        >>> Limit.parse("goodput_mbps=5%")
        Limit(figure='goodput_mbps', most=0.05, is_part=True)
        """
        name, _, value = text.partition("=")
        is_part = value.endswith("%")
        try:
            most = float(value.removesuffix("%")) / (100 if is_part else 1)
        except ValueError:
            most = -1.0
        if name not in FIGURES or not 0 <= most < float("inf"):
            raise ValueError(f"{text!r} was given; FIGURE=VALUE or FIGURE=PERCENT%, with one of {', '.join(FIGURES)}")
        return cls(name, most, is_part)

    def broken(self, name: str, run: Mapping[str, Any], capture: Mapping[str, Any]) -> str | None:
        """Returns a line if the run's figure is too far from the capture's."""
        here, there = run[self.figure], capture[self.figure]
        most = self.most * abs(there or 0.0) if self.is_part else self.most
        if here == there or (here is not None and there is not None and abs(here - there) <= most):
            return None
        return f"{name}: {self.figure} is {_text(here)}, in the capture {_text(there)}; at most {most:.4g} apart"


def _text(value: float | None) -> str:
    return "missing" if value is None else f"{value:.4g}"


class Against(Sides, Pictured):
    """A capture and the runs beside it, by name.

    >>> import pathlib, tempfile, vegaslab
    >>> link = {"rate": "2mbit", "delay": "20ms", "queue": "10p"}
    >>> topology = {"kind": "dumbbell", "access": {"rate": "1gbit", "delay": "1ms"}, "bottleneck": link}
    >>> flow = {"algorithm": "reno-linux", "host": {"kind": "linux"}}
    >>> scenario = {"name": "mine", "duration": "5s", "topology": topology, "flow": [flow], "capture": True}
    >>> folder = vegaslab.run(scenario).write(pathlib.Path(tempfile.mkdtemp(), "run"), pcapng=True)
    >>> beside = vegaslab.against(folder / "capture.pcapng", ["reno-linux"])
    >>> sorted(beside.runs), beside.runs["reno-linux"].flows.num_rows
    (['capture', 'reno-linux'], 1)
    """

    runs: Mapping[str, Measured]
    """The capture and the runs, each as `vegaslab.measured` reads it."""

    def broken(self, limits: Sequence[Limit]) -> list[str]:
        """Returns a line for each limit that a run does not keep."""
        capture = self.figures[CAPTURE]
        lines = (
            limit.broken(name, run, capture)
            for name, run in self.figures.items()
            if name != CAPTURE
            for limit in limits
        )
        return [line for line in lines if line is not None]

    def write_into(self, folder: Path) -> None:
        """Adds the figures to the folder of the runs."""
        write_file(folder / _COMPARISON, json.dumps(self.content(), indent=2).encode() + b"\n")

    def content(self) -> dict[str, Any]:
        """What `comparison.json` holds."""
        return {"scenario": self.runs[CAPTURE].report["file"], "runs": self.figures}

    def plot(self) -> "Figure":
        """Draws what was in flight, round-trip times and rates of all, one below the other."""
        # only here: matplotlib may be missing
        from vegaslab.measuring.measured.beside import draw

        return draw(self)

    def html(self) -> str:
        """An interactive page in one piece: it needs neither network nor other files."""
        # only here: numpy, which the figures do not need
        from vegaslab.measuring.measured.beside import page

        return page(self)

    def __repr__(self) -> str:
        """Names the file and the algorithms."""
        names = ", ".join(name for name in self.runs if name != CAPTURE)
        return f"<vegaslab.Against {Path(self.runs[CAPTURE].report['file']).name}: {names}>"

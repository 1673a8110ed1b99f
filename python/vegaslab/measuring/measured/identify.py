"""Which congestion control sent a captured flow."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import MappingProxyType

from vegaslab import _vegaslab
from vegaslab.measuring.measured.against import SENDERS
from vegaslab.measuring.measured.measurement import check_readable
from vegaslab.util.progress import ReadingProgress, notebook


@dataclass(frozen=True)
class Identified:
    """How well congestion controls explain a captured flow.

    >>> found = Identified("a.pcap", 0, 300, ("reno-linux", "lp"), {"reno-linux": 0.01, "lp": 0.01, "veno": 0.08})
    >>> found
    <vegaslab.Identified a.pcap: one of reno-linux, lp>
    >>> found.margin
    8.0
    """

    file: str
    """The file's name."""
    flow: int
    """The flow's number."""
    points: int
    """How often the window showed: acknowledgements after which the window alone held the sender back."""
    answer: tuple[str, ...]
    """The presets that explain the flow best and about equally well; empty if none does."""
    errors: Mapping[str, float]
    """How far what each preset lets be in flight is from what was, the best first; 0.1 are about 10 %."""

    @property
    def margin(self) -> float | None:
        """How many times further than the best preset the first one is that is not in the answer."""
        best = next(iter(self.errors.values()))
        others = (error for name, error in self.errors.items() if name not in self.answer)
        return next((error / best for error in others if best > 0), None)

    @property
    def sentence(self) -> str:
        """The answer in words."""
        if not self.answer:
            return "none of these"
        return self.answer[0] if len(self.answer) == 1 else f"one of {', '.join(self.answer)}"

    def __repr__(self) -> str:
        """Names the file and the answer."""
        return f"<vegaslab.Identified {Path(self.file).name}: {self.sentence}>"


def identify(
    file: str | PathLike[str], algorithms: Sequence[str] | None = None, *, flow: int | None = None
) -> Identified:
    """Tells which congestion control sent a flow of a capture, by how well each explains it.

    `algorithms` are presets' names (default: those of Linux); `flow` is as for `vegaslab.measured`. Raises
    `MeasuredError` for a file that is no capture of the sender's side, or too short, `OSError` for one that cannot be
    read.

    >>> import pathlib, tempfile, vegaslab
    >>> link = {"rate": "2mbit", "delay": "20ms", "queue": "10p"}
    >>> topology = {"kind": "dumbbell", "access": {"rate": "1gbit", "delay": "1ms"}, "bottleneck": link}
    >>> flow = {"algorithm": "veno", "host": {"kind": "linux"}}
    >>> scenario = {"name": "mine", "duration": "20s", "topology": topology, "flow": [flow], "capture": True}
    >>> folder = vegaslab.run(scenario).write(pathlib.Path(tempfile.mkdtemp(), "run"), pcapng=True)
    >>> vegaslab.identify(folder / "capture.pcapng")
    <vegaslab.Identified capture.pcapng: veno>
    """
    return identified(Path(file), list(algorithms or SENDERS), flow, ReadingProgress(Path(file), place=notebook()))


def identified(file: Path, algorithms: Sequence[str], flow: int | None, progress: ReadingProgress) -> Identified:
    """Does what `identify` does, and shows how far it is."""
    check_readable(file)
    with progress:
        found = json.loads(_vegaslab.identify(file, algorithms, flow=flow, progress=progress))
    errors = {candidate["name"]: candidate["error"] for candidate in found["candidates"]}
    return Identified(str(file), found["flow"], found["points"], tuple(found["answer"]), MappingProxyType(errors))

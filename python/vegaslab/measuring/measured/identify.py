"""Which congestion control sent a captured flow."""

import json
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from types import MappingProxyType

from vegaslab import _vegaslab
from vegaslab.measuring.measured.against import SENDERS
from vegaslab.measuring.measured.answer import Identified
from vegaslab.measuring.measured.measurement import check_readable
from vegaslab.util.progress import ReadingProgress, notebook

__all__ = ["Identified", "identified", "identify"]


def identify(
    file: str | PathLike[str],
    algorithms: Sequence[str] | None = None,
    dir: str | PathLike[str] | None = None,
    *,
    flow: int | None = None,
) -> Identified:
    """Tells which congestion control sent a flow of a capture, by how well each explains it.

    `algorithms` are presets' names (default: those of Linux); `flow` is as for `vegaslab.measured`. The folder `dir`
    gets a page: what speaks for and against the best two, and the capture beside runs of its path with them. Raises
    `MeasuredError` for a file that is no capture of the sender's side, or too short, `OSError` for one that cannot be
    read, and with `dir` the errors of `vegaslab.against`.

    >>> import pathlib, tempfile, vegaslab
    >>> link = {"rate": "2mbit", "delay": "20ms", "queue": "10p"}
    >>> topology = {"kind": "dumbbell", "access": {"rate": "1gbit", "delay": "1ms"}, "bottleneck": link}
    >>> flow = {"algorithm": "veno", "host": {"kind": "linux"}}
    >>> scenario = {"name": "mine", "duration": "20s", "topology": topology, "flow": [flow], "capture": True}
    >>> folder = vegaslab.run(scenario).write(pathlib.Path(tempfile.mkdtemp(), "run"), pcapng=True)
    >>> vegaslab.identify(folder / "capture.pcapng")
    <vegaslab.Identified capture.pcapng: veno>
    """
    found = identified(Path(file), list(algorithms or SENDERS), flow, ReadingProgress(Path(file), place=notebook()))
    if dir is not None:
        # only here: numpy, which an answer does not need
        from vegaslab.measuring.measured.explained import write_page

        write_page(found, Path(dir))
    return found


def identified(file: Path, algorithms: Sequence[str], flow: int | None, progress: ReadingProgress) -> Identified:
    """Does what `identify` does, and shows how far it is."""
    check_readable(file)
    with progress:
        found = json.loads(_vegaslab.identify(file, algorithms, flow=flow, progress=progress))
    errors = {candidate["name"]: candidate["error"] for candidate in found["candidates"]}
    answer, limits = tuple(found["answer"]), (found["about"], found["explains_most"])
    return Identified(str(file), found["flow"], found["points"], answer, MappingProxyType(errors), *limits)

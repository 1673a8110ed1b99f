"""The measurements: each beside a run of the algorithm that it names, over the path that it shows or states."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow.parquet as pq

import vegaslab
from documentation.court import captures
from vegaslab.measuring.measured.figures import CAPTURE

SERIES = "l4s-20-500mbit.parquet"
FILES = (captures.TABLE, SERIES)

GOODPUT_MOST, RETRANSMITTED_MOST = 0.15, 0.20
"""How far a run's figure may be from the measured one, as a part of it."""

_PRESETS = {"reno": "reno-linux", "cubic": "cubic-linux", "vegas": "vegas-linux", "bbr": "bbr1"}
"""The presets of the kernel's congestion controls that have another name."""

_CAPTURES_HOST = {
    "flow.0.host.receive_window": "linux",
    "flow.0.host.timestamps": True,
    "flow.0.host.delayed_ack": "linux",
}
"""What is known of the captures' receiver and is not in their table."""

_CAPTURES_READER = {"flow.0.host.reads_after": "20us"}
"""The application of the simulator's receiver: it is woken later than the next of five segments comes, 8 us apart. In
the kernel applications take what time they take."""

Figures = Mapping[str, float | None]


@dataclass(frozen=True, kw_only=True)
class Row:
    """A measurement, and a run beside it."""

    name: str
    algorithm: str
    world: str
    measured: Figures
    run: Figures

    def apart(self, figure: str) -> float | None:
        """Returns how far the run's figure is from the measured one, as a part of it; none where one is missing."""
        here, there = self.run[figure], self.measured[figure]
        if here is None or there is None:
            return None
        return (here - there) / there if there else float(here != there)

    @property
    def agrees(self) -> bool:
        """Whether goodput and retransmissions are within the aims."""
        goodput, again = self.apart("goodput_mbps"), self.apart("segments_retransmitted")
        return abs(goodput or 0.0) <= GOODPUT_MOST and abs(again or 0.0) <= RETRANSMITTED_MOST


def of_captures(folder: Path, kernel: str | None) -> Iterator[Row]:
    """Yields a row for each capture and world; with `kernel` also that kernel's."""
    worlds = {"simulator": None} | ({f"Linux {kernel}": vegaslab.KernelWorld(kernel)} if kernel else {})
    with TemporaryDirectory(prefix="vegaslab-") as place:
        for name in captures.names(folder):
            file = Path(place) / f"{name}.pcap"
            captures.write_pcap(folder, name, file)
            control = name.partition("-")[0]
            for world, carried_out in worlds.items():
                yield _of_capture(file, _PRESETS.get(control, control), world, carried_out)


def _of_capture(file: Path, algorithm: str, world: str, carried_out: "vegaslab.KernelWorld | None") -> Row:
    host = _CAPTURES_HOST if carried_out else _CAPTURES_HOST | _CAPTURES_READER
    beside = vegaslab.against(file, [algorithm], set=host, world=carried_out)
    measured, run = beside.figures[CAPTURE], beside.figures[algorithm]
    return Row(name=file.stem, algorithm=algorithm, world=world, measured=measured, run=run)


def of_series(folder: Path) -> Iterator[Row]:
    """Yields a row for each series of CUBIC with ECN over FQ-CoDel."""
    table = pq.read_table(folder / SERIES).to_pandas()
    for name, rows in table[table["aqm"] == "fq_codel_tst"].groupby("run", observed=True):
        test = json.loads(rows["test"].iloc[0])
        seconds = rows["seconds"].to_numpy()
        measured = {
            "goodput_mbps": float(np.average(rows["mbps"], weights=seconds)),
            "segments_retransmitted": float(rows["retransmits"].sum()),
            **_percentiles(rows["rtt_us"].to_numpy() / 1e3),
        }
        run = _series_run(test["RATE"].lower(), float(test["DELAY"].removesuffix("ms")), float(seconds.sum()))
        yield Row(name=str(name), algorithm="cubic-linux", world="simulator", measured=measured, run=run)


def _series_run(rate: str, rtt_ms: float, duration_s: float) -> Figures:
    queue = {"kind": "fq-codel", "ecn": True, "limit": "10240p"}
    link = {"rate": rate, "delay": f"{rtt_ms / 2 * 1000:.0f}us", "queue": queue}
    topology = {"kind": "dumbbell", "access": {"rate": "10gbit", "delay": "0s"}, "bottleneck": link}
    host = {"kind": "linux", "delayed_ack": "linux", "receive_window": "linux", "timestamps": True}
    flow = {"algorithm": "cubic-linux", "packet": "1500b", "initial_window": 10, "ecn": True, "host": host}
    result = vegaslab.run({"name": "series", "duration": f"{round(duration_s)}s", "topology": topology, "flow": [flow]})
    (row,) = result.flows.to_pylist()
    rtt_ms_of_acks = result.series["rtt_ms"].drop_null().to_numpy()
    return {
        "goodput_mbps": row["goodput_mbps"],
        "segments_retransmitted": row["segments_retransmitted"],
        **_percentiles(rtt_ms_of_acks),
    }


def _percentiles(rtt_ms: "np.typing.NDArray[np.float64]") -> dict[str, float]:
    return {"p50_rtt_ms": float(np.percentile(rtt_ms, 50)), "p95_rtt_ms": float(np.percentile(rtt_ms, 95))}

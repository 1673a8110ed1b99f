"""Cost of a packet against the number of flows, of hops, and the window: a table and a picture."""

import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.programs import ROOT, simulate

MANY = (10_000, 30_000, 100_000, 300_000, 1_000_000)
"""Flows beyond what the caches of a processor hold. A million take five gigabytes, and two to write what they did."""
PICTURE = ROOT / "docs" / "pictures" / "cost-per-packet.svg"
PACKETS = 500_000
"""Delivered by the shorter of the two runs that a point is the difference of."""
ROUND_TRIP_S = 0.1
PACKET_BITS = 8000

NETWORK = """
name = "scale"
duration = "{duration}"
sample = "off"
[topology]
kind = "parking-lot"
hops = {hops}
access = {{ rate = "100gbit", delay = "{access_us}us" }}
bottleneck = {{ rate = "{gbit}gbit", delay = "{hop_us}us", queue = "{queue}p" }}
[[flow]]
algorithm = "reno"
count = {flows}
initial_window = {window}
max_window = {window}
"""


@dataclass(frozen=True)
class Load:
    """Flows that hold a constant window over a path of 100 ms and this many bottlenecks."""

    flows: int = 10
    hops: int = 1
    window: int = 20

    def scenario(self, seconds: float) -> str:
        """The file."""
        # half of the round trip is the way there; a tenth of it for the two access links
        way_us = ROUND_TRIP_S / 2 * 1e6
        return NETWORK.format(
            duration=f"{seconds:.3f}s",
            hops=self.hops,
            access_us=round(way_us / 20),
            hop_us=round(way_us * 0.9 / self.hops),
            flows=self.flows,
            window=self.window,
            # twice what the windows need, up to the fastest link that there is; no losses in any case
            gbit=min(1000, max(100, round(2 * self.flows * self.window * PACKET_BITS / ROUND_TRIP_S / 1e9))),
            queue=max(1_000_000, self.flows * self.window),
        )

    def seconds(self) -> float:
        """How long it takes to deliver `PACKETS`, in whole round trips."""
        return ROUND_TRIP_S * max(2, round(PACKETS / (self.flows * self.window)))


@dataclass(frozen=True, eq=False)
class Series:
    """What is varied, and the loads."""

    label: str
    loads: dict[int, Load]


ALL = (
    Series("flows", {flows: Load(flows=flows) for flows in (1, 3, 10, 30, 100, 300, 1000, 3000, *MANY)}),
    Series("bottlenecks in a row", {hops: Load(hops=hops) for hops in (1, 2, 3, 5, 10, 20)}),
    Series(
        "window (packets)", {window: Load(1, 1, window) for window in (10, 100, 1000, 3000, 10_000, 30_000, 100_000)}
    ),
)


@dataclass(frozen=True)
class Point:
    """What a packet costs, and the memory of the longer run."""

    packet_ns: float
    memory_mib: float


def main(program: Path, repeats: int) -> int:
    """Measures, prints, draws."""
    measured = {series: {x: point(program, load, repeats) for x, load in series.loads.items()} for series in ALL}
    for series, points in measured.items():
        print(f"\n| {series.label} | ns a delivered packet | memory, MiB |\n|---|---|---|")
        for x, at in points.items():
            print(f"| {x} | {at.packet_ns:.0f} | {at.memory_mib:.1f} |")
    draw({series: {x: at.packet_ns for x, at in points.items()} for series, points in measured.items()})
    print(f"\n{PICTURE.relative_to(ROOT)}")
    return 0


def point(program: Path, load: Load, repeats: int) -> Point:
    """Runs a load for once and for three times its length: the difference leaves out start and end of the process."""
    with tempfile.TemporaryDirectory() as folder:
        short, long = Path(folder) / "short.toml", Path(folder) / "long.toml"
        short.write_text(load.scenario(load.seconds()))
        long.write_text(load.scenario(3 * load.seconds()))
        # a million flows take minutes, most of it for their results
        rounds = repeats if load.flows < max(MANY) else 1
        runs = [(simulate(program, short), simulate(program, long)) for _ in range(rounds)]
    (less, _), (more, _) = runs[0]
    packets = more.delivered - less.delivered
    cpu_s = statistics.median(long.cpu_s for _, (_, long) in runs) - statistics.median(s.cpu_s for (_, s), _ in runs)
    return Point(cpu_s / packets * 1e9, statistics.median(long.memory_mib for _, (_, long) in runs))


def draw(measured: dict[Series, dict[int, float]]) -> None:
    """A panel for each series."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from vegaslab.reports.chart import PALETTE
    from vegaslab.reports.figure import STYLE, save

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8.0, 2.6), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(1, len(measured), sharey=True, squeeze=False)[0]
        for axes, (series, points) in zip(panels, measured.items(), strict=True):
            axes.semilogx(list(points), list(points.values()), marker="o", markersize=3, color=PALETTE[0])
            axes.set_xlabel(series.label)
        panels[0].set_ylabel("ns a packet")
        panels[0].set_ylim(bottom=0)
        save(figure, PICTURE)

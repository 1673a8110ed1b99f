"""Beyond the papers: every slow start in networks that the papers leave out, and beside CUBIC with HyStart++."""

from collections.abc import Iterable, Mapping, Sequence

from vegaslab.papers.beyond import future, parts, rovegas
from vegaslab.papers.beyond.intervals import Spread, spread, with_intervals
from vegaslab.papers.experiments.chart import Chart, Panel
from vegaslab.papers.experiments.experiment import Answer, Data, Experiment, Run
from vegaslab.papers.experiments.extract import first_flow
from vegaslab.statistics import paired_difference

_STARTS = ("vegas", "gallop", "streak", "mid-speed", "reno", "hystart++")
_RTT_S, _PACKET_BITS = 0.1, 8000
_SEEDS, _QUICK_SEEDS, _FEW_SEEDS, _FEWER_SEEDS = 10, 3, 3, 2


def _managed(kind: str, *, ecn: bool) -> dict[str, object]:
    marks = str(ecn).lower()
    queue = f'{{ kind = "{kind}", limit = "1000p", ecn = {marks} }}'
    return {"topology.bottleneck.queue": queue, "flow.0.ecn": ecn}


def _faster(rate_gbit: int, queue: int) -> dict[str, object]:
    return {
        "topology.bottleneck.rate": f"{rate_gbit}gbit",
        "topology.bottleneck.queue": f"{queue}p",
        "topology.access.rate": f"{10 * rate_gbit}gbit",
    }


_NETWORKS: dict[str, dict[str, object]] = {
    "plain": {},
    "queue 20": {"topology.bottleneck.queue": "20p"},
    "queue 625": {"topology.bottleneck.queue": "625p"},
    "40 % web": {"traffic.0.interarrival": "5ms"},
    "delayed ACKs": {"flow.0.delayed_ack": "40ms"},
    "loss 0.1 %": {"topology.bottleneck.loss": "0.1%"},
    "RED": _managed("red", ecn=False),
    "CoDel": _managed("codel", ecn=False),
    "PIE": _managed("pie", ecn=False),
    "FQ-CoDel": _managed("fq-codel", ecn=False),
    "CoDel, ECN": _managed("codel", ecn=True),
    "PIE, ECN": _managed("pie", ecn=True),
    "1 Gb/s": _faster(1, 2000),
    "10 Gb/s": _faster(10, 20_000),
}
_RATES_MBPS = {"1 Gb/s": 1000.0, "10 Gb/s": 10_000.0}
_RATE_MBPS = 50.0
_LONGER = "queue 100, 60 s"
_BESIDE_CUBIC: dict[str, dict[str, object]] = {
    "queue 100": {},
    _LONGER: {"duration": "70s"},
    "queue 625": {"topology.bottleneck.queue": "625p"},
    "CoDel": _managed("codel", ecn=False),
    "PIE": _managed("pie", ecn=False),
    "FQ-CoDel": _managed("fq-codel", ecn=False),
}


def _algorithm(start: str, rate_mbps: float) -> dict[str, object]:
    """Returns values for an algorithm that differs in its slow start alone; only mid-speed also gets the path's
    product.
    """
    product = round(rate_mbps * 1e6 / _PACKET_BITS * _RTT_S)
    return {"flow.0.algorithm.slow_start": start, **({"flow.0.ssthresh": product} if start == "mid-speed" else {})}


def _runs(scenario: str, networks: Mapping[str, Mapping[str, object]], quick: bool) -> dict[str, Run]:
    return {
        f"{network}/{start}/{seed}": Run(
            scenario=scenario,
            set={**values, **_algorithm(start, _RATES_MBPS.get(network, _RATE_MBPS))},
            seed=seed,
            extract=first_flow,
        )
        for network, values in networks.items()
        for start in _STARTS
        for seed in range(1, 1 + _seeds(network, quick))
    }


def _seeds(network: str, quick: bool) -> int:
    """Returns the number of seeds. Runs of fast networks take long, so they get fewer, and the fastest none in a quick
    report.
    """
    if network == "10 Gb/s":
        return 0 if quick else _FEW_SEEDS
    if network == "1 Gb/s":
        return _FEWER_SEEDS if quick else _FEW_SEEDS
    return _QUICK_SEEDS if quick else _SEEDS


def _by_seed(data: Data, what: str) -> dict[str, dict[str, list[float]]]:
    """Returns the values over the seeds, by network and start."""
    values: dict[str, dict[str, list[float]]] = {}
    for key, run in data.items():
        network, start, _ = key.rsplit("/", 2)
        values.setdefault(network, {}).setdefault(start, []).append(float(run[what]))
    return values


def _spreads(data: Data, what: str) -> dict[str, dict[str, Spread]]:
    """Returns mean and interval over the seeds, by network and start."""
    return {
        network: {start: spread(found) for start, found in of_starts.items()}
        for network, of_starts in _by_seed(data, what).items()
    }


def _answer_networks(data: Data) -> list[Answer]:
    shares, again = _spreads(data, "share_percent"), _spreads(data, "again_percent")
    return [
        Answer(
            question="How much of the link does each start get in its first eleven seconds?",
            text="Per cent of the link, mean and 95 % interval over seeds, 5 % of it web traffic unless said. "
            "Mid-speed is given the BDP, so it is a bound and no competitor. " + _significant(data),
            columns=("network", *_STARTS),
            rows=_table(shares),
            scenarios=("papers/beyond-start",),
        ),
        Answer(
            question="What does it cost?",
            text="Segments retransmitted, per cent of all that the flow sent.",
            columns=("network", *_STARTS),
            rows=_table(again),
            scenarios=("papers/beyond-start",),
        ),
    ]


def _significant(data: Data) -> str:
    """Says where a start gets a greater share than Vegas's does, seed by seed, and where HyStart++ is Reno's start."""
    values = _by_seed(data, "share_percent")
    told = "; ".join(
        f"{start} everywhere but in {_places(name for name, found in values.items() if not _more(found, start))}"
        for start in _STARTS[1:]
    )
    same = _places(name for name, found in values.items() if found["hystart++"] == found["reno"])
    return (
        f"More than Vegas's start, seed by seed with 95 % confidence: {told}. HyStart++ gives the very runs of Reno's "
        f"start in {same}: it asks for a least RTT of a round that is an eighth longer, 12.5 ms here, and where the "
        "queue holds 16 ms at most, or is managed, packets are lost in the round that would show it."
    )


def _more(found: Mapping[str, list[float]], start: str) -> bool:
    return paired_difference(found[start], found["vegas"]).low > 0


def _places(names: Iterable[str]) -> str:
    """Joins names with slashes, as they contain commas."""
    return " / ".join(names) or "no network"


def _table(spreads: Mapping[str, Mapping[str, Spread]]) -> list[list[str]]:
    return [[network, *(str(of_starts[start]) for start in _STARTS)] for network, of_starts in spreads.items()]


def _draw_networks(data: Data) -> list[Chart]:
    shares, again = _spreads(data, "share_percent"), _spreads(data, "again_percent")
    caption = (
        "One flow among web transfers on 50 Mb/s and 100 ms, queue of 100, unless said: its part of the link in its "
        "first "
        "11 s, and what it retransmitted. Means and 95 % intervals over seeds. All have Vegas's avoidance and SACK."
    )
    panels = (_panel(shares, "part of the link (%)"), _panel(again, "retransmitted (%)", labelled=False))
    return [Chart(slug="beyond-starts", title="Six slow starts in other networks", caption=caption, panels=panels)]


def _panel(spreads: Mapping[str, Mapping[str, Spread]], y: str, *, x: str = "network", labelled: bool = True) -> Panel:
    names = list(spreads)
    series: dict[str, Sequence[Spread]] = {start: [spreads[name][start] for name in names] for start in _STARTS}
    return Panel(x=x, y=y, curves=with_intervals(series, labelled=labelled), x_names=names)


def _answer_cubic(data: Data) -> list[Answer]:
    shares = _spreads(data, "share_percent")
    short, longer = shares["queue 100"], shares[_LONGER]
    return [
        Answer(
            question="And against CUBIC with HyStart++?",
            text="Per cent of the link in twenty seconds (or sixty) beside a CUBIC flow that was there first; half "
            "would be equal, the web traffic aside. A start that ends by delay finds CUBIC's queue, takes it for its "
            "own and stops early. The starts that overflow it go on from a larger window, which Vegas's avoidance then "
            f"gives back by one a round: with a queue of 100 Reno's start has {short['reno']} in 20 s and "
            f"{longer['reno']} in 60 s, Vegas's {short['vegas']} and {longer['vegas']}. Where the queue keeps the "
            "flows apart (FQ-CoDel), Streak gets as much without loss.",
            columns=("queue", *_STARTS),
            rows=_table(shares),
            scenarios=("papers/beyond-cubic",),
        )
    ]


def _draw_cubic(data: Data) -> list[Chart]:
    caption = "Part of the link beside one CUBIC flow, 20 s, means and 95 % intervals over seeds."
    panel = _panel(_spreads(data, "share_percent"), "part of the link (%)", x="queue")
    return [Chart(slug="beyond-cubic", title="Six slow starts beside CUBIC", caption=caption, panels=(panel,))]


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="Each start in the networks that the papers leave out",
        claims=(),
        runs=lambda quick: _runs("papers/beyond-start", _NETWORKS, quick),
        answer=_answer_networks,
        draw=_draw_networks,
    ),
    Experiment(
        title="Beside CUBIC",
        claims=(),
        runs=lambda quick: _runs("papers/beyond-cubic", _BESIDE_CUBIC, quick),
        answer=_answer_cubic,
        draw=_draw_cubic,
    ),
    *parts.EXPERIMENTS,
    *future.EXPERIMENTS,
    *rovegas.EXPERIMENTS,
)

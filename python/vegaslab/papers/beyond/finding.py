"""Beyond the papers: which slow start finds the path's capacity best, and its effect on a flow that is there."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from vegaslab.papers.beyond.intervals import Spread, spread, with_intervals
from vegaslab.papers.experiments.chart import Chart, Panel
from vegaslab.papers.experiments.experiment import Answer, Data, Experiment, Run
from vegaslab.papers.experiments.extract import first_time, flow_column, link_column, link_total
from vegaslab.runs.result import Result

_ALONE, _BESIDE = "papers/beyond-path", "papers/beyond-incumbent"
_BOTTLENECK = "r1->r2"
_STARTS = (
    "reno",
    "vegas",
    "gallop",
    "streak",
    "hystart",
    "hystart++",
    "search",
    "search-draft-09",
    "rapid-start",
    "mid-speed",
)
_ABSENT = "absent"
_PACKET_BITS = 8000
_SAMPLES_A_RTT = 10
_FULL = 0.95
_RTTS, _FEW_RTTS, _MANY_SEGMENTS = 40, 22, 200_000
"""The round trips of a run; paths with a product of more than this many segments are followed only until every slow
start that doubles is over.
"""
_RTTS_BEFORE, _MS_BEFORE, _RTTS_BESIDE = 150, 2000, 40
"""The head start of CUBIC: it has recovered from its slow start by then; a timeout takes 200 ms at least."""
_MBPS_BESIDE = 1000
_PHASES, _QUICK_PHASES = 3, 1
_RTTS_APART = 7


@dataclass(frozen=True)
class _Path:
    """A path's rate, round trip and queue; the queue is in bandwidth-delay products."""

    rate_mbps: int
    rtt_ms: int
    queue: float

    @property
    def name(self) -> str:
        rate = f"{self.rate_mbps // 1000} Gb/s" if self.rate_mbps >= 1000 else f"{self.rate_mbps} Mb/s"
        return f"{rate}, {self.rtt_ms} ms, {self.queue:g}"

    @property
    def product(self) -> float:
        """The bandwidth-delay product, segments."""
        return self.rate_mbps * self.rtt_ms * 1000 / _PACKET_BITS

    def values(self, rtts: float) -> dict[str, object]:
        """Returns the values of a scenario that lasts `rtts` round trips."""
        return {
            "duration": self.after(rtts),
            "sample": f"{1000 * self.rtt_ms // _SAMPLES_A_RTT}us",
            "topology.access.rate": f"{10 * self.rate_mbps}mbit",
            "topology.bottleneck.rate": f"{self.rate_mbps}mbit",
            "topology.bottleneck.delay": f"{500 * self.rtt_ms}us",
            "topology.bottleneck.queue": f"{max(2, round(self.queue * self.product))}p",
        }

    def after(self, rtts: float) -> str:
        return f"{round(1000 * rtts * self.rtt_ms)}us"


_RATES = tuple(_Path(rate_mbps, 100, 1) for rate_mbps in (1, 10, 100, 1000, 10_000))
_RTTS_MS = tuple(_Path(100, rtt_ms, 1) for rtt_ms in (1, 10, 100, 600))
_QUEUES = tuple(_Path(100, 100, queue) for queue in (0.1, 0.3, 1, 3, 8))
_CORNERS = (_Path(1, 600, 1), _Path(10_000, 1, 1), _Path(10_000, 600, 1))
_PATHS = tuple(dict.fromkeys((*_RATES, *_RTTS_MS, *_QUEUES, *_CORNERS)))
_QUICK_MOST = 2_000


def _paths(quick: bool) -> list[_Path]:
    return [path for path in _PATHS if not quick or path.product <= _QUICK_MOST]


def _algorithm(start: str, path: _Path) -> dict[str, object]:
    """Returns values for an algorithm that differs in its slow start alone; only mid-speed also gets the path's
    product.
    """
    parts = f'slow_start = "{start}", recovery = "sack", fine_retransmit = false, recheck_after_retransmit = false'
    product = max(2, round(path.product))
    return {
        "flow.0.algorithm": f'{{ preset = "vegas", {parts} }}',
        **({"flow.0.ssthresh": product} if start == "mid-speed" else {}),
    }


def _found(result: Result) -> dict[str, Any]:
    """Returns the round trips until the path is full for one round trip (None: never), and the greatest number of
    segments in flight and the drops relative to the product.
    """
    link = next(one for one in result.scenario.links() if one["id"] == _BOTTLENECK)
    time_s, utilisation = link_column(result, "utilisation", _BOTTLENECK)
    rtt_s = _SAMPLES_A_RTT * float(time_s[1] - time_s[0])
    product = link["rate_mbps"] * 1e6 / _PACKET_BITS * rtt_s
    of_rtt = np.convolve(utilisation, np.full(_SAMPLES_A_RTT, 1 / _SAMPLES_A_RTT))[: len(utilisation)]
    full_s = first_time(time_s, of_rtt >= _FULL)
    return {
        "full_rtts": None if full_s is None else full_s / rtt_s,
        "peak_products": float(flow_column(result, "in_flight_segments")[1].max()) / product,
        "lost_percent": 100 * link_total(result, _BOTTLENECK)["drops"] / product,
    }


def _incumbent(result: Result) -> dict[str, Any]:
    """Returns the bytes that CUBIC delivers from the other flow's start on."""
    time_s, acked_bytes = flow_column(result, "acked_bytes", 1)
    rtt_s = _SAMPLES_A_RTT * float(time_s[1] - time_s[0])
    end_s = float(time_s[-1])
    begin, end = np.interp([end_s - (_RTTS_BESIDE + 1) * rtt_s, end_s - rtt_s], time_s, acked_bytes)
    return {"bytes": float(end - begin)}


def _alone_runs(quick: bool) -> dict[str, Run]:
    return {
        f"{path.name}/{start}/1": Run(
            scenario=_ALONE,
            set={**path.values(_FEW_RTTS if path.product > _MANY_SEGMENTS else _RTTS), **_algorithm(start, path)},
            extract=_found,
        )
        for path in _paths(quick)
        for start in _STARTS
    }


def _beside_runs(quick: bool) -> dict[str, Run]:
    return {
        f"{path.name}/{start}/{phase}": _beside(
            path, start, max(_RTTS_BEFORE, _MS_BEFORE // path.rtt_ms) + _RTTS_APART * (phase - 1)
        )
        for path in _paths(quick)
        if path.rate_mbps <= _MBPS_BESIDE
        for start in (_ABSENT, *_STARTS)
        for phase in range(1, 1 + (_QUICK_PHASES if quick else _PHASES))
    }


def _beside(path: _Path, start: str, before: int) -> Run:
    """Returns a run in which the flow begins after `before` round trips; an absent flow begins when CUBIC's bytes are
    no longer counted.
    """
    begins = before + (_RTTS_BESIDE if start == _ABSENT else 0)
    algorithm = _algorithm("vegas" if start == _ABSENT else start, path)
    lasts = path.values(before + _RTTS_BESIDE + 1)
    return Run(scenario=_BESIDE, set={**lasts, **algorithm, "flow.0.start": path.after(begins)}, extract=_incumbent)


def _names(data: Data) -> list[str]:
    return list(dict.fromkeys(key.rsplit("/", 2)[0] for key in data))


def _harms(data: Data, name: str, start: str) -> Spread:
    """Returns CUBIC's loss, as a percentage of what it delivers without the other flow."""
    phases = [key.rsplit("/", 1)[1] for key in data if key.startswith(f"{name}/{start}/")]
    return spread(
        [
            100 * (1 - data[f"{name}/{start}/{phase}"]["bytes"] / data[f"{name}/{_ABSENT}/{phase}"]["bytes"])
            for phase in phases
        ]
    )


def _values(data: Data, what: str, start: str) -> list[float]:
    """Returns the values over the paths; NaN where the run ended before the event."""
    found = (data[f"{name}/{start}/1"][what] for name in _names(data))
    return [math.nan if one is None else float(one) for one in found]


def _written(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3g}" if value < 100 else f"{value:.0f}"


_NOTE = (
    "Rows are rate, round trip and queue in products of both. The remainder is the same for all, Vegas's avoidance "
    "and SACK; "
    "mid-speed is told the product, so it is a bound and no competitor. "
)


def _answer_alone(data: Data) -> list[Answer]:
    filled = {start: _values(data, "full_rtts", start) for start in _STARTS}
    paths = len(_names(data))
    told = "; ".join(f"{start} {_of_filled(values)}" for start, values in filled.items())
    questions = (
        (
            "full_rtts",
            "Which slow start finds the path best?",
            f"Round trips of the empty path until a whole one is at least {_FULL:.0%} full, '-' where that does not "
            f"happen within "
            f"{_RTTS} of them ({_FEW_RTTS} on the path of most segments). {_NOTE}"
            f"Of {paths} paths, filled and in how many round trips (median): {told}.",
        ),
        (
            "peak_products",
            "How far does it overshoot?",
            "Most segments in flight, in products, lost ones that the sender does not know of included; path and "
            "queue hold one and the queue's. Median over the paths: "
            f"{_medians(data, 'peak_products')}.",
        ),
        (
            "lost_percent",
            "And what does it lose?",
            "Segments dropped at the bottleneck in the same time, per cent of the product; the path of most segments "
            "is followed for too short a time to overflow. Median over the paths: "
            f"{_medians(data, 'lost_percent')}.",
        ),
    )
    return [
        Answer(
            question=question,
            text=text,
            columns=("path", *_STARTS),
            rows=[
                [name, *(_written(_values(data, what, start)[place]) for start in _STARTS)]
                for place, name in enumerate(_names(data))
            ],
            scenarios=(_ALONE,),
        )
        for what, question, text in questions
    ]


def _of_filled(values: list[float]) -> str:
    full = [one for one in values if not math.isnan(one)]
    return f"{len(full)} in {np.median(full):.1f}" if full else "none"


def _medians(data: Data, what: str) -> str:
    return ", ".join(f"{start} {_written(float(np.median(_values(data, what, start))))}" for start in _STARTS)


def _answer_beside(data: Data) -> list[Answer]:
    means = {start: [_harms(data, name, start).mean for name in _names(data)] for start in _STARTS}
    told = ", ".join(f"{start} {np.median(values):.0f}" for start, values in means.items())
    return [
        Answer(
            question="What does each start take from a flow that is there?",
            text=f"What a CUBIC flow delivers less in the {_RTTS_BESIDE} round trips after the other's start than "
            f"without it, per "
            f"cent; an equal share costs 50. {_NOTE}Median over the paths: {told}. Intervals are over {_PHASES} "
            f"starts, "
            f"{_RTTS_APART} round trips apart ({_QUICK_PHASES} with --quick).",
            columns=("path", *_STARTS),
            rows=[[name, *(str(_harms(data, name, start)) for start in _STARTS)] for name in _names(data)],
            scenarios=(_BESIDE,),
        )
    ]


_SHOWN = (*_QUEUES[::4], *_RTTS_MS[::3], _RATES[0], _RATES[3], _Path(100, 100, 1))
"""The paths shown: the ends of each axis, where every run has them, and the middle."""


def _shown(data: Data) -> list[str]:
    return [path.name for path in _SHOWN if path.name in _names(data)]


def _draw_alone(data: Data) -> list[Chart]:
    def panel(what: str, y: str, *, labelled: bool, log_y: bool = False) -> Panel:
        series = {
            name: [spread([_values(data, what, start)[_names(data).index(name)]]) for start in _STARTS]
            for name in _shown(data)
        }
        curves = with_intervals(series, labelled=labelled)
        return Panel(x="slow start", y=y, curves=curves, x_names=_STARTS, log_y=log_y)

    panels = (
        panel("full_rtts", "path full after (round trips)", labelled=True),
        panel("peak_products", "most in flight (products)", labelled=False),
        panel("lost_percent", "lost (% of the product)", labelled=False),
    )
    caption = (
        f"Paths by rate, round trip and queue in products. No mark above: not full in {_RTTS} round trips. One run "
        f"each: nothing "
        "is drawn. The tables have more paths."
    )
    return [Chart(slug="beyond-finding", title="Which slow start finds the path", caption=caption, panels=panels)]


def _draw_beside(data: Data) -> list[Chart]:
    series = {name: [_harms(data, name, start) for start in _STARTS] for name in _shown(data)}
    panel = Panel(
        x="slow start",
        y="CUBIC's loss (%)",
        curves=with_intervals(series),
        x_names=_STARTS,
        level=(50.0, "equal share"),
        height=4.5,
    )
    caption = (
        f"What CUBIC delivers less in the {_RTTS_BESIDE} round trips after the start. Paths by rate, round trip and "
        f"queue in "
        "products; 95 % intervals over starts."
    )
    return [Chart(slug="beyond-harm", title="Harm to a flow that is there", caption=caption, panels=(panel,))]


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="Which slow start finds the path", claims=(), runs=_alone_runs, answer=_answer_alone, draw=_draw_alone
    ),
    Experiment(
        title="Harm to a flow that is there", claims=(), runs=_beside_runs, answer=_answer_beside, draw=_draw_beside
    ),
)

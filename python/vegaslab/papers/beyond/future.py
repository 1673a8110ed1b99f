"""What the papers leave for later: starts and avoidances exchanged, several Streak flows, mid-speed without losses."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vegaslab.papers.beyond.intervals import Spread, spread, with_intervals
from vegaslab.papers.experiments.chart import Chart, Panel
from vegaslab.papers.experiments.experiment import Answer, Data, Experiment, Run
from vegaslab.papers.experiments.extract import first_flow, first_time, flow_column, link_column, link_total
from vegaslab.runs.result import Result

_SEEDS, _QUICK_SEEDS = 10, 3
_BOTTLENECK = "r1->r2"

_SENDERS: dict[str, dict[str, object]] = {
    f"{start}'s start, {avoidance}'s avoidance": {"slow_start": start, "avoidance": avoidance, "cut": cut}
    for start in ("vegas", "reno")
    for avoidance, cut in (("vegas", "three-quarters"), ("reno", "half"))
}
_RECOVERIES = ("reno", "sack")
_QUEUES = (100, 20)

_STREAK_FLOWS = 10
_STREAK_STARTS = ("vegas", "gallop", "streak")
_SPREADS_S = (0.0, 1.0, 10.0)
_FULL, _SMOOTHED_OVER, _LAST_S = 0.99, 5, 10

_PRODUCT, _QUEUE = 625, 100
_THRESHOLDS = (_PRODUCT // 2, _PRODUCT, _PRODUCT + _QUEUE, 2 * _PRODUCT)
_PACED = {"as it is": False, "J": True}


def _seeds(quick: bool) -> range:
    return range(1, 1 + (_QUICK_SEEDS if quick else _SEEDS))


def _parts(**parts: object) -> dict[str, object]:
    return {f"flow.0.algorithm.{name}": value for name, value in parts.items()}


def _of_seeds(data: Data, prefix: str, what: str) -> Spread:
    return spread([float(run[what]) for key, run in data.items() if key.startswith(f"{prefix}/")])


def _exchanged_runs(quick: bool) -> dict[str, Run]:
    return {
        f"{queue}/{recovery}/{name}/{seed}": Run(
            scenario="papers/beyond-start",
            set={"topology.bottleneck.queue": f"{queue}p", **_parts(recovery=recovery, **parts)},
            seed=seed,
            extract=first_flow,
        )
        for queue in _QUEUES
        for recovery in _RECOVERIES
        for name, parts in _SENDERS.items()
        for seed in _seeds(quick)
    }


def _exchanged(data: Data, what: str) -> dict[str, list[Spread]]:
    """Returns the values by sender, over queues and recoveries."""
    return {
        name: [_of_seeds(data, f"{queue}/{recovery}/{name}", what) for queue in _QUEUES for recovery in _RECOVERIES]
        for name in _SENDERS
    }


_NETWORKS = [f"queue {queue}, {recovery}" for queue in _QUEUES for recovery in _RECOVERIES]


def _answer_exchanged(data: Data) -> list[Answer]:
    shares, timeouts = _exchanged(data, "share_percent"), _exchanged(data, "timeouts")
    return [
        Answer(
            question="Is Vegas's start worth something to Reno, and Reno's to Vegas?",
            text="Per cent of the link in the first eleven seconds on 50 Mb/s and 100 ms with 5 % web traffic, and "
            "timeouts, by queue and recovery. The slow-start paper expects Vegas's start to spare Reno the timeouts of "
            "its own: it does where the queue of 100 holds its doublings, and Reno's start without SACK pays one. With "
            "SACK that pays none, and its larger window is worth more than what it loses.",
            columns=("sender", *_NETWORKS, *(f"timeouts, {name}" for name in _NETWORKS)),
            rows=[[name, *map(str, shares[name]), *map(str, timeouts[name])] for name in _SENDERS],
            scenarios=("papers/beyond-start",),
        )
    ]


def _draw_exchanged(data: Data) -> list[Chart]:
    panel = Panel(
        x="queue and recovery",
        y="part of the link (%)",
        curves=with_intervals(_exchanged(data, "share_percent")),
        x_names=_NETWORKS,
    )
    caption = "Part of the link in the first 11 s, means and 95 % intervals over seeds."
    return [Chart(slug="beyond-exchanged", title="Starts and avoidances exchanged", caption=caption, panels=(panel,))]


def _together(result: Result) -> dict[str, Any]:
    """Returns when the link was full, s (the run's end if never), the least share over the greatest in the last 10 s,
    and the drops.
    """
    time_s, utilisation = link_column(result, "utilisation", _BOTTLENECK)
    smooth = np.convolve(utilisation, np.full(_SMOOTHED_OVER, 1 / _SMOOTHED_OVER), mode="same")
    full_s = first_time(time_s, smooth >= _FULL)
    last = [_last_bytes(result, flow) for flow in range(_STREAK_FLOWS)]
    return {
        "full_s": float(time_s[-1]) if full_s is None else full_s,
        "least": min(last) / max(last),
        "drops": link_total(result, _BOTTLENECK)["drops"],
    }


def _last_bytes(result: Result, flow: int) -> float:
    """Returns the bytes that a flow delivered in the run's last 10 s."""
    time_s, acked_bytes = flow_column(result, "acked_bytes", flow)
    return float(acked_bytes[-1] - acked_bytes[time_s <= time_s[-1] - _LAST_S][-1])


def _together_runs(quick: bool) -> dict[str, Run]:
    runs = {}
    for within_s in _SPREADS_S:
        for seed in _seeds(quick) if within_s else (1,):
            starts_ms = np.random.default_rng(seed).integers(0, round(1000 * within_s) + 1, _STREAK_FLOWS)
            starts = {f"flow.{flow}.start": f"{ms}ms" for flow, ms in enumerate(starts_ms)}
            for name in _STREAK_STARTS:
                algorithms = {f"flow.{flow}.algorithm": name for flow in range(_STREAK_FLOWS)}
                runs[f"{within_s:g}/{name}/{seed}"] = Run(
                    scenario="papers/gallop-fig10", set={**algorithms, **starts}, extract=_together
                )
    return runs


def _answer_together(data: Data) -> list[Answer]:
    rows = [
        [
            f"{name}, starts within {within_s:g} s" if within_s else f"{name}, one start",
            *(str(_of_seeds(data, f"{within_s:g}/{name}", what)) for what in ("full_s", "least", "drops")),
        ]
        for within_s in _SPREADS_S
        for name in _STREAK_STARTS
    ]
    return [
        Answer(
            question="Do several Streak flows converge?",
            text="Ten flows of one kind on 100 Mb/s and 100 ms with a queue of 1000: when the link is full, the least "
            "flow's bytes over the greatest's in the last ten of thirty seconds, and drops. Vegas's avoidance, the "
            "same in all, evens shares out slowly: a flow that starts into a full link stays behind, the more the "
            "sooner it fills.",
            columns=("flows", "full at (s)", "least over greatest", "drops"),
            rows=rows,
            scenarios=("papers/gallop-fig10",),
        )
    ]


def _draw_together(data: Data) -> list[Chart]:
    def curves(what: str) -> Mapping[str, Sequence[Spread]]:
        return {
            name: [_of_seeds(data, f"{within_s:g}/{name}", what) for within_s in _SPREADS_S] for name in _STREAK_STARTS
        }

    names = [f"{within_s:g} s" if within_s else "one start" for within_s in _SPREADS_S]
    panels = (
        Panel(x="starts within", y="link full at (s)", curves=with_intervals(curves("full_s")), x_names=names),
        Panel(
            x="starts within",
            y="least over greatest",
            curves=with_intervals(curves("least"), labelled=False),
            x_names=names,
        ),
    )
    caption = "Ten flows of one kind on 100 Mb/s and 100 ms. Means and 95 % intervals over seeds of the start times."
    return [Chart(slug="beyond-together", title="Ten flows that start together", caption=caption, panels=panels)]


def _lossless_runs(quick: bool) -> dict[str, Run]:
    return {
        f"{threshold}/{name}/{seed}": Run(
            scenario="papers/beyond-start",
            set={**_parts(slow_start="mid-speed", suppress_spikes=paced), "flow.0.ssthresh": threshold},
            seed=seed,
            extract=first_flow,
        )
        for threshold in _THRESHOLDS
        for name, paced in _PACED.items()
        for seed in _seeds(quick)
    }


def _answer_lossless(data: Data) -> list[Answer]:
    rows = [
        [
            f"{threshold}",
            *(
                str(_of_seeds(data, f"{threshold}/{name}", what))
                for what in ("share_percent", "again_percent", "timeouts")
                for name in _PACED
            ),
        ]
        for threshold in _THRESHOLDS
    ]
    return [
        Answer(
            question="Can mid-speed start do without its losses?",
            text=f"By its threshold, on a path that holds {_PRODUCT} segments and {_QUEUE} more in the queue, with and "
            "without mechanism J, which paces to twice the rate of the newest round: per cent of the link in the first "
            "eleven seconds, per cent retransmitted, timeouts. It is the burst of the jump that is lost: paced, next "
            "to nothing is up to what path and queue hold, and the share is larger.",
            columns=(
                "threshold",
                *(f"{what}, {name}" for what in ("share", "retransmitted", "timeouts") for name in _PACED),
            ),
            rows=rows,
            scenarios=("papers/beyond-start",),
        )
    ]


def _draw_lossless(data: Data) -> list[Chart]:
    def curves(what: str) -> Mapping[str, Sequence[Spread]]:
        return {name: [_of_seeds(data, f"{one}/{name}", what) for one in _THRESHOLDS] for name in _PACED}

    names = [str(threshold) for threshold in _THRESHOLDS]
    panels = (
        Panel(
            x="threshold (segments)",
            y="part of the link (%)",
            curves=with_intervals(curves("share_percent")),
            x_names=names,
        ),
        Panel(
            x="threshold (segments)",
            y="retransmitted (%)",
            curves=with_intervals(curves("again_percent"), labelled=False),
            x_names=names,
        ),
    )
    caption = f"First 11 s; path of {_PRODUCT} segments, queue of {_QUEUE}. Means and 95 % intervals over seeds."
    return [Chart(slug="beyond-mid-speed", title="Mid-speed start and its losses", caption=caption, panels=panels)]


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="Starts and avoidances exchanged",
        claims=(),
        runs=_exchanged_runs,
        answer=_answer_exchanged,
        draw=_draw_exchanged,
    ),
    Experiment(
        title="Several Streak flows", claims=(), runs=_together_runs, answer=_answer_together, draw=_draw_together
    ),
    Experiment(
        title="A mid-speed start without losses",
        claims=(),
        runs=_lossless_runs,
        answer=_answer_lossless,
        draw=_draw_lossless,
    ),
)

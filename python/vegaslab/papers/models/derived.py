"""The output of `vegaslab model`: quantities derived from a path, each with its equation's number."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from vegaslab.papers.models import factorial, gallop, rovegas, slow_start


@dataclass(frozen=True)
class Derived:
    """A derived quantity: its name, value and unit, and the equation that gives it."""

    what: str
    value: float
    unit: str
    equation: str

    def as_dict(self) -> dict[str, object]:
        """Returns the fields for JSON."""
        return asdict(self)


def of_gallop(rate_pps: float, rtt_s: float) -> list[Derived]:
    """Returns the Gallop-Vegas paper's quantities of a path; `rtt_s` is the base RTT, s."""
    k = gallop.first_excess_round(rate_pps, rtt_s)
    vegas, stable = gallop.vegas_rounds(rate_pps, rtt_s), gallop.gallop_rounds(rate_pps, rtt_s)
    return [
        Derived("window that fills the path", rate_pps * rtt_s, "packets", "mu d"),
        Derived("window with beta packets queued", gallop.full_window(rate_pps, rtt_s), "packets", "16"),
        Derived("Vegas: least window with a backlog of 1", gallop.vegas_bound(rate_pps, rtt_s), "packets", "5"),
        Derived(
            "Vegas: window that ends slow start", gallop.vegas_exit_window(rate_pps, rtt_s), "packets", "5, table 2"
        ),
        Derived("Vegas: round that ends slow start", gallop.vegas_exit_round(rate_pps, rtt_s), "rounds", "5, table 2"),
        Derived("Vegas: rounds until the path is full", vegas, "rounds", "6"),
        Derived("Vegas: time until the path is full", vegas * rtt_s, "s", "6"),
        Derived(
            "Gallop: round with a backlog of 1, exactly", gallop.first_excess_root(rate_pps, rtt_s), "rounds", "13*"
        ),
        Derived(
            "Gallop: the same as printed", gallop.first_excess_root_printed(rate_pps, rtt_s), "rounds", "13 as printed"
        ),
        Derived("Gallop: first round above it, k", k, "rounds", "13*"),
        Derived("Gallop: window in round k", gallop.stable_window(k), "packets", "7"),
        Derived("Gallop: rounds of all halvings", gallop.phases_rounds(k), "rounds", "17"),
        Derived("Gallop: growth in all halvings", gallop.phases_growth(k), "packets", "18*"),
        Derived("Gallop: rounds until the path is full", stable, "rounds", "19*"),
        Derived("Gallop: time until the path is full", stable * rtt_s, "s", "19*"),
        Derived(
            "Gallop: the same as printed", gallop.gallop_rounds_printed(rate_pps, rtt_s), "rounds", "19 as printed"
        ),
    ]


def of_slow_start(rate_pps: float, rtt_s: float) -> list[Derived]:
    """Returns the slow-start paper's quantities of a path; `rtt_s` is the round-trip propagation delay, s."""
    ideal = slow_start.ideal_window(rate_pps, rtt_s)
    bound = slow_start.efficiency_bound(ideal)
    rise = slow_start.rise_time(ideal, rtt_s)
    queue = slow_start.greatest_queue(ideal)
    exit_window = slow_start.exit_window(ideal)
    return [
        Derived("ideal window W*", ideal, "packets", "C tau"),
        Derived("efficiency: least", bound / 2, "1", "3"),
        Derived("efficiency: below", bound, "1", "3"),
        Derived("Vegas: efficiency", slow_start.efficiency(ideal), "1", "3"),
        Derived("Vegas: window that ends slow start", exit_window, "packets", "3"),
        Derived("Vegas: mean round trip then", slow_start.doubled_rtt(exit_window, rate_pps, rtt_s), "s", "2"),
        Derived("Vegas: rise time", rise, "s", "section 2.2"),
        Derived("Vegas: greatest queue of slow start", queue, "packets", "section 2.2"),
        Derived("Vegas: T_r/tau + 2 Q", slow_start.trade_off(rise, rtt_s, queue), "packets", "4"),
        Derived("Streak Doubling: rise time", slow_start.streak_rise_time(rtt_s), "s", "section 3"),
        Derived("Streak Doubling: greatest queue", slow_start.STREAK_QUEUE_PACKETS, "packets", "section 3"),
    ]


def of_rovegas(rate_pps: float, rtt_s: float, k: float) -> list[Derived]:
    """Returns RoVegas's quantities of a path with a backward link of rate/k acknowledgements a second and 3 queued
    packets.
    """
    least, greatest = rovegas.vegas_queue()
    queue = greatest
    forward, backward = (queue, 0.0) if k <= 1 else (0.0, queue)
    u_b = rate_pps / k
    window = rovegas.vegas_window(rtt_s, rate_pps, u_b, forward, backward)
    busy = rovegas.full_window(rtt_s, min(rate_pps, u_b), queue)
    return [
        Derived("Vegas: least queue at the bottleneck", least, "packets", "11" if k <= 1 else "15"),
        Derived("Vegas: greatest queue at the bottleneck", greatest, "packets", "11" if k <= 1 else "15"),
        Derived(
            "Vegas: round trip with 3 queued", rovegas.round_trip(rtt_s, rate_pps, u_b, forward, backward), "s", "7"
        ),
        Derived("Vegas: least steady window with 3 queued", window[0], "packets", "9" if k <= 1 else "13"),
        Derived("Vegas: greatest steady window with 3 queued", window[1], "packets", "9" if k <= 1 else "13"),
        Derived("Vegas: window that keeps the bottleneck busy", busy, "packets", "10" if k <= 1 else "14"),
        Derived("Vegas: throughput", rovegas.vegas_throughput(rate_pps, k), "packet/s", "12" if k <= 1 else "16"),
        Derived(
            "RoVegas: least steady window, 3 forward", rovegas.rovegas_window(rtt_s, rate_pps, 3)[0], "packets", "19"
        ),
        Derived(
            "RoVegas: greatest steady window, 3 forward", rovegas.rovegas_window(rtt_s, rate_pps, 3)[1], "packets", "19"
        ),
        Derived("RoVegas over Vegas: at most", rovegas.MOST_RATIO if k > 1 else 1, "1", "20" if k > 1 else "9, 19"),
    ]


def of_factorial(effects: Mapping[str, float], levels: Mapping[str, int]) -> list[Derived]:
    """Returns the factorial model's mean of a configuration."""
    return [
        Derived("mean of the configuration", factorial.predict(effects, levels), "as the effects", "section VIII.B")
    ]

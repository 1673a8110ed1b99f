"""Gallop-Vegas: the closed forms compared with the numbers printed beside them, and simulated windows of slow start."""

import math

import numpy as np

from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data, Experiment, Mutant, Run
from vegaslab.papers.experiments.extract import flow_column
from vegaslab.papers.judging.verdict import Finding
from vegaslab.papers.models import gallop as model
from vegaslab.runs.result import Result

_ROUND_S = 0.1
_ROUNDS = 11
_ROUNDS_AFTER_TIMEOUT = 7


def _windows(result: Result) -> list[float]:
    """Returns the window at nine tenths of each of the first rounds: it grows with acknowledgements, at a round's
    start.
    """
    time_s, window = flow_column(result, "cwnd_segments")
    return [float(window[int(np.searchsorted(time_s, (i + 0.9) * _ROUND_S))]) for i in range(_ROUNDS)]


def _window_runs(_quick: bool) -> dict[str, Run]:
    return {
        algorithm: Run(scenario="papers/gallop-windows", set={"flow.0.algorithm": algorithm}, extract=_windows)
        for algorithm in ("vegas", "gallop")
    }


def _find_windows(data: Data) -> dict[str, Finding]:
    def against(closed: list[int], simulated: list[float]) -> Finding:
        holds = all(abs(ours - theirs) < 0.5 for ours, theirs in zip(simulated, closed, strict=True))
        return Finding(values=tuple(map(float, closed)), holds=holds, note="The simulated windows are the same.")

    return {
        "G-table2": against([model.doubling_window(i) for i in range(_ROUNDS)], data["vegas"]),
        "G-table3": against([model.stable_window(i) for i in range(_ROUNDS)], data["gallop"]),
    }


def _draw_windows(data: Data) -> list[Chart]:
    rounds = list(range(_ROUNDS))
    curves = [
        Curve(label="Vegas, table 2", x=rounds, y=[model.doubling_window(i) for i in rounds], colour=0, style="dashed"),
        Curve(label="Vegas, simulated", x=rounds, y=data["vegas"], colour=0, style="points"),
        Curve(label="Gallop, eq. 7", x=rounds, y=[model.stable_window(i) for i in rounds], colour=2, style="dashed"),
        Curve(label="Gallop, simulated", x=rounds, y=data["gallop"], colour=2, style="points"),
        Curve(label="one packet a round", x=rounds, y=[2 + i for i in rounds], colour=7, style="dashed"),
    ]
    caption = "Windows while no backlog shows: Gallop's growth lies between doubling and one packet a round."
    panel = Panel(x="round", y="window (packets)", curves=curves)
    return [
        Chart(
            slug="gallop-fig1", title="Figure 1, tables 2 and 3: slow start's windows", caption=caption, panels=(panel,)
        )
    ]


def _windows_after_timeout(result: Result) -> list[float]:
    """Returns the windows round by round from a timeout on, which sets the window; an empty list without a timeout."""
    time_s, window = flow_column(result, "cwnd_segments")
    timeouts = [row["time_s"] for row in result.incidents.to_pylist() if row["kind"] == "timeout"]
    begins_s = timeouts[0] if len(timeouts) == 1 else float("nan")
    places = [int(np.searchsorted(time_s, begins_s + (i + 0.9) * _ROUND_S)) for i in range(_ROUNDS_AFTER_TIMEOUT)]
    return [float(window[place]) for place in places if place < len(window)]


def _timeout_runs(_quick: bool) -> dict[str, Run]:
    return {"gallop": Run(scenario="papers/gallop-timeout", extract=_windows_after_timeout)}


def _find_timeout(data: Data) -> dict[str, Finding]:
    closed = [model.stable_window(i) for i in range(_ROUNDS_AFTER_TIMEOUT)]
    simulated = data["gallop"]
    values = (*simulated, *[0.0] * _ROUNDS_AFTER_TIMEOUT)[:_ROUNDS_AFTER_TIMEOUT]
    return {"G-timeout": Finding(values=tuple(map(_whole_if_near, values)), holds=len(simulated) == len(closed))}


def _whole_if_near(window: float) -> float:
    """Rounds a window that is nearly whole: sums of fractions of segments miss a whole number by less than a
    thousandth.
    """
    return float(round(window)) if abs(window - round(window)) < 0.001 else window


def _find_examples(_data: Data) -> dict[str, Finding]:
    return {
        "G-example1-gallop": _example1_gallop(6250, 0.1),
        "G-example1-vegas": _example1_vegas(6250, 0.1),
        "G-example2-gallop": _example2_gallop(3125, 0.05),
        "G-example2-vegas": _example2_vegas(3125, 0.05),
    }


def _example1_gallop(mu: float, d: float) -> Finding:
    k, rounds = model.first_excess_round(mu, d), model.gallop_rounds(mu, d)
    return Finding(
        values=(model.first_excess_root(mu, d), k, model.stable_window(k), rounds, rounds * d),
        holds=rounds < model.vegas_rounds(mu, d),
        arithmetic=_arithmetic(mu, d, printed_k=17, printed_rounds=108)
        + " The printed 16.242 equals cbrt(2500) + 2.67 = 13.572 + 2.67, eq. 13 with 8/3 in place of 2/3 and without "
        "its second root; that this is how it came about is a guess.",
    )


def _example2_gallop(mu: float, d: float) -> Finding:
    k, rounds = model.first_excess_round(mu, d), model.gallop_rounds(mu, d)
    return Finding(
        values=(model.stable_window(k), k, rounds, rounds * d),
        holds=rounds < model.vegas_rounds(mu, d),
        arithmetic=_arithmetic(mu, d, printed_k=9, printed_rounds=26)
        + " Eq. 13 rounds up, the example rounds down; and the window it expects after the halvings, 38 + 121.5, is "
        "already above the 159 that it looks for, hence a round less than none.",
    )


def _arithmetic(mu: float, d: float, *, printed_k: int, printed_rounds: int) -> str:
    """Returns eqs. 13 and 17 to 19 evaluated as printed, corrected, and as the examples must have evaluated them."""
    k = model.first_excess_round(mu, d)
    return (
        f"Eq. 13 as printed gives {model.first_excess_root_printed(mu, d):.3f}, so k = {k} and "
        f"W = {model.stable_window(k)}; W = {model.stable_window(printed_k)} is right for k = {printed_k}. "
        f"Eq. 19 as printed then gives {model.gallop_rounds_printed(mu, d)} rounds, with k = {printed_k} "
        f"{model.gallop_rounds_printed(mu, d, k=printed_k)}. "
        f"The printed {printed_rounds} needs k = {printed_k}, "
        "both sums taken as 2, mu d truncated, and the rest rounded half away from 0 where the equation rounds up: "
        f"{model.gallop_rounds_as_in_examples(mu, d, k=printed_k)}. Eq. 18 is wrong too: a halving adds a quarter of "
        "the growth before it (3/16 k^2), not half (3/8 k^2); with that, and with the 8/27 that eqs. 12 and 13 lose "
        f"beside mu d, the model gives {model.gallop_rounds(mu, d)} rounds."
    )


def _example1_vegas(mu: float, d: float) -> Finding:
    rounds = model.vegas_rounds(mu, d)
    window, end = model.vegas_exit_window(mu, d), model.vegas_exit_round(mu, d)
    return Finding(
        values=(model.vegas_bound(mu, d), window, end, rounds, rounds * d),
        holds=rounds > 100,
        arithmetic=_parity(mu, d),
    )


def _example2_vegas(mu: float, d: float) -> Finding:
    rounds = model.vegas_rounds(mu, d)
    return Finding(
        values=(model.vegas_exit_window(mu, d), model.vegas_exit_round(mu, d), rounds, rounds * d),
        holds=rounds > 100,
        arithmetic=_parity(mu, d),
        note="With mu d = 156, as the example writes it; with 156.25 eq. 6 gives 137.",
    )


def _parity(mu: float, d: float) -> str:
    """Returns eq. 6 with the odd round that the text before it asks for, and with the even one of the examples."""
    bound, even = model.vegas_exit_round_printed(mu, d), model.vegas_exit_round(mu, d)
    odd = 2 * math.ceil((bound - 1) / 2) + 1
    rounds = model.vegas_rounds(mu, d)
    return (
        f"The text before eq. 6 takes l for odd and bounds it by {bound:.2f}, so l = {odd}, and eq. 6 gives "
        f"{rounds - even + odd} rounds. The example has l = {even}, the first round of table 2 with "
        f"{model.vegas_exit_window(mu, d)} packets, which is even, and {rounds} rounds."
    )


_MODEL = "vegaslab.papers.models.gallop"
_WRONG_FORMULAS = (
    Mutant(
        name="the last packet's RTT (eq. 4)",
        functions={f"{_MODEL}.vegas_bound": lambda mu, d, **_: (1 + math.sqrt(1 + 8 * mu * d)) / 2},
    ),
    Mutant(
        name="a doubling every round",
        functions={
            f"{_MODEL}.vegas_exit_round": lambda mu, d, _gamma=1: math.ceil(math.log2(model.vegas_bound(mu, d))) - 1
        },
    ),
    Mutant(
        name="no eighth given back",
        functions={
            f"{_MODEL}.vegas_rounds": lambda mu, d: (
                model.vegas_exit_round(mu, d) + math.ceil(mu * d - model.vegas_exit_window(mu, d))
            )
        },
    ),
)

EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="Windows of slow start (figure 1, tables 2, 3)",
        claims=("G-table2", "G-table3"),
        runs=_window_runs,
        find=_find_windows,
        draw=_draw_windows,
    ),
    Experiment(
        title="Slow start after a timeout (section III)",
        claims=("G-timeout",),
        runs=_timeout_runs,
        find=_find_timeout,
    ),
    Experiment(
        title="Worked examples (section IV.C)",
        claims=("G-example1-gallop", "G-example1-vegas", "G-example2-gallop", "G-example2-vegas"),
        find=_find_examples,
        mutants=_WRONG_FORMULAS,
    ),
)

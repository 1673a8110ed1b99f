"""Revisited: what Vegas gains over Reno (section V), and what its corrections cost (section VII.D)."""

import math
from collections.abc import Mapping
from typing import Any

from vegaslab.papers.experiments.experiment import Data
from vegaslab.papers.judging.claims import claims
from vegaslab.papers.judging.verdict import Errors, Reading
from vegaslab.papers.revisited import factors
from vegaslab.papers.revisited.setting import GROUNDS, LOADS, Floats, Kind, run_key
from vegaslab.statistics import standard_error

NAMES = ("Reno low", "Vegas low", "Reno high", "Vegas high")
_SLOWER_AND_MORE, _IN_WORDS = (4, 3), "four and three"
"""In how many of four cells the corrections cost throughput and add retransmissions (section VII.D)."""


def all_seeds(data: Data, kind: Kind, measure: Any) -> dict[str, list[Floats]]:
    """Returns the values of each replication of the three senders, of fifty seeds in a quick report, too."""
    ends = {ground: measure(data[f"alone/{run_key(kind, *ground)}"]) for ground in GROUNDS}
    mixed = {load: measure(data[f"released/{run_key(kind, 'released', load)}"]) for load in LOADS}
    over_reno = {load: measure(data[f"released/{run_key(kind, 'Reno', load)}"])[0] for load in LOADS}
    return {
        "Reno": [one for load in LOADS for one in (ends["Reno", load][0], mixed[load][0])],
        "Vegas": [one for load in LOADS for one in (over_reno[load], mixed[load][1])],
        "Vegas'": [ends[ground][1] for ground in GROUNDS],
    }


def _gains(rows: Mapping[str, list[Floats]], sign: int) -> list[float]:
    """Returns by how much, in %, the released Vegas has more than Reno (sign 1) or less (sign -1)."""
    pairs = zip(rows["Vegas"], rows["Reno"], strict=True)
    return [100 * sign * (float(vegas.mean() / reno.mean()) - 1) for vegas, reno in pairs]


def gains_in_words(rows: Mapping[str, list[Floats]], sign: int) -> str:
    """Returns the four gains as a note has them."""
    gains = zip(NAMES, _gains(rows, sign), strict=True)
    return f"Over {', '.join(f'{name} {gain:.0f} %' for name, gain in gains)}."


def gain_reading(kind: Kind, rows: Mapping[str, list[Floats]], tables: tuple[str, str], sign: int) -> Reading:
    """Returns the least and the greatest of the four gains."""
    gains = _gains(rows, sign)
    paper = claims()["H-table1" if sign > 0 else "H-table2"].values
    errors = []
    for place, (background, load) in enumerate(GROUNDS):
        error = factors.mean_errors(tables[load != "low"], background)
        theirs = ratio_error(error / paper[place], error / paper[4 + place]) * paper[4 + place] / paper[place]
        vegas, reno = rows["Vegas"][place], rows["Reno"][place]
        ratio = float(vegas.mean() / reno.mean())
        ours = (
            ratio_error(standard_error(vegas) / float(vegas.mean()), standard_error(reno) / float(reno.mean())) * ratio
        )
        errors.append(Errors(100 * theirs, 100 * ours))
    least, greatest = gains.index(min(gains)), gains.index(max(gains))
    # the least part saved, 6 %, is less than two of the paper's own standard errors, of 4 %
    chance = 0.0 if sign > 0 else 2 * errors[least].both
    return Reading(
        name=kind.name,
        values=(gains[least], gains[greatest]),
        holds=min(gains) > -chance,
        errors=(errors[least], errors[greatest]),
    )


def corrections(kind: Kind, speed: Mapping[str, list[Floats]], resent: Mapping[str, list[Floats]]) -> Reading:
    """Returns the corrected Vegas less the released one, in throughput and in retransmissions."""
    values, errors = [], []
    for rows, tables in ((speed, ("VI", "VII")), (resent, ("VIII", "IX"))):
        for place, (background, load) in enumerate(GROUNDS):
            difference = rows["Vegas'"][place] - rows["Vegas"][place]
            values.append(float(difference.mean()))
            paper = math.sqrt(2) * factors.mean_errors(tables[load != "low"], background)
            errors.append(Errors(paper, standard_error(difference)))
    slower, more = sum(value < 0 for value in values[:4]), sum(value > 0 for value in values[4:])
    return Reading(
        name=kind.name,
        values=tuple(values),
        holds=sum(values[:4]) < 2 * math.hypot(*(one.both for one in errors[:4])),
        errors=tuple(errors),
        beyond=""
        if (slower, more) == _SLOWER_AND_MORE
        else f"slower in {slower} of four cells and more resent in {more}; the paper has {_IN_WORDS}",
    )


def ratio_error(above: float, below: float) -> float:
    """Returns the relative standard error of a ratio from those of its two parts."""
    return math.hypot(above, below)

"""Tables VI to IX and XI of "TCP Vegas Revisited": 2^3 designs with 50 replications.

The published numbers are only effects, shares and half widths. From effects and error share follow cell means and the
size of errors, so runs can be made up that have them; what is then found in these runs has to be what is printed.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from vegaslab.sweeps.factorial.analysis import Analysis
from vegaslab.sweeps.plans.design import Design

DESIGN = Design(("S", "C", "R"))  # slow start, congestion avoidance, recovery
NAMES = ["I", "S", "C", "R", "CS", "RS", "CR", "CRS"]


@dataclass
class Printed:
    """Effects and their shares in %, in the order of NAMES; the error's share; the row "90%"; footnotes."""

    effects: list[float]
    shares: list[float]
    error: float
    half_width: float
    not_significant: list[str]


TABLES = {
    "VI, Reno": Printed(
        [86.64, 7.14, 2.06, 6.64, 0.17, 1.09, 0.64, -0.68],
        [27.71, 2.30, 23.98, 0.02, 0.65, 0.22, 0.25],
        44.88,
        0.59,
        ["CS"],
    ),
    "VI, Vegas": Printed(
        [83.90, 5.57, 2.25, 6.68, 0.46, 0.95, 0.40, -0.61],
        [19.38, 3.17, 27.91, 0.13, 0.56, 0.10, 0.24],
        48.50,
        0.57,
        ["CS", "CR"],
    ),
    "VII, Reno": Printed(
        [26.31, 0.02, -0.77, 9.65, 0.52, -0.96, -0.53, 0.33],
        [0.00, 0.41, 65.22, 0.19, 0.64, 0.19, 0.07],
        33.27,
        0.45,
        ["S", "CRS"],
    ),
    "VII, Vegas": Printed(
        [20.97, 0.07, -0.69, 7.96, 0.90, -0.79, -0.34, 0.37],
        [0.00, 0.42, 55.78, 0.72, 0.55, 0.10, 0.12],
        42.30,
        0.45,
        ["S", "CR", "CRS"],
    ),
    "VIII, Reno": Printed(
        [29.02, -10.74, -8.65, 3.08, 5.42, 0.32, -1.98, 0.43],
        [43.12, 27.97, 3.56, 10.96, 0.04, 1.47, 0.07],
        12.82,
        0.38,
        ["RS"],
    ),
    "VIII, Vegas": Printed(
        [32.75, -12.43, -6.38, 3.05, 2.41, 0.40, -1.53, 0.25],
        [54.91, 14.48, 3.31, 2.06, 0.06, 0.83, 0.02],
        24.34,
        0.54,
        ["RS", "CRS"],
    ),
    "IX, Reno": Printed(
        [120.84, 2.55, -2.21, -4.79, 1.41, -3.24, 0.25, 0.97],
        [1.09, 0.81, 3.83, 0.33, 1.75, 0.01, 0.16],
        92.02,
        1.52,
        ["CS", "CR", "CRS"],
    ),
    "IX, Vegas": Printed(
        [144.02, 5.58, -1.84, -6.31, 1.45, -3.22, -0.24, -0.26],
        [3.45, 0.37, 4.41, 0.23, 1.14, 0.01, 0.01],
        90.39,
        1.85,
        ["C", "CS", "CR", "CRS"],
    ),
    "XI, Reno": Printed(
        [17.96, -2.87, -0.19, 4.80, 0.39, -1.74, 0.30, 0.01],
        [12.31, 0.05, 34.29, 0.22, 4.52, 0.13, 0.00],
        48.48,
        0.37,
        ["C", "CR", "CRS"],
    ),
    "XI, Vegas": Printed(
        [16.26, -1.54, -0.63, 3.25, 0.05, -0.90, 0.16, -0.20],
        [4.61, 0.78, 20.53, 0.00, 1.59, 0.05, 0.08],
        72.36,
        0.40,
        ["CS", "CR", "CRS"],
    ),
}
# tables IV, V, X and XII: all off (Reno), all on (Vegas'), where printed all but avoidance, and avoidance alone
OFF, ON, WITHOUT, ALONE = 0, 7, 5, 2
CELLS = {
    "VI, Reno": {OFF: 73.4, ON: 103.7, WITHOUT: 99.3, ALONE: 74.5},
    "VI, Vegas": {OFF: 71.8, ON: 99.6, WITHOUT: 94.6, ALONE: 73.4},
    "VII, Reno": {OFF: 16.1, ON: 34.6, WITHOUT: 35.5, ALONE: 15.3},
    "VII, Vegas": {OFF: 13.0, ON: 28.4, WITHOUT: 28.0, ALONE: 11.3},
    "VIII, Reno": {OFF: 48.6, ON: 16.9},
    "VIII, Vegas": {OFF: 49.5, ON: 18.5},
    "IX, Reno": {OFF: 122.7, ON: 115.8},
    "IX, Vegas": {OFF: 144.8, ON: 139.2},
    "XI, Reno": {OFF: 15.2, ON: 18.6},
    "XI, Vegas": {OFF: 14.7, ON: 16.4},
}
HALF_A_DIGIT = 0.005
"""Everything is printed with two decimals."""


def made_up(table: Printed, level: float) -> Analysis:
    cells = np.zeros(8)
    for cell, (slow_start, avoidance, recovery) in enumerate(DESIGN.levels.tolist()):
        s, c, r = slow_start, avoidance, recovery
        cells[cell] = np.dot(table.effects, [1, s, c, r, s * c, s * r, c * r, s * c * r])
    explained = 400 * sum(effect**2 for effect in table.effects[1:])
    errors = explained * table.error / (100 - table.error)
    # half of the runs above their cell's mean, half below, all equally far
    distance = np.sqrt(errors / 400)
    return Analysis.of(DESIGN, cells[:, None] + np.repeat([distance, -distance], 25), level)


def test_the_configuration_that_the_paper_works_out_has_a_mean_of_88_32() -> None:
    # slow start and avoidance on, recovery off
    assert made_up(TABLES["VI, Reno"], 0.9).cell_means[3] == pytest.approx(88.32, abs=1e-9)


@pytest.mark.parametrize("name", TABLES)
def test_shares_of_variation_are_those_printed(name: str) -> None:
    table = TABLES[name]
    analysis = made_up(table, 0.8)
    assert [effect.name for effect in sorted(analysis.effects, key=lambda e: NAMES.index(e.name))] == NAMES
    for word, value, share in zip(NAMES[1:], table.effects[1:], table.shares, strict=True):
        # an effect is known to half a digit, so its share to that times the slope
        slope = 2 * 400 * abs(value) / analysis.total_variation * 100
        assert 100 * analysis[word].share == pytest.approx(share, abs=HALF_A_DIGIT * (2 + slope)), word
    assert sum(table.shares) + table.error == pytest.approx(100, abs=0.02)


@pytest.mark.parametrize("name", TABLES)
def test_the_row_90_percent_is_the_interval_of_80_percent(name: str) -> None:
    """What is printed is t[0.90; 392] s_q, which leaves out a tenth on each side."""
    table = TABLES[name]
    analysis = made_up(table, 0.8)
    assert analysis.half_width == pytest.approx(table.half_width, abs=2 * HALF_A_DIGIT)
    assert made_up(table, 0.9).half_width > 1.25 * table.half_width
    assert sorted(e.name for e in analysis.effects if not e.significant) == sorted(table.not_significant)


def test_at_90_percent_seven_more_effects_are_not_significant() -> None:
    lost = {
        name: [e.name for e in made_up(table, 0.9).effects if not e.significant and e.name not in table.not_significant]
        for name, table in TABLES.items()
    }
    assert {name: words for name, words in lost.items() if words} == {
        "VI, Reno": ["CR", "CRS"],
        "VI, Vegas": ["CRS"],
        "VII, Reno": ["CR", "CS"],
        "VIII, Reno": ["CRS"],
        "XI, Reno": ["CS"],
    }


@pytest.mark.parametrize("name", TABLES)
def test_cell_means_are_those_of_the_other_tables(name: str) -> None:
    means = made_up(TABLES[name], 0.9).cell_means
    for cell, printed in CELLS[name].items():
        # printed with one decimal; eight effects of two decimals each
        assert means[cell] == pytest.approx(printed, abs=0.05 + 8 * HALF_A_DIGIT)

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from vegaslab.reports.totals import jain_index
from vegaslab.statistics import (
    holm,
    mean_interval,
    paired_difference,
    percentile,
    t_quantile,
    time_to_fill_s,
)


def test_rounding_is_no_interval() -> None:
    # 0.1 + 0.2 is 0.30000000000000004
    mean = mean_interval([0.3, 0.1 + 0.2, 0.3])
    assert (mean.mean, mean.half_width) == (0.3, 0)
    difference = paired_difference([0.3, 0.1 + 0.2, 28.2], [0.1 + 0.2, 0.3, 28.2])
    assert (difference.mean, difference.half_width, difference.p_value) == (0, 0, 1)
    assert paired_difference([1.0, 1.0 + 1e-9], [1.0, 1.0]).half_width > 0


def test_quantiles_are_those_of_the_tables() -> None:
    assert t_quantile(0.95, 8) == pytest.approx(1.860, abs=5e-4)
    assert t_quantile(0.975, 10) == pytest.approx(2.228, abs=5e-4)
    assert t_quantile(0.95, 1) == pytest.approx(6.314, abs=5e-4)


def test_a_mean_s_interval_by_hand() -> None:
    # 2, 4, 6: mean 4, s = 2, t[0.975; 2] = 4.303: 4.303 * 2 / sqrt 3
    interval = mean_interval([2, 4, 6], 0.95)
    assert (interval.mean, interval.values) == (4, 3)
    assert interval.half_width == pytest.approx(4.968, abs=1e-3)
    assert (interval.low, interval.high) == pytest.approx((-0.968, 8.968), abs=1e-3)


def test_one_value_has_no_interval() -> None:
    interval = mean_interval([3.0])
    assert interval.mean == 3
    assert math.isnan(interval.half_width)
    assert math.isnan(interval.p_value)


def test_values_without_spread() -> None:
    assert (mean_interval([0, 0]).half_width, mean_interval([0, 0]).p_value) == (0, 1)
    assert mean_interval([2, 2]).p_value == 0


def test_paired_differences_are_those_of_scipy() -> None:
    random = np.random.default_rng(3)
    base = random.normal(10, 5, 12)
    values = base + random.normal(0.5, 0.4, 12)
    difference = paired_difference(values, base, 0.9)
    theirs = stats.ttest_rel(values, base)
    bounds = theirs.confidence_interval(0.9)
    assert difference.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    assert (difference.low, difference.high) == pytest.approx((bounds.low, bounds.high), rel=1e-9)
    with pytest.raises(ValueError, match="one value a seed"):
        paired_difference([1, 2], [1, 2, 3])


def test_pairing_sees_what_means_hide() -> None:
    # seeds differ by tens, the algorithms by one
    base, values = [10, 40, 80, 20], [11.1, 40.9, 81.2, 20.8]
    assert paired_difference(values, base).low > 0
    assert mean_interval(values).low < mean_interval(base).high


def test_holm_by_hand_and_by_statsmodels() -> None:
    # in order 0.01 * 4, 0.02 * 3, 0.03 * 2 (not below the one before), 0.9 * 1
    assert holm([0.02, 0.01, 0.9, 0.03]) == pytest.approx([0.06, 0.04, 0.9, 0.06])
    given = list(np.random.default_rng(5).uniform(0, 0.2, 20))
    assert holm(given) == pytest.approx(list(multipletests(given, method="holm")[1]))
    assert holm([0.04, math.nan])[0] == 0.04
    assert math.isnan(holm([math.nan])[0])


def test_fairness_of_three_flows() -> None:
    assert jain_index([5, 5, 5]) == pytest.approx(1)
    assert jain_index([9, 0, 0]) == pytest.approx(1 / 3)
    # (1 + 2 + 3)^2 / (3 (1 + 4 + 9)) = 36/42
    assert jain_index([1, 2, 3]) == pytest.approx(6 / 7)
    assert math.isnan(jain_index([0, 0]))


def test_percentiles_are_values_that_occur() -> None:
    values = list(range(10, 0, -1))
    assert [percentile(values, p) for p in (50, 90, 99, 100)] == [5, 9, 10, 10]
    assert percentile([1, math.inf], 90) == math.inf


# a step is 0.1 s, a round trip 20 ms, so the link has to be full for two steps
def fill_s(utilisation: list[float], start_s: float = 0.0) -> float:
    times = [0.1 * (step + 1) for step in range(len(utilisation))]
    return time_to_fill_s(times, utilisation, start_s=start_s, round_trip_s=0.02)


def test_a_link_is_full_once_it_stays_so_for_ten_round_trips() -> None:
    assert fill_s([0, 1, 0.5, 1, 1, 0.2]) == pytest.approx(0.3)
    assert fill_s([1, 1, 0]) == 0
    assert fill_s([0, 0.96, 0.94, 0]) == pytest.approx(0.1)
    assert fill_s([0, 0.95, 0.94, 0]) != fill_s([0, 0.96, 0.94, 0])


def test_the_time_to_fill_counts_from_the_start_and_may_be_missing() -> None:
    assert fill_s([1, 1, 0, 0, 1, 1, 1], start_s=0.2) == pytest.approx(0.2)
    assert math.isnan(fill_s([0, 0.9, 0.9, 0.9, 0.98]))
    assert math.isnan(fill_s([1]))


def test_steps_need_not_divide_the_round_trips() -> None:
    # ten round trips are 0.25 s: three steps
    times = [0.1, 0.2, 0.3, 0.4]
    assert time_to_fill_s(times, [0.8, 1, 1, 1], start_s=0, round_trip_s=0.025) == pytest.approx(0.1)

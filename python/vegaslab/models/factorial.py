"""The factorial model of "TCP Vegas Revisited" (Hengartner, Bolliger, Gross, 2000), section VIII.

A factor's level is +1 (on) or -1 (off); an effect is named by its factors, joined by "_"; `mean` is the mean of all
runs. Effects have the unit of what was measured.

>>> table_6 = {"mean": 86.64, "ss": 7.14, "ca": 2.06, "rec": 6.64,
...            "ss_ca": 0.17, "ss_rec": 1.09, "ca_rec": 0.64, "ss_ca_rec": -0.68}
>>> round(predict(table_6, {"ss": 1, "ca": 1, "rec": -1}), 2)  # the paper's worked example, KB/s
88.32
"""

import math
from collections.abc import Mapping
from statistics import NormalDist


def predict(effects: Mapping[str, float], levels: Mapping[str, int]) -> float:
    """Mean of the configuration with these levels: the sum of effects times the product of their factors' levels.

    >>> predict({"mean": 10.0, "a": 2.0, "a_b": 0.5}, {"a": 1, "b": -1})
    11.5
    """
    wrong = [factor for factor, level in levels.items() if level not in (-1, 1)]
    if wrong:
        raise ValueError(f"{wrong[0]}: level {levels[wrong[0]]!r}; a level is 1 (on) or -1 (off)")
    return float(sum(effect * _sign(name, levels) for name, effect in effects.items()))


def _sign(name: str, levels: Mapping[str, int]) -> int:
    return 1 if name == "mean" else math.prod(levels[factor] for factor in name.split("_"))


def error_variance(effect: float, share: float, error_share: float, factors: int, replications: int) -> float:
    """Variance of a single run about its configuration's mean, from one effect and the printed shares of variation.

    `share` and `error_share` are parts of 1. The sum of squares of an effect q is 2^k r q^2; errors have 2^k (r - 1)
    degrees of freedom.

    >>> round(math.sqrt(error_variance(7.14, 0.2771, 0.4488, 3, 50)), 2)  # table VI, KB/s
    9.18
    """
    runs = 2**factors * replications
    total = runs * effect**2 / share
    return float(error_share * total / (2**factors * (replications - 1)))


def half_width(variance: float, factors: int, replications: int, confidence: float) -> float:
    """Half the width of an effect's two-sided confidence interval, for so many runs that t is normal.

    The paper's "90 %" row is that of 80 %: it takes the quantile 0.9 where a two-sided interval needs 0.95. Tables VI
    and VII print 0.59 and 0.45:

    >>> low = error_variance(7.14, 0.2771, 0.4488, 3, 50)
    >>> round(half_width(low, 3, 50, 0.90), 2), round(half_width(low, 3, 50, 0.80), 2)
    (0.75, 0.59)
    >>> high = error_variance(9.65, 0.6522, 0.3327, 3, 50)
    >>> round(half_width(high, 3, 50, 0.90), 2), round(half_width(high, 3, 50, 0.80), 2)
    (0.57, 0.45)
    """
    quantile = NormalDist().inv_cdf((1 + confidence) / 2)
    return quantile * math.sqrt(variance / (2**factors * replications))

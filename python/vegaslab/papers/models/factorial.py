"""The factorial model of "TCP Vegas Revisited" (Hengartner, Bolliger, Gross, 2000), section VIII.

A factor's level is +1 (on) or -1 (off); an effect is named by its factors, joined by "_"; `mean` is the mean of all
runs. Effects have the unit of what was measured. `vegaslab.factorial` estimates them from runs.

>>> table_6 = {"mean": 86.64, "ss": 7.14, "ca": 2.06, "rec": 6.64,
...            "ss_ca": 0.17, "ss_rec": 1.09, "ca_rec": 0.64, "ss_ca_rec": -0.68}
>>> round(predict(table_6, {"ss": 1, "ca": 1, "rec": -1}), 2)  # the paper's worked example, KB/s
88.32
"""

import math
from collections.abc import Mapping


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

"""Latin hypercubes: few samples that cover every range evenly (McKay, Beckman and Conover, 1979)."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

_FLOAT_DIGITS = 6


@dataclass(frozen=True)
class Range:
    """Where the values of a key lie: numbers, with the unit and the decimals that they are written with."""

    low: float
    high: float
    log: bool
    unit: str
    """What follows the number (`mbit`); without one, and with `decimals`, values are text all the same."""
    decimals: int | None
    """Digits after the point; none for a number of the file that is no whole one."""
    text: bool

    def at(self, part: float) -> object:
        """The value at a part of the range, 0 to 1."""
        if self.log:
            value = math.exp(math.log(self.low) + part * (math.log(self.high) - math.log(self.low)))
        else:
            value = self.low + part * (self.high - self.low)
        if self.text:
            return f"{value:.{self.decimals}f}{self.unit}"
        return round(value) if self.decimals == 0 else float(f"{value:.{_FLOAT_DIGITS}g}")


def latin_hypercube(ranges: Mapping[str, Range], samples: int, seed: int) -> list[dict[str, object]]:
    """The samples, each a value by key.

    Every range is cut into `samples` equal parts, of which each gives one value. A key's values depend on the seed and
    its name alone, so another key more does not change them.
    """
    columns = {key: [range_.at(part) for part in _parts(samples, f"{seed}:{key}")] for key, range_ in ranges.items()}
    return [{key: values[sample] for key, values in columns.items()} for sample in range(samples)]


def _parts(samples: int, seed: str) -> Iterator[float]:
    random = Random(seed)
    # Python promises the sequence of random() for a seed, but not that of shuffle()
    order = sorted(range(samples), key=[random.random() for _ in range(samples)].__getitem__)
    return ((stratum + random.random()) / samples for stratum in order)

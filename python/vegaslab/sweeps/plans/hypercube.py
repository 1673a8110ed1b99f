"""Latin hypercubes: few samples that cover every range evenly (McKay, Beckman and Conover, 1979)."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

_FLOAT_DIGITS = 6


@dataclass(frozen=True)
class Range:
    """The range of a key's values: numbers, with the unit and the decimals of their text."""

    low: float
    high: float
    log: bool
    unit: str
    """The text after the number (`mbit`); empty for a number without a unit, which may be text all the same."""
    decimals: int | None
    """Digits after the point; None for a fractional number of the file that is not text."""
    text: bool

    def at(self, part: float) -> object:
        """Returns the value at a part of the range, 0 to 1."""
        if self.log:
            value = math.exp(math.log(self.low) + part * (math.log(self.high) - math.log(self.low)))
        else:
            value = self.low + part * (self.high - self.low)
        if self.text:
            return f"{value:.{self.decimals}f}{self.unit}"
        return round(value) if self.decimals == 0 else float(f"{value:.{_FLOAT_DIGITS}g}")


def latin_hypercube(ranges: Mapping[str, Range], samples: int, seed: int) -> list[dict[str, object]]:
    """Returns the samples, each a table of values by key.

    Every range is cut into `samples` equal parts, and each part gives one value. A key's values depend on the seed and
    the key's name alone, so an additional key does not change them.
    """
    columns = {key: [range_.at(part) for part in _parts(samples, f"{seed}:{key}")] for key, range_ in ranges.items()}
    return [{key: values[sample] for key, values in columns.items()} for sample in range(samples)]


def _parts(samples: int, seed: str) -> Iterator[float]:
    random = Random(seed)
    # Python promises the sequence of random() for a seed, but not that of shuffle()
    order = sorted(range(samples), key=[random.random() for _ in range(samples)].__getitem__)
    return ((stratum + random.random()) / samples for stratum in order)

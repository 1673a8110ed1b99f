"""Repeated transfers, by whatever protocol: in which order, and what they come to."""

import argparse
import math
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from vegaslab.statistics import Interval

_Item = TypeVar("_Item")

_UNITS = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9}


def schedule(items: Sequence[_Item], repeat: int, seed: int) -> list[_Item]:
    """Every item once in each of `repeat` rounds, each in an order of its own; more rounds begin alike."""
    order = random.Random(seed)
    return [item for _ in range(repeat) for item in order.sample(list(items), len(items))]


def size_bytes(text: str) -> int:
    """A size as it is typed: `480kb` is 480,000. Raises `argparse.ArgumentTypeError`."""
    digits = text.rstrip("bkmgBKMG")
    unit = text[len(digits) :].lower() or "b"
    if not digits.isdigit() or unit not in _UNITS or int(digits) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; write bytes, or a number with kb, mb or gb")
    return int(digits) * _UNITS[unit]


def size_text(size: int) -> str:
    """As it would be typed: `480kb`."""
    unit = max((unit for unit, bytes_ in _UNITS.items() if size % bytes_ == 0), key=lambda unit: _UNITS[unit])
    return f"{size // _UNITS[unit]}{unit}"


def interval_text(interval: "Interval") -> str:
    """A mean with its half width, if it has one."""
    if math.isnan(interval.half_width):
        return f"{interval.mean:.3f}"
    return f"{interval.mean:.3f} +- {interval.half_width:.3f}"


def number(value: float) -> float | None:
    """For JSON, which has no NaN."""
    return None if math.isnan(value) else value

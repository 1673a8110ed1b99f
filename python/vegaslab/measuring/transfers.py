"""Repeated transfers by any protocol: their order and their sizes."""

import argparse
import math
import random
from collections.abc import Sequence
from typing import TypeVar

from vegaslab import _vegaslab

_Item = TypeVar("_Item")

_UNITS = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9}


def schedule(items: Sequence[_Item], repeat: int, seed: int) -> list[_Item]:
    """Returns every item once in each of `repeat` rounds, each round in a random order. A larger `repeat` begins with
    the same rounds.
    """
    order = random.Random(seed)
    return [item for _ in range(repeat) for item in order.sample(list(items), len(items))]


def size_bytes(text: str) -> int:
    """Parses a size: `480kb`, or bytes. Raises `argparse.ArgumentTypeError`."""
    try:
        size = int(text) if text.isdecimal() else _vegaslab.size_bytes(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if size == 0:
        raise argparse.ArgumentTypeError(f"{text!r} was given; at least 1 byte")
    return size


def size_text(size: int) -> str:
    """Returns the size as a user types it: `480kb`."""
    unit = max((unit for unit, bytes_ in _UNITS.items() if size % bytes_ == 0), key=lambda unit: _UNITS[unit])
    return f"{size // _UNITS[unit]}{unit}"


def number(value: float) -> float | None:
    """Returns the value, or None for NaN, which JSON lacks."""
    return None if math.isnan(value) else value

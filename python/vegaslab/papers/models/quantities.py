"""Rates and times as users type them: `6250`, `50mbit`, `100ms`."""

import re

from vegaslab import _vegaslab

_NUMBER = re.compile(r"\d+(\.\d+)?")


def packet_rate(text: str, packet_bytes: int) -> float:
    """Parses a rate in packets a second; a rate in bits is divided by the packet's size. Raises `ValueError`.

    >>> packet_rate("6250", 1000), packet_rate("50mbit", 1000)
    (6250.0, 6250.0)
    """
    plain = _NUMBER.fullmatch(text) is not None
    return _above_zero(text, float(text) if plain else _vegaslab.bits_per_second(text) / (8 * packet_bytes))


def seconds(text: str) -> float:
    """Parses a time in seconds. Raises `ValueError`.

    >>> seconds("100ms"), seconds("1.5s")
    (0.1, 1.5)
    """
    return _above_zero(text, _vegaslab.nanoseconds(text) / 1e9)


def _above_zero(text: str, value: float) -> float:
    if not value > 0:
        raise ValueError(f"{text!r} was given; more than 0")
    return value

"""Rates and times as they are typed: `6250`, `50mbit`, `100ms`."""

import re

_BITS = {"bit": 1.0, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9}
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_FORM = re.compile(r"(\d+(?:\.\d+)?)([a-z]*)")


def packet_rate(text: str, packet_bytes: int) -> float:
    """Packets a second; a rate in bits is divided by the packet's size.

    >>> packet_rate("6250", 1000), packet_rate("50mbit", 1000)
    (6250.0, 6250.0)
    """
    value, unit = _split(text)
    if value > 0 and unit == "":
        return value
    if value > 0 and unit in _BITS:
        return value * _BITS[unit] / (8 * packet_bytes)
    raise ValueError(f"{text!r} was given; packets a second such as 6250, or a rate such as 50mbit, above 0")


def seconds(text: str) -> float:
    """Seconds.

    >>> seconds("100ms"), seconds("1.5s")
    (0.1, 1.5)
    """
    value, unit = _split(text)
    if value > 0 and unit in _SECONDS:
        # divided, so that 100ms is the float nearest to 0.1
        return value / round(1 / _SECONDS[unit])
    raise ValueError(f"{text!r} was given; a time above 0 with its unit, such as 100ms (us, ms, s)")


def _split(text: str) -> tuple[float, str]:
    found = _FORM.fullmatch(text)
    return (float(found[1]), found[2]) if found else (0.0, "")

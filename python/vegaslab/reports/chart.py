"""The contents of a panel, apart from how it is drawn: matplotlib and the pages share them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Style = Literal["line", "steps", "dashed", "dotted", "area", "points", "crosses", "ends", "drops"]

Values = Sequence[float] | NDArray[np.float64]

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#6B4E9B", "#5A5A5A")
"""Okabe and Ito's colours, which colour-blind readers can distinguish, without yellow, with violet and grey."""

DARK_PALETTE = ("#56B4E9", "#F0803C", "#2FC79B", "#E59CC6", "#F2B63D", "#9AD1F5", "#B39DDB", "#B5B5B5")
"""The palette of a dark page, in the order of `PALETTE`."""

_SIGNIFICANT_DIGITS = 6
_ROOM, _ROOM_A_ROW = 0.08, 0.07


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A series of points, with its appearance."""

    label: str
    """The entry in the legend; curves of one label share it. A curve with an empty label has no entry, and is shown and
    hidden with the first one of its colour.
    """
    x: Values
    y: Values
    """The values; NaN is a gap."""
    colour: int | None
    """The place in the palette, which repeats; None: the colour of text."""
    style: Style = "line"
    """"crosses" are a paper's own numbers, "dashed" closed forms and thresholds, "dotted" a link's capacity or limit,
    "area" is shaded from 0 up, "ends" are triangles that point at their place, "drops" crosses at the panel's upper
    edge.
    """
    name: str = ""
    """The name in a read-out, beside the label."""
    opacity: float = 1.0
    thin: bool = False
    in_range: bool = True
    """Whether the y axis is scaled to show the curve."""

    def data(self) -> dict[str, Any]:
        """Returns the fields for the page."""
        return {
            "label": self.label,
            "x": shortened(self.x),
            "y": shortened(self.y),
            "colour": None if self.colour is None else self.colour % len(PALETTE),
            "style": self.style,
            "name": self.name,
            "opacity": round(self.opacity, 2),
            "thin": self.thin,
            "inRange": self.in_range,
        }


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One pair of axes; the names of axes include their units. `level` is a horizontal dotted line: value and name."""

    x: str
    y: str
    curves: Sequence[Curve]
    log_x: bool = False
    log_y: bool = False
    level: tuple[float, str] | None = None
    x_names: Sequence[str] = ()
    """The names for x = 0, 1, ... where x is a choice and no quantity."""
    from_zero: bool = True
    """Whether the y axis starts at 0 (never on a logarithmic one)."""
    note: str = ""
    """A line above the panel that explains it and says what it omits."""
    height: float = 3.0
    """The height relative to other panels; 1 is about an inch."""
    x_range: tuple[float, float] | None = None
    """The range of the x axis, where it does not show all values."""
    whole: bool = False
    """Whether the values on the y axis are whole numbers."""

    def data(self) -> dict[str, Any]:
        """Returns the fields for the page."""
        return {
            "x": self.x,
            "y": self.y,
            "curves": [curve.data() for curve in self.curves],
            "logX": self.log_x,
            "logY": self.log_y,
            "level": self.level,
            "xNames": list(self.x_names),
            "fromZero": self.from_zero,
            "note": self.note,
            "height": self.height,
            "xRange": self.x_range,
            "whole": self.whole,
        }

    @property
    def y_range(self) -> tuple[float, float]:
        """The range of a linear y axis: all values in sight with room above, and below if it does not start at 0."""
        low, high = self._extent()
        bottom = min(0.0, low) if self.from_zero else low
        spread = high - bottom or (1.0 if self.from_zero else 0.1 * abs(high)) or 1.0
        rows = sum(curve.style == "drops" for curve in self.curves)
        below = 0.0 if self.from_zero else _ROOM * spread
        top = high + (_ROOM + _ROOM_A_ROW * rows) * spread
        return (bottom - below if low < 0 else max(0.0, bottom - below)), top

    def _extent(self) -> tuple[float, float]:
        values = np.concatenate([*self._values_in_range(), [self.level[0]] if self.level else []])
        values = values[np.isfinite(values)]
        return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)

    def _values_in_range(self) -> Iterator[NDArray[np.float64]]:
        for curve in self.curves:
            if curve.in_range and curve.style != "drops":
                yield np.asarray(curve.y, dtype=np.float64)


def shortened(values: Values) -> list[float | None]:
    """Rounds numbers to the digits that a screen can show; None for a value that is not finite.

    >>> shortened([1 / 3, 12345678.9, float("nan"), 0.0, -0.00012345678])
    [0.333333, 12345700.0, None, 0.0, -0.000123457]
    """
    exact = np.asarray(values, dtype=np.float64)
    usable = np.isfinite(exact) & (exact != 0)
    power = np.floor(np.log10(np.abs(exact), where=usable, out=np.zeros_like(exact))) - (_SIGNIFICANT_DIGITS - 1)
    # scaled by whole powers of ten, so that the result is the nearest decimal number and its text is short
    up, down = 10.0 ** np.maximum(-power, 0), 10.0 ** np.maximum(power, 0)
    with np.errstate(invalid="ignore", over="ignore"):
        rounded = np.where(usable, np.round(exact * up / down) * down / up, exact)
    return [value if finite else None for value, finite in zip(rounded.tolist(), np.isfinite(rounded), strict=True)]

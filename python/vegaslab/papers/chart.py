"""What a figure shows, without how it is drawn: the same for matplotlib and for the page."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Style = Literal["line", "steps", "dashed", "points", "crosses"]

_SIGNIFICANT_DIGITS = 6


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Points that belong together. `label` names it in the legend; empty: not there. `colour` counts from 0."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    colour: int
    style: Style = "line"
    """"crosses" are the paper's own numbers, "dashed" its closed forms."""

    def data(self) -> dict[str, Any]:
        """For the page."""
        return {
            "label": self.label,
            "x": [_short(value) for value in self.x],
            "y": [_short(value) for value in self.y],
            "colour": self.colour,
            "style": self.style,
        }


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One pair of axes; names of axes with their units. `level` is a dotted line across: value and name."""

    x: str
    y: str
    curves: Sequence[Curve]
    log_x: bool = False
    log_y: bool = False
    level: tuple[float, str] | None = None
    x_names: Sequence[str] = ()
    """Names for x = 0, 1, ... where x is a choice and no quantity."""
    from_zero: bool = True
    """Whether the y axis starts at 0 (never on a logarithmic one)."""

    def data(self) -> dict[str, Any]:
        """For the page."""
        return {
            "x": self.x,
            "y": self.y,
            "curves": [curve.data() for curve in self.curves],
            "logX": self.log_x,
            "logY": self.log_y,
            "level": self.level,
            "fromZero": self.from_zero,
            "xNames": list(self.x_names),
        }


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A figure: `slug` is its file's name, `caption` says what is seen and what was assumed."""

    slug: str
    title: str
    caption: str
    panels: Sequence[Panel]

    def data(self) -> dict[str, Any]:
        """For the page."""
        return {"slug": self.slug, "panels": [panel.data() for panel in self.panels]}


def _short(value: float) -> float | None:
    return float(f"{value:.{_SIGNIFICANT_DIGITS}g}") if math.isfinite(value) else None

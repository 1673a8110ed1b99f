"""A figure of the report: panels one below the other, each with axes of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vegaslab.reports.chart import Curve, Panel

__all__ = ["Chart", "Curve", "Panel"]


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A figure: `slug` is its file's name, `caption` describes what it shows and what was assumed."""

    slug: str
    title: str
    caption: str
    panels: Sequence[Panel]

    def data(self) -> dict[str, Any]:
        """Returns the panels for the page."""
        return {"shared": False, "panels": [panel.data() for panel in self.panels]}

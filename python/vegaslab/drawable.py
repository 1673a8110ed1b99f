"""What a run and a comparison of runs share: they can be drawn."""

from abc import ABC, abstractmethod
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from vegaslab.sheet import Sheet


class Drawable(ABC):
    """Something whose pictures come from a sheet."""

    @abstractmethod
    def sheet(self) -> "Sheet":
        """What the pictures show."""

    def plot(self, path: str | PathLike[str] | None = None) -> "Figure":
        """Draws windows, throughput and the bottleneck's queue; writes them to `path` (`.png`, `.svg`, `.pdf`)."""
        from vegaslab.figure import draw, save

        figure = draw(self.sheet())
        if path is not None:
            save(figure, Path(path))
        return figure

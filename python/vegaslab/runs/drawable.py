"""The pictures of runs, which a single run and a comparison share."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vegaslab.reports.optional import optional_picture
from vegaslab.util.folder import write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from vegaslab.reports.sheet import Sheet

PAGE = "picture.html"
DRAWN = ("picture.png", "picture.svg", "picture.pdf")


class Pictured(ABC):
    """An object with pictures that go into its folder."""

    @abstractmethod
    def plot(self) -> "Figure":
        """Draws its panels by matplotlib."""

    @abstractmethod
    def html(self) -> str:
        """The page."""

    def draw_into(self, folder: Path, *, page: bool = True, drawn: bool = False) -> None:
        """Adds pictures to a results folder: the page, and those of `DRAWN` if `drawn` is set.

        A picture that fails gives a `PictureWarning`.
        """
        if drawn:
            with optional_picture("picture"):
                figure = self.plot()
                # only here: matplotlib may be missing
                from vegaslab.reports.figure import save

                for name in DRAWN:
                    save(figure, folder / name)
        if page:
            with optional_picture(PAGE):
                write_file(folder / PAGE, self.html().encode())


class Drawable(Pictured):
    """An object with pictures that come from a sheet."""

    @abstractmethod
    def sheet(self) -> "Sheet":
        """The data that the pictures show."""

    @abstractmethod
    def summaries(self) -> Mapping[str, Mapping[str, Any]]:
        """The runs' summaries by name, for the table of flows; the name of a run alone is empty."""

    def plot(
        self,
        panels: str | Sequence[str] | PathLike[str] | None = None,
        path: str | PathLike[str] | None = None,
    ) -> "Figure":
        """Draws panels over time, one below the other; writes them to `path` (`.png`, `.svg`, `.pdf`).

        `panels` are any of "cwnd" (windows), "rtt" (round-trip times with the base RTT), "throughput" and "queue" (of
        the bottleneck), in the order in which they are to stand; default: these four. A path alone may stand first.
        Raises `ValueError` for another name, `OSError` if the file cannot be written.

        >>> import vegaslab
        >>> result = vegaslab.run("quic", set={"duration": "2s"})
        >>> [axes.get_ylabel() for axes in result.plot().axes]
        ['window (segments)', 'RTT (ms)', 'throughput (Mb/s)', 'queue (packets)']
        >>> [axes.get_ylabel() for axes in result.plot(["cwnd", "rtt"]).axes]
        ['window (segments)', 'RTT (ms)']

        """
        # loads matplotlib, as the imports below load jinja2 and numpy: a run without pictures needs none of them
        from vegaslab.reports.figure import draw_and_save
        from vegaslab.reports.panels import panels as panels_of

        sheet = self.sheet()
        return draw_and_save(sheet, partial(panels_of, sheet), panels, path)

    def html(self) -> str:
        """An interactive page of these panels, in one piece: it needs neither network nor other files.

        >>> import vegaslab
        >>> page = vegaslab.run("quic", set={"duration": "2s"}).html()
        >>> page[:15], "http://" in page, "https://" in page
        ('<!DOCTYPE html>', False, False)

        """
        from vegaslab.reports.page.runs import page

        return page(self.sheet(), self.summaries())

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows: the picture, and the table of flows."""
        from vegaslab.reports.figure import shown
        from vegaslab.reports.page.runs import table

        return shown(self.plot(), table(self.summaries()))

"""The HTML that a notebook shows for a result."""

import base64
import io
from html import escape

import matplotlib
from matplotlib.figure import Figure

from vegaslab.reports.figure import STYLE

_DOTS_PER_INCH = 96


def shown(figure: Figure, table: str) -> str:
    """Returns the picture, no wider than the page, followed by a table."""
    title = escape(figure.get_suptitle())
    return f'<img alt="{title}" style="max-width: 100%" src="{_data(figure)}">{table}'


def _data(figure: Figure) -> str:
    with matplotlib.rc_context(STYLE):
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=_DOTS_PER_INCH)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii")

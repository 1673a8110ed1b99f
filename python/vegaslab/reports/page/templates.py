"""Pages from templates, with script, style and data inside; they load no other file."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from vegaslab.reports.chart import DARK_PALETTE, PALETTE

_FOLDER = Path(__file__).parent / "files"


def render(name: str, title: str, figures: Sequence[dict[str, Any]], **values: object) -> str:
    """Renders the page of the template `name`; element `data-figure="0"` shows the first of `figures`, and so on.

    A figure is `{"shared": ..., "panels": [...]}`: `shared` says whether the panels, made by `Panel.data`, share the x
    axis.
    """
    # the escape keeps JSON from closing the script element that contains it
    data = json.dumps(figures, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return _environment().get_template(name).render(title=title, figures=Markup(data), **values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # the package's own script and style are inserted without escapes
    environment.globals["source"] = lambda name: Markup((_FOLDER / name).read_text(encoding="utf-8"))
    environment.globals["palette"] = PALETTE
    environment.globals["dark_palette"] = DARK_PALETTE
    return environment

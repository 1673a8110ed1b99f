"""Pages from templates: script, style and data inside, nothing loaded from elsewhere."""

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
    """The page of the template `name`; element `data-figure="0"` shows the first of `figures`, and so on.

    A figure is `{"shared": ..., "panels": [...]}`: panels as `Panel.data` gives them; whether they share the x axis.
    """
    # JSON that cannot end the script element it stands in
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
    # our own script and style stand in the page as they are
    environment.globals["source"] = lambda name: Markup((_FOLDER / name).read_text(encoding="utf-8"))
    environment.globals["palette"] = PALETTE
    environment.globals["dark_palette"] = DARK_PALETTE
    return environment

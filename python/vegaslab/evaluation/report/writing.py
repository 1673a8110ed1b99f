"""The folder of a dossier: pages and document, beside the runs that are kept."""

import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from vegaslab.evaluation.comparing import read_dossier
from vegaslab.evaluation.criteria.questions import HEAD, lines
from vegaslab.evaluation.criterion import EvaluationError
from vegaslab.evaluation.report.pages import html, in_short, markdown
from vegaslab.reports.summary import aligned
from vegaslab.reports.tables import html_table
from vegaslab.runs.extracted import HASH_DIGITS
from vegaslab.util.folder import check_names, replace_file

CACHE = "cache"
_CACHED = re.compile(rf"[0-9a-f]{{{HASH_DIGITS}}}\.(json|part)")
_JSON = "report.json"
_WRITTEN = re.compile(r"(index\.html|report\.md|report\.json)(\.part)?|(index|report)\.part")


class Dossier(dict[str, Any]):
    """A dossier: what its `report.json` holds, and its `folder`. A notebook shows the first page.

    >>> import pathlib, vegaslab
    >>> answers = [{"question": "fills a path?", "verdict": "yes"}]
    >>> dossier = vegaslab.Dossier({"answers": answers}, pathlib.Path("results/vegas"))
    >>> dossier["answers"][0]["verdict"], dossier.folder.name
    ('yes', 'vegas')
    """

    def __init__(self, document: Mapping[str, Any], folder: Path) -> None:
        """Takes the document, as `vegaslab.evaluation.dossier.evaluate` makes it."""
        super().__init__(document)
        self.folder = folder

    def first_page(self) -> str:
        """Returns the answers as a table of text, and the sentences that sum the chapters up."""
        answers = aligned(HEAD, lines(self["answers"])) if self["answers"] else []
        return "\n".join([*answers, "", *in_short(self)])

    def _repr_html_(self) -> str:
        said = "".join(f"<p>{escape(text)}</p>" for text in in_short(self))
        return html_table(HEAD, lines(self["answers"])) + said


def prepare(folder: Path) -> Path:
    """Checks that a folder is new or holds a dossier, and returns the folder of its runs, which the first run makes:
    bad input leaves no folder behind. Raises `EvaluationError` and `FolderError`.
    """
    if folder.exists() and not folder.is_dir():
        raise EvaluationError(f"{folder}: is a file; give a folder")
    check_names(folder, _WRITTEN, folders=re.compile(CACHE))
    check_names(folder / CACHE, _CACHED)
    if (folder / _JSON).exists():
        read_dossier(folder)
    return folder / CACHE


def write(dossier: Mapping[str, Any], folder: Path) -> None:
    """Writes `report.json`, `report.md` and `index.html`."""
    _replace(folder / _JSON, json.dumps(dossier, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    _replace(folder / "report.md", markdown(dossier))
    _replace(folder / "index.html", html(dossier))


def _replace(file: Path, text: str) -> None:
    replace_file(file, lambda out: out.write(text.encode()), new_suffix=".part")

"""`vegaslab cite`: BibTeX of the tool, and of the papers of the algorithms that ran."""

import argparse
import tomllib
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from vegaslab import _vegaslab
from vegaslab.commands.parsing import OK, Commands
from vegaslab.runs.result import Result
from vegaslab.scenario.source import load
from vegaslab.util.folder import FolderError

TITLE = "{vegaslab}: A Laboratory for the {TCP Vegas} Family of Congestion Control"
_FILE = Path(__file__).parents[2] / "papers" / "references.toml"
_OURS = ("type", "presets")


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("cite", help="BibTeX of vegaslab and of the papers of what ran")
    parser.add_argument(
        "what", nargs="*", metavar="WHAT", help="algorithms, scenarios, or the folders of runs and comparisons"
    )
    parser.set_defaults(action=_cite)


def _cite(options: argparse.Namespace) -> int:
    print(cite(*options.what))
    return OK


def cite(*what: str | PathLike[str] | Result) -> str:
    """Returns BibTeX of vegaslab, and of the papers of algorithms: presets, those of scenarios, runs or their folders.

    Raises `VegaslabError`.

    >>> import vegaslab
    >>> [line for line in vegaslab.cite("copa").splitlines() if line.startswith("@")]
    ['@software{vegaslab,', '@inproceedings{arun2018copa,']
    """
    algorithms = [name for one in what for name in _algorithms(one)]
    names = {preset for name in algorithms for preset in _presets(name)}
    entries = {key: entry for key, entry in _references().items() if names.intersection(entry["presets"])}
    commit = {"note": f"commit {_vegaslab.commit}"} if _vegaslab.commit else {}
    tool = {"author": "{The vegaslab developers}", "title": TITLE, "version": _vegaslab.version, **commit}
    texts = [_entry("software", "vegaslab", tool)]
    for key, entry in entries.items():
        texts.append(_entry(str(entry["type"]), key, {n: v for n, v in entry.items() if n not in _OURS}))
    return "\n\n".join(texts)


@cache
def _references() -> dict[str, dict[str, Any]]:
    with _FILE.open("rb") as file:
        return tomllib.load(file)


def _entry(kind: str, key: str, fields: dict[str, Any]) -> str:
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}\n}}"


def _algorithms(one: str | PathLike[str] | Result) -> list[str]:
    if isinstance(one, Result):
        return [flow["algorithm"] for flow in one.summary["flows"]]
    text = fspath(one)
    if text in _known():
        return [text]
    folder = Path(text)
    if not folder.is_dir():
        return load(text).algorithms()
    runs = [manifest.parent for manifest in (*folder.glob("manifest.json"), *folder.glob("*/manifest.json"))]
    if not runs:
        raise FolderError(f"{folder}: holds no run; give an algorithm, a scenario, or the folder of runs")
    return [name for run in sorted(runs) for name in _algorithms(Result.open(run))]


@cache
def _known() -> frozenset[str]:
    return frozenset(preset["name"] for preset in _vegaslab.algorithms())


def _presets(name: str) -> list[str]:
    """Returns the presets of a name; a composition, such as vegas+gallop, names its parts."""
    return [name] if name in _known() else [part for part in name.split("+") if part in _known()]

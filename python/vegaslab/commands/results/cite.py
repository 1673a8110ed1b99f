"""`vegaslab cite`: BibTeX of the tool, and of the papers of the algorithms that ran."""

import argparse
import json
import tomllib
from collections.abc import Mapping
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from vegaslab import _vegaslab
from vegaslab.commands.parsing import OK, Commands
from vegaslab.runs.result import Result
from vegaslab.scenario.source import load
from vegaslab.scenario.variants import algorithms_in
from vegaslab.util.folder import FolderError

TITLE = "{vegaslab}: A Laboratory for the {TCP Vegas} Family of Congestion Control"
_FILE = Path(__file__).parents[2] / "papers" / "references.toml"
_OURS = ("type", "presets")


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("cite", help="BibTeX of vegaslab and of the papers of what ran")
    parser.add_argument(
        "what", nargs="*", metavar="WHAT", help="algorithms, scenarios, or the folders of runs, comparisons and sweeps"
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
    names = {preset for one in what for preset in _presets_of(one)}
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


def _presets_of(one: str | PathLike[str] | Result) -> set[str]:
    if isinstance(one, Result):
        ran = {name for flow in one.summary["flows"] for name in _presets(flow["algorithm"])}
        return ran | _presets_in(json.loads(one.scenario.document_json()))
    text = fspath(one)
    if text in _known():
        return {text}
    if Path(text).is_dir():
        return _presets_of_folder(Path(text))
    return _presets_in(json.loads(load(text).document_json()))


def _presets_of_folder(folder: Path) -> set[str]:
    """Returns the presets that ran: of a run, a comparison, with seeds or without, or a sweep."""
    runs = [manifest.parent for manifest in (*folder.glob("manifest.json"), *folder.glob("*/manifest.json"))]
    if runs:
        return {preset for run in runs for preset in _presets_of(Result.open(run))}
    if (folder / "comparison.json").exists():
        return _presets(*_compared(folder / "comparison.json"))
    if (folder / "plan.json").exists():
        # imported here: other folders need not wait for it
        from vegaslab.sweeps.dataset import algorithms_of

        return _presets(*algorithms_of(folder))
    raise FolderError(f"{folder}: holds no run; give an algorithm, a scenario, or the folder of runs")


def _compared(file: Path) -> list[object]:
    """Returns the algorithms of a comparison over seeds, which keeps no runs."""
    try:
        algorithms: list[object] = json.loads(file.read_bytes())["algorithms"]
    except (ValueError, KeyError, TypeError):
        raise FolderError(f"{file}: names no algorithms; make the folder again") from None
    return algorithms


def _presets_in(document: Mapping[str, Any]) -> set[str]:
    return _presets(*algorithms_in(document))


@cache
def _known() -> frozenset[str]:
    return frozenset(preset["name"] for preset in _vegaslab.algorithms())


def _presets(*algorithms: object) -> set[str]:
    """Returns the presets that algorithms name; a table, and a name such as vegas+gallop, names its parts."""
    texts = [text for one in algorithms for text in (_parts(one) if isinstance(one, Mapping) else [str(one)])]
    return {part for text in texts for part in (text, *text.split("+")) if part in _known()}


def _parts(table: Mapping[str, object]) -> list[str]:
    return [text for key, text in table.items() if isinstance(text, str) and key != "name"]

"""`vegaslab list` names what there is; `vegaslab check` checks a file of the user's."""

import argparse
import json
import os
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from vegaslab import _vegaslab
from vegaslab.commands.explain import table_of_hosts, table_of_presets
from vegaslab.commands.parsing import OK, Commands, UsageError
from vegaslab.reports.summary import aligned
from vegaslab.reports.tables import Listed
from vegaslab.scenario.link import is_link
from vegaslab.scenario.source import find, load, read_text, shipped_plans, shipped_scenarios, warn_of_unused
from vegaslab.util.text import printable


def add(commands: Commands) -> None:
    """Adds both commands."""
    listing = commands.add_parser("list", help="list algorithms, parts, scenarios, plans and more")
    listing.add_argument("what", metavar="KIND", choices=tuple(_ROWS), help=", ".join(_ROWS))
    of_algorithms = listing.add_mutually_exclusive_group()
    of_algorithms.add_argument("--hosts", action="store_true", help="algorithms: which hosts carry each, and why not")
    of_algorithms.add_argument("--json", action="store_true", help="algorithms: all of it as JSON, hosts included")
    listing.set_defaults(action=_list)

    check = commands.add_parser("check", help="what is wrong with a scenario or a plan, and where")
    check.add_argument(
        "file", metavar="FILE", help="a scenario's or a plan's file, a shipped one's name, or a playground link"
    )
    check.set_defaults(action=_check)


def _list(options: argparse.Namespace) -> int:
    if options.what != "algorithms" and (options.hosts or options.json):
        raise UsageError("--hosts and --json are of algorithms: vegaslab list algorithms --hosts")
    if options.json:
        print(json.dumps(_vegaslab.algorithms(), indent=2))
        return OK
    print("\n".join(table_of_hosts() if options.hosts else _table(options.what)))
    return OK


def catalogue(kind: "Kind") -> Listed:
    """Returns a row for each of the algorithms, parts, scenarios, plans or cases (of conformance) that there are.

    >>> import vegaslab
    >>> [row["name"] for row in vegaslab.catalogue("algorithms")][:3]
    ['reno', 'newreno', 'sack']
    >>> sorted(vegaslab.catalogue("parts")[0])
    ['key', 'meaning', 'name']
    """
    if kind not in _ROWS:
        raise UsageError(f"catalogue: {kind!r} was given; one of {', '.join(_ROWS)}")
    return Listed(dict(row) for row in _ROWS[kind]())


Kind = Literal["algorithms", "parts", "scenarios", "plans", "cases"]


def _scenarios() -> Iterable[dict[str, object]]:
    return ({"name": name, "what it shows": _description(path)} for name, path in shipped_scenarios().items())


def _description(path: Path) -> str:
    description: str = json.loads(load(path).document_json()).get("description", "")
    return description


def _plans() -> Iterable[dict[str, object]]:
    # imported here: other commands need not wait for it
    from vegaslab.sweeps.plans.plan import Plan

    for name, plan in ((name, Plan.from_file(path)) for name, path in shipped_plans().items()):
        extent = {"cells": plan.number_of_cells, "seeds": plan.replications}
        yield {"name": name, "scenario": Path(plan.source).stem, **extent, "what varies": ", ".join(plan.varied)}


def _parts() -> Iterable[dict[str, object]]:
    return ({"key": key, "name": name, "meaning": meaning} for key, name, meaning in _vegaslab.parts())


def _cases() -> Iterable[dict[str, object]]:
    return ({"suite": suite, "case": name, "title": title} for suite, name, title, _ in _vegaslab.conformance_cases())


_ROWS: dict[str, Callable[[], Iterable[Mapping[str, object]]]] = {
    "algorithms": _vegaslab.algorithms,
    "parts": _parts,
    "scenarios": _scenarios,
    "plans": _plans,
    "cases": _cases,
}


def _table(kind: "Kind") -> list[str]:
    if kind == "algorithms":
        return table_of_presets()
    rows = [{name: str(value) for name, value in row.items()} for row in catalogue(kind)]
    return aligned(list(rows[0]), [list(row.values()) for row in rows], keys=2 if kind == "parts" else 1)


def check(file: str | PathLike[str]) -> str:
    """Checks a scenario or a plan, and returns what it is in a line. Raises `VegaslabError`, with what is wrong where.

    >>> import vegaslab
    >>> vegaslab.check("gallop-50mbit"), vegaslab.check("vegas-or-gallop")[:12]
    ('gallop-50mbit, 70 s, 6 one-way links', 'plan vegas-o')
    """
    return _described(os.fspath(file))


def schema() -> dict[str, Any]:
    """Returns the JSON Schema of scenario files.

    >>> import vegaslab
    >>> sorted(vegaslab.schema()["properties"])[:3]
    ['capture', 'change', 'description']
    """
    found: dict[str, Any] = json.loads(_vegaslab.schema())
    return found


def _check(options: argparse.Namespace) -> int:
    print(f"{options.file}: good: {check(options.file)}")
    return OK


def _described(given: str) -> str:
    if is_link(given):
        return _scenario(given)
    path = find(given, {**shipped_plans(), **shipped_scenarios()}, "scenario or plan")
    return _plan(path) if _is_plan(path) else _scenario(path)


def _is_plan(path: Path) -> bool:
    """Returns whether the file is a plan: a plan names a scenario."""
    if path.suffix == ".json":
        return False
    return "scenario" in json.loads(_vegaslab.read_toml(read_text(path), printable(str(path)))[0])


def _scenario(given: str | Path) -> str:
    scenario = load(given)
    warn_of_unused(scenario)
    return f"{scenario.name}, {scenario.duration_s:g} s, {len(scenario.links())} one-way links"


def _plan(path: Path) -> str:
    from vegaslab.sweeps.plans.plan import Plan

    plan = Plan.from_file(path)
    return f"plan {plan.name}, {plan.number_of_cells} cells x {plan.replications} seeds of {Path(plan.source).stem}"

"""`vegaslab list` names what there is; `vegaslab check` checks a file of the user's."""

import argparse
import json
from pathlib import Path

from vegaslab import _vegaslab
from vegaslab.commands.explain import table_of_hosts, table_of_presets
from vegaslab.commands.parsing import OK, Commands, UsageError
from vegaslab.reports.summary import aligned
from vegaslab.scenario.link import is_link
from vegaslab.scenario.source import find, load, read_text, shipped_plans, shipped_scenarios, warn_of_unused
from vegaslab.util.text import printable


def add(commands: Commands) -> None:
    """Adds both commands."""
    listing = commands.add_parser("list", help="list algorithms, parts, scenarios, plans and more")
    listing.add_argument("what", metavar="KIND", choices=tuple(_LISTED), help=", ".join(_LISTED))
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
    print("\n".join(table_of_hosts() if options.hosts else _LISTED[options.what]()))
    return OK


def _scenarios() -> list[str]:
    rows = [(name, _description(path)) for name, path in shipped_scenarios().items()]
    return aligned(("name", "what it shows"), rows)


def _description(path: Path) -> str:
    description: str = json.loads(load(path).document_json()).get("description", "")
    return description


def _plans() -> list[str]:
    # imported here: other commands need not wait for it
    from vegaslab.sweeps.plans.plan import Plan

    plans = {name: Plan.from_file(path) for name, path in shipped_plans().items()}
    rows = [
        (name, Path(plan.source).stem, str(plan.number_of_cells), str(plan.replications), ", ".join(plan.varied))
        for name, plan in plans.items()
    ]
    return aligned(("name", "scenario", "cells", "seeds", "what varies"), rows)


def _parts() -> list[str]:
    return aligned(("key", "name", "what it does"), _vegaslab.parts(), keys=2)


def _cases() -> list[str]:
    rows = [(suite, name, title) for suite, name, title, _ in _vegaslab.conformance_cases()]
    return aligned(("suite", "case", "title"), rows)


_LISTED = {
    "algorithms": table_of_presets,
    "parts": _parts,
    "scenarios": _scenarios,
    "plans": _plans,
    "cases": _cases,
}


def _check(options: argparse.Namespace) -> int:
    print(f"{options.file}: good: {_described(options.file)}")
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

"""`vegaslab linux`: the algorithms in this machine's TCP. The program `vegas-linux` does most of the work."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from vegaslab._vegaslab import Scenario
from vegaslab.commands.parsing import OK, Commands, Parser, add_scenario, overrides
from vegaslab.commands.real_paths import measure
from vegaslab.measuring.linux import carry_out, differences, program
from vegaslab.measuring.watching import draw_steps
from vegaslab.reports.summary import report
from vegaslab.runs.comparison import Comparison
from vegaslab.runs.drawable import PAGE
from vegaslab.runs.result import KeptResult, run_checked
from vegaslab.scenario.source import find, load, shipped_scenarios, warn_of_unused
from vegaslab.util.folder import whole_folder

_PROGRAMS_OWN = {
    "install": "register a preset as a congestion control that any program can take, vegas_gallop say",
    "echo": "let this host echo what routers stamp for RoVegas",
    "status": "list what is registered",
    "remove": "take registered congestion controls away",
    "watch": "show live connections that use what is registered",
}


def add(commands: Commands) -> None:
    """Adds the command."""
    linux = commands.add_parser("linux", help="the algorithms in this machine's own TCP (docs/linux.md)")
    actions = linux.add_subparsers(required=True, metavar="ACTION", parser_class=Parser)
    for name, what in _PROGRAMS_OWN.items():
        own = actions.add_parser(name, help=what, add_help=False, prefix_chars="\0")
        own.add_argument("arguments", nargs="*")
        own.set_defaults(action=_watch if name == "watch" else _hand_over, name=name)
    measure.add(actions)
    run = actions.add_parser("run", help="carry a scenario out with real sockets: table, results folder")
    add_scenario(run)
    run.add_argument("-o", "--output", type=Path, metavar="DIR", help="default: results/NAME-linux; with --json none")
    run.add_argument("--no-echo", action="store_true", help="with receivers that do not know RoVegas's option")
    run.add_argument("--csv", action="store_true", help="write the tables as CSV too")
    run.add_argument("--pcapng", action="store_true", help="write the packets too, for Wireshark")
    run.add_argument("--json", action="store_true", help="print the summary alone, as JSON")
    run.set_defaults(action=_run)
    compare = actions.add_parser(
        "compare", help="a scenario in the simulator and with real sockets, one over the other"
    )
    add_scenario(compare)
    compare.add_argument("-o", "--output", type=Path, metavar="DIR", help="default: results/NAME-linux-compare")
    compare.add_argument("--json", action="store_true", help="print both summaries as JSON")
    compare.set_defaults(action=_compare)


def _hand_over(options: argparse.Namespace) -> int:
    arguments = [str(shipped_scenarios().get(text, text)) for text in options.arguments]
    sys.stdout.flush()
    if os.name == "posix":
        # the program handles Ctrl-C and sets the exit code itself
        os.execv(program(), [program(), options.name, *arguments])
    return subprocess.run([program(), options.name, *arguments], check=False).returncode


def _watch(options: argparse.Namespace) -> int:
    """Draws the connections on a terminal; prints the program's lines if the output is none."""
    if not sys.stdout.isatty() or {"--json", "-h", "--help"} & set(options.arguments):
        return _hand_over(options)
    return draw_steps([program(), "watch", "--json", *options.arguments], sys.stdout)


def _run(options: argparse.Namespace) -> int:
    scenario = _checked(options)
    folder = options.output or (None if options.json else Path("results") / f"{scenario.name}-linux")
    switches = [f"--{name.replace('_', '-')}" for name in ("no_echo", "csv", "pcapng") if getattr(options, name)]
    summary = carry_out(_given(options), *switches, *(["--output", str(folder)] if folder else []))
    if options.json:
        print(json.dumps(summary))
        return OK
    print(report(summary))
    print(_lateness(summary["linux"]))
    print(f"\nresults: {folder}")
    return OK


def _checked(options: argparse.Namespace) -> Scenario:
    scenario = load(options.file, set=overrides(options))
    warn_of_unused(scenario)
    return scenario


def _given(options: argparse.Namespace) -> list[str]:
    """Returns the scenario as the program's arguments: the file itself, as rate traces lie beside it."""
    sets = [word for key, value in overrides(options) for word in ("--set", f"{key}={value}")]
    return [str(find(options.file, shipped_scenarios(), "scenario")), *sets]


def _compare(options: argparse.Namespace) -> int:
    scenario = _checked(options)
    program()
    target = options.output or Path("results") / f"{scenario.name}-linux-compare"
    with whole_folder(target) as folder, TemporaryDirectory() as elsewhere:
        place = Path(elsewhere) / "measured"
        measured = KeptResult(place, carry_out(_given(options), "--output", str(place)), scenario)
        comparison = Comparison({"simulator": run_checked(scenario), "linux": measured})
        comparison.write(folder)
        comparison.draw_into(folder)
        summaries = comparison.summary
    if options.json:
        print(json.dumps(summaries))
        return OK
    simulated, linux = (summaries["runs"][name] for name in ("simulator", "linux"))
    print(differences(simulated["flows"], linux["flows"]))
    print(_lateness(linux["linux"]))
    print(f"\nresults: {target}")
    if (target / PAGE).exists():
        print(f"picture: {target / PAGE}")
    return OK


def _lateness(about: dict[str, float]) -> str:
    median, p99, latest, bound = (about[f"lateness_{name}_us"] for name in ("median", "p99", "max", "bound"))
    verdict = "trustworthy" if about["trustworthy"] else "NOT trustworthy: a packet was later than half a packet's time"
    return (
        f"\nthe router was late by {median:.0f} us (median), {p99:.0f} us (p99), {latest:.0f} us (most), "
        f"of {bound:.0f} us allowed: {verdict}"
    )

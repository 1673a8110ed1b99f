"""`vegaslab linux`: the algorithms in this machine's own TCP. Most of it is the program's, `vegas-linux`."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from vegaslab.commands import OK, Commands, Parser, measure
from vegaslab.comparison import Comparison
from vegaslab.folder import whole_folder
from vegaslab.linux import differences, program, run
from vegaslab.result import run_checked
from vegaslab.source import load, shipped_scenarios
from vegaslab.watching import draw_steps

_PROGRAMS_OWN = {
    "install": "register a preset as a congestion control that any program can take, vegas_gallop say",
    "echo": "let this host echo what routers stamp for RoVegas",
    "status": "list what is registered",
    "remove": "take registered congestion controls away",
    "watch": "show live connections that use what is registered",
    "run": "carry a scenario out with real sockets",
}


def add(commands: Commands) -> None:
    """Adds the command."""
    linux = commands.add_parser("linux", help="the algorithms in this machine's own TCP: docs/linux.md")
    actions = linux.add_subparsers(required=True, metavar="ACTION", parser_class=Parser)
    for name, what in _PROGRAMS_OWN.items():
        own = actions.add_parser(name, help=what, add_help=False, prefix_chars="\0")
        own.add_argument("arguments", nargs="*")
        own.set_defaults(action=_watch if name == "watch" else _hand_over, name=name)
    measure.add(actions)
    compare = actions.add_parser(
        "compare", help="a scenario in the simulator and with real sockets, one over the other"
    )
    compare.add_argument("file", metavar="FILE", help="a scenario file, or a shipped scenario's name")
    compare.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="override a value of the file")
    compare.add_argument("-o", "--output", type=Path, metavar="DIR", help="default: results/NAME-linux-compare")
    compare.add_argument("--json", action="store_true", help="print both summaries as JSON")
    compare.set_defaults(action=_compare)


def _hand_over(options: argparse.Namespace) -> int:
    arguments = [str(shipped_scenarios().get(text, text)) for text in options.arguments]
    sys.stdout.flush()
    if os.name == "posix":
        # the program's own Ctrl-C, and its own exit code
        os.execv(program(), [program(), options.name, *arguments])
    return subprocess.run([program(), options.name, *arguments], check=False).returncode


def _watch(options: argparse.Namespace) -> int:
    """On a terminal, pictures; elsewhere the program's own lines."""
    if not sys.stdout.isatty() or {"--json", "-h", "--help"} & set(options.arguments):
        return _hand_over(options)
    return draw_steps([program(), "watch", "--json", *options.arguments], sys.stdout)


def _compare(options: argparse.Namespace) -> int:
    from vegaslab.figure import draw, save

    overrides = [(key, value) for key, _, value in (text.partition("=") for text in options.set)]
    scenario = load(options.file, set=overrides)
    program()
    target = options.output or Path("results") / f"{scenario.name}-linux-compare"
    with whole_folder(target) as folder, TemporaryDirectory() as elsewhere:
        measured = run(scenario, Path(elsewhere) / "measured")
        comparison = Comparison({"simulator": run_checked(scenario), "linux": measured})
        comparison.write(folder)
        for extension in ("png", "svg"):
            save(draw(comparison.sheet()), folder / f"picture.{extension}")
        summaries = comparison.summary
    if options.json:
        print(json.dumps(summaries))
        return OK
    simulated, linux = (summaries["runs"][name] for name in ("simulator", "linux"))
    print(differences(simulated["flows"], linux["flows"]))
    print(_lateness(linux["linux"]))
    print(f"\nresults: {target}\npicture: {target / 'picture.png'}")
    return OK


def _lateness(about: dict[str, float]) -> str:
    median, p99, latest, bound = (about[f"lateness_{name}_us"] for name in ("median", "p99", "max", "bound"))
    verdict = "trustworthy" if about["trustworthy"] else "NOT trustworthy: a packet was later than half a packet's time"
    return (
        f"\nthe router was late by {median:.0f} us (median), {p99:.0f} us (p99), {latest:.0f} us (most), "
        f"of {bound:.0f} us allowed: {verdict}"
    )

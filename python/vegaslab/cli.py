"""The command line: `vegaslab --help` lists the commands."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from vegaslab import _vegaslab
from vegaslab.commands import (
    BAD_INPUT,
    FAILED,
    OK,
    Parser,
    UsageError,
    factorial,
    linux,
    model,
    quic,
    reproduce,
    seeds,
    sweep,
)
from vegaslab.comparison import Comparison, load_variants
from vegaslab.ending import interrupted, sigterm_as_ctrl_c
from vegaslab.explain import UnknownAlgorithmError, explain, table_of_presets
from vegaslab.folder import FolderError, whole_folder
from vegaslab.linux import LinuxError
from vegaslab.papers.errors import PapersError
from vegaslab.plan_file import PlanError
from vegaslab.progress import Progress
from vegaslab.quic import QuicError
from vegaslab.report import aligned, comparison_report, report
from vegaslab.result import Result, run_checked
from vegaslab.sender import TransferError
from vegaslab.source import load, shipped_scenarios

_PICTURE = "picture"

_Simulated = TypeVar("_Simulated", Result, Comparison)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit code.

    That is 0, 2 for bad input, 130 after Ctrl-C, 143 after SIGTERM, 1 for anything else.
    """
    with sigterm_as_ctrl_c():
        return _main(arguments)


def _main(arguments: Sequence[str] | None) -> int:
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
        return code
    except (UsageError, UnknownAlgorithmError) as error:
        return _complain(error, BAD_INPUT)
    except (
        _vegaslab.ScenarioError,
        PlanError,
        FolderError,
        PapersError,
        LinuxError,
        QuicError,
        TransferError,
    ) as error:
        return _complain(error, BAD_INPUT)
    except KeyboardInterrupt as interrupt:
        return _complain("interrupted; nothing was written", interrupted(interrupt))
    except BrokenPipeError:
        # whoever read our output has left; nothing more can be said, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        return _complain(_describe(error), BAD_INPUT if error.filename else FAILED)


def _complain(what: object, code: int) -> int:
    print(f"vegaslab: {what}", file=sys.stderr)
    return code


def _describe(error: OSError) -> str:
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)


def _dispatch(arguments: Sequence[str] | None) -> int:
    options = _parser().parse_args(arguments)
    action: Callable[[argparse.Namespace], int] = options.action
    return action(options)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="vegaslab", description="A laboratory for the TCP Vegas family of congestion control.")
    parser.add_argument("--version", action="version", version=f"vegaslab {_vegaslab.version}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="simulate a scenario: table, results folder, pictures")
    _add_run_options(run)
    run.set_defaults(action=_run)

    compare = commands.add_parser("compare", help="simulate a scenario with several algorithms, one after the other")
    compare.add_argument(
        "-a",
        "--algorithm",
        action="append",
        required=True,
        metavar="NAME",
        help="an algorithm that all flows of the file use in one run; give several (see vegaslab list algorithms)",
    )
    _add_run_options(compare)
    seeds.add_options(compare)
    compare.set_defaults(action=_compare)

    sweep.add(commands)
    quic.add(commands)
    factorial.add(commands)
    reproduce.add(commands)
    model.add(commands)
    linux.add(commands)

    listing = commands.add_parser("list", help="list what there is")
    listing.add_argument("what", choices=("algorithms", "scenarios"))
    listing.set_defaults(action=_list)

    explaining = commands.add_parser(
        "explain", help="say what an algorithm does, with which numbers, and by what source"
    )
    explaining.add_argument("algorithm", metavar="NAME", help="a preset (see vegaslab list algorithms)")
    explaining.set_defaults(action=_explain)

    check = commands.add_parser("check", help="say what is wrong with a scenario file, and where")
    check.add_argument("file", metavar="FILE", help="a scenario file, or a shipped scenario's name")
    check.set_defaults(action=_check)

    schema = commands.add_parser("schema", help="print the JSON Schema of scenario files, for editors")
    schema.set_defaults(action=_schema)
    return parser


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="a scenario file, or a shipped scenario's name")
    add(
        "--set",
        action="append",
        default=[],
        type=_override,
        metavar="KEY=VALUE",
        help="override a value of the file, such as flow.0.algorithm=reno; may be repeated",
    )
    add("--seed", metavar="N", help="override the seed")
    add("-o", "--output", type=Path, metavar="DIR", help="the results folder (default: results/NAME)")
    add("--json", action="store_true", help="print the summary alone, as JSON; write a folder only with -o")
    add("--csv", action="store_true", help="write the tables as CSV too")
    add("--pcapng", action="store_true", help="write the packets too, for Wireshark")
    add("--no-plot", action="store_true", help="write no pictures")
    add("--html", action="store_true", help="write the interactive page in spite of --no-plot")


def _override(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} was given; KEY=VALUE, such as flow.0.algorithm=reno")
    return key, value


def _overrides(options: argparse.Namespace) -> list[tuple[str, str]]:
    seed = [("seed", options.seed)] if options.seed is not None else []
    capture = [("capture", "true")] if options.pcapng else []
    return [*options.set, *seed, *capture]


def _run(options: argparse.Namespace) -> int:
    scenario = load(options.file, set=_overrides(options))

    def simulate() -> Result:
        with Progress(scenario.duration_s) as progress:
            return run_checked(scenario, progress)

    result = _with_folder(options, Path("results") / scenario.name, simulate)
    print(json.dumps(result.summary) if options.json else report(result.summary))
    _say_where(options, Path("results") / scenario.name)
    return OK


def _compare(options: argparse.Namespace) -> int:
    if options.seeds is not None:
        return seeds.compare(options, _overrides(options))
    if options.level is not None:
        raise UsageError("--level goes with --seeds; one run has no interval")
    variants = load_variants(options.file, options.algorithm, set=_overrides(options))
    name = next(iter(variants.values())).name

    def simulate() -> Comparison:
        runs = {}
        for algorithm, scenario in variants.items():
            with Progress(scenario.duration_s, f"{algorithm}: ") as progress:
                runs[algorithm] = run_checked(scenario, progress)
        return Comparison(runs)

    default = Path("results") / f"{name}-compare"
    comparison = _with_folder(options, default, simulate)
    summary = comparison.summary
    print(json.dumps(summary) if options.json else comparison_report(summary["runs"]))
    _say_where(options, default)
    return OK


def _with_folder(options: argparse.Namespace, default: Path, simulate: Callable[[], _Simulated]) -> _Simulated:
    """Simulates and writes the folder, if one is asked for; that it can be written is found out first."""
    if options.json and options.output is None:
        return simulate()
    with whole_folder(options.output or default) as folder:
        simulated = simulate()
        simulated.write(folder, csv=options.csv, pcapng=options.pcapng)
        if not options.no_plot:
            from vegaslab.figure import draw, save

            figure = draw(simulated.sheet())
            save(figure, folder / f"{_PICTURE}.png")
            save(figure, folder / f"{_PICTURE}.svg")
        if options.html or not options.no_plot:
            (folder / f"{_PICTURE}.html").write_text(simulated.html(), encoding="utf-8")
        return simulated


def _say_where(options: argparse.Namespace, default: Path) -> None:
    if options.json:
        return
    folder = options.output or default
    picture = folder / f"{_PICTURE}.{'png' if not options.no_plot else 'html'}"
    print(f"\nresults: {folder}")
    if options.html or not options.no_plot:
        print(f"picture: {picture}")


def _list(options: argparse.Namespace) -> int:
    print("\n".join(table_of_presets() if options.what == "algorithms" else _scenarios()))
    return OK


def _scenarios() -> list[str]:
    rows = [(name, _description(path)) for name, path in shipped_scenarios().items()]
    return aligned(("name", "what it shows"), rows)


def _description(path: Path) -> str:
    description: str = json.loads(load(path).document_json()).get("description", "")
    return description


def _explain(options: argparse.Namespace) -> int:
    print(explain(options.algorithm))
    return OK


def _check(options: argparse.Namespace) -> int:
    scenario = load(options.file)
    print(f"{options.file}: good: {scenario.name}, {scenario.duration_s:g} s, {len(scenario.links())} one-way links")
    return OK


def _schema(_options: argparse.Namespace) -> int:
    print(_vegaslab.schema())
    return OK

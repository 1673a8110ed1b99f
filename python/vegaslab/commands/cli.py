"""The command line: `vegaslab --help` lists the commands."""

import argparse
import io
import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO, TypeVar

from vegaslab import _vegaslab
from vegaslab.commands.many_runs import seeds
from vegaslab.commands.parsing import (
    BAD_INPUT,
    FAILED,
    OK,
    Parser,
    UsageError,
    add_no_cache,
    add_pictures,
    add_scenario,
    in_groups,
    overrides,
)
from vegaslab.commands.real_paths import kernel
from vegaslab.reports.optional import PictureWarning
from vegaslab.reports.summary import comparison_report, report
from vegaslab.runs.comparison import Comparison
from vegaslab.runs.kept import cache as kept
from vegaslab.runs.repeating import check_repeats
from vegaslab.runs.result import Result, World, run_checked
from vegaslab.scenario.hosts import hosts_line
from vegaslab.scenario.own.naming import table_of_file
from vegaslab.scenario.source import Overrides, UnusedWarning, folder_of, load, warn_of_unused
from vegaslab.scenario.variants import load_variants, split_values, used_by_all
from vegaslab.util.ending import ctrl_c_raises, interrupted, sigterm_as_ctrl_c
from vegaslab.util.errors import AlgorithmError, InputError, LimitError
from vegaslab.util.folder import is_full, whole_folder
from vegaslab.util.memory import memory_bytes
from vegaslab.util.progress import Progress
from vegaslab.util.terminal import complain, note, shown_on, warn
from vegaslab.util.text import no_text

_PICTURE = "picture"
_ONE_LINE_EACH = (PictureWarning, UnusedWarning)

_HERE = ""
_GROUPS = {
    "simulate": {
        "run": _HERE,
        "compare": _HERE,
        "sweep": "many_runs.sweep",
        "analyse": "many_runs.analyse",
        "factorial": "many_runs.factorial",
        "figure": "results.figure",
        "export": "results.export",
    },
    "judge": {
        "evaluate": "many_runs.evaluate",
        "reproduce": "many_runs.reproduce",
        "conform": "many_runs.conform",
        "packetdrill": "many_runs.packetdrill",
        "attack": "many_runs.attack",
        "model": "model",
    },
    "real hosts": {
        "kernel": "real_paths.kernel",
        "linux": "real_paths.linux",
        "quic": "real_paths.quic",
        "measured": "real_paths.measured",
        "against": "real_paths.against",
        "identify": "real_paths.identify",
        "trace": "real_paths.trace",
    },
    "write scenarios and algorithms": {
        "new": "new",
        "check": "catalogue",
        "list": "catalogue",
        "explain": _HERE,
        "cite": "results.cite",
        "schema": _HERE,
    },
    "the tool itself": {"cache": "many_runs.cache", "swarm": "many_runs.swarm", "completion": _HERE},
}
"""The commands as `--help` lists them, the main job first, with the modules that add them."""

_FIRST_STEPS = """\
vegaslab, a laboratory for the TCP Vegas family of congestion control. First steps:

    vegaslab run gallop-50mbit                          simulate a scenario: a table, and a page with charts
    vegaslab compare gallop-50mbit -a vegas -a cubic    the same path with several algorithms
    vegaslab list scenarios                             what else can be run
    vegaslab explain vegas                              what an algorithm does
    vegaslab reproduce --quick                          the claims of five papers, in a minute

vegaslab --help lists all commands, vegaslab COMMAND --help the options of one."""
"""What `vegaslab` alone prints."""

_Simulated = TypeVar("_Simulated", Result, Comparison)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit code.

    The code is 0, 2 for bad input, 130 after Ctrl-C, 143 after SIGTERM, or 1 for any other error, such as a full disk.
    A picture that cannot be drawn gives a line on stderr.
    """
    with sigterm_as_ctrl_c(), warnings.catch_warnings(), shown_on(sys.stdout):
        for category in _ONE_LINE_EACH:
            warnings.simplefilter("default", category)
        warnings.showwarning = _show_warning
        return _main(arguments)


def _main(arguments: Sequence[str] | None) -> int:
    try:
        ctrl_c_raises()
        # file names need not be text, and terminals lack characters: neither may end a command that is done
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        taken, made = kept.count.taken, kept.count.made
        code = _dispatch(arguments)
        sys.stdout.flush()
        _say_what_was_kept(kept.count.taken - taken, kept.count.made - made)
        return code
    except InputError as error:
        return _complain(error, BAD_INPUT)
    except AlgorithmError as error:
        return _complain(f"{error}; nothing was written", FAILED)
    except LimitError as error:
        return _complain(f"{error}; nothing was written; --memory SIZE allows more, such as --memory 8gb", FAILED)
    except UnicodeEncodeError as error:
        return _complain(no_text(error), BAD_INPUT)
    except KeyboardInterrupt as interrupt:
        return _complain("interrupted; nothing was written", interrupted(interrupt))
    except BrokenPipeError:
        _discard_output()
        return FAILED
    except MemoryError as error:
        return _complain(f"out of memory: {error}; nothing was written", FAILED)
    except OSError as error:
        if not error.filename and is_full(error):
            _discard_output()
        return _complain(_describe(error), BAD_INPUT if error.filename and not is_full(error) else FAILED)


def _discard_output() -> None:
    """Prevents a second error where Python flushes at exit what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say_what_was_kept(taken: int, made: int) -> None:
    if taken:
        note(f"{taken} of {taken + made} runs were taken from the cache; --no-cache makes them again")


def _complain(what: object, code: int) -> int:
    complain(what)
    return code


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,
) -> None:
    if issubclass(category, _ONE_LINE_EACH):
        warn(message)
    else:
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))


def _describe(error: OSError) -> str:
    if error.filename:
        return f"{error.filename}: {error.strerror}"
    # an error about a file names it: see vegaslab.util.folder.writing
    return f"standard output: {error.strerror}; {_vegaslab.remedy(error.errno or 0)}" if is_full(error) else str(error)


def _dispatch(arguments: Sequence[str] | None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    if not given:
        print(_FIRST_STEPS)
        return OK
    options = _parser(given[0]).parse_args(arguments)
    action: Callable[[argparse.Namespace], int] = options.action
    with kept.off() if getattr(options, "no_cache", False) else nullcontext():
        return action(options)


def _parser(command: str = "") -> argparse.ArgumentParser:
    """Returns the parser of all commands; where a command is given that has a module or is one of those here, only of
    these, as to load all modules takes as long as a short run.
    """
    parser = Parser(
        prog="vegaslab",
        usage="vegaslab COMMAND ... (vegaslab COMMAND --help has the options of one)",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(required=True, prog=parser.prog, metavar="COMMAND", help=argparse.SUPPRESS)

    run = commands.add_parser("run", help="simulate a scenario: tables, a results folder, a page")
    _add_run_options(run)
    run.add_argument(
        "--engine",
        choices=("fast", "reference"),
        help="reference: an event for each packet and link; slower, and the same results (default: fast)",
    )
    run.add_argument(
        "--algorithm-file",
        metavar="FILE[:CLASS]",
        help="an algorithm of your own that all flows use: a Python file, with its class unless it has one only, or a "
        "WebAssembly module, such as mine.py:Mine or mine.wasm",
    )
    run.add_argument(
        "--twice",
        action="store_true",
        help="run it again, and fail unless all tables are the same: an algorithm of your own may use no clock",
    )
    kernel.add_world(run)
    run.set_defaults(action=_run)

    compare = commands.add_parser("compare", help="simulate a scenario with several algorithms or values")
    compare.add_argument(
        "-a",
        "--algorithm",
        action="append",
        metavar="NAME",
        help="an algorithm that all flows of the file use in one run; several: a preset (vegaslab list algorithms), "
        "or parts, such as '{ preset = \"vegas\", slow_start = \"reno\" }', by a name of their own: 'NAME={ ... }', "
        "or one of your own, such as mine.py:Mine or mine.wasm",
    )
    compare.add_argument(
        "--flow",
        action="append",
        type=int,
        metavar="N",
        help="let this [[flow]] of the file alone use the algorithms, from 0; may be repeated",
    )
    compare.add_argument(
        "--vary",
        action="append",
        default=[],
        type=_variation,
        metavar="KEY=A,B,C",
        help="compare these values of a key, such as flow.0.alpha=1,2,4; may be repeated",
    )
    _add_run_options(compare)
    kernel.add_world(compare, many=True)
    seeds.add_options(compare)
    compare.set_defaults(action=_compare)

    explaining = commands.add_parser(
        "explain", help="what a name means: an algorithm, a part, a key, a figure, a column, a claim, a term"
    )
    explaining.add_argument(
        "name", metavar="NAME", help="such as vegas, slow_start, receive_window, jain_index, H-table1, bufferbloat"
    )
    explaining.set_defaults(action=_explain)

    schema = commands.add_parser("schema", help="the JSON Schema of scenario files, for editors")
    schema.set_defaults(action=_schema)
    known = {name: module for names in _GROUPS.values() for name, module in names.items()}
    # completion writes down all commands
    only = None if command == "completion" else known.get(command)
    for module in dict.fromkeys(known.values() if only is None else [only]):
        if module != _HERE:
            import_module(f"vegaslab.commands.{module}").add(commands)
    if only is None:
        import_module("vegaslab.commands.completion").add(commands, parser)
        helped = in_groups(commands, _GROUPS)
        parser.description = f"A laboratory for the TCP Vegas family of congestion control.\n\n{helped}"
    return parser


def _version() -> str:
    commit = f" ({_vegaslab.commit[:12]})" if _vegaslab.commit else ""
    return f"vegaslab {_vegaslab.version}{commit}"


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    add_scenario(parser)
    add = parser.add_argument
    add("-o", "--output", type=Path, metavar="DIR", help="the results folder (default: results/NAME)")
    add(
        "--memory",
        type=_memory,
        metavar="SIZE",
        help="the most that all runs with their results may take, such as 4gb (default: half of the machine's memory)",
    )
    add("--json", action="store_true", help="print the summary alone, as JSON; write a folder only with -o")
    add("--csv", action="store_true", help="write the tables as CSV too")
    add("--pcapng", action="store_true", help="write the packets too, for Wireshark")
    add_no_cache(parser)
    add_pictures(parser)


def _memory(text: str) -> int:
    try:
        return memory_bytes(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("memory: ")) from None


def _variation(text: str) -> tuple[str, list[str]]:
    key, equals, values = text.partition("=")
    if not key or not equals or not all(split_values(values)):
        raise argparse.ArgumentTypeError(f"{text!r} was given; KEY=A,B,C, such as flow.0.alpha=1,2,4")
    return key, split_values(values)


def _overrides(options: argparse.Namespace) -> list[tuple[str, str]]:
    return [*overrides(options), *([("capture", "true")] if options.pcapng else [])]


def _with_algorithm(options: argparse.Namespace) -> Overrides:
    given = _overrides(options)
    if options.algorithm_file is None:
        return given
    if table_of_file(options.algorithm_file) is None:
        raise UsageError(f"--algorithm-file {options.algorithm_file}: write a file, such as mine.py:Mine or mine.wasm")
    return used_by_all(options.file, options.algorithm_file, given)


def _run(options: argparse.Namespace) -> int:
    scenario = load(options.file, set=_with_algorithm(options), memory=options.memory)
    warn_of_unused(scenario)
    (world,) = kernel.worlds_of(options)
    if world is not None and options.engine is not None:
        raise UsageError("--engine goes with --world simulator")

    def simulate_once() -> Result:
        if world is not None:
            return world.run(scenario, folder_of(options.file), *kernel.switches(options))
        with Progress(scenario.duration_s) as progress:
            cached = not options.twice
            return run_checked(
                scenario, progress, memory=options.memory, engine=options.engine or "fast", cached=cached
            )

    def simulate() -> Result:
        result = simulate_once()
        if options.twice:
            check_repeats(result, simulate_once())
        return result

    default = Path("results") / (scenario.name if world is None else f"{scenario.name}-{options.world}")
    result = _with_folder(options, default, simulate)
    _print(result.summary, None if options.json else report(result.summary))
    _say_where(options, default, result.summary)
    return OK


def _compare(options: argparse.Namespace) -> int:
    worlds = kernel.worlds_of(options)
    if options.seeds is not None:
        if worlds != [None]:
            raise UsageError("--seeds goes with --world simulator")
        return seeds.compare(options, _overrides(options))
    if options.level is not None:
        raise UsageError("--level goes with --seeds; one run has no interval")
    if options.figure or options.pairs:
        raise UsageError(f"{'-r' if options.figure else '--pairs'} goes with --seeds, whose figures have verdicts")
    varied = seeds.varied(options)
    variants = load_variants(options.file, options.algorithm, **varied, set=_overrides(options))
    name = next(iter(variants.values())).name

    def simulate() -> Comparison:
        share = memory_bytes(options.memory, runs=len(variants))

        def run(scenario: _vegaslab.Scenario, world: World | None, key: str) -> Result:
            if world is not None:
                return world.run(scenario, folder_of(options.file), *kernel.switches(options))
            with Progress(scenario.duration_s, f"{key}: ") as progress:
                return run_checked(scenario, progress, memory=share)

        return Comparison.of(variants, worlds, run)

    default = Path("results") / f"{name}-compare"
    comparison = _with_folder(options, default, simulate)
    summary = comparison.summary
    _print(summary, None if options.json else f"{hosts_line(variants)}\n{comparison_report(summary['runs'])}")
    _say_where(options, default, *summary["runs"].values())
    return OK


def _print(summary: dict[str, Any], report: str | None) -> None:
    """Prints the report, or else the summary as JSON. JSON is printed in pieces, so that Ctrl-C works within a huge
    one.
    """
    if report is None:
        json.dump(summary, sys.stdout)
    print(report or "")


def _with_folder(options: argparse.Namespace, default: Path, simulate: Callable[[], _Simulated]) -> _Simulated:
    """Simulates, and writes the folder if one is asked for; first checks that it can be written."""
    if options.json and options.output is None:
        return simulate()
    with whole_folder(options.output or default) as folder:
        simulated = simulate()
        simulated.write(folder, csv=options.csv, pcapng=options.pcapng)
        simulated.draw_into(folder, page=not options.no_plot, drawn=options.plot)
        return simulated


def _say_where(options: argparse.Namespace, default: Path, *summaries: dict[str, Any]) -> None:
    if options.json:
        return
    for world in (summary["world"] for summary in summaries if "world" in summary):
        print(f"\n{kernel.about(world)}")
    folder = options.output or default
    print(f"\nresults: {folder}")
    pictures = (folder / f"{_PICTURE}.{suffix}" for suffix in ("png", "html"))
    if (picture := next((file for file in pictures if file.exists()), None)) is not None:
        print(f"picture: {picture}")


def _explain(options: argparse.Namespace) -> int:
    # imported here: other commands need not wait for it
    from vegaslab.commands.explain import explain

    print(explain(options.name))
    return OK


def _schema(_options: argparse.Namespace) -> int:
    print(_vegaslab.schema())
    return OK

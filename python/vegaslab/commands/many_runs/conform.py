"""`vegaslab conform`: the test cases of the BBR draft, and of any congestion control, for any algorithm."""

import argparse
import json
import re
from pathlib import Path

from vegaslab import _vegaslab
from vegaslab.commands.parsing import FAILED, OK, Commands, UsageError
from vegaslab.reports.summary import aligned
from vegaslab.runs.pool import usable_cores
from vegaslab.scenario.own.naming import table_of_file
from vegaslab.util.folder import check_names, write_file

_FILES = re.compile(r"cases\.json|junit\.xml|[a-z0-9-]+\.(toml|qlog|svg)")
_COLUMNS = ("case", "pass", "fail", "not applicable", "seen")


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "conform",
        help="the test cases of the BBR draft, or the least that RFCs ask",
        epilog="Exit code 0 if no case fails, 1 if one does, 2 for bad input.",
    )
    argument = parser.add_argument
    argument(
        "name",
        metavar="NAME",
        help="a preset such as bbr3, a table of parts as in scenario files, or a file: mine.py:Mine, mine.wasm",
    )
    argument(
        "--suite",
        choices=list(dict.fromkeys(suite for suite, *_ in _vegaslab.conformance_cases())),
        default="bbr",
        help="the BBR draft's cases (default), or the least that RFC 9002 and RFC 5681 ask of any congestion control",
    )
    argument("--quick", action="store_true", help="three paths in place of the whole grid")
    argument("--case", action="append", default=[], metavar="CASE", help="only this case; may be repeated")
    argument(
        "-o", "--output", type=Path, metavar="DIR", help="a folder for verdicts, scenario and qlog files, pictures"
    )
    argument("--junit", type=Path, metavar="REPORT", help="write the verdicts as JUnit's XML into this file")
    argument("--json", action="store_true", help="print the verdicts as JSON")
    argument("-j", "--jobs", type=int, metavar="N", help="cores to use (default: all)")
    parser.set_defaults(action=_conform)


def _conform(options: argparse.Namespace) -> int:
    if options.jobs is not None and options.jobs < 1:
        raise UsageError(f"--jobs: {options.jobs} was given; at least 1")
    if options.output is not None and options.output.exists():
        check_names(options.output, _FILES)
    threads = options.jobs or usable_cores()
    try:
        report = _vegaslab.conform(
            options.name,
            _algorithm(options.name),
            suite=options.suite,
            names=options.case,
            quick=options.quick,
            threads=threads,
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    if options.output is not None:
        _write(options.output, report, options.name)
    if options.junit is not None:
        write_file(options.junit, report.junit_xml().encode())
    print(report.cases_json() if options.json else _table(report), end="")
    return OK if report.passed else FAILED


def _algorithm(name: str) -> str:
    """The value of `algorithm` in a scenario file, as TOML."""
    if name.startswith("{"):
        return name
    table = table_of_file(name)
    if table is None:
        return json.dumps(name)
    return "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in table.items()) + " }"


def _table(report: "_vegaslab.Conformance") -> str:
    """A row a case, and a line for each point where one fails."""
    names = list(dict.fromkeys(case for case, *_ in report.rows))
    rows, failures = [], []
    for name in names:
        of_case = [row for row in report.rows if row[0] == name]
        numbers = [sum(row[2] == verdict for row in of_case) for verdict in _COLUMNS[1:4]]
        _, _, _, seen, _ = next((row for row in of_case if row[2] == "fail"), of_case[0])
        rows.append((name, *map(str, numbers), seen))
        failures += [
            f"{name} {point}: {seen}; expected: {wanted}" for _, point, word, seen, wanted in of_case if word == "fail"
        ]
    judged = {row[0] for row in report.rows if row[2] in ("pass", "fail")}
    failed = {row[0] for row in report.rows if row[2] == "fail"}
    counts = f"{len(judged - failed)} of {len(names)} cases pass, {len(failed)} fail"
    last = f"{counts}, {len(names) - len(judged)} do not apply"
    hints = [] if judged else ["--suite generic judges algorithms that do not report their state"]
    return "\n".join([*aligned(_COLUMNS, rows), "", *failures, last, *hints]) + "\n"


def _write(folder: Path, report: "_vegaslab.Conformance", name: str) -> None:
    # other commands need not wait for this
    from vegaslab.reports.conformance import picture
    from vegaslab.reports.figure import save

    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / "cases.json", report.cases_json().encode())
    write_file(folder / "junit.xml", report.junit_xml().encode())
    for case, point, scenario, qlog, columns in report.runs():
        write_file(folder / f"{case}.toml", scenario.encode())
        write_file(folder / f"{case}.qlog", qlog.encode())
        save(picture(f"{name}: {case}, {point}", dict(columns)), folder / f"{case}.svg")

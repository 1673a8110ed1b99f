"""`vegaslab conform`: the test cases of the BBR draft, and of any congestion control, for any algorithm."""

import argparse
import re
import tomllib
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from vegaslab import _vegaslab
from vegaslab.commands.parsing import FAILED, OK, Commands, UsageError
from vegaslab.reports.summary import aligned
from vegaslab.reports.tables import Listed
from vegaslab.runs.pool import usable_cores
from vegaslab.scenario.variants import algorithm_toml
from vegaslab.util.folder import check_names, check_unedited, write_file, write_new
from vegaslab.util.progress import SweepProgress
from vegaslab.util.text import did_you_mean

_FILES = re.compile(r"cases\.json|junit\.xml|[a-z0-9-]+\.(toml|qlog|svg)")
_COLUMNS = ("case", "pass", "fail", "not applicable", "seen")
_COLUMNS_OF_SEVERAL = ("algorithm", "suite", "pass", "fail", "not applicable", "fails")
_VERDICTS = "cases.json"
"""Written last."""
_XML = b"<?xml"
_BBR = "bbr"
_GENERIC = "generic"


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "conform",
        help="the test cases of the BBR draft, or the least that RFCs ask",
        epilog="Exit code 0 if no case fails but the known ones, 1 if one does or a known one passes, 2 for bad input.",
    )
    argument = parser.add_argument
    argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="a preset such as bbr3, a table of parts as in scenario files, or a file: mine.py:Mine, mine.wasm",
    )
    argument("--all", action="store_true", help="every preset, with a line each")
    argument(
        "--suite",
        choices=list(dict.fromkeys(suite for suite, *_ in _vegaslab.conformance_cases())),
        help="the BBR draft's cases (default for BBR), or the least that RFC 9002, RFC 5681 and RFC 8085 ask of any "
        "congestion control (default for others)",
    )
    argument("--quick", action="store_true", help="three paths in place of the whole grid")
    argument("--case", action="append", default=[], metavar="CASE", help="only this case; may be repeated")
    argument(
        "--known",
        action="append",
        default=[],
        metavar="CASE:POINT",
        help="a failure that is known, which counts as none; one that no longer fails is said, and is a failure",
    )
    argument(
        "-o", "--output", type=Path, metavar="DIR", help="a folder for verdicts, scenario and qlog files, pictures"
    )
    argument("--junit", type=Path, metavar="REPORT", help="write the verdicts as JUnit's XML into this file")
    argument("--json", action="store_true", help="print the verdicts as JSON")
    argument("-j", "--jobs", type=int, metavar="N", help="cores to use (default: all)")
    parser.set_defaults(action=_conform)


def _conform(options: argparse.Namespace) -> int:
    if bool(options.names) == options.all:
        raise UsageError("NAME: give an algorithm or several, or --all")
    names = [preset["name"] for preset in _vegaslab.algorithms()] if options.all else options.names
    return _conform_several(names, options) if len(names) > 1 else _conform_one(names[0], options)


def _conform_several(names: list[str], options: argparse.Namespace) -> int:
    alone = {"junit": options.junit, "json": options.json, "output": options.output, "known": options.known}
    for key, given in alone.items():
        if given:
            raise UsageError(f"{key}: is for one algorithm; leave it out, or name one")
    rows: list[tuple[str, ...]] = []
    with SweepProgress("algorithms") as progress:
        for number, name in enumerate(names):
            progress(number, len(names), sum(row[3] != "0" for row in rows))
            done = conform(name, suite=options.suite, cases=options.case, quick=options.quick, jobs=options.jobs)
            rows.append((name, *done.counted()))
    print("\n".join(aligned(_COLUMNS_OF_SEVERAL, rows)))
    return OK if all(row[3] == "0" for row in rows) else FAILED


def _conform_one(name: str, options: argparse.Namespace) -> int:
    if options.output is not None:
        _check_folder(options.output)
    done = conform(
        name, suite=options.suite, cases=options.case, quick=options.quick, jobs=options.jobs, known=options.known
    )
    if options.output is not None:
        done.write(options.output)
    if options.junit is not None:
        write_new(options.junit, done.junit().encode(), _XML)
    print(done.json() if options.json else done.report(), end="")
    return OK if done.passed else FAILED


def conform(
    algorithm: str,
    *,
    suite: str | None = None,
    cases: Sequence[str] = (),
    quick: bool = False,
    jobs: int | None = None,
    known: Sequence[str] = (),
) -> "Conformance":
    """Judges an algorithm by test cases: of the BBR draft ("bbr"), or what RFCs ask of any algorithm ("generic").

    `algorithm` is a preset, a table of parts or a file, as on the command line; `suite` is "bbr" for BBR, and "generic"
    for others, if none is given; `cases` are those to judge (default: all), `quick` takes three paths in place of the
    whole grid. `known` are failures that count as none, each as "CASE:POINT"; one that does not fail counts as one.
    Raises `VegaslabError`.

    >>> import vegaslab
    >>> done = vegaslab.conform("bbr3", cases=["startup-plateau"], quick=True)
    >>> done.passed, {case["verdict"] for case in done.rows}
    (True, {'pass'})
    """
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs: {jobs} was given; at least 1")
    threads = jobs or usable_cores()
    table = algorithm_toml(algorithm)
    suite = suite or _suite_for(table, cases)
    try:
        made = _vegaslab.conform(algorithm, table, suite=suite, names=list(cases), quick=quick, threads=threads)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return Conformance(algorithm, made, suite, _known(known, made))


class Conformance:
    """The verdicts of test cases on an algorithm. `conform` makes one.

    >>> import vegaslab
    >>> done = vegaslab.conform("bbr3", cases=["startup-plateau"], quick=True)
    >>> done.algorithm, done.passed
    ('bbr3', True)
    """

    def __init__(
        self, algorithm: str, made: "_vegaslab.Conformance", suite: str, known: Sequence[tuple[str, str]] = ()
    ) -> None:
        """Takes what the native half returns, and the failures that are known, each by its case and point."""
        self.algorithm = algorithm
        self.suite = suite
        self._made = made
        self._known = known

    @property
    def passed(self) -> bool:
        """Whether no case fails but those that are known, and each of these does."""
        return not self.unexpected

    @property
    def unexpected(self) -> list[str]:
        """A line for each failure that is not known, and for each known one that does not fail."""
        new = [f"{case} {point} fails" for case, point in self._failed if (case, point) not in self._known]
        return new + [f"{case} {point} does not fail" for case, point in self._mended]

    @property
    def _failed(self) -> list[tuple[str, str]]:
        return [(case, point) for case, point, word, *_ in self._made.rows if word == "fail"]

    @property
    def _mended(self) -> list[tuple[str, str]]:
        """The known failures that do not fail."""
        return [one for one in self._known if one not in self._failed]

    @property
    def rows(self) -> Listed:
        """A row for each case and path: what was expected, and what was seen."""
        names = ("case", "path", "verdict", "seen", "expected")
        return Listed(dict(zip(names, row, strict=True)) for row in self._made.rows)

    def counted(self) -> tuple[str, str, str, str, str]:
        """The suite; how many cases pass, fail and do not apply; the names of those that fail."""
        verdicts = _verdicts(self._made)
        numbers = (sum(verdict == of for verdict in verdicts.values()) for of in ("pass", "fail", "not applicable"))
        passed, failed, without = map(str, numbers)
        return self.suite, passed, failed, without, ", ".join(name for name, of in verdicts.items() if of == "fail")

    def report(self) -> str:
        """Returns a table of the cases as text, with a line for each failure, and what is said of known ones."""
        if not self._known:
            return _table(self._made)
        lines = [f"{case} {point} does not fail: take {case}:{point} out of --known" for case, point in self._mended]
        lines.append(f"{len(self._known) - len(self._mended)} failures are known, {len(self.unexpected)} unexpected")
        return _table(self._made) + "\n".join(lines) + "\n"

    def json(self) -> str:
        """Returns the verdicts as `vegaslab conform --json` prints them."""
        return self._made.cases_json()

    def junit(self) -> str:
        """Returns the verdicts as JUnit's XML."""
        return self._made.junit_xml()

    def write(self, dir: str | PathLike[str]) -> Path:
        """Writes verdicts, scenario and qlog files, and pictures into the folder `dir`; returns it."""
        folder = Path(dir)
        _check_folder(folder)
        _write(folder, self._made, self.algorithm)
        return folder

    def _repr_html_(self) -> str:
        return self.rows._repr_html_()


def _suite_for(table: str, cases: Sequence[str]) -> str:
    """The suite of the given cases; BBR's for BBR."""
    of_cases = {suite for suite, name, *_ in _vegaslab.conformance_cases() if name in cases}
    if len(of_cases) == 1:
        return of_cases.pop()
    try:
        given = tomllib.loads(f"algorithm = {table}")["algorithm"]
    except tomllib.TOMLDecodeError:
        return _GENERIC
    preset = given if isinstance(given, str) else given.get("preset", "")
    return _BBR if str(preset).startswith("bbr") else _GENERIC


def _known(given: Sequence[str], report: "_vegaslab.Conformance") -> list[tuple[str, str]]:
    """Returns known failures by case and point. Raises `UsageError` for one that was not judged."""
    judged = [(case, point) for case, point, *_ in report.rows]
    known = [(case, point) for case, _, point in (text.partition(":") for text in given)]
    for text, one in zip(given, known, strict=True):
        if one not in judged:
            near = did_you_mean(text, [f"{case}:{point}" for case, point in judged])
            raise UsageError(f"known: {text!r} is no CASE:POINT that was judged; {near}")
    return list(dict.fromkeys(known))


def _verdicts(report: "_vegaslab.Conformance") -> dict[str, str]:
    """The verdict on each case over all paths."""
    words: dict[str, set[str]] = {}
    for name, _, word, *_ in report.rows:
        words.setdefault(name, set()).add(word)
    return {name: next((of for of in ("fail", "pass") if of in seen), "not applicable") for name, seen in words.items()}


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
    verdicts = list(_verdicts(report).values())
    passed, failed, without = (verdicts.count(of) for of in ("pass", "fail", "not applicable"))
    last = f"{passed} of {len(names)} cases pass, {failed} fail, {without} do not apply"
    hints = [] if passed + failed else ["--suite generic judges algorithms that do not report their state"]
    return "\n".join([*aligned(_COLUMNS, rows), "", *failures, last, *hints]) + "\n"


def _check_folder(folder: Path) -> None:
    check_names(folder, _FILES)
    check_unedited(folder, _VERDICTS)


def _write(folder: Path, report: "_vegaslab.Conformance", name: str) -> None:
    # other commands need not wait for this
    from vegaslab.reports.conformance import picture
    from vegaslab.reports.figure import save

    folder.mkdir(parents=True, exist_ok=True)
    # by its time an edited scenario is known
    (folder / _VERDICTS).unlink(missing_ok=True)
    write_file(folder / "junit.xml", report.junit_xml().encode())
    for case, point, scenario, qlog, columns in report.runs():
        write_file(folder / f"{case}.toml", scenario.encode())
        write_file(folder / f"{case}.qlog", qlog.encode())
        save(picture(f"{name}: {case}, {point}", dict(columns)), folder / f"{case}.svg")
    write_file(folder / _VERDICTS, report.cases_json().encode())

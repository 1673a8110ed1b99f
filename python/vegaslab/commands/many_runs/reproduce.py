"""`vegaslab reproduce`: the papers' claims, carried out and reported."""

import argparse
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from vegaslab.commands.parsing import FAILED, OK, Commands, add_no_cache
from vegaslab.reports.summary import aligned
from vegaslab.reports.tables import Listed
from vegaslab.util.ending import interrupted
from vegaslab.util.terminal import complain

if TYPE_CHECKING:
    from vegaslab.papers.report.chapter import Chapter

_COLUMNS = ("claim", "paper", "ours", "unit", "verdict")


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("reproduce", help="run the claims of the five papers: a report with verdicts")
    parser.add_argument(
        "what", nargs="*", default=["all"], metavar="WHAT", help="all (default), a paper such as gallop, or claims' ids"
    )
    parser.add_argument("--quick", action="store_true", help="less of the same: fewer seeds, fewer points")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("results/papers"), metavar="DIR", help="default: results/papers"
    )
    add_no_cache(parser)
    parser.set_defaults(action=_reproduce)


def _reproduce(options: argparse.Namespace) -> int:
    try:
        chapters = reproduce(options.what, options.output, quick=options.quick).chapters
    except KeyboardInterrupt as interrupt:
        kept = f"finished runs are kept in {options.output}; the same command goes on from there"
        complain(f"interrupted; {kept}")
        return interrupted(interrupt)
    verdicts = [verdict for chapter in chapters for verdict in chapter.verdicts]
    rows = [
        (
            verdict.claim.id,
            _numbers(verdict.claim.values) or "shape",
            _numbers(verdict.finding.values),
            " ".join(dict.fromkeys(verdict.claim.units)),
            verdict.word,
        )
        for verdict in verdicts
    ]
    counts = {word: sum(verdict.word == word for verdict in verdicts) for word in dict.fromkeys(row[4] for row in rows)}
    if rows:
        print("\n".join(aligned(_COLUMNS, rows)))
        print(f"\n{len(rows)} claims: {', '.join(f'{count} {word}' for word, count in counts.items())}")
    for answer in (answer for chapter in chapters for answer in chapter.answers):
        print(f"answered: {answer.question}")
    print(f"\nreport: {options.output / 'index.html'}")
    return _say_what_is_missing(options.what)


class Claims(Listed):
    """A row for each claim that was carried out, as in `claims.json`; a notebook shows them as a table.

    >>> import vegaslab
    >>> claims = vegaslab.Claims([], [{"id": "G-fig4-gallop", "verdict": "reproduced"}])
    >>> [claim["id"] for claim in claims if claim["verdict"] == "reproduced"]
    ['G-fig4-gallop']
    """

    def __init__(self, chapters: "Sequence[Chapter]", rows: Sequence[dict[str, object]]) -> None:
        """Takes the chapters of the report, and the rows of its claims."""
        super().__init__(rows)
        self.chapters = chapters


def reproduce(
    what: str | Sequence[str] = "all", folder: str | PathLike[str] = "results/papers", *, quick: bool = False
) -> Claims:
    """Carries claims of the five papers out, writes the report into `folder`, and returns a row for each claim.

    `what` is "all", a paper such as "gallop", or ids of claims; with `quick`, fewer seeds and points. Runs that are
    finished are read from `folder`. Raises `VegaslabError`.

    >>> import tempfile, vegaslab
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     claims = vegaslab.reproduce("G-fig4-gallop", folder + "/papers", quick=True)
    >>> {claim["id"]: claim["verdict"] for claim in claims}["G-fig4-gallop"]
    'reproduced'
    """
    # imported here: other commands need not wait for it
    from vegaslab.papers.report.reproduce import reproduce as carried_out
    from vegaslab.papers.report.reproduce import rows

    chapters = carried_out([what] if isinstance(what, str) else what, Path(folder), quick=quick)
    return Claims(chapters, rows(chapters))


def _say_what_is_missing(what: list[str]) -> int:
    """Names the claims without an experiment; returns the exit code: a report on all claims must not lack any."""
    from vegaslab.papers.registry import not_carried_out

    missing = not_carried_out() if "all" in what else []
    if missing:
        complain(f"incomplete: {len(missing)} claims have no experiment yet: {' '.join(missing)}")
    return FAILED if missing else OK


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join(f"{value:.4g}" for value in values)

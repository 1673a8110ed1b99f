"""`vegaslab evaluate`: the dossier of an algorithm, and two dossiers compared."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from vegaslab.commands.many_runs.where import add_where, cluster_of
from vegaslab.commands.parsing import FAILED, OK, Commands, UsageError
from vegaslab.reports.summary import aligned
from vegaslab.util.ending import interrupted
from vegaslab.util.terminal import complain
from vegaslab.util.text import significant

if TYPE_CHECKING:
    from vegaslab.evaluation.comparing import Change

_COLUMNS = ("case", "figure", "old", "new", "")
_HOSTS = {
    "tcp": "hosts: bsd",
    "quic": "hosts are mixed: the algorithm, and its baselines in its place, on quic; flows beside them on bsd",
}


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "evaluate",
        help="the dossier of an algorithm by the criteria of RFC 9743",
        epilog="Exit code of --compare: 0 if nothing is worse, 1 if something is, 2 for bad input.",
    )
    argument = parser.add_argument
    argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="a preset such as gallop, a table of parts 'NAME={ ... }', or a file: mine.py:Mine, mine.wasm",
    )
    argument(
        "--baseline",
        action="append",
        metavar="NAME",
        help="an algorithm to put beside it; may be repeated (default: cubic, sack, bbr3)",
    )
    argument("--quick", action="store_true", help="fewer cases, five seeds in place of twenty")
    argument("--criterion", action="append", default=[], metavar="ID", help="only this chapter; may be repeated")
    argument("--transport", choices=("tcp", "quic"), default="tcp", help="what carries the flows under test")
    argument("-o", "--output", type=Path, metavar="DIR", help="default: results/evaluate/NAME")
    add_where(parser)
    argument(
        "--compare",
        nargs=2,
        type=Path,
        metavar=("OLD", "NEW"),
        help="compare two dossiers: what is significantly better or worse",
    )
    parser.set_defaults(action=_evaluate)


def _evaluate(options: argparse.Namespace) -> int:
    if options.compare is not None:
        return _compare(options)
    if options.name is None:
        raise UsageError("evaluate: name an algorithm, such as gallop, or two dossiers with --compare")
    # imported here: other commands need not wait for it
    from vegaslab.evaluation.cluster import on_cluster
    from vegaslab.evaluation.contenders import Request, label
    from vegaslab.evaluation.criteria.questions import HEAD, lines
    from vegaslab.evaluation.criterion import OLD
    from vegaslab.evaluation.dossier import evaluate
    from vegaslab.evaluation.report.pages import in_short
    from vegaslab.evaluation.report.writing import prepare, write
    from vegaslab.runs.extracted import on_cores

    request = Request(
        name=options.name,
        baselines=options.baseline or OLD,
        quick=options.quick,
        transport=options.transport,
        criteria=options.criterion,
    )
    folder = options.output or Path("results") / "evaluate" / label(options.name)
    cache = prepare(folder)
    try:
        with cluster_of(options) as cluster:
            dossier = evaluate(request, cache, on_cluster(cluster) if cluster else on_cores(options.jobs))
    except KeyboardInterrupt as interrupt:
        complain(f"interrupted; finished runs are kept in {folder}; the same command goes on from there")
        return interrupted(interrupt)
    write(dossier, folder)
    print(_HOSTS[options.transport])
    if dossier["answers"]:
        print("", *aligned(HEAD, lines(dossier["answers"])), sep="\n")
    print("", *in_short(dossier), "", sep="\n")
    # the sentences of all chapters are the report's; those of chapters that were named are the answer
    for chapter in dossier["criteria"] if options.criterion else ():
        if chapter["sentences"]:
            print(f"{chapter['section']} {chapter['title']}")
            print("".join(f"  {said}\n" for said in chapter["sentences"]))
    print(f"report: {folder / 'index.html'}")
    return OK


def _compare(options: argparse.Namespace) -> int:
    from vegaslab.evaluation.comparing import changes, read_dossier

    old, new = (read_dossier(place) for place in options.compare)
    found = changes(old, new)
    worse = [change for change in found if change.better is False]
    if found:
        print("\n".join(aligned(_COLUMNS, [_line(change) for change in found])), end="\n\n")
    better = sum(change.better is True for change in found)
    print(f"{len(worse)} figures are worse, {better} better, {len(found) - len(worse) - better} otherwise changed")
    return FAILED if worse else OK


def _line(change: "Change") -> tuple[str, ...]:
    word = {True: "better", False: "worse", None: "changed"}[change.better]
    shown = ["none" if value != value else significant(value, 4) for value in (change.old, change.new)]
    return change.case, change.figure, *shown, word

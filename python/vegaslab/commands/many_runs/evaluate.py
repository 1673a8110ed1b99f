"""`vegaslab evaluate`: the dossier of an algorithm, and two dossiers compared."""

import argparse
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from vegaslab.commands.parsing import FAILED, OK, Commands, UsageError, add_no_cache, add_where
from vegaslab.reports.summary import aligned
from vegaslab.sweeps.where import LOCAL
from vegaslab.util.ending import interrupted
from vegaslab.util.errors import AlgorithmError
from vegaslab.util.terminal import complain
from vegaslab.util.text import significant

if TYPE_CHECKING:
    from vegaslab.evaluation.comparing import Change
    from vegaslab.evaluation.contenders import Transport
    from vegaslab.evaluation.report.writing import Dossier

_COLUMNS = ("case", "figure", "old", "new", "")
_HOSTS_BY_QUIC = "hosts are mixed: the algorithm, and its baselines in its place, on quic; flows beside them on bsd"


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
    add_no_cache(parser)
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
    try:
        dossier = evaluate(
            options.name,
            options.output,
            baselines=options.baseline,
            quick=options.quick,
            criteria=options.criterion,
            transport=options.transport,
            jobs=options.jobs,
            on=options.on,
        )
    except KeyboardInterrupt as interrupt:
        complain("interrupted; finished runs are kept; the same command goes on from there")
        return interrupted(interrupt)
    except AlgorithmError as error:
        complain(f"{error}; no report was written; finished runs are kept")
        return FAILED
    hosts = _HOSTS_BY_QUIC if options.transport == "quic" else f"hosts: {dossier['host']}"
    print(hosts, "", dossier.first_page(), "", sep="\n")
    # the sentences of all chapters are the report's; those of chapters that were named are the answer
    for chapter in dossier["criteria"] if options.criterion else ():
        if chapter["sentences"]:
            print(f"{chapter['section']} {chapter['title']}")
            print("".join(f"  {said}\n" for said in chapter["sentences"]))
    print(f"report: {dossier.folder / 'index.html'}")
    return OK


def evaluate(
    algorithm: str,
    folder: str | PathLike[str] | None = None,
    *,
    baselines: Sequence[str] | None = None,
    quick: bool = False,
    criteria: Sequence[str] = (),
    transport: "Transport" = "tcp",
    jobs: int | None = None,
    on: str = LOCAL,
) -> "Dossier":
    """Makes the dossier of an algorithm by the criteria of RFC 9743, and writes it into `folder`.

    `algorithm` and `baselines` (default: cubic, sack and bbr3) are presets, tables of parts or files, as on the command
    line. `quick` makes fewer cases with five seeds, `criteria` are the chapters (default: all). Runs are kept in
    `folder` (default: results/evaluate/NAME): after an interruption the same call goes on. They are made on `jobs`
    cores, or `on` the workers of a Dask scheduler. Raises `VegaslabError`.

    >>> import tempfile, vegaslab
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dossier = vegaslab.evaluate("vegas", folder + "/vegas", baselines=["cubic"], quick=True, criteria=["wired"])
    >>> [(answer["question"], answer["verdict"]) for answer in dossier["answers"]]
    [('fills a path?', 'yes')]
    """
    # imported here: other commands need not wait for it
    from vegaslab.evaluation.cluster import on_cluster
    from vegaslab.evaluation.contenders import Request, label
    from vegaslab.evaluation.criterion import OLD
    from vegaslab.evaluation.dossier import evaluate as made
    from vegaslab.evaluation.report.writing import Dossier, prepare, write
    from vegaslab.runs.extracted import on_cores
    from vegaslab.sweeps.where import cluster_of

    request = Request(name=algorithm, baselines=baselines or OLD, quick=quick, transport=transport, criteria=criteria)
    place = Path(folder) if folder is not None else Path("results") / "evaluate" / label(algorithm)
    cache = prepare(place)
    with cluster_of(on, jobs) as cluster:
        dossier = Dossier(made(request, cache, on_cluster(cluster) if cluster else on_cores(jobs)), place)
    write(dossier, place)
    return dossier


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

"""`vegaslab attack`: searches for the delays, within a network's model, that harm an algorithm most."""

import argparse
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from vegaslab.commands.many_runs.where import add_where, cluster_of
from vegaslab.commands.parsing import FAILED, OK, Commands, UsageError
from vegaslab.runs.pool import usable_cores
from vegaslab.util.ending import interrupted
from vegaslab.util.progress import SearchProgress, readable_time
from vegaslab.util.terminal import complain, lay_out
from vegaslab.util.text import significant

if TYPE_CHECKING:
    from vegaslab.sweeps.adversary.check import Checked
    from vegaslab.sweeps.adversary.question import Question
    from vegaslab.sweeps.adversary.search import Found

_RUNS = 400
_UNSAFE = re.compile(r"[^A-Za-z0-9.+_-]+")


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("attack", help="search for the added delays that harm an algorithm most")
    argument = parser.add_argument
    argument("algorithm", nargs="?", metavar="NAME", help="a preset, a table of parts or an own algorithm")
    argument("--host", default="bsd", metavar="NAME", help="the behaviour of hosts: bsd or linux (default: bsd)")
    argument("--delay", default="10ms", metavar="TIME", help="the most that is added to a packet (default: 10ms)")
    argument("--rate", default="100mbit", metavar="RATE", help="of the bottleneck (default: 100mbit)")
    argument("--rtt", default="40ms", metavar="TIME", help="round-trip time without queueing (default: 40ms)")
    argument("--queue", metavar="QUEUE", help="what the bottleneck holds (default: rate times RTT)")
    argument("--duration", default="60s", metavar="TIME", help="of a run; its second half counts (default: 60s)")
    argument(
        "--objective",
        default="ratio",
        metavar="NAME",
        help="what is looked for: ratio of goodputs, utilisation (the lowest), stall or queue (default: ratio)",
    )
    argument(
        "--model",
        default="starvation",
        metavar="NAME",
        help="what holds packets: starvation, an element for each flow, or ccac, one for all (default: starvation)",
    )
    argument(
        "--beside",
        action="append",
        default=[],
        metavar="NAME",
        help="the algorithm of other flows (default: the same); given again, the search chooses among them",
    )
    flows = parser.add_mutually_exclusive_group()
    flows.add_argument("--flows", type=int, default=2, metavar="N", help="the number of flows, 1 to 4 (default: 2)")
    flows.add_argument("--alone", action="store_true", help="one flow by itself, as --flows 1; not with ratio")
    budgets = parser.add_mutually_exclusive_group()
    budgets.add_argument("--runs", type=int, metavar="N", help=f"make at least this many runs (default: {_RUNS})")
    budgets.add_argument("--budget", metavar="TIME", help="search for this much processor time instead, such as 1h")
    argument("--seed", type=int, default=1, metavar="N", help="of the search and of its runs (default: 1)")
    argument("-o", "--output", type=Path, metavar="DIR", help="the search's folder (default: results/attack-NAME...)")
    add_where(parser)
    argument("--json", action="store_true", help="print what was found as JSON")
    argument("--check", type=Path, metavar="FILE", help="check that a scenario's added delays obey the model, instead")
    parser.set_defaults(action=_attack)


def _attack(options: argparse.Namespace) -> int:
    if (options.check is None) == (options.algorithm is None):
        raise UsageError("attack: give an algorithm's name, or --check FILE")
    return _check(options) if options.check is not None else _search(options)


def _search(options: argparse.Namespace) -> int:
    # imported here: other commands need not wait for it
    from vegaslab.sweeps.adversary.journal import Journal
    from vegaslab.sweeps.adversary.question import Question
    from vegaslab.sweeps.adversary.search import Evaluator, search, summary
    from vegaslab.sweeps.adversary.writing import write
    from vegaslab.sweeps.sweep import Local

    question = Question(
        algorithm=options.algorithm,
        beside=tuple(options.beside),
        flows=1 if options.alone else options.flows,
        model=options.model,
        host=options.host,
        limit=options.delay,
        rate=options.rate,
        rtt=options.rtt,
        queue=options.queue,
        duration=options.duration,
        objective=options.objective,
        seed=options.seed,
    )
    runs, budget_s = _budget(options)
    folder = options.output or Path("results") / _name(question)
    with cluster_of(options) as cluster:
        run = cluster or Local(options.jobs or usable_cores())
        question.document()
        try:
            with Journal(folder, question) as journal:
                with SearchProgress(runs, budget_s, question.objective) as progress:
                    found = search(Evaluator(question, run, journal, progress), runs=runs, budget_s=budget_s)
                write(folder, question, found)
        except KeyboardInterrupt as interrupt:
            complain(f"interrupted; {folder} keeps the runs so far, the same command goes on")
            return interrupted(interrupt)
    print(json.dumps(summary(question, found)) if options.json else _report(question, found, folder))
    return OK


def _budget(options: argparse.Namespace) -> tuple[int | None, float | None]:
    from vegaslab import _vegaslab

    if options.runs is not None and options.runs < 1:
        raise UsageError(f"--runs: {options.runs} was given; at least 1")
    if not 0 <= options.seed < 1 << 64:
        raise UsageError(f"--seed: {options.seed} was given; 64 bits, 0 or more")
    if options.budget is None:
        return options.runs or _RUNS, None
    try:
        return None, _vegaslab.nanoseconds(options.budget) / 1e9
    except ValueError as error:
        raise UsageError(f"--budget: {error}") from None


def _name(question: "Question") -> str:
    mix = "".join(f"-beside-{name}" for name in question.beside)
    flows = {1: "-alone", 2: ""}.get(question.flows, f"-{question.flows}-flows")
    model = "" if question.model == "starvation" else f"-{question.model}"
    model += "" if question.host == "bsd" else f"-{question.host}"
    name = f"attack-{question.algorithm}{mix}{flows}{model}-{question.objective}-{question.limit}-{question.seed}"
    return _UNSAFE.sub("-", name)[:100]


def _report(question: "Question", found: "Found", folder: Path) -> str:
    from vegaslab.sweeps.adversary.writing import WORST, value_text

    begin_s, end_s = question.window_s
    name = question.objective
    rates = " and ".join(significant(rate, 3) for rate in found.figures["goodput_mbps"])
    lines = [
        f"{question.algorithm}: {name} {value_text(question, found.figures[name])} "
        f"(undisturbed {value_text(question, found.before[name])}); goodput {rates} Mb/s, "
        f"utilisation {significant(found.figures['utilisation'], 3)}, from {begin_s:g} s to {end_s:g} s",
        f"{found.worst.changes} change points, at most {question.limit} added; before it was made simple: "
        f"{value_text(question, found.greatest)}",
        f"{found.runs} runs in {found.generations} generations, {readable_time(found.spent_s)} of processor time",
        f"\nagain: vegaslab run {folder / WORST}",
        f"check: vegaslab attack --check {folder / WORST}",
    ]
    return "\n".join(lines)


def _check(options: argparse.Namespace) -> int:
    from vegaslab.sweeps.adversary.check import check

    checked = check(options.check)
    holds = all(row.holds for row in checked.obeyed)
    print(json.dumps(_checked_json(checked)) if options.json else _check_report(options.check, checked))
    return OK if holds else FAILED


def _checked_json(checked: "Checked") -> dict[str, object]:
    return {
        "holds": all(row.holds for row in checked.obeyed),
        "duration_s": checked.duration_s,
        "goodput_mbps": checked.goodput_mbps(checked.duration_s / 2, checked.duration_s),
        "flows": [{**vars(row), "holds": row.holds} for row in checked.obeyed],
    }


def _check_report(path: Path, checked: "Checked") -> str:
    titles = ["flow", "packets", "direction", "least added (ms)", "greatest (ms)", "limit (ms)", "overtakings", "model"]
    rows = [
        [
            str(row.flow),
            str(row.packets),
            row.direction,
            f"{row.least_ns / 1e6:.6f}",
            f"{row.greatest_ns / 1e6:.6f}",
            f"{row.limit_ns / 1e6:g}",
            str(row.overtakings),
            "obeyed" if row.holds else "broken",
        ]
        for row in checked.obeyed
    ]
    half_s = checked.duration_s / 2
    rates = ", ".join(f"{rate:.6f}" for rate in checked.goodput_mbps(half_s, checked.duration_s))
    verdict = "obeys the model" if all(row.holds for row in checked.obeyed) else "breaks the model"
    goodput = f"goodput by acknowledgements from {half_s:g} s to {checked.duration_s:g} s: {rates} Mb/s"
    return "\n".join([*lay_out([titles, *rows], 1), "", goodput, f"{path} {verdict}"])

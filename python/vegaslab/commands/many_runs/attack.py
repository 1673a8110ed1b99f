"""`vegaslab attack`: searches for the delays, within a network's model, that harm an algorithm most."""

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vegaslab.commands.parsing import FAILED, OK, Commands, UsageError, add_no_cache, add_where
from vegaslab.runs.pool import usable_cores
from vegaslab.sweeps.where import LOCAL
from vegaslab.util.ending import interrupted
from vegaslab.util.folder import check_unedited
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
    add_no_cache(parser)
    argument("--json", action="store_true", help="print what was found as JSON")
    argument("--check", type=Path, metavar="FILE", help="check that a scenario's added delays obey the model, instead")
    parser.set_defaults(action=_attack)


def _attack(options: argparse.Namespace) -> int:
    if (options.check is None) == (options.algorithm is None):
        raise UsageError("attack: give an algorithm's name, or --check FILE")
    return _check(options) if options.check is not None else _search(options)


def _search(options: argparse.Namespace) -> int:
    try:
        found = attack(
            options.algorithm,
            options.output,
            beside=options.beside,
            flows=1 if options.alone else options.flows,
            model=options.model,
            host=options.host,
            delay=options.delay,
            rate=options.rate,
            rtt=options.rtt,
            queue=options.queue,
            duration=options.duration,
            objective=options.objective,
            seed=options.seed,
            runs=options.runs,
            budget=options.budget,
            jobs=options.jobs,
            on=options.on,
        )
    except KeyboardInterrupt as interrupt:
        complain("interrupted; the folder keeps the runs so far, the same command goes on")
        return interrupted(interrupt)
    print(json.dumps(found.summary) if options.json else found.report())
    return OK


def attack(
    algorithm: str,
    folder: str | PathLike[str] | None = None,
    *,
    beside: Sequence[str] = (),
    flows: int = 2,
    model: str = "starvation",
    host: str = "bsd",
    delay: str = "10ms",
    rate: str = "100mbit",
    rtt: str = "40ms",
    queue: str | None = None,
    duration: str = "60s",
    objective: str = "ratio",
    seed: int = 1,
    runs: int | None = None,
    budget: str | None = None,
    jobs: int | None = None,
    on: str = LOCAL,
) -> "Attack":
    """Searches for the delays of at most `delay` a packet that harm an algorithm most, and writes them into `folder`.

    The parameters are the options of `vegaslab attack` (docs/attack.md). The search makes at least `runs` runs
    (default: 400), or takes `budget` of processor time, such as "1h". Runs are kept in `folder` (default:
    results/attack-...): after an interruption the same call goes on. Raises `VegaslabError`.

    >>> import tempfile, vegaslab
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = vegaslab.attack("vegas", folder + "/attack", duration="4s", rate="10mbit", runs=20)
    >>> found.summary["runs"] >= 20, found.report().startswith("vegas: ratio ")
    (True, True)
    """
    # imported here: other commands need not wait for it
    from vegaslab.sweeps.adversary.journal import Journal
    from vegaslab.sweeps.adversary.question import Question
    from vegaslab.sweeps.adversary.search import Evaluator, search
    from vegaslab.sweeps.adversary.writing import ATTACK, write
    from vegaslab.sweeps.sweep import Local
    from vegaslab.sweeps.where import cluster_of

    question = Question(
        algorithm=algorithm,
        beside=tuple(beside),
        flows=flows,
        model=model,
        host=host,
        limit=delay,
        rate=rate,
        rtt=rtt,
        queue=queue,
        duration=duration,
        objective=objective,
        seed=seed,
    )
    least, budget_s = _budget(runs, budget, seed)
    place = Path(folder) if folder is not None else Path("results") / _name(question)
    check_unedited(place, ATTACK)
    with cluster_of(on, jobs) as cluster:
        run = cluster or Local(jobs or usable_cores())
        question.document()
        with Journal(place, question) as journal:
            with SearchProgress(least, budget_s, question.objective) as progress:
                found = search(Evaluator(question, run, journal, progress), runs=least, budget_s=budget_s)
            write(place, question, found)
    return Attack(question, found, place)


@dataclass(frozen=True)
class Attack:
    """What a search for harmful delays has found, and the folder that holds it.

    >>> import tempfile, vegaslab
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = vegaslab.attack("reno", folder + "/attack", duration="4s", rate="10mbit", runs=20)
    >>> found.question.algorithm, found.folder.name
    ('reno', 'attack')
    """

    question: "Question"
    found: "Found"
    folder: Path

    @property
    def summary(self) -> dict[str, Any]:
        """The dict that `vegaslab attack --json` prints."""
        from vegaslab.sweeps.adversary.search import summary

        return summary(self.question, self.found)

    def report(self) -> str:
        """Returns what was found as text."""
        return _report(self.question, self.found, self.folder)


def _budget(runs: int | None, budget: str | None, seed: int) -> tuple[int | None, float | None]:
    from vegaslab import _vegaslab

    if runs is not None and runs < 1:
        raise UsageError(f"runs: {runs} was given; at least 1")
    if not 0 <= seed < 1 << 64:
        raise UsageError(f"seed: {seed} was given; 64 bits, 0 or more")
    if budget is None:
        return runs or _RUNS, None
    try:
        return None, _vegaslab.nanoseconds(budget) / 1e9
    except ValueError as error:
        raise UsageError(f"budget: {error}") from None


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
    each = ", ".join(f"{objective} {value_text(objective, value)}" for objective, value in found.worst_of_each.items())
    lines = [
        f"{question.algorithm}: {name} {value_text(name, found.figures[name])} "
        f"(undisturbed {value_text(name, found.before[name])}); goodput {rates} Mb/s, "
        f"utilisation {significant(found.figures['utilisation'], 3)}, from {begin_s:g} s to {end_s:g} s",
        f"{found.worst.changes} change points, at most {question.limit} added; before it was made simple: "
        f"{value_text(name, found.greatest)}",
        f"the worst of each in these runs: {each}",
        f"this holds for {question.holds_for}, and says nothing of others",
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

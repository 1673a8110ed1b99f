"""The search: generations of genomes, each evaluated as a whole, until the runs or the time are used up."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow

from vegaslab.runs.kept import cache as kept
from vegaslab.runs.kept.code import code_digest
from vegaslab.runs.kept.rows import Run, may_be_kept
from vegaslab.sweeps.adversary.evolving import offspring
from vegaslab.sweeps.adversary.genome import Genome, undisturbed
from vegaslab.sweeps.adversary.harm import badness, figures, worst_of_each
from vegaslab.sweeps.adversary.journal import Figures, Journal
from vegaslab.sweeps.adversary.question import AttackError, Question
from vegaslab.sweeps.adversary.schedules import structured
from vegaslab.sweeps.adversary.shrinking import shrunk
from vegaslab.sweeps.plans.plan import Plan
from vegaslab.sweeps.sweep import Local, Runner

GENERATION = 32
"""Genomes of a generation, on every machine, whatever number of them is evaluated at a time."""

_PARENTS = 12
_FROM_STRUCTURED = GENERATION // 4
_FAILED = float("-inf")
_ID_BYTES = 32

Observer = Callable[[int, float, float | None], None]
"""Called with the runs made, the processor time spent, and the worst value so far."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """The result of a search."""

    worst: Genome
    """What was found, made simple."""
    figures: Figures
    """Those of `worst`."""
    before: Figures
    """The figures without an adversary: no delays, and all flows start together."""
    greatest: float
    """The worst value of all, before it was made simple."""
    worst_of_each: Figures
    """The worst of each objective among all runs, whichever was looked for."""
    generations: int
    runs: int
    spent_s: float


class Evaluator:
    """Gives the figures of genomes: from the journal, or by runs."""

    def __init__(self, question: Question, runner: Runner, journal: Journal, observer: Observer | None = None) -> None:
        """Takes the `runner` that makes missing runs. Raises what `Plan` raises."""
        self.question = question
        self.runs = 0
        self.worst: float | None = None
        self._plan = Plan(question.document(), series=["flows", "links"], name="attack")
        self._runner = runner
        self._journal = journal
        self._observer = observer
        self._known: dict[Genome, Figures] = {}
        asked = json.dumps(question.as_dict(), sort_keys=True)
        self._decided = (asked, code_digest(figures.__module__))

    @property
    def spent_s(self) -> float:
        """The processor time of all runs so far, those of earlier calls included, s."""
        return self._journal.spent_s

    def __call__(self, genomes: list[Genome]) -> list[Figures]:
        """Returns the figures of these genomes, in their order. Raises what the runner raises."""
        new = [genome for genome in dict.fromkeys(genomes) if genome not in self._known]
        texts = [json.dumps(genome.overrides(self.question)) for genome in new]
        ids = self._plan.template.run_ids(texts, [self.question.seed])
        names = [ids[place : place + _ID_BYTES].hex() for place in range(0, len(ids), _ID_BYTES)]
        runs = [
            (place, text, self.question.seed)
            for place, (text, name) in enumerate(zip(texts, names, strict=True))
            if name not in self._journal.figures and not self._is_taken(name, text)
        ]
        if runs:
            self._make(runs, names)
        for genome, name in zip(new, names, strict=True):
            self._note(genome, self._journal.figures[name])
        return [self._known[genome] for genome in genomes]

    def badness(self, genome: Genome) -> float:
        """Returns how bad an evaluated genome is; greater is worse."""
        value = self._known[genome].get(self.question.objective)
        return _FAILED if value is None else badness(self.question, value)

    def worst_of_each(self) -> Figures:
        """Returns the worst value of each objective among the genomes evaluated so far."""
        return worst_of_each(self.question, self._known.values())

    def error(self, genome: Genome) -> str | None:
        """Returns why an evaluated genome's run failed, if it did."""
        error: str | None = self._known[genome].get("error")
        return error

    def _is_taken(self, name: str, replaced: str) -> bool:
        """Notes the figures of a run that the cache has; returns whether it has them."""
        found = kept.taken("attack", name, *self._decided) if self._may_be_kept(replaced) else None
        if found is not None:
            self._journal.add(name, json.loads(found))
        return found is not None

    def _may_be_kept(self, replaced: str) -> bool:
        return may_be_kept(self._plan.template, self._plan.scenario[0], replaced, self.question.seed)

    def _make(self, runs: list[Run], names: list[str]) -> None:
        texts = {place: replaced for place, replaced, _ in runs}

        def deliver(table: pyarrow.Table) -> None:
            for row in table.to_pylist():
                place, error = row["place"], row["error"]
                found = figures(self.question, row) if error is None else {"error": error}
                self._journal.add(names[place], found)
                kept.count.note(made=1)
                if error is None and self._may_be_kept(texts[place]):
                    kept.keep(json.dumps(found).encode(), "attack", names[place], *self._decided)
                self._observe(len(self._known) + sum(name in self._journal.figures for name in names))

        local = isinstance(self._runner, Local)
        began = time.process_time() if local else time.monotonic()
        try:
            self._runner(self._plan, iter(runs), deliver)
        finally:
            # elsewhere, all cores of the cluster count as busy
            spent = time.process_time() - began if local else (time.monotonic() - began) * self._runner.jobs
            self._journal.spend(spent)
            self._journal.flush()

    def _note(self, genome: Genome, found: Figures) -> None:
        self._known[genome] = found
        self.runs = len(self._known)
        value = found.get(self.question.objective)
        if value is not None and (
            self.worst is None or badness(self.question, value) > badness(self.question, self.worst)
        ):
            self.worst = value

    def _observe(self, runs: int) -> None:
        if self._observer is not None:
            self._observer(runs, self._journal.spent_s, self.worst)


def search(evaluate: Evaluator, *, runs: int | None, budget_s: float | None) -> Found:
    """Searches until this number of runs, or processor time in s, is used up; then makes the worst genome simple.

    Generations are whole, so that more than `runs` may be made. What is found follows from question and `runs` alone,
    not from the number of cores, nor from interruptions. Raises `AttackError` if no run succeeds, and what the runner
    raises.
    """
    first = structured(evaluate.question)
    evaluate(first)
    ranked = _ranked(evaluate, first)
    generations = 1
    for generation in _until(evaluate, runs, budget_s):
        known = set(ranked)
        children = offspring(evaluate.question, ranked[:_PARENTS], known, GENERATION - _FROM_STRUCTURED, generation)
        children += offspring(evaluate.question, first, known | set(children), GENERATION - len(children), -generation)
        if not children:
            break
        evaluate(children)
        ranked = _ranked(evaluate, [*ranked, *children])
        generations += 1
    worst = ranked[0]
    if evaluate.badness(worst) == _FAILED:
        raise AttackError(f"no run succeeded: {evaluate.error(worst)}")
    harmless = undisturbed(evaluate.question)
    before = evaluate([harmless])[0]
    simple = shrunk(evaluate.question, worst, harmless, evaluate, evaluate.badness)
    return Found(
        worst=simple,
        figures=evaluate([simple])[0],
        before=before,
        greatest=evaluate([worst])[0][evaluate.question.objective],
        worst_of_each=evaluate.worst_of_each(),
        generations=generations,
        runs=evaluate.runs,
        spent_s=evaluate.spent_s,
    )


def _until(evaluate: Evaluator, runs: int | None, budget_s: float | None) -> Iterator[int]:
    """Yields the numbers of generations as long as there is anything left to spend."""
    generation = 1
    while (runs is None or evaluate.runs < runs) and (budget_s is None or evaluate.spent_s < budget_s):
        yield generation
        generation += 1


def _ranked(evaluate: Evaluator, genomes: list[Genome]) -> list[Genome]:
    """Returns the genomes, the worst harm first; of equal ones that with fewer change points, then the older one."""
    return sorted(genomes, key=lambda genome: (-evaluate.badness(genome), genome.changes))


def summary(question: Question, found: Found) -> dict[str, Any]:
    """Returns what `attack.json` holds."""
    return {
        **question.as_dict(),
        "value": found.figures[question.objective],
        "window_s": list(question.window_s),
        "figures": found.figures,
        "undisturbed": found.before,
        "worst_of_each": found.worst_of_each,
        "holds_for": question.holds_for,
        "before_shrinking": found.greatest,
        "change_points": found.worst.changes,
        "generations": found.generations,
        "runs": found.runs,
    }

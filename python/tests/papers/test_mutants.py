"""Every claim that is reproduced fails under each rival in its algorithm's place and under a wrong implementation, or
says that it does not discriminate.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from vegaslab.papers.experiments import mutants
from vegaslab.papers.experiments.experiment import Data, Experiment, Mutant, Run
from vegaslab.papers.experiments.mutants import EVERYWHERE, RIVALS, words
from vegaslab.papers.judging.claims import MUTANTS_FILE, claims
from vegaslab.papers.judging.claims import mutants as mutant_verdicts
from vegaslab.papers.judging.verdict import Finding
from vegaslab.papers.models import gallop as model
from vegaslab.papers.registry import EXPERIMENTS
from vegaslab.scenario.source import load

EXPECTED = json.loads((Path(__file__).parent / "golden" / "claims.json").read_text())
WITHIN = ("reproduced", "not discriminating")
IN_SECONDS = ("G-table2", "G-fig4-vegas")


def reproduced(experiment: Experiment) -> list[str]:
    return [name for name in experiment.claims if EXPECTED[name]["verdict"] in WITHIN]


def experiments() -> list[object]:
    """Each with its first claim's name; those that take long are for `make test-mutants`."""
    return [
        pytest.param(
            one, id=one.claims[0], marks=() if set(IN_SECONDS).intersection(one.claims) else pytest.mark.mutants
        )
        for of_paper in EXPERIMENTS.values()
        for one in of_paper
        if reproduced(one)
    ]


@pytest.mark.parametrize("experiment", experiments())
def test_a_wrong_implementation_fails(experiment: Experiment, cache: pytest.Cache) -> None:
    """`UPDATE_CLAIMS=1` writes the record again, which the report shows beside the verdicts."""
    folder = cache.mkdir("mutants")
    found = {one.name: words(experiment, one, folder) for one in (*(experiment.mutants or EVERYWHERE), *RIVALS)}
    by_claim = {name: {mutant: of[name] for mutant, of in found.items()} for name in reproduced(experiment)}
    if os.environ.get("UPDATE_CLAIMS"):
        record({**mutant_verdicts(), **by_claim})
    for name, of_mutant in by_claim.items():
        assert of_mutant == mutant_verdicts()[name], name


def record(verdicts: Mapping[str, Mapping[str, str | None]]) -> None:
    lines = (f"  {json.dumps(name)}: {json.dumps(verdicts[name])}" for name in claims() if name in verdicts)
    MUTANTS_FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    mutant_verdicts.cache_clear()


def test_a_claim_that_a_rival_passes_says_so() -> None:
    """What a mutant gives nothing to judge for, the claim's limit has not failed."""
    rivals = {one.name for one in RIVALS}
    judged = {name for name, row in EXPECTED.items() if row["verdict"] in WITHIN}
    assert judged == mutant_verdicts().keys()
    for name, of_mutant in mutant_verdicts().items():
        fails = any(word not in ("reproduced", None) for mutant, word in of_mutant.items() if mutant not in rivals)
        passes = any(of_mutant[mutant] == "reproduced" for mutant in rivals)
        assert (fails and not passes) != bool(claims()[name].not_discriminating), f"{name}: {of_mutant}"


def values(scenario: str, mutant: Mutant, **given: object) -> dict[str, object]:
    run = Run(scenario=scenario, set={key.replace("__", "."): value for key, value in given.items()}, extract=str)
    mutated = mutants._mutated(run, mutant)
    assert isinstance(mutated, Run)
    load(mutated.scenario, set=mutated.set)
    return dict(mutated.set)


GAMMA, PRESET, MECHANISM, MARKS, HELD = EVERYWHERE


def test_what_mutants_change() -> None:
    fig4 = "papers/gallop-fig4"
    assert values(fig4, GAMMA)["flow.0.gamma"] == 2
    assert values(fig4, GAMMA, flow__0__gamma=3) == {"flow.0.gamma": 4}
    assert values(fig4, PRESET, flow__0__algorithm="gallop") == {"flow.0.algorithm": "vegas"}
    kernels = {"flow.0.algorithm": "vegas-linux", "flow.0.host": {"kind": "bsd"}}
    assert values(fig4, PRESET, flow__0__algorithm="vegas-ns2") == kernels
    without = values(fig4, MECHANISM, flow__0__algorithm="gallop", flow__0__gamma=3)
    assert without == {"flow.0.algorithm": {"preset": "gallop", "avoidance": "reno"}, "flow.0.gamma": 3}
    revisited = values("papers/revisited", MECHANISM, flow__0__algorithm={"mechanisms": "ABG"})
    assert revisited == {"flow.0.algorithm": {"mechanisms": "AG"}}


def test_what_has_no_backlog_to_measure_is_left_alone() -> None:
    for mutant in EVERYWHERE:
        assert values("papers/gallop-fig4", mutant, flow__0__algorithm="reno") == {"flow.0.algorithm": "reno"}
        assert not any(key.startswith("flow.1") for key in values("papers/dynamic-table2-hete", mutant))
        mechanisms = {"flow.0.algorithm": {"mechanisms": ""}}
        assert values("papers/revisited", mutant, flow__0__algorithm={"mechanisms": ""}) == mechanisms


def test_a_wrong_function_is_put_back(tmp_path: Path) -> None:
    def find(_data: Data) -> dict[str, Finding]:
        return {"G-fig6-gallop": Finding(values=(model.vegas_bound(6250, 0.1),), holds=True)}

    one = Experiment(title="t", claims=("G-fig6-gallop",), find=find)
    for value, word in ((0.0, "reproduced"), (1.0, "differs")):
        wrong = Mutant(
            name="wrong", functions={"vegaslab.papers.models.gallop.vegas_bound": lambda *_, value=value: value}
        )
        assert words(one, wrong, tmp_path) == {"G-fig6-gallop": word}
    assert model.vegas_bound(6250, 0.1) == pytest.approx(50.502, abs=0.001)


def test_a_mutant_without_a_measurement_is_not_judged(tmp_path: Path) -> None:
    def find(_data: Data) -> dict[str, Finding]:
        never_s: float | None = None
        return {"G-fig6-gallop": Finding(values=(never_s - 1,), holds=True)}  # type: ignore[operator]

    one = Experiment(title="t", claims=("G-fig6-gallop",), find=find)
    assert words(one, GAMMA, tmp_path) == {"G-fig6-gallop": None}

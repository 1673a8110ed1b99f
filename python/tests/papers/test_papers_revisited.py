"""The designs of "TCP Vegas Revisited" in the report, and batches of runs."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vegaslab.papers.experiments import batch as batches
from vegaslab.papers.experiments.batch import Batch, carry_out_batch
from vegaslab.papers.judging.claims import claims
from vegaslab.papers.judging.errors import PapersError
from vegaslab.papers.judging.table import Table
from vegaslab.papers.judging.verdict import Finding, Verdict
from vegaslab.papers.report.chapter import Chapter
from vegaslab.papers.report.page import paper_pages
from vegaslab.papers.revisited import tables
from vegaslab.papers.revisited.factors import (
    TABLES,
    effects_and_shares,
    implied_deviation,
    made_up,
    own_errors,
    paper_errors,
)
from vegaslab.papers.revisited.mechanisms import _QUICK_GENERATORS, TEN, _share_error
from vegaslab.papers.revisited.setting import (
    PHASE_EFFECTS,
    Floats,
    mechanism_cells,
    mechanism_design,
    phase_cells,
    resent_kb,
    spelled,
    throughput_kbps,
)
from vegaslab.runs.result import run_checked
from vegaslab.scenario.source import load
from vegaslab.sweeps.sweep import sweep

SHORT: Mapping[str, object] = {"flow.0.size": "50kb", "flow.0.start": "0s"}


def short_batch(replications: int = 2) -> Batch:
    cells = [{**SHORT, "flow.0.algorithm": algorithm} for algorithm in ("reno", "vegas")]
    columns = ("flow.0.goodput_mbps", "flow.0.segments_retransmitted", "flow.0.completion_s")
    return Batch(scenario="papers/revisited", cells=cells, replications=replications, columns=columns)


def test_a_batch_gives_what_single_runs_give(tmp_path: Path) -> None:
    found = carry_out_batch(short_batch(), tmp_path, "an engine")
    for place, algorithm in enumerate(("reno", "vegas")):
        for seed in (1, 2):
            values = {**SHORT, "flow.0.algorithm": algorithm}
            flow = run_checked(load("papers/revisited", seed=seed, set=values)).summary["flows"][0]
            assert found["flow.0.goodput_mbps"][place][seed - 1] == flow["goodput_mbps"]
            assert throughput_kbps(found)[place][seed - 1] == pytest.approx(50 / flow["completion_s"])
            assert resent_kb(found)[place][seed - 1] == pytest.approx(1.4 * flow["segments_retransmitted"])


def test_a_batch_goes_on_where_it_was_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = carry_out_batch(short_batch(), tmp_path / "whole", "an engine")
    monkeypatch.setattr(batches, "_columns", _interrupt)
    with pytest.raises(KeyboardInterrupt):
        carry_out_batch(short_batch(), tmp_path, "an engine")
    monkeypatch.undo()
    made: list[int] = []
    monkeypatch.setattr(batches, "sweep", lambda *args, **more: made.append(sweep(*args, **more).made))
    assert carry_out_batch(short_batch(), tmp_path, "an engine") == whole
    assert carry_out_batch(short_batch(), tmp_path, "an engine") == whole
    assert made == [0], "all runs were there, and the second time nothing was asked"
    carry_out_batch(short_batch(3), tmp_path, "an engine")
    carry_out_batch(short_batch(), tmp_path, "another engine")
    assert made == [0, 6, 4]


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_batch_with_a_run_that_fails_is_refused(tmp_path: Path) -> None:
    late, short = {**SHORT, "flow.0.start": "20s"}, {**SHORT, "duration": "10s"}
    with pytest.raises(PapersError, match=r"papers/revisited with .*'10s'.*: .*never starts"):
        carry_out_batch(
            replace(short_batch(1), cells=[late, short, {**short, **late, "duration": "10s"}]), tmp_path, "an engine"
        )


def letters_of(cells: list[object]) -> Iterator[str]:
    for cell in cells:
        assert isinstance(cell, dict)
        yield cell["mechanisms"]


def test_the_designs_switch_what_the_paper_switches() -> None:
    assert list(letters_of(phase_cells())) == ["", "AG", "B", "ABG", "CDEF", "ACDEFG", "BCDEF", "ABCDEFG"]
    full = mechanism_design(TEN)
    cells = list(letters_of(mechanism_cells(full, TEN)))
    assert (cells[0], cells[1], cells[2**8], cells[2**9], cells[-1]) == ("", "A", "I", "J", TEN)
    assert len(set(cells)) == 1024
    assert [spelled(one.name, TEN) for one in full.effects if len(one.word) == 1] == list(TEN)


def test_the_quick_fraction_keeps_mechanisms_and_their_pairs_apart() -> None:
    fraction = mechanism_design(TEN, _QUICK_GENERATORS)
    assert (fraction.cells, fraction.resolution) == (128, 5)


def test_tables_are_those_of_the_claims() -> None:
    """`python/tests/papers/test_revisited.py` shows that they agree with each other."""
    tables = (("H-table6", "VI"), ("H-table7", "VII"), ("H-table8", "VIII"), ("H-table9", "IX"), ("H-table11", "XI"))
    for name, table in tables:
        for ground, suffix in (("Reno", ""), ("Vegas", "-vegas")):
            effects, shares, errors = TABLES[table][ground]
            assert claims()[name + suffix].values == (*effects[:4], *shares[:3], errors)
    for printed in TABLES.values():
        for effects, shares, errors in printed.values():
            assert len(effects) == len(PHASE_EFFECTS) == len(shares) + 1
            assert np.sum(shares) + errors == pytest.approx(100, abs=0.06)


def test_standard_errors_are_those_of_made_up_experiments() -> None:
    """An effect's is the deviation of a run over the root of 400 runs, and so is what the jackknife finds."""
    for table in ("VI", "IX"):
        paper, one = np.array(paper_errors(table, "Reno")), made_up(table, "Reno", 1)[0]
        assert paper[:4] == pytest.approx(implied_deviation(table, "Reno") / 20, rel=0.1)
        assert own_errors(one)[:4] == pytest.approx(paper[:4], rel=0.5)
        assert effects_and_shares(one)[4:].sum() < 100


def fails(limit: float | None, values: Floats, table: str) -> bool:
    """Whether values, the paper's own in other runs, are beyond a limit in standard errors, or 25 % (None)."""
    name = {"VI": "H-table6", "VII": "H-table7", "VIII": "H-table8", "IX": "H-table9"}[table]
    printed = np.array(claims()[name].values)
    margins = 0.25 * np.abs(printed) if limit is None else limit * np.sqrt(2) * np.array(paper_errors(table, "Reno"))
    return bool((np.abs(values - printed) > margins).any())


@pytest.mark.parametrize(("table", "percent_fail"), [("VI", 0.5), ("VII", 0.98), ("VIII", 0.1), ("IX", 0.95)])
def test_a_right_implementation_meets_the_limits(table: str, percent_fail: float) -> None:
    """Other runs with the paper's own effects and errors: 25 % of each number fails most, three standard errors few."""
    others = effects_and_shares(made_up(table, "Reno", 500, seed=2))
    assert np.mean([fails(3, one, table) for one in others]) < 0.03
    assert np.mean([fails(None, one, table) for one in others]) >= percent_fail


def test_a_findings_table_stands_on_the_page() -> None:
    table = Table(title="Table <1>", head=("a", "b"), rows=(("1", "2 & 3"),))
    finding = Finding(values=(), holds=True, tables=(table,))
    verdict = Verdict(claim=claims()["H-table3"], finding=finding, word="reproduced", cause="a test", rerun="")
    chapter = Chapter(paper="revisited", title="a test", verdicts=(verdict,), charts=())
    text = paper_pages([chapter], quick=False)["revisited"]
    assert "<caption>Table &lt;1&gt;</caption>" in text
    assert "<td>1</td><td>2 &amp; 3</td>" in text


@pytest.mark.parametrize(("spread", "holds"), [(20.0, True), (1.0, False)])
def test_table_12_falls_where_an_interval_says_the_opposite(spread: float, holds: bool) -> None:
    """Vegas gains 100 and keeps 44 without congestion avoidance: six below half, which may be chance over four seeds if
    they differ by 20 (a half width of 37), and is none if they differ by 1.
    """
    one = np.zeros((8, 4))
    one[tables.VEGAS] = 100
    one[tables.WITHOUT_CA] = 44 + spread * np.array([-1, 1, -1, 1])
    assert tables._only_without([one]) == holds


def test_a_share_that_the_paper_rounds_has_an_error() -> None:
    """Of 6400 runs, errors 12.82 %: 2 sqrt(50 x 12.82 / 6400) = 0.63 %, and 5 / sqrt(12) = 1.44 % of rounding."""
    assert _share_error(50, 5) == pytest.approx(1.58, abs=0.005)

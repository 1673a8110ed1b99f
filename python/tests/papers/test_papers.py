"""Claims, verdicts and the report."""

import csv
import json
import os
import shlex
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from documentation import ROOT
from tests.conftest import Command
from vegaslab.commands import cli
from vegaslab.commands.many_runs.reproduce import reproduce as reproduce_claims
from vegaslab.papers.experiments import runner
from vegaslab.papers.experiments.batch import Batch
from vegaslab.papers.experiments.experiment import Answer, Run
from vegaslab.papers.experiments.halves import halves
from vegaslab.papers.judging import verdict
from vegaslab.papers.judging.claims import PAPERS, Claim, Limit, Sentence, claims, flat, sentences
from vegaslab.papers.judging.errors import PapersError
from vegaslab.papers.judging.reason import judged_by
from vegaslab.papers.judging.verdict import Errors, Finding, Reading, are_alike, judge
from vegaslab.papers.registry import EXPERIMENTS, not_carried_out
from vegaslab.papers.report.chapter import Chapter
from vegaslab.papers.report.draw import write
from vegaslab.papers.report.page import page, paper_pages
from vegaslab.papers.report.reproduce import reproduce, rows
from vegaslab.papers.rovegas.traffic import FITTED
from vegaslab.runs import pool
from vegaslab.runs.kept import cache
from vegaslab.runs.result import Result
from vegaslab.scenario.source import load, shipped_scenarios

SHARED = ROOT.parent / "shared" / "papers" / "claims.toml"
EXPECTED = Path(__file__).parent / "golden" / "claims.json"
KEPT = ROOT / "results" / "papers" / "cache"
CHEAP = ("G-table2", "G-fig6-gallop")


@pytest.mark.skipif(not SHARED.exists(), reason="the source of the claims does not lie beside the checkout")
def test_claims_are_those_of_their_source() -> None:
    """Claims that were added later stand among those of the source, which keep their order, values and limits."""
    source = {row["id"]: row for row in tomllib.loads(SHARED.read_text())["claim"]}
    assert [name for name in claims() if name in source] == list(source)
    for name, row in source.items():
        claim = claims()[name]
        assert claim.values == flat(row["value"])
        assert (claim.kind, claim.at) == (row["kind"], row["at"])


def test_claims_are_whole() -> None:
    for claim in claims().values():
        assert claim.paper in PAPERS
        assert claim.setting
        assert claim.metric
        assert claim.conclusion
        assert claim.limit.reason
        assert len(claim.units) == max(1, len(claim.values))
        assert (claim.limit.rule == "exact") == (claim.kind == "analysis")


def test_scenarios_of_claims_are_shipped_and_good() -> None:
    named = {name for claim in claims().values() for name in claim.scenarios}
    assert named <= set(shipped_scenarios())
    for name in named:
        assert load(name).name == name.rpartition("/")[2]


def test_experiments_carry_out_claims_once_each() -> None:
    carried_out = [name for experiments in EXPERIMENTS.values() for one in experiments for name in one.claims]
    assert len(carried_out) == len(set(carried_out))
    assert set(carried_out) | set(not_carried_out()) == set(claims())
    for paper, experiments in EXPERIMENTS.items():
        papers = {claims()[name].paper for one in experiments for name in one.claims}
        assert papers == ({paper} if paper != "beyond" else set())


def test_the_last_chapter_answers_with_tables(tmp_path: Path) -> None:
    kept = [
        {
            "share_percent": share,
            "again_percent": 0.0,
            "goodput_kbps": share,
            "timeouts": 0,
            "full_s": 1.0,
            "least": 0.5,
            "drops": 0,
            "waits_ms": 1.0,
        }
        for share in (40.0, 60.0)
    ]
    for experiment in EXPERIMENTS["beyond"]:
        assert experiment.find({}) == {}
        data = {key: kept[int(key.rsplit("/", 1)[1]) % 2] for key in experiment.runs(True)}
        for answer in experiment.answer(data):
            assert {len(row) for row in answer.rows} == {len(answer.columns)}
            assert set(answer.scenarios) <= set(shipped_scenarios())
        charts = experiment.draw(data)
        assert all(panel.x_names and panel.curves for chart in charts for panel in chart.panels)
    write(charts[0], tmp_path)
    # three seeds, 60 40 60: mean 53.3, and 28.7 is 4.303 (t of two degrees) times 11.547 / sqrt(3)
    networks = EXPERIMENTS["beyond"][0]
    (first, *_) = networks.answer({key: kept[int(key.rsplit("/", 1)[1]) % 2] for key in networks.runs(True)})
    assert first.rows[0][1] == "53.3 ± 29"


def claim(**changes: object) -> Claim:
    limit = Limit(rule="within_percent", size=10.0, reason="a test")
    base = replace(claims()["G-fig4-vegas"], id="T-1", values=(100.0,), units=("s",), limit=limit, at_least=frozenset())
    return replace(base, **changes)  # type: ignore[arg-type]


@pytest.fixture
def explained(monkeypatch: pytest.MonkeyPatch) -> None:
    words = {word: f"why {word}" for word in get_args(verdict.Word)}
    monkeypatch.setattr(verdict, "causes", lambda: {"T-1": words})


@pytest.mark.usefixtures("explained")
@pytest.mark.parametrize(
    ("ours", "holds", "arithmetic", "word"),
    [
        (110.0, True, "", "reproduced"),
        (90.0, True, "", "reproduced"),
        (110.1, True, "", "differs"),
        (100.0, False, "", "contradicted"),
        (150.0, False, "", "contradicted"),
        (100.0, True, "1 + 1 is not 3", "inconsistent"),
    ],
)
def test_verdicts(ours: float, holds: bool, arithmetic: str, word: str) -> None:
    found = judge(claim(), Finding(values=(ours,), holds=holds, arithmetic=arithmetic))
    assert found.word == word
    assert found.cause == f"why {word}"


def test_a_claim_that_is_reproduced_needs_no_cause() -> None:
    assert judge(claim(), Finding(values=(110.0,), holds=True)).cause == "within the limit (within 10 %)"


@pytest.mark.usefixtures("explained")
@pytest.mark.parametrize(("ours", "word"), [(110.0, "not discriminating"), (110.1, "differs")])
def test_what_wrong_implementations_pass_counts_apart(ours: float, word: str) -> None:
    found = judge(claim(not_discriminating="a test"), Finding(values=(ours,), holds=True))
    assert (found.word, found.cause) == (word, "why reproduced" if word == "not discriminating" else "why differs")


def readings(*pairs: tuple[float, bool]) -> Finding:
    return Finding.of_readings(*(Reading(name=f"{ours}", values=(ours,), holds=holds) for ours, holds in pairs))


@pytest.mark.usefixtures("explained")
@pytest.mark.parametrize(
    ("found", "word"),
    [
        (readings((100.0, True), (150.0, True)), "open"),
        (readings((150.0, True), (100.0, True)), "open"),
        (readings((100.0, True), (105.0, False)), "open"),
        (readings((100.0, True), (105.0, True)), "reproduced"),
        (readings((150.0, True), (190.0, True)), "differs"),
        (readings((100.0, False), (150.0, False)), "contradicted"),
        (replace(readings((100.0, True), (150.0, True)), arithmetic="1 + 1 is not 3"), "inconsistent"),
    ],
)
def test_readings_that_come_to_different_verdicts_leave_a_claim_open(found: Finding, word: str) -> None:
    judged = judge(claim(undecided="the queue"), found)
    assert judged.word == word
    assert judged.finding.values == found.readings[0].values


@pytest.mark.usefixtures("explained")
@pytest.mark.parametrize(
    ("found", "word"),
    [
        (readings((100.0, True), (150.0, True)), "reproduced"),
        (readings((150.0, True), (100.0, True)), "differs"),
        (readings((100.0, False), (100.0, True)), "contradicted"),
    ],
)
def test_a_reading_that_is_decided_on_is_judged_alone(found: Finding, word: str) -> None:
    judged = judge(claim(undecided="the queue", decided="its figure 7"), found)
    assert judged.word == word
    assert judged.finding.readings == found.readings


def test_what_is_decided_was_undecided() -> None:
    assert all(one.undecided for one in claims().values() if one.decided)


@pytest.mark.usefixtures("explained")
def test_readings_need_to_be_said_what_is_undecided() -> None:
    with pytest.raises(PapersError, match=r"T-1: 2 readings; claims.toml must say what is undecided"):
        judge(claim(), readings((100.0, True), (150.0, True)))


@pytest.mark.usefixtures("explained")
@pytest.mark.parametrize(("holds", "arithmetic"), [(True, ""), (False, ""), (True, "1 + 1 is not 3")])
def test_what_the_paper_measured_elsewhere_is_not_comparable(holds: bool, arithmetic: str) -> None:
    found = Finding(values=(100.0,), holds=holds, arithmetic=arithmetic)
    assert judge(claim(comparable=False), found).word == "not comparable"


@pytest.mark.usefixtures("explained")
def test_the_page_shows_readings_side_by_side() -> None:
    judged = judge(claim(undecided="the <queue>"), readings((100.0, True), (150.0, True)))
    shown = paper_pages([Chapter(paper="gallop", title="T", verdicts=(judged,), charts=())], quick=False)["gallop"]
    for part in (
        "the &lt;queue&gt;",
        '<b class="open">open</b>',
        "<td>150</td><td>differs</td>",
        "<td>100</td><td>reproduced</td>",
        "vegaslab reproduce T-1",
    ):
        assert part in shown


@pytest.mark.usefixtures("explained")
@pytest.mark.parametrize("decided", ["its figure <7>", ""])
def test_the_page_says_by_what_a_reading_is_decided(decided: str) -> None:
    judged = judge(claim(undecided="the queue", decided=decided), readings((100.0, True), (150.0, True)))
    shown = paper_pages([Chapter(paper="gallop", title="T", verdicts=(judged,), charts=())], quick=False)["gallop"]
    assert ("<dt>decided by</dt><dd>its figure &lt;7&gt;</dd>" in shown) == bool(decided)
    assert ("<dt>decided by</dt>" in shown) == bool(decided)


def test_commands_that_rerun_causes_are_good() -> None:
    """As far as can be known without running them: the command line is one, its scenario with these values too."""
    for name, of_claim in verdict.causes().items():
        assert name in claims()
        assert set(of_claim) <= {*get_args(verdict.Word), verdict.RERUN}
        if verdict.RERUN in of_claim:
            program, *arguments = shlex.split(of_claim[verdict.RERUN])
            assert program == "vegaslab"
            options = cli._parser().parse_args(arguments)
            if arguments[0] == "run":
                load(options.file, seed=options.seed, set=options.set)


@pytest.mark.usefixtures("explained")
@pytest.mark.parametrize(
    ("printed", "ours", "word"),
    [(16.24, 16.2449, "reproduced"), (16.24, 16.2451, "differs"), (64, 64.0, "reproduced"), (64, 64.4, "differs")],
)
def test_an_exact_limit_is_half_of_the_last_printed_digit(printed: float, ours: float, word: str) -> None:
    exact = claim(values=(printed,), limit=Limit(rule="exact", size=0.0, reason="a test"))
    assert judge(exact, Finding(values=(ours,), holds=True)).word == word


def test_data_by_halves_of_the_seeds() -> None:
    """Runs that differ by seeds are halved in their order, a batch by its replications; three seeds are too few."""
    cells = [{"flow.0.algorithm": "vegas"}]
    runs: dict[str, Run | Batch] = {
        "batch": Batch(scenario="papers/revisited", cells=cells, replications=5, columns=("x",)),
        **{f"four/{seed}": Run(scenario="rovegas-asymmetric", seed=seed, extract=str) for seed in (1, 2, 3, 4)},
        **{
            f"three/{seed}": Run(scenario="rovegas-asymmetric", set={"duration": "1s"}, seed=seed, extract=str)
            for seed in (1, 2, 3)
        },
    }
    data = {key: key for key in runs} | {"batch": {"x": [[1, 2, 3, 4, 5]]}}
    three = {f"three/{seed}": f"three/{seed}" for seed in (1, 2, 3)}
    assert halves(runs, data) == (
        {"batch": {"x": [[1, 2]]}, "four/1": "four/1", "four/2": "four/2", **three},
        {"batch": {"x": [[3, 4]]}, "four/1": "four/3", "four/2": "four/4", **three},
    )
    assert halves({key: run for key, run in runs.items() if key in three}, three) is None


def test_the_laboratory_is_judged_by_its_own_half() -> None:
    """Errors of 3 and 4 make 5, of which 3 are allowed; the paper's own, 100, do not count, nor does its value."""

    def half(value: float, error: float) -> Finding:
        return Finding(values=(value,), holds=True, errors=(Errors(100.0, error),))

    errors = claim(limit=Limit(rule="standard_errors", size=3.0, reason="a test"))
    assert are_alike(errors, 0, (half(20.0, 3.0), half(35.0, 4.0)))
    assert not are_alike(errors, 0, (half(20.0, 3.0), half(35.1, 4.0)))
    assert are_alike(claim(), 0, (half(20.0, 0.0), half(22.0, 0.0)))
    assert not are_alike(claim(), 0, (half(20.0, 0.0), half(22.1, 0.0)))


@pytest.mark.usefixtures("explained")
@pytest.mark.parametrize(("ours", "word"), [(106.0, "reproduced"), (94.0, "reproduced"), (106.1, "differs")])
def test_a_limit_of_standard_errors_is_theirs_and_ours(ours: float, word: str) -> None:
    errors = claim(limit=Limit(rule="standard_errors", size=3.0, reason="a test"))
    judged = judge(errors, Finding(values=(ours,), holds=True, errors=(Errors(1.2, 1.6),)))
    assert judged.word == word
    off = f"{abs(ours - 100) / 2:.3g}"
    assert judged_by(judged) == f"off by {off}, of 3 standard errors allowed; the conclusion holds"
    with pytest.raises(PapersError, match="1 values were found, with 0 errors"):
        judge(errors, Finding(values=(ours,), holds=True))


def test_the_chance_that_a_right_implementation_fails() -> None:
    """P(|z| > 3) is 0.0027 for one number (Jain 1991, table A.1)."""
    errors = Limit(rule="standard_errors", size=3.0, reason="a test")
    assert claim(limit=errors).chance_of_failing == pytest.approx(0.0027, abs=1e-5)
    assert claim(limit=errors, values=(1.0,) * 8).chance_of_failing == pytest.approx(8 * 0.0027, rel=0.02)
    assert claim().chance_of_failing == 0


@pytest.mark.usefixtures("explained")
def test_what_is_beyond_a_margin_of_ours_differs() -> None:
    shape = claim(values=(), limit=Limit(rule="holds", size=0.0, reason="a test"))
    assert judge(shape, Finding(values=(2.1,), holds=True, beyond="2.1 for 2")).word == "differs"
    assert judge(shape, Finding(values=(2.1,), holds=True)).word == "reproduced"
    assert judge(shape, Finding(values=(2.1,), holds=False, beyond="2.1 for 2")).word == "contradicted"
    assert judged_by(judge(shape, Finding(values=(2.1,), holds=True, beyond="2.1 for 2"))).startswith("2.1 for 2; ")


def test_causes_take_their_numbers_from_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "{ours[0]:.1f} for {paper[0]:g}, {readings[1][0]:.0f}, {other:.2f}"
    monkeypatch.setattr(verdict, "causes", lambda: {"T-1": {"open": text}})
    found = replace(readings((150.0, True), (100.0, True)), facts={"other": 0.5})
    assert judge(claim(undecided="the queue"), found).cause == "150.0 for 100, 100, 0.50"


@pytest.mark.usefixtures("explained")
def test_a_lower_bound_has_no_upper_limit() -> None:
    bound = claim(at_least=frozenset([0]))
    assert judge(bound, Finding(values=(1000.0,), holds=True)).word == "reproduced"
    assert judge(bound, Finding(values=(80.0,), holds=True)).word == "differs"


def test_a_verdict_without_a_cause_is_refused() -> None:
    with pytest.raises(PapersError, match=r"T-1: differs, and causes.toml has no 'differs'"):
        judge(claim(), Finding(values=(150.0,), holds=True))


def test_as_many_values_as_the_claim_has() -> None:
    with pytest.raises(PapersError, match="2 values were found; the claim has 1"):
        judge(claim(), Finding(values=(1.0, 2.0), holds=True))


def test_a_report_is_whole(vegaslab: Command, here: Path) -> None:
    done = vegaslab("reproduce", *CHEAP, "-o", "report")
    assert done.returncode == 0, done.stderr
    report = here / "report"
    assert {path.name for path in report.iterdir()} == {
        "cache",
        "figures",
        "claims.json",
        "claims.csv",
        "index.html",
        "gallop.html",
    }
    names = [row["id"] for row in json.loads((report / "claims.json").read_text())["claims"]]
    # experiments are run whole
    assert names == ["G-table2", "G-table3", "G-fig6-vegas", "G-fig6-times", "G-fig6-gallop"]
    with (report / "claims.csv").open() as text:
        rows = {row["id"]: row for row in csv.DictReader(text)}
    assert rows["G-fig6-vegas"]["paper_value"] == rows["G-fig6-vegas"]["our_value"] == "3 16"
    assert {path.name for path in (report / "figures").iterdir()} == {
        f"gallop-{figure}.{kind}" for figure in ("fig1", "fig6") for kind in ("svg", "png")
    }
    first, paper = (report / "index.html").read_text(), (report / "gallop.html").read_text()
    assert "http" not in (first + paper).replace("http://www.w3.org/2000/svg", "")
    for name in names:
        assert f'href="gallop.html#{name}"' in first
        assert f'id="{name}"' in paper
        assert name in done.stdout


def extract_name(result: Result) -> str:
    return str(result.summary["scenario"])


def test_finished_runs_are_not_simulated_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = {"a": Run(scenario="papers/gallop-windows", extract=extract_name)}
    assert runner.carry_out(runs, tmp_path) == {"a": "gallop-windows"}

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("simulated again")

    monkeypatch.setattr(pool, "run_checked", refuse)
    assert runner.carry_out(runs, tmp_path) == {"a": "gallop-windows"}
    other_seed = {"a": replace(runs["a"], seed=2)}
    with pytest.raises(AssertionError, match="simulated again"):
        runner.carry_out(other_seed, tmp_path)


@pytest.mark.usefixtures("cached")
def test_another_folder_takes_runs_from_the_cache(tmp_path: Path) -> None:
    """Single runs, and batches of short ones."""
    claims = ["G-fig4-gallop", "H-table1"]
    first = reproduce_claims(claims, tmp_path / "first", quick=True)
    made, taken = cache.count.made, cache.count.taken
    second = reproduce_claims(claims, tmp_path / "second", quick=True)
    assert list(first) == list(second)
    assert cache.count.made == made > 0
    assert cache.count.taken > taken


def test_what_was_finished_before_an_interruption_stays(tmp_path: Path) -> None:
    def interrupt(_result: Result) -> str:
        raise KeyboardInterrupt

    good = Run(scenario="papers/gallop-windows", extract=extract_name)
    runner.carry_out({"a": good}, tmp_path)
    kept = list(tmp_path.iterdir())
    with pytest.raises(KeyboardInterrupt):
        runner.carry_out({"a": good, "b": replace(good, extract=interrupt)}, tmp_path)
    assert list(tmp_path.iterdir()) == kept


def test_the_same_figures_and_tables_each_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        chapters = reproduce(["G-table2"], tmp_path / name)
    write(chapters[0].charts[0], tmp_path)
    for file in ("claims.json", "claims.csv", "index.html", "figures/gallop-fig1.svg", "figures/gallop-fig1.png"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    assert (tmp_path / "gallop-fig1.svg").read_bytes() == (tmp_path / "one/figures/gallop-fig1.svg").read_bytes()


def test_the_quick_report_is_the_expected_one(tmp_path: Path) -> None:
    """`UPDATE_CLAIMS=1` writes the expectation again; each change needs its reason.

    Runs that `make demo` kept are read where engine, scenario and code are the same, as they all are in CI.
    """
    if KEPT.is_dir():
        shutil.copytree(KEPT, tmp_path / "report" / "cache")
    report = rows(reproduce(["all"], tmp_path / "report", quick=True))
    found = {
        row["id"]: {"verdict": row["verdict"], "values": [float(f"{value:.4g}") for value in row["our_value"]]}
        for row in report
    }
    assert f"of those run, {FITTED} come nearest" in next(row["note"] for row in report if row["id"] == "R-fig9")
    if os.environ.get("UPDATE_CLAIMS"):
        lines = (f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in found.items())
        EXPECTED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    assert found == json.loads(EXPECTED.read_text())


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("G-fig99", ("G-fig99", "no such paper or claim", 'did you mean "R-fig9"?')),
        ("galop", ("galop", "no such paper or claim", "gallop")),
    ],
)
def test_reproduce_refuses_in_one_line(vegaslab: Command, here: Path, what: str, words: tuple[str, ...]) -> None:
    done = vegaslab("reproduce", what)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    for word in words:
        assert word in done.stderr
    assert not list(here.iterdir())


@pytest.mark.usefixtures("explained")
@pytest.mark.parametrize(("other", "marked"), [(112.0, "103 and 112"), (114.0, "103 and 114: beyond")])
def test_a_row_a_value_has_both_intervals_and_our_halves(other: float, marked: str) -> None:
    """The paper's interval is 1.96 of its standard errors; the halves are 10 % of the first, 10.3, apart or more."""
    found = Finding(values=(104.0,), holds=True, errors=(Errors(1.0, 0.5),), intervals=((103.0, 105.0),))
    one, two = (replace(found, values=(value,)) for value in (103.0, other))
    judged = replace(judge(claim(), found), halves=(one, replace(two, holds=False)))
    chapter = Chapter(paper="gallop", title="T", verdicts=(judged,), charts=())
    shown = paper_pages([chapter], quick=False)["gallop"]
    cells = ("1", "s", "100", "104", "98.04 to 102", "103 to 105", marked, "90 to 110")
    assert "".join(f"<td>{cell}</td>" for cell in cells) in shown
    assert f"{0 if 'beyond' in marked else 1} of 1 numbers of one half of our seeds" in shown
    assert "the conclusion holds in one half of our seeds" in shown


@pytest.mark.usefixtures("explained")
def test_what_the_paper_says_stands_where_it_prints_no_number() -> None:
    shape = claim(values=(), conclusion="a queue grows", limit=Limit(rule="holds", size=0, reason="r"))
    chapter = Chapter(paper="gallop", title="T", verdicts=(judge(shape, Finding(values=(), holds=True)),), charts=())
    assert '<td data-name="paper">a queue grows</td>' in page([chapter], quick=False)


def test_sentences_say_what_the_verdicts_are() -> None:
    words = {name: row["verdict"] for name, row in json.loads(EXPECTED.read_text()).items()}
    assert sentences().keys() == PAPERS.keys() - {"beyond"}
    for paper, sentence in sentences().items():
        assert sentence.agrees(words), paper
    assert not Sentence(stands="it is so (G-table2)", falls="").agrees({"G-table2": "differs"})


def test_an_answer_stands_on_the_page() -> None:
    answer = Answer(question="Why <so>?", text="Because.", columns=("a",), rows=(("1 ± 2",),), scenarios=("lossy",))
    chapter = Chapter(paper="beyond", title="A chapter", verdicts=(), charts=(), answers=(answer,))
    shown = paper_pages([chapter], quick=False)["beyond"]
    for part in ("Why &lt;so&gt;?", "<p>Because.</p>", "<td>1 ± 2</td>", "vegaslab run lossy"):
        assert part in shown


def test_a_foreign_folder_is_left_alone(vegaslab: Command, here: Path) -> None:
    (here / "mine").mkdir()
    (here / "mine" / "letter.txt").write_text("dear")
    done = vegaslab("reproduce", "G-table2", "-o", "mine")
    assert done.returncode == 2
    assert "holds letter.txt but no report" in done.stderr
    assert [path.name for path in (here / "mine").iterdir()] == ["letter.txt"]

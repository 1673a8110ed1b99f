"""Metrics by hand-worked values, sentences, verdicts on changes, and the criteria as data."""

import copy
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import vegaslab
from documentation import ROOT, dossiers
from vegaslab.evaluation import metrics
from vegaslab.evaluation.comparing import changes
from vegaslab.evaluation.contenders import Request, label, runs_of
from vegaslab.evaluation.criteria import ALL
from vegaslab.evaluation.criteria.questions import QUESTIONS, answers, lines
from vegaslab.evaluation.criteria.responding import judged, sentences
from vegaslab.evaluation.criterion import EvaluationError, Headline
from vegaslab.evaluation.dossier import _is_in_time, verdicts
from vegaslab.evaluation.extract import figures
from vegaslab.evaluation.figures import FIGURES
from vegaslab.evaluation.report import dots, pages
from vegaslab.evaluation.sentences import behind_the_best, in_time, sentence, summary, yardstick
from vegaslab.runs.kept import code
from vegaslab.scenario.source import load, shipped_scenarios

# the sections of RFC 9743 that hold criteria or describe what they are evaluated in
SECTIONS = [
    *(f"5.1.{number}" for number in range(1, 6)),
    *(f"5.2.{number}" for number in range(1, 4)),
    *(f"5.3.{number}" for number in range(1, 3)),
    *(f"6.{number}" for number in range(1, 5)),
    *(f"7.{number}" for number in range(1, 12)),
]


def test_harm_is_the_part_that_is_lost() -> None:
    assert metrics.harm_of_more(20, 5) == 0.75
    assert metrics.harm_of_more(10, 12) == pytest.approx(-0.2)
    assert metrics.harm_of_less(40, 80) == 0.5
    assert metrics.harm_of_less(0, 2) == 1
    assert metrics.harm_of_less(0, 0) == 0
    assert math.isnan(metrics.harm_of_more(0, 1))


def test_largest_over_least() -> None:
    assert metrics.max_to_min([3, 12, 6]) == 4
    assert metrics.max_to_min([0, 1]) == math.inf
    assert math.isnan(metrics.max_to_min([0, 0]))


def test_rows_are_put_into_whole_steps() -> None:
    ends, sums = metrics.in_steps([0.5, 1.0, 1.5, 2.0, 2.5], [1, 2, 4, 8, 16], 1.0)
    assert ends.tolist() == [1, 2]
    assert sums.tolist() == [3, 12]


def test_variation_of_amounts() -> None:
    # mean 4, deviations -2, 0, 2: standard deviation 2
    assert metrics.variation_percent([2, 4, 6]) == 50
    assert metrics.variation_percent([5, 5, 5]) == 0
    assert math.isnan(metrics.variation_percent([7]))


def test_the_longest_stretch() -> None:
    # rows cover 0..1, 1..2, 2..4, 4..5; true from 1 to 4
    assert metrics.longest_true_s([1, 2, 4, 5], [False, True, True, False]) == 3
    assert metrics.longest_true_s([1, 2], [False, False]) == 0
    assert metrics.longest_true_s([1, 2], [True, True]) == 2


def test_seconds_that_lose_more_than_a_tenth() -> None:
    # 10 of 90 + 10 is a tenth and no more; 30 of 100 is more, for two seconds
    assert metrics.loss_over_s([1, 2, 3, 4], [10, 30, 30, 0], [90, 70, 70, 100]) == 2


def test_recovery_after_an_event() -> None:
    times = [0.5 * step for step in range(1, 13)]
    # after 2 s the link is idle until 3.5 s, then busy
    busy = [1.0] * 4 + [0.0] * 3 + [1.0] * 5
    assert metrics.recovery_s(times, busy, 2.0) == pytest.approx(1.5)
    assert math.isnan(metrics.recovery_s(times, [0.5] * 12, 2.0))


def test_convergence_after_the_last_start() -> None:
    # from 3 s on both have 1 each; before, one has all: five seconds together have an index of 0.9 from 2 s on,
    # (6 + 4)^2 / (2 (36 + 16)) = 100 / 104
    ends = list(range(1, 11))
    amounts = [[2.0, 0.0]] * 3 + [[1.0, 1.0]] * 7
    assert metrics.convergence_s(ends, amounts, 0.0) == 2
    assert math.isnan(metrics.convergence_s(ends, [[1.0, 0.0]] * 10, 0.0))


def test_gaps_and_the_empty_path() -> None:
    assert metrics.last_gap_s([1.0, 2.0, 4.0, 8.0]) == 4
    assert math.isnan(metrics.last_gap_s([1.0]))
    # 100 kB at 20 Mb/s are 40 ms
    assert metrics.empty_path_s(100_000, 20, 40) == pytest.approx(0.08)


def test_probes_follow_silences() -> None:
    # three packets under way, then two probes of two packets each, one second apart
    assert metrics.probes([0.0, 0.01, 0.02, 0.5, 0.5, 1.5, 1.5], 0.1) == [[0.5, 0.5], [1.5, 1.5]]
    assert metrics.probes([0.0, 0.05], 0.1) == metrics.probes([], 0.1) == []


def test_by_quic_probes_are_tries() -> None:
    """RFC 9002, section 6.2.1: each probe timeout is twice as long as the one before."""
    result = vegaslab.run("evaluate/black-hole", set={"flow.0.transport": "quic", "flow.0.algorithm": "cubic"})
    found = figures(result, tested=[0], event=(5, 65))
    assert (found["tries"] or 0) >= 10
    assert 10 < (found["last_gap_s"] or 0) < 30


def test_marks_a_round_trip_tell_a_scalable_control() -> None:
    """RFC 9331, section 4.3: such a control has as many marks in a round trip at any rate; CUBIC has ever fewer."""

    def marks_at(rate: str, algorithm: str) -> float:
        values = {"flow.0.algorithm": algorithm, "topology.bottleneck.rate": rate}
        found = figures(vegaslab.run("evaluate/l4s", set=values), tested=[0])
        return found["marks_per_rtt"] or 0

    prague, cubic = ([marks_at(rate, name) for rate in ("20mbit", "200mbit")] for name in ("prague", "cubic"))
    assert prague[1] > prague[0] / 3 > 0.3
    assert cubic[1] < cubic[0] / 3


def test_without_an_l_queue_there_are_no_figures_of_it() -> None:
    found = figures(vegaslab.run("evaluate/alone"), tested=[0])
    assert "l_p99_queueing_ms" not in found
    assert "marks_per_rtt" not in found


def test_every_criterion_has_a_chapter() -> None:
    chapters = [criterion.section for criterion in ALL]
    assert sorted(SECTIONS) == sorted(section for section in chapters if section[0].isdigit())
    assert {section for section in chapters if not section[0].isdigit()} == {"L4S", "C4", "tcpeval"}
    ids = [criterion.id for criterion in ALL]
    cases = [case.id for criterion in ALL for case in criterion.cases]
    assert len(ids) == len(set(ids))
    assert len(cases) == len(set(cases))
    for criterion in ALL:
        assert criterion.cannot.endswith(".")
        # of L4S a sentence for each requirement of RFC 9331 that a run can show, and two on other flows
        most = 8 if criterion.id == "l4s" else 3
        assert len(criterion.headlines) == (most if criterion.cases else 0)
        figures = {case.id: case.figures for case in criterion.cases}
        assert all(headline.figure in figures[headline.case] for headline in criterion.headlines)


def test_every_scenario_is_shipped_used_and_well_formed() -> None:
    """The files of a case run by themselves, and none lies there unused."""
    of_cases = {case.scenario for criterion in ALL for case in criterion.cases}
    of_cases |= {case.solo for criterion in ALL for case in criterion.cases if case.solo}
    shipped = {name for name in shipped_scenarios() if name.partition("/")[0] in ("evaluate", "c4", "tcpeval")}
    assert shipped <= of_cases
    for name in shipped:
        document = json.loads(load(name).document_json())
        assert document["name"] == name.partition("/")[2]
        assert len(document["description"]) <= 100


def test_every_case_can_be_checked_for_every_kind_of_algorithm() -> None:
    request = Request(name="vegas", baselines=("cubic", "bbr3"), quick=True)
    for case in (case for criterion in ALL for case in request.cases(criterion)):
        firsts = {key[1]: run for key, run in reversed(runs_of(case, request).items())}
        for run in firsts.values():
            run.check()


def test_the_c4_bounds_are_those_that_the_files_state() -> None:
    cases = next(criterion for criterion in ALL if criterion.id == "c4").cases
    for case in cases:
        text = shipped_scenarios()[case.scenario].read_text(encoding="utf-8")
        stated = re.search(r"must be complete after ([0-9.]+) s in each", " ".join(text.split("\n# ")))
        assert case.bound_s == (float(stated[1]) if stated else None), case.scenario
        frames = re.search(
            r"after ([0-9.]+) ms on average and ([0-9.]+) ms at most, from ([0-9.]+) s on", _joined(text)
        )
        if case.id == "c4-media-first":
            frames = re.search(r"after (31) ms and (79) ms", _joined(text))
        stated_ms = (float(frames[1]), float(frames[2])) if frames else None
        assert case.frames_ms == stated_ms, case.id
        if frames and frames.lastindex == 3:
            assert case.frames_from_s == float(frames[3]), case.id
    # the draft's 24 cases of a transfer and 7 of voice and video, and one of ours beside bulk data
    assert [case.is_bounded for case in cases].count(True) == 31
    assert len(cases) == 32


def _joined(text: str) -> str:
    return " ".join(text.split("\n# "))


def test_a_fade_changes_rate_and_jitter() -> None:
    """10 MB take 4 s at 20 Mb/s; two seconds with 2 Mb/s take 1.8 s more, at the least."""
    result = vegaslab.run("c4/wifi-fade", set={"flow.0.algorithm": "cubic"})
    assert result.summary["flows"][0]["completion_s"] > 5.8
    links = {link["id"]: link["utilisation"] for link in result.summary["links"]}
    assert links["r2->calm"] > 10 * links["r2->faded"] > 0


def test_a_suspension_stops_the_link() -> None:
    """In the last tenth of each two seconds nothing leaves, so that the flow has nine tenths of 20 Mb/s at most."""
    series = vegaslab.run("c4/wifi-suspension", set={"flow.0.algorithm": "cubic"}).series.links.to_pylist()
    sent = [row for row in series if row["link"] == "r1->r2" and 2 < row["time_s"] <= 4.01]
    suspended = [row["throughput_mbps"] for row in sent if 3.85 < row["time_s"] <= 4.01]
    assert suspended
    assert max(suspended) < 1
    assert max(row["throughput_mbps"] for row in sent) > 15


MEDIA = """\
name = "call"
duration = "2s"
topology.kind = "dumbbell"
topology.access = { rate = "10gbit", delay = "1ms" }
topology.bottleneck = { rate = "100mbit", delay = "8ms", queue = "100p" }
[[flow]]
algorithm = "cubic"
packet = "1500b"
[[flow.application]]
kind = "media"
layers = [
    { every = "20ms", size = "80b" },
    { every = "100ms", size = "12kb" },
    { every = "100ms", size = "200kb", give_up = "1ms" },
]
"""


@pytest.mark.parametrize("transport", ["tcp", "quic"])
def test_delays_of_frames(transport: str) -> None:
    """A frame of 80 bytes takes 10 ms, one of 12 kB 1 ms more at 100 Mb/s; the window does not take 200 kB at once."""
    result = vegaslab.run(MEDIA, set={"flow.0.transport": transport})
    found = figures(result, tested=[0], frames_from_s=1)
    assert found["voice_mean_ms"] == pytest.approx(10.5, abs=0.6)
    assert found["video_mean_ms"] == pytest.approx(11.1, abs=0.6)
    assert found["video_max_ms"] == pytest.approx(found["video_mean_ms"], abs=1)
    assert (found["upper_percent"] or 0) < 50
    assert "voice_mean_ms" not in figures(vegaslab.run("evaluate/alone", set={"duration": "1s"}), tested=[0])


def test_trials_of_media_are_within_four_bounds() -> None:
    case = next(case for criterion in ALL for case in criterion.cases if case.id == "c4-media-10mbit")
    within = {"voice_mean_ms": 46.0, "voice_max_ms": 159.0, "video_mean_ms": 47.0, "video_max_ms": 160.0}
    assert _is_in_time(within, case)
    for figure, value in within.items():
        assert not _is_in_time({**within, figure: value + 2}, case)
        assert not _is_in_time({**within, figure: None}, case)


def test_by_quic_short_transfers_are_quics_too() -> None:
    request = Request(name="gallop", baselines=("cubic",), quick=True, transport="quic")
    cases = {case.id: case for criterion in ALL for case in criterion.cases}
    values = next(iter(runs_of(cases["short-new"], request).values())).set
    assert (values["traffic.0.flow.transport"], values["traffic.0.flow.algorithm"]) == ("quic", "gallop")
    # the long flow of the other algorithm stays TCP's
    assert "flow.0.transport" not in values
    result = next(iter(runs_of(cases["short-new"], request).values()))
    assert result.check().algorithms() == ["cubic"]


def test_all_flows_of_a_dossier_run_on_the_host_of_the_algorithm() -> None:
    for name, baselines, host in (
        ("bbr3", ("cubic", "sack"), "linux"),
        ("vegas", ("cubic", "bbr3"), "bsd"),
        # this baseline runs on the papers' host only
        ("vegas-linux", ("vegas",), "bsd"),
    ):
        request = Request(name=name, baselines=baselines, quick=True)
        assert request.host == host
        (case,) = (case for criterion in ALL for case in criterion.cases if case.id == "beside-cubic")
        runs = runs_of(case, request)
        assert {kind for run in runs.values() for kind in run.check().hosts()[0]} == {host}, name


def test_fairness_is_that_of_flows_with_bulk_data() -> None:
    """What an application sends is no share: a call beside two flows leaves their index as it is."""
    both = "[[flow]]\nalgorithm = 'cubic'\npacket = '1500b'\n" * 2
    result = vegaslab.run(MEDIA + both, set={"duration": "8s"})
    shares = [flow["goodput_mbps"] for flow in result.summary["flows"][1:]]
    found = figures(result, tested=[1, 2])
    assert found["jain_index"] == pytest.approx(sum(shares) ** 2 / (2 * sum(share**2 for share in shares)))
    assert found["max_to_min"] == pytest.approx(max(shares) / min(shares))
    assert "jain_index" not in figures(vegaslab.run(MEDIA), tested=[0])


@pytest.mark.parametrize(
    ("mine", "half", "verdict", "expected"),
    [(0.25, 0.0, "lower", "yes"), (0.75, 0.1, "higher", "no"), (0.55, 0.1, "no significant difference", "open")],
)
def test_a_question_about_harm_has_the_yardstick_as_its_limit(
    mine: float, half: float, verdict: str, expected: str
) -> None:
    # a row's verdict says how the algorithm under test compares with the row
    case = case_of(row("mine", mine, half), row("cubic", 0.5, verdict=verdict)) | {"id": "beside-cubic"}
    (answer,) = answers([{"section": "5.2.1", "cases": [case]}])
    assert (answer["verdict"], answer["limit"], answer["case"]) == (expected, 0.5, "beside-cubic")
    # of several cases the worst answers
    worse = case_of(row("mine", 0.9), row("cubic", 0.5, verdict="higher")) | {"id": "beside-cubic-33p"}
    (answer,) = answers([{"section": "5.2.1", "cases": [case, worse]}])
    assert (answer["verdict"], answer["case"]) == ("no", "beside-cubic-33p")
    # without the yardstick there is no answer
    alone = case | {"rows": case["rows"][:1]}
    assert answers([{"section": "5.2.1", "cases": [alone]}]) == []


@pytest.mark.parametrize(
    ("mean", "half", "expected"), [(92.0, 1.0, "yes"), (79.0, 2.0, "open"), (60.0, 2.0, "no"), (None, 0.0, "no")]
)
def test_a_question_with_a_number_is_open_where_the_interval_holds_it(
    mean: float | None, half: float, expected: str
) -> None:
    means = {"utilisation_percent": mean and {"mean": mean, "half_width": half, "seeds": 5, "of": 5}}
    case = {"id": "satellite", "rows": [{"algorithm": "mine", "means": means, "verdicts": {}, "refused": ""}]}
    (answer,) = answers([{"section": "7.5", "cases": [case]}])
    assert (answer["question"], answer["verdict"]) == ("fills long paths?", expected)
    (line,) = lines([answer])
    assert line[4:] == ("at least 80 %", "ours")


@pytest.mark.parametrize(("goodput", "expected"), [(0.3, "no"), (6.0, "yes")])
def test_a_flow_that_starves_is_safe_and_does_not_get_its_share(goodput: float, expected: str) -> None:
    mine, old = row("mine", 0.1), row("cubic", 0.5, verdict="lower")
    mine["means"]["goodput_mbps"] = {"mean": goodput, "half_width": 0.1, "seeds": 3, "of": 3}
    safe, share = lines(answers([{"section": "5.2.1", "cases": [case_of(mine, old) | {"id": "beside-cubic"}]}]))
    assert safe[:2] == ("safe to deploy beside CUBIC?", "yes")
    assert share[:3] == ("gets its share beside CUBIC?", expected, "5.2.1 goodput")
    assert (share[3].split()[0], share[4]) == (f"{goodput:g}", "at least 5 Mb/s")


def test_every_question_asks_for_a_figure_of_its_cases() -> None:
    cases = {case.id: case for criterion in ALL for case in criterion.cases}
    for question in QUESTIONS:
        for name in question.cases:
            assert question.figure in cases[name].figures
            assert not cases[name].full_only, "a quick dossier answers all questions"
        assert FIGURES[question.figure].better != "neither" or question.better


def row(algorithm: str, mean: float, half: float = 0.0, verdict: str = "") -> dict[str, Any]:
    means = {"harm_goodput": {"mean": mean, "half_width": half, "seeds": 3, "of": 3}}
    return {"algorithm": algorithm, "means": means, "verdicts": {"harm_goodput": verdict}, "refused": ""}


def case_of(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"id": "one", "title": "Beside CUBIC", "beside": "cubic", "figures": ["harm_goodput"], "rows": list(rows)}


def test_sentences_say_what_can_be_told() -> None:
    case = case_of(
        row("mine", 0.25, 0.05),
        row("cubic", 0.5, verdict="lower"),
        row("bbr3", 0.3, verdict="no significant difference"),
    )
    said = sentence(Headline("one", "harm_goodput", "There"), case)
    assert said == (
        "There, mine costs a CUBIC flow 25 % (20 to 30) of its goodput, less than cubic (50), "
        "not significantly different from bbr3 (30)."
    )
    case["rows"][0]["means"]["harm_goodput"] = None
    assert "mine has no harm: goodput in any run" in sentence(Headline("one", "harm_goodput", "There"), case)


def test_the_yardstick_is_the_old_beside_itself() -> None:
    within, beyond = case_of(row("mine", 0.25), row("cubic", 0.5)), case_of(row("mine", 0.75), row("cubic", 0.5))
    assert yardstick([within]).startswith("By the yardstick, the harm to goodput is at most that of a second flow")
    assert "greater beside CUBIC (0.75 against 0.5)" in yardstick([beyond])
    assert yardstick([]) == ""


def test_behind_the_best_of_the_baselines() -> None:
    """Harm of 0.25: more than 0.1 above the best of 0.1; not behind 0.2; and better than 0.3 and 0.5."""
    for best, behind in ((0.1, 1), (0.2, 0), (0.3, 0)):
        case = case_of(row("mine", 0.25), row("cubic", 0.5, verdict="lower"), row("bbr3", best, verdict="higher"))
        chapters = [{"cases": [case], "headlines": [["one", "harm_goodput"]]}]
        found = behind_the_best(chapters, ["mine", "cubic", "bbr3"])
        assert (found["compared"], len(found["behind"])) == (1, behind)
    # what never happens is behind what does
    never = row("mine", 0.25) | {"means": {"harm_goodput": None}}
    chapters = [{"cases": [case_of(never, row("cubic", 0.5))], "headlines": [["one", "harm_goodput"]]}]
    assert [lost["value"] for lost in behind_the_best(chapters, ["mine", "cubic"])["behind"]] == [None]


def test_the_first_page_names_the_signals_that_are_answered_on_a_part_of_the_paths() -> None:
    found = {"why": "", "paths": 3, "answered": {"loss": 0, "delay": 2, "marks": 0}, "none": 1}
    assert sentences({"name": "mine", "responds": found}) == [
        "Unsafe to deploy: mine answers neither losses nor a standing queue nor marks on 1 of 3 paths.",
        "It answers loss: no, delay: on 2 of 3 paths, marks: no.",
    ]
    given = [{"question": f"{asks}?", "verdict": "yes"} for asks in ("safe to deploy beside CUBIC", "fills a path")]
    assert [one["verdict"] for one in judged(given, found)] == ["no", "yes"]
    assert judged(given, found | {"none": 0}) == given
    unknown = found | {"paths": 0, "none": 0, "why": "a reason"}
    said = "Which signals of congestion it answers is not known: a reason."
    assert sentences({"name": "mine", "responds": unknown}) == [said]


def test_the_page_lists_each_criterion_beside_the_better_of_the_baselines() -> None:
    title = {"id": "one", "title": "Beside CUBIC"}
    lost = {"case": "one", "figure": "goodput_mbps", "value": 1.0, "best": "cubic", "of_best": 9.5}
    chapters = [
        {"section": "5.1", "title": "Lost", "headlines": [["one", "goodput_mbps"]], "cases": [title]},
        {"section": "5.2", "title": "Kept", "headlines": [["two", "goodput_mbps"]], "cases": [title | {"id": "two"}]},
        {"section": "7.10", "title": "Not covered", "headlines": [], "cases": []},
    ]
    found = {
        "name": "new",
        "algorithms": {"new": "", "vegas": "", "cubic": ""},
        "against_the_best": {"behind": [lost]},
        "criteria": chapters,
    }
    head, said, table = dossiers.behind(found)
    assert head == "## Behind the better of vegas and cubic"
    assert "1 of 2 criteria have none" in said
    assert table.splitlines()[2:] == ["| 5.1 Lost | Beside CUBIC: goodput 1 Mb/s, cubic 9.5 |", "| 5.2 Kept | no |"]


def test_trials_within_the_bound_are_counted() -> None:
    def trials(percent: float) -> dict[str, Any]:
        means = {"in_time_percent": {"mean": percent}}
        rows = [{"algorithm": "mine", "means": means}, {"algorithm": "cubic", "means": {}}]
        return {"figures": ["in_time_percent"], "rows": rows}

    said = in_time([trials(100), trials(80), trials(100), {"figures": ["stall_s"], "rows": []}])
    assert said == "Of the 3 cases, every trial is within the bounds for mine in 2 and cubic in 0."
    assert in_time([]) == ""


def test_a_small_difference_counts_as_none() -> None:
    base = [100.0, 101.0, 99.0]
    of_all = {"mine": {"goodput_mbps": [value + 0.5 for value in base]}, "cubic": {"goodput_mbps": base}}
    assert verdicts(of_all, "mine", "cubic") == {"goodput_mbps": "alike"}
    of_all["mine"] = {"goodput_mbps": [value + 5 for value in base]}
    assert verdicts(of_all, "mine", "cubic") == {"goodput_mbps": "higher"}


def test_the_summary_counts_better_and_worse() -> None:
    case = case_of(row("mine", 0.25), row("cubic", 0.5, verdict="lower"))
    chapters = [{"cases": [case], "headlines": [["one", "harm_goodput"]]}]
    assert "mine is better than cubic in 1 and worse in 0 of 1" in summary(chapters, ["mine", "cubic"])[0]


def test_names_of_algorithms() -> None:
    assert [label(text) for text in ("gallop", "a/mine.py:Mine", "slow = { preset = 'vegas' }")] == [
        "gallop",
        "Mine",
        "slow",
    ]
    with pytest.raises(EvaluationError, match="no such chapter; expected one of collapse, "):
        _ = Request(name="vegas", criteria=("bloat",)).chapters


def dossier(values: dict[str, list[float | None]]) -> dict[str, Any]:
    case = {"id": "one", "rows": [{"values": values}]}
    return {"name": "mine", "criteria": [{"cases": [case]}]}


def test_a_regression_is_told_from_noise() -> None:
    base: dict[str, list[float | None]] = {
        "goodput_mbps": [10.0, 11.0, 9.0, 10.5],
        "p95_queueing_ms": [5.0, 5.1, 4.9, 5.0],
        "fill_s": [1.0, 1.1, 0.9, 1.0],
    }
    old = dossier(base)
    assert changes(old, copy.deepcopy(old)) == []
    noisy = dossier({**base, "goodput_mbps": [10.4, 10.4, 9.5, 10.1]})
    assert changes(old, noisy) == []
    slower = dossier({**base, "goodput_mbps": [8.0, 9.0, 7.1, 8.5]})
    (worse,) = changes(old, slower)
    assert (worse.case, worse.figure, worse.better) == ("one", "goodput_mbps", False)
    shorter = dossier({**base, "p95_queueing_ms": [2.0, 2.1, 1.9, 2.0]})
    assert [change.better for change in changes(old, shorter)] == [True]
    never = dossier({**base, "fill_s": [None, None, None, None]})
    assert [(change.figure, change.better) for change in changes(old, never)] == [("fill_s", False)]
    with pytest.raises(EvaluationError, match="no case in common"):
        changes(old, {"name": "other", "criteria": []})


def test_a_change_without_randomness_needs_one_per_cent() -> None:
    old = dossier({"goodput_mbps": [10.0, 10.0, 10.0]})
    assert changes(old, dossier({"goodput_mbps": [9.95, 9.95, 9.95]})) == []
    assert [change.better for change in changes(old, dossier({"goodput_mbps": [9.5, 9.5, 9.5]}))] == [False]


def test_dots_lie_on_their_axes() -> None:
    means = {name: {"mean": mean, "half_width": 0.0} for name, mean in (("a", 1.0), ("b", 4.0))}
    drawn = dots.svg([dots.Row("goodput", "goodput_mbps", means)], ["a", "b"], "title")
    (circle,) = re.findall(r'<circle class="c0 mark" cx="([0-9.]+)" cy="(?!14)', drawn)
    (axis,) = re.findall(r'class="axis" x1="(\d+)" y1="[^"]+" x2="(\d+)"', drawn)
    # a quarter of the way from 0 to the greatest
    assert float(circle) == pytest.approx(float(axis[0]) + (float(axis[1]) - float(axis[0])) / 4)


def test_numbers_in_tables() -> None:
    assert pages.shown(6.936, 2.3) == "6.936 \N{PLUS-MINUS SIGN} 2.3"
    assert pages.shown(19.4341, 0.00029) == "19.43"
    assert all("{}" in figure.says for figure in FIGURES.values())


def test_the_page_of_criteria_is_current() -> None:
    text = (ROOT / "docs" / "evaluate.md").read_text(encoding="utf-8")
    assert dossiers.with_tables(text) == text, "make dossiers writes it again"


def test_kept_runs_know_the_code_of_their_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed metric makes runs again, though it is in another file than the function that extracts them."""
    names: list[str] = []

    def noted(file: Path) -> str:
        names.append(file.name)
        return ""

    monkeypatch.setattr(code, "file_digest", noted)
    code.code_digest.__wrapped__("vegaslab.evaluation.extract")
    assert {"extract.py", "metrics.py", "statistics.py"} <= set(names)
    assert "pages.py" not in names


@pytest.mark.parametrize("name", dossiers.ALGORITHMS)
def test_the_gallery_is_current(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Of its chapters one is carried out again: its sentences stand on the page."""
    runs = tmp_path_factory.getbasetemp() / "evaluate-gallery"
    shown = (dossiers.FOLDER / f"{name}.md").read_text(encoding="utf-8")
    found = dossiers.dossier(name, ("bufferbloat",), runs)
    assert "\n\n".join(sentences(found)) in shown, "make dossiers writes it again: look at what changed"
    for chapter in found["criteria"]:
        assert dossiers.chapter(chapter) in shown, "make dossiers writes it again: look at what changed"
    picture = dossiers.FOLDER / f"{name}.svg"
    assert picture.stat().st_size < 20_000
    assert f"({name}.md)" in (dossiers.FOLDER / "README.md").read_text(encoding="utf-8")


def test_the_gallery_answers_each_question_as_its_pages_do() -> None:
    text = (dossiers.FOLDER / "README.md").read_text(encoding="utf-8")
    assert dossiers.between(text, "answers", dossiers.answers()) == text, "make dossiers writes it again"
    assert dossiers.answers().count("\n") > 10

import csv
import json
import math
import re
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import vegaslab
from tests.conftest import TIMEOUT_S, Command, under_way
from vegaslab.runs.seeds.compare import SeedComparison, compare_seeds
from vegaslab.runs.seeds.report import seeds_report


def comparison(**runs: Sequence[Mapping[str, float]]) -> SeedComparison:
    seeds = range(1, 1 + len(next(iter(runs.values()))))
    return SeedComparison(runs, seeds, level=0.95, alike=False, scenario="made-up", duration_s=1.0, bottleneck="r1->r2")


def rows(name: str, *values: float) -> list[dict[str, float]]:
    return [{name: value} for value in values]


def test_differences_are_paired_by_seed() -> None:
    made = comparison(reno=rows("x", 10, 40, 80, 20), vegas=rows("x", 11.1, 40.9, 81.2, 20.8))
    (difference,) = made.differences
    assert (difference.algorithm, difference.baseline, difference.verdict) == ("vegas", "reno", "higher")
    # 1.1, 0.9, 1.2, 0.8: mean 1, s = 0.1826, t[0.975; 3] = 3.182: 0.2905
    assert difference.interval.mean == pytest.approx(1)
    assert difference.interval.half_width == pytest.approx(0.2905, abs=1e-3)


def test_a_seed_without_the_figure_is_left_out_of_the_pairs() -> None:
    made = comparison(reno=rows("x", 1, 2, 3), vegas=rows("x", 2, math.nan, 5))
    assert made.differences[0].interval.values == 2
    assert made.differences[0].baseline_mean == 2
    assert comparison(reno=rows("x", 1, 2), vegas=rows("x", 2, math.nan)).differences == ()


def test_what_never_differs_is_not_tested() -> None:
    made = comparison(
        reno=[{"same": 1, "more": 2, "noisy": v} for v in (1, 2, 3, 4)],
        vegas=[{"same": 1, "more": 3, "noisy": v} for v in (2.1, 2.9, 4.2, 4.8)],
    )
    same, more, noisy = made.differences
    assert (same.verdict, more.verdict) == ("same", "higher")
    assert (same.constant, more.constant, noisy.constant) == (True, True, False)
    # so the one that is tested is not adjusted for three
    assert noisy.adjusted_p == pytest.approx(noisy.interval.p_value)


def test_a_significant_difference_is_never_shown_as_nothing() -> None:
    reno = [{"x": 100 + v} for v in (1, 2, 3, 4)]
    vegas = [{"x": 100 + v + small} for v, small in zip((1, 2, 3, 4), (0.0011, 0.0012, 0.0013, 0.0012), strict=True)]
    made = comparison(reno=reno, vegas=vegas)
    assert made.differences[0].verdict == "higher"
    assert re.search(r"^x +0\.0012 .* 0\.0012 +higher$", seeds_report(made), re.MULTILINE)


def test_verdicts_allow_for_the_number_of_differences() -> None:
    # 0.6, 0.2, 0.9, 0.5: t = 0.55 / (0.289 / 2) = 3.81 and t[0.975; 3] = 3.18; twenty of them need more
    reno = [{f"x{n}": v for n in range(20)} for v in (1, 2, 3, 4)]
    vegas = [{f"x{n}": v for n in range(20)} for v in (1.6, 2.2, 3.9, 4.5)]
    many = comparison(reno=reno, vegas=vegas).differences[0]
    alone = comparison(reno=[{"x": r["x0"]} for r in reno], vegas=[{"x": r["x0"]} for r in vegas]).differences[0]
    assert alone.interval.low > 0
    assert (alone.verdict, many.verdict) == ("higher", "no significant difference")


@pytest.fixture
def chance(short: Path) -> Path:
    text = short.read_text().replace('queue = "10p"', 'queue = "10p", loss = "1%"')
    short.write_text(text)
    return short


def test_seeds_of_a_scenario_with_losses(vegaslab: Command, chance: Path, here: Path) -> None:
    done = vegaslab("compare", chance, "-a", "reno", "-a", "sack", "--seeds", "4", "--csv", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "sack less reno, seed by seed" in done.stdout
    assert {path.name for path in (here / "out").iterdir()} == {
        "comparison.json",
        "runs.parquet",
        "runs.csv",
        "differences.parquet",
        "differences.csv",
        "picture.png",
        "picture.svg",
        "picture.pdf",
    }
    runs = list(csv.DictReader((here / "out" / "runs.csv").read_text().splitlines()))
    assert [(row["algorithm"], row["seed"]) for row in runs][:5] == [
        *(("reno", str(seed)) for seed in (1, 2, 3, 4)),
        ("sack", "1"),
    ]
    single = json.loads(vegaslab("compare", chance, "-a", "sack", "--seed", "3", "--json").stdout)
    flows = single["runs"]["sack"]["flows"]
    goodput = [float(row["goodput_mbps"]) for row in runs if (row["algorithm"], row["seed"]) == ("sack", "3")]
    assert goodput == pytest.approx([sum(flow["goodput_mbps"] for flow in flows) / 2], rel=1e-12)


def test_cores_change_nothing_and_delay_percentiles_are_compared(chance: Path) -> None:
    reached: list[float] = []
    one = compare_seeds(chance, ["reno", "vegas"], 4, jobs=1)
    two = compare_seeds(chance, ["reno", "vegas"], 4, jobs=2, progress=reached.append)
    assert two.summary == one.summary
    assert reached == sorted(reached)
    assert reached[-1] == 8 * 3
    percentiles = [f"{name}_queueing_ms" for name in ("p50", "p95", "p99", "max")]
    assert {*percentiles} <= {difference.figure for difference in two.differences}
    for run in two.runs["reno"]:
        values = [run[name] for name in percentiles]
        assert values == sorted(values)
        # ten packets of 10 Mb/s: none waits longer than nine others take, 1500 bytes each
        assert 0 < values[2] <= 9 * 1.2 + 1e-6


def test_a_run_that_fails_ends_the_others(chance: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from vegaslab.runs.seeds import compare as seeds

    def broken(*_: object) -> dict[str, float]:
        raise RuntimeError("no figures")

    monkeypatch.setattr(seeds, "figures_of", broken)
    with pytest.raises(RuntimeError, match="no figures"):
        compare_seeds(chance, ["reno", "vegas"], 4, set={"duration": "20s"}, jobs=2)


def test_ctrl_c_ends_all_runs_and_leaves_nothing(chance: Path, here: Path) -> None:
    with under_way(["compare", chance, "-a", "reno", "--seeds", "4"], here) as process:
        assert list(here.glob("results/.short-seeds.*"))
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130
    assert len(said.splitlines()) == 1
    assert list(here.iterdir()) == []


def test_json_holds_means_and_differences(vegaslab: Command, chance: Path, here: Path) -> None:
    done = vegaslab("compare", chance, "-a", "reno", "-a", "sack", "--seeds", "3", "--seed", "5", "--json")
    summary = json.loads(done.stdout)
    assert (summary["seeds"], summary["seeds_matter"], summary["baseline"]) == ([5, 6, 7], True, "reno")
    assert 0 < summary["means"]["reno"]["jain_index"]["mean"] <= 1
    assert {record["algorithm"] for record in summary["differences"]} == {"sack"}
    assert list(here.iterdir()) == []


def test_a_scenario_without_chance_is_said_to_be_so(vegaslab: Command, short: Path) -> None:
    done = vegaslab("compare", short, "-a", "reno", "-a", "vegas", "--seeds", "3", "--no-plot")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("nothing here depends on the seed") == 1
    assert "+-" not in done.stdout
    assert "verdict" not in done.stdout
    summary = json.loads(vegaslab("compare", short, "-a", "reno", "--seeds", "2", "--json").stdout)
    assert (summary["seeds_matter"], summary["differences"]) == (False, [])
    assert "low" not in summary["means"]["reno"]["goodput_mbps"]


def test_sized_flows_give_percentiles_and_unfinished_ones_count_as_longest() -> None:
    flow = {"algorithm": "reno", "size": "100kb"}
    link = {"rate": "10mbit", "delay": "5ms", "queue": "20p", "loss": "0.5%"}
    topology = {"kind": "dumbbell", "access": {"rate": "100mbit", "delay": "1ms"}, "bottleneck": link}
    late = {**flow, "start": "1990ms"}
    scenario = {"name": "sized", "duration": "2s", "topology": topology, "flow": [{**flow, "count": 3}, late]}
    made = compare_seeds(scenario, ["reno", "vegas"], 2)
    run = made.runs["reno"][0]
    assert run["completion_p50_s"] > 0
    # the late one is one flow in four
    assert math.isnan(run["completion_p90_s"])
    assert "completion_p90_s" not in made.figures


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--seeds", "1"), "at least 2"),
        (("--seeds", "3", "--level", "95"), "level: 95"),
        (("--level", "0.9"), "--seeds"),
        (("--seeds", "3", "--pcapng"), "--pcapng"),
        (("--seeds", "3", "--html"), "--html"),
        (("--seeds", "3", "-a", "reno"), "twice"),
    ],
)
def test_bad_command_lines_are_refused(
    vegaslab: Command, short: Path, here: Path, arguments: tuple[str, ...], word: str
) -> None:
    done = vegaslab("compare", short, "-a", "reno", *arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert word in done.stderr
    assert list(here.iterdir()) == []


def test_bad_calls_are_refused() -> None:
    for options, word in (({"seeds": 1}, "seeds"), ({"level": 2.0}, "level")):
        with pytest.raises(ValueError, match=word):
            vegaslab.compare_seeds("gallop-50mbit", ["vegas"], **options)
    with pytest.raises(ValueError, match="each once"):
        vegaslab.compare_seeds("gallop-50mbit", ["vegas", "vegas"])


def test_jitter_of_the_kernels_clock_leaves_vegas_its_goodput_and_a_packets_time_takes_half() -> None:
    """What docs/networks.md advises for seeds on a drop-tail path: 1000 bytes take 160 us at 50 Mb/s."""

    def goodput_mbps(jitter: str) -> float:
        values = {"topology.bottleneck.delay": "18ms", "topology.access.jitter": jitter}
        return float(vegaslab.run("gallop-50mbit", set=values).summary["flows"][0]["goodput_mbps"])

    assert goodput_mbps("256ns") == pytest.approx(goodput_mbps("0s"), rel=1e-3)
    assert goodput_mbps("160us") < 0.6 * goodput_mbps("0s")


def test_jitter_of_the_kernels_clock_makes_the_order_of_packets_chance() -> None:
    """Two flows of CUBIC with base RTTs of 44 and 88 ms: 13.4 to 1 by the phases of their packets."""

    def ratio(jitter: str) -> float:
        values = {f"flow.{flow}.access.jitter": jitter for flow in (0, 1)}
        near, far = vegaslab.run("phase-effects", set=values).summary["flows"]
        return float(near["goodput_mbps"] / far["goodput_mbps"])

    assert ratio("0s") > 10
    assert ratio("256ns") < 5


def test_phase_effects_are_named_whatever_figures_are_chosen() -> None:
    said = "the phases of packets may decide"
    for figures in (None, ["goodput_mbps"]):
        made = compare_seeds("phase-effects", ["vegas"], 2, set={"duration": "2s"}, figures=figures)
        assert said in seeds_report(made)
    assert said not in seeds_report(compare_seeds("gallop-50mbit", ["vegas"], 2, set={"duration": "2s"}))

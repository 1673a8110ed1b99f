"""Groups of flows, and media: figures of their own in tables, comparisons and sweeps."""

import json
import re
from pathlib import Path

import pytest

import vegaslab
from tests.conftest import Command

CALL = """
name = "call"
duration = "8s"

[topology]
kind = "dumbbell"
access = { rate = "1gbit", delay = "1ms" }
bottleneck = { rate = "4mbit", delay = "20ms", queue = "60p", loss = "0.2%" }

[[flow]]
count = 2
algorithm = "cubic"
group = "bulk"

[[flow]]
algorithm = "reno"
group = "call"
application = [{ kind = "media", layers = [
    { every = "20ms", size = "80b" },
    { every = "40ms", size = "2kb", give_up = "100ms" },
] }]
"""


@pytest.fixture
def call(tmp_path: Path) -> Path:
    path = tmp_path / "call.toml"
    path.write_text(CALL)
    return path


def test_an_index_of_fairness_leaves_out_what_an_application_limits(call: Path) -> None:
    compared = vegaslab.compare_seeds(call, ["cubic", "vegas"], 2, flows=[0])
    bulk = compared.runs["cubic"][0]
    flows = vegaslab.run(call).summary["flows"]
    one, other, media = (flow["goodput_mbps"] for flow in flows)
    assert [flow["application"] for flow in flows] == ["bulk", "bulk", "media"]
    assert bulk["jain_index"] == pytest.approx((one + other) ** 2 / (2 * (one**2 + other**2)))
    assert bulk["group.bulk.jain_index"] == bulk["flow.0.jain_index"] == bulk["jain_index"]
    assert bulk["group.call.share_percent"] == pytest.approx(100 * media / (one + other + media))
    assert "group.call.jain_index" not in bulk


def test_media_have_figures_in_json_tables_comparisons_and_sweeps(call: Path, tmp_path: Path) -> None:
    result = vegaslab.run(call)
    voice, video = result.summary["media"]
    rows = result.media.to_pylist()
    assert (voice["id"], video["id"]) == ("2.0", "2.1")
    for layer, totals in enumerate((voice, video)):
        mine = [row for row in rows if row["layer"] == layer]
        assert totals["frames"] == len(mine)
        assert totals["given_up_frames"] == sum(row["state"] == "given-up" for row in mine)
        assert totals["max_delay_ms"] == max(row["delay_ms"] for row in mine if row["delay_ms"] is not None)
    assert video["given_up_frames"] > 0

    figures = vegaslab.compare_seeds(call, "cubic", 2, flows=[0]).runs["cubic"][0]
    assert figures["media.1.given_up_percent"] == pytest.approx(100 * video["given_up_frames"] / video["frames"])
    assert figures["group.call.media.1.given_up_percent"] == figures["media.1.given_up_percent"]

    vegaslab.sweep(vegaslab.Plan(call, grid={"duration": ["8s"]}, replications=2), tmp_path / "swept")
    given_up = vegaslab.read_runs(tmp_path / "swept")["media.2.1.given_up_frames"][0]
    assert given_up.as_py() == video["given_up_frames"]
    analysed = vegaslab.analyse(
        tmp_path / "swept", ["jain_index", "media.1.given_up_percent", "group.call.share_percent"]
    )
    of_first = analysed.cells[0].runs[1]
    assert of_first["jain_index"] == pytest.approx(figures["jain_index"])
    assert of_first["media.1.given_up_percent"] == pytest.approx(figures["media.1.given_up_percent"])
    assert of_first["group.call.share_percent"] == pytest.approx(figures["group.call.share_percent"])


def test_the_terminal_shows_groups_and_media(vegaslab: Command, call: Path, here: Path) -> None:
    done = vegaslab("run", call, "--no-plot", "-o", "out")
    assert done.returncode == 0, done.stderr
    groups, media = done.stdout.index("\ngroup "), done.stdout.index("\nmedia of flow")
    assert groups < media
    assert [line.split()[:2] for line in done.stdout[groups:].splitlines()[2:4]] == [["bulk", "2"], ["call", "1"]]
    assert len(json.loads((here / "out" / "manifest.json").read_text())["summary"]["media"]) == 2


def test_a_comparison_of_chosen_figures_tests_these_alone(vegaslab: Command, call: Path, here: Path) -> None:
    two = ["-r", "mean_queueing_ms", "-r", "group.call.media.0.late_percent"]
    done = vegaslab(
        "compare", call, "-a", "cubic", "-a", "vegas", "-a", "reno", "--seeds", "3", "--pairs", *two, "-o", "out"
    )
    assert done.returncode == 0, done.stderr
    compared = json.loads((here / "out" / "comparison.json").read_text())
    assert {difference["figure"] for difference in compared["differences"]} <= {*two[1::2]}
    pairs = {(difference["baseline"], difference["algorithm"]) for difference in compared["differences"]}
    assert pairs == {("cubic", "vegas"), ("cubic", "reno"), ("vegas", "reno")}

    wrong = vegaslab("compare", call, "-a", "cubic", "--seeds", "3", "-r", "queueing", "-o", "wrong")
    assert wrong.returncode == 2
    assert 'figures: "queueing" is no figure of these runs; did you mean ' in wrong.stderr
    alone = vegaslab("compare", call, "-a", "cubic", "-r", "drops")
    assert (alone.returncode, alone.stderr) == (2, "vegaslab: -r goes with --seeds, whose figures have verdicts\n")


def test_a_comparison_without_seeds_shows_the_index_of_each_variant(vegaslab: Command, call: Path) -> None:
    compared = vegaslab("compare", call, "-a", "cubic", "-a", "vegas", "--flow", "0", "--json")
    shown = vegaslab("compare", call, "-a", "cubic", "-a", "vegas", "--flow", "0", "--no-plot", "-o", "out").stdout
    for name, summary in json.loads(compared.stdout)["runs"].items():
        one, other, _ = (flow["goodput_mbps"] for flow in summary["flows"])
        index = (one + other) ** 2 / (2 * (one**2 + other**2))
        assert re.search(rf"^{name} +2 +{one + other:.3f} +{index:.4f}$", shown, re.MULTILINE), name
    assert "flows with bulk data" in vegaslab("run", call, "--no-plot", "-o", "run").stdout
    alone = vegaslab("run", "gallop-50mbit", "--set", "duration=1s", "--no-plot", "-o", "alone").stdout
    assert "flows with bulk data" not in alone

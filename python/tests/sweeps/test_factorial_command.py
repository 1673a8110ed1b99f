import csv
import json
from pathlib import Path

import pytest

import vegaslab
from tests.conftest import Command
from vegaslab.sweeps.factorial.experiment import analyse

PLAN = """\
scenario = "short.toml"
replications = 3

[factorial]
responses = ["flow.0.goodput_mbps"]

[factorial.set]
"topology.bottleneck.loss" = "1%"

[factorial.factor.A]
name = "queue & co"
key = "topology.bottleneck.queue"
low = "5p"
high = "40p"

[factorial.factor.B]
low = { "flow.0.initial_window" = 1, "flow.1.initial_window" = 1 }
high = { "flow.0.initial_window" = 4, "flow.1.initial_window" = 4 }
"""


@pytest.fixture
def plan(short: Path) -> Path:
    path = short.with_name("design.toml")
    path.write_text(PLAN)
    return path


def test_it_runs_analyses_and_writes(vegaslab: Command, plan: Path, here: Path) -> None:
    done = vegaslab("factorial", plan, "-o", "out", "-j", "1")
    assert done.returncode == 0, done.stderr
    assert "2^2 x 3, 12 runs" in done.stdout
    folder = here / "out" / "factorial"
    response = folder / "flow.0.goodput_mbps"
    assert {path.name for path in response.iterdir()} == {
        "effects.csv",
        "cells.csv",
        "residuals.csv",
        "effects.tex",
        "picture.png",
        "picture.svg",
    }
    assert r"queue \& co $\times$ B" in (response / "effects.tex").read_text()
    rows = list(csv.DictReader((response / "effects.csv").read_text().splitlines()))
    assert [row["effect"] for row in rows] == ["I", "A", "B", "AB"]
    record = json.loads((folder / "factorial.json").read_text())["analyses"][0]
    assert float(rows[1]["estimate"]) == record["effects"][1]["estimate"]
    assert record["degrees_of_freedom"] == 8


def test_another_response_is_added_and_nothing_deleted(vegaslab: Command, plan: Path, here: Path) -> None:
    folder = here / "out" / "factorial"
    assert vegaslab("factorial", plan, "-o", "out", "--no-plot").returncode == 0
    before = (folder / "flow.0.goodput_mbps" / "effects.csv").read_bytes()
    done = vegaslab("factorial", plan, "-o", "out", "--no-plot", "-r", "flow.1.timeouts")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in folder.iterdir()} == {"factorial.json", "flow.0.goodput_mbps", "flow.1.timeouts"}
    assert (folder / "flow.0.goodput_mbps" / "effects.csv").read_bytes() == before
    records = json.loads((folder / "factorial.json").read_text())["analyses"]
    assert [record["response"] for record in records] == ["flow.0.goodput_mbps", "flow.1.timeouts"]
    # once more: each is there once; the folder is still one that may be replaced
    assert vegaslab("factorial", plan, "-o", "out", "--no-plot", "-r", "flow.1.timeouts").returncode == 0
    assert len(json.loads((folder / "factorial.json").read_text())["analyses"]) == 2


def test_responses_of_other_factors_do_not_mix(vegaslab: Command, plan: Path, here: Path) -> None:
    assert vegaslab("factorial", plan, "-o", "out", "--no-plot").returncode == 0
    plan.write_text(PLAN.replace("queue & co", "queue"))
    done = vegaslab("factorial", plan, "-o", "out", "--no-plot", "-r", "flow.1.timeouts")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "other factors" in done.stderr
    assert (here / "out/factorial/flow.0.goodput_mbps/effects.csv").exists()


@pytest.mark.parametrize("response", ["nope", "0", "flow.0.nope"])
def test_a_wrong_response_is_found_before_the_runs(vegaslab: Command, plan: Path, here: Path, response: str) -> None:
    done = vegaslab("factorial", plan, "-r", response)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert f'"{response}" is no figure of runs' in done.stderr
    assert list(here.iterdir()) == []


def test_cells_are_those_of_single_runs(vegaslab: Command, plan: Path, short: Path, here: Path) -> None:
    assert vegaslab("factorial", plan, "-o", "out", "--no-plot").returncode == 0
    rows = list(csv.DictReader((here / "out/factorial/flow.0.goodput_mbps/residuals.csv").read_text().splitlines()))
    overrides = {"topology.bottleneck.loss": "1%", "topology.bottleneck.queue": "40p"}
    overrides |= {"flow.0.initial_window": "1", "flow.1.initial_window": "1"}
    chosen = [row for row in rows if (row["A"], row["B"], row["replication"]) == ("1", "-1", "2")]
    # replications count up from the scenario's seed, 1
    summary = json.loads(
        vegaslab("run", short, "--json", "--seed", "3", *(f"--set={key}={v}" for key, v in overrides.items())).stdout
    )
    assert [float(row["response"]) for row in chosen] == [summary["flows"][0]["goodput_mbps"]]


def test_a_second_analysis_makes_no_runs_and_takes_another_level(vegaslab: Command, plan: Path, here: Path) -> None:
    assert vegaslab("factorial", plan, "-o", "out", "--no-plot").returncode == 0
    before = (here / "out/runs/00000.parquet").stat().st_mtime_ns
    done = vegaslab("factorial", plan, "-o", "out", "--no-plot", "--level", "0.99", "-r", "flow.1.timeouts", "--json")
    assert (here / "out/runs/00000.parquet").stat().st_mtime_ns == before
    record = json.loads(done.stdout)["analyses"][0]
    assert (record["level"], record["response"]) == (0.99, "flow.1.timeouts")
    analysed = analyse(vegaslab_plan(plan), here / "out", level=0.5)
    assert analysed["flow.0.goodput_mbps"].level == 0.5


def vegaslab_plan(path: Path) -> vegaslab.Plan:
    return vegaslab.Plan.from_file(path)


def test_a_text_of_the_user_s_is_not_replaced(vegaslab: Command, plan: Path, here: Path) -> None:
    assert vegaslab("factorial", plan, "-o", "out", "--no-plot").returncode == 0
    (here / "out/factorial/thesis.tex").write_text("years of work")
    done = vegaslab("factorial", plan, "-o", "out", "--no-plot")
    assert done.returncode == 2
    assert "thesis.tex" in done.stderr


def test_the_logarithm_is_taken_where_asked_and_possible(vegaslab: Command, plan: Path) -> None:
    plan.write_text(PLAN.replace("[factorial]", '[factorial]\ntransform = "log10"'))
    assert "log10 flow.0.goodput_mbps" in vegaslab("factorial", plan, "-o", "out", "--no-plot").stdout
    done = vegaslab("factorial", plan, "-o", "out", "--no-plot", "-r", "traffic")
    assert done.returncode == 2
    done = vegaslab("factorial", plan, "-o", "out", "--no-plot", "-r", "flow.0.start_s")
    assert done.returncode == 2
    assert "no logarithm" in done.stderr


def test_failed_runs_end_it(vegaslab: Command, plan: Path) -> None:
    plan.write_text(PLAN.replace('"40p"', '"40q"'))
    done = vegaslab("factorial", plan, "-o", "out")
    assert done.returncode == 1
    assert "6 runs failed" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ('responses = ["flow.0.goodput_mbps"]', 'responses = ["flow.0.goodput"]', "flow.0.goodput_mbps"),
        ('responses = ["flow.0.goodput_mbps"]', 'response = ["flow.0.goodput_mbps"]', "responses"),
        ('responses = ["flow.0.goodput_mbps"]', "level = 0.9", "names no responses"),
        ("[factorial]", "[factorial]\nlevel = 90", "level"),
        ("[factorial]", '[factorial]\ngenerators = ["B = AC"]', "names C"),
        ("[factorial]", "[factorial]\nblocks = 1", "true or false"),
        ("[factorial]", '[factorial]\ntransform = "ln"', "log10"),
        ('high = "40p"', "", "no high"),
        ('high = "40p"', 'high = "5p"', "same values"),
        ("[factorial.factor.B]", "[factorial.factor.b]", '"b"'),
        ('key = "topology.bottleneck.queue"', 'key = "flow.0.initial_window"', "one factor"),
        ('key = "topology.bottleneck.queue"\n', "", "give a table"),
        ("[factorial]", '[grid]\nduration = ["1s", "2s"]\n[factorial]', "factors alone"),
    ],
)
def test_a_bad_design_is_refused_in_one_line(vegaslab: Command, plan: Path, old: str, new: str, word: str) -> None:
    assert old in PLAN
    plan.write_text(PLAN.replace(old, new, 1))
    done = vegaslab("factorial", plan, "-o", "out")
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "design.toml" in done.stderr
    assert word in done.stderr


def test_command_lines_that_are_wrong_are_refused(vegaslab: Command, plan: Path, short: Path) -> None:
    for arguments, word in (
        ((plan, "--level", "90"), "level: 90 was given"),
        ((plan, "-j", "0"), "jobs: 0 was given"),
        ((short,), "unknown key"),
    ):
        done = vegaslab("factorial", *arguments)
        assert done.returncode == 2
        assert word in done.stderr


def test_a_fraction_runs_half_of_the_cells() -> None:
    plan = vegaslab.Plan(
        "gallop-50mbit",
        factorial={
            "generators": ["C = AB"],
            "factor": {
                letter: {"key": key, "low": 1, "high": 3}
                for letter, key in (("A", "flow.0.alpha"), ("B", "flow.0.initial_window"), ("C", "flow.0.gamma"))
            },
        },
    )
    assert plan.number_of_cells == 4
    assert [cell["flow.0.gamma"] for cell in plan.cells()] == [3, 1, 1, 3]

import csv
import json
from pathlib import Path

import pytest

import vegaslab
from tests.conftest import Command
from vegaslab.sweeps.analysis.analyse import SweepAnalysis
from vegaslab.sweeps.analysis.cells import AnalysisError, Cell

PLAN = """\
scenario = "short.toml"
replications = 3
[grid]
"flow.0.algorithm" = ["reno", { preset = "vegas", slow_start = "gallop" }]
"topology.bottleneck.queue" = ["10p", "30p"]
"topology.bottleneck.loss" = ["1%"]
"""


@pytest.fixture
def swept(vegaslab: Command, short: Path, here: Path) -> Path:
    short.with_name("plan.toml").write_text(PLAN)
    assert vegaslab("sweep", short.with_name("plan.toml"), "-o", "out", "-j", "1").returncode == 0
    return here / "out"


def made_up() -> SweepAnalysis:
    """Two keys of two values, three seeds; the cell of 2 and b has no third seed."""
    values = {("1", "a"): (10, 40, 80), ("1", "b"): (5, 6, 7), ("2", "a"): (11.1, 40.9, 81.2), ("2", "b"): (5, 8)}
    cells = [Cell(place, {seed: {"x": value} for seed, value in enumerate(row, 1)}) for place, row in values.items()]
    return SweepAnalysis("made-up", ["k", "l"], cells, ["x"], baseline={"k": "1"}, level=0.95, failed=0)


def test_cells_are_compared_with_what_differs_in_the_baseline_alone() -> None:
    made = made_up()
    assert {cell for _, cell in made.differences} == {("2", "a"), ("2", "b")}
    # 1.1, 0.9, 1.2: mean 1.0667, s = 0.15275, t[0.975; 2] = 4.303: 0.3795
    interval = made.differences["x", ("2", "a")].interval
    assert interval.mean == pytest.approx(1.0667, abs=1e-4)
    assert interval.half_width == pytest.approx(0.3795, abs=1e-3)
    # seeds that both have: 0 and 2
    assert made.differences["x", ("2", "b")].interval.values == 2
    assert made.differences["x", ("2", "b")].interval.mean == 1


def test_means_over_another_key_take_whole_seeds() -> None:
    made = made_up()
    # (11.1 + 5) / 2 and (40.9 + 8) / 2; the third seed lacks a cell
    over = made.mean([cell for cell in made.cells if cell.values[0] == "2"], "x")
    assert over is not None
    assert over.mean == pytest.approx((8.05 + 24.45) / 2)
    assert over.values == 2


def test_the_command_leaves_tables_and_pictures(vegaslab: Command, swept: Path) -> None:
    done = vegaslab("analyse", "out", "--baseline", "flow.0.algorithm=reno", "-r", "goodput_mbps")
    assert (done.returncode, done.stderr) == (0, "")
    assert "4 cells x 3 seeds, against flow.0.algorithm=reno" in done.stdout
    folder = swept / "analysis"
    assert {path.name for path in folder.iterdir()} == {"analysis.json", "goodput_mbps"}
    names = {path.name for path in (folder / "goodput_mbps").iterdir()}
    assert names == {"cells.csv", "cells.tex", "picture.png", "picture.svg", "picture.pdf"}
    rows = list(csv.DictReader((folder / "goodput_mbps" / "cells.csv").read_text().splitlines()))
    assert [row["flow.0.algorithm"] for row in rows] == ["reno", "reno", "vegas+gallop", "vegas+gallop"]
    assert [bool(row["verdict"]) for row in rows] == [False, False, True, True]
    assert r"goodput\_mbps" in (folder / "goodput_mbps" / "cells.tex").read_text()
    # again over what is there, and the sweep goes on beside it
    assert vegaslab("analyse", "out", "--no-plot").returncode == 0
    assert vegaslab("sweep", swept.parent.parent / "plan.toml", "-o", "out").returncode == 0


def test_figures_are_those_of_a_comparison_over_the_same_seeds(swept: Path, short: Path) -> None:
    made = vegaslab.analyse(swept)
    keys = {"topology.bottleneck.queue": "30p", "topology.bottleneck.loss": "1%"}
    compared = vegaslab.compare_seeds(short, "reno", 3, flows=[0], set=keys)
    cell = next(cell for cell in made.cells if cell.values[:2] == ("reno", "30p"))
    for figure in made.figures:
        assert cell.of_seeds(figure, made.seeds) == pytest.approx(compared.values("reno", figure)), figure


def test_columns_of_runs_are_figures_too(swept: Path) -> None:
    made = vegaslab.analyse(swept, "flow.1.timeouts", baseline={"topology.bottleneck.queue": "10p"})
    column = vegaslab.read_runs(swept)["flow.1.timeouts"].to_pylist()
    assert [value for cell in made.cells for value in cell.of_seeds("flow.1.timeouts", made.seeds)] == column
    assert json.loads(json.dumps(made.summary))["figures"] == ["flow.1.timeouts"]
    for options, word in (({"baseline": {"x": 1}}, "not varied"), ({"level": 2.0}, "level")):
        with pytest.raises(AnalysisError, match=word):
            vegaslab.analyse(swept, **options)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--baseline", "flow.0.algorithm=sack"), "never sack"),
        (("--baseline", "x=1"), "not varied"),
        (("--baseline", "x"), "KEY=VALUE"),
        (("-r", "goodput"), "goodput_mbps"),
        (("-x", "alpha"), "not varied"),
        (("--level", "95"), "between 0 and 1"),
    ],
)
def test_what_is_not_there_is_said_in_a_line(
    vegaslab: Command, swept: Path, arguments: tuple[str, ...], word: str
) -> None:
    done = vegaslab("analyse", "out", *arguments)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert word in done.stderr
    assert not (swept / "analysis").exists()


def test_a_folder_without_runs_is_refused(vegaslab: Command, here: Path) -> None:
    (here / "empty").mkdir()
    done = vegaslab("analyse", "empty")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)


def test_cells_of_other_networks_stand_side_by_side(tmp_path: Path) -> None:
    link = {"rate": "10mbit", "delay": "5ms", "queue": "20p"}
    access = {"rate": "100mbit", "delay": "1ms"}
    lot = {"kind": "parking-lot", "access": access, "hops": 2, "bottleneck": link}
    dumbbell = {"kind": "dumbbell", "access": access, "bottleneck": link}
    flow = {"algorithm": "reno"}
    scenario = {"name": "two", "duration": "1s", "topology": lot, "flow": [flow]}
    cells: list[dict[str, object]] = [{"topology": lot}, {"topology": dumbbell, "flow": [flow, flow]}]
    vegaslab.sweep(vegaslab.Plan(scenario, list=cells), tmp_path / "out", jobs=1)
    made = vegaslab.analyse(tmp_path / "out", ["goodput_mbps", "utilisation_percent", "jain_index"])
    assert made.mean(made.cells[:1], "jain_index") is None
    assert made.mean(made.cells[1:], "jain_index") is not None
    assert "one seed" in made.report()
    assert made.differences == {}


OWN = """
class Mine:
    def __init__(self, start):
        self.window = start.initial_window

    def on_ack(self, ack):
        self.window += 1 / self.window

    def on_loss(self, loss):
        self.window = max(2, self.window / 2)


class Other(Mine):
    pass
"""


def test_own_algorithms_are_labelled_by_their_class_and_by_their_file_where_two_are_alike(
    short: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text(OWN)
    (tmp_path / "b.py").write_text(OWN)

    def labels(*classes: str) -> list[str]:
        algorithms = ["vegas", *({"python": f"{tmp_path}/{name}"} for name in classes)]
        vegaslab.sweep(vegaslab.Plan(short, grid={"flow.0.algorithm": algorithms}), tmp_path / classes[-1][0])
        return vegaslab.analyse(tmp_path / classes[-1][0]).values_of("flow.0.algorithm")

    assert labels("a.py:Mine", "a.py:Other") == ["vegas", "Mine", "Other"]
    assert labels("a.py:Mine", "b.py:Mine", "b.py:Other") == [
        "vegas",
        f"{tmp_path}/a.py:Mine",
        f"{tmp_path}/b.py:Mine",
        "Other",
    ]
    baseline = vegaslab.analyse(tmp_path / "a", baseline={"flow.0.algorithm": "Mine"}).baseline
    assert baseline == {"flow.0.algorithm": "Mine"}


def test_where_no_run_depends_on_its_seed_there_are_no_verdicts(tmp_path: Path) -> None:
    grid = {"flow.0.algorithm": ["vegas", "reno"], "duration": ["3s"]}
    vegaslab.sweep(vegaslab.Plan("phase-effects", grid=grid, replications=3), tmp_path / "alike")
    analysis = vegaslab.analyse(tmp_path / "alike")
    assert analysis.differences == {}
    assert "nothing here depends on the seed: all 3 runs of a cell are the same; of several flows" in analysis.report()
    assert "higher" not in analysis.report()
    vegaslab.sweep(vegaslab.Plan("lossy", grid=grid, replications=3), tmp_path / "random")
    assert vegaslab.analyse(tmp_path / "random").differences

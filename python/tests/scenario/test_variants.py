import csv
import json
import warnings
from pathlib import Path

import pytest

import vegaslab
from tests.conftest import Command
from vegaslab.scenario.hosts import hosts_line
from vegaslab.scenario.objects import Parts
from vegaslab.scenario.variants import AlgorithmLike, load_variants, split_values

GALLOP = '{ preset = "vegas", slow_start = "gallop" }'


def test_a_table_of_parts_is_compared_under_its_name(vegaslab: Command, short: Path, here: Path) -> None:
    done = vegaslab("compare", short, "-a", "vegas", "-a", GALLOP, "-a", f"mine={GALLOP}", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    runs = json.loads((here / "out" / "comparison.json").read_text())["runs"]
    assert list(runs) == ["vegas", "vegas+gallop", "mine"]
    assert {path.name for path in (here / "out").iterdir() if path.is_dir()} == {*runs}
    assert [flow["algorithm"] for flow in runs["mine"]["flows"]] == ["mine", "mine"]
    assert "preset" not in done.stdout
    # the same algorithm under two names gives the same run
    named = ("algorithm", "group")
    same = [{key: value for key, value in flow.items() if key not in named} for flow in runs["mine"]["flows"]]
    assert same == [{k: v for k, v in flow.items() if k not in named} for flow in runs["vegas+gallop"]["flows"]]
    assert vegaslab("compare", short, "-a", "vegas", "-o", "out", "--no-plot").returncode == 0


def test_the_first_line_names_the_hosts(vegaslab: Command, short: Path, here: Path) -> None:
    algorithms = ("-a", "reno", "-a", "cubic", "--no-plot", "-o", "out")
    for more in (), ("--seeds", "2"):
        assert vegaslab("compare", short, *algorithms, *more).stdout.splitlines()[0] == "hosts: bsd"
        (here / "out").rename(here / f"out{len(more)}")
    two_tables = ("dynamic-vegas-and-reno", *algorithms, "--set", "duration=2s", "--set", "flow.1.host=linux")
    mixed = vegaslab("compare", *two_tables).stdout
    assert mixed.splitlines()[0] == "hosts are mixed: flow 0 on bsd; flow 1 on linux"


def test_what_linux_has_runs_on_its_host(vegaslab: Command, short: Path) -> None:
    servers = vegaslab(
        "compare", short, "-a", "vegas-linux", "-a", "cubic-linux", "-a", "bbr3", "--no-plot", "-o", "out"
    )
    assert servers.stdout.splitlines()[0] == "hosts: linux"
    # a table of parts follows its preset; an own algorithm without one has the host of the papers
    assert hosts_line(load_variants(short, ["{ preset = 'bbr3', name = 'mine' }"])) == "hosts: linux"
    assert hosts_line(load_variants(short, ["{ signal = 'end-to-end', name = 'mine' }"])) == "hosts: bsd"
    assert hosts_line(load_variants(short, ["bbr3"], set={"flow.0.host": "bsd", "flow.1.host": "bsd"})) == "hosts: bsd"
    assert (
        hosts_line(load_variants(short, ["bbr3"], flows=[0], set={"flow.0.transport": "quic"}))
        == "hosts are mixed: flow 0 on quic; flow 1 on bsd"
    )


def test_a_preset_that_a_host_refuses_has_a_remedy(vegaslab: Command, short: Path) -> None:
    refused = vegaslab("compare", short, "-a", "vegas", "--set", "flow.0.host=linux")
    assert refused.returncode == 2
    assert '"vegas" does not run on host "linux"' in refused.stderr
    assert 'write "vegas-linux"' in refused.stderr


def test_evaluations_run_on_bsd() -> None:
    for scenario in (name for name in vegaslab.shipped_scenarios() if name.startswith("evaluate/")):
        assert hosts_line(load_variants(scenario, ["reno"])) == "hosts: bsd", scenario


def test_seeds_are_compared_under_the_same_names(vegaslab: Command, short: Path, here: Path) -> None:
    done = vegaslab("compare", short, "-a", "reno", "-a", GALLOP, "--seeds", "2", "--csv", "-o", "out")
    assert (done.returncode, done.stderr) == (0, "")
    rows = list(csv.DictReader((here / "out" / "runs.csv").read_text().splitlines()))
    assert [row["algorithm"] for row in rows] == ["reno", "reno", "vegas+gallop", "vegas+gallop"]


@pytest.mark.parametrize(
    "algorithm", [{"preset": "vegas", "slow_start": "gallop"}, Parts(preset="vegas", slow_start="gallop")]
)
def test_python_takes_dicts_and_parts(short: Path, algorithm: AlgorithmLike) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compared = vegaslab.compare(short, ["vegas", algorithm])
        compared.plot()
    assert list(compared) == ["vegas", "vegas+gallop"]
    assert json.loads(json.dumps(compared.summary)) == compared.summary
    over_seeds = vegaslab.compare_seeds(short, algorithm, 2)
    assert list(over_seeds.runs) == ["vegas+gallop"]
    result = vegaslab.run(short, set={"flow.0.algorithm": algorithm})
    assert result.summary["flows"][0]["algorithm"] == "vegas+gallop"


def test_a_lone_string_is_one_algorithm(short: Path) -> None:
    assert list(vegaslab.compare(short, "vegas")) == ["vegas"]
    assert list(vegaslab.compare_seeds(short, "reno", 2).runs) == ["reno"]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("-a", "vegas", "-a", "vegas"), "vegas is given twice"),
        (("-a", GALLOP, "-a", GALLOP, "--seeds", "2"), "vegas+gallop is given twice"),
        (("-a", f"reno={GALLOP}"), "name of a preset"),
        (("-a", f"../x={GALLOP}"), "is no name"),
        (("-a", '{ preset = "vegas", slow_start = "galop" }'), "gallop"),
    ],
)
def test_names_are_told_apart_and_safe(
    vegaslab: Command, short: Path, here: Path, arguments: tuple[str, ...], word: str
) -> None:
    done = vegaslab("compare", short, *arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert word in done.stderr
    assert list(here.iterdir()) == []


def test_names_come_from_the_file_too(short: Path) -> None:
    named = {"preset": "vegas", "name": "mine"}
    assert list(load_variants(short, [named])) == ["mine"]
    assert vegaslab.run(short, set={"flow.1.algorithm": named}).summary["flows"][1]["algorithm"] == "mine"


def test_one_flow_alone_changes_its_algorithm(vegaslab: Command, short: Path, here: Path) -> None:
    done = vegaslab("compare", short, "--flow", "0", "-a", "reno", "-a", GALLOP, "-o", "out", "--no-plot")
    assert (done.returncode, done.stderr) == (0, "")
    runs = json.loads((here / "out" / "comparison.json").read_text())["runs"]
    algorithms = {name: [flow["algorithm"] for flow in run["flows"]] for name, run in runs.items()}
    assert algorithms == {"reno": ["reno", "vegas"], "vegas+gallop": ["vegas+gallop", "vegas"]}
    single = json.loads(vegaslab("run", short, "--json", "--set", f"flow.0.algorithm={GALLOP}").stdout)
    assert runs["vegas+gallop"]["flows"] == single["flows"]
    assert "variant" in done.stdout


def test_a_flow_is_judged_against_the_others(vegaslab: Command, short: Path, here: Path) -> None:
    lossy = ["--set", "topology.bottleneck.loss=1%"]
    arguments = [*lossy, "--flow", "0", "-a", "reno", "-a", "sack", "--seeds", "3", "--no-plot", "-o", "out"]
    done = vegaslab("compare", short, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    summary = json.loads((here / "out" / "comparison.json").read_text())
    means = summary["means"]["sack"]
    singles = [
        json.loads(vegaslab("run", short, *lossy, "--set", "flow.0.algorithm=sack", f"--seed={seed}", "--json").stdout)
        for seed in (1, 2, 3)
    ]
    goodput = sum(run["flows"][0]["goodput_mbps"] for run in singles) / 3
    assert means["flow.0.goodput_mbps"]["mean"] == pytest.approx(goodput)
    shares = [run["flows"][0]["goodput_mbps"] / sum(flow["goodput_mbps"] for flow in run["flows"]) for run in singles]
    assert means["flow.0.share_percent"]["mean"] == pytest.approx(100 * sum(shares) / 3)
    assert {d["figure"] for d in summary["differences"]} >= {"flow.0.goodput_mbps", "others.goodput_mbps"}
    assert vegaslab("compare", short, *arguments).returncode == 0


def test_any_key_is_varied(vegaslab: Command, short: Path, here: Path) -> None:
    done = vegaslab("compare", short, "--vary", "topology.bottleneck.queue=10p,20p", "-o", "out", "--no-plot")
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in (here / "out").iterdir()} == {"comparison.json", "queue=10p", "queue=20p"}
    over = vegaslab(
        "compare", short, "--vary", "flow.1.alpha=1,2", "--vary", "topology.bottleneck.loss=0.5%,1%",
        "--seeds", "2", "--csv", "--no-plot", "-o", "seeds",
    )  # fmt: skip
    assert (over.returncode, over.stderr) == (0, "")
    rows = list(csv.DictReader((here / "seeds" / "runs.csv").read_text().splitlines()))
    expected = [f"alpha={alpha},loss={loss}" for alpha in (1, 2) for loss in ("0.5%", "1%") for _ in range(2)]
    assert [row["variant"] for row in rows] == expected


def test_python_varies_as_the_command_does(short: Path) -> None:
    queue = {"kind": "codel", "limit": "20p"}
    assert list(vegaslab.compare(short, vary={"topology.bottleneck.queue": ["10p", queue]})) == [
        "queue=10p",
        "queue=kind-codel-limit-20p",
    ]
    made = vegaslab.compare_seeds(short, ["reno", "sack"], 2, flows=[1])
    assert made.flows == (1,)
    assert "flow.1.goodput_mbps" in made.figures


def test_how_many_flows_there_are_may_vary(short: Path) -> None:
    made = vegaslab.compare_seeds(short, seeds=2, vary={"flow.0.count": [1, 3]})
    for name, flows in (("count=1", 1), ("count=3", 3)):
        run = made.runs[name][0]
        whole = run["goodput_mbps"] * (flows + 1)
        assert run["flow.0.goodput_mbps"] * flows + run["others.goodput_mbps"] == pytest.approx(whole)


def test_a_name_longer_than_a_folders_is_refused(short: Path) -> None:
    long: dict[str, list[object]] = {
        "description": ["y" * 90],
        "flow.0.algorithm": [{"name": "a" * 60}],
        "flow.1.algorithm": [{"name": "b" * 60}],
    }
    assert len(next(iter(load_variants(short, vary=long)))) == 100 + 1 + 60 + 1 + 60
    queue = {"kind": "red", "limit": "20p", "min": 5, "max": 15}
    with pytest.raises(ValueError, match="too long"):
        load_variants(short, vary={**long, "topology.bottleneck.queue": [queue]})


def test_values_are_split_at_commas_outside_of_tables() -> None:
    assert split_values('1, { a = 2, b = "x,y" },[3, 4]') == ["1", '{ a = 2, b = "x,y" }', "[3, 4]"]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((), "nothing to compare"),
        (("--flow", "0"), "nothing to compare"),
        (("--flow", "2", "-a", "reno"), "from 0 to 1"),
        (("--flow", "0", "--vary", "flow.0.alpha=1,2"), "--flow goes with -a"),
        (("--vary", "flow.0.alpha=1,1"), "alpha=1 is given twice"),
        (("--vary", "flow.0.alpha"), "KEY=A,B,C"),
        (("--vary", "flow.0.alpha=1,"), "KEY=A,B,C"),
        (("--vary", "flow.0.alpa=1,2"), "alpha"),
    ],
)
def test_bad_variations_are_refused(
    vegaslab: Command, short: Path, here: Path, arguments: tuple[str, ...], word: str
) -> None:
    done = vegaslab("compare", short, *arguments)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert word in done.stderr
    assert list(here.iterdir()) == []


def test_long_names_do_not_run_into_each_other(short: Path) -> None:
    from vegaslab.runs.seeds.picture import draw

    long = Parts(preset="vegas", slow_start="gallop", recovery="sack", fine_retransmit=False)
    figure = draw(vegaslab.compare_seeds(short, ["reno", long, "vegas"], 2, set={"topology.bottleneck.loss": "1%"}))
    figure.canvas.draw()
    panel = figure.axes[0]
    assert panel.get_xticklabels()[1].get_window_extent().width < panel.get_window_extent().width
    title = figure._suptitle  # type: ignore[attr-defined]
    assert title.get_window_extent().x1 <= figure.bbox.x1

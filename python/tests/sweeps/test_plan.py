"""Plans: what varies, and what is wrong with a plan, in one line."""

from collections import Counter
from pathlib import Path

import pytest

import vegaslab
from vegaslab import Plan, PlanError

SCENARIO = """\
[scenario]
name = "tiny"
duration = "200ms"
seed = 11
topology = { kind = "dumbbell", access = { rate = "100mbit", delay = "1ms" }, bottleneck = { rate = "10mbit", delay = "3ms", queue = "10p" } }
flow = [{ algorithm = "vegas" }]
"""  # noqa: E501


def plan_of(tmp_path: Path, text: str) -> Plan:
    path = tmp_path / "plan.toml"
    path.write_text(text + SCENARIO)
    return Plan.from_file(path)


def test_a_grid_is_every_combination_with_the_last_key_fastest(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, 'grid = { "flow.0.alpha" = [1, 2], "flow.0.algorithm" = ["vegas", "reno"] }\n')
    assert list(plan.cells()) == [
        {"flow.0.alpha": 1, "flow.0.algorithm": "vegas"},
        {"flow.0.alpha": 1, "flow.0.algorithm": "reno"},
        {"flow.0.alpha": 2, "flow.0.algorithm": "vegas"},
        {"flow.0.alpha": 2, "flow.0.algorithm": "reno"},
    ]


def test_zip_takes_values_side_by_side_and_list_says_each_cell(tmp_path: Path) -> None:
    text = 'zip = { "flow.0.alpha" = [1, 2], "flow.0.beta" = [3, 4] }\nlist = [{ duration = "100ms" }, {}]\n'
    plan = plan_of(tmp_path, text)
    assert list(plan.cells()) == [
        {"flow.0.alpha": 1, "flow.0.beta": 3, "duration": "100ms"},
        {"flow.0.alpha": 1, "flow.0.beta": 3},
        {"flow.0.alpha": 2, "flow.0.beta": 4, "duration": "100ms"},
        {"flow.0.alpha": 2, "flow.0.beta": 4},
    ]


def test_random_values_cover_every_range_evenly(tmp_path: Path) -> None:
    text = """\
[random]
samples = 8
"topology.bottleneck.delay" = { from = "10.00ms", to = "18.00ms" }
"topology.bottleneck.rate" = { from = "1.000mbit", to = "256.000mbit", log = true }
"""
    cells = list(plan_of(tmp_path, text).cells())
    delays = sorted(float(str(cell["topology.bottleneck.delay"]).removesuffix("ms")) for cell in cells)
    rates = sorted(float(str(cell["topology.bottleneck.rate"]).removesuffix("mbit")) for cell in cells)
    # one delay in each of eight ms, one rate in each doubling
    assert all(10 + n <= delay <= 11 + n for n, delay in enumerate(delays))
    assert all(2**n * 0.99 <= rate <= 2 ** (n + 1) * 1.01 for n, rate in enumerate(rates))
    assert cells == list(plan_of(tmp_path, text).cells())
    assert cells != list(plan_of(tmp_path, text.replace("samples = 8", "samples = 8\nseed = 2")).cells())


def test_whole_ranges_give_whole_numbers_each_once(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, 'random = { samples = 100, "flow.0.alpha" = { from = 1, to = 4 } }\n')
    assert Counter(cell["flow.0.alpha"] for cell in plan.cells()) == {1: 1, 2: 1, 3: 1, 4: 1}


def test_replications_count_up_from_the_scenarios_seed(tmp_path: Path) -> None:
    assert list(plan_of(tmp_path, "replications = 3\n").seeds) == [11, 12, 13]
    assert list(plan_of(tmp_path, "replications = 2\nseed = 5\n").seeds) == [5, 6]


def test_a_file_and_python_give_the_same_runs(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(SCENARIO.removeprefix("[scenario]\n"))
    path = tmp_path / "plan.toml"
    path.write_text('scenario = "tiny.toml"\nreplications = 2\n[grid]\n"flow.0.alpha" = [1, 2]\n')
    from_file = Plan.from_file(path)
    from_python = Plan(tmp_path / "tiny.toml", grid={"flow.0.alpha": [1, 2]}, replications=2)
    assert list(from_file.cells()) == list(from_python.cells())
    cells = ['{"flow.0.alpha": 1}']
    assert from_file.template.run_ids(cells, [11]) == from_python.template.run_ids(cells, [11])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("grids = {}\n", '1: grids: unknown key; did you mean "grid"?'),
        ("replications = 0\n", "1: replications: 0 was given; expected a whole number from 1 up"),
        ('\ngrid = { "flow.0.alpha" = 3 }\n', "2: grid.flow.0.alpha: 3 was given; expected a list of values"),
        ('grid = { "flow.0.alpha" = [1, 2, 1] }\n', "1: grid.flow.0.alpha: 1 comes twice"),
        ('zip = { "flow.0.alpha" = [1, 2], "flow.0.beta" = [3] }\n', "1: zip.flow.0.beta: has 1 values, and"),
        ('grid = { "flow.0.alpha" = [1] }\nzip = { "flow.0.alpha" = [1] }\n', "flow.0.alpha: is varied twice"),
        ('grid = { "seed" = [1, 2] }\n', "seed: is varied by replications"),
        ('\n[grid]\n"flow.0.alpa" = [1, 2]\n', "3: grid.flow.0.alpa: with flow.0.alpa=1: flow.0.alpa: unknown key;"),
        ('grid = { "flow.0.algorithm" = ["vagas"] }\n', '"vagas" is no preset; did you mean "vegas"?'),
        ('[random]\nsamples = 2\n"flow.0.alpha" = { from = 4, to = 1 }\n', "3: random.flow.0.alpha: from is 4 and to"),
        ('[random]\nsamples = 2\n"flow.0.start" = { from = "1ms", to = "1s" }\n', "write both with the same unit"),
        ('[random]\n"flow.0.alpha" = { from = 1, to = 4 }\n', "random.samples: is missing"),
        (
            '[limits]\ntime = "1d"\n',
            '2: limits.time: "1d" is not a time; write a number with a unit',
        ),
        ("name = [\n", "not TOML"),
        # what fuzzing found
        (
            f'limits = {{ memory = "{"9" * 400}gb" }}\n',
            '1: limits.memory: "999999999999999999999999999999999999999999999999999999999999…" is too large',
        ),
        ('[random]\nsamples = 2\n"flow.0.alpha" = { from = -1e308, to = 1e308 }\n', "reaches further than numbers do"),
        ('"\\u0007" = 1\n', r"1: \x07: unknown key"),
        ('name = "\\e"\n', "a plan is TOML 1.0"),
        ("replications = 18446744073709551615\nseed = 0\n", "are more than 10000000 runs"),
        ("random = { samples = 1000000000000 }\n", "1000000000000 was given; 10000000 at most"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(PlanError) as raised:
        plan_of(tmp_path, text)
    line = str(raised.value)
    assert line.startswith(str(tmp_path / "plan.toml"))
    assert message in line
    assert "\n" not in line


def test_a_scenario_that_is_wrong_by_itself_is_named(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text('name = "tiny"\n')
    (tmp_path / "plan.toml").write_text('scenario = "tiny.toml"\n')
    with pytest.raises(PlanError, match=r"plan\.toml: .*tiny\.toml: duration: is missing"):
        Plan.from_file(tmp_path / "plan.toml")


def test_values_of_all_cells() -> None:
    """They stand beside what varies, and no key does both."""
    plan = Plan("lossy", grid={"flow.0.alpha": [1, 2]}, set={"duration": "1s"})
    assert list(plan.cells()) == [{"duration": "1s", "flow.0.alpha": alpha} for alpha in (1, 2)]
    more = plan.with_set({"flow.0.beta": 5})
    assert next(more.cells()) == {"duration": "1s", "flow.0.beta": 5, "flow.0.alpha": 1}
    assert len(plan) == len(more) == 2
    with pytest.raises(PlanError, match="is varied twice"):
        plan.with_set({"flow.0.alpha": 3})
    with pytest.raises(PlanError, match=r"flow\.0\.alhpa"):
        plan.with_set({"flow.0.alhpa": 3})


def test_a_queue_in_bandwidth_delay_products_follows_the_cell(tmp_path: Path) -> None:
    """20 ms of base RTT: 0.5 BDP is 12 500 bytes at 10 Mb/s, and 50 000 at 40 Mb/s."""
    document = {
        "name": "bdp",
        "duration": "3s",
        "topology": {
            "kind": "dumbbell",
            "access": {"rate": "1gbit", "delay": "1ms"},
            "bottleneck": {"rate": "10mbit", "delay": "8ms", "queue": "0.5bdp"},
        },
        "flow": [{"algorithm": "cubic", "packet": "1250b"}],
    }
    plan = vegaslab.Plan(document, grid={"topology.bottleneck.rate": ["10mbit", "40mbit"]})
    vegaslab.sweep(plan, tmp_path / "swept")
    runs = vegaslab.read_runs(tmp_path / "swept").to_pylist()
    # the packet in transmission counts, and does not wait
    assert [row["link.r1->r2.max_queue_packets"] for row in runs] == [9, 39]

"""The tables of both worlds side by side: `make worlds` with two sweeps at hand."""

from pathlib import Path

import pytest

import vegaslab
from documentation.worlds.page import section, title_of
from documentation.worlds.pictures import GROUPS
from documentation.worlds.rows import PLAN, Row, cell_of, rows

WORLD = {"kernel": "6.12", "qemu": "7.2"}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """The plan's runs in the simulator, which here stand for the kernel's, too."""
    folder = tmp_path_factory.mktemp("worlds") / "sweep"
    assert vegaslab.sweep(PLAN, folder).failed == 0
    return list(rows(folder, folder))


def test_each_algorithm_is_in_the_tables_and_in_a_picture(both: list[Row]) -> None:
    assert len({row.path for row in both}) == 4
    algorithms = dict.fromkeys(row.algorithm for row in both)
    drawn = [name for names in GROUPS.values() for name in names]
    assert sorted(drawn) == sorted(algorithms)
    text = section(both, WORLD, {})
    assert "120 of 120 rows keep all" in text
    assert text.count("| `gallop` | BPF |") == 4
    assert "### 8 Mb/s, 80 ms, a queue of 3 BDP, 0.1 % loss" in text


def test_a_row_that_differs_names_the_rules_and_has_a_cause(both: list[Row]) -> None:
    (row,) = (row for row in both if row.algorithm == "reno-linux" and row.path[0] == "10mbit")
    assert len(row.kernel) == 2
    slow = [{**run, "flow.0.delivered_bytes": 5_000_000, "flow.0.timeouts": 1} for run in row.kernel]
    assert not Row(
        algorithm=row.algorithm, path=row.path, simulated=row.simulated, kernel=[slow[0], row.kernel[1]]
    ).differences
    differs = Row(algorithm=row.algorithm, path=row.path, simulated=row.simulated, kernel=slow)
    assert differs.differs_in == ("timeouts", "delivered")
    assert title_of(row.path) == "10 Mb/s, 40 ms, a queue of 1 BDP"
    text = section([differs], WORLD, {"reno-linux": "it is slow."})
    assert "0 of 1 rows keep all" in text
    assert "| `timeouts`, `delivered` |\n" in text
    assert text.endswith("\n- `reno-linux`: it is slow.\n")
    assert section([differs], WORLD, {}).endswith("- `reno-linux`: cause not known.\n")


def test_sweeps_of_two_plans_do_not_go_together(both: list[Row], tmp_path: Path) -> None:
    for algorithm in ("reno-linux", "veno"):
        plan = vegaslab.Plan("gallop-50mbit", grid={"flow.0.algorithm": [algorithm]}, set={"duration": "1s"})
        vegaslab.sweep(plan, tmp_path / algorithm)
    with pytest.raises(ValueError, match="are sweeps of two plans"):
        list(rows(tmp_path / "reno-linux", tmp_path / "veno"))
    assert cell_of(both[0].simulated[0])[0] == both[0].algorithm

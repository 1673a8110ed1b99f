"""The program behind `vegaslab linux` attacked in a guest: a small version of `make attack-linux`."""

from collections.abc import Sequence

import pytest

from reliability.guest.attacks import Attacks, Row
from reliability.guest.campaign import table
from tests.measuring.guest.test_guest import whole


@pytest.fixture(scope="module")
def attacks() -> Attacks:
    """One machine for all attacks."""
    return Attacks()


@whole
@pytest.mark.parametrize(
    ("kind", "points", "only", "least"),
    [
        ("kills", 3, ["option"], 5),
        ("users", 1, [], 7),
        ("packets", 20, ["truncated", "options of IPv4", "option"], 4),
        ("objects", 0, ["object"], 10),
    ],
)
def test_an_attack_finds_nothing(attacks: Attacks, kind: str, points: int, only: Sequence[str], least: int) -> None:
    rows = attacks.carry_out(kind, points, only)
    assert [row for row in rows if row.problems] == []
    assert len(rows) >= least


def test_rows_are_told_by_target_and_stage() -> None:
    same = Row("install", "pin", ("1 pins: a",), "done", ())
    rows = [same, same, Row("run", "router", (), "-", ("left 1 namespaces",))]
    assert list(table(rows)) == [
        "install, pin: 2 x, left: 1 pins: a, next: done, 0 problems",
        "run, router: 1 x, left: nothing, next: -, 1 problems",
    ]

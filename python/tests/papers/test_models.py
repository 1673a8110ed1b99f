"""The papers' worked examples, and `vegaslab model`. Each function's own example is its doctest."""

import json
import math

import pytest

from tests.conftest import Command
from vegaslab.papers.models import factorial, gallop, rovegas, slow_start


def test_example_1_of_gallop_as_printed() -> None:
    assert (gallop.vegas_exit_window(6250, 0.1), gallop.vegas_rounds(6250, 0.1)) == (64, 579)
    assert (gallop.stable_window(17), gallop.gallop_rounds_as_in_examples(6250, 0.1, k=17)) == (138, 108)


def test_example_2_of_gallop_as_printed() -> None:
    assert (gallop.vegas_exit_window(3125, 0.05), gallop.vegas_rounds(3125, 0.05)) == (32, 136)
    assert (gallop.stable_window(9), gallop.gallop_rounds_as_in_examples(3125, 0.05, k=9)) == (38, 26)


def test_the_equations_do_not_give_the_k_of_the_examples() -> None:
    assert gallop.first_excess_round(6250, 0.1) == 15  # the example: 17
    assert gallop.first_excess_round(3125, 0.05) == 10  # the example: 9


@pytest.mark.parametrize(("mu", "d"), [(6250, 0.1), (3125, 0.05), (187.5, 0.01), (125_000, 0.2)])
@pytest.mark.parametrize("mean", [True, False])
def test_the_corrected_root_solves_equation_10(mu: float, d: float, mean: bool) -> None:
    k = gallop.first_excess_root(mu, d, mean=mean)
    window = (k * k - k + 4) / 2
    assert math.isclose(window, gallop.first_excess_bound(k, mu, d, mean=mean), rel_tol=1e-9)
    # and that window's backlog is one packet
    assert math.isclose(gallop.backlog(window, gallop.gallop_rtt(k, mu, d, mean=mean), d), 1, rel_tol=1e-9)


@pytest.mark.parametrize("k", [4, 16, 64])
def test_growth_of_the_halvings_is_that_of_its_steps(k: int) -> None:
    """The sum that eq. 18 stands for, step by step: its terms are squares, so halving the increment quarters them."""
    first = 2 * sum(range(k // 2, k))
    second = 2 * sum(range(k // 4, k // 2))
    assert abs(second / first - 1 / 4) < 0.5 / k
    steps = 2 * sum(range(1, k))
    assert abs(gallop.phases_growth(k) - steps) <= k
    assert gallop.phases_growth_printed(k) > 1.25 * steps


@pytest.mark.parametrize(("mu", "d"), [(6250, 0.1), (1250, 0.1), (187.5, 0.02)])
def test_equation_5_is_where_the_backlog_is_one(mu: float, d: float) -> None:
    for mean in (True, False):
        window = gallop.vegas_bound(mu, d, mean=mean)
        assert math.isclose(gallop.backlog(window, gallop.vegas_rtt(window, mu, d, mean=mean), d), 1, rel_tol=1e-9)


@pytest.mark.parametrize("ideal", [20.0, 125.0, 626.0, 12_500.0])
def test_slow_start_efficiency_is_where_the_paper_bounds_it(ideal: float) -> None:
    bound = slow_start.efficiency_bound(ideal)
    assert bound / 2 <= slow_start.efficiency(ideal) < bound
    window, rate = bound / 2 * ideal, ideal / 0.1
    assert math.isclose(slow_start.diff(window, slow_start.doubled_rtt(window, rate, 0.1), 0.1), 1.5, rel_tol=1e-9)


def test_equation_18_of_rovegas_needs_the_backward_queue_in_its_numerator() -> None:
    rtt, base, backward = rovegas.round_trip(0.04, 200, 100, 3, 3), 0.04, 3 / 100
    corrected = rovegas.rovegas_window_by_times(rtt, base, backward)
    printed = rovegas.rovegas_window_by_times_printed(rtt, base, backward)
    for window, expected in zip(corrected, rovegas.rovegas_window(0.04, 200, 3), strict=True):
        assert math.isclose(window, expected)
        assert rovegas.rovegas_in_bounds(window, base, rtt, backward)
    assert not rovegas.rovegas_in_bounds(printed[1], base, rtt, backward)


def test_a_factors_level_is_on_or_off() -> None:
    with pytest.raises(ValueError, match="level 0; a level is 1"):
        factorial.predict({"mean": 1.0, "a": 1.0}, {"a": 0})


def test_model_prints_quantities_with_their_equations(vegaslab: Command) -> None:
    done = vegaslab("model", "gallop", "--rate", "6250", "--rtt", "100ms")
    assert done.returncode == 0, done.stderr
    row = next(line for line in done.stdout.splitlines() if line.startswith("Vegas: rounds until"))
    assert row.split()[-3:] == ["579", "rounds", "6"]


def test_model_takes_a_rate_in_bits(vegaslab: Command) -> None:
    in_packets = vegaslab("model", "slow-start", "--rate", "1250", "--rtt", "100ms", "--json")
    in_bits = vegaslab("model", "slow-start", "--rate", "10mbit", "--rtt", "0.1s", "--json")
    assert in_packets.stdout == in_bits.stdout
    values = {row["what"]: row["value"] for row in json.loads(in_bits.stdout)}
    assert values["Vegas: greatest queue of slow start"] == 16


def test_model_predicts_a_configuration(vegaslab: Command) -> None:
    table_6 = {"mean": 86.64, "ss": 7.14, "ca": 2.06, "rec": 6.64}
    interactions = {"ss_ca": 0.17, "ss_rec": 1.09, "ca_rec": 0.64, "ss_ca_rec": -0.68}
    given = [f"--effect={name}={value}" for name, value in {**table_6, **interactions}.items()]
    done = vegaslab("model", "factorial", *given, "--on", "ss", "--on", "ca", "--json")
    assert round(json.loads(done.stdout)[0]["value"], 2) == 88.32


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("gallop", "--rate", "fast", "--rtt", "100ms"), ("--rate", '"fast"', "50mbit")),
        (("gallop", "--rate", "6250", "--rtt", "100"), ("--rtt", '"100" has no unit', "48ms")),
        (("gallop", "--rate", "50Mbit", "--rtt", "100ms"), ("--rate", 'did you mean "50mbit"?')),
        (("rovegas", "--rate", "200", "--rtt", "40ms", "--k", "0"), ("--k", "'0'", "above 0")),
        (("factorial", "--effect", "mean"), ("--effect", "'mean'", "ss=7.14")),
        (("factorial", "--effect", "mean=1", "--on", "ss"), ("on", "'ss'")),
    ],
)
def test_model_refuses_in_one_line(vegaslab: Command, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    done = vegaslab("model", *arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    for word in words:
        assert word in done.stderr

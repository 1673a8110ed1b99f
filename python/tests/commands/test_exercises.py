"""The figures of `docs/exercises.md` are those that its commands give."""

import json
import math
import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest

import vegaslab as package
from documentation import ROOT
from tests.conftest import Command

_PAGE = (ROOT / "docs" / "exercises.md").read_text(encoding="utf-8")
_SECTIONS = _PAGE.split("\n## ")[1:]
_COMMAND = re.compile(r"^    vegaslab (.*)$", re.MULTILINE)
_TABLE = re.compile(r"^(\|.*\|)\n\|[-|]+\|\n((?:\|.*\|\n)+)", re.MULTILINE)
_KEYS = {
    "algorithm": "algorithm",
    "throughput Mb/s": "throughput_mbps",
    "goodput Mb/s": "goodput_mbps",
    "RTT ms": "mean_rtt_ms",
    "mean window": "mean_cwnd_segments",
    "exit window": "cwnd_at_slow_start_end",
    "resent segments": "segments_retransmitted",
}
_OVER_SEEDS = {"goodput Mb/s": "mean", "from": "low", "to": "high"}


def test_there_are_eight_and_each_has_a_solution() -> None:
    assert len(_SECTIONS) == 8
    for section in _SECTIONS:
        question, solution = section.split("<summary>Solution</summary>")
        assert "Look at" in question
        assert _COMMAND.findall(question)
        assert len(_TABLE.findall(solution)) == len(_COMMAND.findall(section))


@pytest.mark.parametrize("section", _SECTIONS, ids=lambda section: section.partition("\n")[0])
def test_solutions_are_what_the_commands_give(section: str, vegaslab: Command) -> None:
    for command, (head, body) in zip(_COMMAND.findall(section), _TABLE.findall(section), strict=True):
        done = json.loads(vegaslab(*shlex.split(command), "--json").stdout)
        rows = [dict(zip(_cells(head), _cells(row), strict=True)) for row in body.splitlines()]
        assert len(rows) == (
            len(done["means"]) if "means" in done else sum(len(r["flows"]) for r in done["runs"].values())
        )
        for row in rows:
            assert row == _as_given(row, done), command


def test_what_the_solutions_work_out(vegaslab: Command) -> None:
    text = " ".join(_PAGE.split())
    runs = _runs(vegaslab, 0)
    packets = 20e6 * runs["reno,max_window=17"][0]["base_rtt_ms"] / 1000 / (8 * 1500)
    assert f"is the BDP, {packets:.1f} packets" in text
    jain = {name: _jain([flow["goodput_mbps"] for flow in flows]) for name, flows in _runs(vegaslab, 5).items()}
    said = "is {reno:.2f} with Reno, {cubic:.2f} with CUBIC and {vegas:.2f} with Vegas"
    assert said.format_map(jain) in text
    windows = [math.sqrt(3 / (2 * loss)) for loss in (0.001, 0.004, 0.016)]
    assert "is {:.1f}, {:.1f} and {:.1f} segments".format(*windows) in text
    goodputs = [flows[0]["goodput_mbps"] for flows in _runs(vegaslab, 6).values()]
    assert [round(more / less) for more, less in pairwise(goodputs)] == [2, 2]
    bottleneck = package.run("evaluate/bufferbloat", set={"flow.0.algorithm": "vegas"}).summary["links"][0]
    assert bottleneck["p99_queueing_ms"] < 5, "Vegas keeps less than CoDel's target waiting"


def test_what_the_last_solution_says_of_chance(vegaslab: Command) -> None:
    text = " ".join(_PAGE.split())
    many, few = (json.loads(vegaslab(*shlex.split(c), "--json").stdout) for c in _COMMAND.findall(_SECTIONS[7]))
    goodput, rtt = many["differences"]
    assert (goodput["verdict"], rtt["verdict"]) == ("lower", "higher")
    assert f"lower by {-100 * goodput['difference'] / goodput['baseline_mean']:.1f} %" in text
    assert f"higher by {100 * rtt['difference'] / rtt['baseline_mean']:.1f} %" in text
    assert {of["verdict"] for of in few["differences"]} == {"no significant difference"}


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def _as_given(row: Mapping[str, str], done: Mapping[str, Any]) -> dict[str, str]:
    """Returns the row with the values that the command gives, rounded as the row has them."""
    name = row["variant"]
    if "means" in done:
        values, keys, named = done["means"][name]["goodput_mbps"], _OVER_SEEDS, {"variant": name}
    else:
        values, keys = done["runs"][name]["flows"][int(row["flow"])], _KEYS
        named = {"variant": name, "flow": str(values["id"])}
    return {**named, **{title: _rounded(values[keys[title]], row[title]) for title in row if title not in named}}


def _rounded(value: float | str, shown: str) -> str:
    return value if isinstance(value, str) else f"{value:.{len(shown.partition('.')[2])}f}"


def _runs(vegaslab: Command, exercise: int) -> dict[str, list[dict[str, Any]]]:
    """Returns the flows of each run of an exercise's first command."""
    command = _COMMAND.findall(_SECTIONS[exercise])[0]
    runs = json.loads(vegaslab(*shlex.split(command), "--json").stdout)["runs"]
    return {name: run["flows"] for name, run in runs.items()}


def _jain(shares: Sequence[float]) -> float:
    return sum(shares) ** 2 / (len(shares) * sum(share**2 for share in shares))

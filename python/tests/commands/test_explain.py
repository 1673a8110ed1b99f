"""Explanations of figures."""

import re

import pytest

import vegaslab
from documentation import ROOT
from vegaslab.commands import cli
from vegaslab.commands.explain import PANELS, UnknownNameError
from vegaslab.reports.panels import NAMES
from vegaslab.runs.seeds.meanings import OF_A_PART, PLAIN

OF_ALL_KINDS = """
name = "all-kinds"
duration = "3s"

[topology]
kind = "dumbbell"
access = { rate = "100mbit", delay = "1ms" }
bottleneck = { rate = "10mbit", delay = "8ms", queue = "20p", loss = "1%" }

[[flow]]
algorithm = "reno"
count = 2
size = "50kb"

[[flow]]
algorithm = "vegas"
count = 2
group = "call"
application = [{ kind = "media", layers = [{ every = "20ms", size = "80b" }] }]

[[traffic]]
kind = "poisson-transfers"
start = "0s"
interarrival = "200ms"
size = "5kb"
flow = { algorithm = "reno" }
"""


def test_each_figure_of_a_comparison_has_what_unit_range_flows_and_source() -> None:
    compared = vegaslab.compare_seeds(OF_ALL_KINDS, ["reno", "vegas"], 2, flows=[0])
    assert len(compared.figures) > 40
    for name in compared.figures:
        said = vegaslab.explain(name).removeprefix("figure of comparisons:\n\n").splitlines()
        assert said[0].startswith(f"{name}: "), name
        assert said[1].startswith("unit: "), name
        assert "; range: " in said[1], name
        assert said[2].startswith("of: "), name
        assert said[3].startswith("from: "), name


def test_units_are_those_of_the_page() -> None:
    rows = re.findall(r"^\| `([^|]+)` \| ([^|]+) \|", (ROOT / "docs/comparing.md").read_text(), re.MULTILINE)
    units = {name: unit for name, unit in rows if name in {**PLAIN, **OF_A_PART}}
    assert len(units) > 8
    assert {name: (PLAIN.get(name) or OF_A_PART[name]).unit for name in units} == units


def test_panels_are_explained() -> None:
    assert tuple(PANELS) == NAMES
    assert "segments" in vegaslab.explain("cwnd")


def test_each_term_of_the_glossary_is_explained() -> None:
    rows = re.findall(r"^\| (.+) \| (.+) \|$", (ROOT / "docs/glossary.md").read_text(), re.MULTILINE)
    terms = {names: meaning for names, meaning in rows if names != "term"}
    assert len(terms) > 50
    for names, meaning in terms.items():
        for name in names.split(", "):
            assert f"{names}: {meaning[:20]}" in vegaslab.explain(name), name


@pytest.mark.parametrize("name", ["bufferbloat", "bdp", "BDP", "Slow Start", "slow_start", "rtt", "RTT", "ssthresh"])
def test_terms_are_found_in_any_spelling(name: str) -> None:
    text = vegaslab.explain(name)
    assert re.search(rf"\b{re.sub('_', ' ', name)}\b.*: the |high delay", text, re.IGNORECASE)
    assert "](" not in text


def test_the_code_and_the_field_mean_the_same_by_a_term() -> None:
    """The architecture's glossary is the code's; terms that are in both begin with one definition."""
    rows = re.findall(r"^\| (\w[^|]*) \| ([^|]+) \|$", (ROOT / "docs/architecture.md").read_text(), re.MULTILINE)
    shared = {name: meaning for name, meaning in rows if name in ("host", "harm", "backlog", "base RTT", "round")}
    assert len(shared) == 5
    for name, meaning in shared.items():
        assert f"{name}: {meaning[:30]}" in vegaslab.explain(name)


def test_an_unknown_name_gives_one_short_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "xyzzyx"]) == 2
    assert len(capsys.readouterr().err) < 200
    with pytest.raises(UnknownNameError, match="jain_index"):
        vegaslab.explain("jain_indx")

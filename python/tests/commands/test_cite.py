"""Citations: of the tool, and of the papers of what ran."""

import re
import tomllib
from pathlib import Path

import vegaslab
from documentation import ROOT
from tests.conftest import Command
from vegaslab.commands.results import cite


def keys(text: str) -> list[str]:
    return re.findall(r"^@\w+\{(.*),$", text, re.MULTILINE)


def test_each_algorithm_has_its_paper() -> None:
    """All but the laboratory's own; an entry names no preset that there is not."""
    presets = {row["name"] for row in vegaslab.catalogue("algorithms")}
    named = {name for entry in cite._references().values() for name in entry["presets"]}
    assert named == presets - {"vegas-next"}


def test_the_tools_title_is_that_of_the_citation_file() -> None:
    title = re.search(r'^title: "(.*)"$', (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert title is not None
    assert cite.TITLE.translate(str.maketrans("", "", "{}")).lower() == title[1].lower()
    version = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]
    assert f"version = {{{version}}}" in vegaslab.cite()


def test_what_ran_is_cited(vegaslab: Command) -> None:
    assert (
        vegaslab("compare", "quic", "-a", "vegas", "-a", "bbr3", "--set", "duration=1s", "-o", "runs").returncode == 0
    )
    assert keys(vegaslab("cite", "runs").stdout) == [
        "vegaslab",
        "brakmo1995vegas",
        "hengartner2000revisited",
        "cardwell-bbr3",
    ]
    assert keys(vegaslab("cite", "runs/bbr3", "rovegas-fairness").stdout)[:2] == ["vegaslab", "chan2004rovegas"]
    assert vegaslab("cite", ".").stderr == (
        "vegaslab: .: holds no run; give an algorithm, a scenario, or the folder of runs\n"
    )
    assert vegaslab("cite", "vagas").returncode == 2


def test_a_composition_cites_its_parts() -> None:
    parts = {"preset": "vegas", "slow_start": "gallop"}
    found = vegaslab.cite(vegaslab.run("quic", algorithm=parts, set={"duration": "1s"}))
    assert {"brakmo1995vegas", "ho2006gallop"} <= set(keys(found))


def test_comparisons_over_seeds_and_sweeps_cite_what_ran_in_all_of_them(vegaslab: Command, here: Path) -> None:
    """Named tables of parts included; the sweep's scenario names vegas, which none of its runs has."""
    of_seeds = ("--seeds", "2", "--set", "duration=1s", "-o", "seeds")
    table = 'mine={ preset = "vegas", slow_start = "gallop" }'
    assert vegaslab("compare", "lossy", "-a", "copa", "-a", table, *of_seeds).returncode == 0
    assert keys(vegaslab("cite", "seeds").stdout) == [
        "vegaslab",
        "brakmo1995vegas",
        "hengartner2000revisited",
        "ho2006gallop",
        "arun2018copa",
    ]
    plan = 'scenario = "gallop-50mbit"\nset = { duration = "1s" }\ngrid = { "flow.0.algorithm" = ["copa", "gallop"] }\n'
    (here / "plan.toml").write_text(plan)
    assert vegaslab("sweep", "plan.toml", "-o", "swept").returncode == 0
    assert keys(vegaslab("cite", "swept").stdout) == keys(vegaslab("cite", "gallop", "copa").stdout)
    of_traffic = keys(vegaslab("cite", "tcplib-background").stdout)
    assert "rfc5681" in of_traffic


def test_a_folder_without_a_run_says_what_to_give(vegaslab: Command) -> None:
    options = ("-a", "vegas", "-a", "reno", "--set", "duration=1s", "--no-plot")
    assert vegaslab("compare", "lossy", *options, "--seeds", "2", "-o", "seeds").returncode == 0
    assert vegaslab("compare", "lossy", *options, "-o", "runs").returncode == 0
    assert vegaslab("export", "runs", "a.qlog").stderr == (
        "vegaslab: runs: holds several runs; give the folder of one: runs/reno, runs/vegas\n"
    )
    assert "make one of them again (vegaslab run FILE --set" in vegaslab("export", "seeds", "a.qlog").stderr
    assert vegaslab("export", "runs/reno", "a.qlog").returncode == 0
    assert vegaslab("figure", "runs", "seeds", "-o", "a.pdf").stderr == (
        "vegaslab: runs: is not that of one run; give several runs, or one comparison or sweep alone\n"
    )

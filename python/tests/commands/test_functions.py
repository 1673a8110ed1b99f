"""Commands and the functions of the Python package: none is forgotten, and both take the same."""

import argparse
import inspect
import pickle
import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import vegaslab
from documentation import ROOT
from vegaslab.commands import cli

_ROW = re.compile(r"^\| (`[^|]+) \| ([^|]+) \|$", re.MULTILINE)
_NAME = re.compile(r"`([A-Za-z_.]+)`")

# what a command says of its output, which a function returns
PRINTED = {"help", "json", "no_plot", "plot", "csv", "junit", "dry_run"}
# what `vegaslab.cache` says for all functions
SWITCHED = {"no_cache"}
NAMED = {
    "name": "algorithm",
    "output": "folder",
    "baseline": "baselines",
    "criterion": "criteria",
    "case": "cases",
    "response": "responses",
    "file": "scenario",
    "flow": "flows",
    "figure": "figures",
}
"""What functions call an option."""
OTHERWISE = {
    "run": {
        "algorithm_file": "algorithm",
        "twice": "",
        "pcapng": "",
        "output": "",
        "kernel": "world",
        "ftrace": "world",
    },
    "compare": {
        "algorithm": "algorithms",
        "pcapng": "",
        "output": "",
        "kernel": "world",
        "ftrace": "world",
        "figure": "figures",
    },
    "measured": {"output": "dir", "file": "file", "flow": "flow", "no_path": ""},
    "against": {
        "output": "dir",
        "file": "file",
        "flow": "flow",
        "algorithm": "algorithms",
        "limit": "",
        "kernel": "world",
        "ftrace": "world",
    },
    "identify": {"output": "dir", "file": "file", "flow": "flow", "algorithm": "algorithms"},
    "model": {"==SUPPRESS==": "paper"},
    "conform": {"output": "", "names": "algorithm", "all": ""},
    # two dossiers are compared by the command; a schedule of delays is checked by it
    "evaluate": {"compare": ""},
    "attack": {"alone": "flows", "check": ""},
    "sweep": {"world": "runner", "kernel": "runner", "ftrace": "runner"},
    "figure": {"folders": "what", "figure": "panels", "x": "over", "y": "by", "label": "labels", "output": "path"},
    "export": {"folder": "run", "file": "file"},
    "analyse": {"x": "", "y": "", "output": "", "baseline": "baseline"},
    "check": {"file": "file"},
    "explain": {"name": "name"},
    "cache": {"what": ""},
}
"""Options that a function takes otherwise; an empty text for those that belong to the command alone."""


def commands() -> dict[str, argparse.ArgumentParser]:
    actions = cli._parser()._actions
    (found,) = (action for action in actions if isinstance(action, argparse._SubParsersAction))
    return dict(found.choices)


def table() -> dict[str, list[str]]:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    rows = [
        (_NAME.findall(left), _NAME.findall(right))
        for left, right in _ROW.findall(page.partition("| class | when |")[0])
    ]
    return {command: functions for found, functions in rows for command in found}


def test_every_command_is_in_the_table_of_functions() -> None:
    assert set(table()) == set(commands())
    named = {name for names in table().values() for name in names}
    assert {name.partition(".")[0] for name in named} <= set(vegaslab.__all__)
    assert len(named) > 25


@pytest.mark.parametrize("command", sorted({name for name, functions in table().items() if name in functions}))
def test_a_function_takes_what_its_command_takes(command: str) -> None:
    parameters = set(inspect.signature(getattr(vegaslab, command)).parameters)
    parameters |= set(inspect.signature(vegaslab.compare_seeds).parameters) if command == "compare" else set()
    given = {action.dest for action in commands()[command]._actions} - PRINTED - SWITCHED
    own = OTHERWISE.get(command, {})
    wanted = {own.get(dest, NAMED.get(dest, dest)) for dest in given} - {""}
    assert wanted <= parameters, sorted(wanted - parameters)


def test_the_catalogue_has_what_the_command_lists(capsys: pytest.CaptureFixture[str]) -> None:
    for kind in ("algorithms", "parts", "scenarios", "plans", "cases"):
        assert cli.main(["list", kind]) == 0
        text = capsys.readouterr().out
        rows = vegaslab.catalogue(kind)
        assert rows
        assert all(str(row.get("name") or row.get("case")) in text for row in rows)


def test_all_errors_have_one_base(tmp_path: Path) -> None:
    no_scenario: Any = 3
    calls: list[Callable[[], object]] = [
        lambda: vegaslab.run("gallop-50mbit", set={"flow.0.algorithm": "vagas"}),
        lambda: vegaslab.run("gallop-50mbit", memory="1kb"),
        lambda: vegaslab.measured(ROOT / "README.md"),
        lambda: vegaslab.read_runs(tmp_path),
        lambda: vegaslab.evaluate("vagas", tmp_path / "new"),
        lambda: vegaslab.conform("vagas"),
        lambda: vegaslab.attack("vegas", runs=0),
        lambda: vegaslab.model("gallop", rate="fast"),
        lambda: vegaslab.reproduce("G-fig99", tmp_path / "papers"),
        lambda: vegaslab.factorial("vegas-or-gallop", tmp_path / "sweep"),
        lambda: vegaslab.sweep("vegas-or-gallop", tmp_path / "sweep", on="here"),
        lambda: vegaslab.explain("vagas"),
        lambda: vegaslab.check(ROOT / "README.md"),
        lambda: vegaslab.run(no_scenario),
        lambda: vegaslab.compare_seeds("lossy", ["vegas"], 1),
        lambda: vegaslab.figure(tmp_path, width="three"),
    ]
    for call in calls:
        with pytest.raises(vegaslab.VegaslabError) as error:
            call()
        assert "\n" not in str(error.value)
        assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def made_elsewhere(algorithm: str) -> vegaslab.Result:
    return vegaslab.run("quic", set={"duration": "2s", "flow.0.algorithm": algorithm})


def test_results_are_pickled() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        there = list(processes.map(made_elsewhere, ["vegas", "reno"]))
    here = made_elsewhere("reno")
    assert there[1].flows.equals(here.flows)
    assert there[1].series.links.equals(here.series.links)
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(there[1]))))
    assert again.incidents.to_pylist() == here.incidents.to_pylist()
    comparison = pickle.loads(pickle.dumps(vegaslab.compare("quic", ["vegas", "reno"], set={"duration": "2s"})))
    assert comparison["reno"].flows.equals(here.flows)
    seeds = vegaslab.compare_seeds("lossy", ["vegas", "reno"], 2, set={"duration": "2s"})
    assert pickle.loads(pickle.dumps(seeds)).summary == seeds.summary


def test_each_parquet_file_names_its_origin(tmp_path: Path) -> None:
    folder = vegaslab.run("lossy", seed=7, set={"duration": "1s"}).write(tmp_path / "run")
    swept = vegaslab.Plan("lossy", grid={"duration": ["1s", "2s"]}, series=["flows"])
    vegaslab.sweep(swept, tmp_path / "swept")
    vegaslab.compare_seeds("lossy", ["vegas", "reno"], 2, set={"duration": "1s"}).write(tmp_path / "seeds", plot=False)
    files = sorted(tmp_path.rglob("*.parquet"))
    assert len(files) > 8
    for file in files:
        written = pyarrow.parquet.read_metadata(file).metadata
        assert written[b"vegaslab.scenario"] == b"lossy", file
        assert written[b"vegaslab.version"] == vegaslab.__version__.encode()
        assert b"vegaslab.commit" in written
        if file.parent == folder:
            assert written[b"vegaslab.seed"] == b"7"
            assert len(written[b"vegaslab.run_id"]) == 64


def test_tables_show_as_tables() -> None:
    assert "<td>vegas</td>" in vegaslab.catalogue("algorithms")._repr_html_()
    from vegaslab.reports.tables import _of_arrow

    shown = _of_arrow(vegaslab.run("quic", set={"duration": "2s"}).series.flows)
    assert shown.count("<tr>") == 21
    assert "20 of 20" not in shown


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of docs/python.md, one after the other, as a reader copies them."""
    monkeypatch.chdir(tmp_path)
    grid = {"flow.0.algorithm": ["vegas", "reno"], "duration": ["1s"]}
    vegaslab.sweep(vegaslab.Plan("gallop-50mbit", grid=grid), "results/queues")
    examples = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/python.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len(examples) >= 5
    names: dict[str, object] = {}
    for example in examples:
        exec(compile(example, "docs/python.md", "exec"), names)
    assert (tmp_path / "gamma3-rtt.svg").exists()


def test_the_page_lists_the_errors() -> None:
    text = (ROOT / "docs/python.md").read_text()
    listed = set(re.findall(r"`(\w+Error)`", text.partition("| class | when |")[2].partition("\n\n")[0]))
    assert listed == {name for name in vegaslab.__all__ if name.endswith("Error")}
    with pytest.raises(vegaslab.VegaslabError, match=r"^nothere\.toml: no such file") as raised:
        vegaslab.run("nothere.toml")
    assert isinstance(raised.value, FileNotFoundError)
    assert all(issubclass(getattr(vegaslab, name), vegaslab.VegaslabError) for name in listed)

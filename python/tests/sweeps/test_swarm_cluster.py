"""Swarms on a real Dask scheduler and worker processes. The program is the script of the other tests of swarms."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import STRICT, Loopback
from tests.sweeps.test_swarm import SCRIPT
from vegaslab.commands import cli
from vegaslab.sweeps.swarm import batches as swarms

Totals = Callable[..., dict[str, object]]

# on a worker, where it is read more than once: the script in place of the program, and what becomes of network 60
PRELOAD = """\
import os, pathlib
from vegaslab.sweeps.swarm import batches as swarm

swarm.program = lambda: pathlib.Path({script!r})
once = pathlib.Path({script!r}).with_name("deadly-once")


def deadly(path, seed, networks, stop=None, make=swarm.make):
    if 60 in networks and {dies}:
        os._exit(1)
    return make(path, seed, networks, stop)


if swarm.make.__name__ == "make":
    swarm.make = deadly
"""
ALWAYS = "True"
ONCE = "not once.exists() and once.touch() is None"


@pytest.fixture(autouse=True)
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "vegaslab-swarm"
    path.write_text(SCRIPT)
    path.chmod(0o755)
    monkeypatch.setattr(swarms, "program", lambda: path)
    monkeypatch.setattr("vegaslab.sweeps.swarm.on_cluster.program", lambda: path)
    return path


@pytest.fixture
def totals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Totals:
    """Runs a swarm of 200 networks; gives its totals."""

    def run(folder: str, *options: str) -> dict[str, object]:
        assert cli.main(["swarm", "-o", str(tmp_path / folder), "--networks", "200", "--json", *options]) == 1
        summary = json.loads(capsys.readouterr().out)
        return {key: value for key, value in summary.items() if key not in ("cpu_s", "folder")}

    return run


def start(cluster: Loopback, script: Path, dies: str) -> None:
    preload = script.with_name("preload.py")
    preload.write_text(PRELOAD.format(script=str(script), dies=dies))
    for _ in range(3):
        cluster.worker("--preload", str(preload))
    cluster.wait_for_workers(3)


def test_a_worker_that_dies_under_a_batch_changes_nothing(
    loopback: Loopback,
    script: Path,
    tmp_path: Path,
    totals: Totals,
) -> None:
    start(loopback, script, dies=ONCE)
    assert totals("cluster", "--on", loopback.address) == totals("local", "-j", "1")
    assert script.with_name("deadly-once").exists()
    assert found(tmp_path / "cluster") == found(tmp_path / "local")


@pytest.mark.parametrize("loopback", [STRICT], indirect=True)
def test_a_network_that_ends_its_workers_is_a_finding(
    loopback: Loopback,
    script: Path,
    tmp_path: Path,
    totals: Totals,
) -> None:
    start(loopback, script, dies=ALWAYS)
    done = totals("cluster", "--on", loopback.address)
    assert (done["networks"], done["held"], done["failed"]) == (200, 179, 21)
    text = (tmp_path / "cluster" / "findings" / "60-no_end.toml").read_text()
    assert "every worker that made it died" in text
    assert 'name = "network-60"' in text


def found(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (folder / "findings").iterdir()}

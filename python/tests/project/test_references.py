"""The committed reference traces: whole, small, and described."""

import re

import pyarrow.parquet as pq
import pytest

from documentation import ROOT

REFERENCE = ROOT / "reference"
MEGABYTES_MOST = 3
STATES = ["bbr", "bbr3", "cdg", "htcp", "illinois", "lp", "nv", "veno", "westwood", "yeah"]
TABLES = {
    "ns2": {"flows", "links"},
    "linux": {"changes", "events", "queue", "rounds", "samples"},
    "linux-rivals": {"changes", "events", "queue", "samples", *(f"state-{name}" for name in STATES)},
}


@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_there_in_the_order_of_its_runs(name: str) -> None:
    tables = {path.stem: pq.read_table(path) for path in (REFERENCE / name).glob("*.parquet")}
    assert set(tables) == TABLES[name]
    for table in tables.values():
        runs = table["run"].to_pylist()
        assert runs
        assert runs == sorted(runs)


def test_they_are_small() -> None:
    assert sum(path.stat().st_size for path in REFERENCE.rglob("*") if path.is_file()) < 1e6 * MEGABYTES_MOST


def test_windows_of_a_run_are_those_of_its_samples() -> None:
    """Two tables of one run were measured apart: at a sample the window is that of the last change before."""
    changes, samples = (
        pq.read_table(REFERENCE / "linux" / f"{name}.parquet", filters=[("run", "==", "S3_vegas_a2b4g1")]).to_pylist()
        for name in ("changes", "samples")
    )
    for sample in samples:
        before = [change["cwnd_segments"] for change in changes if change["time_us"] <= sample["time_us"]]
        assert sample["cwnd_segments"] == before[-1]


def test_columns_of_measurements_are_described() -> None:
    """The state of a congestion control has the kernel's own names."""
    text = (REFERENCE / "README.md").read_text()
    described = set(re.findall(r"`(\w+)`", text))
    for path in REFERENCE.rglob("*.parquet"):
        if not path.stem.startswith("state-"):
            assert set(pq.read_schema(path).names) <= described, path

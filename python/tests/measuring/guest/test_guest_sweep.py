"""Sweeps in the kernel: `--world kernel` of `vegaslab sweep`."""

from pathlib import Path

import numpy as np
import pyarrow
import pytest

import vegaslab
from tests.measuring.guest.test_guest import whole
from vegaslab.measuring.guest.sweeping import InKernel
from vegaslab.sweeps.columns import row_of
from vegaslab.sweeps.sweep import Local, runs_of
from vegaslab.util.folder import FolderError


def plan(*algorithms: str) -> vegaslab.Plan:
    return vegaslab.Plan("gallop-50mbit", grid={"flow.0.algorithm": list(algorithms), "duration": ["1s"]})


def test_a_row_of_a_result_is_that_of_a_sweep() -> None:
    """The guest gives results, not rows."""
    swept: list[pyarrow.Table] = []
    chosen = plan("vegas")
    Local(1)(chosen, runs_of(chosen, np.arange(1)), swept.append)
    made = row_of(0, vegaslab.run("gallop-50mbit", set={"flow.0.algorithm": "vegas", "duration": "1s"}))
    assert made.column_names == swept[0].column_names
    assert made.schema.types == swept[0].schema.types
    assert made.to_pylist() == swept[0].to_pylist()


@whole
def test_a_sweep_in_the_kernel_has_rows_and_reasons(tmp_path: Path) -> None:
    """A run that the kernel does not carry fails alone; the simulator's runs need a folder of their own."""
    done = vegaslab.sweep(plan("cubic-linux", "ledbat"), tmp_path, runner=InKernel(vegaslab.KernelWorld(), jobs=1))
    assert (done.made, done.failed) == (2, 1)
    carried, refused = vegaslab.read_runs(tmp_path).to_pylist()
    assert carried["flow.0.goodput_mbps"] > 1
    assert carried["link.r1->r2.drops"] > 0
    assert refused["error"].startswith("ledbat is not carried into the kernel: ")
    with pytest.raises(FolderError, match="holds runs of another world"):
        vegaslab.sweep(plan("cubic-linux"), tmp_path)

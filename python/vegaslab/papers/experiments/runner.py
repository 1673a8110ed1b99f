"""Makes the runs of experiments and keeps their data, so that interrupted work continues."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vegaslab.papers.experiments.batch import Batch, carry_out_batch
from vegaslab.runs.extracted import Run, data_of_runs
from vegaslab.runs.kept.code import engine_digest


def carry_out(runs: Mapping[str, Run | Batch], cache_folder: Path) -> dict[str, Any]:
    """Returns the data of each run or batch, by its key; runs with data in `cache_folder` are not simulated again."""
    single = {key: run for key, run in runs.items() if isinstance(run, Run)}
    batches = {key: batch for key, batch in runs.items() if isinstance(batch, Batch)}
    gave: dict[str, Any] = data_of_runs(single, cache_folder)
    return gave | {key: carry_out_batch(batch, cache_folder, engine_digest()) for key, batch in batches.items()}

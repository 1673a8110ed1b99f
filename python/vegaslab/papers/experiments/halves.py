"""The data of an experiment by halves of its seeds, to judge the laboratory against itself."""

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from vegaslab.papers.experiments.batch import Batch, Columns
from vegaslab.papers.experiments.experiment import Data
from vegaslab.runs.extracted import Run

_FEWEST = 4
"""The fewest seeds that are halved: of a half there has to be an interval. Both halves have what has fewer."""


def halves(runs: Mapping[str, Run | Batch], data: Data) -> tuple[Data, Data] | None:
    """Returns the data as of the first half of the seeds and as of the second half, with the keys of the first; None if
    nothing has enough seeds.
    """
    first: dict[str, Any] = dict(data)
    second: dict[str, Any] = dict(data)
    halved = False
    for key, run in runs.items():
        if isinstance(run, Batch) and run.replications >= _FEWEST:
            half = run.replications // 2
            first[key], second[key] = _part(data[key], 0, half), _part(data[key], half, 2 * half)
            halved = True
    for keys in _alike_but_for_seeds(runs):
        half = len(keys) // 2
        for place, key in enumerate(keys):
            if place < half:
                second[key] = data[keys[place + half]]
            else:
                del first[key], second[key]
        halved = True
    return (first, second) if halved else None


def _part(columns: Columns, begin: int, end: int) -> Columns:
    return {name: [cell[begin:end] for cell in cells] for name, cells in columns.items()}


def _alike_but_for_seeds(runs: Mapping[str, Run | Batch]) -> list[list[str]]:
    """Returns the keys of runs that differ by their seeds alone, in the order of the seeds, where there are enough."""
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for key, run in runs.items():
        if isinstance(run, Run) and run.seed is not None:
            about = (run.scenario, run.extract.__qualname__, dict(run.set), dict(run.arguments))
            found[json.dumps(about, sort_keys=True, default=str)].append((run.seed, key))
    return [[key for _, key in sorted(group)] for group in found.values() if len(group) >= _FEWEST]

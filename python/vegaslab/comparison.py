"""The same scenario with one algorithm after the other."""

import json
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vegaslab import _vegaslab
from vegaslab.drawable import Drawable
from vegaslab.result import Result, run_checked
from vegaslab.source import Overrides, ScenarioLike, load

if TYPE_CHECKING:
    from vegaslab.sheet import Sheet


def compare(
    scenario: ScenarioLike,
    algorithms: Sequence[str],
    *,
    seed: int | None = None,
    set: Mapping[str, object] | Overrides | None = None,
) -> "Comparison":
    """Runs a scenario once an algorithm; each time all of its flows use that algorithm.

    For `scenario`, `seed` and `set`, and what they raise, see `vegaslab.source.load`. `algorithms` are names of
    presets, each once.
    """
    variants = load_variants(scenario, algorithms, seed=seed, set=set)
    return Comparison({algorithm: run_checked(variant) for algorithm, variant in variants.items()})


def load_variants(
    scenario: ScenarioLike,
    algorithms: Sequence[str],
    *,
    seed: int | None = None,
    set: Mapping[str, object] | Overrides | None = None,
) -> dict[str, _vegaslab.Scenario]:
    """Checks a scenario with each algorithm before any of them runs."""
    if not algorithms:
        raise ValueError("algorithms: none was given; at least one preset's name")
    given = list(set.items() if isinstance(set, Mapping) else set or ())
    flows = len(json.loads(load(scenario, seed=seed, set=set).document_json())["flow"])

    def with_algorithm(algorithm: str) -> _vegaslab.Scenario:
        replaced = [(f"flow.{flow}.algorithm", algorithm) for flow in range(flows)]
        return load(scenario, seed=seed, set=dict([*given, *replaced]))

    return {algorithm: with_algorithm(algorithm) for algorithm in algorithms}


class Comparison(Drawable):
    """Results of one scenario, by algorithm."""

    def __init__(self, runs: Mapping[str, Result]) -> None:
        """Holds the runs, in the order in which they are shown."""
        self.runs = dict(runs)

    @property
    def summary(self) -> dict[str, Any]:
        """What `vegaslab compare --json` prints: `scenario`, and `runs`: summary by algorithm."""
        summaries = {algorithm: result.summary for algorithm, result in self.runs.items()}
        return {"scenario": next(iter(summaries.values()))["scenario"], "runs": summaries}

    def sheet(self) -> "Sheet":
        """What the pictures show: every run's window, throughput and bottleneck queue, one over the other."""
        from vegaslab.sheet import sheet_of_comparison

        return sheet_of_comparison(self.runs)

    def html(self) -> str:
        """An interactive page of the same, in one piece: it needs neither network nor other files."""
        from vegaslab.page import page

        return page(self.sheet(), self.summary["runs"])

    def write(self, dir: str | PathLike[str], *, csv: bool = False, pcapng: bool = False) -> Path:
        """Writes `comparison.json` and one folder a run into the folder `dir`; returns it. Raises `OSError`."""
        folder = Path(dir)
        folder.mkdir(parents=True, exist_ok=True)
        for algorithm, result in self.runs.items():
            result.write(folder / algorithm, csv=csv, pcapng=pcapng)
        (folder / "comparison.json").write_text(json.dumps(self.summary, indent=2) + "\n", encoding="utf-8")
        return folder

    def __getitem__(self, algorithm: str) -> Result:
        """The run with that algorithm."""
        return self.runs[algorithm]

    def __iter__(self) -> Iterator[str]:
        """The algorithms."""
        return iter(self.runs)

    def __len__(self) -> int:
        """How many runs there are."""
        return len(self.runs)

"""Variants of one scenario: each algorithm in turn, or other values of a key."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vegaslab import _vegaslab
from vegaslab.runs.drawable import Drawable
from vegaslab.runs.result import Result, World, run_checked
from vegaslab.scenario.source import Overrides, ScenarioLike, folder_of
from vegaslab.scenario.variants import AlgorithmLike, load_variants
from vegaslab.util.folder import whole_folder
from vegaslab.util.memory import memory_bytes
from vegaslab.util.progress import Progress, notebook

if TYPE_CHECKING:
    from vegaslab.reports.sheet import Sheet


def compare(
    scenario: ScenarioLike,
    algorithms: AlgorithmLike | Sequence[AlgorithmLike] | None = None,
    *,
    flows: Sequence[int] | None = None,
    vary: Mapping[str, Sequence[object]] | None = None,
    seed: int | None = None,
    set: Mapping[str, object] | Overrides | None = None,
    memory: str | int | None = None,
    world: World | Sequence[World | None] | None = None,
) -> "Comparison":
    """Runs a scenario once with each algorithm, in all of its flows or only in those of `flows`, and in each world.

    `algorithms` are presets' names, tables of parts as dicts or as `Parts`, classes of your own or files such as
    "mine.py:Mine", or one of these. `flows` are numbers of the file's `[[flow]]`, from 0. `vary` is a list of values
    by dotted key, each of which makes a variant of its own. `memory` is as for `vegaslab.run`, for all runs together.
    `world` is one, or several of which None is the simulator. For the others, and what is raised, see `vegaslab.run`.
    Raises `VariantError`, a `ValueError`, for two of one name.

    >>> import vegaslab
    >>> comparison = vegaslab.compare("gallop-50mbit", ["vegas", "gallop"], set={"duration": "20s"})
    >>> comparison
    <vegaslab.Comparison gallop-50mbit: vegas, gallop>
    >>> for algorithm, result in comparison.runs.items():
    ...     print(algorithm, round(result.summary["flows"][0]["throughput_mbps"], 1))
    vegas 11.3
    gallop 38.1
    """
    variants = load_variants(scenario, algorithms, flows=flows, vary=vary, seed=seed, set=set)
    share = memory_bytes(memory, runs=len(variants))

    def run(variant: _vegaslab.Scenario, world: World | None, key: str) -> Result:
        if world is not None:
            return world.run(variant, folder_of(scenario))
        with Progress(variant.duration_s, f"{key}: ", notebook()) as progress:
            return run_checked(variant, progress, memory=share)

    return Comparison.of(variants, world if isinstance(world, Sequence) else [world], run)


class Comparison(Drawable):
    """Results of one scenario, by algorithm.

    >>> import vegaslab
    >>> comparison = vegaslab.compare("gallop-50mbit", ["vegas", "gallop"], set={"duration": "20s"})
    >>> list(comparison), len(comparison)
    (['vegas', 'gallop'], 2)
    >>> comparison["gallop"]
    <vegaslab.Result gallop-50mbit: 20 s, 1 flows, 6 links>
    >>> comparison.summary["runs"]["vegas"]["flows"][0]["segments_retransmitted"]
    0
    """

    def __init__(self, runs: Mapping[str, Result]) -> None:
        """Holds the runs, in the order in which they are shown."""
        self.runs = dict(runs)

    @classmethod
    def of(
        cls,
        variants: Mapping[str, _vegaslab.Scenario],
        worlds: Sequence[World | None],
        run: Callable[[_vegaslab.Scenario, World | None, str], Result],
    ) -> "Comparison":
        """Makes the runs of each variant in each world. Each is named by what tells it from the others."""
        runs = {}
        for variant, scenario in variants.items():
            for world in worlds:
                parts = [variant] if len(variants) > 1 or len(worlds) == 1 else []
                place = "simulator" if world is None else world.name
                key = "-".join([*parts, *([place] if len(worlds) > 1 else [])])
                runs[key] = run(scenario, world, key)
        return cls(runs)

    @property
    def summary(self) -> dict[str, Any]:
        """The dict that `vegaslab compare --json` prints: `scenario`, and `runs`: summary by algorithm."""
        summaries = self.summaries()
        return {"scenario": next(iter(summaries.values()))["scenario"], "runs": summaries}

    def sheet(self) -> "Sheet":
        """The lines of all runs for the pictures, drawn over each other."""
        # loads numpy, which `compare --no-plot` does not need
        from vegaslab.reports.sheet import sheet_of_runs

        return sheet_of_runs(self.runs)

    def summaries(self) -> dict[str, dict[str, Any]]:
        """The runs' summaries by algorithm."""
        return {algorithm: result.summary for algorithm, result in self.runs.items()}

    def write(self, dir: str | PathLike[str], *, csv: bool = False, pcapng: bool = False) -> Path:
        """Writes `comparison.json` and one folder a run into the folder `dir`, all of it or nothing; returns it.

        Raises `FolderError` for a folder that holds anything else, `OSError` if it cannot be written.
        """
        with whole_folder(Path(dir)) as folder:
            for algorithm, result in self.runs.items():
                result.write(folder / algorithm, csv=csv, pcapng=pcapng)
            (folder / "comparison.json").write_text(json.dumps(self.summary, indent=2) + "\n", encoding="utf-8")
        return Path(dir)

    def __repr__(self) -> str:
        """Names the scenario and the algorithms."""
        return f"<vegaslab.Comparison {self.summary['scenario']}: {', '.join(self.runs)}>"

    def __getitem__(self, algorithm: str) -> Result:
        """The run with that algorithm."""
        return self.runs[algorithm]

    def __iter__(self) -> Iterator[str]:
        """The algorithms."""
        return iter(self.runs)

    def __len__(self) -> int:
        """How many runs there are."""
        return len(self.runs)

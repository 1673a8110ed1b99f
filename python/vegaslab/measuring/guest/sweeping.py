"""The runs of a sweep in the kernel: docs/kernel-world.md."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow

from vegaslab.measuring.guest.world import Guest, KernelWorld
from vegaslab.measuring.linux import LinuxError
from vegaslab.sweeps.columns import failed_row, row_of
from vegaslab.sweeps.plans.plan import Plan
from vegaslab.util.errors import ScenarioError

_Begun = tuple[int, Guest | str]
"""A run's place, and its guest or why there is none."""


@dataclass(frozen=True)
class InKernel:
    """Makes each run in a guest of its own."""

    kernel: KernelWorld
    jobs: int
    """The number of guests at a time."""

    @property
    def world(self) -> dict[str, Any]:
        """See `vegaslab.sweeps.sweep.Runner`."""
        return self.kernel.about

    def __call__(
        self, plan: Plan, runs: Iterator[tuple[int, str, int]], deliver: Callable[[pyarrow.Table], None]
    ) -> None:
        """See `vegaslab.sweeps.sweep.Runner`. Runs are delivered in the order of the plan."""
        if plan.series:
            plan.fail("series", "goes with the world simulator; leave it out")
        begun: deque[_Begun] = deque()
        try:
            for run in runs:
                if len(begun) == self.jobs:
                    deliver(_finished(plan, begun))
                begun.append(self._begin(plan, *run))
            while begun:
                deliver(_finished(plan, begun))
        finally:
            for _, guest in begun:
                _end(guest)

    def _begin(self, plan: Plan, place: int, replaced: str, seed: int) -> _Begun:
        try:
            scenario = plan.template.scenario(replaced, seed)
            return place, Guest(scenario, Path(plan.source).parent, self.kernel)
        except (ScenarioError, LinuxError) as error:
            return place, str(error)


def _finished(plan: Plan, begun: deque[_Begun]) -> pyarrow.Table:
    """Waits for the run that began first, and returns its row. Until then it is among `begun`."""
    place, guest = begun[0]
    row = failed_row(place, guest) if isinstance(guest, str) else _row(plan, place, guest)
    begun.popleft()
    _end(guest)
    return row


def _row(plan: Plan, place: int, guest: Guest) -> pyarrow.Table:
    try:
        with TemporaryDirectory(prefix="vegaslab-") as folder:
            return row_of(place, guest.result(Path(folder) / "results", plan.limits.wall_s))
    except LinuxError as error:
        return failed_row(place, str(error))


def _end(guest: Guest | str) -> None:
    if isinstance(guest, Guest):
        guest.__exit__(None, None, None)

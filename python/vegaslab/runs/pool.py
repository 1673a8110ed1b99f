"""Whole runs in parallel: on threads, with the interpreter released, one a core."""

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from threading import Event
from typing import TypeVar

from vegaslab import _vegaslab
from vegaslab.runs.result import Result, run_checked
from vegaslab.util.memory import memory_bytes

_T = TypeVar("_T")
_GLANCE_S = 0.1
_AHEAD = 4


def usable_cores() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


class _StoppedError(Exception):
    """Ends a run that is no longer wanted."""


def run_all(
    scenarios: Sequence[_vegaslab.Scenario | Callable[[], _vegaslab.Scenario]],
    keep: Callable[[int, Result], _T],
    *,
    jobs: int,
    progress: Callable[[float], object] | None = None,
    memory: str | int | None = None,
    cached: bool = True,
) -> list[_T]:
    """Runs all scenarios, or what a function builds when its run begins; returns what `keep` makes of each place and
    result. At most `jobs` runs are in memory.

    `progress` is called some ten times a second with the simulated time of all runs so far, s. Ctrl-C ends the runs
    and raises `KeyboardInterrupt`; so does the first exception of `keep`, which is raised. `memory` is as for
    `vegaslab.run`, for all runs at a time together, `cached` as for `run_checked`.
    """
    reached_s = [0.0] * len(scenarios)
    stop = Event()
    share = memory_bytes(memory, runs=max(min(jobs, len(scenarios)), 1))

    def make(number: int) -> _T:
        def note(now_s: float) -> None:
            reached_s[number] = now_s
            if stop.is_set():
                raise _StoppedError

        given = scenarios[number]
        scenario = given() if callable(given) else given
        kept = keep(number, run_checked(scenario, note, memory=share, cached=cached))
        reached_s[number] = scenario.duration_s
        return kept

    made: dict[int, _T] = {}
    numbers = iter(range(len(scenarios)))
    told = time.monotonic()
    with ThreadPoolExecutor(jobs) as pool:

        def submitted(most: int) -> dict[Future[_T], int]:
            return {pool.submit(make, number): number for number in islice(numbers, most)}

        try:
            # to wait for thousands of futures takes longer than a short run
            pending = submitted(_AHEAD * jobs)
            while pending:
                done, _ = wait(pending, _GLANCE_S, FIRST_COMPLETED)
                made |= {pending.pop(run): run.result() for run in done}
                pending |= submitted(len(done))
                if progress is not None and (not pending or time.monotonic() - told >= _GLANCE_S):
                    progress(sum(reached_s))
                    told = time.monotonic()
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [made[number] for number in range(len(scenarios))]

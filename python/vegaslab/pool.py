"""Whole runs side by side: on threads, with the interpreter released, one a core."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from threading import Event
from typing import TypeVar

from vegaslab import _vegaslab
from vegaslab.result import Result, run_checked

_T = TypeVar("_T")
_GLANCE_S = 0.1


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


class _StoppedError(Exception):
    """Ends a run that nobody waits for."""


def run_all(
    scenarios: Sequence[_vegaslab.Scenario],
    keep: Callable[[int, Result], _T],
    *,
    jobs: int,
    progress: Callable[[float], object] | None = None,
) -> list[_T]:
    """What `keep` takes from each run, given its place and result; no more than `jobs` runs are in memory.

    `progress` is called some ten times a second with the simulated time of all runs so far, s. Ctrl-C ends the runs
    and raises `KeyboardInterrupt`; so does the first exception of `keep`, which is raised.
    """
    reached_s = [0.0] * len(scenarios)
    stop = Event()

    def make(number: int) -> _T:
        def note(now_s: float) -> None:
            reached_s[number] = now_s
            if stop.is_set():
                raise _StoppedError

        kept = keep(number, run_checked(scenarios[number], note))
        reached_s[number] = scenarios[number].duration_s
        return kept

    with ThreadPoolExecutor(jobs) as pool:
        runs = [pool.submit(make, number) for number in range(len(scenarios))]
        try:
            pending = set(runs)
            while pending:
                done, pending = wait(pending, _GLANCE_S, FIRST_COMPLETED)
                for run in done:
                    run.result()
                if progress is not None:
                    progress(sum(reached_s))
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [run.result() for run in runs]

"""A scenario in the kernel: the request to a guest, and the results folder that it answers with."""

import json
import os
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

from vegaslab import _vegaslab
from vegaslab.measuring.guest import kernels
from vegaslab.measuring.guest.carried import check
from vegaslab.measuring.guest.exchange import Exchange, Parcel
from vegaslab.measuring.guest.machine import Description
from vegaslab.measuring.linux import LinuxError, program
from vegaslab.runs.result import KeptResult

_SCENARIO = PurePosixPath("0/1/2/3/4/5/6/7/scenario.json")
"""The scenario's place in the guest: the files that it names may lie in folders above."""

_START_LIMIT_S, _LIMIT_PER_S = 300.0, 60.0
"""The limit of a run by the clock of this machine, and for each second of it: far above what the slowest run takes."""


class KernelWorld:
    """Linux in a virtual machine, as the world of `vegaslab.run` and others: docs/kernel-world.md.

    `kernel` is a version such as "6.12", or the file of an image (default: the newest 6.12 that was fetched or
    installed). With `bpf` vegaslab's algorithms run in all flows, else the kernel's own where presets are copies of
    them. Raises `LinuxError` for what is missing.

    >>> KernelWorld("0.1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    vegaslab.measuring.linux.LinuxError: ...
    """

    def __init__(self, kernel: str | None = None, *, bpf: bool = False) -> None:
        """Finds the kernel."""
        self._kernel = kernels.find(kernel)
        self._kind = "kernel-bpf" if bpf else "kernel"
        self.kernels_own = not bpf
        self.name = self._kind if kernel is None else f"{self._kind}-{self._kernel.release}"

    @cached_property
    def description(self) -> Description:
        """The machine; copies of it carry out the runs. Raises `LinuxError`."""
        return Description(self._kernel, Path(program()))

    @property
    def about(self) -> dict[str, Any]:
        """What decides the results beside the scenario. Raises `LinuxError`."""
        return {"world": self._kind, **self.description.about}

    def boot(self) -> None:
        """Boots the machine, if no run has done so. Raises `LinuxError`."""
        _ = self.description.saved

    def run(self, scenario: _vegaslab.Scenario, beside: Path, *options: str) -> KeptResult:
        """Carries a scenario out; its results lie in a folder that goes with them.

        `beside` is the folder from which the scenario names files. Raises `LinuxError` with one line, such as the
        guest's.
        """
        with ExitStack() as places:
            folder = Path(places.enter_context(TemporaryDirectory(prefix="vegaslab-"))) / "results"
            with Guest(scenario, beside, self, *options) as guest:
                result = guest.result(folder)
            weakref.finalize(result, places.pop_all().close)
        return result


class Guest:
    """A copy of a machine that has booted, which carries a scenario out. It ends with the block that has it."""

    def __init__(self, scenario: _vegaslab.Scenario, beside: Path, world: KernelWorld, *options: str) -> None:
        """Starts it. Raises as `KernelWorld.run` does."""
        check(scenario)
        described = world.description
        arguments = ["run", _SCENARIO.name, "--output", "/answered/results", "--json", *options]
        arguments += ["--world", json.dumps(world.about)]
        arguments += ["--kernels-own"] if world.kernels_own else []
        request = Parcel(
            {"arguments": arguments, "folder": str(_SCENARIO.parent), "seed": scenario.seed},
            {
                str(_SCENARIO): scenario.document_json().encode(),
                **dict(_files(json.loads(scenario.document_json()), beside)),
            },
        )
        self._scenario = scenario
        with ExitStack() as places:
            self._exchange = Exchange()
            places.callback(self._exchange.close)
            self._exchange.ask(request)
            self._machine = places.enter_context(described.saved.copy(self._exchange))
            self._places = places.pop_all()

    def __enter__(self) -> Self:
        """Returns the guest."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends it."""
        self._places.close()

    def result(self, folder: Path, limit_s: float | None = None, stop: threading.Event | None = None) -> KeptResult:
        """Waits for the results, by this machine's clock at most `limit_s` if given, and writes them. Raises as
        `KernelWorld.run` does, and `KeyboardInterrupt` once `stop` is set.
        """
        longest_s = _START_LIMIT_S + _LIMIT_PER_S * self._scenario.duration_s
        self._machine.wait(longest_s if limit_s is None else min(limit_s, longest_s), stop)
        answer = self._exchange.answer()
        if answer is None:
            raise self._machine.ended_without("an answer")
        return _written(answer, folder, self._scenario)


def _written(answer: Parcel, folder: Path, scenario: _vegaslab.Scenario) -> KeptResult:
    if answer.head["code"] != 0:
        said = answer.files.get("stderr", b"").decode(errors="replace").strip()
        raise LinuxError(said.splitlines()[-1] if said else f"the guest's program ended with {answer.head['code']}")
    folder.mkdir(parents=True)
    for name, content in answer.files.items():
        path = PurePosixPath(name)
        if path.parts[0] == "results" and ".." not in path.parts:
            target = folder.joinpath(*path.parts[1:])
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(content)
    return KeptResult(folder, json.loads(answer.files["stdout"]), scenario)


def _files(document: Any, beside: Path) -> Iterator[tuple[str, bytes]]:
    """Yields the files that a scenario names, by their places in the guest."""
    for name in _named(document):
        place = name if name.startswith(os.sep) else os.path.normpath(_SCENARIO.parent / name)
        yield str(place), (beside / name).read_bytes()


def _named(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "trace" and isinstance(inner, str):
                yield inner
            else:
                yield from _named(inner)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from _named(inner)

"""A scenario in the kernel: the request to a guest, and the results folder that it answers with."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from vegaslab import _vegaslab
from vegaslab.measuring.guest.carried import check
from vegaslab.measuring.guest.exchange import Exchange, Parcel
from vegaslab.measuring.guest.kernels import Kernel
from vegaslab.measuring.guest.machine import Description
from vegaslab.measuring.linux import LinuxError, program
from vegaslab.runs.result import KeptResult

_SCENARIO = PurePosixPath("0/1/2/3/4/5/6/7/scenario.json")
"""The scenario's place in the guest: the files that it names may lie in folders above."""

_START_LIMIT_S, _LIMIT_PER_S = 300.0, 60.0
"""The limit of a run by the clock of this machine, and for each second of it: far above what the slowest run takes."""


@dataclass(frozen=True)
class World:
    """Where scenarios are carried out: a kernel, and the source of the congestion controls."""

    kernel: Kernel
    kernels_own: bool = True
    """Whether the kernel's own run where presets are copies of them."""


def run(scenario: _vegaslab.Scenario, beside: Path, folder: Path, world: World, *options: str) -> KeptResult:
    """Carries a scenario out in a guest, and writes its results into `folder`, which must not exist yet.

    `beside` is the folder from which the scenario names files. Raises `LinuxError` with one line, such as the guest's.
    """
    document = json.loads(scenario.document_json())
    check(document)
    described = Description(world.kernel, Path(program()))
    arguments = ["run", _SCENARIO.name, "--output", "/answered/results", "--json", *options]
    arguments += ["--world", json.dumps({"world": "kernel", **described.about})]
    arguments += ["--kernels-own"] if world.kernels_own else []
    request = Parcel(
        {"arguments": arguments, "folder": str(_SCENARIO.parent), "seed": scenario.seed},
        {str(_SCENARIO): scenario.document_json().encode(), **dict(_files(document, beside))},
    )
    exchange = Exchange()
    try:
        exchange.ask(request)
        with described.booted(exchange) as machine:
            machine.wait(_START_LIMIT_S + _LIMIT_PER_S * scenario.duration_s)
            answer = exchange.answer()
            if answer is None:
                raise LinuxError(machine.no_answer())
    finally:
        exchange.close()
    return _written(answer, folder, scenario)


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

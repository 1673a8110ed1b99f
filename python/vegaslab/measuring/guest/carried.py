"""The keys of a scenario that the kernel's hosts cannot follow. The guest's program refuses the rest, by name too."""

import json
from typing import Any

from vegaslab import _vegaslab
from vegaslab.measuring.linux import LinuxError
from vegaslab.scenario.hosts import hosts_of

_HOST_KEYS = ("kind", "delayed_ack", "handshake", "reads_after", "receive_window", "sack", "timestamps")
"""The keys of a host that the kernel's may have."""

_NEVER_LIMITS = 1_048_576
"""A receive window in segments that limits no sender, as the kernel's receivers have where it does not tune theirs."""

_AT_ONCE = "0s"
"""How long an application takes to read where the kernel takes its own time."""

_PROGRAMS = ("python", "wasm")
"""The keys of algorithms in programs of one's own."""


def check(scenario: _vegaslab.Scenario) -> None:
    """Raises `LinuxError` with one line for a key that a run in the kernel would not follow."""
    kinds = hosts_of(scenario)
    for number, flow in enumerate(json.loads(scenario.document_json())["flow"]):
        for key, remedy in _not_carried(flow, kinds[f"flow {number}"]):
            raise LinuxError(f"flow.{number}.{key}: the kernel does not carry it; {remedy}")


def _not_carried(flow: dict[str, Any], kind: str) -> list[tuple[str, str]]:
    found = []
    given = flow.get("host")
    host = given if isinstance(given, dict) else {}
    algorithm = flow.get("algorithm")
    if kind == "quic":
        found.append(("transport", 'leave out "quic", which needs a program beside the kernel'))
    if isinstance(algorithm, dict):
        remedy = "write a preset, or parts: no program of your own runs in the guest"
        found += [(f"algorithm.{key}", remedy) for key in _PROGRAMS if key in algorithm]
    for key, table in (("delayed_ack", flow), ("host.delayed_ack", host)):
        if table.get("delayed_ack", False) not in (False, "linux"):
            found.append((key, 'write "linux", for the kernel delays by its own rule'))
    found += [(f"host.{key}", "leave it out, for the kernel has its own") for key in host if key not in _HOST_KEYS]
    if host.get("receive_window", "linux") not in ("linux", _NEVER_LIMITS):
        remedy = f'write "linux", for the kernel tunes it, or {_NEVER_LIMITS}, which never limits'
        found.append(("host.receive_window", remedy))
    if host.get("reads_after", _AT_ONCE) != _AT_ONCE:
        found.append(("host.reads_after", "leave it out, for the kernel wakes its application by itself"))
    if host.get("handshake", "full") != "full":
        found.append(("host.handshake", "leave it out, for the kernel always has one"))
    bytes_of_header = _header_bytes(host, kind)
    size = f"{bytes_of_header}b"
    wrong = [key for key in ("ack", "header") if flow.get(key, size) not in (size, bytes_of_header)]
    return found + [(key, f'write "{size}"') for key in wrong]


def _header_bytes(host: dict[str, Any], kind: str) -> int:
    """The headers of a packet, which are also the size of an acknowledgement."""
    has_stamps = kind == "linux" and host.get("timestamps", True)
    return 52 if has_stamps else 40

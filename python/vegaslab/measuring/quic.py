"""Transfers over QUIC on real paths: each algorithm several times, in random order, one transfer after another."""

import json
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vegaslab.util.errors import InputError
from vegaslab.util.programs import find, not_installed

if TYPE_CHECKING:
    from vegaslab.statistics import Interval

PROGRAM = "vegaslab-quic"


class QuicError(InputError):
    """A transfer failed, or cannot begin: one line."""


@dataclass(frozen=True, kw_only=True)
class Transfer:
    """A completed transfer."""

    algorithm: str
    completion_s: float
    """The time from the client's first packet to the last byte, s."""
    throughput_mbps: float
    sender: dict[str, float]
    """The server's counts: `sent_packets`, `lost_packets`, `congestion_events`, `rtt_ms`, `cwnd_bytes` and `mtu_bytes`.
    """


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The figures of one algorithm's transfers."""

    algorithm: str
    throughput_mbps: "Interval"
    completion_s: "Interval"
    lost_packets: float
    """The mean number of lost packets."""


def program() -> Path:
    """Returns the path of the program that makes transfers; raises `QuicError` if it is not built."""
    found = find(PROGRAM)
    if found is None:
        raise QuicError(not_installed(PROGRAM, "quic"))
    return Path(found)


def fetch(
    address: str,
    size: int,
    algorithm: str,
    fingerprint: str,
    *,
    qlog: Path | None = None,
    progress: Callable[[float, float], None] = lambda _bytes, _seconds: None,
) -> Transfer:
    """Fetches `size` bytes once. `progress` gets the bytes received and the seconds passed, about once a second."""
    command = [str(program()), "fetch", address, str(size), "--algorithm", algorithm, "--fingerprint", fingerprint]
    if qlog is not None:
        command += ["--qlog", str(qlog)]
    last: dict[str, Any] = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        try:
            for line in running.stdout:
                last = json.loads(line)
                if "received_bytes" in last:
                    progress(last["received_bytes"], last["elapsed_s"])
            complaint = running.stderr.read().strip()
        except BaseException:
            running.kill()
            raise
    if running.returncode != 0 or "completion_s" not in last:
        raise QuicError(complaint.splitlines()[-1] if complaint else f"{PROGRAM} ended with {running.returncode}")
    return Transfer(
        algorithm=algorithm,
        completion_s=last["completion_s"],
        throughput_mbps=last["throughput_mbps"],
        sender=last["sender"],
    )


def transfers(
    address: str,
    size: int,
    order: Sequence[str],
    fingerprint: str,
    *,
    pause_s: float,
    qlog: Path | None = None,
    progress: Callable[[int, float, float], None] = lambda _index, _bytes, _seconds: None,
) -> list[Transfer]:
    """Makes one transfer after another, with pauses between. `progress` gets a transfer's index, bytes and seconds."""
    done = []
    for index, algorithm in enumerate(order):
        if index > 0:
            time.sleep(pause_s)
        file = qlog / f"client-{index + 1}-{algorithm}.sqlog" if qlog is not None else None
        done.append(
            fetch(
                address,
                size,
                algorithm,
                fingerprint,
                qlog=file,
                progress=partial(progress, index),
            )
        )
    return done


def measured(done: Sequence[Transfer], level: float = 0.95) -> list[Measured]:
    """Returns means with intervals for each algorithm, in the order of first appearance."""
    names = list(dict.fromkeys(transfer.algorithm for transfer in done))
    return [_measured(name, [transfer for transfer in done if transfer.algorithm == name], level) for name in names]


def _measured(name: str, done: Sequence[Transfer], level: float) -> Measured:
    # SciPy takes long to load, and only some commands need it
    from vegaslab.statistics import mean_interval

    return Measured(
        algorithm=name,
        throughput_mbps=mean_interval([transfer.throughput_mbps for transfer in done], level),
        completion_s=mean_interval([transfer.completion_s for transfer in done], level),
        lost_packets=sum(transfer.sender["lost_packets"] for transfer in done) / len(done),
    )

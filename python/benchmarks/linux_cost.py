"""What a congestion control in the kernel costs: CPU time a byte over loopback, beside the kernel's own reno."""

import os
import resource
import socket
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path

from benchmarks.programs import BenchmarkError
from vegaslab.reports.summary import aligned

PRESETS = ("newreno", "vegas", "gallop")
_BYTES = 3 << 30
_PIECE = 1 << 18
_MAY_COST = 1.03


def main(program: Path, repeats: int) -> int:
    """Prints ratios of medians, pairs in turn; 1 if one is above 1.03. Needs root."""
    rows, too_much = [], False
    for preset in PRESETS:
        name = f"vegas_{preset}"
        _run(program, "install", preset)
        try:
            pairs = [(_cpu_ns_per_byte("reno"), _cpu_ns_per_byte(name)) for _ in range(repeats)]
        finally:
            _run(program, "remove", preset)
        reno, ours = (statistics.median(costs) for costs in zip(*pairs, strict=True))
        ratios = sorted(ours / reno for reno, ours in pairs)
        too_much |= ours / reno > _MAY_COST
        rows.append((name, f"{reno:.4f}", f"{ours:.4f}", f"{ours / reno:.3f}", f"{ratios[0]:.3f} to {ratios[-1]:.3f}"))
    print("\n".join(aligned(("congestion control", "reno, ns/byte", "its, ns/byte", "ratio", "of pairs"), rows)))
    return int(too_much)


def _run(program: Path, *arguments: str) -> None:
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BenchmarkError(done.stderr.strip())


def _cpu_ns_per_byte(congestion_control: str) -> float:
    """CPU time of both ends; the kernel's work on loopback is done in their names."""
    before = _children_s()
    with socket.create_server(("127.0.0.1", 0)) as server:
        receiver = _fork(lambda: _receive(server))
        sender = _fork(lambda: _send(server.getsockname(), congestion_control))
        failed = [child for child in (sender, receiver) if os.waitpid(child, 0)[1] != 0]
    if failed:
        raise BenchmarkError(f"the transfer by {congestion_control} failed")
    return (_children_s() - before) * 1e9 / _BYTES


def _fork(work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return child


def _receive(server: socket.socket) -> None:
    room = bytearray(_PIECE)
    connection, _ = server.accept()
    while connection.recv_into(room):
        pass


def _send(address: tuple[str, int], congestion_control: str) -> None:
    data = bytes(_PIECE)
    with socket.socket() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion_control.encode())
        connection.connect(address)
        for _ in range(_BYTES // _PIECE):
            connection.sendall(data)


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

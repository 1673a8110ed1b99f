"""Hostile packets: into the namespaces of a run, and into a device with the option's programs."""

import fcntl
import json
import os
import random
import re
import socket
import struct
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from reliability.guest.inside.kernel import C, held, in_child, more, settled
from reliability.guest.inside.program import LIMIT_S, PROGRAM, call, run_arguments

FOLDER = Path("/tmp/packets")
_ETH_P_IP = 0x0800
_SET_DEVICE, _SET_FLAGS = 0x400454CA, 0x8914
_TUN, _NO_INFORMATION, _UP = 1, 0x1000, 1
_CLONE_NEWNET = 0x40000000
SENDER, RECEIVER = bytes([10, 81, 0, 1]), bytes([10, 82, 0, 1])
AQT = 0x9E
"""The kind of RoVegas's option."""

Packet = bytes


def ipv4(
    payload: bytes,
    *,
    protocol: int = 6,
    options: bytes = b"",
    version: int = 4,
    words: int | None = None,
    total: int | None = None,
    fragment: int = 0,
    ends: tuple[bytes, bytes] = (SENDER, RECEIVER),
) -> Packet:
    """Makes a packet; what is not given is right, but for checksums."""
    words = 5 + len(options) // 4 if words is None else words
    total = 20 + len(options) + len(payload) if total is None else total
    first = (version << 4 | words) & 0xFF
    return (
        struct.pack(">BBHHHBBH", first, 0, total & 0xFFFF, 1, fragment, 64, protocol, 0)
        + b"".join(ends)
        + options
        + payload
    )


def tcp(*, offset: int | None = None, options: bytes = b"", data: bytes = b"12345678") -> bytes:
    """Makes a segment of flow 0."""
    words = 5 + len(options) // 4 if offset is None else offset
    return struct.pack(">HHIIBBHHH", 10_000, 5001, 1, 1, words << 4, 0x10, 1000, 0, 0) + options + data


def kinds(count: int) -> dict[str, tuple[list[Packet], bool]]:
    """Returns packets by what is wrong with them, and whether a router must refuse them all."""
    whole = ipv4(tcp())
    draw = random.Random(1)
    others = [(SENDER, bytes([10, 82, 0, 2])), (RECEIVER, RECEIVER), (b"\0\0\0\0", RECEIVER), (SENDER, b"\xff" * 4)]
    wrong_options = [bytes([AQT, length, 0, 0]) for length in (0, 1, 2, 7, 9, 255)]
    wrong_options += [bytes([kind, length, 1, 1]) for kind in (7, 68, 131) for length in (0, 1, 255)]
    fine = [bytes([1] * 40), bytes([0] * 4), bytes([AQT, 8, 255, 255, 255, 255, 255, 255])]
    listed = {
        "truncated": ([whole[:length] for length in range(1, 40)], True),
        "another version": ([ipv4(tcp(), version=version) for version in (0, 5, 6, 15)], True),
        "a wrong header length": ([ipv4(tcp(), words=words) for words in (0, 1, 4, 13, 15)], True),
        "a wrong total length": ([ipv4(tcp(), total=total) for total in (0, 1, 19, 39, 49, 65535)], True),
        "a wrong TCP header length": ([ipv4(tcp(offset=offset)) for offset in (0, 1, 4, 8, 15)], True),
        "fragments": ([ipv4(tcp(), fragment=fragment) for fragment in (1, 0x1FFF, 0x2000, 0x3FFF)], True),
        "other addresses": ([ipv4(tcp(), ends=ends) for ends in others], True),
        "random bytes": ([draw.randbytes(draw.randrange(1, 1500)) for _ in range(count)], True),
        "options of IPv4": ([ipv4(tcp(), options=options) for options in wrong_options + fine], False),
        "options of TCP": (
            [ipv4(tcp(options=bytes([kind, length, 0, 0]))) for kind in (2, 5, 8, 254) for length in (0, 1, 255)],
            False,
        ),
        "other protocols": ([ipv4(tcp(), protocol=protocol) for protocol in (0, 1, 17, 41, 47, 132, 255)], False),
        "the largest": ([ipv4(tcp(data=bytes(65_535 - 40)))], False),
        "a flood": ([ipv4(tcp(data=bytes(draw.randrange(1, 1400)))) for _ in range(20 * count)], False),
    }
    # single bits of a whole packet: some are as good as it was
    flipped = [
        whole[: bit // 8] + bytes([whole[bit // 8] ^ 1 << bit % 8]) + whole[bit // 8 + 1 :] for bit in range(320)
    ]
    return listed | {"a bit that is wrong": (flipped, False)}


def attack(points: int, only: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yields a row for each kind of packets; `points` is the number of random ones."""
    FOLDER.mkdir(exist_ok=True)
    for name, (packets, refused) in kinds(points).items():
        if not only or name in only:
            yield _into_run(name, packets, refused)
    if not only or "option" in only:
        yield _into_option(kinds(points))


def _into_run(name: str, packets: Sequence[Packet], refused: bool) -> dict[str, Any]:
    """Sends packets by both hosts of a run."""
    clean = held()
    command = [PROGRAM, *run_arguments(FOLDER, "--set", "duration=2s")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        sent = _inject(running.pid, packets)
        try:
            out, error = running.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            running.kill()
            out, error = "", "did not end"
    problems = []
    if running.returncode != 0 or error:
        problems.append(f"the run ended with {running.returncode}: {error}")
    else:
        summary = json.loads(out)
        count = summary["linux"]["packets_refused"]
        least = sent if refused else 0
        if not least <= count <= sent:
            problems.append(f"{count} of {sent} packets were refused")
        if not summary["flows"][0]["segments_sent"]:
            problems.append("the flow did not begin")
        name = f"{name}: {count} of {sent} refused"
    if left := more(clean, settled(clean)):
        problems.append(f"left {left}")
    return {"target": "a run", "stage": name, "problems": problems}


def _inject(process: int, packets: Sequence[Packet]) -> int:
    """Sends packets out of both namespaces of a run once both are there; returns how many."""
    until = time.monotonic() + LIMIT_S
    while len(found := _namespaces(process)) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    # the routes come, and time begins
    time.sleep(0.5)
    codes = [in_child(partial(_send_from, path, packets)) for path in found]
    assert codes == [0, 0], f"packets were not sent: {codes}"
    return len(found) * len(packets)


def _namespaces(process: int) -> list[str]:
    found = {}
    own = str(Path("/proc/self/ns/net").readlink())
    for file in Path(f"/proc/{process}/fd").glob("*"):
        try:
            to = str(file.readlink())
        except OSError:
            continue
        if to.startswith("net:[") and to != own:
            found[to] = str(file)
    return list(found.values())


def _send_from(namespace: str, packets: Sequence[Packet]) -> int:
    with Path(namespace).open("rb") as file:
        assert C.setns(file.fileno(), _CLONE_NEWNET) == 0
    return 0 if _send("path", packets) == len(packets) else 1


def _send(device: str, packets: Sequence[Packet]) -> int:
    """Returns how many packets the device takes: none above its MTU."""
    sent = 0
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_IP)) as raw:
        raw.bind((device, _ETH_P_IP))
        for number, packet in enumerate(packets):
            with suppress(OSError):
                raw.send(packet)
                sent += 1
            if number % 100 == 0:
                # the router takes them, and the device's queue does not overflow
                time.sleep(0.001)
    return sent


def _into_option(all_kinds: dict[str, tuple[list[Packet], bool]]) -> dict[str, Any]:
    """Sends and receives packets by a device with the option's programs."""
    clean = held()
    packets = [packet for some, _ in all_kinds.values() for packet in some]
    problems = []
    with Path("/dev/net/tun").open("r+b", buffering=0) as device:
        fcntl.ioctl(device, _SET_DEVICE, struct.pack("16sH22x", b"hostile", _TUN | _NO_INFORMATION))
        with socket.socket() as any_socket:
            fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH22x", b"hostile", _UP))
        for command in (("echo", "hostile"), ("install", "rovegas")):
            problems += [f"{command}: {problem}"] if (problem := call(*command).problem(0)) else []
        passed = sum(_write(device.fileno(), packet) for packet in packets) + _send("hostile", packets)
        status = call("status")
        problems += [problem] if (problem := status.problem(0)) else []
        malformed = int(m[1]) if (m := re.search(r"(\d+) malformed", status.out)) else -1
        if not 0 < malformed <= passed:
            problems.append(f"{malformed} malformed of {passed}")
        problems += [problem] if (problem := call("remove").problem(0)) else []
    if left := more(clean, settled(clean)):
        problems.append(f"left {left}")
    stage = f"all of them in and out: {malformed} of {passed} malformed"
    return {"target": "the option", "stage": stage, "problems": problems}


def _write(device: int, packet: Packet) -> bool:
    """Returns whether the device takes the packet."""
    try:
        os.write(device, packet)
    except OSError:
        return False
    return True

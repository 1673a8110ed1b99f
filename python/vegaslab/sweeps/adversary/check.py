"""Checks from a run's packets that an adversary stayed within the model, without the simulator's arithmetic.

The model of "Starvation in End-to-End Congestion Control" (V. Arun, M. Alizadeh, H. Balakrishnan, SIGCOMM 2022,
section 3) has a FIFO queue of constant rate, a propagation delay, and behind it for each flow an element that holds
packets in order, each for a time within [0, D]; that of CCAC (V. Arun et al., SIGCOMM 2021) has one such element for
all flows, right behind the queue. When packets leave their senders is taken from the capture; when they would arrive
without that element follows from the recursion of queues (D. V. Lindley, "The Theory of Queues with a Single Server",
1952). What the capture shows beyond that is the element's delay.
"""

import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vegaslab import _vegaslab
from vegaslab.runs.result import run
from vegaslab.scenario.source import load
from vegaslab.sweeps.adversary.packets import Sight, read_capture, unwrapped
from vegaslab.sweeps.adversary.question import AttackError

Times = NDArray[np.int64]

_BITS = 8_000_000_000
"""A byte in bits, times a second in nanoseconds: divided by a rate it is a byte's transmission time."""

_DATA, _ACKS = "data", "acknowledgements"
_LINK_KEYS = {"rate", "delay", "queue"}


@dataclass(frozen=True, kw_only=True)
class Link:
    """A link of constant rate."""

    rate: int
    """Bits a second."""
    delay: int
    """The propagation delay, ns."""
    queue: int | None
    """How many packets it holds, the one being sent included; None: any number."""


@dataclass(frozen=True, kw_only=True)
class Obeyed:
    """What the adversary did to one flow's packets in one direction."""

    flow: int
    direction: str
    packets: int
    """Packets that arrived."""
    limit_ns: int
    """The delay that the scenario allows."""
    least_ns: int
    greatest_ns: int
    overtakings: int
    """Packets that arrived before an earlier one."""

    @property
    def holds(self) -> bool:
        """Whether the model was obeyed."""
        return self.least_ns >= 0 and self.greatest_ns <= self.limit_ns and self.overtakings == 0


@dataclass(frozen=True, kw_only=True)
class Checked:
    """The result of a check."""

    duration_s: float
    obeyed: list[Obeyed]
    acked: list[tuple[Times, Times]]
    """For each flow the times of acknowledgements at the sender, ns, and what they acknowledge, bytes."""

    def goodput_mbps(self, begin_s: float, end_s: float) -> list[float]:
        """Returns each flow's payload acknowledged within a time, as a rate."""
        rates = []
        for times, acked in self.acked:
            reached = np.maximum.accumulate(np.concatenate([[0], acked]))
            ends = [reached[np.searchsorted(times, round(at * 1e9), side="right")] for at in (begin_s, end_s)]
            rates.append(float(ends[1] - ends[0]) * 8e-6 / (end_s - begin_s))
        return rates


def check(path: Path) -> Checked:
    """Runs a scenario and checks it.

    Raises `AttackError` for what the check does not know, `ScenarioError`, `OSError`.
    """
    document = json.loads(load(path).document_json())
    _refuse_unknown(path, document)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "run"
        run(path, set={"capture": True, "sample": "off"}).write(place, pcapng=True)
        sights = read_capture(place / "capture.pcapng"), read_capture(place / "capture-receiver.pcapng")
    flows = range(len(document["flow"]))
    (data_sent, acks_arrived), (data_arrived, acks_sent) = (
        [[sight.of(flow, backward=backward) for flow in flows] for backward in (False, True)] for sight in sights
    )
    return Checked(
        duration_s=_vegaslab.nanoseconds(document["duration"]) / 1e9,
        obeyed=[
            *_direction(document, _DATA, data_sent, data_arrived),
            *_direction(document, _ACKS, acks_sent, acks_arrived),
        ],
        acked=[(acks.time, unwrapped(acks.number)) for acks in acks_arrived],
    )


def _refuse_unknown(path: Path, document: dict[str, Any]) -> None:
    """Refuses what changes packets in a way that the model does not have."""

    def refuse(key: str) -> None:
        raise AttackError(
            f"{path}: {key}: the check knows dumbbells of plain links, and flows by TCP; delay schedules of flows, or "
            "one of the bottleneck"
        )

    topology = document.get("topology", {})
    if topology.get("kind") != "dumbbell":
        refuse("topology.kind")
    for key in ("change", "traffic"):
        if key in document:
            refuse(key)
    bottleneck = {key: value for key, value in topology["bottleneck"].items() if key != "delay_schedule"}
    shared = bottleneck != topology["bottleneck"]
    links = {"topology.access": topology["access"], "topology.bottleneck": bottleneck}
    for number, flow in enumerate(document["flow"]):
        links |= {f"flow.{number}.access": flow.get("access", {})}
        for key in ("count", "transport", "ecn", "ack", "header", *(["delay_schedule"] if shared else [])):
            if key in flow:
                refuse(f"flow.{number}.{key}")
    for place, link in links.items():
        for key in set(link) - _LINK_KEYS:
            refuse(f"{place}.{key}")
        if not isinstance(link.get("rate", ""), str) or not isinstance(link.get("queue", ""), str):
            refuse(place)


def _link(table: dict[str, Any]) -> Link:
    queue = table.get("queue", "unlimited")
    if queue != "unlimited" and not re.fullmatch("[0-9]+p", queue):
        raise AttackError(f'queue: {queue!r}: the check counts packets, such as "500p"')
    return Link(
        rate=_vegaslab.bits_per_second(table["rate"]),
        delay=_vegaslab.nanoseconds(table["delay"]),
        queue=None if queue == "unlimited" else int(queue.removesuffix("p")),
    )


def _direction(document: dict[str, Any], name: str, sent: list[Sight], arrived: list[Sight]) -> list[Obeyed]:
    """Checks all packets of one direction: over the first access links, the bottleneck, and the last access links."""
    topology = document["topology"]
    access = [_link(flow.get("access", topology["access"])) for flow in document["flow"]]
    offered = []
    for link, packets in zip(access, sent, strict=True):
        at, kept = _through(link, packets.time, packets.size)
        offered.append((at, packets.size[kept], np.flatnonzero(kept)))
    times, sizes, flows = _merged(offered)
    at, kept = _through(_link(topology["bottleneck"]), times, sizes)
    flows_at, sizes_at = flows[kept], sizes[kept]
    shared = topology["bottleneck"].get("delay_schedule", {}) if name == _DATA else {}
    served, overtakes = _served(access, at, flows_at, arrived) if shared else (at, np.zeros(len(at), bool))
    results = []
    for number, flow in enumerate(document["flow"]):
        mine = flows_at == number
        there, whole = _through(access[number], at[mine], sizes_at[mine])
        which = offered[number][2][kept[flows == number]][whole]
        seen = len(arrived[number].time)
        # packets that are under way at the end are left out
        if not np.array_equal(sent[number].number[which][:seen], arrived[number].number):
            raise AttackError(
                f"flow {number}: {name} that arrived are not those that the queues let through, in their order"
            )
        if shared:
            left, came, overtakings = served[mine][:seen], at[mine][:seen], overtakes[mine][:seen].sum()
        else:
            left, came, overtakings = arrived[number].time, there[:seen], (np.diff(arrived[number].time) < 0).sum()
        own = flow.get("delay_schedule", {})
        held = own if own.get("backward", False) == (name == _ACKS) else {}
        results.append(_compared(number, name, shared or held, left - came, int(overtakings)))
    return results


def _served(access: list[Link], at: Times, flows: Times, arrived: list[Sight]) -> tuple[Times, NDArray[np.bool_]]:
    """Returns when packets left the element behind the bottleneck, by when they arrived over the last access links.

    Also returns which of them left before the packet in front, of any flow.

    A packet that found its access link idle left the element just then. One that waited there left at some time up to
    then: it is taken to have left as early as the model allows, with the packet before it, which holds whenever any
    choice does.
    """
    latest = np.full(len(at), np.iinfo(np.int64).max)
    exact = np.zeros(len(at), bool)
    for number, (link, sight) in enumerate(zip(access, arrived, strict=True)):
        mine = np.flatnonzero(flows == number)[: len(sight.time)]
        out = sight.time - link.delay
        begun = out - _transmission(link, sight.size)
        latest[mine] = begun
        exact[mine] = begun != np.concatenate([[-1], out[:-1]])
    served, overtakes, before = [], [], 0
    for came, most, is_exact in zip(at.tolist(), latest.tolist(), exact.tolist(), strict=True):
        left = most if is_exact else min(most, max(came, before))
        served.append(left)
        overtakes.append(left < before)
        before = max(before, left)
    return np.array(served, np.int64), np.array(overtakes, bool)


def _through(link: Link, times: Times, sizes: Times) -> tuple[Times, NDArray[np.bool_]]:
    """Returns when packets come out of a link, and which of those that were offered did.

    A packet is dropped if the queue is full when it comes; the packet that is being sent counts.
    """
    out: list[int] = []
    kept = np.zeros(len(times), bool)
    done: list[int] = []
    free, first = 0, 0
    for place, (time, size) in enumerate(zip(times.tolist(), sizes.tolist(), strict=True)):
        while first < len(done) and done[first] <= time:
            first += 1
        if link.queue is not None and len(done) - first >= link.queue:
            continue
        free = max(free, time) + int(_transmission(link, size))
        done.append(free)
        out.append(free + link.delay)
        kept[place] = True
    return np.array(out, np.int64), kept


def _transmission(link: Link, size: Any) -> Any:
    """Returns how long packets of this size take: whole nanoseconds, rounded as the simulator documents it."""
    return (2 * size * _BITS + link.rate) // (2 * link.rate)


def _merged(offered: Sequence[tuple[Times, Times, Times]]) -> tuple[Times, Times, Times]:
    """Returns the packets of all flows as they come to the bottleneck: times, sizes, flows."""
    times = np.concatenate([time for time, _, _ in offered])
    sizes = np.concatenate([size for _, size, _ in offered])
    flows = np.repeat(np.arange(len(offered)), [len(time) for time, _, _ in offered])
    # of packets that come at one instant, that of the earlier flow comes first: the order of the links
    order = np.lexsort((flows, times))
    return times[order], sizes[order], flows[order]


def _compared(number: int, name: str, schedule: dict[str, Any], added: Times, overtakings: int) -> Obeyed:
    return Obeyed(
        flow=number,
        direction=name,
        packets=len(added),
        limit_ns=_vegaslab.nanoseconds(schedule["limit"]) if schedule else 0,
        least_ns=int(added.min(initial=0)),
        greatest_ns=int(added.max(initial=0)),
        overtakings=overtakings,
    )

"""What an attack asks: an algorithm, the network that the adversary may use, and what it looks for."""

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from vegaslab import _vegaslab
from vegaslab.scenario.source import load
from vegaslab.scenario.variants import used_by_all
from vegaslab.util.errors import InputError

OBJECTIVES = ("ratio", "utilisation", "stall", "queue")
MODELS = ("starvation", "ccac")
HOSTS = ("bsd", "linux")
FLOWS_MAX = 4
BOTTLENECK = "r1->r2"

_PACKET_BYTES = 1000
_ACCESS_RATE_LEAST = 1_000_000_000
_ACCESS_DELAY_GREATEST_NS = 1_000_000
_SAMPLES = 500
_WINDOW_BEGINS_AT = 0.5
_NS = 1_000_000_000


class AttackError(InputError, ValueError):
    """An attack cannot begin, or cannot go on: one line that says what would be right."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """The algorithm under attack, the network, and what the adversary maximises (or minimises: utilisation)."""

    algorithm: str
    beside: tuple[str, ...] = ()
    """The algorithms of the other flows, among which the adversary chooses for each; empty: `algorithm`."""
    flows: int = 2
    """The number of flows, the one under attack included."""
    model: str = "starvation"
    """What the network may do: "starvation" has an element that holds packets for each flow, "ccac" one for all."""
    host: str = "bsd"
    """How the hosts of all flows behave, as of a scenario's `host`."""
    limit: str = "10ms"
    """The greatest delay that the adversary may add to a packet: D of the model."""
    rate: str = "100mbit"
    rtt: str = "40ms"
    queue: str | None = None
    """The bottleneck's queue; None: one BDP."""
    duration: str = "60s"
    objective: str = "ratio"
    seed: int = 1

    def __post_init__(self) -> None:
        """Raises `AttackError`, and `ScenarioError` for a quantity that is none."""
        if self.objective not in OBJECTIVES:
            raise AttackError(f"objective: {self.objective!r} was given; one of {', '.join(OBJECTIVES)}")
        if self.model not in MODELS:
            raise AttackError(f"model: {self.model!r} was given; one of {', '.join(MODELS)}")
        if self.host not in HOSTS:
            raise AttackError(f"host: {self.host!r} was given; one of {', '.join(HOSTS)}")
        if not 1 <= self.flows <= FLOWS_MAX:
            raise AttackError(f"flows: {self.flows} was given; 1 to {FLOWS_MAX}")
        if self.flows == 1 and self.beside:
            raise AttackError("beside: goes with two flows or more, and the algorithm is alone")
        if self.flows == 1 and self.objective == "ratio":
            raise AttackError("objective: a ratio is that of two flows; ask for utilisation, stall or queue alone")
        if self.rtt_ns < 8 * _NS // 1_000_000:
            raise AttackError(f"rtt: {self.rtt!r} was given; 8us at least")
        if self.duration_ns < 20 * self.rtt_ns:
            raise AttackError(f"duration: {self.duration!r} was given; 20 round trips of {self.rtt} at least")
        if self.limit_ns < 1000:
            raise AttackError(f"delay: {self.limit!r} was given; 1us at least")

    @property
    def elements(self) -> tuple[str, ...]:
        """Where the model holds packets: keys of the scenario's tables that have a `delay_schedule`."""
        if self.model == "ccac":
            return ("topology.bottleneck",)
        return tuple(f"flow.{flow}" for flow in range(self.flows))

    @cached_property
    def rivals(self) -> tuple[Any, ...]:
        """What stands for the algorithms of `beside` in a scenario file; that under attack, if there are none."""
        document = self._without_algorithms()
        return tuple(_algorithm_value(document, name) for name in self.beside or (self.algorithm,))

    @property
    def limit_ns(self) -> int:
        """D, ns."""
        return _nanoseconds("delay", self.limit)

    @property
    def rtt_ns(self) -> int:
        """The path's round-trip time without queueing, ns."""
        return _nanoseconds("rtt", self.rtt)

    @property
    def duration_ns(self) -> int:
        """The length of a run, ns."""
        return _nanoseconds("duration", self.duration)

    @property
    def rate_bits(self) -> int:
        """The bottleneck's rate, bits a second."""
        try:
            return _vegaslab.bits_per_second(self.rate)
        except ValueError as error:
            raise AttackError(f"rate: {error}") from None

    @property
    def window_s(self) -> tuple[float, float]:
        """The time over which shares, utilisation and queue are measured: the second half of the run, s."""
        return _WINDOW_BEGINS_AT * self.duration_ns / _NS, self.duration_ns / _NS

    def document(self) -> dict[str, Any]:
        """Returns the scenario without any adversary. Raises `ScenarioError` for an unknown algorithm."""
        document = self._without_algorithms()
        document["flow"][0]["algorithm"] = _algorithm_value(document, self.algorithm)
        for flow in document["flow"][1:]:
            flow["algorithm"] = self.rivals[0]
        return document

    def _without_algorithms(self) -> dict[str, Any]:
        access_ns = min(_ACCESS_DELAY_GREATEST_NS, self.rtt_ns // 8)
        product = max(4, self.rate_bits * self.rtt_ns // (8 * _PACKET_BYTES * _NS))
        return {
            "name": "worst",
            "duration": self.duration,
            "seed": self.seed,
            "sample": time_text(max(self.duration_ns // _SAMPLES, 1)),
            "topology": {
                "kind": "dumbbell",
                "access": {
                    "rate": _rate_text(max(_ACCESS_RATE_LEAST, 10 * self.rate_bits)),
                    "delay": time_text(access_ns),
                },
                "bottleneck": {
                    "rate": self.rate,
                    "delay": time_text(self.rtt_ns // 2 - 2 * access_ns),
                    "queue": self.queue or f"{product}p",
                },
            },
            "flow": [
                {"algorithm": "reno", "packet": f"{_PACKET_BYTES}b", "host": self.host} for _ in range(self.flows)
            ],
        }

    @property
    def holds_for(self) -> str:
        """The path, packets and hosts of which an answer speaks."""
        return f"{self.rate}, {self.rtt}, packets of {_PACKET_BYTES} bytes and hosts {self.host}"

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields, for a file."""
        return {**asdict(self), "beside": list(self.beside)}


def _algorithm_value(document: dict[str, Any], algorithm: str) -> object:
    """Returns what stands for a preset's name, a table of parts or an own algorithm in a scenario file."""
    given = json.loads(load(document, set=used_by_all(document, algorithm)).document_json())
    return given["flow"][0]["algorithm"]


def _nanoseconds(key: str, text: str) -> int:
    try:
        return _vegaslab.nanoseconds(text)
    except ValueError as error:
        raise AttackError(f"{key}: {error}") from None


def _rate_text(rate_bits: int) -> str:
    units = (("gbit", 1_000_000_000), ("mbit", 1_000_000), ("kbit", 1000), ("bit", 1))
    return next(f"{rate_bits // size}{unit}" for unit, size in units if rate_bits % size == 0)


def time_text(span_ns: int) -> str:
    """Formats a time as scenario files have it.

    >>> time_text(3_500_000_000), time_text(12_000_000), time_text(1_500)
    ('3.5s', '12ms', '1.5us')
    """
    for unit, size in (("s", _NS), ("ms", 1_000_000), ("us", 1000)):
        if span_ns >= size and span_ns % (size // 1000) == 0:
            return f"{span_ns / size:.3f}".rstrip("0").rstrip(".") + unit
    return f"{span_ns}ns" if span_ns else "0s"

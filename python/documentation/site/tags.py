"""The gallery's tags: what a scenario has, derived from its keys, and for some topics from its name and description."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Keys = Mapping[str, Any]
"""A table of a scenario's document."""

KINDS = ("topic", "algorithm", "queue", "topology")
"""The kinds of tags, in the order of their list."""


@dataclass(frozen=True)
class Tag:
    """A property that scenarios share. No two kinds have the same name."""

    kind: str
    name: str

    @property
    def place(self) -> str:
        """The tag's page."""
        return f"gallery/tags/{self.name.replace(' ', '-').replace('+', 'p')}.md"

    @property
    def meaning(self) -> str:
        """A sentence on what its scenarios have in common."""
        match self.kind:
            case "topic":
                return _TOPICS[self.name][0]
            case "algorithm":
                return f"A flow, or a source of transfers, has the algorithm `{self.name}`."
            case _:
                return f"The {self.kind} is `{self.name}`."


def tags_of(document: Keys) -> list[Tag]:
    """Returns the tags of a scenario, in the order of `KINDS`."""
    topics = [name for name, (_, holds) in _TOPICS.items() if holds(document)]
    names = {
        "topic": topics,
        "algorithm": _algorithms(document),
        "queue": _queues(document),
        "topology": [document["topology"]["kind"]],
    }
    return [Tag(kind, name) for kind in KINDS for name in dict.fromkeys(names[kind])]


def _algorithms(document: Keys) -> Iterator[str]:
    """Yields the presets, and those that tables of parts begin with."""
    for flow in [*_flows(document), *(source["flow"] for source in _traffic(document) if "flow" in source)]:
        given = flow.get("algorithm", "")
        name = given.get("preset", "") if isinstance(given, Mapping) else given
        if name:
            yield name


def _queues(document: Keys) -> Iterator[str]:
    for link in _links(document):
        queue = link.get("queue")
        yield queue.get("kind", "drop-tail") if isinstance(queue, Mapping) else "drop-tail"


def _flows(document: Keys) -> Iterator[Keys]:
    yield from document.get("flow", ())


def _traffic(document: Keys) -> Iterator[Keys]:
    yield from document.get("traffic", ())


def _applications(document: Keys) -> list[str]:
    return [phase["kind"] for flow in _flows(document) for phase in flow.get("application", ())]


def _links(document: Keys) -> Iterator[Keys]:
    topology = document["topology"]
    if "bottleneck" in topology:
        yield topology["bottleneck"]
    yield from topology.get("bottlenecks", ())
    yield from topology.get("link", ())


# --- what makes a topic ---


def _says(words: str) -> Callable[[Keys], bool]:
    """The name or the description has one of the words, an expression, in which a hyphen is a space."""
    wanted = re.compile(rf"\b({words})", re.IGNORECASE)

    def says(document: Keys) -> bool:
        text = f"{document['name']} {document.get('description', '')}"
        return wanted.search(text.replace("-", " ")) is not None

    return says


def _link_has(*keys: str) -> Callable[[Keys], bool]:
    return lambda document: any(key in link for link in _links(document) for key in keys)


def _shares(document: Keys) -> bool:
    greedy = [flow for flow in _flows(document) if "application" not in flow]
    return len(greedy) > 1 or any("count" in flow for flow in greedy)


def _mixes(document: Keys) -> bool:
    return len({str(flow.get("algorithm")) for flow in _flows(document)}) > 1


def _changes(document: Keys) -> bool:
    # a trace is a table
    traced = any(isinstance(link.get(key), Mapping) for link in _links(document) for key in ("rate", "delay"))
    return traced or "change" in document


def _jitters(document: Keys) -> bool:
    held = any("delay_schedule" in flow or "jitter" in flow.get("access", ()) for flow in _flows(document))
    # jitter without a model is at most a packet's time, against phase effects
    modelled = any(isinstance(link.get("jitter"), Mapping) or "delay_schedule" in link for link in _links(document))
    return held or modelled


def _marks(document: Keys) -> bool:
    queues = [link["queue"] for link in _links(document) if isinstance(link.get("queue"), Mapping)]
    marking = any("ecn" in queue or "dualpi2" in queue.values() for queue in queues)
    return marking or any("ecn" in flow for flow in _flows(document))


def _loads_the_way_back(document: Keys) -> bool:
    return _link_has("backward")(document) or "backward" in (source.get("direction") for source in _traffic(document))


def _has_transfers(document: Keys) -> bool:
    return any("flow" in source for source in _traffic(document)) or any("size" in flow for flow in _flows(document))


def _has_media(document: Keys) -> bool:
    return bool({"media", "video"} & set(_applications(document))) or _says("voice|video")(document)


_TOPICS: dict[str, tuple[str, Callable[[Keys], bool]]] = {
    "fairness": ("Flows share a path: how much does each get? Jain's index says how equal the shares are.", _shares),
    "coexistence": ("Flows of different algorithms meet.", _mixes),
    "start": (
        "How a flow begins: slow start, and the time to fill a path.",
        _says("slow start|gallop vegas|doubling|start beside|ramp up|time to fill"),
    ),
    "transfers": ("Transfers of a known size, many of them short: how long does each take?", _has_transfers),
    "background traffic": ("Sources of traffic send beside the flows.", lambda document: any(_traffic(document))),
    "video call": ("Voice and video: which frames come in time?", _has_media),
    "applications": ("Flows have less to send than the path carries.", lambda document: bool(_applications(document))),
    "wireless": ("Radio links: Wi-Fi and cellular.", _says("wi ?fi|wireless|radio|cellular")),
    "satellite": ("Links by satellite, geostationary or in a low orbit.", _says("satellite")),
    "random loss": ("Links lose packets for which their queues have room.", _link_has("loss", "drop")),
    "reordering": ("Packets overtake others.", _link_has("reorder")),
    "jitter": ("Delay varies without a queue.", _jitters),
    "changing path": ("Rate, delay, loss or route changes during the run.", _changes),
    "ecn": ("Queues mark packets instead of dropping them (ECN).", _marks),
    "way back": ("The way of the acknowledgements is narrow or busy.", _loads_the_way_back),
    "quic": (
        "QUIC is the transport.",
        lambda document: any(flow.get("transport") == "quic" for flow in _flows(document)),
    ),
}
"""What each topic's scenarios have in common, and whether a scenario is one of them."""

"""The hosts on which the flows of scenarios run, in a line."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from vegaslab import _vegaslab


def hosts_line(variants: Mapping[str, "_vegaslab.Scenario"]) -> str:
    """Names the hosts of all flows and connections; where they are mixed, which flow runs on which.

    >>> from vegaslab.scenario.variants import load_variants
    >>> hosts_line(load_variants("gallop-50mbit", ["vegas", "gallop"]))
    'hosts: bsd'
    >>> hosts_line(load_variants("gallop-50mbit", ["cubic"], vary={"flow.0.host": ["bsd", "linux"]}))
    'hosts are mixed: cubic,host=bsd on bsd; cubic,host=linux on linux'
    """
    hosts = {name: dict(_hosts(json.loads(variant.document_json()))) for name, variant in variants.items()}
    kinds = {kind for places in hosts.values() for kind in places.values()}
    if len(kinds) == 1:
        return f"hosts: {kinds.pop()}"
    if all(places == next(iter(hosts.values())) for places in hosts.values()):
        return f"hosts are mixed: {_by_kind(next(iter(hosts.values())))}"
    return "hosts are mixed: " + "; ".join(f"{name} on {_short(places)}" for name, places in hosts.items())


def _hosts(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the place of each flow and each source of connections, with the kind of its hosts."""
    for number, flow in enumerate(document["flow"]):
        yield f"flow {number}", _kind(flow)
    for number, source in enumerate(document.get("traffic", [])):
        if "flow" in source:
            yield f"traffic {number}", _kind(source["flow"])


def _kind(flow: Mapping[str, Any]) -> str:
    if flow.get("transport") == "quic":
        return "quic"
    host = flow.get("host", "bsd")
    return str(host if isinstance(host, str) else host.get("kind", "bsd"))


def _by_kind(places: Mapping[str, str]) -> str:
    kinds = dict.fromkeys(places.values())
    return "; ".join(", ".join(place for place, one in places.items() if one == kind) + f" on {kind}" for kind in kinds)


def _short(places: Mapping[str, str]) -> str:
    kinds = set(places.values())
    return kinds.pop() if len(kinds) == 1 else f"several ({_by_kind(places)})"

"""The hosts on which the flows of scenarios run, in a line."""

import json
from collections.abc import Mapping
from itertools import accumulate

from vegaslab import _vegaslab


def hosts_line(variants: Mapping[str, "_vegaslab.Scenario"]) -> str:
    """Names the hosts of all flows and connections; where they are mixed, which flow runs on which.

    >>> from vegaslab.scenario.variants import load_variants
    >>> hosts_line(load_variants("gallop-50mbit", ["vegas", "gallop"]))
    'hosts: bsd'
    >>> hosts_line(load_variants("gallop-50mbit", ["cubic"], vary={"flow.0.host": ["bsd", "linux"]}))
    'hosts are mixed: cubic,host=bsd on bsd; cubic,host=linux on linux'
    """
    hosts = {name: hosts_of(variant) for name, variant in variants.items()}
    kinds = {kind for places in hosts.values() for kind in places.values()}
    if len(kinds) == 1:
        return f"hosts: {kinds.pop()}"
    if all(places == next(iter(hosts.values())) for places in hosts.values()):
        return f"hosts are mixed: {_by_kind(next(iter(hosts.values())))}"
    return "hosts are mixed: " + "; ".join(f"{name} on {_short(places)}" for name, places in hosts.items())


def hosts_of(scenario: "_vegaslab.Scenario") -> dict[str, str]:
    """The hosts ("bsd", "linux" or "quic") by place: each `[[flow]]` and each `[[traffic]]` that opens connections.

    >>> from vegaslab.scenario.variants import load_variants
    >>> hosts_of(load_variants("dynamic-vegas-and-reno", ["vegas"])["vegas"])
    {'flow 0': 'bsd', 'flow 1': 'bsd'}
    """
    flows, sources = scenario.hosts()
    counts = [int(flow.get("count", 1)) for flow in json.loads(scenario.document_json())["flow"]]
    firsts = accumulate(counts, initial=0)
    places = {f"flow {table}": flows[first] for table, first in zip(range(len(counts)), firsts, strict=False)}
    return places | {f"traffic {number}": host for number, host in enumerate(sources) if host}


def _by_kind(places: Mapping[str, str]) -> str:
    kinds = dict.fromkeys(places.values())
    return "; ".join(", ".join(place for place, one in places.items() if one == kind) + f" on {kind}" for kind in kinds)


def _short(places: Mapping[str, str]) -> str:
    kinds = set(places.values())
    return kinds.pop() if len(kinds) == 1 else f"several ({_by_kind(places)})"

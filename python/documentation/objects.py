"""Makes `vegaslab/scenario/objects.py`, a class for each table of a scenario file, from the JSON Schema."""

import json
import keyword
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from typing import Any

from documentation import ROOT

SCHEMA = ROOT / "docs" / "scenario.schema.json"
OBJECTS = ROOT / "python" / "vegaslab" / "scenario" / "objects.py"

Schema = Mapping[str, Any]

_HEAD = '''\
"""Scenarios as typed objects. They only spell the keys of a scenario file; checked is the dict they become.

Quantities are text as in a file (`"50mbit"`, `"48ms"`, `"100p"`, `"1500b"`). What is left at `None` gets the file's
default.

Made from the JSON Schema (`vegaslab schema`) by `make objects`: edit `python/documentation/objects.py` instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from vegaslab.scenario.typed import Table
'''
_TAIL = '''\
class Access(Link):
    """The link between a host and its router.

    >>> from vegaslab import Access
    >>> Access(rate="1gbit", delay="1ms")
    Access(rate='1gbit', delay='1ms')
    """
'''
_NAMES = {"ManagedQueue": "Queue"}
# the table with keys that depend on `kind`: for each kind its class, and the keys that it requires
_TOPOLOGIES = {
    "dumbbell": ("Dumbbell", ("access", "bottleneck"), "Senders, a router, one bottleneck, a router, receivers."),
    "parking-lot": (
        "ParkingLot",
        ("access",),
        "Routers in a row: `hops` times the same `bottleneck`, or `bottlenecks` one by one.",
    ),
    "graph": ("Graph", ("nodes", "link"), "Any nodes, and links between them."),
}
# two tables with nearly the same keys are one class
_MERGED = {"GraphLink": "Link"}
# names of presets are text: programs loop over them
_OPEN = ("Algorithm", "preset")
_LINKS = """\
        >>> access, link = Link(rate="1gbit", delay="1ms"), Link(rate="10mbit", delay="8ms", queue="30p")"""
# examples for the classes' docstrings; tests run them
_EXAMPLES = {
    "Scenario": f"""\
        >>> import vegaslab
        >>> from vegaslab import Dumbbell, Flow, Link, Scenario
{_LINKS}
        >>> topology = Dumbbell(access=access, bottleneck=link)
        >>> scenario = Scenario(name="two", duration="10s", topology=topology, flow=[Flow(algorithm="vegas", count=2)])
        >>> vegaslab.run(scenario)
        <vegaslab.Result two: 10 s, 2 flows, 10 links>""",
    "Dumbbell": f"""\
        >>> from vegaslab import Dumbbell, Link
{_LINKS}
        >>> Dumbbell(access=access, bottleneck=link).kind
        'dumbbell'""",
    "ParkingLot": f"""\
        >>> from vegaslab import Link, ParkingLot
{_LINKS}
        >>> list(ParkingLot(access=access, bottleneck=link, hops=3).to_dict())
        ['kind', 'access', 'bottleneck', 'hops']""",
    "Graph": """\
        >>> from vegaslab import Graph, Link
        >>> graph = Graph(nodes=["a", "b"], link=[Link(between=("a", "b"), rate="1mbit", delay="1ms", queue="9p")])
        >>> graph.to_dict()["link"][0]["between"]
        ['a', 'b']""",
    "Link": """\
        >>> from vegaslab import Backward, Link
        >>> Link(rate="10mbit", delay="8ms", queue="30p", loss="1%", backward=Backward(rate="1mbit")).to_dict()
        {'rate': '10mbit', 'delay': '8ms', 'queue': '30p', 'backward': {'rate': '1mbit'}, 'loss': '1%'}""",
    "TraceDelay": """\
        >>> from vegaslab import Link, TraceDelay
        >>> Link(rate="10mbit", delay=TraceDelay(trace="leo-delay.csv")).delay
        TraceDelay(trace='leo-delay.csv')""",
    "TraceRate": """\
        >>> from vegaslab import Link, TraceRate
        >>> Link(rate=TraceRate(trace="rate-trace.txt"), delay="20ms", queue="100p")
        Link(rate=TraceRate(trace='rate-trace.txt'), delay='20ms', queue='100p')""",
    "Queue": """\
        >>> from vegaslab import Link, Queue
        >>> Link(rate="10mbit", delay="8ms", queue=Queue(kind="codel", limit="100p", ecn=True))
        Link(rate='10mbit', delay='8ms', queue=Queue(kind='codel', limit='100p', ecn=True))""",
    "Backward": """\
        >>> from vegaslab import Backward, Link
        >>> Link(rate="10mbit", delay="8ms", queue="30p", backward=Backward(rate="1mbit", queue="10p")).backward
        Backward(rate='1mbit', queue='10p')""",
    "BurstLoss": """\
        >>> from vegaslab import BurstLoss, Link
        >>> Link(rate="10mbit", delay="8ms", loss=BurstLoss(good_to_bad="1%", bad_to_good="25%")).loss
        BurstLoss(model='gilbert-elliott', good_to_bad='1%', bad_to_good='25%')""",
    "ModelledJitter": """\
        >>> from vegaslab import Link, ModelledJitter
        >>> Link(rate="10mbit", delay="8ms", jitter=ModelledJitter(mean="7ms")).jitter
        ModelledJitter(model='wifi', mean='7ms')""",
    "DelaySchedule": """\
        >>> from vegaslab import DelaySchedule, Flow
        >>> schedule = DelaySchedule(limit="10ms", points=[("0s", "0ms"), ("3.5s", "10ms")])
        >>> Flow(algorithm="copa", delay_schedule=schedule).to_dict()["delay_schedule"]["limit"]
        '10ms'""",
    "Policer": """\
        >>> from vegaslab import Link, Policer
        >>> Link(rate="10mbit", delay="8ms", policer=Policer(rate="5mbit", burst="30kb")).policer
        Policer(rate='5mbit', burst='30kb')""",
    "Reorder": """\
        >>> from vegaslab import Link, Reorder
        >>> Link(rate="10mbit", delay="8ms", reorder=Reorder(probability="1%", delay="5ms")).reorder
        Reorder(probability='1%', delay='5ms')""",
    "Flow": """\
        >>> from vegaslab import Flow
        >>> Flow(algorithm="vegas", start="2s", size="10mb", alpha=2, beta=4)
        Flow(algorithm='vegas', start='2s', size='10mb', alpha=2, beta=4)""",
    "Parts": """\
        >>> from vegaslab import Flow, Parts
        >>> Flow(algorithm=Parts(preset="vegas", slow_start="gallop", burst="none")).to_dict()
        {'algorithm': {'preset': 'vegas', 'slow_start': 'gallop', 'burst': 'none'}}""",
    "LinuxWindow": """\
        >>> from vegaslab import Flow, Host, LinuxWindow
        >>> Flow(algorithm="cubic-linux", host=Host(kind="linux", receive_window=LinuxWindow(max="1mb"))).to_dict()
        {'algorithm': 'cubic-linux', 'host': {'kind': 'linux', 'receive_window': {'max': '1mb'}}}""",
    "Receiver": """\
        >>> from vegaslab import Flow, Receiver
        >>> Flow(algorithm="reno", receiver=Receiver(misbehaves="dupack-spoofing")).receiver
        Receiver(misbehaves='dupack-spoofing')""",
    "Host": """\
        >>> from vegaslab import Flow, Host
        >>> Flow(algorithm="reno", host=Host(kind="linux", rto_min="300ms")).host
        Host(kind='linux', rto_min='300ms')""",
    "Change": """\
        >>> from vegaslab import Change
        >>> Change(at="20s", link="r1->r2", rate="5mbit")
        Change(at='20s', link='r1->r2', rate='5mbit')""",
    "ApplicationPhase": """\
        >>> from vegaslab import ApplicationPhase, Flow
        >>> Flow(algorithm="nv", application=[ApplicationPhase(kind="rate", rate="2mbit")]).application
        [ApplicationPhase(kind='rate', rate='2mbit')]""",
    "MediaLayer": """\
        >>> from vegaslab import ApplicationPhase, MediaLayer
        >>> ApplicationPhase(kind="media", layers=[MediaLayer(every="20ms", size="80b")]).to_dict()["layers"]
        [{'every': '20ms', 'size': '80b'}]""",
    "Traffic": """\
        >>> from vegaslab import Traffic
        >>> Traffic(kind="exponential-on-off", rate="2mbit", on="100ms", off="100ms")
        Traffic(kind='exponential-on-off', rate='2mbit', on='100ms', off='100ms')""",
}
_WIDTH = 120


def main() -> None:
    """Rewrites the file."""
    OBJECTS.write_text(source(), encoding="utf-8")


def source() -> str:
    """Returns the file's text."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    defined = dict(schema["$defs"])
    for other, name in _MERGED.items():
        defined[name] = _merged(defined[name], defined[other])
    tables = {name: table for name, table in defined.items() if "properties" in table and name not in _MERGED}
    classes = [_class("Scenario", schema, defined)]
    classes += [text for name, table in tables.items() for text in _classes(name, table, defined)]
    return _formatted("\n\n".join([_HEAD, *classes, _TAIL]))


def _merged(table: Schema, other: Schema) -> Schema:
    """Returns a table with the keys of both; a key is required if both require it."""
    required = [key for key in table["required"] if key in other["required"]]
    return {**table, "properties": {**other["properties"], **table["properties"]}, "required": required}


def _classes(name: str, table: Schema, defined: Schema) -> list[str]:
    if name == "Topology":
        if unknown := set(table["properties"]["kind"]["enum"]) ^ set(_TOPOLOGIES):
            raise ValueError(f"_TOPOLOGIES and the schema differ in {', '.join(sorted(unknown))}")
        return [_class(name, _of_kind(kind, table), defined) for kind, (name, _, _) in _TOPOLOGIES.items()]
    return [_class(_NAMES.get(name, name), table, defined)]


def _of_kind(kind: str, table: Schema) -> Schema:
    """Returns the table with the keys of this kind; descriptions begin with kinds ("dumbbell, parking-lot: ...")."""
    _, required, description = _TOPOLOGIES[kind]
    own = {"kind": {"enum": [kind], "description": table["properties"]["kind"]["description"]}}
    for key, value in table["properties"].items():
        kinds, colon, meaning = value["description"].partition(": ")
        if colon and kind in kinds.split(", "):
            own[key] = {**value, "description": meaning[0].upper() + meaning[1:]}
    return {"properties": own, "required": ["kind", *required], "description": description}


def _class(name: str, table: Schema, defined: Schema) -> str:
    lines = ["@dataclass(frozen=True, kw_only=True, repr=False)", f"class {name}(Table):"]
    lines += [_class_docstring(table["description"], _EXAMPLES[name]), ""]
    for key, value in table["properties"].items():
        attribute = f"{key}_" if keyword.iskeyword(key) else key
        type_ = _type(value, defined, literal=key not in _OPEN)
        lines += [f"    {attribute}: {type_}{_default(value, key in table.get('required', ()))}"]
        lines += [_docstring(value["description"])]
    return "\n".join(lines) + "\n"


def _type(value: Schema, defined: Schema, *, literal: bool = True) -> str:
    if "$ref" in value:
        return _type_of_table(value["$ref"].rpartition("/")[2], defined)
    if "anyOf" in value:
        return _union([_type(one, defined, literal=literal) for one in value["anyOf"]])
    if "enum" in value or "const" in value:
        values = value.get("enum", [value.get("const")])
        return "Literal[" + ", ".join(_literal(one) for one in values) + "]" if literal else "str"
    if value["type"] == "array":
        item = _type(value["items"], defined)
        return f"tuple[{item}, {item}]" if value.get("maxItems") == 2 else f"Sequence[{item}]"
    return {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}[value["type"]]


def _union(types: list[str]) -> str:
    """Joins the types, each once; a type that is text includes all texts, whatever words are known."""
    parts = dict.fromkeys(part for type_ in types for part in type_.split(" | "))
    return " | ".join(part for part in parts if not ("str" in parts and part.startswith('Literal["')))


def _type_of_table(name: str, defined: Schema) -> str:
    if name == "Topology":
        return " | ".join(name for name, _, _ in _TOPOLOGIES.values())
    name = _MERGED.get(name, name)
    if "properties" in defined[name]:
        return _NAMES.get(name, name)
    return _type(defined[name], defined, literal=name not in _OPEN)


def _literal(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _default(value: Schema, required: bool) -> str:
    if not required:
        return " | None = None"
    # a key with only one possible value need not be given
    return f" = {_literal(value['enum'][0])}" if len(value.get("enum", ())) == 1 else ""


def _class_docstring(description: str, example: str) -> str:
    return f'    """{description}\n\n{textwrap.indent(textwrap.dedent(example), "    ")}\n    """'


def _docstring(text: str) -> str:
    return "\n".join(textwrap.wrap(f'"""{text}"""', _WIDTH, initial_indent="    ", subsequent_indent="    "))


def _formatted(text: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--config", str(ROOT / "pyproject.toml"), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()

"""The explanation of a name: of an algorithm from its page in docs/algorithms and from the registry, of a part, of a
key of scenario files, of a figure of comparisons, of a column of tables, of a claim, and of a term of the field from
docs/glossary.md.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from vegaslab import _vegaslab
from vegaslab.reports.summary import aligned
from vegaslab.runs.seeds.meanings import OF_A_PART, PLAIN, figure_meaning
from vegaslab.util.errors import InputError
from vegaslab.util.text import did_you_mean

_PAGES = Path(__file__).parents[1] / "algorithms"
_GLOSSARY = Path(__file__).parents[1] / "glossary.md"
_TERM = re.compile(r"^\| (?!term \|)([^|-][^|]*) \| ([^|]+) \|$", re.MULTILINE)
_RULE, _ENDS = ("The backlog", "The rule"), ("Sources", "Deviations")
_LINK, _BOLD = re.compile(r"\[([^]]+)\]\([^)]+\)"), re.compile(r"\*\*(.+?)\*\*")
_DEPTH_MAX = 6
PANELS = {
    "cwnd": "the congestion window of each flow in segments, with its slow-start threshold",
    "rtt": "the newest round-trip time of each flow in ms, with its base RTT",
    "throughput": "what of each flow was acknowledged in Mb/s, mean over a step of some round trips",
    "queue": "the packets that wait at the bottleneck, with those it dropped",
}
"""The panels of runs, which `-r` of `vegaslab figure` names."""
_LETTERS = {
    "fine_retransmit": "C",
    "recheck_after_retransmit": "D",
    "once_per_window": "E",
    "burst": "H",
    "keep_up": "I",
    "suppress_spikes": "J",
}


class UnknownNameError(InputError):
    """Nothing has that name.

    >>> import vegaslab
    >>> vegaslab.explain("jain_indx")
    Traceback (most recent call last):
        ...
    vegaslab.commands.explain.UnknownNameError: jain_indx: no such name; did you mean "jain_index"?
    """


def explain(name: str) -> str:
    """Returns what a name means, as text; everything that it means, if it is several things.

    Names are of presets, parts (`gallop`, `slow_start`), keys (`alpha`, `flow.alpha`), figures of comparisons
    (`jain_index`, `flow.0.share_percent`), columns (`goodput_mbps`), claims (`H-table1`) and terms of the field
    (`bufferbloat`, `slow start`, `RTT`). Raises `UnknownNameError`.

    >>> import vegaslab
    >>> vegaslab.explain("Queueing delay")
    'queueing delay: the part of the delay that a packet waits in queues'
    >>> "congestion avoidance" in vegaslab.explain("alpha")
    True
    """
    known: list[tuple[str, dict[str, str]]] = [
        ("algorithm", {preset["name"]: "" for preset in _vegaslab.algorithms()}),
        ("part", _of_parts()),
        ("key of scenario files", _of_keys()),
        ("column of tables", _of_columns()),
        ("panel of pictures", {name: f"panel {name}: {text}, over time" for name, text in PANELS.items()}),
        ("claim", _of_claims()),
    ]
    found = [(kind, texts[name] or _preset(name)) for kind, texts in known if name in texts]
    terms = _of_terms()
    if _spelled(name) in terms:
        found.append(("term", terms[_spelled(name)]))
    figure = figure_meaning(name)
    if figure is not None:
        found.insert(0, ("figure of comparisons", figure))
    if not found:
        names = [
            *dict.fromkeys([*PLAIN, *OF_A_PART]),
            *dict.fromkeys(one for _, texts in known for one in texts),
            *terms,
        ]
        raise UnknownNameError(f"{name}: no such name; {did_you_mean(name, names)}")
    if len(found) == 1 or found[0][0] == "algorithm":
        more = [f"{name} is also a {kind}:\n\n{text}" for kind, text in found[1:]]
        return "\n\n".join([found[0][1], *more])
    return "\n\n".join(f"{kind}:\n\n{text}" for kind, text in found)


def _joined(texts: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Returns the texts of each name as lines, each once."""
    lines: dict[str, dict[str, None]] = {}
    for name, text in texts:
        lines.setdefault(name, {})[text] = None
    return {name: "\n".join(of_name) for name, of_name in lines.items()}


def _of_parts() -> dict[str, str]:
    """Returns the text of each kind of part and of each part."""
    texts = [(key, part, f"{key} = {json.dumps(part)}: {meaning}") for key, part, meaning in _vegaslab.parts()]
    return _joined((name, text) for key, part, text in texts for name in (key, part))


def _of_keys() -> dict[str, str]:
    """Returns the text of each key of scenario files, by its path and by its last name."""
    found = _keys_with_texts()
    return _joined((name, f"{path}: {text}") for path, text in found for name in (path, path.rpartition(".")[2]))


def _keys_with_texts() -> list[tuple[str, str]]:
    schema = json.loads(_vegaslab.schema())
    return list(_keys_in(schema, schema["$defs"], ()))


def keys() -> list[str]:
    """Returns the keys of scenario files as `--set` takes them: those of tables that repeat, of the first one."""
    schema = json.loads(_vegaslab.schema())
    repeated = [name for name, value in schema["properties"].items() if value.get("type") == "array"]
    first = {name: f"{name}.0" for name in repeated}
    paths = (path.partition(".") for path, _ in _keys_with_texts())
    return list(
        dict.fromkeys(f"{first.get(top, top)}{dot}{rest}" for top, dot, rest in paths if rest or top not in first)
    )


def _keys_in(table: Mapping[str, Any], named: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yields the path and the text of every key below a table of the schema."""
    for target in _tables_of(table):
        yield from _keys_in(named[target], named, above)
    for key, value in table.get("properties", {}).items():
        path = (*above, key)
        if "description" in value:
            yield ".".join(path), value["description"]
        for target in _tables_of(value) if len(path) < _DEPTH_MAX else ():
            yield from _keys_in(named[target], named, path)


def _tables_of(value: Mapping[str, Any]) -> list[str]:
    """Returns the names of the tables that a value may be, or hold."""
    own = [value["$ref"].rpartition("/")[2]] if "$ref" in value else []
    inner = [*value.get("anyOf", []), *value.get("oneOf", []), *([value["items"]] if "items" in value else [])]
    return own + [name for one in inner for name in _tables_of(one)]


def _of_columns() -> dict[str, str]:
    """Returns the text of each column, of all tables that have it."""
    return _joined((name, f"{table}.{name}, {unit}: {meaning}") for table, name, unit, meaning in _vegaslab.columns())


def _of_terms() -> dict[str, str]:
    """Returns the text of each term of the glossary's tables, by each of its names."""
    rows = _TERM.findall(_GLOSSARY.read_text(encoding="utf-8"))
    return {_spelled(name): f"{names}: {_plain(text)}" for names, text in rows for name in names.split(", ")}


def _spelled(term: str) -> str:
    """Returns a term as the glossary's are found: capitals, hyphens and underscores make no difference."""
    return re.sub(r"[-_ ]+", " ", term).lower()


def _of_claims() -> dict[str, str]:
    """Returns the text of each claim of the papers."""
    # the claims' modules load the experiments, for which other commands need not wait
    from vegaslab.papers.judging.claims import claims

    return {
        name: f"{name}, {claim.paper}, {claim.at}: {claim.conclusion}\n{claim.setting}\nvegaslab reproduce {name}"
        for name, claim in claims().items()
    }


def _preset(name: str) -> str:
    """Returns the preset's rule, parts, parameters with defaults, sources and deviations as text."""
    preset = {preset["name"]: preset for preset in _vegaslab.algorithms()}[name]
    path = _page(name)
    sections = _sections(path.read_text(encoding="utf-8"))
    lines = [f"{name}: {preset['summary']}", f"source: {preset['source']}", f"page: docs/algorithms/{path.name}"]
    lines += [f"host of a flow that names none: {preset['host']}"]
    lines += ["", "Parts", ""]
    lines += [f"  {line}" for line in aligned(("key", "value"), [(k, _show(v)) for k, v in preset["parts"].items()])]
    lines += ["", "Parameters", ""]
    rows = [(key, _show(value)) for key, value in preset["parameters"].items()]
    lines += [f"  {line}" for line in aligned(("key", "default, segments"), rows)]
    own = [title for title in sections if f"`{name}`" in title]
    for title in (*_RULE, *own, *_ENDS):
        if title in sections:
            lines += ["", _plain(title), "", _plain(sections[title])]
    return "\n".join(lines)


def table_of_presets() -> list[str]:
    """Returns a line for each preset: those that are compositions with their parts, then the standalone algorithms."""
    named = ("signal", "slow_start", "avoidance", "cut", "recovery")
    composed, standalone = [], []
    for preset in _vegaslab.algorithms():
        if preset["parts"]["signal"] == "own":
            standalone.append((preset["name"], preset["summary"], preset["source"]))
        else:
            parts = (str(preset["parts"][part]) for part in named)
            composed.append((preset["name"], *parts, _mechanisms(preset), preset["source"]))
    return [
        "Compositions of parts:",
        *aligned(("name", *named, "also", "source"), composed),
        "",
        "Standalone algorithms:",
        *aligned(("name", "summary", "source"), standalone),
    ]


def table_of_hosts() -> list[str]:
    """Every preset with the hosts that carry it, a line each, and the one it has by default; below, why the others do
    not.
    """
    presets = _vegaslab.algorithms()
    hosts = list(presets[0]["hosts"])
    rows = [(one["name"], *(_carried(one, host) for host in hosts)) for one in presets]
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in presets:
        for host, reason in one["hosts"].items():
            if reason is not None:
                reasons.setdefault((host, reason), []).append(one["name"])
    why = [f"{host}: {', '.join(names)}: {reason}" for (host, reason), names in sorted(reasons.items())]
    return [*aligned(("name", *hosts), rows), "", *why]


def _carried(preset: "_vegaslab.AlgorithmInfo", host: str) -> str:
    if preset["hosts"][host]:
        return "no"
    return "default" if host == preset["host"] else "yes"


def _mechanisms(preset: "_vegaslab.AlgorithmInfo") -> str:
    """Returns the letters of the switches that are on ("TCP Vegas Revisited", section VI)."""
    return (
        "".join(letter for part, letter in _LETTERS.items() if preset["parts"][part] not in (None, False, "own")) or "-"
    )


def _show(value: str | bool | int | None) -> str:
    """Returns the value as a scenario file writes it."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _plain(text: str) -> str:
    """Returns the text without Markdown's links and bold type, which a terminal does not show."""
    return _BOLD.sub(r"\1", _LINK.sub(r"\1", text))


def _page(name: str) -> Path:
    """Returns the page that has the preset in its title."""
    for path in sorted(_PAGES.glob("*.md")):
        if f"`{name}`" in path.read_text(encoding="utf-8").partition("\n")[0]:
            return path
    raise UnknownNameError(f"{name}: docs/algorithms has no page whose title names it")


def _sections(page: str) -> dict[str, str]:
    """Returns the text of each section, by second-level heading."""
    parts = page.split("\n## ")[1:]
    return {title: text.strip() for title, _, text in (part.partition("\n") for part in parts)}

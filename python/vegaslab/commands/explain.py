"""The explanation of an algorithm, from its page in docs/algorithms and from the registry."""

import re
from pathlib import Path

from vegaslab import _vegaslab
from vegaslab.reports.summary import aligned
from vegaslab.util.errors import InputError
from vegaslab.util.text import did_you_mean

_PAGES = Path(__file__).parents[1] / "algorithms"
_RULE, _ENDS = ("The backlog", "The rule"), ("Sources", "Deviations")
_LINK, _BOLD = re.compile(r"\[([^]]+)\]\([^)]+\)"), re.compile(r"\*\*(.+?)\*\*")
_LETTERS = {
    "fine_retransmit": "C",
    "recheck_after_retransmit": "D",
    "once_per_window": "E",
    "burst": "H",
    "keep_up": "I",
    "suppress_spikes": "J",
}


class UnknownAlgorithmError(InputError):
    """No preset has that name."""


def explain(name: str) -> str:
    """Returns the preset's rule, parts, parameters with defaults, sources and deviations as text."""
    presets = {preset["name"]: preset for preset in _vegaslab.algorithms()}
    if name not in presets:
        raise UnknownAlgorithmError(f"{name}: no such algorithm; {did_you_mean(name, presets)}")
    preset = presets[name]
    path = _page(name)
    sections = _sections(path.read_text(encoding="utf-8"))
    lines = [f"{name}: {preset['summary']}", f"source: {preset['source']}", f"page: docs/algorithms/{path.name}"]
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
    """Every preset with the hosts that carry it, a line each; below, why the others do not."""
    presets = _vegaslab.algorithms()
    hosts = list(presets[0]["hosts"])
    rows = [(one["name"], *("no" if one["hosts"][host] else "yes" for host in hosts)) for one in presets]
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in presets:
        for host, reason in one["hosts"].items():
            if reason is not None:
                reasons.setdefault((host, reason), []).append(one["name"])
    why = [f"{host}: {', '.join(names)}: {reason}" for (host, reason), names in sorted(reasons.items())]
    return [*aligned(("name", *hosts), rows), "", *why]


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
    raise UnknownAlgorithmError(f"{name}: docs/algorithms has no page whose title names it")


def _sections(page: str) -> dict[str, str]:
    """Returns the text of each section, by second-level heading."""
    parts = page.split("\n## ")[1:]
    return {title: text.strip() for title, _, text in (part.partition("\n") for part in parts)}

"""Sentences made from a chapter's numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from vegaslab.evaluation.criterion import Headline
from vegaslab.evaluation.figures import FIGURES
from vegaslab.util.text import significant

_WORDS = {
    "higher": "more than",
    "lower": "less than",
    "same": "equal to",
    "not told apart": "not told apart from",
}
_DIGITS = 3


def sentence(headline: Headline, case: Mapping[str, Any]) -> str:
    """Returns what a chapter says of a figure: the algorithm's value, those of the others, and what can be told."""
    tested, *others = case["rows"]
    name, figure = tested["algorithm"], headline.figure
    if tested["refused"]:
        return f"{headline.setting}, {name} is not run: {tested['refused']}."
    known = FIGURES[figure]
    mean = tested["means"].get(figure)
    said = known.says.format(value(mean, known.unit)) if mean else f"has no {known.title} in any run"
    begin = f"{headline.setting}, {name} {said}"
    compared = [row for row in others if not row["refused"]]
    return f"{begin}{_others(compared, figure)}."


def value(mean: Mapping[str, Any] | None, unit: str) -> str:
    """Formats a mean with its interval, and says in how many runs there is one, if not in all."""
    if mean is None:
        return "none"
    low, high = mean["mean"] - mean["half_width"], mean["mean"] + mean["half_width"]
    text = f"{significant(mean['mean'], _DIGITS)} {unit}".rstrip()
    if mean["half_width"] > 0 and significant(low, _DIGITS) != significant(high, _DIGITS):
        text += f" ({significant(low, _DIGITS)} to {significant(high, _DIGITS)})"
    return text if mean["seeds"] == mean["of"] else f"{text} in {mean['seeds']} of {mean['of']} runs"


def _others(rows: Sequence[Mapping[str, Any]], figure: str) -> str:
    """Returns the baselines' values, in groups by what can be told from chance."""
    groups: dict[str, list[str]] = {}
    for row in rows:
        mean = row["means"].get(figure)
        shown = "none" if mean is None else significant(mean["mean"], _DIGITS)
        groups.setdefault(row["verdicts"].get(figure, ""), []).append(f"{row['algorithm']} ({shown})")
    parts = [f"{_WORDS[verdict]} {_and(names)}" for verdict, names in groups.items() if verdict]
    parts += [f"beside {_and(groups[''])}"] if "" in groups else []
    return ", " + ", ".join(parts) if parts else ""


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

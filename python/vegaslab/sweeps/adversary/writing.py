"""What a search leaves: the worst scenario, a picture of its run, and all figures."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vegaslab.reports.chart import Curve, Panel
from vegaslab.reports.optional import optional_picture
from vegaslab.runs.result import Result, run
from vegaslab.sweeps.adversary.genome import Genome, Point, Schedule
from vegaslab.sweeps.adversary.harm import UNITS, figures_of
from vegaslab.sweeps.adversary.question import Question
from vegaslab.sweeps.adversary.search import Found, summary
from vegaslab.util.folder import replace_file
from vegaslab.util.text import significant

WORST = "worst.toml"
ATTACK = "attack.json"
_PICTURES = ("picture.png", "picture.svg")
_NS = 1e9


def write(folder: Path, question: Question, found: Found) -> Result:
    """Writes the worst scenario, its figures and pictures; returns the scenario's run, made again from the file.

    Raises `OSError` if writing fails, and `AssertionError` if the file does not give the figures of the search.
    """
    text = toml(question, found)
    # by its time an edited scenario is known
    (folder / ATTACK).unlink(missing_ok=True)
    replace_file(folder / WORST, lambda file: file.write(text.encode()))
    result = run(folder / WORST)
    again = figures_of(question, result.series["flows"], result.series["links"])
    assert again == found.figures, f"{folder / WORST}: gives {again}, and the search found {found.figures}"
    content = json.dumps(summary(question, found), indent=2) + "\n"
    replace_file(folder / ATTACK, lambda file: file.write(content.encode()))
    with optional_picture("picture"):
        _draw(folder, question, found.worst, result)
    return result


def toml(question: Question, found: Found) -> str:
    """Returns the worst scenario as a file, with what it shows at its top."""
    document = question.document()
    for key, value in found.worst.overrides(question).items():
        *path, name = (int(part) if part.isdigit() else part for part in key.split("."))
        table: Any = document
        for part in path:
            table = table[part]
        table[name] = value
    head = {"name": document.pop("name"), "description": describe(question, found), **document}
    flows = head.pop("flow")
    lines = [f"{key} = {_value(value)}" for key, value in head.items() if not isinstance(value, dict)]
    lines += ["", "[topology]", *(f"{key} = {_value(value)}" for key, value in head["topology"].items())]
    for flow in flows:
        lines += ["", "[[flow]]", *(f"{key} = {_value(value)}" for key, value in flow.items())]
    return "\n".join(lines) + "\n"


def describe(question: Question, found: Found) -> str:
    """Returns what the worst scenario shows, in a sentence."""
    begin_s, end_s = question.window_s
    rates = " and ".join(significant(rate, 3) for rate in found.figures["goodput_mbps"])
    value = value_text(question.objective, found.figures[question.objective])
    return (
        f"The worst that an adversary found for {question.algorithm} with at most {question.limit} of delay: "
        f"{question.objective} {value}, goodput {rates} Mb/s, from {begin_s:g} s to {end_s:g} s"
    )


def value_text(objective: str, value: float) -> str:
    """Returns an objective's value with its unit."""
    return f"{significant(value, 4)} {UNITS[objective]}".rstrip()


def _value(value: Any) -> str:
    """Returns a value as TOML in one line; JSON's form serves for all values but tables."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_value(item)}' for key, item in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _draw(folder: Path, question: Question, worst: Genome, result: Result) -> None:
    # loads matplotlib, which nothing else here needs
    from vegaslab.reports.figure import draw, save
    from vegaslab.reports.panels import panels

    sheet = result.sheet()
    figure = draw(sheet, [_held(question, worst, sheet.duration_s), *panels(sheet, ("throughput", "rtt", "queue"))])
    for name in _PICTURES:
        save(figure, folder / name)


def _held(question: Question, worst: Genome, duration_s: float) -> Panel:
    """Returns the panel of the delays that the adversary adds."""
    curves = []
    for place, schedule in enumerate(worst.schedules):
        points = list(_gone_through(schedule, round(duration_s * _NS)))
        times = [0.0, *(time / _NS for time, _ in points), duration_s]
        delays = [0.0, *(delay / 1e6 for _, delay in points)]
        curves.append(
            Curve(label="", x=times, y=[*delays, delays[-1]], colour=place, style="steps", name="added delay")
        )
    held = "all packets, at the bottleneck" if question.model == "ccac" else "each flow's packets"
    note = f"what the adversary adds to {held}"
    return Panel(
        x="time (s)", y="added (ms)", curves=curves, note=note, height=1.6, level=(question.limit_ns / 1e6, "limit")
    )


def _gone_through(schedule: Schedule, duration_ns: int) -> Iterator[Point]:
    """Yields the points of a run, each as often as it comes."""
    for begin in range(0, duration_ns if schedule.every else 1, schedule.every or 1):
        for time, delay in schedule.points:
            if begin + time < duration_ns:
                yield begin + time, delay

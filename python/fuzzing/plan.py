"""Any bytes as the file of a plan, and any lines that plans are made of."""

import json

from fuzzing.rules import check_line, folder
from vegaslab import ScenarioError
from vegaslab.sweeps.plans.plan import Plan
from vegaslab.sweeps.plans.reading import PlanError

_SECTIONS = (
    "",
    "[grid]",
    "[zip]",
    "[[list]]",
    "[random]",
    "[limits]",
    "[factorial]",
    "[[factorial.factor]]",
    "[scenario]",
)
_KEYS = (
    *("name", "scenario", "replications", "seed", "grid", "zip", "list", "random", "factorial", "limits", "series"),
    *("samples", "events", "memory", "time", "generators", "responses", "level", "transform", "key", "low", "high"),
    *(
        '"flow.0.algorithm"',
        '"flow.0.alpha"',
        '"topology.bottleneck.queue"',
        '"flow.9.size"',
        '"seed"',
        '"sample"',
        '"é"',
    ),
)
_VALUES = (
    *(
        "0",
        "1",
        "-1",
        "3",
        "18446744073709551615",
        "1e400",
        "nan",
        "0.5",
        "true",
        '""',
        '"\\u0007"',
        "[]",
        "{}",
        "[1, 2]",
    ),
    *('["vegas", "reno"]', '["10p", "20p"]', "[1, 1]", '[1, "1"]', "[[1]]", "{ from = 1, to = 8 }", '"500mb"', '"1s"'),
    *('{ from = "1p", to = "9p" }', "{ from = 0, to = 9, log = true }", "{ from = -1e308, to = 1e308 }", '["flows"]'),
    *(
        '{ "flow.0.algorithm" = "reno" }',
        '"gallop-50mbit"',
        '"vegas"',
        '"9p"',
        '["D = ABC"]',
        '["flow.0.goodput_mbps"]',
    ),
    *('"log10"', '"99999999999999999999999999999999999999999gb"', "1979-05-27", '"a\\nb"', '{ key = "flow.0.alpha" }'),
)


def check(data: bytes) -> None:
    """A plan is refused in a line that names its file, or has cells, and is the same again from its own document."""
    file = folder() / "plan.toml"
    file.write_bytes(data[1:] if data[:1] < b"\x80" else _of_lines(data[1:]))
    try:
        plan = Plan.from_file(file)
    except PlanError as error:
        check_line(str(error), file)
        return
    except (ScenarioError, OSError) as error:
        # of the scenario's file, which has another name
        check_line(str(error))
        return
    assert len(plan) == plan.number_of_cells * plan.replications > 0
    document = dict(json.loads(json.dumps(plan.document)))
    again = Plan(document.pop("scenario"), **document)
    assert len(again) == len(plan)
    for number in (0, plan.number_of_cells - 1):
        assert again.cell(number) == plan.cell(number)


def _of_lines(choices: bytes) -> bytes:
    """A plan of a good scenario: each two bytes choose a section, or a key and its value."""
    lines = ['scenario = "gallop-50mbit"']
    for first, second in zip(choices[::2], choices[1::2], strict=False):
        if first % 4 == 0:
            lines.append(_SECTIONS[second % len(_SECTIONS)])
        else:
            lines.append(f"{_KEYS[first % len(_KEYS)]} = {_VALUES[second % len(_VALUES)]}")
    return "\n".join(lines).encode()

"""`vegaslab new`: a folder with an algorithm of one's own, a scenario that runs it and a test that passes."""

import argparse
import keyword
import re
from pathlib import Path

from vegaslab.commands.parsing import OK, Parser, UsageError

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_NAME_MAX = 40

_ALGORITHM = '''\
"""NAME: one segment more a round trip, half the window after a loss (Chiu and Jain 1989)."""


class CLASS:
    """Has no slow start, and answers one loss a window."""

    def __init__(self, start):
        self.window = start.initial_window  # segments, with a fraction
        self.last_cut_ns = -1

    def on_ack(self, ack):
        # false while the window is not what limits the sender, and in recovery
        if ack.may_grow:
            self.window += ack.acked / self.window

    def on_loss(self, loss):
        # segments sent before the newest cut are lost to the same congestion
        if loss.sent_ns > self.last_cut_ns:
            self.window = max(self.window / 2, 1)
            self.last_cut_ns = loss.now_ns
'''

_SCENARIO = """\
# NAME alone on 10 Mb/s and a round trip of 20 ms.
name = "NAME"
duration = "20s"
seed = 1

[topology]
kind = "dumbbell"
access = { rate = "100mbit", delay = "1ms" }
bottleneck = { rate = "10mbit", delay = "8ms", queue = "20p" }

[[flow]]
algorithm = { python = "algorithm.py:CLASS" }
"""

_TEST = '''\
"""What CLASS promises; run by `pytest`."""

from pathlib import Path

import vegaslab

SCENARIO = Path(__file__).parent / "scenario.toml"


def test_it_uses_the_path():
    flow = vegaslab.run(SCENARIO).summary["flows"][0]
    assert flow["throughput_mbps"] > 8


def test_it_decides_by_its_events_alone():
    first, second = (vegaslab.run(SCENARIO) for _ in range(2))
    assert first.series.flows.equals(second.series.flows)
'''

_README = """\
# NAME

A congestion control for vegaslab: the rule is in `algorithm.py`, the network in `scenario.toml`.

    vegaslab run scenario.toml
    vegaslab compare scenario.toml -a algorithm.py -a vegas
    pytest
"""

_FILES = {
    "algorithm.py": _ALGORITHM,
    "scenario.toml": _SCENARIO,
    "test_algorithm.py": _TEST,
    "README.md": _README,
}


def add(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the command."""
    parser = commands.add_parser("new", help="begin an algorithm of your own, in Python: a folder that runs")
    parser.add_argument("name", metavar="NAME", help="the folder, and the algorithm's name, such as my-algorithm")
    parser.set_defaults(action=_new)


def _new(options: argparse.Namespace) -> int:
    class_name = _class_of(options.name)
    folder = Path(options.name)
    try:
        folder.mkdir()
    except FileExistsError:
        raise UsageError(f"{folder}: exists already; give another name") from None
    for file, text in _FILES.items():
        (folder / file).write_text(text.replace("NAME", options.name).replace("CLASS", class_name))
    print(f"{folder}: {', '.join(_FILES)}\n\n    cd {folder}\n    vegaslab run scenario.toml")
    return OK


def _class_of(name: str) -> str:
    """The class's name in Python: `MyAlgorithm` of `my-algorithm`."""
    class_name = "".join(word.capitalize() for word in name.split("-"))
    if not _NAME.fullmatch(name) or len(name) > _NAME_MAX or keyword.iskeyword(class_name):
        raise UsageError(
            f"{name!r} is no name for an algorithm; take small letters, digits and hyphens, {_NAME_MAX} at most, "
            "such as my-algorithm"
        )
    return class_name

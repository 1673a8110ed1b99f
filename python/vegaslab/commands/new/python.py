"""The files that `vegaslab new` writes for Python: a small algorithm, or a preset's own."""

import re
from pathlib import Path

FILE = "algorithm.py"
ALGORITHM = '{ python = "algorithm.py:{{type}}" }'
COMMANDS = """\
    vegaslab run scenario.toml
    vegaslab compare scenario.toml -a algorithm.py -a vegas
    pytest
"""

_ALGORITHM = '''\
"""{{name}}: one segment more a round trip, half the window after a loss (Chiu and Jain 1989)."""


class {{type}}:
    """Has no slow start, and answers one loss a window."""

    def __init__(self, start):
        self.window = start.initial_window  # segments, with a fraction
        self.last_cut_ns = -1

    def on_ack(self, ack):
        # false in recovery, and with a mark
        if ack.may_grow:
            self.window += ack.acked / self.window

    def on_loss(self, loss):
        # segments sent before the newest cut are lost to the same congestion
        if loss.sent_ns > self.last_cut_ns:
            self.window = max(self.window / 2, 1)
            self.last_cut_ns = loss.now_ns
'''

_TEST = '''\
"""What {{type}} promises; run by `pytest`."""

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

FILES = {"algorithm.py": _ALGORITHM, "test_algorithm.py": _TEST}

_OF_PRESETS = Path(__file__).parent / "presets"
PRESETS = tuple(sorted(path.stem for path in _OF_PRESETS.glob("*.txt")))
"""The presets that there are in Python, each with the results of the core's, packet for packet."""

_TEST_OF_PRESET = '''\
"""{{type}} is {{preset}} until its rule is changed; then the first test goes. Run by `pytest`."""

from pathlib import Path

import vegaslab

SCENARIO = Path(__file__).parent / "scenario.toml"


def test_it_is_still_the_preset():
    own, preset = vegaslab.run(SCENARIO), vegaslab.run(SCENARIO, algorithm="{{preset}}")
    assert own.series.flows.equals(preset.series.flows)


def test_it_decides_by_its_events_alone():
    first, second = (vegaslab.run(SCENARIO) for _ in range(2))
    assert first.series.flows.equals(second.series.flows)
'''

_COMMANDS_OF_PRESET = """\
    vegaslab run scenario.toml
    vegaslab compare scenario.toml -a '{ python = "algorithm.py:{{type}}", preset = "{{preset}}" }' -a {{preset}}
    pytest
"""


def from_preset(preset: str) -> tuple[str, str, dict[str, str]]:
    """Returns the algorithm as a scenario names it, the commands and the files of one that begins as the preset."""
    text = (_OF_PRESETS / f"{preset}.txt").read_text(encoding="utf-8")
    text = re.sub(r"^class \w+:", "class {{type}}:", text, count=1, flags=re.MULTILINE)
    algorithm = f'{{ python = "algorithm.py:{{{{type}}}}", preset = "{preset}" }}'
    files = {"algorithm.py": text, "test_algorithm.py": _TEST_OF_PRESET.replace("{{preset}}", preset)}
    return algorithm, _COMMANDS_OF_PRESET.replace("{{preset}}", preset), files

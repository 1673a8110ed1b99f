"""Pictures of the conformance kit: what an algorithm shows of itself, over the time of a case."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from vegaslab.reports.chart import Curve, Panel
from vegaslab.reports.figure import draw
from vegaslab.reports.sheet import Sheet

_TIME = "time, s"
_STATES = ("STARTUP", "DRAIN", "PROBE_BW", "PROBE_DOWN", "PROBE_CRUISE", "PROBE_REFILL", "PROBE_UP", "PROBE_RTT")

_PANELS = (
    (
        "segments",
        {
            "cwnd_segments": "cwnd",
            "in_flight_segments": "in flight",
            "inflight_longterm_segments": "inflight_longterm",
            "inflight_shortterm_segments": "inflight_shortterm",
        },
    ),
    (
        "segments/s",
        {
            "pace_per_s": "pacing rate",
            "delivery_rate_per_s": "delivery rate",
            "max_bw_per_s": "max_bw",
            "bw_shortterm_per_s": "bw_shortterm",
        },
    ),
    ("RTT, ms", {"rtt_ms": "RTT", "min_rtt_ms": "min_rtt"}),
)


def picture(title: str, columns: Mapping[str, Sequence[float | None]]) -> Figure:
    """Window, flight and bounds; rates; round-trip times; the state. `columns` are those of `Conformance.runs`."""
    values = {
        name: np.array([np.nan if value is None else value for value in column]) for name, column in columns.items()
    }
    time = values["time_s"]

    def curve(name: str, label: str, colour: int) -> Curve:
        return Curve(label=label, x=time, y=values[name], colour=colour, style="steps", thin=True)

    panels = [
        Panel(x=_TIME, y=unit, curves=[curve(name, label, place) for place, (name, label) in enumerate(shown.items())])
        for unit, shown in _PANELS
    ]
    note = "states: " + ", ".join(f"{place} {name}" for place, name in enumerate(_STATES))
    panels.append(Panel(x=_TIME, y="state", curves=[curve("state", "state", 7)], note=note, height=1.6, whole=True))
    sheet = Sheet(
        title=title, note="", duration_s=float(time.max(initial=0.0)), throughput_step_s=0.0, groups=(), bottlenecks=()
    )
    return draw(sheet, panels)

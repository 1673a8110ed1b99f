"""The pictures of docs/parts, docs/algorithms and two more pages. `make pictures` draws them; a test compares the files
with them.
"""

from collections.abc import Sequence
from dataclasses import replace

from documentation import ROOT
from documentation.drawing import Curve, Panel, Picture
from vegaslab import _vegaslab

_BOTTLENECK = "r1->r2"
_HOSTS = {preset["name"]: preset["host"] for preset in _vegaslab.algorithms()}


def _algorithm(label: str, algorithm: str = "", **others: str) -> Curve:
    """A curve of the first flow with another algorithm (a preset or a table of parts) and other keys of its own."""
    return Curve(label, {"flow.0.algorithm": algorithm or label, **{f"flow.0.{key}": others[key] for key in others}})


def _variant(label: str, preset: str, parts: str) -> Curve:
    return _algorithm(label, f'{{ preset = "{preset}", {parts} }}')


def _with(settings: dict[str, str], *curves: Curve) -> list[Curve]:
    return [replace(curve, set={**settings, **curve.set}) for curve in curves]


def _dashed(curve: Curve) -> Curve:
    return replace(curve, dashed=True)


def _windows(*curves: Curve) -> Panel:
    return Panel("cwnd_segments", curves)


def _started(*slow_starts: str) -> list[Curve]:
    """Curves of CUBIC after each slow start, with a queue longer than the path."""
    curves = [_variant(name, "cubic", f'slow_start = "{name}"') for name in slow_starts]
    return _with({"topology.bottleneck.queue": "1000p"}, *curves)


def _windows_and_queue(*curves: Curve) -> Sequence[Panel]:
    return [_windows(*curves), Panel("max_queue_packets", curves, link=_BOTTLENECK)]


# --- a page a part ---

_REROUTED = (_algorithm("end-to-end", "vegas"), _algorithm("router-assisted", "rovegas"))
_LEAST_BASE = _variant("least base", "rovegas", 'signal = "router-assisted-least-base"')

_SLOW_STARTS = [
    _algorithm("reno"),
    _algorithm("vegas"),
    _algorithm("gallop"),
    _algorithm("mid-speed", "dynamic", ssthresh="200"),
    _algorithm("streak"),
    _variant("hystart++", "sack", 'slow_start = "hystart++"'),
]

_AVOIDANCES = [
    _algorithm("reno"),
    _algorithm("vegas"),
    _algorithm("dynamic", ssthresh="30"),
    _algorithm("cubic"),
]

_CUTS = _with(
    {"topology.bottleneck.drop": "[8000]"},
    _variant("half", "vegas", 'cut = "half"'),
    _variant("three-quarters", "vegas", 'cut = "three-quarters"'),
    _variant("cubic", "vegas", 'cut = "cubic"'),
)

_RECOVERIES = _with(
    {"topology.bottleneck.drop": "[1000, 1003, 1006]", "flow.0.ssthresh": "60"},
    _algorithm("reno"),
    _algorithm("newreno"),
    _algorithm("sack"),
    _dashed(_algorithm("reno with C, D", '{ mechanisms = "CD" }')),
)

_LIMITS = _with(
    {
        "topology.bottleneck.aqt": "true",
        "topology.bottleneck.queue": "50p",
        "topology.bottleneck.backward": '{ rate = "2kbit", queue = "10p" }',
    },
    _algorithm("H and I", "rovegas"),
    _variant("I alone", "rovegas", 'burst = "none"'),
    _variant("H alone", "rovegas", "keep_up = false"),
    _dashed(_variant("neither", "rovegas", 'burst = "none", keep_up = false')),
)


def _eight(label: str, algorithm: str = "", **others: str) -> Curve:
    """A curve of eight flows with an algorithm, and other keys."""
    return Curve(label, {**{f"flow.{flow}.algorithm": algorithm or label for flow in range(8)}, **others})


_JOINING = (_eight("least", "vegas"), _eight("drains", '{ preset = "vegas", base_rtt = "drains" }'))

_RIVALS = [
    _variant(choice, "gallop", f'base_rtt = "drains", avoidance = "by-rate", rivals = "{choice}"')
    for choice in ("ignore", "compete")
]

_PARTS = [
    Picture(
        "signal",
        "rovegas-reroute",
        (25, 45),
        [_windows(*_REROUTED, _dashed(_LEAST_BASE)), Panel("throughput_mbps", _REROUTED)],
    ),
    Picture("base-rtt", "rovegas-eight-flows", (0, 180), [Panel("max_queue_packets", _JOINING, link=_BOTTLENECK)]),
    Picture("rivals", "next/cubic", (0, 120), [_windows(*_RIVALS), Panel("throughput_mbps", _RIVALS)]),
    Picture("slow-start", "gallop-50mbit", (0, 20), [_windows(*_SLOW_STARTS)]),
    Picture("avoidance", "dynamic-single", (0, 60), _windows_and_queue(*_AVOIDANCES)),
    Picture("loss-response", "slow-start-10mbit", (11, 17), [_windows(*_CUTS)]),
    Picture("detection", "slow-start-10mbit", (1, 6), [Panel("acked_bytes", _RECOVERIES)]),
    Picture("limits", "rovegas-asymmetric", (0, 200), [_windows(*_LIMITS)]),
]


# --- a page a family of algorithms ---


def _against_reno(algorithm: str) -> Panel:
    first = {"flow.0.algorithm": algorithm, "flow.0.ssthresh": "32"}
    return _windows(Curve(algorithm, first), Curve("reno", first, flow=1))


_STAMPS = {"topology.bottleneck.aqt": "true"}

_LINUX = (_algorithm("vegas"), _algorithm("vegas-linux"), _dashed(_algorithm("vegas-ns3")))

# standalone algorithms with a page of their own
_HEIRS = [
    preset["name"]
    for preset in _vegaslab.algorithms()
    if preset["parts"]["signal"] == "own" and (ROOT / "docs" / "algorithms" / f"{preset['name']}.md").exists()
]

# a control that answers marks shows nothing of itself on a queue that marks none, one that wants 25 ms of queue, or 10
# and 40 more to probe, nothing on one of 16
_QUEUES = {
    "dctcp": {
        "topology.bottleneck.queue": '{ kind = "step", min = 20, limit = "100p" }',
        "topology.bottleneck.delay": "10ms",
        "flow.0.ecn": "true",
    },
    "prague": {"topology.bottleneck.queue": '{ kind = "dualpi2", limit = "1000p" }', "flow.0.ecn": "true"},
    "frcc": {"topology.bottleneck.queue": "1000p"},
    "nimbus": {"topology.bottleneck.queue": "1000p"},
}


def _beside_newreno(name: str) -> Sequence[Panel]:
    # both on the host of the one that the page is about
    curves = _with({"flow.0.host": _HOSTS[name]}, _algorithm(name), _algorithm("newreno"))
    return _windows_and_queue(*_with(_QUEUES.get(name, {}), *curves))


_ALGORITHMS = [
    Picture("reno", "dynamic-single", (0, 60), _windows_and_queue(_algorithm("reno"))),
    Picture("vegas", "dynamic-single", (0, 10), _windows_and_queue(_algorithm("vegas"))),
    Picture("vegas-linux", "slow-start-10mbit", (0, 20), [_windows(*_LINUX)]),
    Picture("gallop", "gallop-50mbit", (0, 20), _windows_and_queue(_algorithm("gallop"), _algorithm("vegas"))),
    Picture("streak", "streak-50mbit", (0, 10), _windows_and_queue(_algorithm("streak"), _algorithm("vegas"))),
    Picture("rapid-start", "gallop-50mbit", (0, 10), _windows_and_queue(*_started("rapid-start", "reno"))),
    Picture("search", "gallop-50mbit", (0, 10), _windows_and_queue(*_started("search", "search-draft-09", "hystart"))),
    Picture("dynamic", "dynamic-vegas-and-reno", (0, 100), [_against_reno("dynamic"), _against_reno("vegas")]),
    Picture(
        "rovegas",
        "rovegas-eight-flows",
        (0, 180),
        [Panel("max_queue_packets", [_eight(name, **_STAMPS) for name in ("vegas", "rovegas")], link=_BOTTLENECK)],
    ),
    Picture("cubic", "gallop-50mbit", (0, 120), [_windows(_algorithm("cubic"), _algorithm("newreno"))]),
    *(Picture(name, "gallop-50mbit", (0, 60), _beside_newreno(name)) for name in _HEIRS),
]

# --- docs/networks.md ---


def _both(label: str, **settings: str) -> list[Curve]:
    return [Curve(f"{label}, flow {flow}", settings, flow=flow) for flow in (0, 1)]


_JITTERED = {f"flow.{flow}.access.jitter": "400us" for flow in (0, 1)}

_NETWORKS = [
    Picture(
        "phase-effects",
        "phase-effects",
        (0, 120),
        [_windows(*_both("as it is")), _windows(*_both("jitter 0.4 ms", **_JITTERED))],
    ),
]

# --- docs/l4s.md ---


def _in_either_queue(beside: str, **others: str) -> Panel:
    """The rate of Vegas beside another flow."""
    queues: tuple[tuple[str, dict[str, str]], ...] = (("L", {}), ("classic", {"flow.0.algorithm": "vegas"}))
    curves = [Curve(f"{queue} queue, beside {beside}", {"sample": "500ms", **flow, **others}) for queue, flow in queues]
    return Panel("throughput_mbps", curves)


_L4S = [
    Picture(
        "l4s",
        "l4s/vegas-beside-prague",
        (0, 60),
        [_in_either_queue("Prague"), _in_either_queue("CUBIC", **{"flow.1.algorithm": "cubic"})],
    ),
]

ALL = [*_PARTS, *_ALGORITHMS, *_NETWORKS, *_L4S]

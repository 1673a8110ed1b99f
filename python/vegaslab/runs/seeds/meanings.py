"""The meanings of the figures of comparisons (`vegaslab.runs.metrics`): what, unit, range, of which flows, source."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Meaning:
    """What a figure is, and how it is to be read."""

    unit: str
    range: str
    what: str
    of: str
    source: str


_LINK = "the busiest link of the first run"
_RATE = "0 to the rate of the link"
_SHARE = "0 to 100"
_TIME = "0 and above"
_FLOWS = "all flows"
_WAITING = "totals of `links`, of all packets that left the link; percentiles by nearest rank"
_MEDIA = "totals of media (docs/results.md)"
_COMPLETION = "`completion_s` of `flows`; percentiles by nearest rank"

_OF_FLOWS = {
    "goodput_mbps": Meaning(
        "Mb/s", _RATE, "payload delivered in order while active", "mean over all flows", "`goodput_mbps` of `flows`"
    ),
    "jain_index": Meaning(
        "1",
        "1/n, if one of n flows has all, to 1, if all are equal",
        "Jain's fairness index of goodputs, (sum x)^2 / (n sum x^2)",
        "the flows with bulk data, where there are two or more; of a part of the flows, all of that part",
        "R. Jain, D. Chiu, W. Hawe, DEC-TR-301, 1984; `goodput_mbps` of `flows`",
    ),
    "retransmitted_percent": Meaning(
        "%",
        _SHARE,
        "retransmitted segments, as a share of those sent",
        "all flows together",
        "`segments_retransmitted` and `segments_sent` of `flows`",
    ),
    "timeouts": Meaning("timeouts", _TIME, "retransmission timeouts", "sum over all flows", "`timeouts` of `flows`"),
    "mean_rtt_ms": Meaning(
        "ms", "the base RTT and above", "mean of the flows' mean round-trip times", _FLOWS, "`mean_rtt_ms` of `flows`"
    ),
}
_OF_LINK = {
    "utilisation_percent": Meaning(
        "%", _SHARE, "share of the run in which the transmitter was busy", _LINK, "`utilisation` of `links`"
    ),
    "fill_s": Meaning(
        "s",
        "0 and above; missing where the link is never full",
        "time from the first flow's start until the link begins to be busy for at least 95 % of ten round trips",
        _LINK,
        "the series of `links`; defined in docs/comparing.md",
    ),
    "drops": Meaning(
        "packets", _TIME, "packets lost on the link, to a full queue or an impairment", _LINK, "`drops` of `links`"
    ),
    "mean_queue_packets": Meaning(
        "packets", "0 to the queue's limit", "mean number of waiting packets", _LINK, "`mean_queue_packets` of `links`"
    ),
    **{
        f"{name}_queueing_ms": Meaning("ms", _TIME, f"{what} of the times that packets waited", _LINK, _WAITING)
        for name, what in (
            ("mean", "mean"),
            ("p50", "median"),
            ("p95", "95th percentile"),
            ("p99", "99th percentile"),
            ("max", "greatest"),
        )
    },
}
_OF_SIZES = {
    "completion_s": Meaning(
        "s", _TIME, "time to the last acknowledgement", "the one flow that has a `size`", _COMPLETION
    ),
    **{
        f"completion_p{percent}_s": Meaning(
            "s",
            "0 and above; missing where it falls on a flow that did not finish",
            f"{percent}th percentile of the times to the last acknowledgement",
            "the flows that have a `size`; an unfinished one counts as longer than all others",
            _COMPLETION,
        )
        for percent in (50, 90, 99)
    },
}
_OF_PARTS = {
    "share_percent": Meaning("%", _SHARE, "goodput, as a share of that of all flows", "", "`goodput_mbps` of `flows`"),
    "queueing_ms": Meaning(
        "ms",
        _TIME,
        "mean round-trip time less base RTT",
        "mean over its flows",
        "`mean_rtt_ms`, `base_rtt_ms` of `flows`",
    ),
}
_OF_MEDIA = {
    "given_up_percent": Meaning("%", _SHARE, "frames that the application gave up", "all flows with media", _MEDIA),
    "late_percent": Meaning("%", _SHARE, "frames that came late", "all flows with media", _MEDIA),
    "frozen_s": Meaning(
        "s", _TIME, "time in gaps that a viewer takes for a standstill", "mean over the flows with media", _MEDIA
    ),
    "p95_delay_ms": Meaning(
        "ms", _TIME, "95th percentile of the frames' delays", "mean over the flows with media", _MEDIA
    ),
}
_OF_TRAFFIC = {
    f"completion_p{percent}_s": Meaning(
        "s",
        _TIME,
        f"{percent}th percentile of the times of transfers",
        "the transfers that finished",
        f"`completion_p{percent}_s` of `traffic`",
    )
    for percent in (50, 90, 99)
}

PARTS = {
    r"flow\.[0-9N]+": "the flows of the N-th [[flow]], counted from 0",
    "others": "all other flows together",
    r"group\..+": "the flows of this group",
}
"""The names before a figure of a part of the flows, as patterns, and what they stand for."""

PLAIN = {**_OF_FLOWS, **_OF_LINK, **_OF_SIZES}
"""The figures without a part's name."""

OF_A_PART = {**_OF_FLOWS, **_OF_PARTS}
"""The figures that a part of the flows has."""


def figure_meaning(name: str) -> str | None:
    """Returns a paragraph about a figure of comparisons: what, unit, range, of which flows, source; None for a name
    that is no figure.

    >>> figure_meaning("group.call.queueing_ms").splitlines()[0]
    'group.call.queueing_ms: mean round-trip time less base RTT'
    """
    found = PLAIN.get(name) or OF_A_PART.get(name)
    if found is not None:
        return _paragraph(name, found, found.of or "a part of the flows: flow.N, others, group.NAME")
    part, _, figure = name.rpartition(".")
    media = re.fullmatch(r"(?:(.+)\.)?media\.[0-9L]+", part)
    if media is not None and figure in _OF_MEDIA:
        within = f", {_part(media[1])}" if media[1] and _part(media[1]) else ""
        return _paragraph(name, _OF_MEDIA[figure], f"{_OF_MEDIA[figure].of}, of this layer{within}")
    if re.fullmatch(r"traffic\.[0-9N]+", part) and figure in _OF_TRAFFIC:
        return _paragraph(name, _OF_TRAFFIC[figure], f"{_OF_TRAFFIC[figure].of}, of the N-th source of traffic")
    if _part(part) and figure in OF_A_PART:
        return _paragraph(name, OF_A_PART[figure], _part(part))
    return None


def _part(name: str) -> str:
    return next((of for pattern, of in PARTS.items() if re.fullmatch(pattern, name)), "")


def _paragraph(name: str, meaning: Meaning, of: str) -> str:
    unit = "none" if meaning.unit == "1" else meaning.unit
    return f"{name}: {meaning.what}\nunit: {unit}; range: {meaning.range}\nof: {of}\nfrom: {meaning.source}"

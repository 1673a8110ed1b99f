"""RFC 9331, section 4.3: what a congestion control with packets of ECT(1) has to do, by its numbers there."""

from vegaslab.evaluation.criterion import Case, Criterion, Headline

_REMARKED = {"rate": "1gbit", "delay": "8500us", "ecn_field": "ect1"}
"""The access links of the flow with the longer round trip, behind which its packets have ECT(1)."""

_SHARED = ("share_percent", "goodput_mbps", "old_goodput_mbps", "p95_queueing_ms", "loss_percent")
_ALONE = ("marks_per_rtt", "l_p99_queueing_ms", "utilisation_percent", "goodput_mbps")

CRITERIA = (
    Criterion(
        id="l4s",
        section="L4S",
        title="In the L queue (RFC 9331)",
        question="Does a flow whose packets have ECT(1) keep to the requirements of RFC 9331, section 4.3? Those of an "
        "algorithm that does not ask for ECT(1) get it on the way.",
        cases=(
            Case(
                id="l4s-alone",
                title="Alone in the L queue of DualPI2, 20 Mb/s (7: bursts)",
                scenario="evaluate/l4s",
                figures=_ALONE,
            ),
            Case(
                id="l4s-200mbit",
                title="There at 200 Mb/s (4.3: as many marks in a round trip at any rate)",
                scenario="evaluate/l4s",
                set={"topology.bottleneck.rate": "200mbit"},
                figures=_ALONE,
            ),
            Case(
                id="l4s-drops",
                title="Beside CUBIC in a drop-tail queue of one BDP (2: losses)",
                scenario="evaluate/l4s-beside",
                set={"topology.bottleneck.queue": "67p"},
                beside="cubic",
                figures=_SHARED,
            ),
            Case(
                id="l4s-classic-marks",
                title="Beside CUBIC with ECN in a queue of CoDel that marks (3: a classic queue that marks)",
                scenario="evaluate/l4s-beside",
                set={
                    "topology.bottleneck.queue": {"kind": "codel", "limit": "1000p", "ecn": True},
                    "flow.1.ecn": True,
                },
                beside="cubic",
                figures=_SHARED,
            ),
            Case(
                id="l4s-round-trips",
                title="Two flows of 10 and 40 ms in the L queue (4: independence of the round trip)",
                scenario="evaluate/l4s-beside",
                set={"topology.bottleneck.delay": "3ms", "flow.1.ecn": True, "flow.1.access": _REMARKED},
                tested=(0, 1),
                figures=("max_to_min", "utilisation_percent", "l_p99_queueing_ms"),
            ),
            Case(
                id="l4s-short-round-trip",
                title="Ten flows of 5 ms in the L queue, with less than a packet each (5: short round trips)",
                scenario="evaluate/l4s",
                set={"topology.bottleneck.delay": "500us", "flow.0.count": 10},
                figures=("l_p99_queueing_ms", "utilisation_percent", "jain_index", "loss_percent"),
            ),
            Case(
                id="l4s-reordering",
                title="One packet in a hundred 10 ms late (6: reordering)",
                scenario="evaluate/l4s",
                set={"topology.bottleneck.reorder": {"probability": "1%", "delay": "10ms"}},
                figures=("goodput_mbps", "retransmitted_percent", "timeouts"),
            ),
            Case(
                id="l4s-beside-cubic",
                title="In the L queue beside CUBIC in the classic one",
                scenario="evaluate/l4s-beside",
                beside="cubic",
                figures=("share_percent", "old_goodput_mbps", "l_p99_queueing_ms", "p95_queueing_ms"),
            ),
            Case(
                id="l4s-beside-prague",
                title="In the L queue beside Prague",
                scenario="evaluate/l4s-beside",
                beside="prague",
                figures=("share_percent", "old_goodput_mbps", "old_rtt_ms", "l_p99_queueing_ms"),
            ),
        ),
        headlines=(
            Headline("l4s-200mbit", "marks_per_rtt", "Alone at 200 Mb/s in the L queue"),
            Headline("l4s-drops", "old_goodput_mbps", "In a queue that drops (2)"),
            Headline("l4s-classic-marks", "old_goodput_mbps", "In a classic queue that marks (3)"),
            Headline("l4s-round-trips", "max_to_min", "With round trips of 10 and 40 ms (4)"),
            Headline("l4s-short-round-trip", "l_p99_queueing_ms", "With less than a packet a round trip (5)"),
            Headline("l4s-reordering", "goodput_mbps", "With one packet in a hundred late (6)"),
            Headline("l4s-alone", "l_p99_queueing_ms", "Alone at 20 Mb/s in the L queue (7)"),
            Headline("l4s-beside-prague", "old_goodput_mbps", "In the L queue beside Prague"),
        ),
        cannot="Requirement 1, that a classic control can take the place: here the key `algorithm` does. The "
        "monitoring that requirement 3 asks for: the case shows what a classic queue's marks do without it. "
        "Reordering (6) is the host's matter: three duplicates, or RACK. The RFC has no numbers but some 250 us of "
        "queue by bursts (7).",
    ),
)

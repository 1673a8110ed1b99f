"""RFC 9743, sections 7.6 to 7.10: nodes that misbehave, reordering, events, changes of the path, several paths."""

from vegaslab.evaluation.criterion import Case, Criterion, Headline

CRITERIA = (
    Criterion(
        id="misbehaving",
        section="7.6",
        title="Misbehaving nodes",
        question="What does a receiver or a router gain that does not keep to the rules?",
        cases=(
            Case(
                id="spoofed-duplicates",
                title="A receiver that follows each acknowledgement by three duplicates",
                scenario="evaluate/alone",
                set={"flow.0.receiver": {"misbehaves": "dupack-spoofing"}},
                figures=("goodput_mbps", "retransmitted_percent", "p95_queueing_ms", "loss_percent"),
            ),
            Case(
                id="concealed-marks",
                title="A receiver that conceals marks, beside CUBIC on CoDel that marks",
                scenario="evaluate/managed-queue",
                set={
                    "topology.bottleneck.queue.kind": "codel",
                    "topology.bottleneck.queue.ecn": True,
                    "flow.0.ecn": True,
                    "flow.1.ecn": True,
                    "flow.0.receiver": {"misbehaves": "conceals-marks"},
                },
                beside="cubic",
                figures=("share_percent", "goodput_mbps", "old_goodput_mbps", "p95_queueing_ms"),
            ),
            Case(
                id="optimistic-acks",
                title="A receiver that acknowledges what has not arrived, beside CUBIC",
                scenario="evaluate/optimistic-acks",
                beside="cubic",
                figures=("share_percent", "goodput_mbps", "old_goodput_mbps", "loss_percent", "p95_queueing_ms"),
            ),
            Case(
                id="divided-counted",
                title="A receiver that divides acknowledgements by ten, and a sender that counts them",
                scenario="evaluate/ack-division",
                figures=("fill_s", "overshoot_packets", "goodput_mbps", "loss_percent"),
            ),
            Case(
                id="divided",
                title="The same receiver, and a sender that counts bytes",
                scenario="evaluate/ack-division",
                set={"flow.0.host.byte_counting": True},
                figures=("fill_s", "overshoot_packets", "goodput_mbps", "loss_percent"),
            ),
            Case(
                id="policer",
                title="A router that drops what exceeds 5 Mb/s on a link of 20 Mb/s",
                scenario="evaluate/alone",
                set={"topology.bottleneck.policer": {"rate": "5mbit", "burst": "30kb"}},
                figures=("goodput_mbps", "loss_percent", "timeouts", "stall_s"),
            ),
            Case(
                id="unresponsive",
                title="A stream of 15 Mb/s that does not react, for 10 s",
                scenario="evaluate/onset",
                event=(20, 30),
                figures=("goodput_mbps", "stream_loss_percent", "stall_s"),
            ),
        ),
        headlines=(
            Headline("concealed-marks", "old_goodput_mbps", "With a receiver that conceals marks"),
            Headline("optimistic-acks", "old_goodput_mbps", "With a receiver that acknowledges what has not arrived"),
            Headline("policer", "loss_percent", "Behind a policer of 5 Mb/s"),
        ),
        cannot="Attackers on the path, and receivers that guess better than by a constant what was sent. What "
        "a receiver gains by duplicates depends on the host's recovery.",
    ),
    Criterion(
        id="reordering",
        section="7.7",
        title="Extreme packet reordering",
        question="How much does a flow get where many packets arrive late?",
        cases=tuple(
            Case(
                id=f"late-{percent}",
                title=f"{percent} % of the packets arrive 15 ms late",
                scenario="evaluate/reordering",
                set={"topology.bottleneck.reorder.probability": f"{percent}%"},
                figures=("goodput_mbps", "retransmitted_percent", "timeouts", "utilisation_percent"),
            )
            for percent in (1, 5)
        ),
        headlines=(
            Headline("late-1", "goodput_mbps", "With one packet in a hundred 15 ms late"),
            Headline("late-5", "goodput_mbps", "With one in twenty"),
            Headline("late-5", "retransmitted_percent", "There"),
        ),
        cannot="More about the algorithm than about the host: detection of losses is the host's, three duplicates "
        "here; a host with RACK (RFC 8985) tolerates this reordering.",
    ),
    Criterion(
        id="transients",
        section="7.8",
        title="Transient events",
        question="What happens when traffic comes and goes at once, and how soon is the capacity used again?",
        cases=(
            Case(
                id="onset",
                title="15 of 20 Mb/s are taken from 20 s to 30 s",
                scenario="evaluate/onset",
                event=(30,),
                figures=("recovery_s", "goodput_mbps", "p99_queueing_ms", "loss_percent", "overshoot_packets"),
            ),
            Case(
                id="interruption",
                title="Nothing gets through for two seconds",
                scenario="evaluate/black-hole",
                set={"duration": "40s", "change.1.at": "7s"},
                event=(7,),
                figures=("recovery_s", "goodput_mbps", "timeouts", "loss_percent"),
            ),
        ),
        headlines=(
            Headline("onset", "recovery_s", "After a stream that took three quarters has ended"),
            Headline("onset", "p99_queueing_ms", "Over the whole run"),
            Headline("interruption", "recovery_s", "After an interruption of two seconds"),
        ),
        cannot="Events that come together, and mobility with a change of address.",
    ),
    Criterion(
        id="path-changes",
        section="7.9",
        title="Sudden changes in the path",
        question="Does a flow find a path that becomes slower and longer, and the old one when it is back?",
        cases=(
            Case(
                id="there-and-back",
                title="20 Mb/s, 40 ms; 10 Mb/s, 120 ms; and back",
                scenario="evaluate/path-change",
                event=(40,),
                figures=("goodput_mbps", "recovery_s", "p95_queueing_ms", "loss_percent", "stall_s"),
            ),
            Case(
                id="there",
                title="The first change alone",
                scenario="evaluate/path-change",
                set={"duration": "39s", "change.2.at": "38s", "change.3.at": "38s"},
                event=(20,),
                figures=("goodput_mbps", "recovery_s", "p95_queueing_ms", "loss_percent", "stall_s"),
            ),
        ),
        headlines=(
            Headline("there", "recovery_s", "On the slower and longer path"),
            Headline("there-and-back", "recovery_s", "Back on the old one"),
            Headline("there-and-back", "goodput_mbps", "Over all"),
        ),
        cannot="Changes within a round trip, and routes that differ between the two directions.",
    ),
    Criterion(
        id="multipath",
        section="7.10",
        title="Multipath transport",
        question="What happens where one connection uses several paths?",
        cannot="Anything: a flow of the simulator has one path. This criterion is not covered.",
    ),
)

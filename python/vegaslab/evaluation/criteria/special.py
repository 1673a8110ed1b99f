"""RFC 9743, section 7: special cases of paths and nodes."""

from vegaslab.evaluation.criterion import Case, Criterion, Headline

_TWO = ("goodput_mbps", "share_percent", "jain_index", "p95_queueing_ms", "loss_percent")
_QUEUES = {"codel": "CoDel", "fq-codel": "FQ-CoDel", "pie": "PIE", "red": "RED", "drop-tail": "a drop-tail queue"}

CRITERIA = (
    Criterion(
        id="managed-queues",
        section="7.1",
        title="Active queue management",
        question="How does a flow share a managed queue with one of CUBIC, with drops and with marks?",
        cases=(
            *(
                Case(
                    id=kind,
                    title=f"Beside CUBIC on {name}",
                    scenario="evaluate/managed-queue",
                    set={"topology.bottleneck.queue.kind": kind},
                    beside="cubic",
                    figures=_TWO,
                )
                for kind, name in _QUEUES.items()
            ),
            Case(
                id="codel-marks",
                title="Beside CUBIC on CoDel that marks (ECN)",
                scenario="evaluate/managed-queue",
                set={
                    "topology.bottleneck.queue.kind": "codel",
                    "topology.bottleneck.queue.ecn": True,
                    "flow.0.ecn": True,
                    "flow.1.ecn": True,
                },
                beside="cubic",
                figures=_TWO,
            ),
        ),
        headlines=(
            Headline("fq-codel", "share_percent", "Beside a flow of CUBIC on FQ-CoDel"),
            Headline("codel", "share_percent", "On CoDel"),
            Headline("codel", "p95_queueing_ms", "There"),
        ),
        cannot="Marks for scalable congestion controls: the chapter `l4s` has the dual queue.",
    ),
    Criterion(
        id="circuit-breakers",
        section="7.2",
        title="Within the envelope of circuit breakers",
        question="When the capacity falls to a twentieth, for how long are losses so high that a circuit breaker "
        "(RFC 8084) would act?",
        cases=(
            Case(
                id="capacity-falls",
                title="Four flows, 20 Mb/s that become 1 Mb/s",
                scenario="evaluate/circuit-breaker",
                event=(20,),
                figures=("loss_over_s", "loss_percent", "timeouts", "stall_s"),
            ),
        ),
        headlines=(
            Headline("capacity-falls", "loss_over_s", "When the rate falls to a twentieth"),
            Headline("capacity-falls", "loss_percent", "Over the whole run"),
            Headline("capacity-falls", "stall_s", "Then"),
        ),
        cannot="When a breaker acts: operators set its threshold and its interval.",
    ),
    Criterion(
        id="varying-delay",
        section="7.3",
        title="Paths with varying delay",
        question="Does a flow keep its rate while the least delay of the path goes up and down?",
        cases=(
            Case(
                id="steps",
                title="20 ms more and less, every 5 s",
                scenario="evaluate/varying-delay",
                figures=("goodput_mbps", "utilisation_percent", "p95_queueing_ms", "variation_percent"),
            ),
            Case(
                id="hand-overs",
                title="A low-orbit satellite: another one every 15 s",
                scenario="leo-hand-over",
                link="r1->r2",
                figures=("goodput_mbps", "utilisation_percent", "p95_queueing_ms", "variation_percent"),
            ),
            *(
                Case(
                    id=f"jitter-{ms}ms",
                    title=f"Two flows, jitter of {ms} ms on the path of one",
                    scenario="evaluate/round-trips",
                    set={
                        "topology.bottleneck.queue": "67p",
                        "flow.1.access": {"rate": "1gbit", "delay": "1ms", "jitter": f"{ms}ms"},
                    },
                    tested=(0, 1),
                    figures=("max_to_min", "jain_index", "utilisation_percent", "p95_queueing_ms"),
                )
                for ms in (1, 10)
            ),
            Case(
                id="held",
                title="Two flows, the packets of one held for 10 ms in the first second",
                scenario="evaluate/round-trips",
                set={
                    "topology.bottleneck.queue": "67p",
                    "flow.1.access": {"rate": "1gbit", "delay": "1ms"},
                    "flow.1.delay_schedule": {"limit": "10ms", "points": [["0s", "10ms"], ["1s", "0ms"]]},
                },
                tested=(0, 1),
                figures=("max_to_min", "jain_index", "utilisation_percent", "p95_queueing_ms"),
            ),
        ),
        headlines=(
            Headline("steps", "goodput_mbps", "While the delay goes up and down by 20 ms"),
            Headline("jitter-1ms", "max_to_min", "With jitter of 1 ms on the path of one of two flows"),
            Headline("jitter-10ms", "max_to_min", "With 10 ms"),
        ),
        cannot="The worst delays that a network could choose; a search for them is another command's.",
    ),
    Criterion(
        id="constrained",
        section="7.4",
        title="Internet of Things and constrained nodes",
        question="Does the algorithm work with windows of one to four packets, and how many packets and wake-ups does "
        "it need?",
        cases=tuple(
            Case(
                id=f"window-{window}",
                title=f"A window of at most {window}, 250 kb/s, 100 ms",
                scenario="evaluate/constrained",
                set={"flow.0.max_window": window},
                figures=("goodput_mbps", "segments_per_mb", "wakeups_per_s", "retransmitted_percent", "timeouts"),
            )
            for window in (2, 4)
        ),
        headlines=(
            Headline("window-4", "goodput_mbps", "With a window of at most four packets"),
            Headline("window-2", "goodput_mbps", "With two"),
            Headline("window-4", "wakeups_per_s", "With four"),
        ),
        cannot="Memory and instructions of an implementation. Windows of one packet: the simulator's least bound is "
        "two, because one packet waits for a delayed acknowledgement.",
    ),
    Criterion(
        id="high-delay",
        section="7.5",
        title="Paths with high delay",
        question="How does a flow use a geostationary satellite?",
        cases=(
            Case(
                id="satellite",
                title="50 Mb/s, 600 ms, a queue of one BDP",
                scenario="evaluate/satellite",
                figures=("goodput_mbps", "utilisation_percent", "fill_s", "p95_queueing_ms", "loss_percent"),
            ),
        ),
        headlines=(
            Headline("satellite", "goodput_mbps", "Over a geostationary satellite"),
            Headline("satellite", "fill_s", "From its start"),
            Headline("satellite", "loss_percent", "Meanwhile"),
        ),
        cannot="Proxies that split connections, as satellite operators use them.",
    ),
    Criterion(
        id="data-centres",
        section="7.11",
        title="Data centres",
        question="How long do forty answers that come at once take on 10 Gb/s and 100 us?",
        cases=(
            Case(
                id="incast",
                title="Forty flows of 250 kB at once",
                scenario="evaluate/incast",
                figures=("completion_s", "loss_percent", "timeouts", "p99_queueing_ms"),
            ),
        ),
        headlines=(
            Headline("incast", "completion_s", "For forty answers of 250 kB"),
            Headline("incast", "loss_percent", "Meanwhile"),
            Headline("incast", "p99_queueing_ms", "There"),
        ),
        cannot="Switches with shared buffers, and signals of a fabric beyond marks.",
    ),
)

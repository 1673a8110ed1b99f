"""RFC 9743, section 5.1: flows of one algorithm alone."""

from vegaslab.evaluation.criterion import Case, Criterion, Headline

_QUEUE = ("goodput_mbps", "utilisation_percent", "p50_queueing_ms", "p95_queueing_ms", "p99_queueing_ms")

_DEPTHS = (("17p", "a quarter of a"), ("33p", "half a"), ("67p", "one"), ("100p", "one and a half"), ("200p", "three"))

CRITERIA = (
    Criterion(
        id="collapse",
        section="5.1.1",
        title="Protection against congestion collapse",
        question="Does a sender stop, or wait longer and longer, while the network delivers nothing? Do many flows on "
        "little capacity still get useful data through?",
        cases=(
            Case(
                id="black-hole",
                title="Nothing gets through for a minute",
                scenario="evaluate/black-hole",
                event=(5, 65),
                figures=("tries", "last_gap_s", "timeouts"),
            ),
            Case(
                id="fifty-flows",
                title="Fifty flows on 1 Mb/s",
                scenario="evaluate/collapse",
                figures=("goodput_mbps", "loss_percent", "retransmitted_percent", "jain_index"),
            ),
        ),
        headlines=(
            Headline("black-hole", "tries", "While nothing gets through for 60 s"),
            Headline("black-hole", "last_gap_s", "At the end of that minute"),
            Headline("fifty-flows", "retransmitted_percent", "With fifty flows on 1 Mb/s"),
        ),
        cannot="Retransmission timers belong to the host, here the simulator's (RFC 6298): another stack has its own.",
    ),
    Criterion(
        id="bufferbloat",
        section="5.1.2",
        title="Protection against bufferbloat",
        question="How long a queue does a flow keep where the buffer is large?",
        cases=(
            Case(
                id="ten-bdp",
                title="One flow, a queue of ten BDP",
                scenario="evaluate/bufferbloat",
                figures=(*_QUEUE, "overshoot_packets"),
            ),
            Case(
                id="ten-bdp-four",
                title="Four flows, the same queue",
                scenario="evaluate/self",
                set={"topology.bottleneck.queue": "667p"},
                tested=(0, 1, 2, 3),
                figures=_QUEUE,
            ),
        ),
        headlines=(
            Headline("ten-bdp", "p95_queueing_ms", "With a queue of ten BDP"),
            Headline("ten-bdp", "utilisation_percent", "On that path"),
            Headline("ten-bdp-four", "p95_queueing_ms", "With four flows"),
        ),
        cannot="One rate and one base RTT; the chapters on tail-drop queues and on high delay have others.",
    ),
    Criterion(
        id="high-loss",
        section="5.1.3",
        title="Protection against high packet loss",
        question="How much do flows of one algorithm lose where the buffer is small? Does a sender slow down when many "
        "packets are lost?",
        cases=(
            *(
                Case(
                    id=f"queue-{queue}",
                    title=f"Four flows, a queue of {words} BDP",
                    scenario="evaluate/shallow-buffer",
                    set={"topology.bottleneck.queue": queue},
                    figures=("loss_percent", "retransmitted_percent", "utilisation_percent", "goodput_mbps"),
                )
                for queue, words in _DEPTHS
            ),
            Case(
                id="ten-per-cent",
                title="One flow, a random loss of ten per cent",
                scenario="evaluate/random-loss",
                set={"topology.bottleneck.loss": "10%"},
                figures=("goodput_mbps", "retransmitted_percent", "timeouts", "stall_s"),
            ),
        ),
        headlines=(
            Headline("queue-33p", "loss_percent", "With a queue of half a BDP and four flows"),
            Headline("queue-200p", "loss_percent", "With a queue of three BDP"),
            Headline("ten-per-cent", "goodput_mbps", "Under a random loss of ten per cent"),
        ),
        cannot="Whether a loss rate is excessive: the RFC sets no threshold.",
    ),
    Criterion(
        id="self-fairness",
        section="5.1.4",
        title="Fairness within the algorithm",
        question="How do flows of one algorithm share the capacity, early and late ones, near and far ones?",
        cases=(
            Case(
                id="staggered-starts",
                title="Four flows that start 5 s apart",
                scenario="evaluate/self",
                tested=(0, 1, 2, 3),
                figures=("jain_index", "max_to_min", "convergence_s", "variation_percent", "p95_queueing_ms"),
            ),
            Case(
                id="round-trips",
                title="Two flows, base RTTs of 40 and 160 ms",
                scenario="evaluate/round-trips",
                tested=(0, 1),
                figures=("jain_index", "max_to_min", "utilisation_percent", "p95_queueing_ms"),
            ),
            Case(
                id="way-back",
                title="Two flows, of which one has a narrow and busy way back",
                scenario="evaluate/way-back",
                tested=(0, 1),
                link="r2->r3",
                figures=("jain_index", "max_to_min", "utilisation_percent", "p95_queueing_ms"),
            ),
        ),
        headlines=(
            Headline("staggered-starts", "jain_index", "Among four flows that start 5 s apart"),
            Headline("staggered-starts", "convergence_s", "After the last of them has started"),
            Headline("round-trips", "max_to_min", "Between flows of 40 and 160 ms"),
        ),
        cannot="Long flows that want all they can get; the RFC says that equal shares are no aim for others.",
    ),
    Criterion(
        id="short-flows",
        section="5.1.5",
        title="Short flows",
        question="What do short flows do to a long one of the same algorithm, and it to them?",
        cases=(
            Case(
                id="short-and-long",
                title="Transfers of 100 kB beside a long flow",
                scenario="evaluate/short-flows",
                transfers=(0,),
                figures=("short_p50_s", "short_p99_s", "short_slowdown", "goodput_mbps", "p95_queueing_ms"),
            ),
        ),
        headlines=(
            Headline("short-and-long", "short_slowdown", "Beside a long flow"),
            Headline("short-and-long", "short_p99_s", "On that path"),
            Headline("short-and-long", "goodput_mbps", "Beside these transfers"),
        ),
        cannot="Sizes of one kind, 100 kB; the tcpeval suite has a heavy-tailed mix.",
    ),
)

"""RFC 9743, section 5.3: other criteria."""

from vegaslab.evaluation.criterion import Case, Criterion, Headline

CRITERIA = (
    Criterion(
        id="principles",
        section="5.3.1",
        title="Differences with congestion control principles",
        question="Does the algorithm react to losses as RFC 2914 asks, whatever the size of packets (RFC 7141)? A "
        "deviation has to be explained: here is how large it is.",
        cases=(
            *(
                Case(
                    id=f"loss-{name}",
                    title=f"One flow, a random loss of {loss}",
                    scenario="evaluate/random-loss",
                    set={"topology.bottleneck.loss": loss},
                    figures=("goodput_mbps", "utilisation_percent", "retransmitted_percent", "timeouts"),
                )
                for name, loss in (("1", "1%"), ("01", "0.1%"))
            ),
            Case(
                id="small-packets",
                title="One flow of packets of 500 bytes, a random loss of 1%",
                scenario="evaluate/random-loss",
                set={"flow.0.packet": "500b"},
                figures=("goodput_mbps", "utilisation_percent", "retransmitted_percent"),
            ),
        ),
        headlines=(
            Headline("loss-1", "goodput_mbps", "Under a random loss of 1 %"),
            Headline("loss-01", "goodput_mbps", "Under 0.1 %"),
            Headline("small-packets", "goodput_mbps", "With packets of a third of the size"),
        ),
        cannot="An explanation: what a specification says of its deviations is its authors'.",
    ),
    Criterion(
        id="deployment",
        section="5.3.2",
        title="Incremental deployment",
        question="What does the first flow get among those of an old algorithm, and what does it cost them?",
        cases=(
            Case(
                id="first",
                title="The first flow among four of CUBIC",
                scenario="evaluate/deployment",
                figures=("goodput_mbps", "share_percent", "old_goodput_mbps", "old_rtt_ms", "p95_queueing_ms"),
            ),
            Case(
                id="stamps",
                title="Four flows that start 5 s apart, routers that stamp queueing times",
                scenario="evaluate/self",
                set={"topology.bottleneck.aqt": True},
                tested=(0, 1, 2, 3),
                figures=("jain_index", "max_to_min", "goodput_mbps", "p95_queueing_ms"),
            ),
        ),
        headlines=(
            Headline("first", "share_percent", "As the first among four flows of CUBIC"),
            Headline("first", "old_goodput_mbps", "There"),
            Headline("first", "p95_queueing_ms", "In the queue that they share"),
        ),
        cannot="The case with stamps matters to algorithms that ask routers only. Proxies, WAN optimizers "
        "and other equipment in between are not simulated.",
    ),
)

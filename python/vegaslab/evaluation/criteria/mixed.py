"""RFC 9743, section 5.2: flows of the algorithm beside those of others."""

from vegaslab.evaluation.criterion import OLD, TITLES, Case, Criterion, Headline

_HARM = ("harm_goodput", "harm_delay", "harm_loss", "old_goodput_mbps", "goodput_mbps", "least_share_percent")

CRITERIA = (
    Criterion(
        id="existing",
        section="5.2.1",
        title="Beside existing general-purpose congestion control",
        question="How much harm does a flow do to one of an algorithm that is there already? The yardstick is that "
        "of Ware et al. (HotNets 2019): at most what a second flow of the old algorithm does to it, which is the "
        "old algorithm's own row.",
        cases=(
            *(
                Case(
                    id=f"beside-{old}",
                    title=f"Beside a flow of {TITLES[old]}, queue of one BDP",
                    scenario="evaluate/beside",
                    beside=old,
                    solo="evaluate/alone",
                    figures=_HARM,
                )
                for old in OLD
            ),
            *(
                Case(
                    id=f"beside-cubic-{queue}",
                    title=f"Beside a flow of CUBIC, queue of {words}",
                    scenario="evaluate/beside",
                    set={"topology.bottleneck.queue": queue},
                    beside="cubic",
                    solo="evaluate/alone",
                    figures=_HARM,
                )
                for queue, words in (("33p", "half a BDP"), ("268p", "four BDP"))
            ),
        ),
        headlines=(
            Headline("beside-cubic", "harm_goodput", "With a queue of one BDP"),
            Headline("beside-cubic", "harm_delay", "With that queue"),
            Headline("beside-cubic", "least_share_percent", "As to starvation"),
        ),
        cannot="Two flows of one base RTT; implementations differ from the RFCs' algorithms in the details.",
    ),
    Criterion(
        id="real-time",
        section="5.2.2",
        title="Beside real-time traffic",
        question="How long do packets of voice and video wait behind a flow, and how many are lost?",
        cases=(
            Case(
                id="streams",
                title="Beside streams of 64 kb/s and 2 Mb/s",
                scenario="evaluate/real-time",
                figures=("p50_queueing_ms", "p99_queueing_ms", "stream_loss_percent", "goodput_mbps"),
            ),
        ),
        headlines=(
            Headline("streams", "p99_queueing_ms", "Beside voice and video"),
            Headline("streams", "stream_loss_percent", "There"),
            Headline("streams", "goodput_mbps", "Meanwhile"),
        ),
        cannot="The streams do not adapt: controls for real-time media (RFC 8868) are not simulated.",
    ),
    Criterion(
        id="short-and-long",
        section="5.2.3",
        title="Short and long flows of other algorithms",
        question="What does a long flow do to short ones of CUBIC, and a long flow of CUBIC to short ones of the "
        "algorithm?",
        cases=(
            Case(
                id="long-new",
                title="A long flow beside CUBIC's transfers of 100 kB",
                scenario="evaluate/short-flows",
                beside="cubic",
                figures=("short_p50_s", "short_p99_s", "short_slowdown", "goodput_mbps"),
            ),
            Case(
                id="short-new",
                title="Transfers of 100 kB beside a long flow of CUBIC",
                scenario="evaluate/short-flows",
                beside="cubic",
                tested=(),
                transfers=(0,),
                figures=("short_p50_s", "short_p99_s", "short_slowdown", "old_goodput_mbps"),
            ),
        ),
        headlines=(
            Headline("long-new", "short_slowdown", "As the long flow beside short ones of CUBIC"),
            Headline("short-new", "short_slowdown", "As short flows beside a long one of CUBIC"),
            Headline("short-new", "old_goodput_mbps", "There"),
        ),
        cannot="One size, one load. By TCP a transfer begins without a handshake, by QUIC with one, of a round trip.",
    ),
)

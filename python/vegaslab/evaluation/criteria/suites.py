"""The suites beside the criteria: the cases of the C4 draft with their bounds, and those of the tcpeval draft."""

from vegaslab.evaluation.criterion import Case, Criterion, Headline

C4_TRIALS = 100
"""The C4 draft asks for this number of trials of each case, all of which must complete within the bound."""

_BOUNDS_S = {
    "simple-20mbit": 5,
    "simple-200mbit": 1.25,
    "satellite": 7.4,
    "low-and-up": 7.9,
    "drop-and-back": 8.15,
    "black-hole": 6.1,
    "short-to-long": 22,
    "bad-wifi": 4.3,
    "wifi-fade": 6.2,
    "wifi-suspension": 5.4,
    "self-short": 6.7,
    "self-first": 8.15,
    "self-later": 4.1,
    "self-long": 22.8,
    "self-last": 22.2,
    "self-wifi": 13,
    "cubic-short": 6.7,
    "cubic-long": 22.2,
    "cubic-last": 22,
    "cubic-wifi": 11,
    "bbr-short": 6.7,
    "bbr-long": 23,
    "bbr-last": 23,
    "bbr-wifi": 13.5,
}
_MEDIA = {
    "media-100mbit": "Voice and video on 100 Mb/s and 30 ms",
    "media-10mbit": "Voice and video on 10 Mb/s and 40 ms",
    "media-beside": "Voice and video beside bulk data by CUBIC",
    "media-longer": "Voice and video where 30 ms become 100 ms",
    "media-wifi": "Voice and video over Wi-Fi",
    "media-fade": "Voice and video over Wi-Fi that fades",
    "media-suspended": "Voice and video over Wi-Fi that is suspended again and again",
}
_OF_MEDIA = ("goodput_mbps", "mean_rtt_ms", "stall_s", "p99_queueing_ms", "retransmitted_percent")
_C4 = ("in_time_percent", "completion_s", "retransmitted_percent")
_LOAD = ("short_p50_s", "short_p99_s", "goodput_mbps", "p95_queueing_ms", "loss_percent", "utilisation_percent")
_LOADED = {
    "access-60": "An access link, load 0.60",
    "access-85": "An access link, load 0.85",
    "access-110": "An access link, load 1.10",
    "trans-oceanic": "A trans-oceanic link, load 0.85",
    "satellite": "A satellite, load 0.60",
    "dial-up": "A dial-up link, load 0.60",
    "wireless": "A wireless link, load 0.60",
}

CRITERIA = (
    Criterion(
        id="c4",
        section="C4",
        title="The cases of draft-huitema-ccwg-c4-test",
        question="Does a transfer complete within the draft's bound, in each trial?",
        cases=(
            *(
                Case(
                    id=f"c4-{name}",
                    title=f"{name}, within {bound:g} s",
                    scenario=f"c4/{name}",
                    bound_s=bound,
                    tested=(0, 1) if name.startswith("self") else (0,),
                    figures=_C4,
                )
                for name, bound in _BOUNDS_S.items()
            ),
            *(
                Case(id=f"c4-{name}", title=title, scenario=f"c4/{name}", figures=_OF_MEDIA)
                for name, title in _MEDIA.items()
            ),
        ),
        headlines=(
            Headline("c4-simple-20mbit", "completion_s", "For 10 MB over 20 Mb/s and 80 ms"),
            Headline("c4-cubic-long", "completion_s", "For 20 MB beside CUBIC"),
            Headline("c4-bad-wifi", "completion_s", "For 10 MB over Wi-Fi"),
        ),
        cannot="The times of single frames, for which the draft's media cases have bounds: the flow sends at a steady "
        "rate, without frames and priorities. Careful resume (draft-ietf-tsvwg-careful-resume), which its satellite "
        "case supposes: a flow begins without what an earlier connection to the same host has learnt, for no host here "
        "keeps such a memory. By TCP a transfer begins without a handshake.",
    ),
    Criterion(
        id="tcpeval",
        section="tcpeval",
        title="The cases of draft-irtf-iccrg-tcpeval",
        question="How do transfers of many sizes fare on typical links under load?",
        cases=(
            *(
                Case(
                    id=f"tcpeval-{name}",
                    title=title,
                    scenario=f"tcpeval/{name}",
                    transfers=(0, 1, 2),
                    figures=_LOAD,
                    full_only=name in ("access-110", "satellite", "trans-oceanic"),
                )
                for name, title in _LOADED.items()
            ),
            Case(
                id="tcpeval-access-trace",
                title="An access link, load 0.60, connections of a trace",
                scenario="tcpeval/access-trace",
                transfers=(0, 1, 2),
                figures=_LOAD,
                full_only=True,
            ),
            Case(
                id="tcpeval-data-center",
                title="A data centre, load 0.60",
                scenario="tcpeval/data-center",
                transfers=(0,),
                figures=_LOAD,
                full_only=True,
            ),
            Case(
                id="tcpeval-ramp-up",
                title="The second flow starts 20 s after the first",
                scenario="tcpeval/ramp-up",
                tested=(0, 1),
                figures=("convergence_s", "jain_index", "utilisation_percent"),
            ),
            Case(
                id="tcpeval-transients",
                title="The rate falls to a quarter, and rises again",
                scenario="tcpeval/transients",
                event=(30,),
                figures=("recovery_s", "goodput_mbps", "p99_queueing_ms", "loss_percent"),
            ),
            Case(
                id="tcpeval-standard-tcp",
                title="Five flows beside five of standard TCP",
                scenario="tcpeval/standard-tcp",
                figures=("share_percent", "old_goodput_mbps", "old_rtt_ms", "jain_index"),
            ),
            Case(
                id="tcpeval-bottlenecks",
                title="A flow over three bottlenecks",
                scenario="tcpeval/several-bottlenecks",
                tested=(0, 1, 2, 3),
                figures=("max_to_min", "jain_index", "utilisation_percent"),
            ),
        ),
        headlines=(
            Headline("tcpeval-access-85", "short_p50_s", "On an access link with a load of 0.85"),
            Headline("tcpeval-standard-tcp", "share_percent", "Beside standard TCP"),
            Headline("tcpeval-bottlenecks", "max_to_min", "Where one of four flows crosses three bottlenecks"),
        ),
        cannot="The draft's tmix traces: sizes are Pareto here, or those of a trace made by a formula, and the loads "
        "those that it names. Rates and buffers "
        "of the largest links are scaled down, as each file says.",
    ),
)

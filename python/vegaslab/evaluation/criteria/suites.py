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
_MEDIA: dict[str, tuple[str, tuple[float, float]]] = {
    "media-100mbit": ("Voice and video on 100 Mb/s and 30 ms for 20 s", (33, 80)),
    "media-10mbit": ("Voice and video on 10 Mb/s and 40 ms", (47, 160)),
    "media-longer": ("Voice and video where 30 ms become 100 ms", (110, 120)),
    "media-fade": ("Voice and video over Wi-Fi that fades", (110, 350)),
    "media-suspended": ("Voice and video over Wi-Fi that is suspended again and again", (23.6, 202)),
    "media-wifi": ("Voice and video over Wi-Fi", (105, 410)),
}
"""What the case is called, and the bounds of the mean and of the greatest delay of frames, ms."""

_DELAYS = ("voice_mean_ms", "voice_max_ms", "video_mean_ms", "video_max_ms", "upper_percent")
_OF_MEDIA = ("in_time_percent", *_DELAYS)
_FRAMES_FROM_S = {"media-longer": 5.0}
"""From when the draft counts frames, where that is not 0.2 s."""

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
        question="Does a transfer complete, and do frames of voice and video arrive, within the draft's bounds, in "
        "each trial?",
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
                Case(
                    id=f"c4-{name}",
                    title=f"{title}: {mean:g} ms on average, {most:g} ms at most",
                    scenario=f"c4/{name}",
                    frames_ms=(mean, most),
                    frames_from_s=_FRAMES_FROM_S.get(name, 0.2),
                    figures=_OF_MEDIA,
                )
                for name, (title, (mean, most)) in _MEDIA.items()
            ),
            Case(
                id="c4-media-first",
                title="Voice and video on 100 Mb/s and 30 ms for 5 s: 31 ms on average, 79 ms at most",
                scenario="c4/media-100mbit",
                set={"duration": "5s"},
                frames_ms=(31, 79),
                frames_from_s=0.2,
                figures=_OF_MEDIA,
            ),
            Case(
                id="c4-media-beside",
                title="Voice and video beside bulk data by CUBIC",
                scenario="c4/media-beside",
                figures=(*_DELAYS, "goodput_mbps", "retransmitted_percent"),
            ),
        ),
        headlines=(
            Headline("c4-simple-20mbit", "completion_s", "For 10 MB over 20 Mb/s and 80 ms"),
            Headline("c4-cubic-long", "completion_s", "For 20 MB beside CUBIC"),
            Headline("c4-bad-wifi", "completion_s", "For 10 MB over Wi-Fi"),
        ),
        cannot="How near a path's bounds on frames are: the draft's bounds on the mean are about the round-trip time "
        "of its paths, while a frame is counted here from its making until the receiver has it, one way; and "
        "a frame that is made as a suspension of 200 ms begins takes 205 ms on its path at the least, where "
        "the bound is 202 ms. The upper layer of the video is given up by its sender, when a frame has not "
        "left after 250 ms; the draft's receiver asks for that when one comes 250 ms late. Careful resume "
        "(draft-ietf-tsvwg-careful-resume), which the draft's satellite case supposes: a start from a "
        "remembered window would stand in the place of every algorithm's own slow start, which is what the "
        "case would judge, and no host here keeps such a memory. Without it the bound of 7.4 s cannot be "
        "kept: from ten packets to the 12,500 of that path a window that doubles every 0.6 s takes 6.2 s, and "
        "the 100 MB take 3.2 s. By TCP a transfer begins without a handshake.",
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
        "those that the draft names. Times are shorter: 60 s on the access link and 30 s on the trans-oceanic "
        "one, where the draft measures for 479 to 1423 s and 252 s after a warm-up, some ten times the "
        "packets; these cases take three minutes of processor time as they are. The replayed trace fills a "
        "fifth of the access link's 100 Mb/s, so that this case has a link of 20 Mb/s. Ramp-up, transients, "
        "standard TCP and several bottlenecks have 20 Mb/s and 40 ms by our choice.",
    ),
)

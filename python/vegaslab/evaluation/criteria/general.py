"""RFC 9743, section 6: general use."""

from itertools import product

from vegaslab.evaluation.criterion import Case, Criterion, Headline

_ALONE = ("goodput_mbps", "utilisation_percent", "p95_queueing_ms", "loss_percent", "fill_s")
_RATES = {"5mbit": 5, "20mbit": 20, "100mbit": 100}
_DELAYS = {"3ms": 10, "18ms": 40, "98ms": 200}
_DEPTHS = {"0.5": 0.5, "1": 1.0, "4": 4.0}
_QUICK = {("5mbit", "18ms", "1"), ("20mbit", "98ms", "1"), ("100mbit", "3ms", "1"), ("100mbit", "18ms", "0.5")}
_PACKET_BITS = 12_000


def _queue(rate_mbps: int, rtt_ms: int, products: float) -> str:
    return f"{max(4, round(products * rate_mbps * 1000 * rtt_ms / _PACKET_BITS))}p"


_GRID = tuple(
    Case(
        id=f"{rate}-{_DELAYS[delay]}ms-{depth}",
        title=f"{_RATES[rate]} Mb/s, {_DELAYS[delay]} ms, a queue of {depth} BDP",
        scenario="evaluate/alone",
        set={
            "topology.bottleneck.rate": rate,
            "topology.bottleneck.delay": delay,
            "topology.bottleneck.queue": _queue(_RATES[rate], _DELAYS[delay], _DEPTHS[depth]),
        },
        figures=_ALONE,
        full_only=(rate, delay, depth) not in _QUICK,
    )
    for rate, delay, depth in product(_RATES, _DELAYS, _DEPTHS)
)

CRITERIA = (
    Criterion(
        id="tail-drop",
        section="6.1",
        title="Paths with tail-drop queues",
        question="How does a flow use paths of many rates, delays and depths of a drop-tail queue?",
        cases=_GRID,
        headlines=(
            Headline("20mbit-200ms-1", "goodput_mbps", "On 20 Mb/s and 200 ms"),
            Headline("100mbit-40ms-0.5", "goodput_mbps", "On 100 Mb/s and 40 ms with half a BDP of queue"),
            Headline("100mbit-10ms-1", "p95_queueing_ms", "On 100 Mb/s and 10 ms"),
        ),
        cannot="Rates above 100 Mb/s and several bottlenecks; C4 and tcpeval below have some.",
    ),
    Criterion(
        id="tunnels",
        section="6.2",
        title="Tunnel behaviour",
        question="What changes for a flow in a tunnel: smaller packets, more header, routers that do not see it?",
        cases=(
            Case(
                id="tunnel",
                title="Packets of 1280 bytes with 80 bytes of headers",
                scenario="evaluate/tunnel",
                figures=_ALONE,
            ),
            Case(id="no-tunnel", title="The same path without", scenario="evaluate/alone", figures=_ALONE),
        ),
        headlines=(
            Headline("tunnel", "goodput_mbps", "In a tunnel"),
            Headline("tunnel", "p95_queueing_ms", "There"),
            Headline("no-tunnel", "goodput_mbps", "Without a tunnel"),
        ),
        cannot="Tunnels with a congestion control of their own. Routers in these cases stamp and mark nothing, which "
        "is what an algorithm with explicit signals meets inside a tunnel.",
    ),
    Criterion(
        id="wired",
        section="6.3",
        title="Wired paths",
        question="The base case: one flow, 20 Mb/s, 40 ms, a queue of one BDP, no other losses.",
        cases=(
            Case(
                id="alone",
                title="One flow alone",
                scenario="evaluate/alone",
                figures=(*_ALONE, "variation_percent", "overshoot_packets", "segments_per_mb", "wakeups_per_s"),
            ),
            Case(
                id="thousand-clients",
                title="A long flow beside the pages of a thousand clients, load 0.8 of 50 Mb/s",
                scenario="thousand-clients",
                figures=("goodput_mbps", "short_p50_s", "short_p99_s", "p95_queueing_ms", "loss_percent"),
            ),
            Case(
                id="applications",
                title="Five flows with less to send: a rate, on and off, requests, video, bulk data after a silence",
                scenario="applications",
                tested=(0, 1, 2, 3, 4),
                figures=("goodput_mbps", "p50_queueing_ms", "p95_queueing_ms", "retransmitted_percent", "loss_percent"),
            ),
        ),
        headlines=(
            Headline("alone", "goodput_mbps", "Alone"),
            Headline("alone", "p95_queueing_ms", "On that path"),
            Headline("alone", "fill_s", "From its start"),
        ),
        cannot="Other traffic; the chapters on mixed flows have it.",
    ),
    Criterion(
        id="wireless",
        section="6.4",
        title="Wireless paths",
        question="How does a flow use a link with jitter, aggregation, losses that are no congestion, and a rate that "
        "varies?",
        cases=(
            Case(
                id="wi-fi",
                title="Wi-Fi: jitter of 7 ms, packets aggregated in 4 ms, losses in bursts",
                scenario="evaluate/wireless",
                figures=("goodput_mbps", "utilisation_percent", "p95_queueing_ms", "retransmitted_percent", "stall_s"),
            ),
            Case(
                id="cellular-users",
                title="A user of a cellular link beside three others, one with four downloads; a queue for each user",
                scenario="cellular-users",
                tested=(1,),
                figures=("goodput_mbps", "share_percent", "mean_rtt_ms", "retransmitted_percent", "stall_s"),
            ),
            Case(
                id="varying-rate",
                title="A recorded rate that varies",
                scenario="rate-trace",
                link="r1->r2",
                figures=("goodput_mbps", "utilisation_percent", "p95_queueing_ms", "stall_s"),
            ),
        ),
        headlines=(
            Headline("wi-fi", "goodput_mbps", "Over Wi-Fi"),
            Headline("wi-fi", "p95_queueing_ms", "There"),
            Headline("varying-rate", "p95_queueing_ms", "On a rate that varies as recorded"),
        ),
        cannot="Stations that compete for the channel; the jitter is that of the C4 draft's model.",
    ),
)

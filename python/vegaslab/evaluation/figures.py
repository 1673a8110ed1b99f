"""The figures of the dossier: what each is called, its unit, and which direction is better."""

from dataclasses import dataclass
from typing import Literal

Better = Literal["higher", "lower", "neither"]


@dataclass(frozen=True)
class Figure:
    """One number of a run."""

    title: str
    unit: str
    better: Better
    meaning: str
    says: str
    """The sentence's part about it, with {} for the value, and {beside} for the name of the other algorithm."""

    @property
    def may_be_negative(self) -> bool:
        """Whether values below 0 mean something: harm that is a gain."""
        return self.is_harm

    @property
    def is_harm(self) -> bool:
        """Whether it is a part of what the other flow has: sentences have it in per cent."""
        return self.title.startswith("harm")


FIGURES: dict[str, Figure] = {
    "goodput_mbps": Figure(
        "goodput",
        "Mb/s",
        "higher",
        "payload delivered in order, all flows under test together",
        "gets a goodput of {}",
    ),
    "share_percent": Figure(
        "share",
        "%",
        "neither",
        "part of the goodput of all flows that the flows under test have",
        "gets a share of {} of all goodput",
    ),
    "least_share_percent": Figure(
        "least share",
        "%",
        "higher",
        "goodput of the least flow, of an equal share",
        "leaves the least flow {} of an equal share",
    ),
    "jain_index": Figure(
        "Jain's index",
        "",
        "higher",
        "fairness of the goodput of all flows with bulk data: 1 if all are equal",
        "shares with a Jain's index of {}",
    ),
    "max_to_min": Figure(
        "max/min",
        "",
        "lower",
        "goodput of the largest flow over that of the least",
        "gives the largest flow {} times what the least one has",
    ),
    "retransmitted_percent": Figure(
        "retransmitted",
        "%",
        "lower",
        "segments that the flows under test retransmitted; by QUIC, packets declared lost",
        "retransmits {} of its segments",
    ),
    "timeouts": Figure(
        "timeouts",
        "",
        "lower",
        "retransmission timeouts of the flows under test; by QUIC, occurrences of persistent congestion",
        "has {} timeouts",
    ),
    "mean_rtt_ms": Figure(
        "RTT",
        "ms",
        "lower",
        "mean round-trip time of the flows under test",
        "sees a round-trip time of {}",
    ),
    "completion_s": Figure(
        "completion",
        "s",
        "lower",
        "from the start of the run to the last acknowledgement",
        "is complete after {}",
    ),
    "completion_p99_s": Figure(
        "p99 completion",
        "s",
        "lower",
        "what 99 in 100 of the flows' times do not exceed",
        "is complete after {} in 99 of 100 flows",
    ),
    "variation_percent": Figure(
        "variation",
        "%",
        "lower",
        "standard deviation of a flow's throughput in steps of 1 s, of its mean, in the second half (smoothness)",
        "varies by {}",
    ),
    "stall_s": Figure(
        "longest stall",
        "s",
        "lower",
        "longest time in which a flow under test delivers nothing",
        "stalls for {} at most",
    ),
    "segments_per_mb": Figure(
        "segments/MB",
        "",
        "lower",
        "segments sent for a megabyte delivered (energy)",
        "sends {} segments a megabyte",
    ),
    "wakeups_per_s": Figure(
        "wake-ups",
        "1/s",
        "lower",
        "sampling steps in which something is acknowledged (energy)",
        "wakes up at a rate of {}",
    ),
    "utilisation_percent": Figure(
        "utilisation",
        "%",
        "higher",
        "part of the time that the bottleneck is busy",
        "uses {} of the link",
    ),
    "p50_queueing_ms": Figure(
        "p50 queueing",
        "ms",
        "lower",
        "median of the packets' waiting times at the bottleneck",
        "keeps a median of queueing of {}",
    ),
    "p95_queueing_ms": Figure(
        "p95 queueing",
        "ms",
        "lower",
        "95th percentile of these times",
        "keeps a 95th percentile of queueing of {}",
    ),
    "p99_queueing_ms": Figure(
        "p99 queueing",
        "ms",
        "lower",
        "99th percentile of these times",
        "keeps a 99th percentile of queueing of {}",
    ),
    "l_p99_queueing_ms": Figure(
        "p99 in the L queue",
        "ms",
        "lower",
        "99th percentile of the packets' waiting times in the L queue of DualPI2",
        "keeps a 99th percentile of queueing of {} in the L queue",
    ),
    "marks_per_rtt": Figure(
        "marks a round trip",
        "",
        "neither",
        "packets that the L queue of DualPI2 marks in a mean round-trip time of the flows under test",
        "has {} packets marked in a round trip",
    ),
    "loss_percent": Figure(
        "loss",
        "%",
        "lower",
        "packets that the bottleneck drops, of all that are sent",
        "makes the bottleneck drop {} of the packets",
    ),
    "overshoot_packets": Figure(
        "overshoot",
        "packets",
        "lower",
        "greatest queue, less the mean of the second half",
        "overshoots by {}",
    ),
    "fill_s": Figure(
        "time to fill",
        "s",
        "lower",
        "until the bottleneck is 95 % busy over ten round trips",
        "fills the path after {}",
    ),
    "loss_over_s": Figure(
        "loss above 10 %",
        "s",
        "lower",
        "longest time in which the bottleneck drops over a tenth",
        "makes the bottleneck drop more than a tenth for {}",
    ),
    "recovery_s": Figure(
        "recovery",
        "s",
        "lower",
        "after the event, until the bottleneck is 90 % busy over 1 s",
        "uses the link again after {}",
    ),
    "convergence_s": Figure(
        "convergence",
        "s",
        "lower",
        "after the last start, until Jain's index over 5 s is 0.9",
        "shares evenly after {}",
    ),
    "tries": Figure(
        "tries",
        "",
        "neither",
        "segments retransmitted while nothing gets through; by QUIC, packets sent as probes",
        "retransmits {} segments",
    ),
    "last_gap_s": Figure(
        "last gap",
        "s",
        "higher",
        "time between the last two timeouts, or probes, in that time; it doubles with each",
        "waits {} between the last two timeouts",
    ),
    "short_p50_s": Figure(
        "short p50",
        "s",
        "lower",
        "median time of the short transfers",
        "lets short transfers take {} in the median",
    ),
    "short_p99_s": Figure(
        "short p99",
        "s",
        "lower",
        "99th percentile of the times of the short transfers",
        "lets 99 in 100 short transfers take {} at most",
    ),
    "short_slowdown": Figure(
        "slowdown",
        "",
        "lower",
        "median time of the short transfers, of that on the empty path (a round trip, and the payload at its rate)",
        "lets short transfers take {} times as long as on the empty path",
    ),
    "stream_loss_percent": Figure(
        "stream loss",
        "%",
        "lower",
        "packets that the constant streams lose",
        "makes the streams lose {} of their packets",
    ),
    "old_goodput_mbps": Figure(
        "other's goodput",
        "Mb/s",
        "higher",
        "payload delivered by the other flows",
        "leaves the others a goodput of {}",
    ),
    "old_rtt_ms": Figure(
        "other's RTT",
        "ms",
        "lower",
        "mean round-trip time of the other flows",
        "gives the others a round-trip time of {}",
    ),
    "old_retransmitted_percent": Figure(
        "other's retransmissions",
        "%",
        "lower",
        "segments that the other flows retransmitted",
        "makes the others retransmit {}",
    ),
    "harm_goodput": Figure(
        "harm: goodput",
        "",
        "lower",
        "part of the goodput that the other loses, of what it has alone: (alone - shared) / alone",
        "costs a {beside} flow {} of its goodput",
    ),
    "harm_delay": Figure(
        "harm: delay",
        "",
        "lower",
        "part of the other's round-trip time that it would not have alone: (shared - alone) / shared",
        "causes {} of the {beside} flow's round-trip time",
    ),
    "harm_loss": Figure(
        "harm: loss",
        "",
        "lower",
        "part of what the other retransmits that it would not alone",
        "causes {} of the {beside} flow's retransmissions",
    ),
    "voice_mean_ms": Figure(
        "voice mean",
        "ms",
        "lower",
        "mean time from the making of a frame of voice until the receiver has it",
        "delivers frames of voice after {} on average",
    ),
    "voice_max_ms": Figure(
        "voice max",
        "ms",
        "lower",
        "longest of these times",
        "delivers frames of voice after {} at the latest",
    ),
    "video_mean_ms": Figure(
        "video mean",
        "ms",
        "lower",
        "mean time from the making of a frame of video until the receiver has all of it",
        "delivers frames of video after {} on average",
    ),
    "video_max_ms": Figure(
        "video max",
        "ms",
        "lower",
        "longest of these times",
        "delivers frames of video after {} at the latest",
    ),
    "upper_percent": Figure(
        "upper layer",
        "%",
        "higher",
        "frames of the video's upper layer that are not given up",
        "sends {} of the frames of the upper layer of video",
    ),
    "in_time_percent": Figure(
        "in time",
        "%",
        "higher",
        "trials within the bounds: of a transfer its completion, of media the four times above",
        "is in time in {} of the trials",
    ),
}

"""Why measurements and runs disagree, by the measurement's name, as far as it is known."""

_UNDONE = (
    "the captured sender undoes each recovery that ends exactly with its last segment, and goes on with the whole "
    "window, as Linux did without SACK before 5.2 (`tcp_packet_delayed`); neither the simulator nor Debian's 6.12 "
    "does. With that, [`vegaslab identify`](measured.md#which-congestion-control-sent-it) finds the capture's windows "
    "within {} %, without it within {} %."
)

CAUSES: dict[str, str] = {
    "bbr-50ms": "without SACK it depends on which packets are lost whether timeouts follow each other: Linux 6.12 over "
    "the same path retransmits 33 to 837 segments, run by run, and the simulator 792.",
    "cdg-50ms": "CDG backs off by chance: Linux 6.12 retransmits 14 and 40 segments in two runs over the same path, "
    "and of ten seeds of the simulator six have 41, two 14 and two none.",
    "highspeed-50ms": _UNDONE.format(1, 14) + " Tried on the simulated host, it gives 0.135 Mb/s and 65 "
    "retransmissions, of which 20 follow a timeout: the first recovery fills the receive window, as [fewer duplicates "
    "leave the captured receiver](#what-all-captures-have-in-common).",
    "htcp-50ms": _UNDONE.format(4, 8),
    "hybla-50ms": "its capture shows no queue, so that the path worked out of it is too slow: at least 0.014 Mb/s. "
    "Over the path of `reno-50ms`, of the same shell, the simulator has 0.012 Mb/s and 161 retransmissions, 155 of "
    "them of the captured segments.",
    "illinois-50ms": "Linux 6.12 over the same path does what the simulator does, so that the difference lies in the "
    "path, in the receiver or in an older kernel of the sender, and not in the simulated host; not traced.",
    "lp-50ms": "the kernel's LP acts as Reno, in the capture (its windows are Reno's within 1 %) and in 6.12, because "
    "the delays that it works out of time stamps [never show congestion](algorithms/lp.md#how-it-is-tested). The "
    "simulator's `lp` keeps the paper's rule, and yields.",
}

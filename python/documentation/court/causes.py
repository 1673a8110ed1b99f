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
    "highspeed-50ms": _UNDONE.format(1, 14),
    "htcp-50ms": _UNDONE.format(4, 8),
    "hybla-50ms": "its capture shows no queue, so that the path worked out of it is too slow: at least 0.014 Mb/s. "
    "Over the path of `reno-50ms`, of the same shell, the simulator has 0.012 Mb/s and 161 retransmissions, 155 of "
    "them of the captured segments.",
    "lp-50ms": "Linux 6.12 over the same path is far nearer to the capture, so that the simulator is wrong here; its "
    "LP halves the window by delays, the captured windows are those of Reno within 1 %.",
}

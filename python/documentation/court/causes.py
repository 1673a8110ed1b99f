"""Why measurements and runs disagree, by the measurement's name, as far as it is known."""

_UNDONE = (
    "the captured sender undoes each recovery that ends exactly with its last segment, and goes on with the whole "
    "window, as Linux did without SACK before 5.2 (`tcp_packet_delayed`); neither the simulator nor Debian's 6.12 "
    "does. With that, [`vegaslab identify`](measured.md#which-congestion-control-sent-it) finds the capture's windows "
    "within {} %, without it within {} %."
)

_SIMULATOR = "Linux 6.12 over the same path is far nearer to the capture, so that the simulator is wrong here; "

CAUSES: dict[str, str] = {
    "bbr-50ms": "the simulator has the capture's goodput and windows, and 12 retransmissions for 17. Without SACK they "
    "depend on which packets are lost: Linux 6.12 over the same path has 33 or 837, as its receiver reads later or "
    "sooner.",
    "cdg-50ms": _SIMULATOR + "its CDG leaves slow start by HyStart, theirs by the first loss.",
    "highspeed-50ms": _UNDONE.format(1, 14),
    "htcp-50ms": _UNDONE.format(4, 8),
    "lp-50ms": _SIMULATOR + "its LP halves the window by delays, the captured windows are those of Reno within 1 %.",
    "yeah-50ms": _SIMULATOR + "cause not known.",
}

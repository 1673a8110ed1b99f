"""Why both worlds differ, by algorithm, as far as it is known."""

_ROUNDS = (
    "a kernel's receiver acknowledges each segment with the flag PSH alone, which the simulator does not have "
    "([pushed segments](deviations.md#segments-that-are-pushed)). So rounds end elsewhere among pairs of acknowledged "
    "segments, and a backlog of about half a segment rounds to none or to one. With each segment acknowledged at once "
    "both worlds [decide alike](same-in-kernel.md)."
)
_TRAIN = (
    "HyStart takes acknowledgements at most 2 ms apart for a train: at 10 and 8 Mb/s those of one segment are, those "
    "of two are not, and the kernel's receiver acknowledges more segments one by one (`vegas`, above)."
)
_PER_ACKNOWLEDGEMENT = (
    "it grows with each acknowledgement, whether of one segment or of two, and the kernel's receiver sends more of "
    "them (`vegas`, above)."
)
_LOST_REPAIR = (
    "the queue overflows again while the last repairs of STARTUP's losses leave. In the simulator one of these, sent "
    "at 1.055 s, is lost three times, so that the recovery goes on with the whole window; in the kernel all arrive, "
    "and the next recovery begins with a window cut to what is in flight. No seed of ten changes it."
)
_TUNED = (
    "the receivers tune their windows a little differently, which limits a slow start this steep; where no window of a "
    "receiver's limits it, slow start and its losses agree to the segment."
)
_RECOVERY = (
    "in a recovery the simulator's host, as the kernel for its own modules, takes round trips from time stamps, of "
    "whole milliseconds, so that the least is 20.0 ms on the path of 20 Mb/s; the program for BPF takes none there, "
    "and the least is 20.66 ms. So more packets wait in the kernel, and a queue of eight overflows."
)
_CHANCE = "it cuts by chance, and each world has its own [random numbers](deviations.md#random-numbers-of-cdg)."
_LP = (
    "the kernel's, also with time stamps, does what Reno does, to the byte "
    "([why](algorithms/lp.md#how-it-is-tested)); the simulator's follows the paper."
)

CAUSES: dict[str, str] = {
    **dict.fromkeys(("vegas", "gallop", "rovegas", "streak", "dynamic"), _ROUNDS),
    "bbr1": _LOST_REPAIR,
    "cdg": _CHANCE,
    "cubic-linux": _TRAIN,
    "hybla": _TUNED,
    "lp": _LP,
    "newreno": _PER_ACKNOWLEDGEMENT,
    "vegas-next": _RECOVERY,
}

"""Why both worlds differ, by algorithm, as far as it is known."""

_ROUNDS = (
    "a kernel's receiver acknowledges each segment with the flag PSH alone, which the simulator does not have "
    "([pushed segments](deviations.md#segments-that-are-pushed)). So rounds end elsewhere among pairs of acknowledged "
    "segments, and a backlog of about half a segment rounds to none or to one. With each segment acknowledged at once "
    "both worlds [decide alike](same-in-kernel.md)."
)
_LOST_REPAIR = (
    "the queue overflows again while the last repairs of STARTUP's losses leave. In the simulator one of these, sent "
    "at 1.055 s, is lost three times, so that the recovery goes on with the whole window; in the kernel all arrive, "
    "and the next recovery begins with a window cut to what is in flight. No seed of ten changes it."
)
_RECOVERY = (
    "in a recovery the simulator's host, as the kernel for its own modules, takes round trips from time stamps, of "
    "whole milliseconds, so that the least is 20.0 ms on the path of 20 Mb/s; the program for BPF takes none there, "
    "and the least is 20.66 ms. So more packets wait in the kernel, and a queue of eight overflows."
)
_CHANCE = "it cuts by chance, and each world has its own [random numbers](deviations.md#random-numbers-of-cdg)."
_LP = (
    "the kernel's estimates the rate of the other end's clock from time stamps, and the estimate wanders, so that it "
    "does as Reno in some runs and yields in others ([why](algorithms/lp.md#how-it-is-tested)); the simulator's "
    "follows the paper."
)

CAUSES: dict[str, str] = {
    **dict.fromkeys(("vegas", "gallop", "rovegas", "streak", "dynamic"), _ROUNDS),
    "bbr1": _LOST_REPAIR,
    "cdg": _CHANCE,
    "lp": _LP,
    "vegas-next": _RECOVERY,
}

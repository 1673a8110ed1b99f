"""Why both worlds differ, by algorithm, as far as it is known."""

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
    "cdg": _CHANCE,
    "lp": _LP,
    "vegas-next": _RECOVERY,
}

"""Why both worlds differ, by algorithm, as far as it is known."""

_FAST_CONVERGENCE = (
    "slow start ends at 519 segments, in the kernel at 517, and the second loss comes at 517 in both: below the first "
    "one in the simulator, where CUBIC then takes 0.85 of the window for its maximum, and not below it in the kernel. "
    "Until then the windows are within two segments at each time."
)
_START = (
    "the receiver's estimate of the round trip, in whole milliseconds, decides when its window opens, and with it when "
    "slow start ends; starts 0.1 ms apart differ as much in either world."
)
_CHANCE = "it cuts by chance, and each world has its own [random numbers](deviations.md#random-numbers-of-cdg)."
_LP = (
    "the kernel's estimates the rate of the other end's clock from time stamps, and the estimate wanders, so that it "
    "does as Reno in some runs and yields in others ([why](algorithms/lp.md#how-it-is-tested)); the simulator's "
    "follows the paper."
)

_STARTUP = (
    "on 50 Mb/s the full queue of the simulator drops the retransmission of the last but one lost segment, and the "
    "recovery lasts until STARTUP ends; in the kernel, where acknowledgements come in threes at times, three places "
    "are free, the recovery ends, and a second one holds the window for a round trip."
)

CAUSES: dict[str, str] = {
    "cdg": _CHANCE,
    "lp": _LP,
    "cubic-linux": _FAST_CONVERGENCE,
    "gallop": _START,
    "bbr1": _STARTUP,
}

"""Why both worlds differ, by algorithm, as far as it is known."""

_ENDLESS_REPAIR = (
    "in the kernel its window stands at 52 segments from 0.15 s on, where the path and its queue hold 42, and losses "
    "do not end. It seems that each recovery begins with the acknowledgement that ends the one before; the program "
    "measures rounds outside of recoveries, and learns nothing. In the simulator there are acknowledgements between "
    "them."
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

CAUSES: dict[str, str] = {
    "cdg": _CHANCE,
    "lp": _LP,
    "vegas-next": _ENDLESS_REPAIR,
    "gallop": _START,
}

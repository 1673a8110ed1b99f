"""Revisited: the measured transfer, its backgrounds, and the designs over its mechanisms."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vegaslab.papers.experiments.batch import Batch
from vegaslab.sweeps.plans.design import LETTERS, Design, Generator

Floats = NDArray[np.float64]

SCENARIO, WAN = "papers/revisited", "papers/revisited-wan"

CORRECTED = "ABCDEFG"
"""The mechanisms of Vegas in the paper's tables: H, I and J "are always turned off" (section VIII.A)."""

LOADS = {"low": "213584us", "high": "64075us"}
"""The mean time between two conversations, us. The four applications that are modelled have 46.82 % of tcplib's
connections; the paper has a connection every 0.1 and 0.03 s.
"""


@dataclass(frozen=True, eq=False)
class Kind:
    """The contents of the background's connections, and the mean time between two of them; `parts` returns what is read
    into the transfer's mechanisms.
    """

    key: str
    name: str
    values: Mapping[str, object]
    gaps: Mapping[str, str]
    parts: Callable[[str], Mapping[str, object]] = lambda _letters: {}


def one_item(warm_up_s: int, items: int | None = 1) -> Kind:
    """Returns tcplib's conversations with the paper's times between two of them; those of FTP and NNTP have `items`, or
    a number from tcplib's tables, and the transfer starts after the warm-up.
    """
    key, name = ("one", "tcplib's conversations of one item") if items else ("all", "tcplib's conversations")
    return Kind(
        f"{key}-{warm_up_s}s",
        f"{name} every 0.1 or 0.03 s, the transfer after {warm_up_s} s",
        {
            **({"traffic.0.items": items} if items else {}),
            "flow.0.start": f"{warm_up_s}s",
            "duration": f"{warm_up_s + 300}s",
        },
        {"low": "100ms", "high": "30ms"},
    )


TCPLIB = Kind("tcplib", "tcplib's conversations", {}, LOADS)
ONE_ITEM = one_item(120)
"""Times between conversations are the paper's own. Fitted to tables I and II: one item for each conversation of FTP and
NNTP, and 120 s, in which TELNET's conversations, which last some minutes, become many.
"""
POISSON = Kind(
    "poisson",
    "Poisson transfers of 20 kB",
    {
        "traffic.0.kind": "poisson-transfers",
        "traffic.0.size": "20kb",
        "traffic.0.size_distribution": "exponential",
    },
    {"low": "300ms", "high": "120ms"},
)
"""The size is a conversation's mean, 20 kB; the times were fitted to Reno's two cells of table I."""

PARETO = Kind(
    "pareto",
    "Pareto transfers of 6 kB",
    {
        "traffic.0.kind": "poisson-transfers",
        "traffic.0.size": "6kb",
        "traffic.0.size_distribution": "pareto",
        "traffic.0.shape": 1.2,
    },
    {"low": "100ms", "high": "30ms"},
)
"""The times are the paper's own; the size was fitted to Reno's two cells."""

KINDS = (TCPLIB, ONE_ITEM, POISSON, PARETO)
"""The kinds of background. The paper's is tcplib's; it does not describe the traffic further."""

READINGS = (TCPLIB, ONE_ITEM)
"""The two readings of the paper's background; nothing of the first one is fitted."""

BETA_ENDS = replace(
    TCPLIB,
    key="tcplib-beta",
    name=f"{TCPLIB.name}, B's test ends Reno's slow start, too",
    parts=lambda letters: {"slow_start": "reno-beta"} if "B" in letters and "A" not in letters else {},
)
SYN_COUNTS = replace(
    TCPLIB,
    key="tcplib-syn",
    name=f"{TCPLIB.name}, the SYN's sample belongs to the base RTT",
    parts=lambda letters: {"base_rtt": "handshake"} if set(letters).intersection("AB") else {},
)
MECHANISM_READINGS = (BETA_ENDS, SYN_COUNTS)
"""The readings of mechanism B, of which section VI does not say either; the background's flows are as before."""

GROUNDS = tuple((background, load) for load in LOADS for background in ("Reno", "Vegas"))
"""Background and load in the order of the paper's columns."""

PHASES = {"ss": "AG", "ca": "B", "rec": "CDEF"}
"""Slow start, congestion avoidance and recovery as section VIII.A clusters the mechanisms."""

PHASE_DESIGN = Design(("S", "C", "R"))
PHASE_EFFECTS = {
    "I": "mean",
    "S": "ss",
    "C": "ca",
    "R": "rec",
    "CS": "ss_ca",
    "RS": "ss_rec",
    "CR": "ca_rec",
    "CRS": "ss_ca_rec",
}
"""The paper's names of the effects, by the design's words."""

LEVEL = 0.90
"""The confidence level of the effects' intervals, as in the paper; those of means are 95 %."""

_GOODPUT, _RESENT, _COMPLETION = "flow.0.goodput_mbps", "flow.0.segments_retransmitted", "flow.0.completion_s"
_TIMEOUTS = "flow.0.timeouts"
_KB_PER_MEGABIT = 125.0
_SEGMENT_KB = 1.4

_BACKGROUND: Mapping[str, object] = {
    "Reno": "reno",
    "Vegas": {"mechanisms": CORRECTED},
    "released": "vegas-1994",
}


SEEDS, QUICK_SEEDS = 50, 10


def kinds_run(quick: bool, kinds: Sequence[Kind] = READINGS) -> list[Kind]:
    """Returns the kinds that a report runs: the quick one leaves out the one with a warm-up, which takes ten times as
    long.
    """
    return [kind for kind in kinds if not quick or "flow.0.start" not in kind.values]


def run_key(kind: Kind, background: str, load: str) -> str:
    """Returns the key of the 2^3 design over a background."""
    return f"{kind.key}/{background}-{load}"


def over(
    background: str, load: str, more: Mapping[str, object] | None = None, kind: Kind = TCPLIB
) -> dict[str, object]:
    """Returns the values that make the background."""
    return {
        "traffic.0.flow.algorithm": _BACKGROUND[background],
        "traffic.0.interarrival": kind.gaps[load],
        **kind.values,
        **(more or {}),
    }


def batch(
    algorithms: Sequence[object], ground: Mapping[str, object], replications: int, scenario: str = SCENARIO
) -> Batch:
    """Returns the batch of transfers by each of `algorithms` over one background."""
    cells = [{"flow.0.algorithm": algorithm, **ground} for algorithm in algorithms]
    return Batch(
        scenario=scenario, cells=cells, replications=replications, columns=(_GOODPUT, _RESENT, _COMPLETION, _TIMEOUTS)
    )


def mechanisms(letters: str) -> dict[str, object]:
    """Returns Reno with these mechanisms."""
    return {"mechanisms": letters}


def phase_cells(kind: Kind = TCPLIB) -> list[object]:
    """Returns the eight cells of the 2^3 design, in its order."""
    return [{**mechanisms(letters), **kind.parts(letters)} for letters in phase_letters()]


def phase_letters() -> list[str]:
    """Returns the mechanisms of each cell of the 2^3 design, in its order."""
    return _chosen(PHASE_DESIGN, tuple(PHASES.values()))


def mechanism_design(letters: str, generators: Sequence[tuple[str, str]] = ()) -> Design:
    """Returns a design with a factor for each mechanism. Its letters skip I, which is the mean: see `spelled`."""
    words = {mechanism: letter for letter, mechanism in zip(LETTERS, letters, strict=False)}
    made = tuple(
        Generator(words[target], 1, frozenset(words[letter] for letter in product)) for target, product in generators
    )
    return Design(tuple(LETTERS[: len(letters)]), made)


def mechanism_cells(design: Design, letters: str) -> list[object]:
    """Returns the cells of `mechanism_design`, in its order."""
    return [mechanisms(chosen) for chosen in _chosen(design, tuple(letters))]


def spelled(word: str, letters: str) -> str:
    """Returns a word of the design in the paper's letters."""
    return "".join(letters[LETTERS.index(letter)] for letter in word)


def throughput_kbps(columns: Mapping[str, Any]) -> Floats:
    """Returns the throughput in KB/s, shape (cells, replications); of a transfer cut short, up to that time."""
    return np.array(columns[_GOODPUT], dtype=np.float64) * _KB_PER_MEGABIT


def resent_kb(columns: Mapping[str, Any]) -> Floats:
    """Returns the retransmitted payload in KB, shape (cells, replications)."""
    return np.array(columns[_RESENT], dtype=np.float64) * _SEGMENT_KB


def timeouts(columns: Mapping[str, Any]) -> Floats:
    """Returns the retransmission timeouts of each transfer, shape (cells, replications)."""
    return np.array(columns[_TIMEOUTS], dtype=np.float64)


def deviation(sample: Floats) -> float:
    """Returns the standard deviation of single runs around their cell's mean, pooled over the cells."""
    return float(np.sqrt(sample.var(axis=1, ddof=1).mean()))


def cut_short(columns: Mapping[str, Any]) -> Floats:
    """Returns the share of each cell's transfers that were not complete when the run ended."""
    missing = [[value is None for value in row] for row in columns[_COMPLETION]]
    return np.asarray(np.mean(missing, axis=1), dtype=np.float64)


def _chosen(design: Design, groups: Sequence[str]) -> list[str]:
    return [
        "".join(sorted("".join(group for group, level in zip(groups, row, strict=True) if level > 0)))
        for row in design.levels.tolist()
    ]

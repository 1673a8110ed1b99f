"""The questions that a dossier answers first, each with the figure that answers it and a limit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vegaslab.evaluation.criterion import OLD, TITLES
from vegaslab.evaluation.figures import FIGURES
from vegaslab.evaluation.sentences import value
from vegaslab.util.text import significant

YES, NO, OPEN, NOT_RUN = "yes", "no", "open", "not run"
"""The verdicts. *open*: the limit lies within the interval of the mean, or the difference is not significant."""

_WORST_FIRST = (NO, OPEN, NOT_RUN, YES)
_DIGITS = 3


@dataclass(frozen=True)
class Question:
    """A question, answered by a figure of a case; of several cases, by the worst."""

    asks: str
    figure: str
    limit: float | str
    """A number, or an algorithm: its own figure in the case is the limit."""
    why: str
    """The limit's source."""
    cases: Sequence[str]
    better: str = ""
    """Which direction is better, where the figure leaves that open."""

    @property
    def at_most(self) -> bool:
        """Whether the limit is the most that the figure may be; otherwise it is the least."""
        return (self.better or FIGURES[self.figure].better) == "lower"


QUESTIONS = (
    *(
        Question(
            f"safe to deploy beside {TITLES[old]}?",
            "harm_goodput",
            old,
            f"what a second flow of {TITLES[old]} does",
            [f"beside-{old}", *(["beside-cubic-33p", "beside-cubic-268p"] if old == "cubic" else [])],
        )
        for old in OLD
    ),
    Question(
        "gets its share beside CUBIC?",
        "goodput_mbps",
        5,
        "half of an equal share, 10 of 20 Mb/s",
        ["beside-cubic", "beside-cubic-33p", "beside-cubic-268p"],
    ),
    Question("gets its share among four flows of CUBIC?", "share_percent", 10, "half of a fifth", ["first"], "higher"),
    Question("shares with itself?", "jain_index", 0.9, "as for convergence", ["staggered-starts"]),
    Question("fair to long round trips?", "max_to_min", 4, "the ratio of the round-trip times", ["round-trips"]),
    Question("fills a path?", "utilisation_percent", 80, "ours", ["alone"]),
    Question("fills long paths?", "utilisation_percent", 80, "ours", ["satellite"]),
    Question("short queue?", "p95_queueing_ms", 15, "the target of PIE, RFC 8033", ["ten-bdp"]),
    Question("few losses with small buffers?", "loss_percent", 1, "ours", ["queue-33p"]),
    Question("leaves voice and video alone?", "p99_queueing_ms", 50, "class 0 of ITU-T Y.1541", ["streams"]),
    Question("short transfers beside a long one?", "short_slowdown", "cubic", "what CUBIC does", ["short-and-long"]),
    Question("withstands jitter?", "max_to_min", 2, "ours; 10 ms, for one of two flows", ["jitter-10ms"]),
    Question("withstands varying delay?", "utilisation_percent", 80, "ours", ["steps"]),
    Question("as fast as CUBIC over Wi-Fi?", "goodput_mbps", "cubic", "what CUBIC gets", ["wi-fi"]),
    Question(
        "waits when nothing gets through?",
        "last_gap_s",
        15,
        "RFC 6298 doubles: a quarter of the minute",
        ["black-hole"],
    ),
)


def answers(chapters: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Returns the answers to those questions of which the chapters have a case and its limit."""
    cases = {case["id"]: (chapter["section"], case) for chapter in chapters for case in chapter["cases"]}
    given = [list(_answers(question, cases)) for question in QUESTIONS]
    return [min(found, key=_badness) for found in given if found]


def _answers(question: Question, cases: Mapping[str, tuple[str, Mapping[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Yields an answer for each case of the question."""
    for section, case in (cases[name] for name in question.cases if name in cases):
        tested = case["rows"][0]
        mean, limit = tested["means"].get(question.figure), _limit(question, case)
        if limit is not None and (question.figure in tested["means"] or tested["refused"]):
            yield {
                "question": question.asks,
                "verdict": NOT_RUN if tested["refused"] else _verdict(question, mean, limit, case),
                "section": section,
                "case": case["id"],
                "figure": question.figure,
                "mean": mean,
                "at_most": question.at_most,
                "limit": limit,
                "limit_is": question.why,
            }


def _limit(question: Question, case: Mapping[str, Any]) -> float | None:
    if not isinstance(question.limit, str):
        return question.limit
    row = _row(case, question.limit)
    mean = row["means"].get(question.figure) if row else None
    return mean["mean"] if mean else None


def _row(case: Mapping[str, Any], algorithm: str) -> Mapping[str, Any] | None:
    return next((row for row in case["rows"] if row["algorithm"] == algorithm), None)


def _verdict(question: Question, mean: Mapping[str, Any] | None, limit: float, case: Mapping[str, Any]) -> str:
    if mean is None:
        return NO
    if isinstance(question.limit, str):
        row = _row(case, question.limit)
        told = row["verdicts"].get(question.figure, "") if row else ""
        worse = "higher" if question.at_most else "lower"
        return {worse: NO, "no significant difference": OPEN}.get(told, YES)
    sign = 1 if question.at_most else -1
    beyond = sign * (mean["mean"] - limit)
    if abs(beyond) <= mean["half_width"] and mean["half_width"] > 0:
        return OPEN
    return NO if beyond > 0 else YES


def _badness(answer: Mapping[str, Any]) -> tuple[int, float]:
    sign = 1 if answer["at_most"] else -1
    beyond = sign * (answer["mean"]["mean"] - answer["limit"]) if answer["mean"] else 0.0
    return _WORST_FIRST.index(answer["verdict"]), -beyond


def _number(limit: float, figure: str) -> str:
    return f"{significant(limit, _DIGITS)} {FIGURES[figure].unit}".rstrip()


HEAD = ("question", "verdict", "figure", "value", "limit", "the limit is")
"""The columns of `lines`."""


def lines(given: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Returns a line of text for each answer: question, verdict, figure, its value, the limit, and what that is."""
    return [
        (
            one["question"],
            one["verdict"],
            f"{one['section']} {FIGURES[one['figure']].title}",
            value(one["mean"], FIGURES[one["figure"]]),
            f"at {'most' if one['at_most'] else 'least'} {_number(one['limit'], one['figure'])}",
            one["limit_is"],
        )
        for one in given
    ]

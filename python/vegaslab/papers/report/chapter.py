"""A chapter of the report: an experiment with its verdicts and figures."""

from dataclasses import dataclass

from vegaslab.papers.experiments.chart import Chart
from vegaslab.papers.experiments.experiment import Answer
from vegaslab.papers.judging.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """An experiment's part of the report."""

    paper: str
    title: str
    verdicts: tuple[Verdict, ...]
    charts: tuple[Chart, ...]
    answers: tuple[Answer, ...] = ()

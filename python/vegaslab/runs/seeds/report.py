"""A comparison over seeds as plain text."""

from vegaslab.reports.summary import aligned
from vegaslab.runs.seeds.figures import Difference, Figures
from vegaslab.statistics import Interval
from vegaslab.util.terminal import NONE
from vegaslab.util.text import plus_minus, significant


def seeds_report(comparison: Figures) -> str:
    """Returns the means of every algorithm, and the differences that are more than chance between seeds."""
    seeds = f"seeds {comparison.seeds[0]} to {comparison.seeds[-1]}"
    headline = f"{comparison.scenario}: {comparison.duration_s:g} s simulated, {seeds}, link {comparison.bottleneck}"
    if comparison.alike:
        said = nothing_random(f"all {len(comparison.seeds)} runs of an algorithm", several=comparison.several)
        return "\n".join([headline, said, "", *_means(comparison)])
    return "\n".join([headline, "", *_means(comparison), "", *_differences(comparison)])


def nothing_random(runs: str, *, several: bool) -> str:
    """Returns the line on runs that do not depend on their seed; `several`: they have several flows."""
    said = f"nothing here depends on the seed: {runs} are the same"
    phases = "; of several flows the phases of packets may decide: docs/networks.md#phase-effects"
    return said + (phases if several else "")


def _means(comparison: Figures) -> list[str]:
    rows = [
        (figure, *(_mean(comparison, algorithm, figure) for algorithm in comparison.runs))
        for figure in comparison.figures
    ]
    title = "value" if comparison.alike else "mean of"
    return aligned((title, *comparison.runs), rows)


def _mean(comparison: Figures, algorithm: str, figure: str) -> str:
    return mean_cell(comparison.mean(algorithm, figure), len(comparison.seeds), interval=not comparison.alike)


def mean_cell(mean: Interval | None, seeds: int, *, interval: bool = True) -> str:
    """Returns a mean with its interval, if it has one, and the number of seeds with a value, if some lack it."""
    if mean is None:
        return NONE
    of = f" ({mean.values} of {seeds})" if mean.values != seeds else ""
    return plus_minus(mean.mean, mean.half_width if interval else 0) + of


def _differences(comparison: Figures) -> list[str]:
    titles = ("difference in", *difference_titles(comparison.level))
    lines = []
    for base, other in comparison.compared:
        rows = [
            (difference.figure, *difference_cells(difference))
            for difference in comparison.differences
            if (difference.baseline, difference.algorithm) == (base, other)
        ]
        lines += [f"{other} less {base}, seed by seed", *aligned(titles, rows), ""]
    tests = sum(1 for difference in comparison.differences if not difference.constant)
    lines.append(f"a verdict allows for all {tests} differences together (Holm); each interval is for itself")
    return lines


def difference_titles(level: float) -> tuple[str, ...]:
    """Returns the titles above `difference_cells`."""
    return ("is", f"{100 * level:g} % from", "to", "in %", "verdict")


def difference_cells(difference: Difference) -> tuple[str, ...]:
    """Returns a difference, its interval, its part of the baseline and its verdict as text."""
    interval, base = difference.interval, difference.baseline_mean
    ends = (NONE, NONE) if difference.constant else (significant(interval.low, 4), significant(interval.high, 4))
    part = _percent(interval.mean / base) if base else NONE
    verdict = "the same" if difference.verdict == "same" else difference.verdict
    return (significant(interval.mean, 4), *ends, part, verdict)


def _percent(part: float) -> str:
    """Returns a part as percent: with one decimal, or two digits of a smaller one, which may be significant.

    >>> _percent(-0.0803), _percent(0.000123), _percent(0.0)
    ('-8.0', '0.012', '0.0')
    """
    shown = f"{100 * part:.1f}"
    return significant(100 * part, 2) if part and not float(shown) else shown

"""A comparison over seeds as plain text."""

from vegaslab.report import aligned
from vegaslab.seeds import Difference, SeedComparison

_NONE = "-"


def seeds_report(comparison: SeedComparison) -> str:
    """Means of every algorithm, and the differences that seeds tell from chance."""
    seeds = f"seeds {comparison.seeds[0]} to {comparison.seeds[-1]}"
    headline = f"{comparison.scenario}: {comparison.duration_s:g} s simulated, {seeds}, link {comparison.bottleneck}"
    if comparison.alike:
        runs = f"all {len(comparison.seeds)} runs of an algorithm are the same"
        said = f"nothing here depends on the seed: {runs}, and a single one says all"
        return "\n".join([headline, said, "", *_means(comparison)])
    return "\n".join([headline, "", *_means(comparison), "", *_differences(comparison)])


def _means(comparison: SeedComparison) -> list[str]:
    rows = [
        (figure, *(_mean(comparison, algorithm, figure) for algorithm in comparison.runs))
        for figure in comparison.figures
    ]
    title = "value" if comparison.alike else "mean of"
    return aligned((title, *comparison.runs), rows)


def _mean(comparison: SeedComparison, algorithm: str, figure: str) -> str:
    mean = comparison.mean(algorithm, figure)
    if mean is None:
        return _NONE
    if comparison.alike or not mean.half_width > 0:
        text = f"{mean.mean:.4g}"
    else:
        text = f"{mean.mean:.4g} +- {mean.half_width:.2g}"
    missing = len(comparison.seeds) - mean.values
    return text if not missing else f"{text} ({mean.values} of {len(comparison.seeds)})"


def _differences(comparison: SeedComparison) -> list[str]:
    percent = f"{100 * comparison.level:g} %"
    titles = ("difference in", "is", f"{percent} from", "to", "in %", "verdict")
    lines = []
    for other in [algorithm for algorithm in comparison.runs if algorithm != comparison.baseline]:
        rows = [_row(difference) for difference in comparison.differences if difference.algorithm == other]
        lines += [f"{other} less {comparison.baseline}, seed by seed", *aligned(titles, rows), ""]
    tests = sum(1 for difference in comparison.differences if not difference.constant)
    lines.append(f"a verdict allows for all {tests} differences together (Holm); each interval is for itself")
    return lines


def _row(difference: Difference) -> tuple[str, ...]:
    interval, base = difference.interval, difference.baseline_mean
    ends = (_NONE, _NONE) if difference.constant else (f"{interval.low:.4g}", f"{interval.high:.4g}")
    part = f"{100 * interval.mean / base:.1f}" if base else _NONE
    verdict = "the same" if difference.verdict == "same" else difference.verdict
    return (difference.figure, f"{interval.mean:.4g}", *ends, part, verdict)

"""An analysed sweep as tables: terminal, CSV, LaTeX."""

from pathlib import Path

from vegaslab.reports.summary import aligned
from vegaslab.reports.tables import escaped, write_csv
from vegaslab.runs.seeds.report import difference_cells, difference_titles, mean_cell, nothing_random
from vegaslab.sweeps.analysis.cells import Cell, Cells

_NONE = "-"
_MOST_ROWS = 40


def report(analysis: Cells) -> str:
    """Returns a table for each figure, with a row for each cell."""
    against = " ".join(f"{key}={value}" for key, value in analysis.baseline.items())
    cells, seeds = len(analysis.cells), len(analysis.seeds)
    lines = [f"{analysis.sweep}: {cells} cells x {seeds} seeds" + (f", against {against}" if against else "")]
    if analysis.failed:
        lines.append(f"{analysis.failed} runs failed and are left out")
    if seeds < 2:
        lines.append("one seed: there are no intervals and no verdicts; give the plan replications")
    if analysis.alike:
        lines.append(nothing_random(f"all {seeds} runs of a cell", several=analysis.several))
    for figure in analysis.figures:
        lines += ["", figure, *_table(analysis, figure)]
    tests = sum(1 for difference in analysis.differences.values() if not difference.constant)
    if tests:
        lines += ["", f"a verdict allows for all {tests} differences together (Holm); each interval is for itself"]
    return "\n".join(lines)


def _table(analysis: Cells, figure: str) -> list[str]:
    titles = (*analysis.keys, "mean", *difference_titles(analysis.level))
    rows = [(*cell.values, *_cells(analysis, cell, figure)) for cell in analysis.cells[:_MOST_ROWS]]
    lines = aligned(titles, rows)
    if len(analysis.cells) > _MOST_ROWS:
        lines.append(f"and {len(analysis.cells) - _MOST_ROWS} cells more; cells.csv holds them all")
    return lines


def _cells(analysis: Cells, cell: Cell, figure: str) -> tuple[str, ...]:
    difference = analysis.differences.get((figure, cell.values))
    told = (_NONE,) * 5 if difference is None else difference_cells(difference)
    return (mean_cell(analysis.mean([cell], figure), len(analysis.seeds)), *told)


def write_tables(analysis: Cells, figure: str, folder: Path) -> None:
    """Writes `cells.csv` and `cells.tex`. Raises `OSError`."""
    records = [analysis.record(cell, figure) for cell in analysis.cells]
    rows = [[*cell.values, *record.values()] for cell, record in zip(analysis.cells, records, strict=True)]
    write_csv(folder / "cells.csv", [*analysis.keys, *records[0]], rows)
    (folder / "cells.tex").write_text(latex(analysis, figure), encoding="utf-8")


def latex(analysis: Cells, figure: str) -> str:
    """Returns a figure's cells as a LaTeX table, which needs the package booktabs."""
    titles = [*analysis.keys, figure, "difference", "verdict"]
    lines = [
        rf"% {figure}: {len(analysis.seeds)} seeds, {100 * analysis.level:g} % intervals",
        rf"\begin{{tabular}}{{{'l' * len(analysis.keys)}rrl}}",
        r"\toprule",
        " & ".join(map(escaped, titles)) + r" \\",
        r"\midrule",
        *(_latex_row(analysis, cell, figure) for cell in analysis.cells),
        r"\bottomrule",
    ]
    return "\n".join([*lines, r"\end{tabular}", ""])


def _latex_row(analysis: Cells, cell: Cell, figure: str) -> str:
    mean, difference, *ends, _part, verdict = _cells(analysis, cell, figure)
    interval = f" [{', '.join(ends)}]" if ends != [_NONE, _NONE] else ""
    numbers = [f"${mean.replace('+-', chr(92) + 'pm')}$", f"${difference}${interval}"]
    if difference == _NONE:
        numbers[1], verdict = "--", "--"
    return " & ".join([*map(escaped, cell.values), *numbers, verdict]) + r" \\"

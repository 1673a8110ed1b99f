"""The gallery of dossiers, and the tables of the page on them: `make dossiers`.

Dossiers are quick ones; their runs are kept in `results/evaluate`, so that a second call makes few.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from documentation import ROOT
from vegaslab.evaluation.contenders import Request
from vegaslab.evaluation.criteria import ALL
from vegaslab.evaluation.criterion import OLD, Criterion
from vegaslab.evaluation.dossier import evaluate, title_of
from vegaslab.evaluation.figures import FIGURES
from vegaslab.evaluation.report import dots
from vegaslab.evaluation.report.pages import FIRST, first_page, first_picture, shown
from vegaslab.util.text import significant

ALGORITHMS = ("vegas", "gallop", "streak", "rovegas", "cubic", "bbr3", "copa", "vegas-next")

BASELINES = {"vegas-next": ("vegas", "cubic")}
"""Those that are not beside the usual ones: vegas-next is to be no worse than the better of two."""

PAGE = ROOT / "docs" / "evaluate.md"
FOLDER = ROOT / "docs" / "dossiers"
_CACHE = ROOT / "results" / "evaluate" / "cache"
_NUMBERS = "numbers"
_ANSWERS = "answers"


def with_tables(page: str) -> str:
    """Returns the page on dossiers with up-to-date tables of the criteria and the figures."""
    criteria = "".join(
        f"| {criterion.section} | {criterion.title} (`{criterion.id}`) | {_scenarios(criterion)} |\n"
        for criterion in ALL
    )
    better = {"higher": "more", "lower": "less", "neither": ""}
    rows = "".join(
        f"| {title_of(name)} | {figure.meaning} | {better[figure.better]} |\n" for name, figure in FIGURES.items()
    )
    page = between(page, "criteria", f"| RFC 9743 | chapter | scenarios |\n|---|---|---|\n{criteria}")
    return between(page, "figures", f"| figure | meaning | better |\n|---|---|---|\n{rows}")


def between(page: str, name: str, text: str) -> str:
    """Returns the page with this text between two comments. Raises `ValueError` if it has no such place."""
    block = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end of {name} -->)", re.DOTALL)
    whole, places = block.subn(lambda _: text, page)
    if places != 1:
        raise ValueError(f"{places} places for {name}")
    return whole


def _scenarios(criterion: Criterion) -> str:
    names = dict.fromkeys(case.scenario for case in criterion.cases)
    if not names:
        return "not covered"
    folders = {name.partition("/")[0] for name in names}
    return f"all of `{folders.pop()}`" if len(names) > 5 else ", ".join(f"`{name}`" for name in names)


def dossier(name: str, criteria: Sequence[str] = (), cache: Path = _CACHE) -> dict[str, Any]:
    """Returns the quick dossier of an algorithm, or some of its chapters."""
    return evaluate(Request(name=name, baselines=BASELINES.get(name, OLD), quick=True, criteria=criteria), cache)


def page(found: Mapping[str, Any]) -> str:
    """Returns the page of a dossier: its picture, and the sentences of its chapters."""
    name = found["name"]
    others = "".join(f" --baseline {other}" for other in BASELINES.get(name, ()))
    parts = [
        f"# Dossier: {name}",
        *first_page(found),
        f"![{name} beside others: goodput, delay, harm]({name}.svg)",
        f"The report, with tables and commands: `vegaslab evaluate {name}{others} --quick`. "
        "[How it is made](../evaluate.md).",
        *(behind(found) if others else []),
        *(chapter(one) for one in found["criteria"] if one["sentences"]),
    ]
    return "\n\n".join(parts) + "\n"


def behind(found: Mapping[str, Any]) -> list[str]:
    """Returns the section on where the algorithm is behind the better of its baselines: a row a criterion."""
    rows = []
    for one in (one for one in found["criteria"] if one["headlines"]):
        titles = {case["id"]: case["title"] for case in one["cases"]}
        here = [_lost(lost, titles) for lost in found["against_the_best"]["behind"] if lost["case"] in titles]
        rows.append((f"{one['section']} {one['title']}", "; ".join(here)))
    kept = sum(not lost for _, lost in rows)
    lines = "\n".join(f"| {criterion} | {lost or 'no'} |" for criterion, lost in rows)
    return [
        f"## Behind the better of {' and '.join([*found['algorithms']][1:])}",
        "The figures of each chapter's sentences that are worse than those of the better one by more than a tenth, "
        f"with a significant difference; of harm, by more than 0.1. {kept} of {len(rows)} criteria have none.",
        f"| criterion | behind |\n|---|---|\n{lines}",
    ]


def _lost(lost: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    figure = FIGURES[lost["figure"]]
    unit = f" {figure.unit}" if figure.unit else ""
    own = "none" if lost["value"] is None else f"{significant(lost['value'], 3)}{unit}"
    return f"{titles[lost['case']]}: {figure.title} {own}, {lost['best']} {significant(lost['of_best'], 3)}"


def chapter(one: Mapping[str, Any]) -> str:
    """Returns a chapter's section of the page."""
    said = "\n".join(f"- {text}" for text in one["sentences"])
    return f"## {one['section']} {one['title']}\n\n{said}"


def table(dossiers: Sequence[Mapping[str, Any]]) -> str:
    """Returns the first figures of all dossiers, a row an algorithm."""
    labels = [f"{label} ({FIGURES[figure].unit})" if FIGURES[figure].unit else label for _, figure, label in FIRST]
    lines = [["algorithm", *labels], ["---", *["---:"] * len(labels)]]
    for found in dossiers:
        cases = {case["id"]: case["rows"][0] for one in found["criteria"] for case in one["cases"]}
        means = [cases[case]["means"][figure] for case, figure, _ in FIRST]
        cells = ["none" if mean is None else shown(mean["mean"], mean["half_width"]) for mean in means]
        lines.append([f"[{found['name']}]({found['name']}.md)", *cells])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def answers(folder: Path = FOLDER) -> str:
    """Returns the verdicts of the dossiers' first pages in `folder`: a row a question, a column an algorithm."""
    columns = [_verdicts((folder / f"{name}.md").read_text(encoding="utf-8")) for name in ALGORITHMS]
    names = [f"[{name}]({name}.md)" for name in ALGORITHMS]
    lines = [["question", *names], ["---"] * (len(names) + 1)]
    lines += [[question, *(verdicts[question] for verdicts in columns)] for question in columns[0]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _verdicts(page: str) -> dict[str, str]:
    rows = (line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("|"))
    return {row[0]: row[1] for row in rows if row[0].endswith("?")}


def main() -> None:
    """Writes everything again."""
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    FOLDER.mkdir(exist_ok=True)
    found = [dossier(name) for name in ALGORITHMS]
    for one in found:
        (FOLDER / f"{one['name']}.md").write_text(page(one), encoding="utf-8")
        (FOLDER / f"{one['name']}.svg").write_text(dots.standalone(first_picture(one)), encoding="utf-8")
        print(f"docs/dossiers/{one['name']}.md")
    readme = FOLDER / "README.md"
    text = between(readme.read_text(encoding="utf-8"), _NUMBERS, table(found))
    readme.write_text(between(text, _ANSWERS, answers()), encoding="utf-8")


if __name__ == "__main__":
    main()

import re
import subprocess
import sys
from pathlib import Path

import pytest

import vegaslab
from documentation import ROOT, l4s
from documentation.drawing import PICTURES, Picture
from documentation.frontier import WITH_FRONTIER, Frontier
from documentation.pictures import ALL
from documentation.verdicts import README, with_table
from documentation.worlds.pictures import GROUPS as _OF_WORLDS

_MOST_BYTES = 60_000
# picture: the page that shows it, the command that draws it, the file in its folder
_OF_COMMANDS = {
    "vegas-and-reno-seeds": (
        "comparing.md",
        "compare scenarios/tcplib-background.toml -a vegas -a reno --seeds 10",
        "picture.svg",
    ),
    "vegas-phases": (
        "factorial.md",
        "factorial scenarios/plans/vegas-phases.toml",
        "factorial/flow.0.goodput_mbps/picture.svg",
    ),
}
_OF_PAPERS = ("gallop-fig4", "slow-start-fig2")
_PAGES = sorted([*(ROOT / "docs" / "parts").glob("*.md"), *(ROOT / "docs" / "algorithms").glob("*.md")])


@pytest.mark.parametrize("picture", WITH_FRONTIER, ids=lambda picture: picture.name)
def test_pictures_are_what_the_scenarios_give(picture: Picture | Frontier, tmp_path: Path) -> None:
    drawn = tmp_path / "picture.svg"
    picture.draw(drawn)
    assert picture.path.exists(), "make pictures draws it"
    assert drawn.read_bytes() == picture.path.read_bytes(), "make pictures draws it again: look at what changed"
    assert drawn.stat().st_size <= _MOST_BYTES


def test_the_tables_of_l4s_are_what_the_scenarios_give() -> None:
    page = l4s.PAGE.read_text(encoding="utf-8")
    for line in (*l4s.family(()), *l4s.told(), l4s.row("vegas", "vegas", "classic")):
        assert line in page, "make l4s writes it again"


def test_the_readme_shows_what_its_commands_give(tmp_path: Path) -> None:
    drawn = tmp_path / "picture.svg"
    vegaslab.compare(ROOT / "scenarios" / "gallop-50mbit.toml", ["vegas", "reno"]).plot(drawn)
    assert drawn.read_bytes() == (PICTURES / "vegas-and-reno.svg").read_bytes(), "make pictures draws it again"


@pytest.fixture(scope="session")
def two_figures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the report's figures, of two claims."""
    report = tmp_path_factory.mktemp("report")
    reproduce = [sys.executable, "-m", "vegaslab", "reproduce", "G-fig4-gallop", "L-fig2", "-o", str(report)]
    subprocess.run(reproduce, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    return report / "figures"


@pytest.mark.parametrize("figure", _OF_PAPERS)
def test_the_readme_shows_figures_of_the_report(figure: str, two_figures: Path) -> None:
    shown = PICTURES / f"papers-{figure}.svg"
    assert f"(docs/pictures/{shown.name})" in README.read_text(encoding="utf-8")
    assert (two_figures / f"{figure}.svg").read_bytes() == shown.read_bytes(), "make pictures draws it again"


def test_the_readme_sums_up_the_report() -> None:
    readme = README.read_text(encoding="utf-8")
    assert readme == with_table(readme), "make pictures writes the table again"


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.stem)
def test_every_page_has_a_picture_and_says_what_it_shows(page: Path) -> None:
    shown = re.findall(r"!\[([^\]]{20,})\]\(\.\./pictures/([\w+-]+)\.svg\)", page.read_text(encoding="utf-8"))
    assert page.stem in [name for _, name in shown]
    assert {name for _, name in shown} <= {picture.name for picture in WITH_FRONTIER}


def test_every_picture_has_a_page() -> None:
    elsewhere = {"phase-effects": "networks.md", "l4s": "l4s.md"}
    shown = {
        name
        for name, page in elsewhere.items()
        if f"(pictures/{name}.svg)" in (ROOT / "docs" / page).read_text(encoding="utf-8")
    }
    assert {picture.name for picture in ALL} <= {page.stem for page in _PAGES} | shown
    files = {path.stem for path in PICTURES.glob("*.svg")}
    assert files == {picture.name for picture in WITH_FRONTIER} | {
        "vegas-and-reno",
        "cost-per-packet",  # what was measured (make bench-scale), and so differs from time to time
        *_OF_WORLDS,
        *_OF_COMMANDS,
        *(f"papers-{figure}" for figure in _OF_PAPERS),
    }


@pytest.mark.parametrize("name", _OF_COMMANDS)
def test_pictures_of_commands_are_what_they_give(name: str, tmp_path: Path) -> None:
    page, command, file = _OF_COMMANDS[name]
    assert f"(pictures/{name}.svg)" in (ROOT / "docs" / page).read_text(encoding="utf-8")
    whole = [sys.executable, "-m", "vegaslab", *command.split(), "-o", str(tmp_path / "results")]
    subprocess.run(whole, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    assert (tmp_path / "results" / file).read_bytes() == (PICTURES / f"{name}.svg").read_bytes(), "draw it again"


def test_the_index_lists_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    assert [
        str(page.relative_to(ROOT / "docs")) for page in _PAGES if f"({page.parent.name}/{page.name})" not in index
    ] == []


def test_sections_of_the_design_that_are_cited_exist() -> None:
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    sections = set(re.findall(r"^#+ (\d+(?:\.\d+)?)\.? ", text, re.MULTILINE))
    sources = [
        *(path for kind in ("rs", "c", "h") for path in (ROOT / "crates").glob(f"*/[!t]*/**/*.{kind}")),
        *(ROOT / "python").glob("**/*.py"),
        *(ROOT / "docs").glob("**/*.md"),
    ]
    # a citation may be broken over two lines of a comment
    cited = {
        (path, section)
        for path in sources
        for section in re.findall(
            r"docs/design\.md,[\s/!#*]+section\s+(\d+(?:\.\d+)?)", path.read_text(encoding="utf-8")
        )
    }
    assert len({path for path, _ in cited}) >= 13
    assert {section for _, section in cited} <= sections


def test_files_that_recipes_name_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:benches|crates|docs|python|reference|scenarios|tools)/[\w./-]+)`", text)
    assert len(named) > 30
    assert [path for path in named if not (ROOT / path).exists()] == []

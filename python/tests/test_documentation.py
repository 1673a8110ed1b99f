import re
from pathlib import Path

import pytest

import vegaslab
from documentation.drawing import PICTURES, ROOT, Picture
from documentation.pictures import ALL

_MOST_BYTES = 60_000
_PAGES = sorted([*(ROOT / "docs" / "parts").glob("*.md"), *(ROOT / "docs" / "algorithms").glob("*.md")])


@pytest.mark.parametrize("picture", ALL, ids=lambda picture: picture.name)
def test_pictures_are_what_the_scenarios_give(picture: Picture, tmp_path: Path) -> None:
    drawn = tmp_path / "picture.svg"
    picture.draw(drawn)
    assert picture.path.exists(), "make pictures draws it"
    assert drawn.read_bytes() == picture.path.read_bytes(), "make pictures draws it anew: look at what changed"
    assert drawn.stat().st_size <= _MOST_BYTES


def test_the_readme_shows_what_the_demo_gives(tmp_path: Path) -> None:
    drawn = tmp_path / "picture.svg"
    vegaslab.compare(ROOT / "scenarios" / "gallop-50mbit.toml", ["vegas", "reno"]).plot(drawn)
    assert drawn.read_bytes() == (PICTURES / "vegas-and-reno.svg").read_bytes(), "make pictures draws it anew"


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.stem)
def test_every_page_has_a_picture_and_says_what_it_shows(page: Path) -> None:
    shown = re.findall(r"!\[([^\]]{20,})\]\(\.\./pictures/([\w-]+)\.svg\)", page.read_text(encoding="utf-8"))
    assert page.stem in [name for _, name in shown]
    assert {name for _, name in shown} <= {picture.name for picture in ALL}


def test_every_picture_has_a_page() -> None:
    assert {picture.name for picture in ALL} <= {page.stem for page in _PAGES}
    files = {path.stem for path in PICTURES.glob("*.svg")}
    assert files == {picture.name for picture in ALL} | {"vegas-and-reno"}


def test_the_index_lists_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    assert [
        str(page.relative_to(ROOT / "docs")) for page in _PAGES if f"({page.parent.name}/{page.name})" not in index
    ] == []

"""What the documentation says can be done, done; and how the site's links are checked."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import vegaslab as package
from documentation import ROOT
from documentation.site import playground
from documentation.site.check import problems
from documentation.site.gallery import HEADS, pictures
from documentation.site.tags import tags_of
from tests.conftest import Command

DOCS = ROOT / "docs"
_COMMAND = re.compile(r"^    vegaslab (.*)$", re.MULTILINE)
_FILE = re.compile(r"<!-- ([\w.]+) -->\n```\w+\n(.*?)```", re.DOTALL)
_REFUSED = re.compile(r"```text\n(vegaslab: .*?\n)```", re.DOTALL)


@pytest.mark.parametrize("name", ["tutorial.md", "how-to.md", "exercises.md"])
def test_the_commands_do_what_the_page_says(name: str, vegaslab: Command, here: Path) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    files = dict(_FILE.findall(page))
    program = files.pop("python", "")
    for file, text in files.items():
        (here / file).write_text(text)
    refusals = []
    for command in _COMMAND.findall(page):
        words, _, target = command.partition(" > ")
        done = vegaslab(*shlex.split(words))
        if done.returncode != 0:
            refusals.append(done.stderr)
        elif target:
            (here / target).write_text(done.stdout)
    assert refusals == _REFUSED.findall(page)
    subprocess.run([sys.executable, "-c", program], cwd=here, check=True, stdout=subprocess.DEVNULL)


def test_a_class_is_marked_as_the_playgrounds_page_says(vegaslab: Command, here: Path) -> None:
    page = (DOCS / "playground.md").read_text(encoding="utf-8")
    (marks,) = [command for command in _COMMAND.findall(page) if command.startswith("evaluate alice/")]
    assert vegaslab("new", "alice").returncode == 0
    done = vegaslab(*shlex.split(marks))
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((here / "marks" / "alice" / "report.json").read_text(encoding="utf-8"))["criteria"]


def test_the_tutorials_numbers(vegaslab: Command) -> None:
    text = " ".join((DOCS / "tutorial.md").read_text(encoding="utf-8").split())
    runs = json.loads(vegaslab("compare", "gallop-50mbit", "-a", "vegas", "-a", "gallop", "--json").stdout)["runs"]
    vegas, gallop = (runs[name]["flows"][0] for name in ("vegas", "gallop"))
    assert f"{gallop['throughput_mbps']:.1f} Mb/s where Vegas gets {vegas['throughput_mbps']:.1f}" in text
    assert f"leaves slow start after {vegas['slow_start_end_s']:.1f} s" in text
    later = json.loads(vegaslab("run", "gallop-50mbit", "--set", "flow.0.gamma=3", "--json").stdout)["flows"][0]
    assert f"leaves at {later['cwnd_at_slow_start_end']:.0f}" in text


@pytest.mark.parametrize("name", ["tour", "figure"])
def test_notebooks_are_committed_without_outputs(name: str) -> None:
    """The site's build carries them out."""
    cells = json.loads((DOCS / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


def test_scenarios_name_their_schema() -> None:
    for name in package.shipped_scenarios():
        file = ROOT / "scenarios" / f"{name}.toml"
        first, _, _ = file.read_text(encoding="utf-8").partition("\n")
        assert first.startswith("#:schema "), name
        assert (file.parent / first.removeprefix("#:schema ")).resolve() == DOCS / "scenario.schema.json", name


def test_each_folder_of_scenarios_has_a_gallery() -> None:
    folders = {name.rpartition("/")[0] for name in package.shipped_scenarios()} - {""}
    assert {f"gallery/{folder}.md" for folder in folders} | {"gallery/index.md"} == set(HEADS)
    assert all(f"- {page}\n" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8") for page in HEADS)


PLAIN = """\
name = "plain"
[topology]
kind = "dumbbell"
bottleneck = { rate = "1mbit" }
[[flow]]
algorithm = "vegas"
"""


@pytest.mark.parametrize(
    ("old", "new", "tags"),
    [
        ("", "", []),
        ('"plain"', '"slow-start-close-up"', ["start"]),
        ('"vegas"', '"vegas"\ncount = 2', ["fairness"]),
        ('"vegas"', '"vegas"\n[[flow]]\nalgorithm = "cubic"', ["fairness", "coexistence", "cubic"]),
        ('"vegas"', '{ preset = "gallop", recovery = "sack" }', ["gallop"]),
        ('"vegas"', '"vegas"\nsize = "1mb"\ntransport = "quic"', ["transfers", "quic"]),
        ('"vegas"', '"vegas"\naccess = { jitter = "1ms" }', ["jitter"]),
        ('"vegas"', '"vegas"\napplication = [{ kind = "media" }]', ["video call", "applications"]),
        ('"vegas"', '"vegas"\n[[traffic]]\nkind = "constant"', ["background traffic"]),
        ('"1mbit"', '"1mbit", loss = "1%", reorder = { probability = 0.1 }', ["random loss", "reordering"]),
        ('"1mbit"', '{ trace = "lte.txt" }', ["changing path"]),
        ('"1mbit"', '"1mbit", jitter = "200us"', []),
        ('"1mbit"', '"1mbit", queue = { kind = "codel", ecn = true }', ["ecn", "codel"]),
        ('"1mbit"', '"1mbit", backward = { rate = "1kbit" }', ["way back"]),
    ],
)
def test_tags_follow_from_what_a_scenario_has(old: str, new: str, tags: list[str]) -> None:
    changed = tags_of(tomllib.loads(PLAIN.replace(old, new)))
    plain = ["vegas", "drop-tail", "dumbbell"]
    assert [tag.name for tag in changed if tag.name not in plain] == tags


def test_tags_have_pages_of_their_own_and_each_scenario_is_on_some() -> None:
    documents = [tomllib.loads(file.read_text(encoding="utf-8")) for file in package.shipped_scenarios().values()]
    tags = [tags_of(document) for document in documents]
    every = {tag for found in tags for tag in found}
    assert len({tag.place for tag in every}) == len(every)
    assert all({"algorithm", "queue", "topology"} <= {tag.kind for tag in found} for found in tags)


def test_the_gallerys_thumbnails_are_small() -> None:
    made = pictures(["quic"])
    assert list(made) == ["gallery/quic.png", "gallery/thumbnails/quic.png"]
    # a PNG's width is at byte 16
    widths = [int.from_bytes(picture[16:20]) for picture in made.values() if isinstance(picture, bytes)]
    assert widths == [1500, 300]


def test_the_citation_is_of_this_version() -> None:
    version = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_check_finds_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text('<h1 id="there">b</h1>')
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there">good</a> <a href="b.html#gone">anchor</a> <a href="c.html">page</a>'
        '<a href="b.html#open=state">what the page keeps there</a> <a href="c.html#open=state">page</a>'
        '<a href="https://example.org">a reader may</a> <script src="https://example.org/x.js"></script>'
        '<img src="gone.png"> <img src="data:image/png;base64,AA">'
    )
    (tmp_path / "a.css").write_text("@font-face { src: url('https://example.org/f.woff') }")
    assert list(problems(tmp_path)) == [
        "a.html: b.html#gone: has no such anchor",
        "a.html: c.html: is not there",
        "a.html: c.html#open=state: is not there",
        "a.html: https://example.org/x.js: is loaded from elsewhere",
        "a.html: gone.png: is not there",
        "a.css: loads from elsewhere",
    ]


def test_the_gallery_opens_scenarios_in_the_playground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = playground.link_from_gallery
    for name in ("index.html", "playground.css", "playground.js"):
        (tmp_path / name).write_text("made")
    monkeypatch.setattr(playground, "_BUILT", tmp_path)
    assert link("lossy") == "[Open in the playground](../playground/index.html#open=lossy){ .md-button }"
    assert '<iframe class="playground" src="playground/index.html"' in playground.embedded("# a\n\nb\n\nc\n\nd")
    monkeypatch.setattr(playground, "_BUILT", tmp_path / "not-built")
    assert link("lossy") == ""
    assert playground.embedded("# a\n\nb\n\nc\n\nd") == "# a\n\nb\n\nc\n\nd"


def test_an_editors_language_server_checks_scenarios_by_it(tmp_path: Path) -> None:
    lint = [str(Path(sys.executable).with_name("taplo")), "lint"]
    # the schema is named from where the file is, not from the link to its folder
    files = sorted(file.resolve() for file in package.shipped_scenarios().values())
    good = subprocess.run([*lint, *map(str, files)], capture_output=True, text=True, check=False)
    assert good.returncode == 0, good.stderr
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(f"#:schema {DOCS / 'scenario.schema.json'}\nname = 'wrong'\nduration = 5\n")
    refused = subprocess.run([*lint, str(wrong)], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "5 is not of type" in refused.stderr

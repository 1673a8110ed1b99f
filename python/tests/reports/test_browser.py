"""Pages as a browser shows them: what is drawn, where it lies, and what pointer and keys do; no pixel is compared.

`make screenshots` writes what is looked at here as pictures.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import vegaslab
from tests.browsing import WIDER_THAN_VIEW, need_browser, new_page, running_browser, violations
from tests.conftest import SHORT
from tests.measuring.sent import sent
from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Answer
from vegaslab.papers.judging.claims import claims
from vegaslab.papers.judging.table import Table
from vegaslab.papers.judging.verdict import Finding, Verdict
from vegaslab.papers.report.chapter import Chapter
from vegaslab.papers.report.page import page as page_of_claims
from vegaslab.papers.report.page import paper_pages
from vegaslab.runs.drawable import PAGE

need_browser()

SCREENSHOTS = os.environ.get("SCREENSHOTS")
VIEWS = [(1400, "light"), (1400, "dark"), (390, "light"), (390, "dark")]
PAGES = ["run", "comparison", "trace", "claims", "report", "dossier", "identified"]
PANELS = ["window (segments)", "RTT (ms)", "throughput (Mb/s)", "queue (packets)"]
LONG = '{ preset = "vegas", slow_start = "gallop" }'

# everything below is what the page says of itself
STRUCTURE = """() => [...document.querySelectorAll('.panel')].map((panel) => ({
  name: panel.querySelector('.name b').textContent,
  curves: [...panel.querySelectorAll('[data-label]')].map((one) => `${one.getAttribute('class')} ${one.dataset.label}`),
}))"""
# texts and marks that leave the drawing, and marks that leave the axes
OUTSIDE = """() => [...document.querySelectorAll('.plot svg')].flatMap((svg) => {
  const box = svg.getBoundingClientRect();
  const lines = [...svg.querySelectorAll('.grid line')].map((line) => line.getBoundingClientRect());
  const axes = { left: Math.min(...lines.map((line) => line.left)), right: Math.max(...lines.map((line) => line.right)),
    top: Math.min(...lines.map((line) => line.top)), bottom: Math.max(...lines.map((line) => line.bottom)) };
  const out = (name, a, b, room) => a.left < b.left - room || a.right > b.right + room || a.top < b.top - room
    || a.bottom > b.bottom + room ? [`${name} ${JSON.stringify(a)} ${JSON.stringify(b)}`] : [];
  const texts = [...svg.querySelectorAll('text')];
  const marks = [...svg.querySelectorAll('.marks > *')];
  return [...texts.flatMap((text) => out(text.textContent, text.getBoundingClientRect(), box, 1)),
    ...marks.flatMap((mark) => out(mark.parentNode.getAttribute('class'), mark.getBoundingClientRect(), axes, 6))];
})"""
SMALLEST_TEXT = """() => Math.min(...[...document.querySelectorAll('.plot text')].map((text) =>
  parseFloat(getComputedStyle(text).fontSize) * Math.hypot(text.getCTM().a, text.getCTM().b)))"""


def verdict(name: str, word: Any, **finding: Any) -> Verdict:
    claim = claims()[name]
    found = Finding(values=claim.values, holds=True, **finding)
    return Verdict(claim=claim, finding=found, word=word, cause="a cause", rerun=f"vegaslab reproduce {name}")


def report_pages() -> dict[str, str]:
    """The page of claims and the first paper's: two papers, three verdicts, an answer, all kinds of axes."""
    steps = Curve(label="steps", x=(0.0, 1.0, 2.0), y=(1.0, 3.0, 2.0), colour=0, style="steps")
    crosses = Curve(label="the paper", x=(0.5, 2.0), y=(2.0, 3.0), colour=1, style="crosses")
    powers = replace(crosses, x=(1.0, 3e6), y=(0.01, 5e4), style="points")
    bars = replace(crosses, x=(0.0, 1.0, 2.0), y=(1.0, 2.0, 3.0), style="points")
    panels = (
        Panel(x="time (s)", y="rate (Mb/s)", curves=(steps, crosses), level=(2.5, "a level")),
        Panel(x="delay (ms)", y="delay (s)", curves=(powers,), log_x=True, log_y=True),
        Panel(x="algorithm", y="share (%)", curves=(bars,), x_names=("one long name", "another long name", "third")),
    )
    chart = Chart(slug="a-figure", title="A figure", caption="All kinds of axes.", panels=panels)
    wide = Table(title="A wide table", head=["", *(f"column {n}" for n in range(30))], rows=[["a cell"] * 31])
    first = Chapter(
        paper="gallop",
        title="Windows",
        verdicts=(verdict("G-table2", "reproduced", tables=(wide,)), verdict("G-fig8", "contradicted")),
        charts=(chart,),
    )
    answer = Answer(question="Why?", text="Because.", columns=("a", "b"), rows=(("1", "2"),), scenarios=("lossy",))
    others = (
        Chapter(paper="slow-start", title="Queues", verdicts=(verdict("L-fig10", "reproduced"),), charts=()),
        Chapter(paper="beyond", title="Questions", verdicts=(), charts=(), answers=(answer,)),
    )
    chapters = [first, *others]
    return {"claims": page_of_claims(chapters, quick=True), "report": paper_pages(chapters, quick=True)["gallop"]}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages by name."""
    htmls = {
        "run": vegaslab.run(SHORT).html(),
        "comparison": vegaslab.compare(SHORT, ["vegas", "reno", "mine=" + LONG]).html(),
        "trace": vegaslab.run("rate-trace", set={"duration": "10s"}).html(),
        **report_pages(),
    }
    folder = tmp_path_factory.mktemp("pages")
    capture = sent(folder / "sent", rate="10mbit", queue="60p", duration="5s", algorithm="veno")
    vegaslab.identify(capture, ["veno", "hybla", "bbr1"], folder / "answer")
    htmls["identified"] = (folder / "answer" / PAGE).read_text(encoding="utf-8")
    for name, html in htmls.items():
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
    dossier = vegaslab.evaluate("gallop", folder / "dossier", baselines=["cubic"], quick=True, criteria=["bufferbloat"])
    return {name: folder / f"{name}.html" for name in htmls} | {"dossier": dossier.folder / "index.html"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running_browser() as browser:
        yield browser


def opened(browser: Any, file: Path, width: int = 1400, scheme: str = "light") -> Any:
    """The page, drawn. Whatever it complains of, or asks of the network, is an error."""
    page = new_page(browser, width, scheme)
    page.on("request", lambda request: request.url == file.as_uri() or page.complaints.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_function("[...document.querySelectorAll('.plot svg')].every((svg) => svg.childElementCount > 0)")
    return page


def texts(page: Any, selector: str) -> list[str]:
    found: list[str] = page.locator(selector).all_text_contents()
    return [" ".join(text.split()) for text in found]


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_and_can_be_read(browser: Any, files: dict[str, Path], name: str, width: int, scheme: str) -> None:
    page = opened(browser, files[name], width, scheme)
    if SCREENSHOTS:
        page.screenshot(path=Path(SCREENSHOTS) / f"{name}-{width}-{scheme}.png", full_page=True)
    assert page.complaints == []
    assert page.evaluate(WIDER_THAN_VIEW) <= 0
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(SMALLEST_TEXT) >= 11
    assert violations(page) == []
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_every_view_shows_the_same(browser: Any, files: dict[str, Path], name: str) -> None:
    shown, papers = [], set()
    for width, scheme in VIEWS:
        page = opened(browser, files[name], width, scheme)
        shown.append(page.evaluate(STRUCTURE))
        papers.add((scheme, page.evaluate("getComputedStyle(document.body).backgroundColor")))
        page.close()
    assert all(one == shown[0] for one in shown)
    assert len(papers) == 2


def test_a_run_has_four_panels(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["run"])
    panels = page.evaluate(STRUCTURE)
    assert [panel["name"] for panel in panels] == PANELS
    assert texts(page, ".legend button:not(.reset)") == [
        "\N{BOX DRAWINGS HEAVY HORIZONTAL} 0: reno",
        "\N{BOX DRAWINGS HEAVY HORIZONTAL} 1: vegas",
    ]
    assert panels[1]["curves"] == ["line 0: reno", "line 1: vegas", "dashed 0: reno", "dashed 1: vegas"]
    assert [curve for curve in panels[0]["curves"] if curve.startswith("marks")] == [
        "marks ends 0: reno",
        "marks ends 1: vegas",
    ]
    assert [curve for curve in panels[3]["curves"] if curve.startswith("marks")] == ["marks drops "]
    page.close()


def test_marks_stand_on_their_lines(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["run"])
    for flow in ("0: reno", "1: vegas"):
        path = page.locator(f".panel >> nth=0 >> path.line[data-label='{flow}']").get_attribute("d")
        mark = page.locator(f".panel >> nth=0 >> .ends[data-label='{flow}'] path").get_attribute("d")
        x, y = (float(number) for number in mark[1 : mark.index("l")].split())
        corners = [tuple(map(float, corner.split())) for corner in path.replace("M", "L").split("L") if corner]
        assert min(max(abs(x - px), abs(y - py)) for px, py in corners) < 0.1
    page.close()


def test_a_rate_trace_is_a_curve(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["trace"])
    offered = page.locator("path.dotted").get_attribute("d")
    heights = [float(corner.split()[1]) for corner in offered.replace("M", "L").split("L") if corner]
    assert max(heights) - min(heights) > 100
    page.close()


def test_pointer_and_keys_read_labelled_values(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["run"])
    assert page.locator(".readout:visible").count() == 0
    box = page.locator(".plot").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 50)
    first = texts(page, ".readout:visible")
    assert len(first) == 4
    assert all("0: reno" in read and "1: vegas" in read for read in first[:3])
    assert "base" in first[1]
    page.mouse.move(5, 5)
    assert page.locator(".readout:visible").count() == 0
    page.locator(".plot").first.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.locator(".readout:visible").count() == 4
    page.close()


def test_zoom_and_back(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["run"])
    ticks = texts(page, ".panel >> nth=0 >> .grid text")
    reset = page.locator(".reset")
    assert not reset.is_visible()
    box = page.locator(".plot").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 50)
    page.mouse.up()
    assert reset.is_visible()
    assert texts(page, ".panel >> nth=0 >> .grid text") != ticks
    assert page.evaluate(OUTSIDE) == []
    reset.click()
    assert texts(page, ".panel >> nth=0 >> .grid text") == ticks
    page.locator(".plot").first.focus()
    page.keyboard.press("+")
    assert reset.is_visible()
    page.keyboard.press("-")
    assert not reset.is_visible()
    page.close()


def test_a_name_hides_its_lines_in_all_panels(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["run"])
    button = page.get_by_role("button", name="0: reno")
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "false"
    assert page.locator("[data-label='0: reno']").count() == 0
    assert page.locator("path.line[data-label='1: vegas']").count() == 3
    button.click()
    assert page.locator("path.line[data-label='0: reno']").count() == 3
    page.close()


def test_the_report_counts_claims_by_paper(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["claims"])
    assert texts(page, ".counts") == ["1 reproduced 1 contradicted", "1 reproduced", "1 answers"]
    assert page.locator(".paper a").first.get_attribute("href") == "gallop.html"
    page.close()
    page = opened(browser, files["report"])
    for link in page.locator("nav a").all():
        assert page.locator(link.get_attribute("href")).count() == 1
    page.close()


def test_the_filter_works_by_keys_and_hides_claims(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["claims"])
    rows = page.locator("tr[data-verdict]:visible")
    assert rows.count() == 3
    button = page.locator("button[data-only=reproduced]")
    button.focus()
    page.keyboard.press("Enter")
    assert texts(page, "tr[data-verdict]:visible a") == ["G-table2", "L-fig10"]
    assert texts(page, "#shown") == ["2 of 3 claims: reproduced"]
    page.keyboard.press("Space")
    assert rows.count() == 3
    page.close()


def test_rows_say_what_decided(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["claims"])
    said = dict(zip(texts(page, ".claims td:first-child"), texts(page, ".claims td:last-child"), strict=True))
    assert said["L-fig10"] == "not off at all, of 1 packets allowed; the conclusion holds"
    assert said["G-fig8"] == "the conclusion alone, and it holds: the ratio is above 5 with gamma 1"
    page.close()


def test_wide_tables_scroll_inside_themselves(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["report"], 390)
    wide = page.get_by_role("group", name="A wide table")
    assert wide.evaluate("(box) => box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX") == "auto"
    assert page.evaluate(WIDER_THAN_VIEW) <= 0
    page.close()


def test_a_dossiers_tables_are_folded_on_the_screen_and_printed(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["dossier"])
    tables = page.locator(".tables table")
    seen = "(tables) => tables.filter((one) => one.checkVisibility()).length"
    assert tables.count() > 0
    assert tables.evaluate_all(seen) == 0
    page.locator(".tables > summary").click()
    assert tables.evaluate_all(seen) == tables.count()
    page.locator(".tables > summary").click()
    page.emulate_media(media="print")
    assert tables.evaluate_all(seen) == tables.count()
    page.close()


# texts of one picture that leave it, or tick labels of one axis that lie over each other
UNREADABLE = """() => {
  const picture = document.documentElement.getBoundingClientRect();
  const boxOf = (one) => one.getBoundingClientRect();
  const texts = [...document.querySelectorAll("g[id^='text_']")].filter((one) => boxOf(one).width > 0);
  const outside = texts.filter((one) => {
    const box = boxOf(one);
    return box.left < picture.left - 1 || box.right > picture.right + 1
      || box.top < picture.top - 1 || box.bottom > picture.bottom + 1;
  });
  const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const crowded = [...document.querySelectorAll("g[id^='matplotlib.axis_']")].filter((axis) => {
    const ticks = [...axis.querySelectorAll("[id^='xtick_'] g[id^='text_'], [id^='ytick_'] g[id^='text_']")].map(boxOf);
    return ticks.some((one, i) => ticks.some((other, j) => i < j && over(one, other)));
  });
  return [...outside, ...crowded].map((one) => one.id);
}"""
GRID = """\
scenario = "short.toml"
replications = 2
[grid]
"flow.0.algorithm" = ["reno", "vegas"]
"topology.bottleneck.queue" = ["10p", "30p"]
"topology.bottleneck.loss" = ["1%"]
"""
DESIGN = """\
scenario = "short.toml"
replications = 2
[factorial]
responses = ["flow.0.goodput_mbps"]
[factorial.set]
"topology.bottleneck.loss" = "1%"
[factorial.factor.A]
name = "queue"
key = "topology.bottleneck.queue"
low = "5p"
high = "40p"
[factorial.factor.B]
key = "flow.0.algorithm"
low = "reno"
high = "vegas"
"""


COMMANDS = [
    ["compare", "short.toml", "-a", "reno", "-a", "vegas", "--seeds", "3", "--set", "topology.bottleneck.loss=1%"],
    ["sweep", "plan.toml", "-j", "1", "-o", "swept"],
    ["analyse", "swept", "-r", "flow.0.goodput_mbps"],
    ["factorial", "design.toml", "-j", "1", "-o", "designed"],
]


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_pictures_of_many_runs_can_be_read(pictures: list[Path], browser: Any, width: int, scheme: str) -> None:
    for file in pictures:
        page = new_page(browser, width, scheme)
        page.goto(file.as_uri())
        if SCREENSHOTS:
            page.screenshot(path=Path(SCREENSHOTS) / f"{file.parent.name}-{width}-{scheme}.png")
        assert page.complaints == []
        assert page.evaluate(UNREADABLE) == [], file
        assert page.locator("g[id^='axes_']").count() > 0
        page.close()


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """What comparisons over seeds, sweeps and factorial designs draw."""
    folder = tmp_path_factory.mktemp("drawn")
    for name, text in (("short", SHORT), ("plan", GRID), ("design", DESIGN)):
        (folder / f"{name}.toml").write_text(text)
    for command in COMMANDS:
        subprocess.run([sys.executable, "-m", "vegaslab", *command], cwd=folder, check=True, capture_output=True)
    found = sorted(folder.rglob("picture.svg"))
    assert len(found) == 3
    return found

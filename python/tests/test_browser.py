"""Pages as a browser shows them: what is drawn, where it lies, and what pointer and keys do; no pixel is compared.

`make screenshots` writes what is looked at here as pictures.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import SHORT

import vegaslab
from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Answer
from vegaslab.papers.judging.claims import claims
from vegaslab.papers.judging.table import Table
from vegaslab.papers.judging.verdict import Finding, Verdict
from vegaslab.papers.report.chapter import Chapter
from vegaslab.papers.report.page import page as report

CHROMIUM = shutil.which("chromium")
try:
    import axe_playwright_python
    from playwright.sync_api import sync_playwright
except ImportError:
    MISSING = "playwright is not installed: make browser-packages"
else:
    MISSING = "" if CHROMIUM else "chromium is not installed: apt-get install chromium"
if MISSING and os.environ.get("CI") == "true":
    raise RuntimeError(MISSING)
if MISSING:
    pytest.skip(MISSING, allow_module_level=True)

SCREENSHOTS = os.environ.get("SCREENSHOTS")
VIEWS = [(1400, "light"), (1400, "dark"), (390, "light"), (390, "dark")]
PAGES = ["run", "comparison", "trace", "report"]
PANELS = ["window (segments)", "RTT (ms)", "throughput (Mb/s)", "queue (packets)"]
# a busy machine is slow, not wrong
PATIENCE_MS = 300_000
LONG = '{ preset = "vegas", slow_start = "gallop" }'

# everything below is what the page says of itself
WIDER_THAN_VIEW = "document.documentElement.scrollWidth - innerWidth"
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


def report_page() -> str:
    """Two papers, three verdicts, an answer, and a figure with every kind of axis."""
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
    return report([first, *others], quick=True)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages by name."""
    htmls = {
        "run": vegaslab.run(SHORT).html(),
        "comparison": vegaslab.compare(SHORT, ["vegas", "reno", "mine=" + LONG]).html(),
        "trace": vegaslab.run("rate-trace", set={"duration": "10s"}).html(),
        "report": report_page(),
    }
    folder = tmp_path_factory.mktemp("pages")
    for name, html in htmls.items():
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in htmls}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=PATIENCE_MS
        )
        yield browser
        browser.close()


def opened(browser: Any, file: Path, width: int = 1400, scheme: str = "light") -> Any:
    """The page, drawn. Whatever it complains of, or asks of the network, is an error."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.set_default_timeout(PATIENCE_MS)
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("console", lambda message: page.complaints.append(message.text))
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
    page.add_script_tag(path=Path(axe_playwright_python.__file__).with_name("axe.min.js"))
    found = page.evaluate("axe.run()")["violations"]
    assert [(violation["id"], violation["nodes"][0]["html"]) for violation in found] == []
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
    page = opened(browser, files["report"])
    rows = [" ".join(row.split()) for row in page.locator(".contents tbody tr").all_inner_texts()]
    assert [row.split()[-2:] for row in rows[:1]] == [["1", "1"]]
    assert [rows[1].split()[-1], rows[2].split()[-1]] == ["1", "1"]
    for link in page.locator(".contents a").all():
        assert page.locator(link.get_attribute("href")).count() == 1
    page.close()


def test_the_filter_works_by_keys_and_hides_cards(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["report"])
    rows, cards = page.locator("tr[data-verdict]:visible"), page.locator("article:visible")
    assert (rows.count(), cards.count()) == (3, 4)
    button = page.locator("button[data-only=reproduced]")
    button.focus()
    page.keyboard.press("Enter")
    assert texts(page, "tr[data-verdict]:visible a") == ["G-table2", "L-fig10"]
    assert page.locator("article:visible").evaluate_all("(all) => all.map((one) => one.id)") == ["G-table2", "L-fig10"]
    assert page.locator(".chapter:visible").count() == 2
    assert texts(page, "#shown") == ["2 of 3 claims: reproduced"]
    page.keyboard.press("Space")
    assert (rows.count(), cards.count()) == (3, 4)
    page.close()


def test_rows_say_what_decided(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["report"])
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

"""Figures for a paper: their size, their formats, and labels that do not collide."""

from itertools import pairwise
from pathlib import Path

import pytest
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.typing import ColorType

import vegaslab
from tests.conftest import Command
from vegaslab.reports.figure import DARK, SUFFIXES, SuffixError
from vegaslab.reports.paper import Kind, WidthError
from vegaslab.sweeps.analysis.cells import AnalysisError


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sweep over algorithms and delays."""
    folder = tmp_path_factory.mktemp("figure") / "swept"
    grid = {
        "flow.0.algorithm": ["vegas", "gallop", "reno"],
        "topology.bottleneck.delay": ["40ms", "80ms"],
        "duration": ["5s"],
    }
    vegaslab.sweep(vegaslab.Plan("lossy", grid=grid, replications=3), folder)
    return folder


@pytest.mark.parametrize("kind", ["lines", "box", "ecdf"])
def test_a_sweep_is_drawn_over_a_key(swept: Path, kind: Kind, tmp_path: Path) -> None:
    """A column of the IEEE's journals is 3.5 inches wide; a panel's axes have words and units."""
    drawn = vegaslab.figure(swept, "flow.0.goodput_mbps", tmp_path / "a.pdf", kind=kind)
    (axes,) = drawn.axes
    assert drawn.get_size_inches()[0] == pytest.approx(3.5, abs=0.01)
    labels = {axes.get_xlabel(), axes.get_ylabel()}
    assert "goodput of flow 0 (Mb/s)" in labels
    assert labels - {"goodput of flow 0 (Mb/s)"} == {"ECDF" if kind == "ecdf" else "bottleneck delay (ms)"}
    texts = axes.texts if kind == "lines" else drawn.legends[0].get_texts()
    assert {text.get_text() for text in texts} == {"vegas", "gallop", "reno"}


def test_names_beside_lines_do_not_collide(swept: Path) -> None:
    drawn = vegaslab.figure(swept, "flow.0.goodput_mbps", width="8.4cm", labels={"vegas": "TCP Vegas"})
    boxes = sorted((text.get_window_extent() for text in drawn.axes[0].texts), key=lambda box: box.y0)
    assert len(boxes) == 3
    assert all(below.y1 <= above.y0 + 1 for below, above in pairwise(boxes))
    assert max(box.x1 for box in boxes) <= drawn.bbox.x1
    assert "TCP Vegas" in [text.get_text() for text in drawn.axes[0].texts]


def test_the_seeds_of_a_comparison_are_read_back(tmp_path: Path) -> None:
    comparison = vegaslab.compare_seeds("lossy", ["vegas", "reno"], 4, set={"duration": "5s"})
    folder = comparison.write(tmp_path / "seeds", plot=False)
    for figures in (["goodput_mbps", "drops"], ["goodput_mbps"]):
        drawn = [vegaslab.figure(of, figures, kind="box", width="two") for of in (comparison, folder)]
        heights = [[axes.get_ylim() for axes in one.axes] for one in drawn]
        assert heights[0] == heights[1]
        assert len(heights[0]) == len(figures)


def test_the_command_writes_each_format(vegaslab: Command, here: Path) -> None:
    assert (
        vegaslab("compare", "quic", "-a", "vegas", "-a", "reno", "--set", "duration=2s", "-o", "runs").returncode == 0
    )
    files = [f"a{suffix}" for suffix in SUFFIXES]
    outputs = [word for file in files for word in ("-o", file)]
    done = vegaslab("figure", "runs", "-r", "cwnd", "-r", "rtt", "--label", "vegas=Vegas", *outputs)
    assert (done.returncode, done.stderr) == (0, "")
    starts = {".pdf": b"%PDF", ".pgf": b"%% Creator", ".png": b"\x89PNG", ".svg": b"<?xml"}
    assert all((here / f"a{suffix}").read_bytes().startswith(start) for suffix, start in starts.items())
    assert "Vegas" in (here / "a.pgf").read_text()
    before = (here / "a.pgf").read_bytes()
    assert vegaslab("figure", "runs/vegas", "runs/reno", "-o", "b.pgf").returncode == 0
    vegaslab("figure", "runs", "-r", "cwnd", "-r", "rtt", "--label", "vegas=Vegas", *outputs)
    assert (here / "a.pgf").read_bytes() == before


def test_bad_input_is_one_line(swept: Path) -> None:
    with pytest.raises(SuffixError, match=r"a\.jpg: no picture has this ending; write .pdf, .pgf, .png or .svg"):
        vegaslab.figure(swept, path="a.jpg")
    with pytest.raises(AnalysisError, match="no figure of the runs; did you mean goodput_mbps"):
        vegaslab.figure(swept, "goodputs")
    with pytest.raises(WidthError, match="'three' was given"):
        vegaslab.figure(swept, "goodput_mbps", width="three")
    run = vegaslab.run("quic", set={"duration": "1s"})
    with pytest.raises(AnalysisError, match="runs are drawn over time"):
        vegaslab.figure(run, kind="box")
    with pytest.raises(SuffixError, match="no picture has this ending"):
        run.plot("cwnd.xyz")


def test_a_label_of_what_the_figure_does_not_have_is_refused() -> None:
    runs = vegaslab.compare("quic", ["vegas", "reno"], set={"duration": "1s"})
    with pytest.raises(vegaslab.AnalysisError, match=r"'vegsa' is no name in this figure; did you mean \"vegas\"\?"):
        vegaslab.figure(runs, labels={"vegsa": "Vegas"})
    drawn = vegaslab.figure(runs, ["cwnd", "rtt"], labels={"cwnd": "My window", "vegas": "Vegas"})
    assert [axes.get_ylabel() for axes in drawn.axes] == ["My window", "RTT\n(ms)"]
    seeds = vegaslab.compare_seeds("lossy", ["vegas", "reno"], 2, set={"duration": "1s"})
    vegaslab.figure(seeds, "goodput_mbps", labels={"goodput_mbps": "Goodput", "vegas": "Vegas"})
    with pytest.raises(vegaslab.AnalysisError, match="no name in this figure"):
        vegaslab.figure(seeds, "goodput_mbps", labels={"godput_mbps": "Goodput"})
    assert "vegas" in seeds.report()


def _luminance(colour: ColorType) -> float:
    """The relative luminance of WCAG 2.1."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(colour: ColorType, ground: ColorType, opacity: float | None = None) -> float:
    """The contrast ratio of WCAG 2.1, of a colour that covers the ground by its opacity."""
    part = 1.0 if opacity is None else opacity
    mixed = [part * above + (1 - part) * below for above, below in zip(to_rgb(colour), to_rgb(ground), strict=True)]
    lights = sorted((_luminance((mixed[0], mixed[1], mixed[2])), _luminance(ground)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _texts(drawn: Figure) -> list[Text]:
    return [text for text in drawn.findobj(Text) if isinstance(text, Text) and text.get_text()]


def _lines(drawn: Figure) -> list[Line2D]:
    return [line for line in drawn.findobj(Line2D) if isinstance(line, Line2D) and line.get_visible()]


def _contrast_of(line: Line2D, ground: ColorType) -> float:
    """The contrast of a line; that of marks without one is their faces' or their edges'."""
    marks = line.get_linestyle() == "None"
    colours = [line.get_markeredgecolor(), line.get_markerfacecolor()] if marks else [line.get_color()]
    return max(_contrast(colour, ground, line.get_alpha()) for colour in colours)


def test_a_dark_figure_can_be_read(swept: Path) -> None:
    """WCAG 2.1: 4.5 to 1 for texts (1.4.3), 3 to 1 for graphics (1.4.11)."""
    runs = vegaslab.compare("quic", ["vegas", "reno"], set={"duration": "2s"})
    kinds: list[Kind] = ["lines", "box", "ecdf"]
    dark = [vegaslab.figure(swept, "flow.0.goodput_mbps", kind=kind, dark=True) for kind in kinds]
    for drawn in [vegaslab.figure(runs, dark=True), *dark]:
        ground = drawn.get_facecolor()
        assert _luminance(ground) < 0.02
        assert all(axes.get_facecolor() == ground for axes in drawn.axes)
        assert len(_texts(drawn)) > 10
        assert min(_contrast(text.get_color(), ground) for text in _texts(drawn)) > 4.5
        lines = _lines(drawn)
        assert len(lines) > 10
        assert min(_contrast_of(line, ground) for line in lines) >= 3
    assert vegaslab.figure(runs).get_facecolor() == to_rgba("white")


def test_the_command_draws_on_a_dark_ground(vegaslab: Command, here: Path) -> None:
    assert vegaslab("run", "quic", "--set", "duration=1s", "-o", "run").returncode == 0
    files = ["dark.svg", "dark.png", "dark.pdf"]
    done = vegaslab("figure", "run", "--dark", *(word for file in files for word in ("-o", file)))
    assert (done.returncode, done.stderr) == (0, "")
    assert all((here / file).stat().st_size > 0 for file in files)
    assert imread(here / "dark.png")[0, 0, :3] == pytest.approx(to_rgb(DARK.paper), abs=0.01)
    assert DARK.paper in (here / "dark.svg").read_text()

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

import vegaslab
from tests.conftest import SHORT
from vegaslab.reports.figure import draw
from vegaslab.reports.page.runs import page
from vegaslab.reports.panels import panels
from vegaslab.reports.sheet import mean_over_steps, thin


@pytest.fixture(scope="module")
def result() -> vegaslab.Result:
    return vegaslab.run(SHORT)


def test_the_sheet_shows_the_run(result: vegaslab.Result) -> None:
    sheet = result.sheet()
    assert sheet.title == "short: reno, vegas"
    (link,) = sheet.bottlenecks
    assert (link.link, set(link.rate_mbps.values), set(link.limit_packets.values)) == ("r1->r2", {10.0}, {10.0})
    assert [group.label for group in sheet.groups] == ["0: reno", "1: vegas"]
    totals = next(totals for totals in result.summary["links"] if totals["id"] == "r1->r2")
    assert len(link.drops_s) == link.drops == totals["drops"] > 0
    assert link.peak_packets.values.max() == totals["max_queue_packets"]


def test_a_flow_is_not_drawn_before_it_starts(result: vegaslab.Result) -> None:
    late = result.sheet().groups[1].flows[0].cwnd_segments
    assert np.isnan(late.values[late.time_s < 0.45]).all()
    assert np.isfinite(late.values[late.time_s > 0.65]).all()


def test_picture_files(result: vegaslab.Result, tmp_path: Path) -> None:
    figure = result.plot(tmp_path / "a.png")
    labels = ["window (segments)", "RTT (ms)", "throughput (Mb/s)", "queue (packets)"]
    assert [axes.get_ylabel() for axes in figure.axes] == labels
    pixels = imread(tmp_path / "a.png")
    assert pixels.shape[1] == 1500
    assert 0.01 < (pixels[..., :3].min(axis=-1) < 0.8).mean() < 0.5
    for name in ("a.svg", "b.svg"):
        result.plot(tmp_path / name)
    svg = (tmp_path / "a.svg").read_text()
    assert svg == (tmp_path / "b.svg").read_text()
    assert "<dc:date>" not in svg


def test_many_flows_are_labelled_by_algorithm() -> None:
    text = SHORT + '\n[[flow]]\nalgorithm = "vegas"\n' * 90
    sheet = vegaslab.run(text, set={"duration": "1s"}).sheet()
    assert [group.label for group in sheet.groups] == ["reno x 1", "vegas x 91"]
    assert sheet.note == "64 of 92 flows drawn"
    (legend,) = draw(sheet, panels(sheet)).legends
    assert [text.get_text() for text in legend.get_texts()] == ["reno x 1", "vegas x 91"]
    assert [panel.note for panel in panels(sheet, ["cwnd", "rtt"])] == [
        "\N{BLACK DOWN-POINTING TRIANGLE} slow start ends; ssthresh is not drawn",
        "base RTTs are not drawn",
    ]


def test_a_comparison_lays_runs_over_each_other() -> None:
    sheet = vegaslab.compare(SHORT, ["vegas", "reno"]).sheet()
    assert sheet.title == "short: vegas against reno"
    assert [group.label for group in sheet.groups] == ["vegas", "reno"]
    assert [link.label for link in sheet.bottlenecks] == ["vegas", "reno"]


@pytest.mark.parametrize("sample", ["off", "change", "10ms", "2s"])
def test_pictures_of_any_sampling(sample: str, tmp_path: Path) -> None:
    result = vegaslab.run(SHORT, set={"sample": sample})
    result.plot(tmp_path / "a.png")
    assert "short: reno, vegas" in result.html()


def test_the_page_needs_nothing_else(result: vegaslab.Result) -> None:
    html = result.html()
    assert not re.search(r"""(src|href)\s*=|https?:|@import|url\((?!#)|fetch\(|XMLHttp|import\(""", html)
    assert html.count("</script>") == 2


def test_a_title_cannot_break_the_page(result: vegaslab.Result) -> None:
    sheet = result.sheet()
    links = tuple(replace(link, link="</script>") for link in sheet.bottlenecks)
    html = page(replace(sheet, title="</script><q>{{ figures }}", bottlenecks=links), {})
    assert html.count("</script>") == 2
    assert "<q>" not in html
    assert html.count("{{ figures }}") == 2


def test_thinning_keeps_extremes_and_ends() -> None:
    time = np.arange(100_000) / 1000
    values = np.sin(time)
    values[12_345] = 7.0
    line = thin(time, values, 1000)
    assert len(line.values) <= 1010
    assert line.values.max() == 7.0
    assert (line.time_s[0], line.time_s[-1]) == (time[0], time[-1])
    assert (np.diff(line.time_s) > 0).all()


def test_means_over_steps_keep_the_integral() -> None:
    time = np.array([0.1, 0.2, 0.7, 1.0])
    line = mean_over_steps(time, np.array([10.0, 0.0, 4.0, 10.0]), 0.5)
    assert line.time_s.tolist() == [0.5, 1.0]
    # the first half: 10 for 0.1 s, 0 for 0.1 s, 4 for 0.3 s; the second: 4 for 0.2 s, 10 for 0.3 s
    assert line.values == pytest.approx([(1.0 + 1.2) / 0.5, (0.8 + 3.0) / 0.5])


def test_a_rate_trace_is_drawn_as_the_line_it_is() -> None:
    result = vegaslab.run("rate-trace", set={"duration": "16s"})
    rate = result.sheet().bottlenecks[0].rate_mbps
    (mean,) = {link["rate_mbps"] for link in result.scenario.links() if link["id"] == "r1->r2"}
    assert rate.values.min() < 0.5 * mean
    assert rate.values.max() > 1.5 * mean
    # the trace has a period of 8 s
    period = np.interp(np.arange(0.1, 8, 0.1) + 8, rate.time_s, rate.values)
    assert period == pytest.approx(np.interp(np.arange(0.1, 8, 0.1), rate.time_s, rate.values), abs=0.7)
    (panel,) = panels(result.sheet(), ["throughput"])
    assert panel.level is None
    assert [curve.name for curve in panel.curves if curve.style == "dotted"] == ["r1->r2 offers"]


def test_a_rate_that_changes_is_drawn_with_its_steps() -> None:
    rates = vegaslab.run("changing-network", set={"duration": "50s"}).scenario.link_rates("west->north", 1.0)
    assert rates == [(0.0, 10.0), (20.0, 10.0), (20.0, 4.0), (50.0, 4.0)]
    with pytest.raises(ValueError, match='link: "a->b" is no link of short'):
        vegaslab.run(SHORT).scenario.link_rates("a->b", 1.0)


def test_drops_of_traffic_count() -> None:
    text = SHORT + '\n[[traffic]]\nkind = "constant"\nrate = "9mbit"\npacket = "1000b"\n'
    result = vegaslab.run(text)
    (link,) = result.sheet().bottlenecks
    totals = next(totals for totals in result.summary["links"] if totals["id"] == "r1->r2")
    of_flows = sum(kind == "queue-drop" for kind in result.incidents["kind"].to_pylist())
    assert link.drops == totals["drops"] > of_flows
    assert len(link.drops_s) > 0
    (panel,) = panels(result.sheet(), ["queue"])
    assert f"drops: {totals['drops']}" in panel.note


def test_marks_lie_on_their_lines_and_in_sight(result: vegaslab.Result) -> None:
    (panel,) = panels(result.sheet(), ["cwnd"])
    ends = [curve for curve in panel.curves if curve.style == "ends"]
    assert len(ends) == 2
    for end in ends:
        (line,) = (curve for curve in panel.curves if curve.style == "line" and curve.label == end.label)
        assert set(zip(end.x, end.y, strict=True)) <= set(zip(line.x, line.y, strict=True))
        assert all(panel.y_range[0] <= y < panel.y_range[1] for y in end.y)
        assert panel.x_range is not None
        assert all(panel.x_range[0] <= x <= panel.x_range[1] for x in end.x)


def test_panels_are_chosen(result: vegaslab.Result, tmp_path: Path) -> None:
    figure = result.plot(["rtt", "cwnd"], tmp_path / "a.pdf")
    assert [axes.get_ylabel() for axes in figure.axes] == ["RTT (ms)", "window (segments)"]
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    assert [axes.get_ylabel() for axes in result.plot("queue").axes] == ["queue (packets)"]
    with pytest.raises(ValueError, match=r"panels: 'rate' was given; write any of cwnd, rtt, throughput, queue"):
        result.plot(["cwnd", "rate"])
    with pytest.raises(ValueError, match="panels: none was given"):
        result.plot([])


def test_base_rtts_stand_beside_rtts(result: vegaslab.Result) -> None:
    (panel,) = panels(result.sheet(), ["rtt"])
    vegas = {curve.name: np.asarray(curve.y) for curve in panel.curves if curve.label == "1: vegas"}
    assert set(vegas) == {"", "base"}
    assert np.nanmax(vegas[""]) > np.nanmin(vegas["base"]) > 0


def test_runs_of_different_scenarios_share_axes(result: vegaslab.Result) -> None:
    other = vegaslab.run("gallop-50mbit", set={"duration": "5s", "flow.0.algorithm": "gallop"})
    figure = vegaslab.plot([result, other])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["short", "gallop-50mbit"]
    assert figure.axes[0].get_xlim() == (0, 5)
    named = vegaslab.plot({"mine": result, "theirs": other}, "cwnd")
    assert [text.get_text() for text in named.legends[0].get_texts()] == ["mine", "theirs"]
    same = vegaslab.plot([result, result], "cwnd")
    assert [text.get_text() for text in same.legends[0].get_texts()] == [
        "0: short, reno, vegas",
        "1: short, reno, vegas",
    ]
    with pytest.raises(ValueError, match="runs: there is none"):
        vegaslab.plot([])


def test_long_names_fit_the_picture() -> None:
    parts = {f"a composition of many parts, number {number}, with a long name": "vegas" for number in range(4)}
    runs = {name: vegaslab.run(SHORT, set={"duration": "1s", "flow.0.algorithm": what}) for name, what in parts.items()}
    figure = vegaslab.plot(runs)
    figure.draw_without_rendering()
    for text in [figure._suptitle, *figure.legends[0].get_texts(), *(axes.title for axes in figure.axes)]:  # type: ignore[attr-defined]
        box = text.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.x1

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import SHORT
from matplotlib.image import imread

import vegaslab
from vegaslab.figure import draw
from vegaslab.page import page
from vegaslab.sheet import mean_over_steps, thin


@pytest.fixture(scope="module")
def result() -> vegaslab.Result:
    return vegaslab.run(SHORT)


def test_the_sheet_shows_the_run(result: vegaslab.Result) -> None:
    sheet = result.sheet()
    assert sheet.title == "short: reno, vegas"
    assert (sheet.link, sheet.rate_mbps, sheet.queue_limit_packets) == ("r1->r2", 10.0, 10)
    assert [group.label for group in sheet.groups] == ["0: reno", "1: vegas"]
    bottleneck = next(link for link in result.summary["links"] if link["id"] == "r1->r2")
    assert len(sheet.queues[0].drops_s) == bottleneck["drops"] > 0
    assert sheet.queues[0].peak_packets.values.max() == bottleneck["max_queue_packets"]


def test_a_flow_is_not_drawn_before_it_starts(result: vegaslab.Result) -> None:
    late = result.sheet().groups[1].flows[0].cwnd_segments
    assert np.isnan(late.values[late.time_s < 0.45]).all()
    assert np.isfinite(late.values[late.time_s > 0.65]).all()


def test_picture_files(result: vegaslab.Result, tmp_path: Path) -> None:
    figure = result.plot(tmp_path / "a.png")
    labels = ["window (segments)", "throughput (Mb/s)", "queue (packets)"]
    assert [axes.get_ylabel() for axes in figure.axes] == labels
    pixels = imread(tmp_path / "a.png")
    assert pixels.shape[:2] == (1200, 1500)
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
    legend = draw(sheet).axes[0].get_legend()
    assert legend is not None
    assert len(legend.get_texts()) <= 3


def test_a_comparison_lays_runs_over_each_other() -> None:
    sheet = vegaslab.compare(SHORT, ["vegas", "reno"]).sheet()
    assert sheet.title == "short: vegas against reno"
    assert [group.label for group in sheet.groups] == ["vegas", "reno"]
    assert [queue.label for queue in sheet.queues] == ["vegas", "reno"]


@pytest.mark.parametrize("sample", ["off", "change", "10ms", "2s"])
def test_pictures_of_any_sampling(sample: str, tmp_path: Path) -> None:
    result = vegaslab.run(SHORT, set={"sample": sample})
    result.plot(tmp_path / "a.png")
    assert "short: reno, vegas" in result.html()


def test_the_page_needs_nothing_else(result: vegaslab.Result) -> None:
    html = result.html()
    assert not re.search(r"""(src|href)\s*=|https?:|@import|url\(|fetch\(|XMLHttp|import\(""", html)
    assert html.count("</script>") == 2


def test_a_title_cannot_break_the_page(result: vegaslab.Result) -> None:
    html = page(replace(result.sheet(), title="</script><q>@DATA@", link="</script>"), {})
    assert html.count("</script>") == 2
    assert "<q>" not in html
    assert "@DATA@" in html


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

"""A link of the playground is a scenario, and no more than that."""

import base64
import zlib

import pytest

import vegaslab
from vegaslab.commands.cli import main
from vegaslab.scenario.link import is_link, scenario_of

SCENARIO = """name = "linked"
duration = "2s"
topology.kind = "dumbbell"
topology.access = { rate = "1gbit", delay = "1ms" }
topology.bottleneck = { rate = "10mbit", delay = "10ms", queue = "30p" }
flow = [{ algorithm = "vegas" }]
"""
PAGE = "file:///home/me/playground.html"


def link(text: str | bytes, page: str = PAGE, rest: str = "") -> str:
    data = text.encode() if isinstance(text, str) else text
    deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = deflate.compress(data) + deflate.flush()
    return f"{page}#s={base64.urlsafe_b64encode(packed).decode().rstrip('=')}{rest}"


def test_a_link_is_the_scenario_that_is_in_it() -> None:
    address = link(SCENARIO, rest="&b=reno&x=10&l=r1-%3Er2")
    assert scenario_of(address) == SCENARIO
    assert vegaslab.run(address).flows.equals(vegaslab.run(SCENARIO).flows)


def test_the_command_runs_no_algorithm_of_a_link(capsys: pytest.CaptureFixture[str]) -> None:
    files = base64.urlsafe_b64encode(b"[]").decode()
    assert scenario_of(link(SCENARIO, rest=f"&a={files}")) == SCENARIO
    named = SCENARIO.replace('"vegas"', '{ javascript = "mine.js" }')
    assert main(["check", link(named, rest=f"&a={files}")]) == 2
    said = capsys.readouterr().err
    assert "mine.js: is run by the playground, not by the command vegaslab" in said


def test_the_command_takes_a_link(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", link(SCENARIO, "https://example.org/p/index.html")]) == 0
    assert "good: linked" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("address", "message"),
    [
        (PAGE, "link: holds no scenario (no s= after #); copy it from the playground"),
        (f"{PAGE}#open=lossy", "link: holds no scenario (no s= after #); copy it from the playground"),
        (f"{PAGE}#s=AAAA", "link: is damaged or cut off; copy it whole from the playground"),
        (f"{PAGE}#s=%C3%A9", "link: is damaged or cut off; copy it whole from the playground"),
        (link(SCENARIO)[:-20], "link: is damaged or cut off; copy it whole from the playground"),
        (link(b"\xff\xfe"), "link: is damaged or cut off; copy it whole from the playground"),
        (link("#" * (2 << 20)), "link: its scenario has more than 1048576 bytes"),
        (link(SCENARIO.replace("10mbit", "10mbps")), 'link:5: topology.bottleneck.rate: "10mbps" is not a rate'),
    ],
)
def test_what_is_no_scenario_is_one_line(address: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", address]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"vegaslab: {message}")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    "rate",
    [
        'rate = { trace = "/etc/passwd" }',
        # several lines and a comma at the end: TOML 1.1, which the engine reads
        'rate = {\n  trace = "/etc/passwd",\n}',
        'rate = { "trace" = "/etc/passwd" }',
    ],
)
def test_a_link_names_no_file(rate: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = SCENARIO.replace('rate = "10mbit"', rate)
    assert main(["check", link(text)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("vegaslab: link: topology.bottleneck.rate.trace: a link names no file of this machine")


def test_names_of_files_are_no_links() -> None:
    assert not any(is_link(name) for name in ["gallop-50mbit", "papers/gallop-fig4", "./http/s.toml", "C:\\s.toml"])

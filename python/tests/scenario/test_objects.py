import base64
import dataclasses
import re

import pytest

import vegaslab
from documentation import objects
from vegaslab import BurstLoss, Dumbbell, Flow, Link, Queue, Scenario

LINK = Link(rate="10mbit", delay="8ms", queue="10p")


def scenario(flow: Flow, bottleneck: Link = LINK) -> Scenario:
    access = Link(rate="100mbit", delay="1ms")
    return Scenario(name="typed", duration="2s", topology=Dumbbell(access=access, bottleneck=bottleneck), flow=[flow])


def test_the_objects_are_those_of_the_schema() -> None:
    assert objects.OBJECTS.read_text(encoding="utf-8") == objects.source(), "make objects writes them again"


def test_every_object_is_public() -> None:
    classes = [name for name, value in vars(vegaslab.scenario.objects).items() if dataclasses.is_dataclass(value)]
    assert set(classes) <= set(vegaslab.__all__)


def test_queues_with_a_kind_and_flows_with_ecn() -> None:
    marking = Queue(kind="codel", limit="50p", ecn=True)
    plain = Queue(kind="drop-tail", limit="10p")
    for queue in (marking, plain):
        typed = scenario(Flow(algorithm="reno", ecn=True), dataclasses.replace(LINK, queue=queue))
        assert vegaslab.run(typed).summary["flows"][0]["delivered_bytes"] > 0


def test_a_run_until_its_transfers_are_complete() -> None:
    typed = dataclasses.replace(scenario(Flow(algorithm="reno", size="100kb")), until_complete=True)
    assert vegaslab.run(typed).summary["duration_s"] < 2


def test_what_has_one_value_need_not_be_given() -> None:
    assert BurstLoss(good_to_bad="1%", bad_to_good="25%").to_dict()["model"] == "gilbert-elliott"
    assert scenario(Flow(algorithm="reno")).to_dict()["topology"]["kind"] == "dumbbell"  # type: ignore[index]


def test_a_repr_is_the_call_that_makes_it() -> None:
    typed = scenario(Flow(algorithm="vegas", from_="a"))
    assert repr(typed.flow[0]) == "Flow(algorithm='vegas', from_='a')"
    names = {name: getattr(vegaslab, name) for name in vegaslab.__all__}
    assert eval(repr(typed), names) == typed


@pytest.mark.parametrize("wrong", [{"flow.0.algorithm": "nothing"}, {"seed": -1}])
def test_messages_name_no_option_of_the_command_line(wrong: dict[str, object]) -> None:
    with pytest.raises(vegaslab.ScenarioError) as caught:
        vegaslab.run(scenario(Flow(algorithm="reno")), set=wrong)
    ((key, value),) = wrong.items()
    assert str(caught.value).startswith(f"Scenario: with {key}={value}: {key}: ")


def test_a_wrong_name_is_answered_by_near_ones() -> None:
    with pytest.raises(FileNotFoundError, match=r"gallop-50mbit\b"):
        vegaslab.run("galop-50mbit")


@pytest.mark.parametrize("name", sorted({*vegaslab.__all__} - {"__version__"}))
def test_every_public_object_says_what_it_is_with_an_example(name: str) -> None:
    assert ">>> " in (getattr(vegaslab, name).__doc__ or "")


def test_reprs_say_what_it_is() -> None:
    result = vegaslab.run(scenario(Flow(algorithm="reno")))
    assert repr(result) == "<vegaslab.Result typed: 2 s, 1 flows, 6 links>"
    assert repr(result.scenario) == "<vegaslab.Scenario typed: 2 s, seed 1>"


def test_notebooks_show_the_picture_and_the_flows() -> None:
    typed = scenario(Flow(algorithm="reno"))
    seeds = vegaslab.compare_seeds("lossy", ["vegas", "reno"], 2, set={"duration": "2s"})
    for shown in (vegaslab.run(typed), vegaslab.compare(typed, ["reno", "vegas"]), seeds):
        html = shown._repr_html_()
        picture = re.search(r'<img alt="[^"]+" [^>]*src="data:image/png;base64,([^"]+)"', html)
        assert picture is not None
        assert base64.b64decode(picture[1]).startswith(b"\x89PNG")
        assert "reno" in html.replace(picture[0], "")

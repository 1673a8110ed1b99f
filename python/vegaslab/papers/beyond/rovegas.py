"""Beyond the papers: RoVegas beside Reno and CUBIC."""

from vegaslab.papers.beyond.intervals import Spread, spread, with_intervals
from vegaslab.papers.experiments.chart import Chart, Panel
from vegaslab.papers.experiments.experiment import Answer, Data, Experiment, Run
from vegaslab.papers.experiments.extract import first_flow

_SCENARIO = "papers/beyond-rovegas"
_SEEDS, _QUICK_SEEDS = 20, 4
_OURS = ("vegas", "rovegas")
_NEIGHBOURS = ("reno", "cubic")
_QUEUES: dict[str, object] = {
    "queue 25": "25p",
    "queue 100": "100p",
    "queue 400": "400p",
    "FQ-CoDel": '{ kind = "fq-codel", limit = "1000p" }',
}


def _runs(quick: bool) -> dict[str, Run]:
    return {
        f"{ours}/{neighbour}/{queue}/{seed}": Run(
            scenario=_SCENARIO,
            set={
                "flow.0.algorithm": ours,
                "flow.1.algorithm": neighbour,
                "topology.bottleneck.queue": value,
            },
            seed=seed,
            extract=first_flow,
        )
        for ours in _OURS
        for neighbour in _NEIGHBOURS
        for queue, value in _QUEUES.items()
        for seed in range(1, 1 + (_QUICK_SEEDS if quick else _SEEDS))
    }


def _shares(data: Data) -> dict[str, list[Spread]]:
    """Returns the share of the bottleneck in per cent over the queues, by flow and neighbour."""
    return {
        f"{ours} beside {neighbour}": [
            spread(
                [
                    float(value["share_percent"])
                    for key, value in data.items()
                    if key.startswith(f"{ours}/{neighbour}/{queue}/")
                ]
            )
            for queue in _QUEUES
        ]
        for neighbour in _NEIGHBOURS
        for ours in _OURS
    }


def _answer(data: Data) -> list[Answer]:
    return [
        Answer(
            question="What does RoVegas get beside Reno and CUBIC?",
            text="Part of 10 Mb/s in per cent, over 60 s on 50 ms; half is its due. The stamps tell RoVegas what Vegas "
            "guesses, the wait of its own packets behind the neighbour's, and its window gives way to that wait as "
            "Vegas's does. What keeps a place for either is a queue for each flow.",
            columns=("flows", *_QUEUES),
            rows=[[name, *map(str, spreads)] for name, spreads in _shares(data).items()],
            scenarios=(_SCENARIO,),
        )
    ]


def _draw(data: Data) -> list[Chart]:
    panel = Panel(
        x="bottleneck's queue",
        y="part of the bottleneck (%)",
        curves=with_intervals(_shares(data)),
        x_names=list(_QUEUES),
        level=(50.0, "half"),
    )
    caption = "Vegas and RoVegas beside one flow of Reno or CUBIC on 10 Mb/s and 50 ms, with 95 % intervals over seeds."
    return [Chart(slug="beyond-rovegas", title="RoVegas beside Reno and CUBIC", caption=caption, panels=(panel,))]


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(title="RoVegas beside Reno and CUBIC", claims=(), runs=_runs, answer=_answer, draw=_draw),
)

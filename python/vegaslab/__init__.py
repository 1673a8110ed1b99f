"""A laboratory for the TCP Vegas family of congestion control.

>>> import vegaslab
>>> result = vegaslab.run("gallop-50mbit", set={"flow.0.algorithm": "reno"})  # doctest: +SKIP
>>> result.summary["flows"][0]["throughput_mbps"]  # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vegaslab._vegaslab import ScenarioError
from vegaslab._vegaslab import version as __version__
from vegaslab.comparison import Comparison, compare
from vegaslab.objects import Access, Dumbbell, Flow, Graph, Host, Link, ParkingLot, Parts, Scenario, Traffic
from vegaslab.plan_file import PlanError
from vegaslab.result import Result, Series, run
from vegaslab.series import read_series
from vegaslab.source import shipped_scenarios

if TYPE_CHECKING:
    from vegaslab.dataset import read_runs
    from vegaslab.plan import Plan
    from vegaslab.seeds import SeedComparison, compare_seeds
    from vegaslab.sweeping import sweep

__all__ = [
    "Access",
    "Comparison",
    "Dumbbell",
    "Flow",
    "Graph",
    "Host",
    "Link",
    "ParkingLot",
    "Parts",
    "Plan",
    "PlanError",
    "Result",
    "Scenario",
    "ScenarioError",
    "SeedComparison",
    "Series",
    "Traffic",
    "__version__",
    "compare",
    "compare_seeds",
    "read_runs",
    "read_series",
    "run",
    "shipped_scenarios",
    "sweep",
]

# what needs numpy and pyarrow is imported when it is asked for: they take longer to load than a short run takes
_MODULE_OF = {
    "Plan": "plan",
    "SeedComparison": "seeds",
    "compare_seeds": "seeds",
    "read_runs": "dataset",
    "sweep": "sweeping",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""A laboratory for the TCP Vegas family of congestion control.

>>> import vegaslab
>>> result = vegaslab.run("gallop-50mbit", set={"flow.0.algorithm": "reno"})  # doctest: +SKIP
>>> result.summary["flows"][0]["throughput_mbps"]  # doctest: +SKIP
"""

from vegaslab._vegaslab import ScenarioError
from vegaslab._vegaslab import version as __version__
from vegaslab.comparison import Comparison, compare
from vegaslab.dataset import read_runs
from vegaslab.objects import Access, Dumbbell, Flow, Graph, Host, Link, ParkingLot, Parts, Scenario, Traffic
from vegaslab.plan import Plan
from vegaslab.plan_file import PlanError
from vegaslab.result import Result, Series, run
from vegaslab.seeds import SeedComparison, compare_seeds
from vegaslab.source import shipped_scenarios
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
    "run",
    "shipped_scenarios",
    "sweep",
]

"""A laboratory for the TCP Vegas family of congestion control.

>>> import vegaslab
>>> result = vegaslab.run("gallop-50mbit", set={"flow.0.algorithm": "reno"})
>>> round(result.summary["flows"][0]["throughput_mbps"], 1)
27.1
"""

# a name's module is imported on first use, so that a command starts without delay: numpy and pyarrow take longer to
# load than a short run takes
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from vegaslab._vegaslab import version as __version__
    from vegaslab.commands.catalogue import catalogue, check, schema
    from vegaslab.commands.explain import UnknownNameError, explain
    from vegaslab.commands.many_runs.attack import Attack, attack
    from vegaslab.commands.many_runs.cache import Cache, cache
    from vegaslab.commands.many_runs.conform import Conformance, conform
    from vegaslab.commands.many_runs.evaluate import evaluate
    from vegaslab.commands.many_runs.factorial import factorial
    from vegaslab.commands.many_runs.reproduce import Claims, reproduce
    from vegaslab.commands.model import model
    from vegaslab.commands.results.cite import cite
    from vegaslab.evaluation.report.writing import Dossier
    from vegaslab.measuring.guest.world import KernelWorld
    from vegaslab.measuring.linux import LinuxError
    from vegaslab.measuring.measured.against import Against, against
    from vegaslab.measuring.measured.identify import Identified, identify
    from vegaslab.measuring.measured.measurement import Measured, measured
    from vegaslab.reports.figure import SuffixError
    from vegaslab.reports.panels import PanelError
    from vegaslab.reports.paper import WidthError
    from vegaslab.reports.tables import Listed
    from vegaslab.runs.comparison import Comparison, compare
    from vegaslab.runs.exporting import export
    from vegaslab.runs.plotting import plot
    from vegaslab.runs.result import Result, Series, run
    from vegaslab.runs.seeds.compare import SeedComparison, compare_seeds
    from vegaslab.scenario.objects import (
        Access,
        ApplicationPhase,
        Backward,
        BurstLoss,
        Change,
        DelaySchedule,
        Dumbbell,
        Flow,
        Graph,
        Host,
        Link,
        LinuxWindow,
        MediaLayer,
        ModelledJitter,
        ParkingLot,
        Parts,
        Policer,
        Queue,
        Receiver,
        Reorder,
        Scenario,
        TraceDelay,
        TraceRate,
        Traffic,
    )
    from vegaslab.scenario.source import shipped_plans, shipped_scenarios
    from vegaslab.scenario.variants import VariantError
    from vegaslab.sweeps.analysis.analyse import SweepAnalysis, analyse
    from vegaslab.sweeps.analysis.cells import AnalysisError
    from vegaslab.sweeps.analysis.paper import figure
    from vegaslab.sweeps.cluster import ClusterError
    from vegaslab.sweeps.dataset import read_runs, read_series
    from vegaslab.sweeps.factorial.experiment import Factorial
    from vegaslab.sweeps.plans.plan import Plan
    from vegaslab.sweeps.plans.reading import PlanError
    from vegaslab.sweeps.sweep import sweep
    from vegaslab.util.errors import (
        AlgorithmError,
        FolderError,
        LimitError,
        MeasuredError,
        NotFoundError,
        ScenarioError,
        VegaslabError,
    )

__all__ = [
    "Access",
    "Against",
    "AlgorithmError",
    "AnalysisError",
    "ApplicationPhase",
    "Attack",
    "Backward",
    "BurstLoss",
    "Cache",
    "Change",
    "Claims",
    "ClusterError",
    "Comparison",
    "Conformance",
    "DelaySchedule",
    "Dossier",
    "Dumbbell",
    "Factorial",
    "Flow",
    "FolderError",
    "Graph",
    "Host",
    "Identified",
    "KernelWorld",
    "LimitError",
    "Link",
    "LinuxError",
    "LinuxWindow",
    "Listed",
    "Measured",
    "MeasuredError",
    "MediaLayer",
    "ModelledJitter",
    "NotFoundError",
    "PanelError",
    "ParkingLot",
    "Parts",
    "Plan",
    "PlanError",
    "Policer",
    "Queue",
    "Receiver",
    "Reorder",
    "Result",
    "Scenario",
    "ScenarioError",
    "SeedComparison",
    "Series",
    "SuffixError",
    "SweepAnalysis",
    "TraceDelay",
    "TraceRate",
    "Traffic",
    "UnknownNameError",
    "VariantError",
    "VegaslabError",
    "WidthError",
    "__version__",
    "against",
    "analyse",
    "attack",
    "cache",
    "catalogue",
    "check",
    "cite",
    "compare",
    "compare_seeds",
    "conform",
    "evaluate",
    "explain",
    "export",
    "factorial",
    "figure",
    "identify",
    "measured",
    "model",
    "plot",
    "read_runs",
    "read_series",
    "reproduce",
    "run",
    "schema",
    "shipped_plans",
    "shipped_scenarios",
    "sweep",
]

_NAMES_OF = {
    "_vegaslab": ("version",),
    "commands.catalogue": ("catalogue", "check", "schema"),
    "commands.results.cite": ("cite",),
    "commands.explain": ("UnknownNameError", "explain"),
    "commands.many_runs.attack": ("Attack", "attack"),
    "commands.many_runs.cache": ("Cache", "cache"),
    "commands.many_runs.conform": ("Conformance", "conform"),
    "commands.many_runs.evaluate": ("evaluate",),
    "commands.many_runs.factorial": ("factorial",),
    "commands.many_runs.reproduce": ("Claims", "reproduce"),
    "commands.model": ("model",),
    "evaluation.report.writing": ("Dossier",),
    "reports.tables": ("Listed",),
    "sweeps.factorial.experiment": ("Factorial",),
    "util.errors": (
        "AlgorithmError",
        "FolderError",
        "LimitError",
        "MeasuredError",
        "NotFoundError",
        "ScenarioError",
        "VegaslabError",
    ),
    "measuring.guest.world": ("KernelWorld",),
    "measuring.linux": ("LinuxError",),
    "measuring.measured.against": ("Against", "against"),
    "measuring.measured.identify": ("Identified", "identify"),
    "measuring.measured.measurement": ("Measured", "measured"),
    "runs.comparison": ("Comparison", "compare"),
    "sweeps.dataset": ("read_runs", "read_series"),
    "scenario.objects": (
        "Access",
        "ApplicationPhase",
        "Backward",
        "BurstLoss",
        "Change",
        "DelaySchedule",
        "Dumbbell",
        "Flow",
        "Graph",
        "Host",
        "Link",
        "LinuxWindow",
        "MediaLayer",
        "ModelledJitter",
        "ParkingLot",
        "Parts",
        "Policer",
        "Queue",
        "Receiver",
        "Reorder",
        "Scenario",
        "TraceDelay",
        "TraceRate",
        "Traffic",
    ),
    "sweeps.analysis.cells": ("AnalysisError",),
    "sweeps.cluster": ("ClusterError",),
    "reports.panels": ("PanelError",),
    "reports.figure": ("SuffixError",),
    "scenario.variants": ("VariantError",),
    "reports.paper": ("WidthError",),
    "sweeps.plans.plan": ("Plan",),
    "sweeps.plans.reading": ("PlanError",),
    "runs.exporting": ("export",),
    "runs.plotting": ("plot",),
    "runs.result": ("Result", "Series", "run"),
    "runs.seeds.compare": ("SeedComparison", "compare_seeds"),
    "scenario.source": ("shipped_plans", "shipped_scenarios"),
    "sweeps.analysis.paper": ("figure",),
    "sweeps.analysis.analyse": ("SweepAnalysis", "analyse"),
    "sweeps.sweep": ("sweep",),
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names}


def __getattr__(name: str) -> "Any":
    # names are resolved on first use, since most programs use few
    from importlib import import_module

    wanted = "version" if name == "__version__" else name
    if wanted not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[wanted]}"), wanted)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

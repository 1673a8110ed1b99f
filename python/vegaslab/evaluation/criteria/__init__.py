"""The chapters of the dossier, in the order of RFC 9743; then the suites."""

from vegaslab.evaluation.criteria import (
    deployment,
    general,
    low_latency,
    mixed,
    single,
    special,
    suites,
    transients,
)
from vegaslab.evaluation.criterion import Criterion

ALL: tuple[Criterion, ...] = (
    *single.CRITERIA,
    *mixed.CRITERIA,
    *deployment.CRITERIA,
    *general.CRITERIA,
    *special.CRITERIA,
    *transients.CRITERIA,
    *low_latency.CRITERIA,
    *suites.CRITERIA,
)

"""The chapters of the dossier, in the order of RFC 9743; then the suites."""

from vegaslab.evaluation.criteria import deployment, general, mixed, single, special, suites, transients
from vegaslab.evaluation.criterion import Criterion

ALL: tuple[Criterion, ...] = (
    *single.CRITERIA,
    *mixed.CRITERIA,
    *deployment.CRITERIA,
    *general.CRITERIA,
    *special.CRITERIA,
    *transients.CRITERIA,
    *suites.CRITERIA,
)

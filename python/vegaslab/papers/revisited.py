"""TCP Vegas Revisited (Hengartner, Bolliger, Gross, 2000): tables I to XII, figure 2, all its designs."""

from vegaslab.papers import revisited_factors, revisited_flows, revisited_mechanisms, revisited_tables
from vegaslab.papers.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = (
    *revisited_tables.EXPERIMENTS,
    *revisited_factors.EXPERIMENTS,
    *revisited_mechanisms.EXPERIMENTS,
    *revisited_flows.EXPERIMENTS,
)

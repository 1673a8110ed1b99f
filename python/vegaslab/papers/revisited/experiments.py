"""TCP Vegas Revisited (Hengartner, Bolliger, Gross, 2000): tables I to XII, figure 2, all its designs."""

from vegaslab.papers.experiments.experiment import Experiment
from vegaslab.papers.revisited import factors, flows, mechanisms, tables

EXPERIMENTS: tuple[Experiment, ...] = (
    *tables.EXPERIMENTS,
    *factors.EXPERIMENTS,
    *mechanisms.EXPERIMENTS,
    *flows.EXPERIMENTS,
)

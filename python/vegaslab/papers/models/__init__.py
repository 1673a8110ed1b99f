"""The papers' closed forms: `gallop`, `slow_start`, `rovegas`, `factorial`; each function names its equation."""

from vegaslab.papers.models import factorial, gallop, rovegas, slow_start

__all__ = ["factorial", "gallop", "rovegas", "slow_start"]

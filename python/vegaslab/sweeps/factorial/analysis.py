"""Analysis of a two-level design with replications by Jain's method (The Art of Computer Systems Performance Analysis,
1991, chapters 17 to 19).

Blocks are an addition: where every cell runs with the same seeds, the part of a seed that is common to all cells is no
error of an effect, and can be subtracted (a randomized complete block design: Box, Hunter, Hunter, Statistics for
Experimenters, 2005, chapter 4).
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from vegaslab.statistics import mean_interval, two_sided_p, two_sided_t
from vegaslab.sweeps.plans.design import Design, DesignError, Effect

Floats = NDArray[np.float64]

WIDE_RANGE = 10.0
"""The ratio of greatest to least response from which a logarithm is worth trying (Jain 1991, section 18.8)."""

UNEQUAL_SPREADS = 0.01
"""The probability in the Brown-Forsythe test below which the model's equally spread errors are doubtful."""

SEEDS_MATTER = 0.5
"""The part of the errors common to all cells of a seed from which a note suggests blocks."""

BENT = 0.95
"""The correlation of the normal Q-Q plot below which a note calls it bent."""


@dataclass(frozen=True, kw_only=True)
class EffectEstimate:
    """One effect: half the mean difference between its high and its low cells."""

    effect: Effect
    value: float
    share: float
    """The part of the total variation that the effect explains, 0 to 1; NaN for the mean, and where nothing varies."""
    half_width: float
    """Half the width of the confidence interval; NaN with one replication."""
    p_value: float
    """The probability of an effect this large if the true one is 0; NaN with one replication."""

    @property
    def name(self) -> str:
        """The effect's word; I for the mean."""
        return self.effect.name

    @property
    def significant(self) -> bool | None:
        """Whether the interval excludes 0; `None` if there is no interval."""
        return None if math.isnan(self.half_width) else abs(self.value) > self.half_width


@dataclass(frozen=True)
class Analysis:
    """The analysis of one response. `responses` has shape (cells, replications), cells in the design's order.

    With `blocks`, replication i of every cell has the same seed, and the seeds' means are subtracted from the errors.
    """

    design: Design
    responses: Floats
    level: float = 0.90
    blocks: bool = False

    @staticmethod
    def of(design: Design, responses: ArrayLike, level: float = 0.90, *, blocks: bool = False) -> "Analysis":
        """Checks shape and level. `level` lies between 0 and 1. Raises `DesignError`."""
        table = np.asarray(responses, dtype=np.float64)
        if table.ndim != 2 or table.shape[0] != design.cells or table.shape[1] < 1:
            shape = " x ".join(map(str, table.shape))
            raise DesignError(f"responses: {shape} were given; {design.cells} cells x one or more replications")
        if not np.isfinite(table).all():
            raise DesignError("responses: a value is missing or not finite; every cell needs all replications")
        if not 0 < level < 1:
            raise DesignError(f"level: {level:g} was given; a number between 0 and 1, such as 0.9")
        return Analysis(design, table, level, blocks)

    @property
    def replications(self) -> int:
        """The number of runs of each cell."""
        return int(self.responses.shape[1])

    @property
    def degrees(self) -> int:
        """The degrees of freedom of the errors: cells times (replications - 1); with blocks, (cells - 1) times that
        factor.
        """
        return (self.design.cells - self.blocks) * (self.replications - 1)

    @cached_property
    def cell_means(self) -> Floats:
        """The mean of each cell, which is also what the model with all effects predicts for it."""
        return np.asarray(self.responses.mean(axis=1), dtype=np.float64)

    @cached_property
    def seed_effects(self) -> Floats:
        """The difference of each seed's mean from the mean of all runs, shape (replications,)."""
        return np.asarray(self.responses.mean(axis=0) - self.responses.mean(), dtype=np.float64)

    @cached_property
    def residuals(self) -> Floats:
        """The response minus the cell's mean, and with blocks minus the seed's effect; shape (cells, replications)."""
        residuals = self.responses - self.cell_means[:, None] - (self.seed_effects if self.blocks else 0.0)
        return np.asarray(residuals, dtype=np.float64)

    @cached_property
    def total_variation(self) -> float:
        """SST: the sum of squared differences from the mean of all runs."""
        return float(((self.responses - self.responses.mean()) ** 2).sum())

    @property
    def seed_variation(self) -> float:
        """The sum of squares that is common to all cells of a seed."""
        return float(self.design.cells * (self.seed_effects**2).sum())

    @cached_property
    def error_variation(self) -> float:
        """SSE: the sum of squared residuals."""
        return float((self.residuals**2).sum())

    @property
    def error_share(self) -> float:
        """Part of the total variation that nothing explains, 0 to 1; NaN with one replication or if nothing varies."""
        return self._share_of_chance(self.error_variation)

    @property
    def seed_share(self) -> float:
        """The part of the total variation that the seeds explain; NaN without blocks, with one replication or if
        nothing varies.
        """
        return self._share_of_chance(self.seed_variation) if self.blocks else math.nan

    def _share_of_chance(self, variation: float) -> float:
        if self.replications < 2 or self.total_variation == 0:
            return math.nan
        return variation / self.total_variation

    @property
    def error_deviation(self) -> float:
        """s_e: the standard deviation of errors; NaN with one replication, which gives no estimate of it."""
        return math.sqrt(self.error_variation / self.degrees) if self.degrees else math.nan

    @property
    def effect_deviation(self) -> float:
        """s_q: the standard deviation of each effect; NaN with one replication."""
        return self.error_deviation / math.sqrt(self.responses.size)

    @property
    def half_width(self) -> float:
        """Half the width of every effect's confidence interval; NaN with one replication."""
        return two_sided_t(self.level, self.degrees) * self.effect_deviation if self.degrees else math.nan

    @property
    def cell_half_width(self) -> float:
        """Half the width of a cell mean's confidence interval, from the errors of all cells; NaN with one replication.

        Blocks do not narrow it: other seeds would shift every cell.
        """
        if self.blocks or not self.degrees:
            return self._without_blocks.cell_half_width if self.degrees else math.nan
        return two_sided_t(self.level, self.degrees) * self.error_deviation / math.sqrt(self.replications)

    @property
    def _without_blocks(self) -> "Analysis":
        return Analysis(self.design, self.responses, self.level)

    @cached_property
    def effects(self) -> tuple[EffectEstimate, ...]:
        """All effects, the mean first."""
        return tuple(self._estimate(effect) for effect in self.design.effects)

    def _estimate(self, effect: Effect) -> EffectEstimate:
        value = float(effect.signs @ self.cell_means) / self.design.cells
        if not effect.word and self.blocks:
            mean = mean_interval(self.responses.mean(axis=0), self.level)
            return EffectEstimate(
                effect=effect, value=value, share=math.nan, half_width=mean.half_width, p_value=mean.p_value
            )
        varies = bool(effect.word) and self.total_variation > 0
        return EffectEstimate(
            effect=effect,
            value=value,
            share=self.responses.size * value**2 / self.total_variation if varies else math.nan,
            half_width=self.half_width,
            p_value=two_sided_p(value, self.effect_deviation, self.degrees) if self.degrees else math.nan,
        )

    def __getitem__(self, name: str) -> EffectEstimate:
        """Returns the effect of that word, such as "AB"; "I" is the mean."""
        return next(estimate for estimate in self.effects if estimate.name == name)

    @cached_property
    def normal_quantiles(self) -> tuple[Floats, Floats]:
        """The normal Q-Q plot: quantiles of the standard normal distribution at (i - 0.5)/n, and residuals in order."""
        ordered = np.sort(self.residuals, axis=None)
        places = (np.arange(len(ordered)) + 0.5) / len(ordered)
        return np.asarray(ndtri(places), dtype=np.float64), ordered

    @property
    def straightness(self) -> float:
        """The correlation of the normal Q-Q plot: 1 if residuals are normal; NaN if there are none."""
        if self.error_variation == 0:
            return math.nan
        return float(np.corrcoef(*self.normal_quantiles)[0, 1])

    @property
    def range_ratio(self) -> float:
        """The ratio of greatest to least response; NaN unless all are positive."""
        least = float(self.responses.min())
        return float(self.responses.max()) / least if least > 0 else math.nan

    @cached_property
    def equal_spreads_p_value(self) -> float:
        """The probability of spreads this unequal if the errors of all cells have one spread; NaN below three
        replications.

        The test is that of Brown and Forsythe (1974), which does not assume normal errors.
        """
        if self.replications < 3 or self.error_variation == 0:
            return math.nan
        # this import takes half a second
        from scipy.stats import levene

        return float(levene(*self.residuals, center="median").pvalue)

    @property
    def notes(self) -> tuple[str, ...]:
        """The limits of the analysis and the signs against its model; one line each."""
        return tuple(note for note in (self._note_on_errors(), *self._notes_on_residuals()) if note)

    def _note_on_errors(self) -> str:
        if self.replications == 1:
            return "one replication: errors cannot be estimated, so there are no intervals and shares include them"
        if self.error_variation == 0:
            return "replications do not differ: nothing random acts on this response, so intervals have no width"
        return ""

    def _notes_on_residuals(self) -> tuple[str, ...]:
        wide = self.range_ratio >= WIDE_RANGE
        spread = self.equal_spreads_p_value < UNEQUAL_SPREADS
        bent = self.straightness < BENT
        remedy = 'try transform = "log10"' if not math.isnan(self.range_ratio) else "try another response"
        alike = self._without_blocks.error_variation
        seeds = not self.blocks and alike > 0 and self.seed_variation > SEEDS_MATTER * alike
        return (
            f"{100 * self.seed_variation / alike:.0f} % of the errors are alike in all cells of a seed: "
            "blocks = true takes them out, if the cells share their seeds"
            if seeds
            else "",
            f"the greatest response is {self.range_ratio:.3g} times the least: {remedy}" if wide else "",
            f"cells' errors spread unequally (p = {self.equal_spreads_p_value:.2g}): {remedy}" if spread else "",
            f"errors are not normal (Q-Q correlation {self.straightness:.3f}): see the residual plots" if bent else "",
        )

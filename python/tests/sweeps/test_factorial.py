import math

import numpy as np
import pandas
import pytest
import statsmodels.formula.api as formulas
from statsmodels.stats.anova import anova_lm

from vegaslab.sweeps.factorial.analysis import Analysis
from vegaslab.sweeps.plans.design import Design, DesignError, Generator

# Jain's memory-cache study (chapters 17 and 18): A is the memory's size, B the cache's; cells in the order of
# the sign table, A changing first. Expected values are worked out by hand beside each test.
TWO = Design(("A", "B"))
UNREPLICATED = [[15], [45], [25], [75]]
REPLICATED = [[15, 18, 12], [45, 48, 51], [25, 28, 19], [75, 75, 81]]


def fraction(letters: str, *generators: str) -> Design:
    return Design(tuple(letters), tuple(map(Generator.parse, generators)))


def effects(analysis: Analysis) -> dict[str, float]:
    return {effect.name: effect.value for effect in analysis.effects}


def shares(analysis: Analysis) -> list[float]:
    return [round(100 * effect.share, 2) for effect in analysis.effects[1:]]


def test_the_textbook_design_without_replications() -> None:
    analysis = Analysis.of(TWO, UNREPLICATED)
    # (15+45+25+75)/4, (-15+45-25+75)/4, (-15-45+25+75)/4, (15-45-25+75)/4
    assert effects(analysis) == {"I": 40, "A": 20, "B": 10, "AB": 5}
    # SST = 4 (400 + 100 + 25) = 2100
    assert analysis.total_variation == 2100
    assert shares(analysis) == [76.19, 19.05, 4.76]
    assert math.isnan(analysis.half_width)
    assert analysis["A"].significant is None
    assert "one replication" in analysis.notes[0]


def test_the_textbook_design_with_three_replications() -> None:
    analysis = Analysis.of(TWO, REPLICATED, 0.90)
    # cell means 15, 48, 24, 77
    assert effects(analysis) == {"I": 41, "A": 21.5, "B": 9.5, "AB": 5}
    # residuals 0 3 -3, -3 0 3, 1 4 -5, -2 -2 4: 18 + 18 + 42 + 24
    assert analysis.error_variation == 102
    # 12 (21.5^2 + 9.5^2 + 5^2) + 102 = 5547 + 1083 + 300 + 102
    assert analysis.total_variation == 7032
    assert shares(analysis) == [78.88, 15.40, 4.27]
    assert round(100 * analysis.error_share, 2) == 1.45
    # s_e = sqrt(102/8) = 3.571, s_q = s_e/sqrt(12) = 1.031; t[0.95; 8] = 1.860 in any table: 1.917
    assert analysis.degrees == 8
    assert analysis.error_deviation == pytest.approx(3.571, abs=5e-4)
    assert analysis.effect_deviation == pytest.approx(1.031, abs=5e-4)
    assert analysis.half_width == pytest.approx(1.917, abs=1e-3)
    assert all(effect.significant for effect in analysis.effects)


def test_an_effect_that_its_interval_cannot_tell_from_none_is_not_significant() -> None:
    # cells 10, 20, 11, 19: effects 15, 4.5, 0, -0.5; SSE = 8 * 1 = 8, s_e = sqrt 2, s_q = 0.5, t[0.95; 4] = 2.132
    analysis = Analysis.of(TWO, [[9, 11], [19, 21], [10, 12], [18, 20]], 0.90)
    assert [effect.significant for effect in analysis.effects] == [True, True, False, False]
    assert analysis.half_width == pytest.approx(1.066, abs=1e-3)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_statsmodels_gives_the_same(level: float) -> None:
    random = np.random.default_rng(4)
    design = Design(("A", "B", "C"))
    responses = random.normal(50, 10, (8, 5)) + 7 * design.signs(frozenset("AC"))[:, None]
    analysis = Analysis.of(design, responses, level)
    frame = pandas.DataFrame(np.repeat(design.levels, 5, axis=0), columns=["A", "B", "C"])
    frame["y"] = responses.ravel()
    model = formulas.ols("y ~ A * B * C", frame).fit()
    table = anova_lm(model)
    bounds = model.conf_int(1 - level)
    for effect in analysis.effects:
        term = "Intercept" if effect.name == "I" else ":".join(effect.name)
        assert effect.value == pytest.approx(model.params[term], rel=1e-9)
        assert effect.value - effect.half_width == pytest.approx(bounds.loc[term, 0], rel=1e-9)
        assert effect.value + effect.half_width == pytest.approx(bounds.loc[term, 1], rel=1e-9)
        assert effect.p_value == pytest.approx(model.pvalues[term], rel=1e-6, abs=1e-12)
        if effect.name != "I":
            assert effect.share == pytest.approx(table.loc[term, "sum_sq"] / table["sum_sq"].sum(), rel=1e-9)
    assert analysis.error_variation == pytest.approx(model.ssr, rel=1e-9)
    predicted = model.get_prediction(frame.iloc[::5]).summary_frame(1 - level)
    assert analysis.cell_means == pytest.approx(predicted["mean"].to_numpy(), rel=1e-9)
    half_widths = (predicted["mean_ci_upper"] - predicted["mean_ci_lower"]).to_numpy() / 2
    assert half_widths == pytest.approx([analysis.cell_half_width] * 8, rel=1e-9)


def test_statsmodels_gives_the_same_for_a_fraction() -> None:
    design = fraction("ABCD", "D = ABC")
    responses = np.random.default_rng(7).normal(3, 1, (8, 4))
    analysis = Analysis.of(design, responses)
    frame = pandas.DataFrame(np.repeat(design.levels, 4, axis=0), columns=list("ABCD"))
    frame["y"] = responses.ravel()
    model = formulas.ols("y ~ A + B + C + D + A:B + A:C + A:D", frame).fit()
    for effect in analysis.effects:
        term = "Intercept" if effect.name == "I" else ":".join(effect.name)
        assert effect.value == pytest.approx(model.params[term], rel=1e-9)
        assert effect.p_value == pytest.approx(model.pvalues[term], rel=1e-6)


def aliases(design: Design, name: str) -> list[str]:
    return next([str(alias) for alias in effect.aliases] for effect in design.effects if effect.name == name)


def test_the_fraction_2_to_the_4_less_1_is_of_resolution_iv() -> None:
    design = fraction("ABCD", "D = ABC")
    assert (design.name, design.cells, design.resolution_name) == ("2^(4-1)", 8, "IV")
    assert [str(word) for word in design.defining_relation] == ["ABCD"]
    assert [effect.name for effect in design.effects] == ["I", "A", "B", "C", "D", "AB", "AC", "AD"]
    assert aliases(design, "D") == ["ABC"]
    assert aliases(design, "AB") == ["CD"]
    assert (design.levels[:, 3] == design.levels[:, :3].prod(axis=1)).all()


def test_jains_fraction_2_to_the_7_less_4() -> None:
    # chapter 19: D = AB, E = AC, F = BC, G = ABC; 16 words in the defining relation, the mean's included
    design = fraction("ABCDEFG", "D = AB", "E = AC", "F = BC", "G = ABC")
    assert (design.name, design.cells, design.resolution_name) == ("2^(7-4)", 8, "III")
    words = [str(word) for word in design.defining_relation]
    assert words == sorted(words, key=lambda word: (len(word), word))
    assert words[:7] == ["ABD", "ACE", "AFG", "BCF", "BEG", "CDG", "DEF"]
    assert (len(words), words[-1]) == (15, "ABCDEFG")
    assert aliases(design, "A")[:3] == ["BD", "CE", "FG"]
    assert [effect.name for effect in design.effects] == ["I", *"ABCDEFG"]
    # columns are orthogonal and balanced
    assert (design.levels.T @ design.levels == 8 * np.eye(7)).all()


@pytest.mark.parametrize(
    ("letters", "generators", "cells", "resolution"),
    [
        ("ABCD", ["D = ABC"], 8, "IV"),
        ("ABCDE", ["E = ABCD"], 16, "V"),
        ("ABCDE", ["D = AB", "E = AC"], 8, "III"),
        ("ABCDEF", ["F = ABCDE"], 32, "VI"),
        ("ABCDEF", ["E = ABC", "F = ABD"], 16, "IV"),
        ("ABCDEFG", ["G = ABCDEF"], 64, "VII"),
        ("ABCDEFG", ["F = ABCD", "G = ABCE"], 32, "IV"),
        ("ABCDEFG", ["E = ABC", "F = ABD", "G = ACD"], 16, "IV"),
    ],
)
def test_published_fractions_have_their_resolution(
    letters: str, generators: list[str], cells: int, resolution: str
) -> None:
    design = fraction(letters, *generators)
    assert (design.cells, design.resolution_name) == (cells, resolution)
    assert (design.levels.T @ design.levels == cells * np.eye(len(letters))).all()


def test_a_negative_generator_turns_the_signs_of_aliases() -> None:
    design = fraction("ABC", "C = -AB")
    assert [str(word) for word in design.defining_relation] == ["-ABC"]
    assert aliases(design, "C") == ["-AB"]
    assert (design.levels[:, 2] == -design.levels[:, 0] * design.levels[:, 1]).all()


def test_a_fraction_gives_the_sum_of_what_it_confounds() -> None:
    # y = 10 + 3A + 2D + 4BC; D = ABC, so BC = AD and nothing else is moved
    design = fraction("ABCD", "D = ABC")
    levels = dict(zip("ABCD", design.levels.T, strict=True))
    response = 10 + 3 * levels["A"] + 2 * levels["D"] + 4 * levels["B"] * levels["C"]
    assert effects(Analysis.of(design, response[:, None])) == {
        "I": 10,
        "A": 3,
        "B": 0,
        "C": 0,
        "D": 2,
        "AB": 0,
        "AC": 0,
        "AD": 4,
    }


def test_a_full_design_confounds_nothing() -> None:
    design = Design(tuple("ABC"))
    assert (design.cells, design.resolution, design.defining_relation) == (8, None, ())
    assert design.levels[:3].tolist() == [[-1, -1, -1], [1, -1, -1], [-1, 1, -1]]
    assert all(effect.aliases == () for effect in design.effects)


@pytest.mark.parametrize(
    ("letters", "generators", "word"),
    [
        ("", [], "0 factors"),
        ("AA", [], '"A"'),
        ("AI", [], '"I"'),
        ("ABC", ["C = AE"], "names E"),
        ("ABCD", ["C = AB", "D = AC"], "uses C"),
        ("ABC", ["C = AB", "C = -AB"], "same letter"),
        ("ABC", ["C == AB"], "C == AB"),
        ("ABC", ["C = AAB"], "AAB"),
    ],
)
def test_what_is_no_design_is_refused(letters: str, generators: list[str], word: str) -> None:
    with pytest.raises(DesignError, match=word):
        fraction(letters, *generators)


@pytest.mark.parametrize(
    ("responses", "level", "word"),
    [
        ([[1], [2], [3]], 0.9, "3 x 1"),
        ([[1], [2], [3], [math.nan]], 0.9, "missing"),
        ([[1], [2], [3], [4]], 1.0, "level"),
    ],
)
def test_responses_that_do_not_fit_are_refused(responses: list[list[float]], level: float, word: str) -> None:
    with pytest.raises(DesignError, match=word):
        Analysis.of(TWO, responses, level)


def test_a_response_without_chance_is_said_to_be_so() -> None:
    analysis = Analysis.of(TWO, [[15, 15], [45, 45], [25, 25], [75, 75]])
    assert "replications do not differ" in analysis.notes[0]
    assert analysis.half_width == 0


def test_multiplicative_responses_call_for_a_logarithm() -> None:
    random = np.random.default_rng(1)
    responses = np.exp(random.normal(0, 0.3, (4, 20)) + 2 * TWO.signs(frozenset("A"))[:, None])
    notes = " ".join(Analysis.of(TWO, responses).notes)
    assert 'transform = "log10"' in notes
    assert "unequally" in notes
    assert Analysis.of(TWO, np.log10(responses) + 9).notes == ()


def test_errors_that_are_not_normal_are_noted() -> None:
    errors = [0.0] * 19 + [9.0]
    analysis = Analysis.of(TWO, np.array([errors] * 4) + 20)
    assert any("not normal" in note for note in analysis.notes)


def test_blocks_take_what_a_seed_does_to_all_cells_out_of_the_errors() -> None:
    random = np.random.default_rng(11)
    seeds = random.normal(0, 20, 6)
    responses = random.normal(50, 1, (4, 6)) + seeds + 2 * TWO.signs(frozenset("A"))[:, None]
    blind, blocked = Analysis.of(TWO, responses), Analysis.of(TWO, responses, blocks=True)
    assert blind["A"].significant is False
    assert any("blocks = true" in note for note in blind.notes)
    assert blocked["A"].significant is True
    assert blocked["A"].value == blind["A"].value
    assert blocked.degrees == 15
    frame = pandas.DataFrame(np.repeat(TWO.levels, 6, axis=0), columns=["A", "B"])
    frame["y"], frame["seed"] = responses.ravel(), list(range(6)) * 4
    model = formulas.ols("y ~ A * B + C(seed)", frame).fit()
    bounds = model.conf_int(0.1)
    for name, term in (("A", "A"), ("B", "B"), ("AB", "A:B")):
        effect = blocked[name]
        assert effect.value - effect.half_width == pytest.approx(bounds.loc[term, 0], rel=1e-9)
        assert effect.p_value == pytest.approx(model.pvalues[term], rel=1e-6)
    shares = [effect.share for effect in blocked.effects[1:]]
    assert sum(shares) + blocked.seed_share + blocked.error_share == pytest.approx(1)

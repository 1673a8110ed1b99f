"""The table `[factorial]` of a plan: factors with their levels, generators, responses and the level of confidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from vegaslab.sweeps.plans.design import Design, DesignError, Generator
from vegaslab.sweeps.plans.reading import Reader

Settings = dict[str, object]
"""Values by dotted key of the scenario."""

Transform = Literal["none", "log10"]

_KEYS = ("factor", "set", "generators", "responses", "level", "blocks", "transform")
_FACTOR_KEYS = ("name", "key", "low", "high")
_TRANSFORMS = ("none", "log10")


@dataclass(frozen=True)
class Factor:
    """A factor, which has two levels; a level may set several keys."""

    letter: str
    name: str
    low: Settings
    high: Settings


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A checked table `[factorial]`."""

    design: Design
    factors: tuple[Factor, ...]
    fixed: Settings
    """The values set in all cells, before the factors' values."""
    responses: tuple[str, ...]
    """The columns of the runs that are analysed."""
    level: float
    blocks: bool
    transform: Transform

    @property
    def names(self) -> dict[str, str]:
        """The factors' names by letter."""
        return {factor.letter: factor.name for factor in self.factors}

    @property
    def cells(self) -> list[Settings]:
        """Returns the values that each cell of the design sets, in the design's order."""
        return [self._cell(levels) for levels in self.design.levels.tolist()]

    def _cell(self, levels: list[int]) -> Settings:
        cell = dict(self.fixed)
        for factor, level in zip(self.factors, levels, strict=True):
            cell |= factor.high if level > 0 else factor.low
        return cell


def read_spec(reader: Reader, given: object) -> Spec:
    """Checks the table. Raises `PlanError`."""
    table = reader.table("factorial", given)
    reader.check_keys("factorial", table, _KEYS)
    factors = _factors(reader, table.get("factor", {}))
    fixed = reader.table("factorial.set", table.get("set", {}))
    return Spec(
        design=_design(reader, factors, table.get("generators", [])),
        factors=factors,
        fixed=fixed,
        responses=_responses(reader, table.get("responses", [])),
        level=_level(reader, table.get("level", 0.95)),
        blocks=_flag(reader, "factorial.blocks", table.get("blocks", False)),
        transform=_transform(reader, table.get("transform", "none")),
    )


def _factors(reader: Reader, given: object) -> tuple[Factor, ...]:
    table = reader.table("factorial.factor", given)
    if not table:
        reader.fail("factorial.factor", "no factor was given; write [factorial.factor.A] with name, low and high")
    factors = tuple(_factor(reader, letter, table[letter]) for letter in sorted(table))
    owners: dict[str, str] = {}
    for factor in factors:
        for key in dict.fromkeys([*factor.low, *factor.high]):
            if owners.setdefault(key, factor.letter) != factor.letter:
                key_of = f"factorial.factor.{factor.letter}"
                reader.fail(key_of, f'sets "{key}", as {owners[key]} does; a key belongs to one factor')
    return factors


def _factor(reader: Reader, letter: str, given: object) -> Factor:
    key = f"factorial.factor.{letter}"
    table = reader.table(key, given)
    reader.check_keys(key, table, _FACTOR_KEYS)
    for level in ("low", "high"):
        if level not in table:
            reader.fail(key, f"has no {level}; give both levels")
    low, high = (_settings(reader, key, level, table) for level in ("low", "high"))
    if low == high:
        reader.fail(key, "has the same values at both levels; let something differ")
    name = table.get("name", table.get("key", letter))
    if not isinstance(name, str):
        reader.fail(f"{key}.name", f"{name!r} was given; expected text")
    return Factor(letter, name, low, high)


def _settings(reader: Reader, key: str, level: str, table: Mapping[str, Any]) -> Settings:
    one = table.get("key")
    if one is None:
        settings = table[level]
        if not isinstance(settings, dict):
            right = 'give a table of keys, or the key they are values of: key = "topology.bottleneck.queue"'
            reader.fail(f"{key}.{level}", f"{settings!r} was given; {right}")
        return settings
    if not isinstance(one, str):
        reader.fail(f"{key}.key", f"{one!r} was given; expected a key of the scenario")
    return {one: table[level]}


def _design(reader: Reader, factors: tuple[Factor, ...], generators: object) -> Design:
    if not isinstance(generators, list) or not all(isinstance(text, str) for text in generators):
        reader.fail("factorial.generators", f'{generators!r} was given; a list such as ["D = ABC"]')
    try:
        return Design(tuple(factor.letter for factor in factors), tuple(map(Generator.parse, generators)))
    except DesignError as error:
        reader.fail("factorial.generators" if generators else "factorial.factor", str(error))


def _responses(reader: Reader, given: object) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(column, str) for column in given):
        reader.fail("factorial.responses", f'{given!r} was given; columns of runs, such as ["flow.0.goodput_mbps"]')
    return tuple(reader.distinct("factorial.responses", given))


def _level(reader: Reader, given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < 1:
        reader.fail("factorial.level", f"{given!r} was given; a number between 0 and 1, such as 0.95")
    return float(given)


def _flag(reader: Reader, key: str, given: object) -> bool:
    if not isinstance(given, bool):
        reader.fail(key, f"{given!r} was given; true or false")
    return given


def _transform(reader: Reader, given: object) -> Transform:
    if given not in _TRANSFORMS:
        reader.fail("factorial.transform", f'{given!r} was given; expected "none" or "log10"')
    return cast("Transform", given)

"""Plans: a scenario, and the keys that vary in it."""

import copy
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn, cast

from vegaslab import _vegaslab
from vegaslab.scenario.own.naming import table_of_class
from vegaslab.scenario.source import ScenarioLike, find, read, shipped_plans
from vegaslab.sweeps.plans.factorial import Spec, read_spec
from vegaslab.sweeps.plans.hypercube import Range, latin_hypercube
from vegaslab.sweeps.plans.reading import SERIES, PlanError, Reader
from vegaslab.util.errors import ScenarioError

Cell = dict[str, object]
"""A combination of values by dotted key of the scenario, as in the argument `set` of `vegaslab.run`."""

Axis = Sequence[Cell]
"""Alternatives; each cell takes one of them."""

_VARIED = ("set", "grid", "zip", "list", "random", "factorial")
_KEYS = ("name", "scenario", "replications", "seed", *_VARIED, "limits", "series")
_LIMITS = ("events", "memory", "time")
_SEED_MAX = 2**64 - 1
# a cell that cannot run is a failure of that cell; a key for which no value runs in these cells is an error of the plan
_CELLS_TRIED = 1000
# ids and rows of more would take some gigabytes
_RUNS_MAX = 10_000_000


@dataclass(frozen=True)
class Limits:
    """The limits beyond which a run counts as failed."""

    events: int | None = None
    memory_bytes: int = 1_000_000_000
    """The memory that grows with the run: packets in flight, incidents, connections."""
    wall_s: float | None = None
    """The limit of wall-clock time, s; a run close to it fails on one machine and not on another."""


def _plain(value: object) -> object:
    if isinstance(value, type):
        return table_of_class(value)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


class Plan:
    """Which runs a sweep makes: the cells, each with every seed.

    `set` are values of all cells. `grid` is every combination of the values by key, `zip` takes the values of all keys
    side by side, `list` says each combination, `random` samples ranges, `factorial` is a two-level design
    (docs/factorial.md). What several of them give is combined, every one with every other. Keys are dotted, such as
    `flow.0.alpha`. `replications` is how many seeds each cell runs with: the same ones in every cell, counted up from
    `seed` (default: the scenario's).

    `series` are the time series that a sweep keeps of each run, of "flows" and "links".

    Raises `PlanError` for what is wrong in the plan, `ScenarioError` for a scenario that cannot be read.

    >>> import vegaslab
    >>> plan = vegaslab.Plan(
    ...     "gallop-50mbit", grid={"flow.0.alpha": [1, 2], "flow.0.algorithm": ["vegas", "gallop"]}, replications=3
    ... )
    >>> plan
    <vegaslab.Plan plan: 4 cells x 3 seeds>
    >>> len(plan), next(plan.cells())
    (12, {'flow.0.alpha': 1, 'flow.0.algorithm': 'vegas'})
    """

    def __init__(
        self,
        scenario: ScenarioLike,
        *,
        set: Mapping[str, object] | None = None,
        grid: Mapping[str, Sequence[object]] | None = None,
        zip: Mapping[str, Sequence[object]] | None = None,
        list: Sequence[Mapping[str, object]] | None = None,
        random: Mapping[str, object] | None = None,
        factorial: Mapping[str, object] | None = None,
        replications: int = 1,
        seed: int | None = None,
        limits: Mapping[str, object] | None = None,
        series: Sequence[str] | None = None,
        name: str = "plan",
    ) -> None:
        """The same keys as in a file; see `docs/sweeps.md`."""
        varied = {"set": set, "grid": grid, "zip": zip, "list": list, "random": random, "factorial": factorial}
        given = {**varied, "replications": replications, "seed": seed, "limits": limits, "series": series}
        document = {key: value for key, value in given.items() if value is not None}
        try:
            document = json.loads(json.dumps(document, default=_plain))
        except (TypeError, ValueError) as error:
            raise PlanError(f"Plan: {error}; a plan holds text, numbers, booleans, lists and dicts") from None
        self._set_up(Reader("Plan", {}), {"name": name, **document}, scenario)

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> "Plan":
        """Reads a TOML file, or the shipped plan of that name.

        Raises `PlanError`, `ScenarioError`, or `OSError` for a file that cannot be read.
        """
        path = find(path, shipped_plans(), "plan")
        reader, document = Reader.of_file(path)
        reader.check_keys("", document, _KEYS)
        scenario = document.pop("scenario", None)
        if isinstance(scenario, str):
            beside = path.parent / scenario
            scenario = beside if beside.exists() or len(Path(scenario).parts) > 1 else scenario
        elif not isinstance(scenario, dict):
            reader.fail("scenario", 'name a scenario\'s file, such as scenario = "gallop-50mbit.toml", or give a table')
        plan = cls.__new__(cls)
        plan._set_up(reader, {"name": path.stem, **document}, scenario, inline_source=str(path))
        return plan

    def _set_up(
        self, reader: Reader, document: dict[str, Any], scenario: ScenarioLike, inline_source: str | None = None
    ) -> None:
        text, file_format, source = read(scenario)
        if inline_source is not None and isinstance(scenario, Mapping):
            source = inline_source
        self.source = source
        self._reader = reader
        self._scenario = (text, file_format, source)
        self.template = _vegaslab.Template(text, file_format, source)
        base = json.loads(text if file_format == "json" else _vegaslab.read_toml(text, source)[0])
        self.document = {**document, "scenario": base}
        """The plan as plain values, with its scenario included."""
        self.name = reader.name("name", document.get("name"))
        first_seed = document.get("seed", base.get("seed", 1) if isinstance(base, dict) else 1)
        self.replications = reader.whole("replications", document.get("replications", 1), least=1)
        first_seed = reader.whole("seed", first_seed, least=0)
        if first_seed + self.replications - 1 > _SEED_MAX:
            reader.fail("seed", "the last replication's seed would need more than 64 bits")
        self.seeds = range(first_seed, first_seed + self.replications)
        """The seeds with which each cell runs."""
        self.factorial: Spec | None = read_spec(reader, document["factorial"]) if "factorial" in document else None
        """The design that the plan's factors form."""
        self.axes = _axes(reader, document, self.factorial)
        self.limits = _limits(reader, document.get("limits", {}))
        self.number_of_cells = 1
        for axis in self.axes:
            self.number_of_cells *= len(axis)
        if self.number_of_cells * self.replications > _RUNS_MAX:
            runs = f"{self.number_of_cells} cells with {self.replications} seeds each"
            reader.fail("replications", f"{runs} are more than {_RUNS_MAX} runs; write fewer, or several plans")
        self.series = self._checked_series(document.get("series", []))
        """The time series that are kept of each run, among `SERIES`."""
        self._check_keys()

    def with_series(self, series: Sequence[str]) -> "Plan":
        """Returns the plan with other time series to keep. Raises `PlanError`."""
        plan = copy.copy(self)
        plan.series = self._checked_series(list(series))
        plan.document = {**self.document, "series": list(plan.series)}
        return plan

    def with_set(self, values: Mapping[str, object]) -> "Plan":
        """Returns the plan with these values, by dotted key, in all of its cells. Raises `PlanError`."""
        plan = copy.copy(self)
        plan.document = {**self.document, "set": {**self.document.get("set", {}), **values}}
        plan.axes = _axes(self._reader, plan.document, self.factorial)
        plan.__dict__.pop("varied", None)
        plan._check_keys()
        return plan

    def _checked_series(self, given: object) -> tuple[str, ...]:
        if not isinstance(given, list) or any(name not in SERIES for name in given):
            self.fail("series", f'{given!r} was given; expected a list of "flows", "links" or both')
        if given and self.document["scenario"].get("sample") == "off" and "sample" not in self.varied:
            self.fail("series", 'the scenario has sample = "off"; give it a step, such as "100ms"')
        return tuple(name for name in SERIES if name in given)

    def __len__(self) -> int:
        """The number of runs: cells times replications."""
        return self.number_of_cells * self.replications

    def cells(self) -> Iterator[Cell]:
        """Yields every combination, the last axis fastest."""
        return (self.cell(number) for number in range(self.number_of_cells))

    def cell(self, number: int) -> Cell:
        """Returns one combination by its number, from 0."""
        parts = []
        for axis in reversed(self.axes):
            number, place = divmod(number, len(axis))
            parts.append(axis[place])
        return {key: value for part in reversed(parts) for key, value in part.items()}

    @cached_property
    def varied(self) -> dict[str, list[object]]:
        """Returns every value that occurs, by key, in the order of the plan."""
        values: dict[str, list[object]] = {}
        for axis in self.axes:
            for part in axis:
                for key, value in part.items():
                    values.setdefault(key, []).append(value)
        return values

    @property
    def run_options(self) -> dict[str, Any]:
        """The options that all runs share, in the native half's form: limits and series."""
        return {**asdict(self.limits), "series": list(self.series)}

    @property
    def scenario(self) -> tuple[str, str, str]:
        """The scenario in the native half's form: text, format ("toml" or "json"), name in messages."""
        return self._scenario

    def fail(self, key: str, message: str) -> NoReturn:
        """Raises a `PlanError` about a key of the plan."""
        self._reader.fail(key, message)

    def _check_keys(self) -> None:
        """Refuses a key for which no value lets any cell run."""
        unproven = set(self.varied)
        errors: dict[str, str] = {}
        for number in range(min(self.number_of_cells, _CELLS_TRIED)):
            cell = self.cell(number)
            if number and not unproven.intersection(cell):
                continue
            try:
                self.template.scenario(json.dumps(cell), self.seeds[0])
                unproven.difference_update(cell)
                if not unproven:
                    return
            except ScenarioError as error:
                for key in cell:
                    errors.setdefault(key, str(error))
                errors.setdefault("", str(error))
        if not unproven and not errors:
            return
        guilty = [key for key in self.varied if key in unproven and f"with {key}=" in errors.get(key, "")]
        key = (guilty or [key for key in self.varied if key in unproven] or [""])[0]
        message = errors.get(key, "").removeprefix(f"{self.source}: ")
        if guilty:
            self._reader.fail(self._section(key), message)
        raise PlanError(f"{self._reader.source}: {errors.get(key, '')}")

    def _section(self, key: str) -> str:
        """Returns the section of the plan that says how a key varies."""
        for section in ("set", "grid", "zip", "random"):
            if key in self.document.get(section, {}):
                return f"{section}.{key}"
        for factor in self.factorial.factors if self.factorial else ():
            if key in factor.low or key in factor.high:
                return f"factorial.factor.{factor.letter}"
        number = next((n for n, part in enumerate(self.document.get("list", [])) if key in part), None)
        return key if number is None else f"list.{number}.{key}"

    def __repr__(self) -> str:
        """Names the plan and its extent."""
        return f"<vegaslab.Plan {self.name}: {self.number_of_cells} cells x {self.replications} seeds>"


def _axes(reader: Reader, document: Mapping[str, Any], factorial: Spec | None) -> list[Axis]:
    always = reader.table("set", document.get("set", {}))
    axes: list[Axis] = [[dict(always)]] if always else []
    for key, values in reader.table("grid", document.get("grid", {})).items():
        axes.append([{key: value} for value in reader.values(f"grid.{key}", values)])
    if "zip" in document:
        axes.append(_zipped(reader, reader.table("zip", document["zip"])))
    if "list" in document:
        axes.append(_listed(reader, document["list"]))
    if "random" in document:
        axes.append(_sampled(reader, reader.table("random", document["random"])))
    if factorial is not None:
        axes.append(reader.distinct("factorial", factorial.cells))
    seen: dict[str, int] = {}
    for number, axis in enumerate(axes):
        for key in {key for part in axis for key in part}:
            if key == "seed":
                reader.fail("seed", "is varied by replications = N, and not as other keys are")
            if seen.setdefault(key, number) != number:
                reader.fail(key, "is varied twice; name each key once")
    return axes


def _zipped(reader: Reader, table: Mapping[str, object]) -> Axis:
    columns = {key: reader.values(f"zip.{key}", values) for key, values in table.items()}
    lengths = {key: len(values) for key, values in columns.items()}
    for key, length in lengths.items():
        if length != next(iter(lengths.values())):
            first = next(iter(lengths))
            reader.fail(f"zip.{key}", f"has {length} values, and {first} has {lengths[first]}; give as many")
    if not columns:
        reader.fail("zip", "is empty; give keys with lists of values")
    return reader.distinct("zip", [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)])


def _listed(reader: Reader, cells: object) -> Axis:
    if not isinstance(cells, list) or not cells or not all(isinstance(cell, dict) for cell in cells):
        reader.fail("list", "is no list of tables; write [[list]] above the values of each")
    return reader.distinct("list", cast("list[Cell]", cells))


def _sampled(reader: Reader, table: Mapping[str, object]) -> Axis:
    samples = reader.whole("random.samples", table.get("samples"), least=1)
    if samples > _RUNS_MAX:
        reader.fail("random.samples", f"{samples} was given; {_RUNS_MAX} at most")
    seed = reader.whole("random.seed", table.get("seed", 1), least=0)
    ranges = {
        key: _range(reader, f"random.{key}", value) for key, value in table.items() if key not in ("samples", "seed")
    }
    if not ranges:
        reader.fail("random", 'varies nothing; give keys with ranges, such as "flow.0.alpha" = { from = 1, to = 8 }')
    sampled = latin_hypercube(ranges, samples, seed)
    # a range of whole numbers may have fewer values than samples
    return list({tuple(cell.values()): cell for cell in sampled}.values())


def _range(reader: Reader, key: str, given: object) -> Range:
    table = reader.table(key, given)
    reader.check_keys(key, table, ("from", "to", "log"))
    low, high = reader.quantity(f"{key}.from", table.get("from")), reader.quantity(f"{key}.to", table.get("to"))
    log = table.get("log", False)
    if (low.unit, low.text) != (high.unit, high.text):
        reader.fail(key, f"from is {table['from']!r} and to is {table['to']!r}; write both with the same unit")
    if not math.isfinite(high.value - low.value):
        reader.fail(key, "reaches further than numbers do; write 1e300 at most")
    if not low.value < high.value:
        reader.fail(key, f"from is {table['from']!r} and to is {table['to']!r}; the first has to be the smaller")
    if not isinstance(log, bool):
        reader.fail(f"{key}.log", f"{log!r} was given; true or false")
    if log and low.value <= 0:
        reader.fail(f"{key}.from", f"is {table['from']!r}; with log = true it has to be above 0")
    decimals = None if low.decimals is None or high.decimals is None else max(low.decimals, high.decimals)
    return Range(low.value, high.value, log, low.unit, decimals, low.text)


def _limits(reader: Reader, given: object) -> Limits:
    table = reader.table("limits", given)
    reader.check_keys("limits", table, _LIMITS)
    events, memory, wall = table.get("events"), table.get("memory"), table.get("time")
    return Limits(
        events=None if events is None else reader.whole("limits.events", events, least=1),
        memory_bytes=Limits.memory_bytes if memory is None else reader.size("limits.memory", memory),
        wall_s=None if wall is None else reader.seconds("limits.time", wall),
    )


def value_of(text: str) -> object:
    """Returns a value as a plan has it, from the text of an option: TOML, or else the text itself.

    >>> value_of("2"), value_of("true"), value_of("20mbit"), value_of('{ preset = "vegas" }')
    (2, True, '20mbit', {'preset': 'vegas'})
    """
    try:
        return json.loads(_vegaslab.read_toml(f"value = {text}", "")[0])["value"]
    except ValueError:
        return text


PlanLike = Plan | str | PathLike[str]
"""A plan, its file's path, or a shipped plan's name."""


def load_plan(plan: PlanLike) -> Plan:
    """Returns the plan itself, or reads that of a file."""
    return plan if isinstance(plan, Plan) else Plan.from_file(plan)

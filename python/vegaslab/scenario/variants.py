"""Variants of one scenario for comparison: other algorithms, in all flows or in some, or other values of a key."""

import itertools
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from vegaslab import _vegaslab
from vegaslab.scenario.own.naming import table_from_here, table_of_file
from vegaslab.scenario.source import Overrides, ScenarioLike, load, override_list, warn_of_unused
from vegaslab.scenario.typed import Table
from vegaslab.util.errors import InputError

AlgorithmLike = str | Mapping[str, object] | Table | type
"""An algorithm: a preset's name; a table of parts (a dict, `Parts`, or text as in a file, with a name `NAME={ ... }`);
or a user's own algorithm (a class, or a file such as `mine.py:Mine` or `mine.wasm`).
"""

_NAMED_TABLE = re.compile(r"(?P<name>[^={}]+?)\s*=\s*(?P<table>\{.*\})\s*", re.DOTALL)
_UNSAFE = re.compile(r"[^A-Za-z0-9.+%_-]+")
_LABEL_LENGTH_MAX = 100
_NAME_LENGTH_MAX = 255


class Varied(TypedDict):
    """The arguments of `load_variants` that vary beside algorithms."""

    flows: Sequence[int] | None
    vary: Mapping[str, Sequence[object]] | None


class VariantError(InputError, ValueError):
    """Variants have the same label, or there are none: one line.

    >>> import vegaslab
    >>> vegaslab.compare("gallop-50mbit", [])
    Traceback (most recent call last):
        ...
    vegaslab.scenario.variants.VariantError: algorithms: none was given; at least one preset's name
    """


@dataclass(frozen=True)
class _Choice:
    """One value of a varied key: its `label`; if empty, the label is the algorithm of flow table `named_by`."""

    overrides: tuple[tuple[str, str], ...]
    label: str = ""
    named_by: int = 0


def load_variants(
    scenario: ScenarioLike,
    algorithms: AlgorithmLike | Sequence[AlgorithmLike] | None = None,
    *,
    flows: Sequence[int] | None = None,
    vary: Mapping[str, Sequence[object]] | None = None,
    seed: int | None = None,
    set: Mapping[str, object] | Overrides | None = None,
) -> dict[str, _vegaslab.Scenario]:
    """Checks every variant of a scenario before any of them runs; returns them by name.

    Each of `algorithms` applies to all flows, or to the flow tables `flows` alone; `vary` is a list of values by dotted
    key. Every value is combined with every other. Raises `VariantError`, and the errors of `load`.
    """
    given = override_list(set)
    tables = len(_flow_tables(load(scenario, seed=seed, set=given)))
    axes = []
    if algorithms is not None:
        axes.append(_algorithm_axis(_listed(algorithms), _chosen_tables(flows, tables)))
    elif flows is not None:
        raise VariantError("flows: goes with algorithms, those that these flows use")
    axes += [_axis(key, values) for key, values in (vary or {}).items()]
    if not axes:
        raise VariantError("algorithms: none was given, and nothing to vary; at least one preset's name")
    found: dict[str, _vegaslab.Scenario] = {}
    for choices in itertools.product(*axes):
        variant = load(scenario, seed=seed, set=[*given, *(pair for choice in choices for pair in choice.overrides)])
        name = ",".join(choice.label or _algorithm_of(variant, choice.named_by) for choice in choices)
        if name in found:
            raise VariantError(f"{name} is given twice; each once, a table of parts with a name of its own")
        if len(name) > _NAME_LENGTH_MAX:
            raise VariantError(f"{name} is too long for a folder; give tables of parts a name, or vary fewer keys")
        found[name] = variant
    for variant in found.values():
        warn_of_unused(variant)
    return found


def used_by_all(
    scenario: ScenarioLike, algorithm: AlgorithmLike, set: Mapping[str, object] | Overrides | None = None
) -> Overrides:
    """Returns `set` with the overrides that give all flows of a scenario the algorithm. Raises the errors of `load`."""
    given = override_list(set)
    tables = len(_flow_tables(load(scenario, set=given)))
    return [*given, *_algorithm_axis([algorithm], range(tables))[0].overrides]


def singled_out(flows: Sequence[int] | None, vary: Mapping[str, Sequence[object]] | None) -> tuple[int, ...]:
    """Returns the flow tables that alone vary, for comparison with the others; none if all vary."""
    of_keys = [re.match(r"flow\.([0-9]+)\.", key) for key in vary or ()]
    keys = [int(match[1]) for match in of_keys if match is not None]
    return tuple(dict.fromkeys([*(flows or ()), *keys]))


def flow_ids(variant: _vegaslab.Scenario, table: int) -> range:
    """Returns the ids of the flows that a table of the file defines."""
    counts = [int(flow.get("count", 1)) for flow in _flow_tables(variant)]
    first = sum(counts[:table])
    return range(first, first + counts[table])


def each_flow(tables: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Returns the table of each flow, in the order of their ids."""
    return [table for table in tables for _ in range(table.get("count", 1))]


def algorithms_in(document: Mapping[str, Any]) -> list[object]:
    """Returns the algorithms that a scenario names: those of its flows and of its traffic, names or tables."""
    of_traffic = [source["flow"] for source in document.get("traffic", []) if "flow" in source]
    return [table["algorithm"] for table in (*document.get("flow", []), *of_traffic) if "algorithm" in table]


def _flow_tables(scenario: _vegaslab.Scenario) -> list[dict[str, int]]:
    tables: list[dict[str, int]] = json.loads(scenario.document_json())["flow"]
    return tables


def _algorithm_of(variant: _vegaslab.Scenario, table: int) -> str:
    return variant.algorithms()[flow_ids(variant, table)[0]]


def _listed(algorithms: AlgorithmLike | Sequence[AlgorithmLike]) -> Sequence[AlgorithmLike]:
    return [algorithms] if isinstance(algorithms, str | Mapping | Table | type) else algorithms


def _chosen_tables(flows: Sequence[int] | None, tables: int) -> Sequence[int]:
    if flows is None:
        return range(tables)
    wrong = [flow for flow in flows if not 0 <= flow < tables]
    if wrong or not flows:
        given = wrong[0] if wrong else "none"
        raise VariantError(f"flows: {given} was given; from 0 to {tables - 1}, as the file has {tables} [[flow]]")
    return list(dict.fromkeys(flows))


def _algorithm_axis(algorithms: Sequence[AlgorithmLike], tables: Sequence[int]) -> list[_Choice]:
    if not algorithms:
        raise VariantError("algorithms: none was given; at least one preset's name")
    choices = []
    for algorithm in algorithms:
        pairs = algorithm_overrides(algorithm)
        overrides = [(f"flow.{table}.algorithm{key}", text) for table in tables for key, text in pairs]
        choices.append(_Choice(tuple(overrides), named_by=tables[0]))
    return choices


def algorithm_overrides(algorithm: AlgorithmLike) -> list[tuple[str, str]]:
    """Returns the overrides below a flow's `algorithm`, as (key, text) such as ("", "vegas")."""
    if not isinstance(algorithm, str):
        table = algorithm.to_dict() if isinstance(algorithm, Table) else algorithm
        return override_list({"": table_from_here(table) if isinstance(table, Mapping) else table})
    own = table_of_file(algorithm)
    if own is not None:
        return override_list({"": own})
    named = _NAMED_TABLE.fullmatch(algorithm.strip())
    if named is None:
        return [("", _text_from_here(algorithm))]
    return [("", _text_from_here(named["table"])), (".name", json.dumps(named["name"].strip()))]


def _text_from_here(text: str) -> str:
    """Returns the text of a table with `table_from_here`; another text as it is."""
    if not text.strip().startswith("{"):
        return text
    try:
        table = tomllib.loads(f"table = {text}")["table"]
    except tomllib.TOMLDecodeError:
        # the reader of scenarios says what is wrong
        return text
    found = table_from_here(table)
    return text if found == table else override_list({"": found})[0][1]


def algorithm_toml(algorithm: str) -> str:
    """Returns the value of `algorithm` in a scenario file, without the name of a named table.

    >>> algorithm_toml("vegas"), algorithm_toml("slow={ preset = 'vegas' }")
    ('"vegas"', "{ preset = 'vegas' }")
    """
    (_, text), *_ = algorithm_overrides(algorithm)
    return text if text.lstrip().startswith("{") else json.dumps(text)


def _axis(key: str, values: Sequence[object]) -> list[_Choice]:
    if isinstance(values, str) or not values:
        raise VariantError(f"vary: {key}: {values!r} was given; a list of values")
    of_flow = re.fullmatch(r"flow\.([0-9]+)\.algorithm", key)
    if of_flow is not None:
        return _algorithm_axis([_as_algorithm(value) for value in values], [int(of_flow[1])])
    return [_Choice(tuple(override_list({key: value})), label=value_label(key, value)) for value in values]


def _as_algorithm(value: object) -> AlgorithmLike:
    return value if isinstance(value, str | Mapping | Table | type) else str(value)


def value_label(key: str, value: object) -> str:
    """Returns a key with its value as a name that is safe for a folder, such as `queue=30p`."""
    ((_, text),) = override_list({key: value})
    return f"{key.rpartition('.')[2]}={_UNSAFE.sub('-', text).strip('-')}"[:_LABEL_LENGTH_MAX]


def split_values(text: str) -> list[str]:
    """Splits at commas, but not within brackets, braces and quotes, as in `1,{ a = 2, b = 3 }`."""
    values, depth, quote = [""], 0, ""
    for character in text:
        quote = "" if character == quote else quote or (character if character in "\"'" else "")
        depth += 0 if quote else (character in "[{") - (character in "]}")
        if character == "," and not depth and not quote:
            values.append("")
        else:
            values[-1] += character
    return [value.strip() for value in values]

"""The columns of a sweep's rows: their order, and their types."""

import functools
import json
import re
from collections.abc import Sequence
from typing import Any

import pyarrow

from vegaslab import _vegaslab
from vegaslab.runs.result import Result
from vegaslab.sweeps.plans.plan import Plan

_OK, FAILED = "ok", "failed"


def united(tables: Sequence[pyarrow.Table]) -> pyarrow.Table:
    """Returns the rows of all tables, with the columns of all: first those that are no figures, in their order."""
    table = pyarrow.concat_tables(tables, promote_options="default")
    figures = [name for name in table.column_names if _rank(name) is not None]
    others = [name for name in table.column_names if _rank(name) is None]
    return table.select([*others, *sorted(figures, key=lambda name: _rank(name) or ())])


def assemble(plan: Plan, runs: pyarrow.Table, ids: Sequence[str]) -> pyarrow.Table:
    """Makes rows of the dataset from delivered runs (`place`, `error` and figures); `ids` are those of these runs."""
    places = runs["place"].to_numpy()
    cells, replications = places // plan.replications, places % plan.replications
    values = {number: plan.cell(int(number)) for number in dict.fromkeys(cells.tolist())}
    columns: dict[str, Any] = {
        key: _typed(plan.varied[key], [values[number].get(key) for number in cells.tolist()]) for key in plan.varied
    }
    columns["seed"] = pyarrow.array([plan.seeds[number] for number in replications.tolist()], pyarrow.uint64())
    errors = runs["error"].to_pylist()
    columns["status"] = pyarrow.array([_OK if error is None else FAILED for error in errors], pyarrow.string())
    columns["error"] = pyarrow.array([error and _portable(error, plan) for error in errors], pyarrow.string())
    columns["run_id"] = pyarrow.array(ids, pyarrow.string())
    fields = [pyarrow.field(name, array.type) for name, array in columns.items()]
    figures = runs.select([name for name in runs.column_names if _rank(name) is not None])
    schema = pyarrow.schema([*fields, *figures.schema])
    return pyarrow.Table.from_arrays([*columns.values(), *figures.columns], schema=schema)


def delivered_again(rows: pyarrow.Table, places: Any) -> pyarrow.Table:
    """Reverses `assemble`: returns rows of the dataset in the form of delivered runs, at other places."""
    figures = rows.select([name for name in rows.column_names if _rank(name) is not None])
    schema = pyarrow.schema([*PLACE_AND_ERROR, *figures.schema])
    arrays = [pyarrow.array(places, pyarrow.uint64()), rows["error"], *figures.columns]
    return pyarrow.Table.from_arrays(arrays, schema=schema)


PLACE_AND_ERROR = pyarrow.schema(
    [pyarrow.field("place", pyarrow.uint64(), nullable=False), pyarrow.field("error", pyarrow.string())]
)
"""The columns of each delivered run, before its figures."""


def failed_row(place: int, error: str) -> pyarrow.Table:
    """Returns a failed run in the form of delivered ones."""
    return pyarrow.table([[place], [error]], schema=PLACE_AND_ERROR)


def row_of(place: int, result: Result) -> pyarrow.Table:
    """Returns a run in the form of delivered ones, with the totals of its flows, links and sources of traffic."""
    row = failed_row(place, "").set_column(1, "error", pyarrow.nulls(1, pyarrow.string()))
    totals = {"flow": result.flows, "link": result.links, "traffic": result.traffic, "media": _media(result)}
    for part, names in _vegaslab.figure_columns():
        table = totals[part]
        for number, id_ in enumerate(table["id"].to_pylist()):
            for name in names:
                row = row.append_column(f"{part}.{id_}.{name}", table[name].slice(number, 1))
    return row


def _media(result: Result) -> pyarrow.Table:
    """Returns the totals of the layers of media, in the types that the engine gives them."""
    rows = pyarrow.Table.from_pylist(result.summary.get("media", []))
    types = {"frames": pyarrow.uint64(), "s": pyarrow.float64(), "ms": pyarrow.float64()}
    fields = [pyarrow.field(name, types.get(name.rpartition("_")[2], pyarrow.string())) for name in rows.column_names]
    return (
        rows.cast(pyarrow.schema([*fields]))
        if rows.num_rows
        else pyarrow.table({"id": pyarrow.array([], pyarrow.string())})
    )


def _portable(error: str, plan: Plan) -> str:
    """Returns an error without the folder in which the scenario happens to be."""
    return error.removeprefix(f"{plan.source}: ")


def _typed(all_values: Sequence[object], values: Sequence[object]) -> pyarrow.Array:
    """Returns a column with the type that fits all values that the plan gives the key."""
    kinds = {type(value) for value in all_values}
    if kinds == {bool}:
        return pyarrow.array(values, pyarrow.bool_())
    if kinds == {int}:
        return pyarrow.array(values, pyarrow.int64())
    if kinds <= {int, float}:
        return pyarrow.array([None if v is None else float(v) for v in values], pyarrow.float64())  # type: ignore[arg-type]
    texts = [v if v is None or isinstance(v, str) else json.dumps(v, sort_keys=True) for v in values]
    return pyarrow.array(texts, pyarrow.string())


def may_be_numeric(plan: Plan, column: str) -> bool:
    """Returns whether a run of the plan may have a column of numbers with this name; ids are not checked."""
    return column == "seed" or column in plan.varied or _rank(column) is not None


@functools.cache
def _rank(column: str) -> tuple[int, list[tuple[int, str]], int] | None:
    """Returns the place of a figure's column in the order; None for a column that is no figure."""
    for number, (part, names) in enumerate(_vegaslab.figure_columns()):
        name = column.rpartition(".")[2]
        if column.startswith(f"{part}.") and name in names:
            return number, _natural(column.removeprefix(f"{part}.").removesuffix(f".{name}")), names.index(name)
    return None


def _natural(text: str) -> list[tuple[int, str]]:
    """Returns a sort key by which 10 comes after 9."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"([0-9]+)", text)]

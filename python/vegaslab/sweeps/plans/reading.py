"""Reads a plan's values; an error is one line with file, line and key."""

import json
import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from vegaslab import _vegaslab
from vegaslab.util.errors import InputError, ScenarioError
from vegaslab.util.reading import UnreadableTextError, read_text
from vegaslab.util.text import did_you_mean, printable

_QUANTITY = re.compile(r"(?P<number>[0-9]+(?:\.(?P<decimals>[0-9]+))?)(?P<unit>[a-zA-Z%]*)")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")

SERIES = ("flows", "links")
"""The time series that a plan may ask for."""

_T = TypeVar("_T")


class PlanError(InputError, ValueError):
    """A plan is wrong: one line that names plan, line, key, what was given and what would be right.

    >>> import vegaslab
    >>> vegaslab.Plan("gallop-50mbit", grid={"sampl": [1, 2]})
    Traceback (most recent call last):
        ...
    vegaslab.sweeps.plans.reading.PlanError: Plan: grid.sampl: with sampl=1: sampl: unknown key; did you mean "sample"?
    """


@dataclass(frozen=True)
class Quantity:
    """A number with its text's unit and decimals."""

    value: float
    unit: str
    decimals: int | None
    """Digits after the point; None for a fraction that is not text."""
    text: bool


class Reader:
    """Checks the values of a plan."""

    def __init__(self, source: str, lines: Mapping[str, int]) -> None:
        """Takes the plan's name in messages as `source`, and the line of each dotted key as `lines`."""
        self.source = source
        self._lines = lines

    @classmethod
    def of_file(cls, path: Path) -> "tuple[Reader, dict[str, Any]]":
        """Reads a TOML file. Raises `PlanError` and `OSError`."""
        try:
            text = read_text(path)
            _, lines = _vegaslab.read_toml(text, printable(str(path)))
            # tomllib keeps the order of keys, which is that of the cells; the native half knows only their lines
            document = tomllib.loads(text)
        except UnreadableTextError as error:
            raise PlanError(f"{path}: {error}; a plan is a TOML text file") from None
        except ScenarioError as error:
            raise PlanError(str(error)) from None
        except tomllib.TOMLDecodeError as error:
            # syntax that TOML 1.1 has allowed since
            raise PlanError(printable(f"{path}: {error}; a plan is TOML 1.0")) from None
        return cls(printable(str(path)), lines), json.loads(json.dumps(document, default=str))

    def fail(self, key: str, message: str) -> NoReturn:
        """Raises a `PlanError` about a key."""
        line = self._line(key)
        place = self.source if line is None else f"{self.source}:{line}"
        raise PlanError(printable(f"{place}: {key}: {message}"))

    def _line(self, key: str) -> int | None:
        while key:
            if key in self._lines:
                return self._lines[key]
            key = key.rpartition(".")[0]
        return None

    def check_keys(self, key: str, table: Mapping[str, object], known: Sequence[str]) -> None:
        """Refuses keys that no plan has."""
        for name in table:
            if name not in known:
                self.fail(f"{key}.{name}".lstrip("."), f"unknown key; {did_you_mean(name, known)}")

    def table(self, key: str, given: object) -> dict[str, Any]:
        """Returns a table."""
        if not isinstance(given, dict):
            self.fail(key, f"{given!r} was given; expected a table")
        return given

    def values(self, key: str, given: object) -> list[object]:
        """Returns a list of at least one value, each once."""
        if not isinstance(given, list) or not given:
            self.fail(key, f"{given!r} was given; expected a list of values, such as [1, 2]")
        return list(self.distinct(key, given))

    def distinct(self, key: str, items: Sequence[_T]) -> Sequence[_T]:
        """Returns the items, none of which may appear twice."""
        seen = set()
        for item in items:
            text = json.dumps(item, sort_keys=True)
            if text in seen:
                self.fail(key, f"{text} comes twice; a run is made once")
            seen.add(text)
        return items

    def name(self, key: str, given: object) -> str:
        """Returns a name that is safe for a folder."""
        if not isinstance(given, str) or not _NAME.fullmatch(given):
            self.fail(key, f"{given!r} is no name; write letters, digits, - _ .")
        return given

    def whole(self, key: str, given: object, least: int) -> int:
        """Returns a whole number."""
        if given is None:
            self.fail(key, "is missing; give a whole number")
        if not isinstance(given, int) or isinstance(given, bool) or given < least:
            self.fail(key, f"{given!r} was given; expected a whole number from {least} up")
        return given

    def quantity(self, key: str, given: object) -> Quantity:
        """Returns a number, or a number with a unit as text."""
        if isinstance(given, int) and not isinstance(given, bool):
            return Quantity(float(given), "", 0, text=False)
        if isinstance(given, float) and math.isfinite(given):
            return Quantity(given, "", None, text=False)
        match = _QUANTITY.fullmatch(given) if isinstance(given, str) else None
        if match is None:
            self.fail(key, f'{given!r} was given; expected a number or a quantity such as "10mbit"')
        return Quantity(float(match["number"]), match["unit"], len(match["decimals"] or ""), text=True)

    def size(self, key: str, given: object) -> int:
        """Returns a size in bytes, above 0."""
        return self._measure(key, given, _vegaslab.size_bytes, "500mb")

    def seconds(self, key: str, given: object) -> float:
        """Returns a time in s, above 0."""
        return self._measure(key, given, _vegaslab.nanoseconds, "60s") / 1e9

    def _measure(self, key: str, given: object, parse: Callable[[str], int], example: str) -> int:
        if not isinstance(given, str):
            self.fail(key, f'{given!r} was given; expected a quantity such as "{example}"')
        try:
            value = parse(given)
        except ValueError as error:
            self.fail(key, str(error))
        if value == 0:
            self.fail(key, f'{given!r} was given; expected more, such as "{example}"')
        return value

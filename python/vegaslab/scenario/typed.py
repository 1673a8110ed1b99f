"""The base class of a scenario's typed objects."""

from collections.abc import Mapping, Sequence
from dataclasses import fields

from vegaslab.scenario.own.naming import table_of_class


class Table:
    """A table of the scenario file; a key that is a reserved word of Python ends in an underscore here."""

    def to_dict(self) -> dict[str, object]:
        """Returns the table as a dict, without values that were not given.

        >>> from vegaslab import Flow
        >>> Flow(algorithm="vegas", from_="a", to="b").to_dict()
        {'algorithm': 'vegas', 'from': 'a', 'to': 'b'}
        """
        return {name.rstrip("_"): _plain(value) for name, value in self._given()}

    def __repr__(self) -> str:
        """The call that makes the object, without values that were not given."""
        given = ", ".join(f"{name}={value!r}" for name, value in self._given())
        return f"{type(self).__name__}({given})"

    def _given(self) -> list[tuple[str, object]]:
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return [(name, getattr(self, name)) for name in names if getattr(self, name) is not None]


def _plain(value: object) -> object:
    if isinstance(value, Table):
        return value.to_dict()
    if isinstance(value, type):
        return table_of_class(value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value

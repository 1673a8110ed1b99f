"""Parquet files of results folders: read back, and named after their origin."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vegaslab import _vegaslab
from vegaslab.util.folder import FolderError

if TYPE_CHECKING:
    import pyarrow


# what the writers of Arrow put in a row group at most, ours too
_ROWS_A_GROUP_MAX = 1 << 20


def read_table(file: Path, columns: Sequence[str] | None = None, texts: Sequence[str] = ()) -> "pyarrow.Table":
    """Returns a file's table, or only these columns. Raises `FolderError` if unreadable or without one of `texts`."""
    # this import takes longer than many commands take, and few of them read tables
    import pyarrow
    import pyarrow.parquet

    try:
        _check_groups(pyarrow.parquet.read_metadata(file))
        table = pyarrow.parquet.read_table(file, columns=columns, partitioning=None)
        # pyarrow decodes the names only here
        types = list(zip(table.schema.names, table.schema.types, strict=True))
    except FileNotFoundError:
        raise FolderError(f"{file}: is missing; restore it, or make the folder again") from None
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        # pyarrow's errors have several lines, and quote the file's content
        reason = (isinstance(error, OSError) and error.strerror) or "is no Parquet file, or is damaged"
        raise FolderError(f"{file}: {reason}; restore it, or make the folder again") from None
    for name in texts:
        if [kind for found, kind in types if found == name] != [pyarrow.string()]:
            raise FolderError(f"{file}: has no column {name} of text; restore it, or make the folder again")
    return table


def _check_groups(metadata: "pyarrow.parquet.FileMetaData") -> None:
    """Raises `ArrowInvalid` for a row group too long: its reader reserves memory for as many rows as it names."""
    import pyarrow

    for number in range(metadata.num_row_groups):
        if metadata.row_group(number).num_rows > _ROWS_A_GROUP_MAX:
            raise pyarrow.ArrowInvalid("a row group is too long")


def with_origin(table: "pyarrow.Table", scenario: str) -> "pyarrow.Table":
    """Returns the table with metadata that name its scenario, version and commit, as the files of single runs do."""
    origin = {"scenario": scenario, "version": _vegaslab.version, "commit": _vegaslab.commit or "unknown"}
    named = {f"vegaslab.{name}".encode(): value.encode() for name, value in origin.items()}
    return table.replace_schema_metadata({**(table.schema.metadata or {}), **named})

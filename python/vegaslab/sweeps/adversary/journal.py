"""The folder of a search: every run that was made stands in it before the search goes on."""

import json
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from vegaslab import _vegaslab
from vegaslab.sweeps.adversary.question import Question
from vegaslab.util.folder import FolderError, lock_folder, writing

_JOURNAL = "journal.jsonl"

Figures = dict[str, Any]
"""What a run gave; `error` alone for one that failed."""


class Journal:
    """Figures by run id, in a file that grows by whole lines; a line that a kill cut short is dropped."""

    def __init__(self, folder: Path, question: Question) -> None:
        """Opens or begins the journal. Raises `FolderError` for another search's folder, `OSError` if writing fails."""
        self.folder = folder
        self.figures: dict[str, Figures] = {}
        self.spent_s = 0.0
        """The processor time of all runs so far, s."""
        self._asked = {"attack": question.as_dict(), "version": _vegaslab.version}
        self._path = folder / _JOURNAL
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._lock: BinaryIO = lock_folder(folder, "attack")
        try:
            self._read()
            self._file = self._path.open("a")
        except BaseException:
            self._lock.close()
            raise

    def __enter__(self) -> Self:
        """Returns the open journal."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Brings all lines onto the disk."""
        # a full disk is still full; the first error is the one to report
        with suppress(OSError):
            self.flush()
        self._file.close()
        self._lock.close()

    def add(self, run_id: str, figures: Figures) -> None:
        """Notes a run. Raises `OSError`."""
        self._write({"run": run_id, **figures})
        self.figures[run_id] = figures

    def spend(self, seconds: float) -> None:
        """Notes processor time. Raises `OSError`."""
        self.spent_s += seconds
        self._write({"spent_s": round(seconds, 3)})

    def flush(self) -> None:
        """Brings all lines onto the disk. Raises `OSError`."""
        with writing(self._path):
            self._file.flush()
            os.fsync(self._file.fileno())

    def _write(self, line: dict[str, Any]) -> None:
        with writing(self._path):
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()

    def _read(self) -> None:
        lines = self._path.read_bytes().splitlines(keepends=True) if self._path.exists() else []
        whole = [line for line in lines if line.endswith(b"\n")]
        if len(whole) < len(lines) or not whole:
            asked = whole[0] if whole else json.dumps(self._asked).encode() + b"\n"
            with writing(self._path):
                self._path.write_bytes(b"".join([asked, *whole[1:]]))
            whole = [asked, *whole[1:]]
        try:
            head, *rows = [json.loads(line) for line in whole]
        except ValueError:
            raise FolderError(f"{self._path}: is no journal of an attack; move it away") from None
        if head != self._asked:
            raise FolderError(f"{self.folder}: holds another attack, or one of another version; give another folder")
        for row in rows:
            self.spent_s += row.pop("spent_s", 0.0)
            if "run" in row:
                self.figures[row.pop("run")] = row

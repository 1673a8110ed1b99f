"""Commands of the command line, a module each: its `add` makes the command's parser and says what carries it out.

What they share is here, so that a module needs nothing of `vegaslab.cli`.
"""

import argparse
from typing import NoReturn, TypeAlias

OK, FAILED, BAD_INPUT = 0, 1, 2
"""Exit codes; `vegaslab.ending.interrupted` has those after a signal."""


class UsageError(Exception):
    """The command line is wrong: one line."""


class Parser(argparse.ArgumentParser):
    """A parser that complains in one line."""

    def error(self, message: str) -> NoReturn:
        """Raises `UsageError`."""
        raise UsageError(f"{message} (see {self.prog} --help)")


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"
"""Where a command adds its parser."""

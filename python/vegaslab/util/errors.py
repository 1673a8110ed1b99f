"""The errors that a user meets, under one base; those of the native half are among them."""

from vegaslab.util.text import printable


class VegaslabError(Exception):
    """What vegaslab raises for what was given, or for a run that cannot end: one line.

    >>> import vegaslab
    >>> try:
    ...     vegaslab.run("gallop-50mbit", set={"flow.0.algorithm": "vagas"})
    ... except vegaslab.VegaslabError as error:
    ...     print(type(error).__name__)
    ScenarioError
    """

    __module__ = "vegaslab"


class InputError(VegaslabError):
    """What was given is wrong, or cannot be used: one line that names it and what would be right."""


class ScenarioError(InputError, ValueError):
    """A scenario is wrong: one line that names source, key, what was given and what would be right.

    >>> import vegaslab
    >>> vegaslab.run({"name": "mine", "duratoin": "5s"})
    Traceback (most recent call last):
        ...
    vegaslab.ScenarioError: dict: duratoin: unknown key; did you mean "duration"?
    """

    __module__ = "vegaslab"


class NotFoundError(InputError, FileNotFoundError):
    """Neither a file nor a shipped scenario or plan has this name: one line with the likeliest name.

    >>> import vegaslab
    >>> vegaslab.run("lossi")
    Traceback (most recent call last):
        ...
    vegaslab.NotFoundError: lossi: no such file, nor a shipped scenario of that name; did you mean "lossy"?
    """

    __module__ = "vegaslab"

    def __str__(self) -> str:
        """The line, without the number of the error."""
        return f"{printable(str(self.filename))}: {self.strerror}"


class MeasuredError(InputError, ValueError):
    """A measurement cannot be read: one line that names the file, the place in it, and what would be right.

    >>> import vegaslab
    >>> vegaslab.measured("docs/measured.md")
    Traceback (most recent call last):
        ...
    vegaslab.MeasuredError: docs/measured.md: is none of the files that are read: pcap, ...
    """

    __module__ = "vegaslab"


class FolderError(InputError):
    """A folder is not one that may be read or written: one line that names it and what would be right.

    >>> import vegaslab
    >>> vegaslab.read_runs("no-such-folder")
    Traceback (most recent call last):
        ...
    vegaslab.FolderError: no-such-folder: holds no runs of a sweep; give the folder of one
    """

    __module__ = "vegaslab"


class LimitError(VegaslabError, RuntimeError):
    """A limit has ended a run: one line that says which.

    >>> import vegaslab
    >>> vegaslab.run("gallop-50mbit", memory="100kb")
    Traceback (most recent call last):
        ...
    vegaslab.LimitError: memory limit of 100000 bytes reached
    """

    __module__ = "vegaslab"


class AlgorithmError(VegaslabError, RuntimeError):
    """An algorithm of one's own has failed in a run: one line that names file, line, event and simulated time.

    >>> import vegaslab
    >>> class Mine:
    ...     def __init__(self, start):
    ...         self.window = start.initial_window
    ...     def on_ack(self, ack):
    ...         self.window += 1 / 0
    ...     def on_loss(self, loss):
    ...         pass
    >>> try:
    ...     vegaslab.run("gallop-50mbit", algorithm=Mine)
    ... except vegaslab.AlgorithmError as error:
    ...     print(str(error).partition(": ")[2])
    on_ack at 0.100183 s: ZeroDivisionError: division by zero
    """

    __module__ = "vegaslab"

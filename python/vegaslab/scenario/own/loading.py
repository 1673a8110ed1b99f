"""Classes that scenarios name: finds and runs their files, and explains their errors. The native half calls this."""

import ast
import hashlib
import inspect
import marshal
import traceback
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType

from vegaslab.scenario.own.thread import loading
from vegaslab.util.reading import UnreadableTextError, read_text
from vegaslab.util.text import printable

_EVENTS = ("on_ack", "on_loss")
_SYNTAX = "write a file and its class, such as mine.py:Mine"

_COMPUTING = {
    *("__future__", "abc", "array", "bisect", "cmath", "collections", "copy", "dataclasses", "decimal", "enum"),
    *("fractions", "functools", "heapq", "itertools", "math", "numbers", "operator", "random", "statistics", "string"),
    *("types", "typing", "vegaslab"),
}
"""Modules that read no files, clocks or other programs."""
_READING = {"__import__", "compile", "eval", "exec", "globals", "input", "open"}
"""Functions that may take from elsewhere what a class does."""

_not_alone: set[str] = set()
"""The SHA-256 of contents that do not say all of what their class does."""

_live: dict[str, tuple[type, bytes]] = {}
"""The classes that a program passed as objects, with their source, by the name that stands for them in scenarios."""


def name_of(algorithm: type) -> str:
    """Returns the name that stands for a class in a scenario of this process: its file, and its name in that file."""
    problem = _problem(algorithm)
    if problem is not None:
        raise ValueError(f"{algorithm.__qualname__}: {problem}")
    file, content = _source(algorithm)
    name = f"{file}:{algorithm.__qualname__}"
    _live[name] = (algorithm, content)
    return name


def load(name: str, folder: str | Path) -> tuple[type, Path, bytes]:
    """Returns the class that a scenario in `folder` calls `name`, its file, and the content that determines its
    behaviour.

    Raises `ValueError`: one line that names the file.
    """
    if name in _live:
        algorithm, content = _live[name]
        # a program may change a class that it holds
        _not_alone.add(hashlib.sha256(content).hexdigest())
        return algorithm, Path(name.rpartition(":")[0]), content
    file, colon, wanted = name.rpartition(":")
    path = Path(folder, file if colon else name)
    shown = printable(str(path))
    text = _read(path, shown)
    with loading(shown):
        try:
            namespace = _run(compile(text, str(path), "exec"), path)
        except Exception as error:
            raise ValueError(_in_file(error, str(path))) from None
    content = text.encode()
    if not _stands_alone(text):
        _not_alone.add(hashlib.sha256(content).hexdigest())
    return _chosen(namespace, wanted if colon else "", shown), path, content


def is_in_its_file(sha256: str) -> bool:
    """Returns whether the content with this digest, of an algorithm that was loaded, says all of what it does: not if
    the class was given as an object, nor if its file imports other modules than those that only compute, or may read
    files.
    """
    return sha256 not in _not_alone


@cache
def _stands_alone(text: str) -> bool:
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=names):
                modules = {alias.name for alias in names}
            case ast.ImportFrom(module=module, level=level):
                modules = {"." if level else str(module)}
            case ast.Name(id=name) if name in _READING:
                return False
            case _:
                continue
        if not {module.split(".")[0] for module in modules} <= _COMPUTING:
            return False
    return True


def failure(error: BaseException, algorithm: type, file: str, event: str, at_s: float) -> str:
    """Returns the line about an exception in an event: file, line of the file, event and simulated time."""
    code = getattr(getattr(algorithm, event, None), "__code__", None)
    line = None if code is None else _line(error, code.co_filename) or code.co_firstlineno
    where = printable(file) if line is None else f"{printable(file)}:{line}"
    return f"{where}: {event} at {at_s:g} s: {_described(error)}"


def _read(path: Path, shown: str) -> str:
    try:
        return read_text(path)
    except OSError as error:
        raise ValueError(f"{shown}: {error.strerror}; {_SYNTAX}, relative to the scenario file") from None
    except UnreadableTextError as error:
        raise ValueError(f"{shown}: {error}; {_SYNTAX}") from None


def _run(code: CodeType, path: Path) -> dict[str, object]:
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    exec(code, module.__dict__)
    return module.__dict__


def _chosen(namespace: dict[str, object], wanted: str, shown: str) -> type:
    own = [value for value in namespace.values() if isinstance(value, type) and _problem(value) is None]
    names = ", ".join(printable(one.__name__) for one in own)
    if not wanted:
        if len(own) == 1:
            return own[0]
        have = f"has {names}" if own else "has no class with on_ack and on_loss"
        raise ValueError(f"{shown}: {have}; {_SYNTAX}")
    algorithm = namespace.get(wanted)
    if not isinstance(algorithm, type):
        raise ValueError(f"{shown}: has no class {wanted}; it has {names or 'none'}")
    if (problem := _problem(algorithm)) is not None:
        raise ValueError(f"{shown}: {wanted}: {problem}")
    return algorithm


def _problem(algorithm: type) -> str | None:
    missing = [event for event in _EVENTS if not callable(getattr(algorithm, event, None))]
    if missing:
        return f"has no {missing[0]}; an algorithm has on_ack and on_loss"
    methods = {name: inspect.unwrap(method) for name, method in vars(algorithm).items() if name.startswith("on_")}
    later = [name for name, method in methods.items() if _runs_later(method)]
    return f"{later[0]} would not run when it is called; write a method without async and yield" if later else None


def _runs_later(method: object) -> bool:
    """Returns whether calling it only makes an object that would run: a coroutine or a generator."""
    kinds = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)
    return any(kind(method) for kind in kinds)


def _source(algorithm: type) -> tuple[str, bytes]:
    """Returns the file of a class and the file's text; the code of its methods if it is in no file."""
    with suppress(TypeError, OSError):
        path = Path(inspect.getsourcefile(algorithm) or "").absolute()
        return str(path), path.read_bytes()
    codes = [getattr(method, "__code__", None) for _, method in inspect.getmembers(algorithm, inspect.isfunction)]
    return algorithm.__module__, b"".join(marshal.dumps(code) for code in codes if code is not None)


def _in_file(error: BaseException, file: str) -> str:
    if isinstance(error, SyntaxError) and error.filename == file:
        return f"{printable(file)}:{error.lineno}: {error.msg}"
    line = _line(error, file)
    where = printable(file) if line is None else f"{printable(file)}:{line}"
    return f"{where}: {_described(error)}"


def _line(error: BaseException, file: str) -> int | None:
    """Returns the innermost line of a file that an error passed through."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else None


def _described(error: BaseException) -> str:
    text = printable(" ".join(str(error).split()))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__

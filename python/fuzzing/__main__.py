"""Runs a target guided by coverage: `python -m fuzzing TARGET [OPTION ...] [CORPUS ...]`, as any of libFuzzer's."""

import importlib
import shlex
import sys

import atheris


def main() -> None:
    """Does not return: libFuzzer ends the process."""
    _, target, *rest = sys.argv
    with atheris.instrument_imports(include=["vegaslab"]):
        check = importlib.import_module(f"fuzzing.{target}").check
    # libFuzzer starts itself again to minimise a corpus: by a shell, with this in front
    atheris.Setup([f"{shlex.quote(sys.executable)} -m fuzzing {target}", *rest], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

"""The programs behind some commands: built from the sources, or installed as wheels of their own."""

import os
import shutil
import sys
from pathlib import Path


def find(name: str) -> str | None:
    """Returns a program's path: beside this Python, or in PATH; None without it."""
    beside = str(Path(sys.executable).parent)
    return shutil.which(name, path=os.pathsep.join([beside, os.environ.get("PATH", os.defpath)]))


def not_installed(name: str, extra: str) -> str:
    """Returns the message about a program that is missing: `extra` is that of the package, and make's target."""
    by_wheel = f"pip install --find-links FOLDER 'vegaslab[{extra}]', with the folder of vegaslab's wheels"
    return f"{name} is not installed: {by_wheel}, or `make {extra}` in the sources (docs/install.md)"

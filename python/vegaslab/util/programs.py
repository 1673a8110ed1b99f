"""The programs behind some commands: built from the sources, or installed as wheels of their own."""

import os
import shutil
import sys
from pathlib import Path


def find(name: str) -> str | None:
    """Returns a program's path: beside this Python, or in PATH; None without it."""
    beside = str(Path(sys.executable).parent)
    return shutil.which(name, path=os.pathsep.join([beside, os.environ.get("PATH", os.defpath)]))

"""The fuzz targets' rules hold for every input of their corpora."""

import importlib
from collections.abc import Callable

import pytest

from documentation import ROOT

_CORPORA = ROOT / "python" / "fuzzing" / "corpus"


@pytest.mark.parametrize("target", ["plan", "results", "transfer"])
def test_rules_hold_for_the_corpus(target: str) -> None:
    check: Callable[[bytes], None] = importlib.import_module(f"fuzzing.{target}").check
    inputs = sorted((_CORPORA / target).iterdir())
    assert inputs
    for file in inputs:
        check(file.read_bytes())

"""Constant evaluation over small programs whose comments say what they come to."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from marked_programs import Program, probed, programs

CASES = Path(__file__).parent / "cases"
FILES = ("constants.txt", "objects.txt", "settings.txt", "configuration.txt")
PROGRAMS = [
    pytest.param(program, id=f"{file[:-4]}-{program.name.replace(' ', '-')}")
    for file in FILES
    for program in programs(CASES / file)
]


def expected(text: str) -> list[str]:
    """Return the values of an ``is`` mark, sorted as they are written."""
    if text.strip() == "unknown":
        return []
    return sorted(repr(ast.literal_eval(part.strip())) for part in text.split(" | "))


@pytest.mark.parametrize("program", PROGRAMS)
def test_probes_stand_for_the_marked_constants(program: Program, tmp_path: Path) -> None:
    engine = program.engine(tmp_path)
    marks = program.of("is")
    assert marks
    found = {}
    for mark in marks:
        constants = probed(engine, mark).constants
        found[f"{mark.file}:{mark.line}"] = sorted(repr(c.value) for c in constants)
    assert found == {f"{m.file}:{m.line}": expected(m.rest) for m in marks}

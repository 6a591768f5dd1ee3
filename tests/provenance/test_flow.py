"""Must the slice from this expression reach that line? Programs in the styles of many people."""

from __future__ import annotations

from pathlib import Path

import pytest
from marked_programs import Program, lines_of, programs, slice_of

from dl_bug_lsp.provenance.engine import Engine

CASES = sorted((Path(__file__).parent / "cases" / "flow").glob("*.txt"))
PROGRAMS = [
    pytest.param(program, id=f"{file.stem}-{program.name.replace(' ', '-')}")
    for file in CASES
    for program in programs(file)
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_slice_reaches_the_line(program: Program, tmp_path: Path) -> None:
    order = lines_of(slice_of(Engine(program.write(tmp_path)), program, conditions=True))
    assert program.of("reached")
    for mark in program.of("reached"):
        assert (mark.file, mark.line) in order[: int(mark.rest)], (mark, order)
    for mark in program.of("unreached"):
        assert (mark.file, mark.line) not in order, (mark, order)

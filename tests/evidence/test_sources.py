"""Sources of evidence and domain rules over small failed programs with marked lines.

The programs' failures go through the real readers; what is tested is which kinds of clue a line
gets and where a rule stays silent, never a score.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from marked_programs import Program, programs

from dl_bug_lsp.evidence import interpreted_values
from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.repairs.counterfactuals import Search, in_order, tried_edits
from dl_bug_lsp.evidence.sources import gather
from dl_bug_lsp.localize import case_of, failures_of
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.provenance.engine import Engine
from dl_bug_lsp.report import Options
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Workspace

CASES = Path(__file__).parent / "cases"
PARAMETERS = [
    pytest.param(program, id=f"{file}-{program.name.replace(' ', '-')}")
    for file in (
        "sources",
        "violated_properties",
        "data_files",
        "missing_values",
        "rules",
        "repairs",
        "missing",
        "run_settings",
        "shapes",
        "printed",
        "batches",
        "common_errors",
        "devices",
        "interpreted_values",
        "counterfactuals",
        "written_data",
        "written_forms",
        "everyday_mistakes",
    )
    for program in programs(CASES / f"{file}.txt")
]


def case_in(program: Program, root: Path) -> Case:
    """Write a program, let it fail on paper, and read the failure."""
    workspace = program.write(root)
    log = read_log(program.traceback(Engine(workspace)))
    # A kernel's assertion, printed before the traceback, is a failure of its own.
    *_, failure = failures_of(log, read_failures(log))
    case = case_of(failure, log, workspace, Options())
    frames = [(p.file, p.line) for p in program.places()]
    assert [(p.file, p.line) for p in case.places] == frames
    return case


def kinds_of(clues: list[Clue]) -> dict[tuple[str, int], set[str]]:
    found: dict[tuple[str, int], set[str]] = {}
    for clue in clues:
        found.setdefault((clue.file, clue.line), set()).add(clue.kind)
    return found


@pytest.mark.parametrize("program", PARAMETERS)
def test_lines_get_their_clues(program: Program, tmp_path: Path) -> None:
    case = case_in(program, tmp_path)
    clues, again = list(gather(case)), list(gather(case_in(program, tmp_path)))
    assert clues == again
    for clue in clues:
        assert 0 <= clue.score <= 1, clue
        assert 1 <= clue.line <= len(case.workspace.lines(clue.file)), clue
        assert clue.why and "\n" not in clue.why, clue
        # Data that an ignore rule hides is in no listing.
        assert case.workspace.existing_file(clue.file) == clue.file, clue
    kinds = kinds_of(clues)
    seen = f"{case.category.id}: {case.facts.facts}\n{kinds}"
    for mark in program.of("clue"):
        assert set(mark.rest.split()) <= kinds.get((mark.file, mark.line), set()), (mark, seen)
    for mark in program.of("silent"):
        assert not set(mark.rest.split()) & kinds.get((mark.file, mark.line), set()), (mark, seen)
    everywhere = {clue.kind for clue in clues}
    assert not everywhere & set(program.head.get("silent", [])), seen


ORDERED = {
    "whole numbers as keys go through JSON": (
        *("rules", "rules.json_keys"),
        [("main.py", 9), ("main.py", 8), ("main.py", 5)],
    ),
    "a size that a command leaves at its default and another command does not": (
        *("interpreted_values", "interpretation.origin"),
        [("run.sh", 2), ("tune.py", 6)],
    ),
}


@pytest.mark.parametrize("name", ORDERED)
def test_the_line_to_repair_counts_more_than_those_that_made_the_value(
    name: str, tmp_path: Path
) -> None:
    file, kind, places = ORDERED[name]
    program = next(p for p in programs(CASES / f"{file}.txt") if p.name == name)
    clues = [clue for clue in gather(case_in(program, tmp_path)) if clue.kind == kind]
    scores = [max(c.score for c in clues if (c.file, c.line) == place) for place in places]
    assert scores == sorted(set(scores), reverse=True)


def test_a_run_that_is_only_assumed_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs/near.yaml").write_text("column: 1\n")
    (tmp_path / "configs/far.yaml").write_text("column: 5\n")
    (tmp_path / "train.py").write_text(
        "import sys\nimport yaml\n\nconfig = yaml.safe_load(open(sys.argv[1]))\n"
        "names = ['age', 'size']\ncolumn = config['column']\nprint(names[column])\n"
    )
    log = read_log(
        b"Traceback (most recent call last):\n"
        b'  File "train.py", line 7, in <module>\n    print(names[column])\n'
        b"IndexError: list index out of range\n"
    )
    # A kernel's assertion, printed before the traceback, is a failure of its own.
    *_, failure = failures_of(log, read_failures(log))
    case = case_of(failure, log, Workspace(tmp_path), Options())
    said = [clue.why for clue in interpreted_values.find(case)]
    assert said
    assert all("assumed to have used `configs/far.yaml`" in why for why in said), said


def test_edits_come_likeliest_first_though_they_are_made_late(tmp_path: Path) -> None:
    name = "a graph that two losses share, of which one may be cut off"
    program = next(param.values[0] for param in PARAMETERS if param.values[0].name == name)
    case = case_in(program, tmp_path)
    search = Search(case)
    made = [candidate for batch in search.batches for candidate in batch.edits]
    expected = sorted(made, key=lambda candidate: -search.likelihood(candidate))
    assert len(expected) > 20
    assert [(c.edit.kind, c.edit.file, c.edit.line) for c in in_order(Search(case), {})] == [
        (c.edit.kind, c.edit.file, c.edit.line) for c in expected
    ]


def test_a_tensor_is_cut_off_only_where_nothing_misses_it(tmp_path: Path) -> None:
    name = "a graph that two losses share, of which one may be cut off"
    program = next(param.values[0] for param in PARAMETERS if param.values[0].name == name)
    tried = [t for t in tried_edits(case_in(program, tmp_path)) if t.edit.kind == "wrap.detach"]
    lines = program.files["main.py"].split("\n")
    # Cut off elsewhere, one of the two losses has no gradient any more.
    assert {lines[t.edit.line - 1] for t in tried if t.passes} == {
        "low = judge(made).tanh().mean()"
    }
    assert len({t.edit.line for t in tried}) > 1

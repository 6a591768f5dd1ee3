"""Functions and lines of bug reports: their blocks, the stack in them, names, and what they set."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dl_bug_lsp.bug_reports import read_report
from dl_bug_lsp.evidence.reports.blocks import (
    FileBlocks,
    Rarity,
    TracedFrames,
    features_beyond_frames,
    set_by,
)
from dl_bug_lsp.evidence.reports.function_features import Functions, redundancy
from dl_bug_lsp.evidence.reports.line_features import Statements
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.localize import case_of, failures_of
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.ranking.bug_report_ranking import (
    ReportRanking,
    best_line_first,
    shipped_report_weights,
)
from dl_bug_lsp.report import Options
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Workspace

FILES = {
    "lib/saver.py": '''"""Saving."""
FOLDER = "runs"


@register
class Saver:
    """Keeps weights."""

    kind = "best"

    def __init__(self, folder):
        self.folder = folder
        self.stored = None

    def load(self, name):
        def opened(path):
            return path
        return self.stored[name]

    def resume(
        self,
        name: str = "last",
    ):
        found = self.load(name)
        return found
''',
    "lib/loop.py": '''"""The loop."""
from lib.saver import Saver


class Loop:
    def __init__(self, saver):
        self.saver = saver

    def run(self):
        return self.saver.resume("a")


def collect(batches):
    if not batches:
        raise ValueError("no batches")
    return batches
''',
}
CRASH = """Resuming fails

It fails when I resume.

Traceback (most recent call last):
  File "/home/me/lib/loop.py", line 10, in run
    return self.saver.resume("a")
  File "/home/me/lib/saver.py", line 24, in resume
    found = self.load(name)
  File "/home/me/lib/saver.py", line 18, in load
    return self.stored[name]
TypeError: 'NoneType' object is not subscriptable
"""


@pytest.fixture
def project(tmp_path: Path) -> Workspace:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Workspace(tmp_path, cache=False)


def traced_of(text: str, workspace: Workspace) -> TracedFrames:
    log = read_log(text)
    failures = failures_of(log, read_failures(log))
    primary = next((failure for failure in failures if failure.primary), None)
    if primary is None:
        return TracedFrames()
    return TracedFrames(case_of(primary, log, workspace, Options()).located)


def functions_of(text: str, workspace: Workspace) -> Functions:
    context = ReportContext(read_report(text), workspace)
    rows = range(len(context.files))
    return Functions(context, rows, [0.5] * len(rows), traced_of(text, workspace))


def names_with(functions: Functions, feature: str) -> dict[str, float]:
    values = functions.features[feature]
    return {
        block.definition.name: float(value)
        for block, value in zip(functions.blocks, values, strict=True)
        if value
    }


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (1, ""),
        (2, ""),
        (5, "Saver"),
        (9, "Saver"),
        (12, "Saver.__init__"),
        (15, "Saver.load"),
        (17, "Saver.load.opened"),
        (18, "Saver.load"),
        (21, "Saver.resume"),
    ],
)
def test_a_line_is_of_the_innermost_block_decorators_counted_in(
    project: Workspace, line: int, name: str
) -> None:
    context = ReportContext(read_report("x"), project)
    file = FileBlocks(context, context.rows["lib/saver.py"], 7, 0)
    index = file.at(line)
    assert index is not None
    assert file.blocks[index - 7].definition.name == name


def test_no_line_is_outside_and_words_are_a_blocks_own(project: Workspace) -> None:
    context = ReportContext(read_report("x"), project)
    file = FileBlocks(context, context.rows["lib/saver.py"], 0, 0)
    assert file.at(0) is None
    assert file.at(1000) is None
    by_name = {block.definition.name: block for block in file.blocks}
    assert by_name["Saver.load.opened"].words["path"] == 2
    assert "path" not in by_name["Saver.load"].words
    assert by_name["Saver.__init__"].sets == {"folder", "stored"}
    assert (by_name["Saver.load"].name, by_name["Saver.load"].owner) == ("load", "Saver")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("    self.rate = 1", "rate"),
        ("rate: float = 0.1", "rate"),
        ("    if rate == 1:", None),
        ("rate == 1", None),
        ("call(rate=1)", None),
        ("a" * 50_000 + ":" * 50_000, None),
    ],
)
def test_what_a_line_gives_a_value(text: str, name: str | None) -> None:
    assert set_by(text) == name


def test_rarity_is_greatest_for_what_one_block_has(project: Workspace) -> None:
    rarity = Rarity(functions_of("x", project).blocks)
    assert 1 > rarity.of("opened") > rarity.of("self") > 0
    assert rarity.of("nowhere") == 0


@pytest.mark.parametrize(
    ("frame", "chain"),
    [
        (("lib/saver.py", 18, "load"), [("Saver.load", 18)]),
        # The line is of other code now; the function tells.
        (("lib/saver.py", 2, "load"), [("Saver.load", 15)]),
        # The function has moved to another file.
        (("lib/loop.py", 4, "load"), [("Saver.load", 15)]),
        # Every class may have such a method.
        (("lib/loop.py", 13, "__enter__"), []),
        (("lib/saver.py", 2, "gone"), []),
        (("lib/saver.py", 2, "<module>"), [("", 2)]),
        (("lib/saver.py", 9000, "gone"), []),
    ],
)
def test_frames_are_found_by_line_or_by_name(
    project: Workspace, frame: tuple[str, int, str], chain: list[tuple[str, int]]
) -> None:
    file, line, function = frame
    text = f"""It crashes

Traceback (most recent call last):
  File "/home/me/{file}", line {line}, in {function}
    something_else()
ValueError: bad
"""
    functions = functions_of(text, project)
    found = [(functions.blocks[f.block].definition.name, f.line) for f in functions.frames.chain]
    assert found == chain


def test_a_stack_is_read_from_the_raise_site(project: Workspace) -> None:
    functions = functions_of(CRASH, project)
    assert names_with(functions, "frames.near") == {
        "Saver.load": 1.0,
        "Saver.resume": pytest.approx(1 / 2),
        "Loop.run": pytest.approx(1 / 3),
    }
    assert names_with(functions, "frames.first") == {"Saver.load": 1.0}
    assert names_with(functions, "frames.first_computes") == {"Saver.load": 1.0}
    assert names_with(functions, "frames.first_raises") == {}
    assert names_with(functions, "frames.first_direct") == {"Saver.load": 1.0}
    assert set(names_with(functions, "frames.first_file")) == {
        block.definition.name
        for block in functions.blocks
        if functions.context.files[block.row] == "lib/saver.py"
    }
    assert any(name.startswith("with_stack.") for name in functions.features)


def test_a_helper_inside_a_function_points_to_that_function(project: Workspace) -> None:
    text = CRASH.replace(
        "line 18, in load\n    return self.stored[name]", "line 17, in opened\n    return path"
    )
    functions = functions_of(text, project)
    assert names_with(functions, "frames.first") == {"Saver.load.opened": 1.0}
    assert names_with(functions, "frames.parent") == {"Saver.load": 1.0}
    # A method's class is no function around it.
    assert names_with(functions_of(CRASH, project), "frames.parent") == {}


def test_a_raise_in_a_library_is_not_direct(project: Workspace) -> None:
    text = CRASH.replace(
        "TypeError: ", '  File "/x/site-packages/torch/nn.py", line 3, in get\n    x()\nTypeError: '
    )
    functions = functions_of(text, project)
    assert names_with(functions, "frames.first") == {"Saver.load": 1.0}
    assert names_with(functions, "frames.first_direct") == {}


def test_a_raise_site_that_complains_is_told_apart(project: Workspace) -> None:
    text = """It stops

Traceback (most recent call last):
  File "/home/me/lib/loop.py", line 15, in collect
    raise ValueError("no batches")
ValueError: no batches
"""
    functions = functions_of(text, project)
    assert names_with(functions, "frames.first_raises") == {"collect": 1.0}
    assert names_with(functions, "frames.first_computes") == {}


def test_who_sets_what_the_stack_reads_and_who_calls_what_failed(project: Workspace) -> None:
    functions = functions_of(CRASH, project)
    sets = names_with(functions, "frames.sets")
    # ``self.stored`` is read at the raise site, ``self.saver`` two frames above.
    assert sets["Saver.__init__"] > sets["Loop.__init__"] > 0
    assert "Saver.load" not in sets
    calls = names_with(functions, "frames.calls_first")
    assert calls == {"Saver.resume": 1.0}
    assert names_with(functions, "frames.callers") == {}
    assert names_with(functions, "frames.called") == {}
    silent = functions_of("Slow\n\nIt is slow.", project)
    found = features_beyond_frames(silent.frames, silent.blocks, Rarity(silent.blocks))
    assert not any(values.any() for values in found.values())


def test_who_calls_a_frame_and_whom_it_calls(project: Workspace) -> None:
    lines = CRASH.split("\n")
    start = next(n for n, line in enumerate(lines) if "in resume" in line)
    functions = functions_of("\n".join([*lines[:5], *lines[start : start + 2], lines[-2]]), project)
    assert [functions.blocks[f.block].name for f in functions.frames.chain] == ["resume"]
    assert names_with(functions, "frames.callers") == {"Loop.run": 1.0}
    assert names_with(functions, "frames.called") == {"Saver.load": 1.0}


def test_after_the_first_of_a_class_come_others(project: Workspace) -> None:
    blocks = functions_of(CRASH, project).blocks
    names = [block.definition.name for block in blocks]
    scores = np.zeros(len(blocks))
    for place, name in enumerate(("Saver.load", "collect", "Saver", "Saver.resume"), 1):
        scores[names.index(name)] = 1 / place
    above = dict(zip(names, redundancy(blocks, scores)["beside.above"], strict=True))
    assert above["Saver.load"] == above["collect"] == 0
    assert above["Saver"] == pytest.approx(np.log(2))
    assert above["Saver.resume"] == pytest.approx(np.log(3))
    assert above["Saver.load.opened"] == 0


@pytest.mark.parametrize(
    ("text", "feature", "name"),
    [
        ("A\n\n```python\nfound = saver.resume()\n```\n", "named.code", "Saver.resume"),
        ("A\n\nCalling saver.resume() twice fails.", "named.qualified", "Saver.resume"),
        ("Saver is broken", "owner.title", "Saver.load"),
        ("A\n\n    ValueError: nothing to collect\n", "words.messages", "collect"),
        ("Collect nothing", "words.title", "collect"),
        ("A\n\nWhy is self.stored None?", "rarest.prose", "Saver.__init__"),
        ("Why is collected `None`?", "names.all", "collect"),
    ],
)
def test_a_report_names_functions(project: Workspace, text: str, feature: str, name: str) -> None:
    assert name in names_with(functions_of(text, project), feature)


def test_features_say_nothing_where_the_report_does_not(project: Workspace) -> None:
    functions = functions_of("Slow\n\nIt is slow.", project)
    prefixes = ("frames.", "with_stack.", "named.", "owner.", "linked", "traced.")
    silent = {name for name in functions.features if name.startswith(prefixes)}
    assert len(silent) > 10
    assert not any(functions.features[name].any() for name in silent)


@pytest.mark.parametrize(
    ("feature", "lines"),
    [
        ("frame.at", {("lib/loop.py", 10), ("lib/saver.py", 24), ("lib/saver.py", 18)}),
        ("frame.innermost", {("lib/saver.py", 18)}),
        ("sets", {("lib/saver.py", 13), ("lib/saver.py", 22), ("lib/loop.py", 7)}),
        ("kind.continued", {("lib/saver.py", n) for n in (21, 22, 23)}),
        ("quoted", {("lib/loop.py", 10), ("lib/saver.py", 24), ("lib/saver.py", 18)}),
        ("link", {("lib/loop.py", 14), ("lib/loop.py", 15)}),
    ],
)
def test_lines_have_their_marks(
    project: Workspace, feature: str, lines: set[tuple[str, int]]
) -> None:
    link = "\nSee https://github.com/a/b/blob/main/lib/loop.py#L14-L15\n"
    functions = functions_of(CRASH + link, project)
    statements = Statements(functions, range(len(functions.blocks)))
    values = statements.features()[feature]
    files = functions.context.files
    found = {
        (files[line.row], line.number)
        for line, value in zip(statements.lines, values, strict=True)
        if value
    }
    assert found == lines


def test_lines_are_of_their_block_without_blanks_and_docstrings(project: Workspace) -> None:
    functions = functions_of("x", project)
    index = next(
        i for i, b in enumerate(functions.blocks) if b.definition.name in {"Saver", "Saver.load"}
    )
    chosen = [i for i, b in enumerate(functions.blocks) if b.definition.name == "Saver.load"]
    statements = Statements(functions, [index, *chosen])
    by_block = {
        block: [line.number for line in statements.lines if line.block == block]
        for block in (index, *chosen)
    }
    assert by_block == {index: [5, 6, 9], chosen[0]: [15, 18]}


@pytest.mark.parametrize(
    ("order", "first"),
    [([2, 1], 3), ([1, 2], 1), ([9, 1], 1), ([9], 0), ([], 0)],
)
def test_the_best_functions_best_line_leads(order: list[int], first: int) -> None:
    scores = np.array([5.0, 2.0, 1.0, 3.0])
    found = best_line_first(scores, np.array([0, 1, 1, 2]), order)
    assert int(found.argmax()) == first
    assert np.count_nonzero(found != scores) == (1 if first else 0)


def test_the_shipped_weights_of_functions_and_lines_are_of_features_that_exist(
    project: Workspace,
) -> None:
    weights = shipped_report_weights()
    ranking = ReportRanking(
        ReportContext(read_report(CRASH), project), weights, traced_of(CRASH, project)
    )
    assert set(weights.functions.weights) <= set(ranking.functions.features)
    assert set(weights.lines.weights) <= set(ranking.line_features)
    free = ("block.", "file.log", "frames.", "with_stack.", "kind.", "position")
    for level in (weights.functions, weights.lines):
        held = [w for n, w in level.weights.items() if not n.startswith(free)]
        assert len(held) > 5
        assert min(held) >= 0


def test_the_function_at_the_raise_site_comes_first_and_its_line_leads(project: Workspace) -> None:
    text = CRASH.replace("Resuming fails", "It crashes").replace("when I resume", "every time")
    context = ReportContext(read_report(text), project)
    ranking = ReportRanking(context, shipped_report_weights(), traced_of(text, project))
    first = ranking.functions.blocks[ranking.block_order[0]]
    assert first.definition.name == "Saver.load"
    assert ranking.statements.lines[ranking.line_order[0]].block == ranking.block_order[0]

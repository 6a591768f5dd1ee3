"""Edits that may repair a failure: in the report, its views, and as kept on disk."""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Report
from dl_bug_lsp.server.failures_file import report_of
from dl_bug_lsp.views.json_view import to_json
from dl_bug_lsp.views.text import render_text
from dl_bug_lsp.workspace import Workspace

PROGRAM = "def load(paths):\n    return paths\n\n\nprint(load(path=3))\n"
LOG = """\
Traceback (most recent call last):
  File "train.py", line 5, in <module>
    print(load(path=3))
TypeError: load() got an unexpected keyword argument 'path'
"""


def found(tmp_path: Path) -> Report:
    (tmp_path / "train.py").write_text(PROGRAM)
    return localize(LOG, Workspace(tmp_path, cache=False))


def test_the_edit_stands_with_its_place(tmp_path: Path) -> None:
    report = found(tmp_path)
    assert report.primary is not None
    first = report.primary.suspects[0]
    assert first.suggestion is not None
    assert first.suggestion.before == "print(load(path=3))"
    assert first.suggestion.after == "print(load(paths=3))"
    assert "to try: print(load(paths=3))" in render_text(report, lambda _: PROGRAM.split("\n"))


def test_it_is_kept(tmp_path: Path) -> None:
    report = found(tmp_path)
    kept = report_of(to_json(report))
    assert kept.failures[0].suspects[0].suggestion == report.failures[0].suspects[0].suggestion

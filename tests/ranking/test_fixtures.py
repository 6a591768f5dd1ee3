"""Reports of the recorded failures: what must hold for each, that hits are not lost, their fixes.

All of them are read in one place, as each report takes a second.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from ranked_fixtures import FIXTURES, LIST, cause_leads, folders, localized
from report_checks import check_report

from dl_bug_lsp.fixes import Fix, find_fixes

ALLOWED = 3
"""Hits that a change for the better elsewhere may cost."""


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder.name)
def test_the_report_keeps_its_contract(folder: Path) -> None:
    report, workspace, text = localized(folder)
    check_report(report, workspace, text)
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    primary = report.primary
    # A silent failure may stay unseen; an exception may not.
    assert truth["silent"] or primary is not None
    if primary is None:
        return
    assert primary.suspects
    # A file holds at least what its most suspicious line holds.
    best = {}
    for suspect in primary.suspects:
        best.setdefault(suspect.file, suspect.score)
    shares = {file.file: file.score for file in primary.files}
    assert all(shares[file] >= score - 1e-3 for file, score in best.items() if file in shares)


def test_hits_among_the_first_five_are_not_lost() -> None:
    recorded = json.loads(LIST.read_text(encoding="utf-8"))
    known = [name for name in recorded if FIXTURES / name in folders()]
    assert known
    lost = [name for name in known if not cause_leads(FIXTURES / name)]
    assert len(lost) <= ALLOWED, f"no longer among the first five: {lost}"


SHOW = """\
import json, sys
from pathlib import Path
from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Options
from dl_bug_lsp.views.json_view import to_json
from dl_bug_lsp.workspace import Workspace
for name in sys.argv[1:]:
    workspace = Workspace(Path(name, "workspace"), cache=False)
    report = localize(Path(name, "log.txt").read_bytes(), workspace, Options(0, 0))
    print(json.dumps(to_json(report)))
"""


def test_two_processes_say_the_same() -> None:
    sample = [str(folder) for folder in folders()[::16]]
    said = [
        subprocess.run(
            [sys.executable, "-c", SHOW, *sample],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
            timeout=120,
        ).stdout
        for seed in ("1", "4242")
    ]
    assert len(said[0].splitlines()) == len(sample)
    assert said[0] == said[1]


OFFERED = {
    "124-ddpm-launch-script": "",
    "207-tickets-lr-text": "  learning_rate: 5.0e-4",
    "208-tickets-intent-not-listed": "",
    "304-keras-leaf-manifest": "",
    "319-rents-missing-requirement": "",
    "412-pose-joint-count": "",
    "413-pose-forward-name": "",
    "416-ner-evaluation-strategy": "",
    "424-signs-experimental-layers": "",
    "427-spirals-grid-notebook": "",
    "526-meters-removed-rule": "",
}
"""The failures with a fix, and the line it writes where that differs from the patch in letters."""


def offered(name: str) -> list[Fix]:
    report, workspace, _ = localized(FIXTURES / name)
    return [fix for failure in report.failures for fix in find_fixes(failure, workspace)]


def test_no_other_recorded_failure_has_a_fix() -> None:
    assert {folder.name for folder in folders() if offered(folder.name)} == set(OFFERED)


@pytest.mark.parametrize("name", OFFERED)
def test_the_fix_is_the_one_that_mends_the_program(name: str) -> None:
    (fix,) = {fix.edits: fix for fix in offered(name)}.values()
    _, workspace, _ = localized(FIXTURES / name)
    patch = (FIXTURES / name / "fix.patch").read_text(encoding="utf-8").splitlines()
    added = {line[1:] for line in patch if line.startswith("+") and not line.startswith("+++")}
    files = {line[6:] for line in patch if line.startswith("+++ b/")}
    for edit in fix.edits:
        assert edit.file in files
        assert workspace.lines(edit.file)[edit.line - 1] == edit.before
        (written,) = set(edit.after.split("\n")) - {edit.before}
        assert written in added | {OFFERED[name]}

"""The fixes that are offered for all recorded failures: each is the one that mends its program."""

from __future__ import annotations

import pytest
from ranked_fixtures import FIXTURES, folders, localized

from dl_bug_lsp.fixes import Fix, find_fixes

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

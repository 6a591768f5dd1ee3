"""What the server loads before it answers `initialize`: the protocol, and little else."""

from __future__ import annotations

import subprocess
import sys

LATE = (
    "dl_bug_lsp.evidence",
    "dl_bug_lsp.localize",
    "dl_bug_lsp.logs.reader",
    "dl_bug_lsp.provenance",
    "dl_bug_lsp.tracebacks",
    "dl_bug_lsp.views.explain",
    "dl_bug_lsp.views.markdown",
    "dl_bug_lsp.watching.watcher",
    "dl_bug_lsp.workspace",
    "numpy",
    "pathspec",
    "sqlite3",
    "watchdog",
    "websockets",
    "yaml",
)


def test_what_reads_is_loaded_after_the_answer() -> None:
    code = f"import sys, dl_bug_lsp.server.run; print(*[m for m in {LATE!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []

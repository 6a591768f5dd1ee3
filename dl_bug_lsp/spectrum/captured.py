"""Output captured beside a failing test: tracebacks that the program logged and went on from.

A server that answers with status 500 logs why; the test only sees the status. Such a traceback
belongs to the failure where the test's own exception has no frame in the code.
"""

from __future__ import annotations

import re

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.tracebacks import Failure, read_failures

_HEADING = re.compile(r"^-{3,} Captured \S.{0,80}? -{3,}$")
_END = re.compile(r"^(?:_{3,} \S.{0,2000}? _{3,}|={3,}(?: \S.{0,2000}? ={3,})?)$")
_LOGGED = "Traceback (most recent call last)"
_MOST = 20_000
"""Characters of a section that are kept, the last ones."""
_WIDTH = 80


def captured_section(title: str, text: str) -> str:
    """Return captured output under pytest's heading, empty where it holds no traceback.

    ``title`` begins with "Captured", as pytest's do.
    """
    if _LOGGED not in text:
        return ""
    heading = f" {title} ".center(_WIDTH, "-")
    return f"{heading}\n{text[-_MOST:].rstrip()}"


def logged_failures(text: str) -> tuple[Failure, ...]:
    """Return the failures in the captured sections of pytest's reports."""
    inside: list[str] = []
    is_captured = False
    for line in text.splitlines():
        if _HEADING.match(line):
            is_captured = True
            inside.append("")
        elif _END.match(line):
            is_captured = False
        elif is_captured:
            inside.append(line)
    captured = "\n".join(inside)
    return read_failures(read_log(captured)).failures if _LOGGED in captured else ()

"""All checks, and the parts of this room that find what they report."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dl_bug_lsp.checks import library_calls, options, sources
from dl_bug_lsp.checks.findings import Check, Finding
from dl_bug_lsp.checks.program import CheckedProgram

Finder = Callable[[CheckedProgram], Iterator[Finding]]

FINDERS: tuple[Finder, ...] = (sources.find, options.find, library_calls.find)
CHECKS: tuple[Check, ...] = tuple(
    sorted((*sources.CHECKS, *options.CHECKS, *library_calls.CHECKS), key=lambda check: check.id)
)
BY_ID = {check.id: check for check in CHECKS}

"""All checks, and the parts of this room that find what they report."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dl_bug_lsp.checks import (
    configs,
    contracts,
    forecasts,
    library_calls,
    model_code,
    options,
    resources,
    sources,
    tables,
)
from dl_bug_lsp.checks.findings import Check, Finding
from dl_bug_lsp.checks.program import CheckedProgram

Finder = Callable[[CheckedProgram], Iterator[Finding]]

PARTS = (
    sources, options, configs, tables, library_calls, forecasts, contracts, model_code,
    resources,
)  # fmt: skip
FINDERS: tuple[Finder, ...] = tuple(part.find for part in PARTS)
CHECKS: tuple[Check, ...] = tuple(
    sorted((check for part in PARTS for check in part.CHECKS), key=lambda check: check.id)
)
BY_ID = {check.id: check for check in CHECKS}

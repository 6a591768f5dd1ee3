"""The dialects in which failures are printed; each is described in the module that reads it."""

from __future__ import annotations

from dl_bug_lsp.tracebacks import (
    cpython,
    error_lines,
    interactive,
    launchers,
    pytest_report,
    rich_box,
)
from dl_bug_lsp.tracebacks.stream import Dialect

DIALECTS = (
    cpython.ANOMALY,
    cpython.STACK_INFO,
    cpython.EXCEPTION_GROUP,
    rich_box.RICH,
    rich_box.RICH_TAIL,
    interactive.IPYTHON,
    interactive.DEBUGGER,
    cpython.CPYTHON,
    pytest_report.PYTEST,
    cpython.FAULTHANDLER,
    launchers.HYDRA,
    launchers.TORCHRUN,
    error_lines.ERROR_LINE,
)
"""All dialects, in the order in which a line is offered to them: the first that reads it counts."""
_BY_NAME = {dialect.name: dialect for dialect in DIALECTS}


def dialect_named(name: str) -> Dialect:
    """Return a dialect by its name.

    Failures that no text was read for (those of metrics, spectra, recorded trainings) have names
    that no dialect goes by. They are taken for CPython's.
    """
    return _BY_NAME.get(name, cpython.CPYTHON)

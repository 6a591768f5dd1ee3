"""A failure that only a spectrum tells of: runs that fail, and no text about them."""

from __future__ import annotations

from dl_bug_lsp.logs.values import Span
from dl_bug_lsp.spectrum.values import Spectrum
from dl_bug_lsp.tracebacks import Cause, Failure, FailureKind, Relation

DIALECT = "spectrum"
_NAMES = 5


def failing_runs(spectrum: Spectrum) -> Failure | None:
    """Return a failure that names the failing runs, None where all passed."""
    failing = spectrum.failing
    if not failing:
        return None
    total = len(failing) + len(spectrum.passing)
    names = ", ".join(run.name for run in failing[:_NAMES])
    more = f" and {len(failing) - _NAMES} more" if len(failing) > _NAMES else ""
    said = f"{len(failing)} of {total} {'run fails' if total == 1 else 'runs fail'}: {names}{more}"
    span = Span(1, 1)
    cause = Cause(DIALECT, said, (), Relation.ROOT, span)
    return Failure(FailureKind.MESSAGE, (cause,), 0, DIALECT, span, said, primary=True)

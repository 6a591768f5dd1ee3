"""Silent failures: a run that raised nothing and whose metrics say that it failed."""

from __future__ import annotations

from dl_bug_lsp.logs.values import Log
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.signals.diagnosis import diagnose
from dl_bug_lsp.signals.reader import read_metrics
from dl_bug_lsp.signals.values import ClassCount
from dl_bug_lsp.taxonomy.categories import category
from dl_bug_lsp.tracebacks.values import Failure, FailureKind

DIALECT = "metrics"
_HEADER = "Traceback (most recent call last)"


def silent_failure(log: Log, classes: ClassCount | None = None) -> Failure | None:
    """Return the failure that a log's metrics tell of, None where training looks healthy.

    A log with a traceback never fails silently: its exception is the failure.
    """
    if any(_HEADER in line.text for line in log.lines):
        return None
    found = diagnose(read_metrics(log), log, classes)
    if found is None:
        return None
    return Failure(
        kind=FailureKind.SILENT,
        causes=(),
        root=0,
        dialect=DIALECT,
        span=found.span,
        evidence=found.evidence,
        primary=True,
    )


def classify_silent(
    failure: Failure, log: Log, classes: ClassCount | None = None
) -> CategoryVerdict:
    """Return the category of a silent failure, ``unclassified`` for any other kind of failure."""
    silent = failure.kind is FailureKind.SILENT
    found = diagnose(read_metrics(log), log, classes) if silent else None
    if found is None:
        row = category("unclassified")
        return CategoryVerdict(row.id, row.dimension, 0.0, failure.evidence, "metrics")
    row = category(found.category)
    rule = f"metrics.{found.category}"
    shown = f"{found.why} ({found.evidence})"
    return CategoryVerdict(row.id, row.dimension, found.confidence, shown, rule)

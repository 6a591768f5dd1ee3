"""Bug reports: prose without a traceback, taken as the description of one failure."""

from __future__ import annotations

import re

from dl_bug_lsp.logs.values import Log, Span
from dl_bug_lsp.messages import MessageFacts, extract_facts
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.signals import read_metrics
from dl_bug_lsp.taxonomy.categories import category
from dl_bug_lsp.tracebacks import Cause, Failure, FailureKind, Relation

MIN_WORDS = 4
"""Fewer words than this describe nothing."""
_WORDS = re.compile(r"[^\W\d_\u3040-\u9fff]+|[\u3040-\u9fff]")
"""Words; a character of a script without blanks counts as one."""
_NAN = re.compile(
    r"loss.{0,60}(?<![a-z])nan(?![a-z])|\bnan\b.{0,40}(?:loss|epoch|iteration|training)",
    re.IGNORECASE,
)
MAX_TEXT = 20_000
"""Characters of a report that are read."""


def report_failure(log: Log, certain: bool = False) -> Failure | None:
    """Return the failure that a bug report describes; None for healthy runs and for noise.

    A ``certain`` report may quote the metrics of runs.
    """
    text = text_of(log)
    words = _WORDS.findall(text)
    if len(words) < MIN_WORDS or (not certain and read_metrics(log)):
        return None
    lines = [line for line in log.lines if line.text.strip()]
    span = Span(lines[0].number, lines[-1].number)
    first = lines[0].text.strip()
    return Failure(FailureKind.REPORT, (), 0, "report", span, first[:200], primary=True)


def text_of(log: Log) -> str:
    """Return the report's text."""
    return "\n".join(line.text for line in log.lines)[:MAX_TEXT]


def report_facts(log: Log) -> MessageFacts:
    """Return the names, paths and numbers that a report mentions."""
    text = text_of(log)
    return extract_facts(Cause("", text, (), Relation.ROOT, Span(1, max(1, len(log.lines)))))


def classify_report(failure: Failure) -> CategoryVerdict:
    """Return the category of a report: prose alone shows none but a loss that became NaN."""
    if _NAN.search(failure.evidence):
        row = category("loss_nan")
        return CategoryVerdict(row.id, row.dimension, 0.6, failure.evidence, "report.nan")
    row = category("unclassified")
    return CategoryVerdict(row.id, row.dimension, 0.0, failure.evidence, "report")

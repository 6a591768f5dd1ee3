"""Bug reports: prose without a traceback, taken as the description of one failure."""

from __future__ import annotations

import re

from dl_bug_lsp.bug_reports import markup
from dl_bug_lsp.logs.values import Log, Span
from dl_bug_lsp.messages import MessageFacts, extract_facts
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.signals import read_metrics
from dl_bug_lsp.taxonomy.categories import category
from dl_bug_lsp.taxonomy.classification_context import find_phrase
from dl_bug_lsp.taxonomy.classify import known_phrases
from dl_bug_lsp.tracebacks import Cause, Failure, FailureKind, Relation

MIN_WORDS = 4
"""Fewer words than this describe nothing."""
MAX_LINES = 400
LONGEST_MESSAGE = 1_000
_NO_MESSAGE = re.compile(
    r"^(?:\d{4}-\d\d|\[\d|INFO|DEBUG|WARN|\S+Warning: )|\b(?:feature|support for|would be nice"
    r"|please add|proposal|should (?:raise|say))\b",
    re.IGNORECASE,
)
MAX_TEXT = 20_000
"""Characters of a report that are read."""


def report_failure(log: Log, certain: bool = False) -> Failure | None:
    """Return the failure that a bug report describes; None for healthy runs and for noise.

    A ``certain`` report may quote the metrics of runs.
    """
    text = text_of(log)
    words = [word for word in text.split() if any(c.isalpha() for c in word)]
    if len(words) < MIN_WORDS or (not certain and read_metrics(log)):
        return None
    lines = [line for line in log.lines if line.text.strip()]
    span = Span(lines[0].number, lines[-1].number)
    first = lines[0].text.strip()
    return Failure(FailureKind.REPORT, (), 0, "report", span, first[:200], primary=True)


def quoted_message(log: Log) -> Failure | None:
    """Return the failure whose message a text quotes without naming its class, if any.

    The first line with words that a rule of the taxonomy knows of one failure only; code, records
    and lines of a few characters are no messages.
    """
    known = known_phrases(text_of(log).lower())
    if not known:
        return None
    for at, line in enumerate(log.lines[:MAX_LINES]):
        text = line.text.strip().strip("`*_#> ")
        if not any(find_phrase(text.lower(), phrase) for phrase in known):
            continue
        if markup.is_code(line.text) or _NO_MESSAGE.search(text):
            continue
        span = Span(line.number, log.lines[at].number)
        cause = Cause("program", text[:LONGEST_MESSAGE], (), Relation.ROOT, span)
        shown = text[:200]
        return Failure(
            FailureKind.MESSAGE, (cause,), 0, "message", span, shown, primary=True
        )  # fmt: skip
    return None


def text_of(log: Log) -> str:
    """Return the report's text."""
    return "\n".join(line.text for line in log.lines)[:MAX_TEXT]


def report_facts(log: Log) -> MessageFacts:
    """Return the names, paths and numbers that a report mentions."""
    text = text_of(log)
    return extract_facts(Cause("", text, (), Relation.ROOT, Span(1, max(1, len(log.lines)))))


def classify_report(failure: Failure) -> CategoryVerdict:
    """Return the category of a report: prose alone shows none."""
    row = category("unclassified")
    return CategoryVerdict(row.id, row.dimension, 0.0, failure.evidence, "report")

"""Bug reports: prose without a traceback, taken as the description of one failure."""

from __future__ import annotations

import re

from dl_bug_lsp.bug_reports import markup
from dl_bug_lsp.bug_reports.reader import is_sentence
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
PYTHON_SAYS = {
    "' object has no attribute '": "AttributeError",
    "'nonetype' object ": "TypeError",
    "' object is not subscriptable": "TypeError",
    "' object is not callable": "TypeError",
    "' object is not iterable": "TypeError",
    "unsupported operand type(s) for": "TypeError",
    "missing 1 required positional argument": "TypeError",
    "got an unexpected keyword argument '": "TypeError",
    "list index out of range": "IndexError",
    "no module named '": "ModuleNotFoundError",
    "cannot import name '": "ImportError",
    "not supported between instances of '": "TypeError",
    "local variable '…' referenced before assignment": "UnboundLocalError",
    "too many values to unpack (expected": "ValueError",
    "not enough values to unpack (expected": "ValueError",
    "could not convert string to float": "ValueError",
    "invalid literal for int() with base": "ValueError",
}
"""How CPython words its commonest exceptions, in lower case, and their classes."""
_SAYS = re.compile(
    r"\b(?:errors?|exception|says?|said|messages?|complain\w*|throws?|raises?|fails with)\b"
    r"|错|エラー",
    re.IGNORECASE,
)
_SAYS_WEAKLY = re.compile(r"\b(?:getting|got|gives?|this)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_\u3040-\u9fff]+|[\u3040-\u9fff]")
"""Words; a character of a script without blanks counts as one."""
_MARKED = re.compile(r"['\"`:()\[\]=<>\d_]")
"""What messages of programs have and few headings of people."""
WEAKLY_SAID = 22
LONG_PHRASE = 28
"""Words of this many characters are a message's also within a sentence."""
MAX_LINES = 400
LONGEST_MESSAGE = 1_000
_NAN = re.compile(
    r"loss.{0,60}(?<![a-z])nan(?![a-z])|\bnan\b.{0,40}(?:loss|epoch|iteration|training)",
    re.IGNORECASE,
)
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
    words = _WORDS.findall(text)
    if len(words) < MIN_WORDS or (not certain and read_metrics(log)):
        return None
    lines = [line for line in log.lines if line.text.strip()]
    span = Span(lines[0].number, lines[-1].number)
    first = lines[0].text.strip()
    return Failure(FailureKind.REPORT, (), 0, "report", span, first[:200], primary=True)


def quoted_message(log: Log) -> Failure | None:
    """Return the failure whose message a text quotes without naming its class, if any.

    The first line with words that CPython, or a rule of the taxonomy, knows of one failure only.
    Sentences count where they say that it is an error; code, records and requests never do.
    """
    text = text_of(log).lower()
    known = [phrase for phrase in (*PYTHON_SAYS, *known_phrases(text)) if find_phrase(text, phrase)]
    for line in log.lines[:MAX_LINES] if known else ():
        words = line.text.strip().strip("`*_#> ")
        phrase = next((p for p in known if find_phrase(words.lower(), p)), None)
        if phrase is None or markup.is_code(words) or _NO_MESSAGE.search(words):
            continue
        says = _SAYS.search(words) or (len(phrase) >= WEAKLY_SAID and _SAYS_WEAKLY.search(words))
        spoken = is_sentence(words) and len(phrase) < LONG_PHRASE
        if not says and (spoken or not _MARKED.search(words)):
            continue
        span = Span(line.number, line.number)
        type_ = PYTHON_SAYS.get(phrase, "program")
        cause = Cause(type_, words[:LONGEST_MESSAGE], (), Relation.ROOT, span)
        return Failure(
            FailureKind.MESSAGE, (cause,), 0, "message", span, words[:200], primary=True
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
    """Return the category of a report: prose alone shows none but a loss that became NaN."""
    if _NAN.search(failure.evidence):
        row = category("loss_nan")
        return CategoryVerdict(row.id, row.dimension, 0.6, failure.evidence, "report.nan")
    row = category("unclassified")
    return CategoryVerdict(row.id, row.dimension, 0.0, failure.evidence, "report")

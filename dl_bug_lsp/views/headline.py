"""A failure in its own words: the exception as printed and where the text tells of it."""

from __future__ import annotations

from dl_bug_lsp.report import FailureReport
from dl_bug_lsp.views import words
from dl_bug_lsp.views.escape import escape, one_line, shorten

MESSAGE_LINES = 12
MESSAGE_WIDTH = 1_000


def headline(failure: FailureReport) -> str:
    """Return the failure's own words in one escaped line."""
    return message_lines(failure)[0]


def message_lines(failure: FailureReport) -> list[str]:
    """Return the exception as printed: escaped lines, at least one, a bounded number."""
    if failure.exception is None:
        return [one_line(failure.category.evidence) or "No exception was printed."]
    message = escape(failure.exception.message, keep_newlines=True).strip("\n")
    head = escape(failure.exception.type)
    found = f"{head}: {message}" if message.strip() else head
    texts = [shorten(line.rstrip(), MESSAGE_WIDTH) for line in found.split("\n")]
    texts = [line for line in texts if line] or ["Exception"]
    if len(texts) <= MESSAGE_LINES:
        return texts
    hidden = len(texts) - MESSAGE_LINES + 1
    return [*texts[: MESSAGE_LINES - 1], f"… {words.counted(hidden, 'more line')}"]


def where_in_text(failure: FailureReport) -> str:
    """Return the process and the lines of the text that tell of a failure."""
    span = failure.span
    parts = []
    if failure.process is not None:
        if failure.process.rank is not None:
            parts.append(f"rank {failure.process.rank}")
        if failure.process.host:
            parts.append(f"host {escape(failure.process.host)}")
    if span.first_line == span.last_line:
        parts.append(f"line {span.first_line} of the text")
    else:
        parts.append(f"lines {span.first_line}–{span.last_line} of the text")
    return ", ".join(parts)

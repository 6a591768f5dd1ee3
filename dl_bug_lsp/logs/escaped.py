"""Stacks that were printed as one line: a string's repr, an escaped field, a page's HTML."""

from __future__ import annotations

import html
from dataclasses import replace

from dl_bug_lsp.logs.values import LogLine

HEADER = "Traceback (most recent call last):"
FEED = "\\n"
QUOTES = (('\\"', '"'), ("\\'", "'"), ("\\t", "\t"), ("\\\\", "\\"))
HTML_FRAME = ("File &quot;", "File &#34;", "&gt;&gt;&gt;")


def unescaped(lines: list[LogLine]) -> list[LogLine]:
    """Return the lines with stacks of one line taken apart; all parts keep its number."""
    page = any(mark in line.text for line in lines for mark in HTML_FRAME)
    if not page and not any(HEADER + FEED in line.text for line in lines):
        return lines
    out: list[LogLine] = []
    for line in lines:
        text = html.unescape(line.text) if page else line.text
        if HEADER + FEED not in text:
            out.append(replace(line, text=text))
            continue
        before, _, rest = text.partition(HEADER)
        parts = rest.split(FEED)
        head = [before] if before.strip(" \"'b[({:=,") else []
        for part in [*head, HEADER, *parts[1:]]:
            for written, meant in QUOTES:
                part = part.replace(written, meant)
            out.append(replace(line, text=part))
        # What closes the string or the record is no part of the exception's message.
        out[-1] = replace(out[-1], text=out[-1].text.rstrip("\"'}]), "))
    return out

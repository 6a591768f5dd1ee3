"""Markup of bug reports: links, fences, headings, and the tags that Denchmark put in their place.

Denchmark (Kim, Kim, Lee, MSR 2021) keeps GitHub's issues as text in which ``<denchmark-link:URL>``
stands for links, ``<denchmark-code>`` for some code blocks and ``<denchmark-h:h2>`` for headings.
"""

from __future__ import annotations

import re

from dl_bug_lsp.bug_reports.values import CodeLink

_TAGGED_LINK = re.compile(r"<denchmark-link:([^<>\n]{0,2000})>([^<\n]{0,2000})")
_CLOSING = "</denchmark-link>"
_MARKDOWN_LINK = re.compile(r"!?\[([^\]\[\n]{0,300})\]\((https?://[^)\s]{1,2000})[^)\n]{0,200}\)")
_URL = re.compile(r"https?://[^\s<>()\[\]\"'`]{1,2000}")
_BLOB = re.compile(
    r"(?:github|gitlab)[\w.-]*/[\w.-]+/[\w.-]+/(?:-/)?(?:blob|tree|blame|edit)/[^/\s]+/"
    r"([^\s#?]+)(?:#L(\d{1,7})(?:C\d+)?(?:-L?(\d{1,7}))?)?"
)
_HTML = re.compile(
    r"</?(?:details|summary|p|br|b|i|em|strong|pre|code|kbd|img|a|hr|div|span)\b[^<>\n]{0,500}>"
)
HEADING = re.compile(
    r"^\s*(?:<denchmark-h:\w+>(?P<tagged>.{0,300}?)</denchmark-h>|#{1,6}\s+(?P<marked>.{1,300}))\s*$"
)
FENCE = re.compile(r"^\s*(?:```|~~~)")
OPENING_TAG = "<denchmark-code>"
CLOSING_TAG = "</denchmark-code>"
_TITLE_TAGS = re.compile(
    r"^\s*(?:#{1,6}\s+|title:\s+|(?:\[[^\]\n]{1,30}\]|\([^)\n]{1,20}\)\s*:|"
    r"bugs?(?:\s+report)?\s*[:-]|issue\s*:)\s*)+",
    re.IGNORECASE,
)


def without_links(text: str) -> tuple[str, list[CodeLink]]:
    """Return a text with the words of its links in their place, and the files that they name."""
    links = [
        CodeLink(m[1], int(m[2] or 0), int(m[3] or m[2] or 0))
        for url in _URL.finditer(text)
        for m in [_BLOB.search(url.group())]
        if m
    ]
    text = _without_comments(text)
    text = _TAGGED_LINK.sub(_words_of_link, text)
    text = text.replace(_CLOSING, " ")
    text = _MARKDOWN_LINK.sub(lambda m: f" {m[1]} ", text)
    return _HTML.sub(" ", _URL.sub(" ", text)), links


def _without_comments(text: str) -> str:
    """Drop HTML comments: the hints of issue templates; what never closes stays."""
    parts: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        end = text.find("-->", start)
        if end < 0:
            break
        parts.append(text[at:start])
        at = end + 3
    parts.append(text[at:])
    return " ".join(parts)


def _words_of_link(match: re.Match[str]) -> str:
    words = match[2].strip()
    return " " if not words or words.startswith(("http", "#", "@")) else f" {words} "


def plain_title(line: str) -> str:
    """Return a title without markup and tags such as ``[BUG]``."""
    bare = _TITLE_TAGS.sub("", line).strip()
    return bare or line.strip()

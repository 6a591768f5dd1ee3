"""The lines of a bug report: what kind each line is, and what its markup says.

A line is a frame, an exception, a version, output, code or prose. Besides Markdown, the tags of
Denchmark (Kim, Kim, Lee, MSR 2021) are read. That data set keeps GitHub's issues as text in which
``<denchmark-link:URL>`` stands for links, ``<denchmark-code>`` for some code blocks and
``<denchmark-h:h2>`` for headings.
"""

from __future__ import annotations

import re

from dl_bug_lsp.bug_reports.values import CodeLink

FRAME = re.compile(r'File "([^"\n]{1,500})", line (\d{1,7})(?:, in (\S{1,200}))?')
IPYTHON_FRAME = re.compile(
    r"^\s*([~\w./<>\\:+-]{1,400}\.py|<ipython[^>\n]{0,100}>) in (\w{1,200})\("
)
ARROW = re.compile(r"^\s*-+>\s*(\d{1,7})\s?(.*)$")
PATH_ALONE = re.compile(r"^\s*((?:[\w.+-]+/)+[\w.-]+\.py)\s*$")
LINES_OF_PATH = re.compile(r"^\s*Lines? (\d{1,7})(?: to (\d{1,7}))?\s*$")
EXCEPTION = re.compile(
    r"^\s*(?:E\s+)?((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Iteration))"
    r"(?:\s*:\s(.*))?\s*$"
)
_NUMBERED = re.compile(r"^\s*\d+(?:\s{2,}\S|\s*$)")
_KEYED = re.compile(r"^\s*[*-]?\s*[A-Za-z][\w .()/,+-]{0,60}:\s*.{0,80}$")
_VERSION = re.compile(
    r"^\s*[*-]?\s*(?:[\w.-]+(?:==|>=|~=)[\w.+-]+|[\w.-]+:?\s+v?\d+(?:\.\d+)+\S*(?:\s+\S+){0,3}"
    r"|\[(?:pip|conda)\d?\].*)\s*$"
)
_OUTPUT = re.compile(
    r"^\s*(?:\[?\d{4}[-/]\d\d[-/]\d\d|\[?\d\d?:\d\d:\d\d|\[\d{4} \d\d:\d\d"
    r"|(?:INFO|DEBUG|WARNING|WARN|ERROR|CRITICAL)\b|Epoch \d+|[^|\n]{0,120}\d+%\|)"
)
_CODE = re.compile(
    r"^\s*(?:import\s+[\w.]+|from\s+[\w.]+\s+import\b|(?:async\s+)?def\s+\w+\s*\(|class\s+\w+.*:"
    r"|@\w[\w.]*|(?:async\s+)?(?:if|for|while|with|try|else|elif|except|return|raise|yield|assert)\b"
    r"|[\w.\[\]'\", ]{1,80}?\s?(?:=|\+=)\s?\S|[\w.]+\(.*\)?\s*,?\s*$|[)\]}]+,?\s*$"
    r"|#\s|>>>|\.\.\.\s|In \[\d+\]|\"\"\"|%\w+|!\w+ |pip3? install|python3? -?\S+)"
)
_SENTENCE_KEYWORD = re.compile(
    r"^\s*(?:if|for|while|with|try|return|raise|else|assert|yield|import)\b"
)
_CODE_MARK = re.compile(r"[()=\[\]:]\s*$|[()=\[\]]")
_FOUR_WORDS = re.compile(r"[a-z]{2,} [a-z]{2,} [a-z]{2,} [a-z]{2,}")
_ENVIRONMENT = re.compile(
    r"environment|version|system info|setup|configuration|installed|\bos\b", re.IGNORECASE
)
_LONGEST = 400


def is_environment_heading(text: str) -> bool:
    """Whether what follows a heading lists versions and machines."""
    return len(text) < 60 and _ENVIRONMENT.search(text) is not None


def is_environment(line: str, below_heading: bool) -> bool:
    """Whether a line tells a version; below a heading for them, also any key and value."""
    if len(line) > _LONGEST:
        return False
    if _VERSION.match(line):
        return True
    return below_heading and (_KEYED.match(line) is not None or len(line) < 40)


def is_output(line: str) -> bool:
    """Whether a line is what a program printed."""
    return _OUTPUT.match(line[:_LONGEST]) is not None


def is_code(line: str) -> bool:
    """Whether a line outside any fence is code: shaped like a statement, and not a sentence."""
    line = line[:_LONGEST]
    if not _CODE.match(line):
        return False
    if _SENTENCE_KEYWORD.match(line) and not _CODE_MARK.search(line) and _FOUR_WORDS.search(line):
        return False
    return not (_FOUR_WORDS.search(line) and not re.search(r"[=(#]", line))


def is_trace(line: str, fenced: bool) -> bool:
    """Whether a line right below a frame belongs to what the traceback shows of the source."""
    return fenced or line.startswith("    ") or _NUMBERED.match(line) is not None


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

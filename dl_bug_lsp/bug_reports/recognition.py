"""Telling a bug report from a log: a title, then sentences or a template's headings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dl_bug_lsp.bug_reports import line_kinds, markup

_READ = 2_000
_NO_TITLE = re.compile(
    r"^\s*(?:[$>%!|=+~^/]|\d{2,}|[IWEF]\d{4}\b|In \[|Out\[|Traceback|-{3,}|\w+@)|\.py:\d+|Warning:"
    r"|\d+%\||[│─╭]|the above exception|\bpython3?\s+-?\S+\.py|: [\d.]+$|\.{3}\s*$|\w=\S+\s+\w+="
)
_WORD = re.compile(r"[A-Za-z']+")
_TEMPLATE = re.compile(
    r"bug|reproduc|expect|environment|descri|version|steps|actual|behaviou?r|context|happened|error"
    r"|observed|problem|issue|question|code|did",
    re.IGNORECASE,
)
_SPOKEN_WORDS = (
    "i we you my our it this that when is are was should would can cannot not but if there because "
    "to the a an of in with for and have has seems think following"
)
_SPOKEN = frozenset(_SPOKEN_WORDS.split())
_LONGEST_TITLE = 250


def is_report(lines: Sequence[str]) -> bool:
    """Whether a text's lines are a person's report, whatever logs and tracebacks it quotes."""
    lines = lines[:_READ]
    start = next((n for n, line in enumerate(lines) if line.strip()), None)
    if start is None:
        return False
    headings = [m for line in lines if len(line) < 300 for m in [markup.HEADING.match(line)] if m]
    asked = sum(_TEMPLATE.search(h["tagged"] or h["marked"] or "") is not None for h in headings)
    if asked >= 2:
        return True
    rest = lines[start + 1 :]
    if not rest or rest[0].strip() or not is_title(lines[start]):
        return False
    marked = bool(headings) or any(
        markup.OPENING_TAG in line or markup.FENCE.match(line) for line in rest
    )
    return marked or any(map(is_sentence, rest))


def is_title(line: str) -> bool:
    """Whether a line may be a report's title: a few words, not what programs print first."""
    words = [word for word in _WORD.findall(line[: 2 * _LONGEST_TITLE]) if len(word) > 1]
    if len(words) < 2 or len(line) > _LONGEST_TITLE or 'File "' in line:
        return False
    if line_kinds.EXCEPTION.match(line):
        return True
    return _NO_TITLE.search(line) is None and not line_kinds.is_output(line)


def is_sentence(line: str) -> bool:
    """Whether a line reads as written by a person."""
    if _NO_TITLE.search(line[:_LONGEST_TITLE]) or line_kinds.is_output(line) or 'File "' in line:
        return False
    if line_kinds.is_code(line):
        return False
    words = [word.lower() for word in _WORD.findall(line[:1000])]
    spoken = sum(word in _SPOKEN for word in words)
    return len(words) >= 5 and spoken >= 2 and spoken >= len(words) / 5

"""Functions and classes of Python that does not parse, found by their headers and indentation."""

from __future__ import annotations

import re

_HEADER = re.compile(r"([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+([^\W\d]\w*)")
_IMPORT = re.compile(r"[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b|import[ \t]+([\w.]+))")
_STRING_OR_COMMENT = re.compile(r"""\"{3}|'{3}|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|#""")
_TRIPLES = ('"""', "'''")
_LONGEST_LINE = 2000
_TAB = 8


def outline(lines: tuple[str, ...]) -> list[tuple[str, int, int, bool]]:
    """Return (dotted name, line, end line, is class) of every header, in order of appearance.

    A body ends before the next line that stands as far left as its header (as the tokenizer sees
    it); blank lines, comments, closing brackets and strings of many lines end nothing.
    """
    inside = _in_strings(lines)
    found: list[tuple[str, int, int, bool]] = []
    stack: list[tuple[int, int]] = []
    last = 0
    for number, line in enumerate(lines, 1):
        stripped = line.lstrip(" \t\f")
        if not stripped or stripped[0] in "#)]}" or inside[number - 1]:
            continue
        indent = _width(line[: len(line) - len(stripped)])
        while stack and indent <= stack[-1][0]:
            _close(found, stack.pop()[1], last)
        last = number
        header = _HEADER.match(line)
        if header is None:
            continue
        outer = found[stack[-1][1]][0] + "." if stack else ""
        stack.append((indent, len(found)))
        found.append((outer + header.group(3), number, number, header.group(2) == "class"))
    for _, index in stack:
        _close(found, index, last)
    return found


def imports(lines: tuple[str, ...]) -> list[str]:
    """Return the modules that import statements at the start of a line name."""
    modules: list[str] = []
    for line in lines:
        match = _IMPORT.match(line)
        if match:
            modules.append(match.group(1) or match.group(2))
    return modules


def _in_strings(lines: tuple[str, ...]) -> list[bool]:
    """Mark the lines that start inside of a triple-quoted string; none where one never closes."""
    inside: list[bool] = []
    quote = ""
    for line in lines:
        inside.append(bool(quote))
        line, at = line[:_LONGEST_LINE], 0
        while at < len(line):
            if quote:
                at = line.find(quote, at)
                if at < 0:
                    break
                at, quote = at + 3, ""
                continue
            match = _STRING_OR_COMMENT.search(line, at)
            if match is None or match.group() == "#":
                break
            at = match.end()
            quote = match.group() if match.group() in _TRIPLES else ""
    return [False] * len(lines) if quote else inside


def _close(found: list[tuple[str, int, int, bool]], index: int, last: int) -> None:
    name, line, _, is_class = found[index]
    found[index] = (name, line, max(line, last), is_class)


def _width(indent: str) -> int:
    return len(indent.expandtabs(_TAB))

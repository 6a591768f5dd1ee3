"""From a printed line to the local line that holds its text, where the file has drifted."""

from __future__ import annotations

from collections.abc import Sequence

from dl_bug_lsp.workspace.values import FunctionElement

_SHORTEST_PART = 8


def anchor(
    lines: tuple[str, ...],
    line: int,
    source: str | None,
    function: str | None,
    functions: tuple[FunctionElement, ...],
) -> tuple[int, bool]:
    """Return the 1-based local line and whether the printed source stands there.

    The printed line is kept where its text agrees; else the nearest equal line of the function of
    the same name, then of the file, then a line that holds the printed text in part (wrapped or cut
    output). Without any, the line stays, moved into the function or file where it lies outside.
    """
    wanted = _printed_lines(source)
    if not wanted:
        return _clamped(lines, line, function, functions), False
    for text in wanted:
        if 0 < line <= len(lines) and _squeeze(lines[line - 1]) == text:
            return line, True
    spans = [*_spans(function, functions), (1, len(lines))]
    for test in (_equal, _partly):
        for text in wanted:
            matches = [n for n, local in enumerate(lines, 1) if test(_squeeze(local), text)]
            for span in spans if matches else ():
                found = _nearest(matches, line, span)
                if found is not None:
                    return found, True
    return _clamped(lines, line, function, functions), False


def holds_source(lines: tuple[str, ...], source: str | None) -> bool:
    """Tell whether a file holds one of the printed source lines at all."""
    wanted = _printed_lines(source)
    return any(_squeeze(line) in wanted for line in lines) if wanted else False


def defines(functions: tuple[FunctionElement, ...], function: str | None) -> bool:
    """Tell whether a file defines a function of the printed name (``<module>`` proves nothing)."""
    return bool(_spans(function, functions))


def _printed_lines(source: str | None) -> list[str]:
    squeezed = (_squeeze(part) for part in (source or "").split("\n"))
    return [part for part in squeezed if part]


def _spans(function: str | None, functions: tuple[FunctionElement, ...]) -> list[tuple[int, int]]:
    """Return the lines of the functions that a frame's name may mean, exact names first."""
    if not function or function.startswith("<"):
        return []
    name = function.replace(".<locals>", "").rstrip("()")
    exact = [f for f in functions if f.name == name]
    last = name.rpartition(".")[2]
    same = [f for f in functions if f.name.rpartition(".")[2] == last and f not in exact]
    return [(f.line, f.end_line) for f in (*exact, *same)]


def _nearest(matches: list[int], line: int, span: tuple[int, int]) -> int | None:
    inside = [number for number in matches if span[0] <= number <= span[1]]
    return min(inside, key=lambda number: (abs(number - line), number)) if inside else None


def _clamped(
    lines: tuple[str, ...], line: int, function: str | None, functions: tuple[FunctionElement, ...]
) -> int:
    if 0 < line <= len(lines):
        return line
    spans = _spans(function, functions)
    if spans:
        return spans[0][0]
    return max(1, min(line, len(lines)))


def _equal(local: str, text: str) -> bool:
    return local == text


def _partly(local: str, text: str) -> bool:
    if len(text) < _SHORTEST_PART or len(local) < _SHORTEST_PART:
        return False
    head, cut, tail = text.partition(" … ")
    if cut and tail and len(head) >= _SHORTEST_PART:
        # Readers cut a very long line in its middle.
        return local.startswith(head) and local.endswith(tail)
    return local.startswith(text.rstrip("…. ")) or text.startswith(local)


def _squeeze(line: str) -> str:
    return " ".join(line.split())


def find_text(lines: Sequence[str], line: int, text: str) -> int | None:
    """Return the 1-based line nearest to ``line`` that holds a text, white space apart, or None.

    A blank text is found nowhere.
    """
    wanted = _squeeze(text)
    if not wanted:
        return None
    matches = [number for number, local in enumerate(lines, 1) if _squeeze(local) == wanted]
    return _nearest(matches, line, (1, len(lines)))

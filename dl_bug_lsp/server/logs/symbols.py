"""Document symbols of a log: a failure, and below it its frames in the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from dl_bug_lsp.server.documents.marks import Encoding
from dl_bug_lsp.server.documents.positions import lines_range
from dl_bug_lsp.views.escape import one_line

if TYPE_CHECKING:
    from dl_bug_lsp.server.logs.outline import Outline
    from dl_bug_lsp.tracebacks.values import Failure

MOST = 200
MOST_FRAMES = 50
LONGEST = 120


def symbols(found: Outline, encoding: Encoding) -> list[types.DocumentSymbol]:
    """Return one symbol for each failure of a log, in its order."""
    return [_symbol(failure, found, encoding) for failure in found.failures[:MOST]]


def _symbol(failure: Failure, found: Outline, encoding: Encoding) -> types.DocumentSymbol:
    first = failure.span.first_line
    last = max(first, min(failure.span.last_line, len(found.lines)))
    cause = failure.cause
    head = f"{cause.type}: {cause.message}" if cause is not None else failure.evidence
    detail = ["the failure that ended the run"] if failure.primary else []
    if failure.process is not None and failure.process.rank is not None:
        detail.append(f"rank {failure.process.rank}")
    if not failure.reliable:
        detail.append("the stack may blame the wrong line")
    return types.DocumentSymbol(
        name=one_line(head, LONGEST) or "failure",
        kind=types.SymbolKind.Event,
        range=_lines(first, last, found, encoding),
        selection_range=_lines(first, first, found, encoding),
        detail=", ".join(detail) or None,
        children=_frames(first, last, found, encoding),
    )


def _frames(
    first: int, last: int, found: Outline, encoding: Encoding
) -> list[types.DocumentSymbol] | None:
    inside = {link.line: link for link in found.links if first <= link.line <= last}
    frames = []
    for number, link in sorted(inside.items())[:MOST_FRAMES]:
        place = _lines(number, number, found, encoding)
        name = f"{link.place.file}:{link.place.line}"
        function = link.place.function
        kind = types.SymbolKind.Function
        frames.append(types.DocumentSymbol(name, kind, place, place, detail=function))
    return frames or None


def _lines(first: int, last: int, found: Outline, encoding: Encoding) -> types.Range:
    place = lines_range(first, last, found.lines, encoding)
    return types.Range(types.Position(place.start.line, 0), place.end)

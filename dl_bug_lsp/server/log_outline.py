"""A log's failures and frames by their place in the document, and as document symbols."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from lsprotocol import types

from dl_bug_lsp.logs.log import Log
from dl_bug_lsp.logs.reader import read_log
from dl_bug_lsp.server.documents import lines_range
from dl_bug_lsp.server.marks import Encoding
from dl_bug_lsp.tracebacks.failures import Failure, Frame, Reading
from dl_bug_lsp.tracebacks.reader import read_failures
from dl_bug_lsp.views.escape import one_line
from dl_bug_lsp.views.words import told
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.contents import Place

MOST_LINKS = 2_000
MOST_LOOKUPS = 2_000
LONGEST_LINE = 5_000
LONGEST_BOX = 60_000

_PLACES = (
    re.compile(r'File "(?P<file>[^"\n]{1,1000})", line (?P<line>\d{1,9})'),
    re.compile(r"^(?P<file>[^\s:]{1,400}): line (?P<line>\d{1,9})(?=:)"),
    re.compile(r"(?P<file>(?:Cell )?In ?\[\d{1,6}\]),? line (?P<line>\d{1,9})"),
    re.compile(r"^\s*File (?P<file>[^\n\"]{1,1000}?\.\w{1,6}):(?P<line>\d{1,9})"),
    re.compile(
        r"(?<![^\s\"'`(<│|])(?P<file>[^\s\"'`(<│|]{1,400}\.(?:pyw?|pyi|ipynb|pyx)):(?P<line>\d{1,9})"
    ),
)
_FRAMING = "│|║┃ \t"


@dataclass(frozen=True, slots=True)
class Link:
    """A piece of a document's 1-based line (columns in code points) and the place it names."""

    line: int
    start: int
    end: int
    place: Place


@dataclass(frozen=True, slots=True)
class Outline:
    """What a log's text tells: its failures, the links of their frames, the text's lines."""

    failures: tuple[Failure, ...]
    links: tuple[Link, ...]
    lines: Sequence[str]


def outline(
    text: str,
    workspace: Workspace | None,
    path_map: tuple[tuple[str, str], ...] = (),
    stop: Callable[[], bool] = lambda: False,
) -> Outline:
    """Read a log's text; without a workspace there are no links. Never raises on any text."""
    log = read_log(text)
    reading = read_failures(log)
    lines = text.split("\n")
    links: tuple[Link, ...] = ()
    if workspace is not None and not stop():
        finder = _Finder(log, reading, lines, workspace, path_map)
        links = tuple(finder.links(stop))
    return Outline(reading.failures, links, lines)


class _Finder:
    """Looks for the printed places of frames in the lines of a text."""

    def __init__(
        self,
        log: Log,
        reading: Reading,
        lines: Sequence[str],
        workspace: Workspace,
        path_map: tuple[tuple[str, str], ...],
    ) -> None:
        self._log, self._lines = log, lines
        self._workspace, self._map = workspace, path_map
        self._places: dict[tuple[str, int], Place | None] = {}
        self._frames: dict[tuple[str, int], tuple[Frame, int, int]] = {}
        for failure in reading.failures:
            for cause in failure.causes:
                for frame in cause.frames:
                    span = (failure.span.first_line, failure.span.last_line)
                    self._frames.setdefault((frame.file, frame.line), (frame, *span))
        self._taken: set[tuple[int, int]] = set()
        self._boxes: dict[tuple[int, int], tuple[str, list[int]]] = {}

    def links(self, stop: Callable[[], bool]) -> Iterator[Link]:
        count = 0
        linked: set[tuple[str, int]] = set()
        for line in self._log.lines:
            if count >= MOST_LINKS or stop():
                return
            if len(line.text) > LONGEST_LINE or ("." not in line.text and "In" not in line.text):
                continue
            for link, key in self._of_line(line.number, line.text):
                linked.add(key)
                count += 1
                yield link
        for key, (frame, first, last) in self._frames.items():
            if count >= MOST_LINKS or stop():
                return
            place = self._place(key) if key not in linked and frame.line > 0 else None
            for link in self._folded(key, place, first, last) if place is not None else ():
                count += 1
                yield link

    def _of_line(self, number: int, text: str) -> Iterator[tuple[Link, tuple[str, int]]]:
        for pattern in _PLACES:
            for match in pattern.finditer(text):
                key = (match["file"], int(match["line"]))
                place = self._place(key)
                if place is None:
                    continue
                link = self._link(number, text[match.start("file") : match.end("line")], place)
                if link is not None:
                    yield link, key

    def _place(self, key: tuple[str, int]) -> Place | None:
        """Return the workspace's place of a printed one: by its frame, where it is one's."""
        if key not in self._places:
            if len(self._places) >= MOST_LOOKUPS:
                return None
            frame = self._frames[key][0] if key in self._frames else Frame(*key)
            self._places[key] = self._workspace.locate(
                frame.file, frame.line, frame.function, frame.source, self._map
            )
        return self._places[key]

    def _link(self, number: int, printed: str, place: Place) -> Link | None:
        """Return a link where a line of the text holds what was printed; each piece once.

        What terminal codes or escapes tear apart is linked by its whole line.
        """
        raw = self._lines[number - 1] if 1 <= number <= len(self._lines) else ""
        start = raw.find(printed)
        end = start + len(printed)
        if start < 0:
            # One line of JSON may hold the whole traceback, its quotes escaped.
            printed = printed.replace('"', '\\"')
            start, end = raw.find(printed), raw.find(printed) + len(printed)
        if start < 0:
            bare = raw.rstrip().rstrip(_FRAMING)
            start, end = len(bare) - len(bare.lstrip(_FRAMING)), len(bare)
        if start >= end or end - start > LONGEST_LINE or (number, start) in self._taken:
            return None
        self._taken.add((number, start))
        return Link(number, start, end, place)

    def _folded(self, key: tuple[str, int], place: Place, first: int, last: int) -> Iterator[Link]:
        """Find a place that a box folded over lines, by its text without blanks and sides."""
        signs, numbers = self._squeezed(first, last)
        wanted = "".join(f"{key[0]}:{key[1]}".split())
        at = signs.find(wanted)
        for number in sorted(set(numbers[at : at + len(wanted)])) if at >= 0 else ():
            link = self._link(number, "\0", place)
            if link is not None:
                yield link

    def _squeezed(self, first: int, last: int) -> tuple[str, list[int]]:
        """Return the signs of some lines without blanks and sides, and the line of each."""
        if (first, last) not in self._boxes:
            signs: list[str] = []
            numbers: list[int] = []
            for line in self._log.lines:
                if first <= line.number <= last and len(signs) < LONGEST_BOX:
                    inner = [c for c in line.text.strip().strip(_FRAMING) if not c.isspace()]
                    signs.extend(inner)
                    numbers.extend([line.number] * len(inner))
            self._boxes[first, last] = "".join(signs), numbers
        return self._boxes[first, last]


# ---------------------------------------------------------------------- document symbols
MOST = 200
MOST_FRAMES = 50
LONGEST = 120


def symbols(log_outline: Outline, encoding: Encoding) -> list[types.DocumentSymbol]:
    """Return one symbol for each failure of a log, in its order."""
    return [_symbol(failure, log_outline, encoding) for failure in log_outline.failures[:MOST]]


def _symbol(failure: Failure, log_outline: Outline, encoding: Encoding) -> types.DocumentSymbol:
    first = failure.span.first_line
    last = max(first, min(failure.span.last_line, len(log_outline.lines)))
    cause = failure.cause
    head = f"{cause.type}: {cause.message}" if cause is not None else failure.evidence
    detail = ["the failure that ended the run"] if failure.primary else []
    if failure.process is not None and failure.process.rank is not None:
        detail.append(f"rank {failure.process.rank}")
    if not failure.reliable:
        detail.append("the stack may blame the wrong line")
    return types.DocumentSymbol(
        name=one_line(told(head.splitlines() or [""]), LONGEST) or "failure",
        kind=types.SymbolKind.Event,
        range=_lines(first, last, log_outline, encoding),
        selection_range=_lines(first, first, log_outline, encoding),
        detail=", ".join(detail) or None,
        children=_frames(first, last, log_outline, encoding),
    )


def _frames(
    first: int, last: int, log_outline: Outline, encoding: Encoding
) -> list[types.DocumentSymbol] | None:
    inside = {link.line: link for link in log_outline.links if first <= link.line <= last}
    frames = []
    for number, link in sorted(inside.items())[:MOST_FRAMES]:
        place = _lines(number, number, log_outline, encoding)
        name = f"{link.place.file}:{link.place.line}"
        function = link.place.function
        kind = types.SymbolKind.Function
        frames.append(types.DocumentSymbol(name, kind, place, place, detail=function))
    return frames or None


def _lines(first: int, last: int, log_outline: Outline, encoding: Encoding) -> types.Range:
    place = lines_range(first, last, log_outline.lines, encoding)
    return types.Range(types.Position(place.start.line, 0), place.end)

"""From what was recorded to counts of today's lines: how many failing and passing tests run each.

A failing test counts with the phases up to the one that failed, a passing one with all. A line that
runs while a file is imported (a definition, a constant) counts for every test that runs anything in
that file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dl_bug_lsp.recording.anchoring import Anchoring
from dl_bug_lsp.recording.numbits import lines_of, union
from dl_bug_lsp.recording.store import Recording
from dl_bug_lsp.recording.values import Hits, Phase, RecordedTest, Session
from dl_bug_lsp.spectrum.values import Counts, Element, counts_of

_ORDER = (Phase.SETUP, Phase.CALL, Phase.TEARDOWN)

Named = Sequence[tuple[int, int, str]]
"""(first line, last line, dotted name) of functions, 1-based."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Counts of today's lines; ``changed`` and ``gone`` are files that differ from what ran."""

    counts: Counts
    changed: tuple[str, ...]
    gone: tuple[str, ...]


def counted_phases(test: RecordedTest) -> tuple[Phase, ...]:
    """Return the phases of a test that tell something about its outcome."""
    if test.failed_in is None:
        return _ORDER
    return _ORDER[: _ORDER.index(test.failed_in) + 1]


def lines_by_file(test: RecordedTest, session: Session) -> dict[str, bytes]:
    """Return the lines that count for a test, as numbits by file, as they stood when it ran."""
    phases = counted_phases(test)
    found: dict[str, bytes] = {}
    for (phase, file), hits in test.hits.items():
        if phase in phases:
            found[file] = union(found.get(file, b""), hits.lines)
    nothing = Hits(b"")
    return {
        file: union(lines, session.imported.get(file, nothing).lines)
        for file, lines in found.items()
    }


def count_lines(
    recording: Recording,
    text_now: Callable[[str], str | None],
    functions: Callable[[str], Named],
) -> Counted:
    """Count the failing and passing tests of each line.

    ``text_now`` returns a file's text today (None where it is gone), ``functions`` what is defined
    in it.
    """
    failing: dict[str, Counter[int]] = {}
    passing: dict[str, Counter[int]] = {}
    places = _Places(text_now)
    totals = [0, 0]
    for session in recording.sessions:
        for test in session.tests:
            if not (test.outcome.is_failing or test.outcome.is_passing):
                continue
            totals[test.outcome.is_passing] += 1
            side = passing if test.outcome.is_passing else failing
            for file, numbits in lines_by_file(test, session).items():
                lines = places.today(session, file, numbits)
                side.setdefault(file, Counter()).update(lines)
    rows = _rows(failing, passing, functions)
    counts = counts_of(rows, totals[0], totals[1])
    return Counted(counts, tuple(sorted(places.changed)), tuple(sorted(places.gone)))


class _Places:
    """Today's lines of recorded ones; each file of a session is compared once."""

    def __init__(self, text_now: Callable[[str], str | None]) -> None:
        self._text_now = text_now
        self._texts: dict[str, str | None] = {}
        self._anchorings: dict[tuple[str, str], Anchoring] = {}
        self.changed: set[str] = set()
        self.gone: set[str] = set()

    def today(self, session: Session, file: str, numbits: bytes) -> Iterable[int]:
        """Return where recorded lines stand today, those that do."""
        if file not in self._texts:
            self._texts[file] = self._text_now(file)
        then, now = session.sources.get(file), self._texts[file]
        lines = lines_of(numbits)
        if now is None:
            self.gone.add(file)
            return ()
        if then is None or then == now:
            return lines
        self.changed.add(file)
        if (file, then) not in self._anchorings:
            self._anchorings[file, then] = Anchoring(then, now)
        anchoring = self._anchorings[file, then]
        return [line for line in map(anchoring.now, lines) if line is not None]


def _rows(
    failing: Mapping[str, Counter[int]],
    passing: Mapping[str, Counter[int]],
    functions: Callable[[str], Named],
) -> Iterable[tuple[Element, int, int]]:
    for file in sorted({*failing, *passing}):
        bad, good = failing.get(file, Counter()), passing.get(file, Counter())
        # Innermost last: a later span that holds the line wins.
        spans = sorted(functions(file), key=lambda span: (span[0], -span[1]))
        names: dict[int, str] = {}
        for first, last, name in spans:
            names.update(dict.fromkeys(range(first, last + 1), name))
        for line in sorted({*bad, *good}):
            yield Element(file, line, function=names.get(line, "")), bad[line], good[line]

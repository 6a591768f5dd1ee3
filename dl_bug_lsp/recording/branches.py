"""Branches of today's lines: which tests take which way, where arcs were recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dl_bug_lsp.recording.anchoring import Anchoring
from dl_bug_lsp.recording.spectra import Named, counted_phases, function_names
from dl_bug_lsp.recording.store import Recording
from dl_bug_lsp.recording.values import Arc, RecordedTest, Session
from dl_bug_lsp.spectrum.values import Element, Run, Spectrum, spectrum_of


def branches_now(
    recording: Recording,
    text_now: Callable[[str], str | None],
    functions: Callable[[str], Named],
) -> Spectrum:
    """Return the spectrum of branches: jumps from lines that more than one jump leaves.

    Those that changed or gone lines had are left out. Tests that were skipped or failed as expected
    do not count.
    """
    ran = [
        (session, test)
        for session in recording.sessions
        for test in session.tests
        if test.outcome.is_failing or test.outcome.is_passing
    ]
    ways: dict[tuple[int, str, int], set[int]] = {}
    for session, test in ran:
        for file, (first, last) in _jumps(test):
            ways.setdefault((id(session), file, first), set()).add(last)
    places: dict[tuple[int, str], Anchoring | None] = {}
    names: dict[str, dict[int, str]] = {}

    def element(session: Session, file: str, arc: Arc) -> Element | None:
        key = id(session), file
        if key not in places:
            now = text_now(file)
            places[key] = (
                Anchoring(session.sources.get(file, now), now) if now is not None else None
            )
            names[file] = function_names(functions(file)) if now is not None else {}
        anchoring = places[key]
        line = anchoring.now(arc[0]) if anchoring is not None else None
        target = anchoring.now(abs(arc[1])) if anchoring is not None else None
        if line is None or target is None:
            return None
        return Element(file, line, target if arc[1] > 0 else -target, names[file].get(line, ""))

    def elements(session: Session, test: RecordedTest) -> Iterator[Element]:
        for file, arc in _jumps(test):
            if len(ways[id(session), file, arc[0]]) > 1:
                found = element(session, file, arc)
                if found is not None:
                    yield found

    return spectrum_of(
        (Run(test.name, test.outcome, test.weight), elements(session, test))
        for session, test in ran
    )


def _jumps(test: RecordedTest) -> Iterator[tuple[str, Arc]]:
    phases = counted_phases(test)
    for (phase, file), hits in test.hits.items():
        if phase in phases:
            yield from ((file, arc) for arc in hits.arcs if arc[0] > 0)

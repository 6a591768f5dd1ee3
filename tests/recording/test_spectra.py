"""From recorded sessions to counts of today's lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp.recording.session import (
    Hits,
    Phase,
    RecordedTest,
    Session,
    lines_of,
    numbits_of,
    union,
)
from dl_bug_lsp.recording.spectra import Anchoring, spectrum_now
from dl_bug_lsp.recording.store import Recording, StoreError, read_recording, write_session
from dl_bug_lsp.spectrum.spectrum import Outcome, count

THEN = "a = 1\n\ndef f(x):\n    y = x\n    return y\n"
SETUP, CALL, TEARDOWN = Phase.SETUP, Phase.CALL, Phase.TEARDOWN


def ran(
    name: str, outcome: Outcome, failed_in: Phase | None = None, **lines: list[int]
) -> RecordedTest:
    hits = {
        (Phase("run" if phase == "call" else phase), "m.py"): Hits(numbits_of(numbers))
        for phase, numbers in lines.items()
    }
    return RecordedTest(name, outcome, failed_in, hits=hits)


def session(*tests: RecordedTest, source: str | None = THEN) -> Session:
    sources = {"m.py": source} if source is not None else {}
    lines = enumerate((source or THEN).splitlines(), 1)
    imported = numbits_of(number for number, text in lines if text[:1].isalpha())
    return Session("2026-01-01T00:00:00Z", "pytest", tests, {"m.py": Hits(imported)}, sources)


def counted(*sessions: Session, now: str | None = THEN) -> dict[int, tuple[int, int]]:
    found = spectrum_now(Recording(sessions), lambda _file: now, lambda _file: [(3, 5, "f")])
    counts = count(found.spectrum)
    return {element.line: (counts.ef[i], counts.ep[i]) for i, element in enumerate(counts.elements)}


PASSED = ran("good", Outcome.PASSED, setup=[4], call=[5], teardown=[4])
CASES = {
    "imports count with every test of the file": (
        [session(PASSED, ran("bad", Outcome.FAILED, CALL, call=[4]))],
        THEN,
        {1: (1, 1), 3: (1, 1), 4: (1, 1), 5: (0, 1)},
    ),
    "a failing call leaves the teardown out": (
        [session(ran("bad", Outcome.FAILED, CALL, setup=[4], teardown=[5]))],
        THEN,
        {1: (1, 0), 3: (1, 0), 4: (1, 0)},
    ),
    "a failing teardown counts whole": (
        [session(ran("bad", Outcome.ERROR, TEARDOWN, setup=[4], teardown=[5]))],
        THEN,
        {1: (1, 0), 3: (1, 0), 4: (1, 0), 5: (1, 0)},
    ),
    "skipped and expected failures count on no side": (
        [session(ran("x", Outcome.XFAILED, call=[4]), ran("s", Outcome.SKIPPED, setup=[4]))],
        THEN,
        {},
    ),
    "lines above were added since": (
        [session(PASSED)],
        "import os\n\n" + THEN,
        {3: (0, 1), 5: (0, 1), 6: (0, 1), 7: (0, 1)},
    ),
    "a line was changed since": (
        [session(PASSED)],
        THEN.replace("    y = x\n", "    y = -x\n"),
        {1: (0, 1), 3: (0, 1), 5: (0, 1)},
    ),
    "the file is gone": ([session(PASSED)], None, {}),
    "the text then is not known": (
        [session(PASSED, source=None)],
        "other",
        {1: (0, 1), 3: (0, 1), 4: (0, 1), 5: (0, 1)},
    ),
    "two sessions of different texts": (
        [session(PASSED), session(ran("bad", Outcome.FAILED, CALL, call=[6]), source="#\n" + THEN)],
        THEN,
        {1: (1, 1), 3: (1, 1), 4: (0, 1), 5: (1, 1)},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_counts_of_todays_lines(case: str) -> None:
    sessions, now, expected = CASES[case]
    assert counted(*sessions, now=now) == expected


def test_changed_and_gone_files_are_named() -> None:
    both = Recording((session(PASSED),))
    assert spectrum_now(both, lambda _f: THEN + "#", lambda _f: ()).changed == ("m.py",)
    assert spectrum_now(both, lambda _f: None, lambda _f: ()).gone == ("m.py",)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "spectrum.db"
    hits = {(CALL, "m.py"): Hits(numbits_of([4, 5]), ((-3, 4), (4, 5)))}
    written = session(RecordedTest("t", Outcome.FAILED, CALL, "é\n" * 10, 0.25, hits))
    assert write_session(path, written) is None
    (read,) = read_recording(path).sessions
    assert read.tests == written.tests
    assert read.sources == written.sources
    assert read.imported == written.imported


UNREADABLE = {
    "absent": (None, "is no file; `pytest --dl-bug` writes one"),
    "text": (
        b"hello, this is no database, whatever its name says, is it?",
        "is no readable spectrum",
    ),
    "empty": (b"", "is no readable spectrum"),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_an_unreadable_file_is_one_clear_sentence(tmp_path: Path, what: str) -> None:
    content, words = UNREADABLE[what]
    path = tmp_path / "spectrum.db"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StoreError) as raised:
        read_recording(path)
    assert words in str(raised.value)


@given(st.sets(st.integers(1, 300)), st.sets(st.integers(1, 300)))
def test_numbits_hold_sets_of_lines(one: set[int], other: set[int]) -> None:
    assert lines_of(numbits_of(one)) == sorted(one)
    assert lines_of(union(numbits_of(one), numbits_of(other))) == sorted(one | other)


TEXTS = st.lists(st.sampled_from(["a", "b", "", "  c"]), max_size=12)


@given(TEXTS, TEXTS)
def test_an_anchored_line_has_its_text_still(then: list[str], now: list[str]) -> None:
    anchoring = Anchoring("\n".join(then), "\n".join(now))
    places = [(line, anchoring.now(line)) for line in range(1, len(then) + 1)]
    found = [(line, place) for line, place in places if place is not None]
    old, new = "\n".join(then).splitlines(), "\n".join(now).splitlines()
    assert all(old[line - 1] == new[place - 1] for line, place in found if line <= len(old))
    assert [place for _, place in found] == sorted({place for _, place in found})

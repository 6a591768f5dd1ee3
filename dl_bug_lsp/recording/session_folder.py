"""The folder of a running session: made at its start, read at its end or after a crash.

Sessions of tests brought from their folders into the spectrum's file.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from dl_bug_lsp import data_folder
from dl_bug_lsp.recording.coverage_data import CoverageData, CoverageDataError, read_coverage, union
from dl_bug_lsp.recording.journal import (
    ABOUT,
    FOLDER,
    JournalEntry,
    contexts_of,
    is_running,
    read_journal,
)
from dl_bug_lsp.recording.session import CRASHED, Hits, Phase, RecordedTest, Session
from dl_bug_lsp.recording.store import NAME, StoreError, write_session
from dl_bug_lsp.spectrum.spectrum import Outcome

_SESSION = re.compile(r"^[\dT-]{1,40}Z-(?:\d{1,18}-)*(?P<process>\d{1,18})$")
"""When a session began and its process, behind it those that claimed it later."""
_COLLECTED = "collected.json"
_OURS = re.compile(r"(?:session|collected)\.json(?:\.tmp)?|[\w-]+\.jsonl|\.coverage[\w.-]*")
_LARGEST = 2**28
"""Bytes of a file in the folder that are read."""
LARGEST_SOURCE = 4 * 2**20
"""Bytes of a source file whose text is kept with the session."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A session read from its folder; ``crashed`` names the tests that took a process down."""

    session: Session
    crashed: tuple[str, ...]


def make_folder(root: Path, command: str, branch: bool) -> Path:
    """Make the folder of a new session below ``root``; raises OSError where that cannot be."""
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    name = f"{started.replace(':', '')}-{os.getpid()}"
    folder = data_folder.prepare(root, FOLDER) / name
    data_folder.make_new(folder)
    about = {"process": os.getpid(), "started": started, "command": command, "branch": branch}
    data_folder.write(folder / ABOUT, json.dumps(about).encode())
    return folder


def abandoned_sessions(root: Path) -> Iterator[Path]:
    """Return the folders of sessions whose process is gone: they crashed or were killed.

    One that holds anything but files of a session is not ours to take in.
    """
    base = root / data_folder.FOLDER / FOLDER
    for name in data_folder.names(base):
        # Not what the file inside says: a full disk may have left it empty.
        named, folder = _SESSION.match(name), base / name
        if named and is_ours(folder, _OURS) and not is_running(int(named["process"])):
            yield folder


def is_ours(folder: Path, names: re.Pattern[str]) -> bool:
    """Say whether a plain folder holds regular files of these names alone."""
    return data_folder.is_plain(folder) and all(
        names.fullmatch(name) and data_folder.is_regular(folder / name)
        for name in data_folder.names(folder)
    )


def claim(folder: Path) -> Path:
    """Make a folder that was left behind this process' own; OSError where another took it."""
    return data_folder.rename_folder(folder, f"{folder.name}-{os.getpid()}")


def remove(folder: Path, names: re.Pattern[str] | None = None) -> None:
    """Remove a folder and the files of a session in it; what else it holds stays, and it too."""
    with contextlib.suppress(OSError):
        for name in data_folder.names(folder):
            if (names or _OURS).fullmatch(name):
                data_folder.remove(folder / name)
        data_folder.remove_folder(folder)


def read_folder(folder: Path, root: Path) -> Finished:
    """Bring together the journals and coverage data of a session of the workspace ``root``.

    Of a process that was cut off the latest lines are lost. Tests that passed there without any are
    left out: they would count as tests that run nothing.
    """
    about = _document(folder / ABOUT)
    problems: list[str] = []
    contexts: dict[str, dict[str, Hits]] = {}
    imported: dict[str, Hits] = {}
    for path in _files(folder, ".coverage*"):
        try:
            data = read_coverage(path)
        except CoverageDataError as error:
            problems.append(str(error))
            continue
        _add(data, root, contexts, imported)
    tests, crashed = _tests(folder, contexts)
    sources = dict(_sources(root, {file for hits in contexts.values() for file in hits}))
    session = Session(
        str(about.get("started", "")),
        str(about.get("command", "")),
        tests,
        imported,
        sources,
        _collected(folder),
        bool(about.get("branch")),
        tuple(problems),
    )
    return Finished(session, crashed)


def _files(folder: Path, pattern: str) -> list[Path]:
    return [folder / name for name in data_folder.names(folder) if fnmatchcase(name, pattern)]


def note_collected(folder: Path, tests: Mapping[str, Sequence[str]]) -> None:
    """Note all tests that the test files hold, by file."""
    data_folder.write(folder / _COLLECTED, json.dumps(tests).encode())


def _collected(folder: Path) -> dict[str, frozenset[str]]:
    document = _document(folder / _COLLECTED)
    return {
        file: frozenset(map(str, names))
        for file, names in document.items()
        if isinstance(names, list)
    }


def _document(path: Path) -> dict[str, object]:
    try:
        document = json.loads(data_folder.read(path, _LARGEST) or b"")
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _add(
    data: CoverageData,
    root: Path,
    contexts: dict[str, dict[str, Hits]],
    imported: dict[str, Hits],
) -> None:
    paths = {path for files in data.contexts.values() for path in files}
    places = {path: relative(path, root) for path in paths}
    for context, files in data.contexts.items():
        held = contexts.setdefault(context, {}) if context else imported
        for path, hits in files.items():
            file = places[path]
            if file is not None:
                held[file] = merged(held.get(file), hits)


def relative(path: str, root: Path) -> str | None:
    """Return a recorded path relative to the workspace with ``/``, None for one outside."""
    for start in (root, root.resolve()):
        with contextlib.suppress(ValueError):
            return PurePosixPath(Path(path).relative_to(start)).as_posix()
    return None


def merged(left: Hits | None, right: Hits) -> Hits:
    """Return what ran in either."""
    if left is None:
        return right
    arcs = tuple(sorted({*left.arcs, *right.arcs}))
    return Hits(union(left.lines, right.lines), arcs)


def _tests(
    folder: Path, contexts: Mapping[str, Mapping[str, Hits]]
) -> tuple[tuple[RecordedTest, ...], tuple[str, ...]]:
    by_name: dict[str, RecordedTest] = {}
    crashed: list[str] = []
    for path in _files(folder, "*.jsonl"):
        journal = read_journal(path)
        for entry in journal.entries:
            test = _recorded(entry, contexts)
            if journal.is_whole or test.hits or test.outcome.is_failing:
                by_name[entry.name] = test
        if journal.unfinished is not None:
            crashed.append(journal.unfinished)
            by_name[journal.unfinished] = _crash(journal.unfinished, contexts)
    return tuple(by_name[name] for name in sorted(by_name)), tuple(crashed)


def _recorded(entry: JournalEntry, contexts: Mapping[str, Mapping[str, Hits]]) -> RecordedTest:
    hits: dict[tuple[Phase, str], Hits] = {}
    for phase, names in entry.contexts.items():
        for name in names:
            for file, ran in contexts.get(name, {}).items():
                hits[phase, file] = merged(hits.get((phase, file)), ran)
    return RecordedTest(entry.name, entry.outcome, entry.failed_in, entry.text, entry.seconds, hits)


def _crash(name: str, contexts: Mapping[str, Mapping[str, Hits]]) -> RecordedTest:
    entry = JournalEntry(name, Outcome.ERROR, Phase.CALL, CRASHED, 0.0, contexts_of(name))
    return _recorded(entry, contexts)


def _sources(root: Path, files: set[str]) -> Iterator[tuple[str, str]]:
    for file in sorted(files):
        data = data_folder.read_below(root, file, LARGEST_SOURCE)
        with contextlib.suppress(UnicodeDecodeError):
            if data is not None:
                yield file, data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


_LEFT_BEHIND = "an earlier session that was cut off"


@dataclass(frozen=True, slots=True)
class MergedSessions:
    """What was taken in: sentences for the user, and whether any test failed."""

    lines: tuple[str, ...] = ()
    has_failures: bool = False


def add_session(
    root: Path, folder: Path, crashed: Iterable[str] = (), what: str = ""
) -> MergedSessions:
    """Bring a session into the spectrum of the workspace ``root``, and remove its folder.

    ``crashed`` are tests known to have ended a process, ``what`` says whose session it was. Raises
    `StoreError`; the folder is then kept.
    """
    finished = read_folder(folder, root)
    session, lines = finished.session, []
    if session.tests:
        moved = write_session(root / data_folder.FOLDER / NAME, session)
        lines += [moved] if moved else []
        lines.append(_told(session, what))
    lines += [
        f"the interpreter ended in {name}; its lines are not known"
        for name in sorted({*finished.crashed, *crashed})
    ]
    remove(folder)
    fails = any(test.outcome.is_failing for test in session.tests)
    return MergedSessions((*lines, *session.problems), fails)


def merge_abandoned_sessions(root: Path) -> tuple[str, ...]:
    """Take in the sessions whose process is gone; returns sentences.

    What cannot be stored now (a full disk, a folder that cannot be written) stays for later.
    """
    lines: list[str] = []
    for left in abandoned_sessions(root):
        with contextlib.suppress(OSError, StoreError):
            lines += add_session(root, claim(left), what=_LEFT_BEHIND).lines
    return tuple(lines)


def _told(session: Session, what: str) -> str:
    failing = sum(1 for test in session.tests if test.outcome.is_failing)
    passing = sum(1 for test in session.tests if test.outcome.is_passing)
    suffix = f" of {what}" if what else ""
    return f"recorded {failing} failing and {passing} passing tests{suffix}"

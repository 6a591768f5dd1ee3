"""The folder of a running test session with its journals, so that a crash loses nothing.

A session has a folder below ``.dlbug/recording/``, made at its start and read at its end or after a
crash. Each of its processes appends to a journal of its own, one JSON object a line: ``{"begin":
name}`` before a test and ``{"test": name, "contexts": {phase: [context, …]}, "outcome": …, …}``
after it. A test that began and has no end is the one that ended the process; ``{"end": true}`` ends
the journal. The coverage data lies beside the journals. Sessions are brought from their folders
into the spectrum's file.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import IO, Any

from dl_bug_lsp import data_folder
from dl_bug_lsp.recording.session import (
    CRASHED,
    CoverageData,
    CoverageDataError,
    Hits,
    Phase,
    RecordedTest,
    Session,
    read_coverage,
    union,
)
from dl_bug_lsp.recording.store import NAME, StoreError, write_session
from dl_bug_lsp.spectrum.failing_runs import captured_section
from dl_bug_lsp.spectrum.spectrum import PROGRAM, Outcome

FOLDER = "recording"
ABOUT = "session.json"
_LARGEST = 2**28
"""Bytes of a journal that are read."""
LONGEST_TEXT = 20_000
"""Characters of a failure's output that are kept: its end, where the exception stands."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A test as journalled; ``contexts`` names the coverage contexts of each phase."""

    name: str
    outcome: Outcome
    failed_in: Phase | None = None
    text: str = ""
    seconds: float = 0.0
    contexts: Mapping[Phase, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Journal:
    """A process' journal; ``unfinished`` is the test that it died in.

    ``is_whole`` says whether the process came to its end.
    """

    entries: tuple[JournalEntry, ...]
    unfinished: str | None
    is_whole: bool


class JournalWriter:
    """Appends to a journal; a full disk is remembered in ``problem``, never raised."""

    def __init__(self, path: Path) -> None:
        self.problem: str | None = None
        self._stream: IO[str] | None = None
        try:
            # Several processes may have this name in turn: what is there is added to.
            number = data_folder.open_to_append(path)
            self._stream = os.fdopen(number, "a", encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            self._fail(error)

    def begin(self, name: str) -> None:
        """Note that a test begins."""
        self._write({"begin": name})

    def end(self, entry: JournalEntry) -> None:
        """Note how a test ended."""
        self._write(
            {
                "test": entry.name,
                "outcome": entry.outcome.value,
                "failed_in": entry.failed_in.value if entry.failed_in else None,
                "text": entry.text[-LONGEST_TEXT:],
                "seconds": round(entry.seconds, 6),
                "contexts": {phase.value: list(names) for phase, names in entry.contexts.items()},
            }
        )

    def close(self) -> None:
        """Note the end of the process' tests, and close the file."""
        self._write({"end": True})
        if self._stream is not None:
            try:
                self._stream.close()
            except OSError as error:
                self._fail(error)

    def _write(self, item: dict[str, Any]) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(json.dumps(item) + "\n")
            # A crash of the interpreter loses what is not handed to the system.
            self._stream.flush()
        except (OSError, ValueError) as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self._stream = None
        self.problem = f"the spectrum could not be recorded ({error})"


def read_journal(path: Path) -> Journal:
    """Read a journal; lines that a crash tore are left out."""
    entries: list[JournalEntry] = []
    begun: str | None = None
    is_whole = False
    for item in _items(path):
        is_whole = is_whole or item.get("end") is True
        if isinstance(item.get("begin"), str):
            begun = item["begin"]
            continue
        entry = _entry(item)
        if entry is not None:
            entries.append(entry)
            # Subtests end under the name of the test that holds them, followed by their own.
            begun = None if item.get("test") == begun else begun
    return Journal(tuple(entries), begun, is_whole)


def _items(path: Path) -> Iterator[dict[str, Any]]:
    data = data_folder.read(path, _LARGEST) or b""
    for line in data.decode("utf-8", "replace").splitlines():
        try:
            item = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(item, dict):
            yield item


def _entry(item: Mapping[str, Any]) -> JournalEntry | None:
    try:
        failed_in = item["failed_in"]
        return JournalEntry(
            str(item["test"]),
            Outcome(item["outcome"]),
            Phase(failed_in) if failed_in else None,
            str(item["text"]),
            float(item["seconds"]),
            {Phase(phase): tuple(map(str, names)) for phase, names in item["contexts"].items()},
        )
    except (LookupError, TypeError, ValueError, AttributeError):
        return None


def is_running(process: int) -> bool:
    """Say whether a process of this machine lives."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


_PHASES: dict[str, Phase] = {"setup": Phase.SETUP, "call": Phase.CALL, "teardown": Phase.TEARDOWN}
STRICT = "[XPASS(strict)]"
"""How pytest's text begins where a test that was marked to fail, strictly, did not."""
_SUBTESTS = ("SubtestReport", "SubTestReport")
"""The reports of pytest's own subtests (since 9) and of pytest-subtests."""


class RunningTest:
    """A test of this process while it runs.

    A subtest is recorded as a test of its own: the lines between two ends of subtests belong to the
    one that ends there. What runs after the last one belongs to the test itself.
    """

    def __init__(self, name: str, attempt: int = 1) -> None:
        self.name = name
        self.attempt = attempt
        self._contexts: dict[Phase, tuple[str, ...]] = {}
        self._subtests: list[JournalEntry] = []
        self._failed_subtests = 0
        self._outcome = Outcome.PASSED
        self._failed_in: Phase | None = None
        self._text = ""
        self._seconds = 0.0

    def enter(self, phase: Phase) -> str:
        """Begin a phase and return its coverage context."""
        again = f"|attempt {self.attempt}" if self.attempt > 1 else ""
        context = f"{self.name}|{phase.value}{again}"
        self._contexts[phase] = (context,)
        return context

    def take(self, report: Any) -> str | None:
        """Take in a report; returns the context to go on with where a subtest ended."""
        if type(report).__name__ in _SUBTESTS:
            return self._take_subtest(report)
        phase = _PHASES.get(report.when)
        self._seconds += float(getattr(report, "duration", 0.0) or 0.0)
        outcome = outcome_of(report)
        text = text_of(report)
        if outcome.is_failing:
            only_subtests = (
                self._failed_subtests > 0
                and "Traceback" not in text
                and (text.startswith("contains ") or not text)
            )
            if only_subtests:
                return None
            if not self._outcome.is_failing:
                self._outcome, self._failed_in = outcome, phase
            elif text:
                text = f"{heading(self.name, IN_TEARDOWN)}\n\n{text}"
            self._text = "\n".join(x for x in (self._text, text, *_logged(report)) if x).strip("\n")
        elif outcome is not Outcome.PASSED and self._outcome is Outcome.PASSED:
            self._outcome = outcome
        return None

    def entries(self) -> list[JournalEntry]:
        """Return the test and its subtests, ready for the journal."""
        whole = JournalEntry(
            self.name, self._outcome, self._failed_in, self._text, self._seconds, self._contexts
        )
        return [*self._subtests, whole]

    def _take_subtest(self, report: Any) -> str:
        outcome = outcome_of(report)
        self._failed_subtests += outcome.is_failing
        number = len(self._subtests) + 1
        contexts = dict(self._contexts)
        contexts.pop(Phase.TEARDOWN, None)
        self._subtests.append(
            JournalEntry(
                f"{self.name} {_described(report, number)}",
                outcome,
                Phase.CALL if outcome.is_failing else None,
                text_of(report),
                float(getattr(report, "duration", 0.0) or 0.0),
                contexts,
            )
        )
        following = f"{self.name}|{Phase.CALL.value}|{self.attempt}.{number}"
        self._contexts[Phase.CALL] = (following,)
        return following


def outcome_of(report: Any) -> Outcome:
    """Return the outcome that a report tells."""
    if hasattr(report, "wasxfail"):
        return Outcome.XFAILED if report.skipped else Outcome.XPASSED
    if report.failed and text_of(report).startswith(STRICT):
        # What the test ran is no more suspicious than without `strict`: its mark is out of date.
        return Outcome.XPASSED
    if report.failed:
        return Outcome.FAILED if report.when == "call" else Outcome.ERROR
    return Outcome.SKIPPED if report.skipped else Outcome.PASSED


def text_of(report: Any) -> str:
    """Return what pytest would print of a failed phase."""
    return str(getattr(report, "longreprtext", "") or "") if report.failed else ""


def _logged(report: Any) -> list[str]:
    """Return the captured sections of a report that hold a traceback."""
    return [captured_section(str(title), str(text)) for title, text in report.sections]


def crashed_worker(report: Any) -> JournalEntry | None:
    """Return the test that took a worker of pytest-xdist down, None for any other report."""
    if report.when != "???" or not report.failed:
        return None
    return JournalEntry(
        report.nodeid, Outcome.ERROR, Phase.CALL, CRASHED, contexts=contexts_of(report.nodeid)
    )


def contexts_of(name: str) -> dict[Phase, tuple[str, ...]]:
    """Return the coverage contexts of a test by phase, named as pytest-cov does."""
    return {phase: (f"{name}|{phase.value}",) for phase in _PHASES.values()}


def _described(report: Any, number: int) -> str:
    context = getattr(report, "context", None)
    message = getattr(context, "msg", None)
    values = dict(getattr(context, "kwargs", None) or {})
    parts = [f"[{message}]"] if message else []
    parts += [f"({', '.join(f'{name}={value}' for name, value in values.items())})"] * bool(values)
    return " ".join(parts) or f"(subtest {number})"


MOST = 5
"""Groups of tests whose output is told."""
_WIDTH = 80
IN_TEARDOWN = "ERROR at teardown of "
_TEARDOWN = re.compile(rf"^_{{2,80}} {IN_TEARDOWN}", re.MULTILINE)
_ERROR = re.compile(r"^E {2,}(?P<type>[\w.]+)(?=:|$)", re.MULTILINE)
_PLACE = re.compile(r"^(?P<place>\S[^\n]*?:\d{1,8}):(?: |$)", re.MULTILINE)


def failing_text(texts: Mapping[str, str], most: int = MOST) -> str:
    """Return the outputs of failing tests under pytest's headings; ``texts`` are by test name.

    Tests that end at the same line with the same exception are one group: its first test stands
    for it. The largest groups are told, the largest first. A program's output stands as it is.
    """
    programs = [texts[name] for name in sorted(texts) if name.startswith(PROGRAM)]
    if programs and len(programs) == len(texts):
        return programs[0]
    groups: dict[tuple[str, str], list[str]] = {}
    for name in sorted(texts):
        if texts[name].strip():
            groups.setdefault(_ending(texts[name]), []).append(name)
    ordered = sorted(groups.values(), key=lambda names: (-len(names), names[0]))
    if not ordered:
        return ""
    sections = [f"{heading(names[0])}\n\n{texts[names[0]].strip(chr(10))}\n" for names in ordered]
    title = " FAILURES ".center(_WIDTH, "=")
    return "\n".join([title, *sections[:most]])


def heading(name: str, before: str = "") -> str:
    """Return pytest's heading of a test: its classes and name; ``before`` stands before them."""
    short = name.partition("::")[2].replace("::", ".") or name
    return f" {before}{short} ".center(_WIDTH, "_")


def _ending(text: str) -> tuple[str, str]:
    """Return where a test ended and in what exception, as far as its output tells."""
    # A teardown that fails as well is not what the test failed for.
    text = _TEARDOWN.split(text, maxsplit=1)[0]
    places, errors = _PLACE.findall(text), _ERROR.findall(text)
    if not places:
        return text.rstrip().rpartition("\n")[2], ""
    return places[-1], errors[-1] if errors else ""


# ---------------------------------------------------------------------- the folder
_SESSION = re.compile(r"^[\dT-]{1,40}Z-(?:\d{1,18}-)*(?P<process>\d{1,18})$")
"""When a session began and its process, behind it those that claimed it later."""
_COLLECTED = "collected.json"
_OURS = re.compile(
    r"(?:session|collected)\.json(?:\.tmp)?|[\w-]+\.jsonl|frames-\d+\.json|\.coverage[\w.-]*"
)
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

"""What a running test session leaves behind as it goes, so that a crash loses nothing.

A session has a folder below ``.dlbug/recording/``; each process of it appends to a journal of its
own there, one JSON object a line: ``{"begin": name}`` before a test and
``{"test": name, "contexts": {phase: [context, …]}, "outcome": …, …}`` after it. A name that began
and has no end is the test that took the process down; ``{"end": true}`` ends the journal. The
coverage data lies beside the journals.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from dl_bug_lsp import data_folder
from dl_bug_lsp.recording.values import Phase
from dl_bug_lsp.spectrum.values import Outcome

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

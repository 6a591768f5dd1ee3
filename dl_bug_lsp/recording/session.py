"""What is recorded of tests: their outcomes and the lines that each ran; coverage.py's files.

The format of a ``.coverage`` file is coverage.py's documented database schema, version 7: tables
``file``, ``context``, ``line_bits`` (file, context, numbits) and ``arc`` (file, context, fromno,
tono). Numbits are sets of line numbers as bytes: bit ``n % 8`` of byte ``n // 8`` stands for line
``n`` (coverage.numbits). They are read without that library, which the language server does not
need.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from dl_bug_lsp import databases
from dl_bug_lsp.databases import checked_line, checked_numbits
from dl_bug_lsp.spectrum.spectrum import Outcome, Signature


class Phase(str, Enum):
    """The part of a test in which lines ran; ``import`` belongs to no test but to its files."""

    IMPORT = "import"
    SETUP = "setup"
    CALL = "run"
    TEARDOWN = "teardown"


CRASHED = "The process that ran this test ended before the test did."
"""What is told of such a test in place of its output."""
Arc = tuple[int, int]
"""A jump from a line to a line, both 1-based; negative numbers are entries and exits of a code
object that begins at that line (coverage.py's convention)."""


@dataclass(frozen=True, slots=True)
class Hits:
    """What ran in one file in one phase: lines as numbits, and arcs where they were recorded."""

    lines: bytes
    arcs: tuple[Arc, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedTest:
    """One test: its name (pytest's node id), outcome, failure output, and hits.

    ``hits`` are by (phase, file), files relative to the workspace with ``/``; ``failed_in`` is the
    phase that failed. A run of a program is a test, too, named ``run:`` and its command; turns of
    its loop are tests that are ``part_of`` it, one for all that ran the same lines, their number in
    ``weight``. ``signatures`` are a whole run's, counted over its turns.
    """

    name: str
    outcome: Outcome
    failed_in: Phase | None = None
    text: str = ""
    seconds: float = 0.0
    hits: Mapping[tuple[Phase, str], Hits] = field(default_factory=dict)
    weight: int = 1
    part_of: str = ""
    signatures: tuple[Signature, ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """One run of a test suite (or of a program).

    ``imported`` are the lines that ran outside of tests, by file: import statements, definitions,
    constants. ``sources`` are the files' texts as they ran. ``collected`` are the tests that test
    files are known to hold by now, whether they were run or not: others of these files are gone.
    ``replaces`` are tests that go with all that is part of them.
    """

    started: str
    command: str
    tests: tuple[RecordedTest, ...]
    imported: Mapping[str, Hits] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    collected: Mapping[str, frozenset[str]] = field(default_factory=dict)
    branch: bool = False
    problems: tuple[str, ...] = ()
    replaces: frozenset[str] = frozenset()


# ---------------------------------------------------------------------- files of coverage.py
_SCHEMAS = range(6, 8)
_TABLES = {
    "coverage_schema": "version",
    "meta": "key value",
    "file": "id path",
    "context": "id context",
    "line_bits": "file_id context_id numbits",
    "arc": "file_id context_id fromno tono",
    "tracer": "file_id tracer",
}


class CoverageDataError(Exception):
    """A coverage file that cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class CoverageData:
    """Hits by context and file, files as recorded; ``branch`` says whether arcs were recorded."""

    contexts: Mapping[str, Mapping[str, Hits]]
    branch: bool

    @property
    def has_contexts(self) -> bool:
        """Whether anything was recorded under a name."""
        return any(self.contexts)


def read_coverage(path: Path) -> CoverageData:
    """Read a coverage file; raises `CoverageDataError` with one sentence when that cannot be."""
    if not os.path.lexists(path):
        raise CoverageDataError(f"{path} is no file; coverage.py writes one named .coverage")
    try:
        with databases.opened(path, _TABLES) as connection:
            _check_schema(connection, path)
            return _read(connection)
    except (sqlite3.Error, TypeError, ValueError, LookupError, MemoryError) as error:
        why = f"{path} is not a readable coverage file ({error}); record it again"
        raise CoverageDataError(why) from error


def _check_schema(connection: sqlite3.Connection, path: Path) -> None:
    row = connection.execute("select version from coverage_schema").fetchone()
    if row is None or row[0] not in _SCHEMAS:
        schema = row[0] if row else "none"
        raise CoverageDataError(
            f"{path} has coverage.py's schema {schema}; this version reads 6 and 7"
        )


def _read(connection: sqlite3.Connection) -> CoverageData:
    about = dict(connection.execute("select key, value from meta"))
    files = dict(connection.execute("select id, path from file"))
    names = dict(connection.execute("select id, context from context"))
    contexts: dict[str, dict[str, Hits]] = {}
    for file, context, numbits in connection.execute(
        "select file_id, context_id, numbits from line_bits order by context_id, file_id"
    ):
        held = checked_numbits(numbits)
        if held.strip(b"\0"):
            contexts.setdefault(names[context], {})[files[file]] = Hits(held)
    jumps: dict[tuple[str, str], list[Arc]] = {}
    for file, context, start, end in connection.execute(
        "select file_id, context_id, fromno, tono from arc order by context_id, file_id, fromno"
    ):
        jumps.setdefault((names[context], files[file]), []).append(
            (checked_line(start), checked_line(end))
        )
    for (context, file), arcs in jumps.items():
        lines = numbits_of(line for arc in arcs for line in arc)
        contexts.setdefault(context, {})[file] = Hits(lines, tuple(arcs))
    return CoverageData(contexts, bool(jumps) or about.get("has_arcs") in ("1", "True"))


_BITS = tuple(tuple(bit for bit in range(8) if byte >> bit & 1) for byte in range(256))


def lines_of(numbits: bytes) -> list[int]:
    """Return the 1-based line numbers in ``numbits``, rising."""
    numbers = [8 * at + bit for at, byte in enumerate(numbits) if byte for bit in _BITS[byte]]
    # An empty file runs "line 0".
    return numbers[1:] if numbers and numbers[0] == 0 else numbers


def numbits_of(lines: Iterable[int]) -> bytes:
    """Return the numbits of 1-based line numbers; numbers below 1 are left out."""
    numbers = {line for line in lines if line > 0}
    if not numbers:
        return b""
    numbits = bytearray(max(numbers) // 8 + 1)
    for line in numbers:
        numbits[line // 8] |= 1 << line % 8
    return bytes(numbits)


def union(left: bytes, right: bytes) -> bytes:
    """Return the numbits of the lines in either."""
    size = max(len(left), len(right))
    both = int.from_bytes(left, "little") | int.from_bytes(right, "little")
    return both.to_bytes(size, "little")

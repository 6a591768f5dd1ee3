"""What is recorded of tests: their outcomes, and the lines that each of them ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

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

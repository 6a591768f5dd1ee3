"""The commits that led to a state of the files, and what they tell of each file."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import cached_property, partial

# "fix" and "bug" in the message: S. Wang and D. Lo, "Version history, similar report, and
# structure" (AmaLgam), ICPC 2014; as words here, so that "prefix" and "debug" do not count.
_BUG_FIX = re.compile(
    r"(?<![a-z])(?:bug|hot)?-?(?:fix(?:e[sd]|ing|up)?|bugs?|defects?)(?![a-z])", re.IGNORECASE
)
MOST_COMMITS = 5_000
"""Of a longer history only the newest commits are looked at."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit did to a file: ``A``dded, ``M``odified, ``D``eleted, ``R``enamed, ``T``yped.

    ``old`` is the name before a renaming, else None.
    """

    kind: str
    file: str
    old: str | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit; ``time`` is the committer's, in seconds of the epoch. Authors are not kept.

    ``changes`` are those against the only parent, sorted by file; a merge has none.
    """

    sha: str
    parents: tuple[str, ...]
    time: int
    subject: str
    body: str
    changes: tuple[Change, ...]

    @property
    def message(self) -> str:
        """Subject and body."""
        return f"{self.subject}\n\n{self.body}" if self.body else self.subject

    @property
    def when(self) -> datetime:
        """The time, in UTC."""
        return datetime.fromtimestamp(self.time, tz=timezone.utc)

    @property
    def is_fix(self) -> bool:
        """Whether the subject speaks of a bug or a fix."""
        return _BUG_FIX.search(self.subject) is not None


class History:
    """Commits, newest first."""

    def __init__(self, commits: Sequence[Commit]) -> None:
        self.commits = tuple(commits)

    @classmethod
    def of_log(cls, log: bytes) -> History:
        """Read what `Repository.log` returns."""
        return cls(tuple(read_log(log)))

    def below(self, prefix: str) -> History:
        """Return the history as a folder of the repository sees it, names relative to it."""
        if not prefix:
            return self
        return History([_below(commit, prefix) for commit in self.commits])

    @property
    def time(self) -> int | None:
        """When the newest commit was made (epoch seconds), None for an empty history."""
        return self.commits[0].time if self.commits else None

    @cached_property
    def fixes(self) -> tuple[Commit, ...]:
        """The commits whose subject speaks of a bug or a fix, newest first."""
        return tuple(commit for commit in self.commits if commit.is_fix)


EMPTY = History(())


def read_log(log: bytes) -> Iterable[Commit]:
    """Yield the commits of a log in `git.LOG_FORMAT` with ``--name-status -z``, as they come."""
    fields = log.split(b"\0")
    at = 0
    while at + 5 < len(fields):
        if not fields[at].startswith(b"\x01"):
            at += 1
            continue
        sha, parents, time, subject, body = (_text(field) for field in fields[at : at + 5])
        changes, at = _read_changes(fields, at + 5)
        seconds = int(time) if time.lstrip("-").isdigit() else 0
        yield Commit(sha[1:], tuple(parents.split()), seconds, subject, body.strip(), changes)


def _read_changes(fields: list[bytes], at: int) -> tuple[tuple[Change, ...], int]:
    changes: list[Change] = []
    while at < len(fields) and not fields[at].startswith(b"\x01"):
        kind = fields[at].lstrip(b"\n")
        at += 1
        if not kind:
            continue
        names = 2 if kind[:1] in b"RC" else 1
        paths = [_text(path) for path in fields[at : at + names]]
        at += names
        if len(paths) == names and kind[:1] != b"C":
            old = paths[0] if names == 2 else None
            changes.append(Change(chr(kind[0]), paths[-1], old))
        elif len(paths) == names:
            changes.append(Change("A", paths[-1]))
    return tuple(sorted(changes, key=lambda change: change.file)), at


def _below(commit: Commit, prefix: str) -> Commit:
    cut = len(prefix)
    changes = []
    for change in commit.changes:
        old = change.old[cut:] if change.old and change.old.startswith(prefix) else None
        if change.file.startswith(prefix):
            kind = "A" if change.kind == "R" and old is None else change.kind
            changes.append(Change(kind, change.file[cut:], old))
        elif old is not None:
            changes.append(Change("D", old))
    return replace(commit, changes=tuple(changes))


def _text(field: bytes) -> str:
    return field.decode("utf-8", "replace")


LARGEST_COMPARED = 2_000_000
"""Bytes of a file beyond which it is not compared with its committed version."""
MOST_LINES_COMPARED = 20_000


class LastCommit:
    """The files of the newest commit, to compare those on disk with.

    ``hashes`` are the object names by file, as git computes them (Pro Git, "Git Objects");
    ``read`` returns the content of an object, or None.
    """

    def __init__(self, hashes: Mapping[str, str], read: Callable[[str], bytes | None]) -> None:
        self._hashes = hashes
        self._read = read

    def __contains__(self, file: object) -> bool:
        """Say whether the commit has a file."""
        return file in self._hashes

    def is_changed(self, file: str, data: bytes) -> bool:
        """Say whether a content differs from the committed one by more than its line ends."""
        sha = self._hashes.get(file)
        if sha is None:
            return True
        plain = data.replace(b"\r\n", b"\n")
        if sha in (_object_name(data, sha), _object_name(plain, sha)):
            return False
        before = self._read(sha)
        return before is None or before.replace(b"\r\n", b"\n") != plain

    def changed_lines(self, file: str, data: bytes) -> tuple[int, ...]:
        """Return the 1-based lines of a content that the committed one has otherwise.

        Where lines are gone, it is the line that stands in their place now. Empty for a file that
        the commit has not, and where one of the two is very long.
        """
        sha = self._hashes.get(file)
        before = self._read(sha) if sha is not None else None
        if before is None:
            return ()
        old, new = (x.decode("utf-8", "replace").splitlines() for x in (before, data))
        if len(old) + len(new) > 2 * MOST_LINES_COMPARED:
            return ()
        lines: set[int] = set()
        for tag, _, _, start, end in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
            if tag != "equal":
                lines.update(range(start + 1, end + 1) or (min(start + 1, len(new)),))
        return tuple(sorted(line for line in lines if line > 0))


def _object_name(data: bytes, like: str) -> str:
    """Return git's name of a content, by the hash function that another name comes from."""
    make = hashlib.sha256 if len(like) == 64 else partial(hashlib.sha1, usedforsecurity=False)
    return make(b"blob %d\0%b" % (len(data), data)).hexdigest()

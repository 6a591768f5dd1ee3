"""What stays the same when one bug fails again: stack and message without their accidents.

Accidents are what differs from job to job while the bug is the same: times, numbers, addresses,
folders, hosts, ids, the lines of a file that was edited elsewhere.

Editors look up by it how often a failure was met before, in the results of the last triage. That
needs none of the extra's packages: the results hold a small table for it (``groups.json``).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from dl_bug_lsp.data_folder import open_regular
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.tracebacks import Failure, FailureKind, Frame, is_library_path, read_failures

_ACCIDENTS = re.compile(
    # Exit codes, signals and error numbers tell what happened: they stay.
    r"(?P<kept>(?:[Cc]ode|[Ss]tatus|[Ss]ignal|[Ee]rrno|HTTP|eturned|rror)\b[ :=([-]{0,3}\d{1,5}\b)"
    r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|0[xX][0-9a-fA-F]+"
    r"|\b(?=[0-9a-f]{0,40}[0-9])(?=[0-9]{0,40}[a-f])[0-9a-f]{8,64}\b"
    r"|(?P<folder>(?:[A-Za-z]:)?(?:[\\/][\w.@+~=%-]{1,255}){1,64}[\\/](?=[\w.@+~=%-]))"
    r"|\btmp[a-z0-9_]{6,12}\b"
    r"|(?<![A-Za-z_])[-+]\d[\d_]*(?:\.\d+)*(?:[eE][-+]?\d+)?"
    r"|\d+(?:[.xX×:]\d+)*(?:[eE][-+]?\d+)?"
)
_LIST = re.compile(r"#(?:,? #)+|(?:#, ?)+#?(?=[)\]])")
_QUOTED = re.compile(r"'[^'\n]{0,300}'|\"[^\"\n]{0,300}\"|`[^`\n]{0,300}`")
_SPACE = re.compile(r"\s+")
_SITE = re.compile(r"[\\/](?:site|dist)-packages[\\/](?P<package>\w{1,100})")
_LONGEST = 400
_MOST_FRAMES = 40


def without_accidents(text: str) -> str:
    """Return ``text`` with numbers, ids, addresses and folders replaced by ``#`` and ``…/``.

    A second application changes nothing but what the first one left beside its marks.
    """
    return _ACCIDENTS.sub(_replaced, text)


def _replaced(match: re.Match[str]) -> str:
    if match["kept"] is not None:
        return match["kept"]
    return "…/" if match["folder"] is not None else "#"


def message_template(message: str, *, quoted: bool = True) -> str:
    """Return the first words of a message without their accidents; what is quoted stays if asked.

    Where the first line only announces (it ends with a colon), the second one belongs to it.
    """
    lines = [line.strip() for line in message[:4000].split("\n") if line.strip()][:2]
    if not lines:
        return ""
    head = lines[0]
    if head.endswith(":") and len(lines) > 1:
        head = f"{head} {lines[1]}"
    head = without_accidents(head)
    if not quoted:
        head = _QUOTED.sub("'…'", head)
    return _SPACE.sub(" ", _LIST.sub("#", head))[:_LONGEST]


def own_stack(frames: Sequence[Frame]) -> tuple[str, ...]:
    """Return the user's frames as ``file:function:source``, outermost first, each once.

    The file goes by its last name and the line by its text, so that another folder or an edit
    elsewhere in the file changes nothing.
    """
    out: dict[str, None] = {}
    for frame in frames:
        if is_library_path(frame.file) or frame.marked_user is False:
            continue
        name = re.split(r"[\\/]", frame.file)[-1]
        name = without_accidents(name) if name.startswith("<") else name
        source = _SPACE.sub(" ", frame.source or "").strip()
        out[f"{name}:{frame.function or ''}:{source[:200]}"] = None
    return tuple(list(out)[-_MOST_FRAMES:])


def raising_library(frames: Sequence[Frame]) -> str:
    """Return the package that the user's innermost call went into; empty where none raised."""
    package = ""
    for frame in frames:
        if not is_library_path(frame.file):
            package = ""
        elif not package:
            match = _SITE.search(frame.file)
            package = match["package"] if match else "python"
    return package


def fingerprint(failure: Failure) -> str:
    """Return 16 hexadecimal digits that the failures of one bug share, on any machine.

    They are made of the exception's class, the message without its accidents, the user's frames and
    the library that raised. Without any frame the message's quoted words count, too; with a stack
    they do not: at one place of the code, different missing keys are one bug.
    """
    cause = failure.cause
    if cause is None:
        parts = [failure.kind.value, message_template(failure.evidence)]
    else:
        stack = own_stack(failure.frames)
        exact = failure.kind is not FailureKind.EXCEPTION or not any(
            not entry.endswith(":") for entry in stack
        )
        parts = [
            failure.kind.value,
            cause.class_name,
            message_template(cause.message, quoted=exact),
            raising_library(failure.frames),
            *stack,
        ]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


# ---------------------------------------------------------------------- failures met before
GROUPS = "groups.json"
PAGE = "page.html"
_LARGEST = 64 * 2**20
_WEEK = timedelta(days=6)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Standing:
    """A failure's group: how many jobs met it, and when first (POSIX seconds); its page."""

    group: str
    jobs: int
    users: int
    first: float | None
    page: Path | None

    def words(self, now: float) -> str:
        """Return one sentence, as in "This failure: 37 jobs since Tuesday, of 4 users."."""
        jobs = f"{self.jobs:,} job" if self.jobs == 1 else f"{self.jobs:,} jobs"
        users = f", of {self.users:,} users" if self.users > 1 else ""
        return f"This failure: {jobs}{_since(self.first, now)}{users}."


def _since(first: float | None, now: float) -> str:
    try:
        if first is None:
            return ""
        moment = datetime.fromtimestamp(first, timezone.utc)
        today = datetime.fromtimestamp(now, timezone.utc)
    except (OverflowError, OSError, ValueError):
        return ""
    if moment.date() == today.date():
        return " today"
    if timedelta(0) <= today - moment < _WEEK:
        return f" since {_WEEKDAYS[moment.weekday()]}"
    return f" since {moment:%Y-%m-%d}"


def standing_of(text: str, folder: Path) -> Standing | None:
    """Return the group of the failure that ended the job of ``text``; None where none is known.

    ``folder`` holds the results of `dl_bug_lsp.triage.triage`. Never raises.
    """
    groups = _groups(folder)
    if not groups:
        return None
    failure = next((f for f in read_failures(read_log(text)).failures if f.primary), None)
    if failure is None:
        return None
    group = fingerprint(failure)
    row = groups.get(group)
    if not isinstance(row, dict):
        return None
    jobs, users, first = row.get("jobs"), row.get("users"), row.get("first")
    if not isinstance(jobs, int) or jobs < 1:
        return None
    page = folder / PAGE
    return Standing(
        group,
        jobs,
        users if isinstance(users, int) else 0,
        float(first) if isinstance(first, (int, float)) else None,
        page if page.is_file() else None,
    )


_read: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {}


def _groups(folder: Path) -> dict[str, Any]:
    """Return the table of groups, read again where it changed; empty where there is none."""
    file = folder / GROUPS
    try:
        with open_regular(file) as stream:
            state = os.fstat(stream.fileno())
            mark = (state.st_mtime_ns, state.st_size)
            known = _read.get(str(file))
            if known is not None and known[0] == mark:
                return known[1]
            data = stream.read(_LARGEST + 1)
        document = json.loads(data) if len(data) <= _LARGEST else {}
    except (OSError, ValueError, RecursionError):
        return {}
    groups = document.get("groups") if isinstance(document, dict) else None
    table = groups if isinstance(groups, dict) else {}
    _read.clear()
    _read[str(file)] = (mark, table)
    return table

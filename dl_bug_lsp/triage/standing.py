"""How often a failure was met: looked up in the results of the last triage, as editors do it.

Needs none of the extra's packages: the results hold a small table for this (``groups.json``).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from dl_bug_lsp.data_folder import open_regular
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.triage.fingerprints import fingerprint

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
    found = groups if isinstance(groups, dict) else {}
    _read.clear()
    _read[str(file)] = (mark, found)
    return found

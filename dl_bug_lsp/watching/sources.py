"""Sources and configs that changed, gathered until a burst is over."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field

from dl_bug_lsp.watching.values import SourceChanges

QUIET = 0.2
"""Seconds without a change after which a burst (a checkout, a formatter) is over."""
LONGEST = 2.0
"""Seconds after which it is told anyway."""


@dataclass(slots=True)
class Changes:
    """The changed files for which ``is_source`` holds, by relative path."""

    is_source: Callable[[str], bool]
    _paths: dict[str, bool] = field(default_factory=dict)
    _first: float = 0.0
    _last: float = 0.0

    def take(self, path: str, full: str, now: float) -> None:
        """Take in that a file came, changed or went; ``full`` is its absolute path."""
        if not self.is_source(path):
            return
        if not self._paths:
            self._first = now
        self._last = now
        self._paths[path] = os.path.exists(full)

    def due(self) -> float | None:
        """Return when the changes are to be told, None where there are none."""
        if not self._paths:
            return None
        return min(self._last + QUIET, self._first + LONGEST)

    def flushed(self, now: float) -> SourceChanges | None:
        """Return the changes of a burst that is over, and begin anew."""
        due = self.due()
        if due is None or now < due:
            return None
        changed = tuple(sorted(path for path, exists in self._paths.items() if exists))
        deleted = tuple(sorted(path for path, exists in self._paths.items() if not exists))
        self._paths.clear()
        return SourceChanges(changed=changed, deleted=deleted)

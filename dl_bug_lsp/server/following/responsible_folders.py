"""Which of the open folders tell a failure that watchers of several may have seen, and as what."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dl_bug_lsp.server.documents.folders import Folder
from dl_bug_lsp.server.failures.shown_failures import OF_A_FOLDER

if TYPE_CHECKING:
    from dl_bug_lsp.report import Report
    from dl_bug_lsp.watching.values import LogFailure, RunPlace

MOST_WORDS = 200
"""Words of a command that are looked at."""


def responsible_folders(
    followed: Sequence[Folder], heard: Folder, failure: LogFailure
) -> tuple[Folder, ...]:
    """Return the folders in which a failure is shown that ``heard``'s watcher saw.

    A log belongs to the innermost folder around it, a recorded run to the innermost around the
    folder that it ran in; in any other it is told by none. A run outside of all folders is told by
    those below its project together, in the turn of the first of them.
    """
    run = failure.run
    if run is None:
        place = heard.real_root / failure.file
        return _only(heard, [f for f in followed if f.real_root in place.parents])
    ran_in, recorder = Path(run.folder), Path(run.recorder)
    hearing = [f for f in followed if _are_in_line(f.real_root, recorder)]
    around = [f for f in hearing if f.real_root in (ran_in, *ran_in.parents)]
    if around or heard not in hearing:
        return _only(heard, around)
    return tuple(hearing) if hearing[0] is heard else ()


def _only(heard: Folder, around: Sequence[Folder]) -> tuple[Folder, ...]:
    innermost = max(around, key=lambda f: len(f.real_root.parts), default=heard)
    return (heard,) if innermost is heard else ()


def _are_in_line(one: Path, other: Path) -> bool:
    return one == other or one in other.parents or other in one.parents


def concerns(folder: Folder, run: RunPlace) -> bool:
    """Whether a run ran in a folder, or names a file of it in its command."""
    root, ran_in = folder.real_root, Path(run.folder)
    named = (run.folder, *run.command[:MOST_WORDS])
    return any(_normal(ran_in / word).is_relative_to(root) for word in named)


def _normal(path: Path) -> Path:
    # Without a look at the disk: the loop does not wait for it.
    return Path(os.path.normpath(path))


def has_frame(report: Report) -> bool:
    """Whether the failure that ended the job passed through a file of the folder."""
    primary = report.primary
    return primary is not None and any(frame.workspace_file for frame in primary.frames)


def name_elsewhere(folder: Folder, source: str) -> str:
    """Return the name of a folder's log or run in other folders, whose code it is about."""
    kind, colon, name = source.partition(":")
    is_own = f"{kind}{colon}".startswith(OF_A_FOLDER)
    return f"{kind} in {folder.real_root.as_posix()}: {name}" if is_own else source


def is_run(source: str) -> bool:
    """Whether a name is that of a recorded run, in its own folder or as `name_elsewhere` has it."""
    return source.startswith(("run:", "run in "))

"""Many jobs: every failure of folders of logs read, classified and grouped into bugs.

Needs the extra ``triage`` (Dask, fsspec, pyarrow); importing this package alone needs none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dl_bug_lsp.triage.results import TriageResult
    from dl_bug_lsp.triage.running import Progress

EXTRA = "triage needs more packages; install them with: pip install 'dl-bug-lsp[triage]'"
"""What is said where the extra is not installed."""

__all__ = ["EXTRA", "MissingExtraError", "TriageError", "triage"]


class TriageError(Exception):
    """Triage cannot go on; its text is one sentence that says what to do."""


class MissingExtraError(ImportError):
    """The packages of the extra ``triage`` are not installed."""


def triage(
    paths: Sequence[str | PathLike[str]] | str | PathLike[str],
    *,
    results: str | PathLike[str] | None = None,
    manifests: Sequence[str | PathLike[str]] = (),
    workspace: str | PathLike[str] | None = None,
    scheduler: str | None = None,
    workers: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> TriageResult:
    """Read the logs that ``paths`` lead to and say what failed how often.

    ``paths`` are files, folders, globs, archives, or URLs of fsspec; a manifest of jobs among them
    is taken for one, as those in ``manifests``. With a folder ``results`` what was read is kept
    there as parquet, and a second run reads only what is new; without it nothing is written. With a
    ``workspace`` (a folder of code) the places of the most frequent failures are ranked in it.
    ``scheduler`` is the address of a Dask cluster; else ``workers`` processes of this machine read,
    by default one a core, and for few logs this process alone.

    Never raises on what it reads. Raises `MissingExtraError` where the extra is not installed and
    `TriageError` where the results, the workspace, a manifest or the cluster cannot be used.
    """
    try:
        from dl_bug_lsp.triage.triaging import run
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "dl_bug_lsp":
            raise
        raise MissingExtraError(EXTRA) from error
    listed = [paths] if isinstance(paths, (str, PathLike)) else paths
    return run(
        [_text(path) for path in listed],
        results=None if results is None else _text(results),
        manifests=[_text(path) for path in manifests],
        workspace=None if workspace is None else _text(workspace),
        scheduler=scheduler,
        workers=workers,
        progress=progress,
    )


def _text(path: str | PathLike[str]) -> str:
    return path if isinstance(path, str) else str(path)

"""From a text to a publication: the one way that commands, followed logs and runs all take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.core.settings import folder_settings
from dl_bug_lsp.server.documents.folders import Folder
from dl_bug_lsp.server.failures.publication import Publication, publication
from dl_bug_lsp.server.failures.shown_failures import OF_A_FOLDER
from dl_bug_lsp.server.jobs import CancelledError, Rank, Token
from dl_bug_lsp.settings.reading import Settings

if TYPE_CHECKING:
    from dl_bug_lsp.report import Report

LIMIT = 32 * 2**20
"""Characters of a text that are kept, from its end."""


async def localized(
    ls: DlBugServer,
    text: str,
    source: str,
    folders: tuple[Folder, ...],
    request: int | str | None = None,
    lines_before: int = 0,
) -> Publication:
    """Localize a text in a thread and return its publication for the folder that fits it best.

    ``source`` names where the text is from; a newer text of the same source takes this one's place.
    ``request`` is the client's request that waits for the answer; a text that no request waits for
    goes behind those of requests. ``lines_before`` lines of the log stand before the text.
    Raises `SupersededError`, `CancelledError` and what the work raised.
    """
    name = job_name(source, folders)
    ls.jobs.drop(name)
    settings = [await folder_settings(ls, folder) for folder in folders]
    if any(folder.closed.is_set() for folder in folders):
        raise CancelledError
    encoding = ls.workspace.position_encoding or types.PositionEncodingKind.Utf16
    text, skipped = _end_of(text)

    def part(folder: Folder, wanted: Settings) -> Callable[[Token], tuple[Report, Publication]]:
        def work(_token: Token) -> tuple[Report, Publication]:
            # Imported here, off the loop: it would hold up the answer to `initialize`.
            from dl_bug_lsp.localize import localize

            folder.workspace.catch_up()
            report = localize(text, folder.workspace, wanted.options)
            report = report.after(skipped).shifted(lines_before)
            published = publication(report, folder, wanted, source, encoding)
            if wanted.triage_folder is not None:
                from dl_bug_lsp.triage.fingerprints import standing_of

                place = folder.real_root / Path(wanted.triage_folder).expanduser()
                published.standing = standing_of(text, place)
            return report, published

        return work

    parts = [(f.key, part(f, s)) for f, s in zip(folders, settings, strict=True)]
    rank = Rank.ASKED if request is not None else Rank.HEARD
    publications = await ls.jobs.run(name, parts, request, rank)
    return max(reversed(publications), key=lambda pair: _fit(*pair))[1]


def job_name(source: str, folders: tuple[Folder, ...]) -> str:
    """Return the name under which a source's latest text wins."""
    own = source.startswith(OF_A_FOLDER) and len(folders) == 1
    return f"{folders[0].key} {source}" if own else source


def _fit(report: Report, candidate: Publication) -> tuple[int, int, int, float]:
    """Return how well a folder fits a text: frames in it, how deep it lies, best score.

    First come frames printed with the very path of a file in it, then all that are found in it: a
    path of another machine, or of a folder that is not open, may well end as one of its files.
    """
    failure, folder = report.primary, candidate.folder
    depth = len(folder.real_root.parts)
    if failure is None:
        return 0, 0, depth, 0.0
    inside = [frame for frame in failure.frames if frame.workspace_file]
    exact = sum(1 for frame in inside if folder.file_of(frame.file) == frame.workspace_file)
    best = max((suspect.score for suspect in failure.suspects), default=0.0)
    return exact, len(inside), depth if inside else 0, best


def _end_of(text: str) -> tuple[str, int]:
    """Return the last `LIMIT` characters in whole lines and how many lines stand before them."""
    if len(text) <= LIMIT:
        return text, 0
    start = text.find("\n", len(text) - LIMIT) + 1 or len(text) - LIMIT
    return text[start:], text.count("\n", 0, start)

"""Tells in one line of a failure that nobody asked for, to clients that wish it.

Some editors show nothing of a file that is not open: without a line nobody would learn that a
followed log or a recorded run has failed. Each failure is told once, and what comes in a burst is
told together.
"""

from __future__ import annotations

import asyncio
import time

from lsprotocol import types

from dl_bug_lsp.server.app import DlBugServer
from dl_bug_lsp.server.commands import neighbour
from dl_bug_lsp.server.publication import Place, Publication

GATHER_SECONDS = 1.0
"""How long news are gathered: a traceback that is still being written is told whole."""
PAUSE_SECONDS = 5.0
"""The time between two lines, at least."""
LONGEST_NAME = 60
LONGEST_REST = 120


def register(server: DlBugServer) -> None:
    """Listen to what followed logs and recorded runs report."""
    announcements = Announcements(server)
    server.events.publishing_unasked.subscribe(announcements.heard)


class Announcements:
    """News that the client is told of soon; used on the event loop's thread."""

    def __init__(self, ls: DlBugServer) -> None:
        self._ls = ls
        self._news: set[tuple[str, str]] = set()
        """The failures that are to be told, as `_identity` has them."""
        self._timer: asyncio.TimerHandle | None = None
        self._told_at = -PAUSE_SECONDS

    def heard(self, new: Publication) -> None:
        """Take in a publication before it is shown; nothing is told of a failure known already."""
        if not self._ls.announced_command or self._ls.shown_failures.knows(new):
            return
        self._news.add(_identity(new))
        if self._timer is None:
            wait = max(GATHER_SECONDS, self._told_at + PAUSE_SECONDS - time.monotonic())
            self._timer = asyncio.get_running_loop().call_later(wait, self._tell)

    def _tell(self) -> None:
        """Tell of the news that are still shown, and let the client's command begin with them."""
        ls, self._timer = self._ls, None
        news = [held for held in ls.shown_failures.all() if _identity(held) in self._news]
        self._news.clear()
        found = [target for held in news if (target := neighbour(ls, {"report": held.id}, 1, None))]
        if not found:
            return
        publication, place = found[-1]
        ls.visited = publication.id, place.failure.id, place.suspect.rank - 1
        self._told_at = time.monotonic()
        line = announcement(publication, place, ls.announced_command, len(found))
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, line))


def _identity(publication: Publication) -> tuple[str, str]:
    primary = publication.report.primary
    return publication.folder.key, primary.id if primary is not None else ""


def announcement(publication: Publication, place: Place, command: str, count: int) -> str:
    """Return one line on a failure and the place that a command goes to.

    The rest of the message stands last: a narrow screen cuts it off. ``count`` failures are new.
    """
    # Imported here: there is nothing to tell before there is a failure.
    from dl_bug_lsp.views import words
    from dl_bug_lsp.views.escape import escape, shorten

    failure, cell = place.failure, place.mark.cell
    file = escape(place.suspect.file)
    where = f"{file}, code cell {cell.number}" if cell else f"{file}:{place.mark.line}"
    what = "run went wrong" if words.is_silent(failure) else "run failed"
    what = f"{count} failures, the latest" if count > 1 else what
    name, rest = words.category_name(failure), words.headline(failure)
    if failure.exception is not None:
        name = escape(failure.exception.type.rpartition(".")[2])
        printed, _, message = rest.partition(": ")
        rest = message if printed.endswith(name) else rest
    doubt = words.doubt(failure)
    where = f"{where}, {doubt}" if doubt else where
    line = f"{what}: {shorten(name, LONGEST_NAME)}, see {where} ({command})"
    return f"{line}: {shorten(rest, LONGEST_REST)}" if rest and rest != name else line

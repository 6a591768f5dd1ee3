"""A report as the editor sees it: places of a source's latest failure, kept at their lines."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.server.documents.folders import Folder
from dl_bug_lsp.server.documents.marks import Spot, document_key
from dl_bug_lsp.settings.reading import Settings

if TYPE_CHECKING:
    from dl_bug_lsp.fixes import Fix
    from dl_bug_lsp.report import Evidence, FailureReport, Report, Suspect
    from dl_bug_lsp.triage.standing import Standing

SOURCE = "dl-bug"
"""What diagnostics say they are from."""
REASONS = 3
"""Pieces of evidence that a diagnostic tells."""
LONGEST_TEXT = 64 * 2**10
"""Characters that are kept of a text that lies in no file."""


@dataclass(frozen=True, slots=True)
class Related:
    """A frame on the way from the raise site to a suspect, and words for what it is."""

    spot: Spot
    words: str


@dataclass(eq=False)
class Place:
    """A suspect in a document; its spots follow the edits."""

    failure: FailureReport
    suspect: Suspect
    mark: Spot
    lens: Spot
    related: tuple[Related, ...]
    is_dismissed: bool = False

    @property
    def is_shown(self) -> bool:
        """Whether the place still has its lines and nobody put it aside."""
        return self.mark.range is not None and not self.is_dismissed

    @property
    def uri(self) -> str:
        """The document in which the place is shown."""
        return self.mark.uri


@dataclass(eq=False)
class Offer:
    """A certain fix of a failure; ``spots`` follow the lines that it changes, in its order."""

    failure: FailureReport
    fix: Fix
    spots: tuple[Spot, ...]


@dataclass(eq=False)
class Publication:
    """A report shown in a folder; ``source`` is where its text is from.

    ``log`` is the URI of the file that holds the text; where there is none, ``text`` is the part of
    the text that tells of the failure, bounded.
    """

    id: str
    folder: Folder
    report: Report
    document: dict[str, Any]
    source: str
    settings: Settings
    places: list[Place]
    log: str | None = None
    text: str = ""
    standing: Standing | None = None
    """How many jobs met the primary failure, where a triage folder is configured and knows it."""
    offers: list[Offer] | None = None
    """None until somebody asks for them."""

    @property
    def key(self) -> tuple[str, str]:
        """What publications share that are of the same failure in the same folder."""
        return self.folder.key, self.id

    def spots(self) -> Iterator[Spot]:
        """Yield every spot, also those in other documents than the marks'."""
        for place in self.places:
            yield place.mark
            yield place.lens
            yield from (one.spot for one in place.related)
        for offer in self.offers or ():
            yield from offer.spots

    def shown(self) -> list[Place]:
        """Return the places that still stand, the primary failure's first, best first."""
        return [place for place in self.places if place.is_shown]

    def last_rank(self, failure: FailureReport) -> int:
        """Return the rank of a failure's last place that stands: the 3 of "place 1 of 3"."""
        return max((p.suspect.rank for p in self.shown() if p.failure is failure), default=0)

    def put_aside(self, failures: Collection[tuple[str, int]]) -> None:
        """Show nothing of these failures (id, first line in the log), unless one is primary."""
        for place in self.places:
            one = place.failure
            if not one.primary and (one.id, one.span.first_line) in failures:
                place.is_dismissed = True

    def put_aside_as(self, old: Publication) -> None:
        """Show nothing of what an older publication of the same failures shows no more."""
        gone = {
            (p.failure.id, p.suspect.file, p.suspect.line) for p in old.places if p.is_dismissed
        }
        for place in self.places:
            if (place.failure.id, place.suspect.file, place.suspect.line) in gone:
                place.is_dismissed = True

    def at(self, uri: str) -> Iterator[Place]:
        """Yield the places that are shown in a document."""
        key = document_key(uri)
        return (p for p in self.places if p.is_shown and document_key(p.uri) == key)

    def keep_text(self, text: str) -> None:
        """Keep of a text that lies in no file the lines of the primary failure."""
        failure = self.report.primary
        if failure is None:
            self.text = text[-LONGEST_TEXT:]
            return
        lines = text.split("\n")[failure.span.first_line - 1 : failure.span.last_line]
        self.text = "\n".join(lines)[-LONGEST_TEXT:]


def by_score(suspect: Suspect) -> list[Evidence]:
    """Return why a line is suspected, the weightiest first."""
    return sorted(suspect.evidence, key=lambda evidence: -evidence.score)

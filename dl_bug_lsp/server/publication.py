"""A report as the editor sees it: places of a source's latest failure, kept at their lines.

From a report to what the editor shows: the places of its suspects and frames, certain fixes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.server.documents import Folder
from dl_bug_lsp.server.position_tracking import CellLine, Encoding, Spot, document_key, spot
from dl_bug_lsp.settings.reading import Settings

if TYPE_CHECKING:
    from dl_bug_lsp.fixes import Fix
    from dl_bug_lsp.report import Evidence, FailureReport, Report, Suspect
    from dl_bug_lsp.triage.fingerprints import Standing

SOURCE = "dl-bug"
"""What diagnostics say they are from."""
REASONS = 3
"""Pieces of evidence that a diagnostic tells."""
LONGEST_TEXT = 64 * 2**10
"""Characters that are kept of a text that lies in no file, at most."""
LONGEST_REST = LONGEST_TEXT // 4
"""How many of them stand behind the failure, at most."""


@dataclass(frozen=True, slots=True)
class KeptText:
    """The part around a failure of a text that lies in no file, in whole lines where it can be.

    ``first_line`` is the number (from 1) of its first line in the text, ``later_lines`` the number
    of the lines that are left out behind it.
    """

    text: str
    first_line: int = 1
    later_lines: int = 0

    @classmethod
    def around(cls, text: str, last_line: int) -> KeptText:
        """Return what is kept of a text whose failure ends with a line, counted from 1."""
        if len(text) <= LONGEST_TEXT:
            return cls(text)
        lines = text.split("\n")
        end = min(sum(map(len, lines[:last_line])) + last_line, len(text))
        behind = text[end : end + LONGEST_REST].rpartition("\n")[0]
        stop = end + len(behind)
        start = max(0, stop - LONGEST_TEXT)
        begin = text.find("\n", start, end - 1) + 1 if start else 0
        begin = begin or start
        return cls(text[begin:stop], text.count("\n", 0, begin) + 1, text.count("\n", stop))

    def lines(self, first: int, last: int) -> list[str]:
        """Return the lines from ``first`` to ``last`` of the text, as far as they are kept."""
        before = self.first_line
        return self.text.split("\n")[max(0, first - before) : max(0, last - before + 1)]


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

    ``log`` is the URI of the file that holds the text; where there is none, ``text`` is what is
    kept of it, and ``text_uri`` the file that was made of that for the editor.
    """

    id: str
    folder: Folder
    report: Report
    document: dict[str, Any]
    source: str
    settings: Settings
    places: list[Place]
    log: str | None = None
    text: KeptText | None = None
    text_uri: str | None = None
    standing: Standing | None = None
    """How many jobs met the primary failure, where a triage folder is configured and knows it."""
    section: str = ""
    """A part of the report's page, in Markdown, that a recorded training gives."""
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
            yield from (related.spot for related in place.related)
        for offer in self.offers or ():
            yield from offer.spots

    def shown(self) -> list[Place]:
        """Return the places that still stand, the primary failure's first, best first."""
        return [place for place in self.places if place.is_shown]

    def number(self, place: Place) -> int:
        """Return a place's number among its failure's, from 1; it stays when others go."""
        ranks = [p.suspect.rank for p in self.places if p.failure is place.failure]
        return sum(rank <= place.suspect.rank for rank in ranks)

    def last_number(self, failure: FailureReport) -> int:
        """Return the number of a failure's last place that stands: the 3 of "place 1 of 3"."""
        return max((self.number(p) for p in self.shown() if p.failure is failure), default=0)

    def ranks(self) -> dict[str, set[int]]:
        """Return the ranks of the places of each failure, by its id."""
        found: dict[str, set[int]] = {}
        for place in self.places:
            found.setdefault(place.failure.id, set()).add(place.suspect.rank)
        return found

    def put_aside(self, failures: Collection[tuple[str, int]]) -> None:
        """Show nothing of these failures (id, first line in the log), unless one is primary."""
        for place in self.places:
            failure = place.failure
            if not failure.primary and (failure.id, failure.span.first_line) in failures:
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
        """Keep of a text that lies in no file the lines around the primary failure."""
        failure = self.report.primary
        last_line = text.count("\n") + 1 if failure is None else failure.span.last_line
        self.text = KeptText.around(text, last_line)

    def failure_text(self) -> list[str]:
        """Return the kept lines of the primary failure, of a text that lies in no file."""
        failure = self.report.primary
        if self.text is None:
            return []
        if failure is None:
            return self.text.text.splitlines()
        return self.text.lines(failure.span.first_line, failure.span.last_line)


def by_score(suspect: Suspect) -> list[Evidence]:
    """Return why a line is suspected, the weightiest first."""
    return sorted(suspect.evidence, key=lambda evidence: -evidence.score)


ALWAYS_SHOWN = 3
"""The first suspects of a failure, which are marked unless they hardly count."""
MOST_RELATED = 10
MOST_FAILURES = 60
"""Failures of a report that are held."""
LONGEST_MESSAGE = 20_000
"""Characters of an exception's message that are held."""
MOST_FIXED = 20
"""Failures of a report for which fixes are looked for."""


def publication(
    report: Report,
    folder: Folder,
    settings: Settings,
    source: str,
    encoding: Encoding,
) -> Publication:
    """Find the places of a report's suspects; reads the workspace, so it belongs off the loop."""
    # Imported here: there is nothing to publish before `initialize` is answered.
    import hashlib

    from dl_bug_lsp.views.json_view import to_json

    report = bounded(report)
    maker = _Maker(folder, encoding)
    places = [maker.place(f, s) for f, s in _shown(report, settings)]
    ids = "\n".join(failure.id for failure in report.failures)
    name = hashlib.sha256(f"{report.workspace}\n{ids}".encode("utf-8", "replace")).hexdigest()[:16]
    document = to_json(report)
    log = _log_of(source, folder)
    return Publication(name, folder, report, document, source, settings, places, log)


def bounded(report: Report) -> Report:
    """Return a report with the primary failure and the last others, their messages cut.

    It is held as long as it is shown: a log may tell of hundreds of failures, each of a megabyte.
    """
    # Imported here: there is nothing to publish before `initialize` is answered.
    from dataclasses import replace

    from dl_bug_lsp.views.escape import shorten

    left = max(0, len(report.failures) - MOST_FAILURES)
    failures = tuple(
        failure for at, failure in enumerate(report.failures) if at >= left or failure.primary
    )
    failures = tuple(
        replace(
            failure,
            exception=replace(exception, message=shorten(exception.message, LONGEST_MESSAGE)),
        )
        if (exception := failure.exception) is not None and len(exception.message) > LONGEST_MESSAGE
        else failure
        for failure in failures
    )
    gone = len(report.failures) - len(failures)
    notes = (f"{gone} earlier failures are left out.",) if gone else ()
    return replace(report, failures=failures, problems=(*report.problems, *notes))


def find_offers(held: Publication, encoding: Encoding) -> list[Offer]:
    """Return the certain fixes of a publication's failures; belongs to the folder's lane."""
    # Imported here: only who asks what to do about a failure waits for it.
    from dl_bug_lsp.fixes import find_fixes

    maker = _Maker(held.folder, encoding)
    return [
        Offer(failure, fix, tuple(maker.spot(e.file, e.line, e.line) for e in fix.edits))
        for failure in held.report.failures[:MOST_FIXED]
        for fix in find_fixes(failure, held.folder.workspace)
    ]


def _log_of(source: str, folder: Folder) -> str | None:
    """Return the URI of the log that a source names by a URI or as ``log:`` and a file's name."""
    if source.startswith("file:"):
        return source
    kind, _, name = source.partition(":")
    return folder.uri_of(name) if kind == "log" and name and not name.startswith("/") else None


def worth_showing(failure: FailureReport, suspect: Suspect, least: float) -> bool:
    """Whether a suspect is worth a mark in the editor: one of the first, or not quite unlikely.

    That a line's value goes into what failed is said of very many lines, and marks none but the
    first.
    """
    # Imported here: there is nothing to publish before `initialize` is answered.
    from dl_bug_lsp.views.words import hardly_counts

    if hardly_counts(failure, suspect):
        return False
    if suspect.rank <= ALWAYS_SHOWN:
        return True
    return suspect.score >= least and any(e.kind not in FLOWS for e in suspect.evidence)


FLOWS = ("provenance", "config")
"""Sources of evidence that say of a line no more than that it took part."""


def _shown(report: Report, settings: Settings) -> list[tuple[FailureReport, Suspect]]:
    """Return the primary failure's suspects and the others' first, each line once."""
    primary = report.primary
    pairs: list[tuple[FailureReport, Suspect]] = []
    if primary is not None:
        least = settings.min_score
        pairs = [(primary, s) for s in primary.suspects if worth_showing(primary, s, least)]
    pairs += [(f, f.suspects[0]) for f in report.failures if f is not primary and f.suspects]
    by_line = {(suspect.file, suspect.line): (f, suspect) for f, suspect in reversed(pairs)}
    return [pair for pair in pairs if pair in by_line.values()][: settings.max_diagnostics]


class _Maker:
    """Makes places; a frame that several suspects name gets one spot."""

    def __init__(self, folder: Folder, encoding: Encoding) -> None:
        self._folder = folder
        self._encoding = encoding
        self._frames: dict[tuple[str, int], Spot] = {}

    def spot(self, file: str, first: int, last: int, *, point: bool = False) -> Spot:
        lines = self._folder.workspace.lines(file)
        uri = self._folder.uri_of(file)
        made = spot(uri, first, max(first, last), lines, self._encoding, point=point)
        for cell in self._folder.workspace.cells(file):
            if first in cell.raw:
                at = cell.raw.index(first)
                made.cell, made.text = CellLine(cell.number, at + 1), cell.lines[at]
        return made

    def place(self, failure: FailureReport, suspect: Suspect) -> Place:
        mark = self.spot(suspect.file, suspect.line, suspect.end_line)
        line = self._definition_line(suspect)
        lens = self.spot(suspect.file, line, line, point=True)
        return Place(failure, suspect, mark, lens, self._related(failure, suspect))

    def _definition_line(self, suspect: Suspect) -> int:
        """Return the line that defines the suspect's function, its own outside of functions."""
        for element in self._folder.workspace.elements(suspect.file).functions:
            inside = element.line <= suspect.line <= element.end_line
            if element.name == suspect.function and inside:
                return element.line
        return suspect.line

    def _related(self, failure: FailureReport, suspect: Suspect) -> tuple[Related, ...]:
        """Return the workspace's frames, the raise site first, but for the suspect's own line."""
        # Imported here: there is nothing to publish before `initialize` is answered.
        from dl_bug_lsp.views.text import without_comprehensions

        inside = [frame for frame in without_comprehensions(failure.frames) if frame.workspace_file]
        related = []
        for at, frame in enumerate(dict.fromkeys(reversed(inside))):
            file, line = frame.workspace_file or "", frame.workspace_line or frame.line
            if (file, line) == (suspect.file, suspect.line):
                continue
            words = "the last line of yours before the error" if at == 0 else "called from here"
            words += "; it was changed after the run" if frame.changed else ""
            if (file, line) not in self._frames:
                self._frames[file, line] = self.spot(file, line, line)
            where = f"{words}, in {frame.function}" if frame.function else words
            related.append(Related(self._frames[file, line], where))
        return tuple(related[:MOST_RELATED])

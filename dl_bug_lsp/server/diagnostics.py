"""Diagnostics for the places of reports, and the pages on disk to which they link.

A diagnostic tells the failure, why this line, and where it was raised. They are pushed, because a
failure is an event, and withdrawn from the URIs that they were pushed to. Clients that pull are
asked to pull again instead. A document has one channel: diagnostics of other parts of the server
are merged in here.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from dl_bug_lsp import __version__
from dl_bug_lsp.server.position_tracking import document_key
from dl_bug_lsp.server.publication import REASONS, SOURCE, Place, Publication, Related, by_score
from dl_bug_lsp.settings.reading import Settings
from dl_bug_lsp.views import words
from dl_bug_lsp.views.escape import escape, shorten, whole_sentences
from dl_bug_lsp.views.json_view import evidence_to_json
from dl_bug_lsp.views.words import headline

if TYPE_CHECKING:
    from dl_bug_lsp.server.known_failures import ShownFailures
    from dl_bug_lsp.triage.fingerprints import Standing


def cache_folder() -> Path:
    """Return the folder of things that can be made again, by the platform's custom."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(base or Path.home() / ".cache") / "dl-bug-lsp"


@cache
def page_uri(category_id: str) -> str | None:
    """Write a category's page where it is not yet and return its URI, None if that fails."""
    # Imported here: there is no page before there is a failure.
    from dl_bug_lsp.taxonomy.categories import category
    from dl_bug_lsp.views.explain import explain_markdown

    try:
        page = explain_markdown(category(category_id))
        folder = cache_folder() / "pages" / __version__
        place = folder / f"{category_id}.md"
        if not place.is_file() or place.read_text(encoding="utf-8") != page:
            folder.mkdir(parents=True, exist_ok=True)
            _replace(place, page)
        return place.resolve().as_uri()
    except (KeyError, OSError, RuntimeError, ValueError):
        return None


MOST_REPORTS = 20
"""Pages and texts that are kept, of each; they tell of logs: they go soon, and are the user's."""


def report_page(report: str, page: str) -> str | None:
    """Write the page of a report's id and return its URI, None where that fails."""
    return _of_report(f"{report}.md", page)


LONGEST_NAME = 60


def text_page(report: str, source: str, text: str) -> str | None:
    """Write the text of a report that lies in no file and return its URI, None where that fails.

    The file is named after the source, since editors show its name.
    """
    name = re.sub(r"[^\w.=+-]+", " ", source.partition(": ")[2] or source).strip(" .")
    return _of_report(f"{name[:LONGEST_NAME] or 'text'} {report[:8]}.log", text)


def _of_report(name: str, text: str) -> str | None:
    try:
        folder = cache_folder() / "reports"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = folder / name
        _replace(place, text)
        pages = folder.glob(f"*{place.suffix}")
        for old in sorted(pages, key=_changed, reverse=True)[MOST_REPORTS:]:
            old.unlink(missing_ok=True)
        return place.resolve().as_uri()
    except (OSError, RuntimeError, ValueError):
        return None


def _changed(place: Path) -> int:
    return place.stat().st_mtime_ns


def _replace(place: Path, text: str) -> None:
    """Write so that another server that reads at the same time never sees half a page."""
    import tempfile

    handle, name = tempfile.mkstemp(dir=place.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(name).replace(place)
    except OSError:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


# ---------------------------------------------------------------------- diagnostics
LONGEST_LINE = 300
LONGEST_ADVICE = 1_000
HELPS = "What usually helps"
"""How advice begins, in diagnostics and hovers."""


def diagnostic(
    publication: Publication,
    place: Place,
    capabilities: types.PublishDiagnosticsClientCapabilities,
    *,
    is_hover: bool = False,
) -> types.Diagnostic:
    """Return what is shown at a place, with as much beside it as the client can take.

    ``is_hover``: the client's hovers begin with it.
    """
    assert place.mark.range is not None
    shown = types.Diagnostic(
        range=place.mark.range,
        message=message(publication, place, is_hover=is_hover),
        severity=severity(place, publication.settings),
        source=SOURCE,
        code=place.failure.category.id,
    )
    if capabilities.related_information:
        shown.related_information = _related(place.related) or None
    if capabilities.code_description_support:
        page = page_uri(place.failure.category.id)
        shown.code_description = types.CodeDescription(page) if page else None
    if capabilities.data_support:
        shown.data = {
            "report": publication.id,
            "failure": place.failure.id,
            "suspect": place.suspect.rank,
            "source": publication.source,
            "evidence": [evidence_to_json(evidence) for evidence in place.suspect.evidence],
        }
    return shown


def _related(related: Iterable[Related]) -> list[types.DiagnosticRelatedInformation]:
    return [
        types.DiagnosticRelatedInformation(
            types.Location(place.spot.uri, place.spot.range), escape(place.words)
        )
        for place in related
        if place.spot.range is not None
    ]


def message(publication: Publication, place: Place, *, is_hover: bool = False) -> str:
    """Return what stands beside the line: the failure first, then why this place.

    With ``is_hover`` what helps most often ends the message of the first place.
    """
    failure, suspect = place.failure, place.suspect
    name = words.category_name(failure)
    number = publication.number(place)
    rank = words.standing(failure, suspect, publication.last_number(failure), number)
    lines = [f"{name}, {rank}{_cell(place)}", shorten(headline(failure), LONGEST_LINE)]
    if not failure.reliable:
        lines.append(words.UNRELIABLE)
    lines += [shorten(escape(text), LONGEST_LINE) for text in words.reservations(failure)]
    lines += [
        f"- {shorten(escape(evidence.why), LONGEST_LINE)}"
        for evidence in by_score(suspect)[:REASONS]
    ]
    if is_hover and failure.advice and suspect.rank == 1:
        helps = f"{failure.advice[0].cause} {failure.advice[0].fix}"
        lines.append(f"{HELPS}: {whole_sentences(escape(helps), LONGEST_ADVICE)}")
    return "\n".join(lines)


def _cell(place: Place) -> str:
    """Return the cell that a notebook's line is in; nothing where the line is shown in it."""
    cell, is_in_cell = place.mark.cell, place.mark.uri != place.mark.home
    return f", code cell {cell.number}, line {cell.line}" if cell and not is_in_cell else ""


ALWAYS_LISTED = 3
"""Places up to this rank are shown where editors list problems, which leave hints out."""


def severity(place: Place, settings: Settings) -> types.DiagnosticSeverity:
    """Return how loudly a place is shown: a suspicion is never an error."""
    score = place.suspect.score
    first = place.failure.suspects[0].score
    if place.suspect.rank == 1 or score >= min(first, settings.warning_from):
        return types.DiagnosticSeverity.Warning
    if score >= settings.information_from or place.suspect.rank <= ALWAYS_LISTED:
        return types.DiagnosticSeverity.Information
    return types.DiagnosticSeverity.Hint


def standing_line(standing: Standing, *, links: bool) -> str:
    """Return how many jobs met a failure; the group on the results' page is linked if asked."""
    text = standing.words(time.time())
    if not links or standing.page is None:
        return text
    return f"{text} [All of them](<{standing.page.as_uri()}#g-{standing.group}>)"


Push = Callable[[types.PublishDiagnosticsParams], None]


@dataclass(frozen=True, slots=True)
class Report:
    """What a document has now, under an id that another content never gets."""

    result_id: str
    items: list[types.Diagnostic]


class Diagnostics:
    """Remembers every URI that holds diagnostics of ours, and what was pushed there.

    ``changed`` is called where what clients pull may be another than before.
    """

    def __init__(self, push: Push, changed: Callable[[], None] = lambda: None) -> None:
        self._push_now = push
        self._changed = changed
        self.is_pulled = False
        self.are_hovers = False
        """Whether the client's hovers begin with the diagnostics of their line."""
        self._results: dict[str, int] = {}
        """How often the content of each document changed: the ids of results."""
        self._pushed: dict[str, list[types.Diagnostic]] = {}
        self._names: dict[str, str] = {}
        """The spelling of each document that something was pushed for."""
        self._failures: dict[str, list[types.Diagnostic]] = {}
        self._others: dict[str, dict[str, list[types.Diagnostic]]] = {}
        self.capabilities = types.PublishDiagnosticsClientCapabilities()

    def show(self, publications: Iterable[Publication]) -> None:
        """Push the places of all publications and take back what stood anywhere else."""
        self._failures = {}
        for publication in publications:
            for place in publication.shown():
                diagnostics = self._failures.setdefault(self._known(place.uri), [])
                diagnostics.append(self._words_of(publication, place))
        for uri in {**self._pushed, **self._failures}:
            self._send(uri)

    def follow(self, shown_failures: ShownFailures, uri: str) -> None:
        """Push what an edit of a document moved: what stands in it, or names a line of it."""
        touched = {
            document_key(place.uri): place.uri
            for publication in shown_failures.around(uri)
            for place in publication.places
        }
        for key, changed in touched.items():
            known = self._known(changed)
            self._failures[known] = [
                self._words_of(publication, place)
                for publication in shown_failures.around(changed)
                for place in publication.shown()
                if document_key(place.uri) == key
            ]
            self._send(known)

    def _words_of(self, publication: Publication, place: Place) -> types.Diagnostic:
        return diagnostic(publication, place, self.capabilities, is_hover=self.are_hovers)

    def set(self, owner: str, uri: str, diagnostics: Sequence[types.Diagnostic]) -> None:
        """Show what another part of the server says of a document, in place of its last word."""
        uri = self._known(uri)
        others = self._others.setdefault(uri, {})
        others[owner] = list(diagnostics)
        if not any(others.values()):
            del self._others[uri]
        self._send(uri)

    def close(self, folder: str) -> None:
        """Take back what others than failures say of the documents below a folder's URI."""
        for uri in [uri for uri in self._others if uri.startswith(folder)]:
            del self._others[uri]
            self._send(uri)

    def clear(self) -> None:
        """Take everything back."""
        self._failures, self._others = {}, {}
        for uri in list(self._pushed):
            self._send(uri)

    def stop_pushing(self) -> None:
        """Take back what was pushed to a client that pulls, and push nothing more."""
        if self.is_pulled:
            return
        self.is_pulled = True
        for uri in self._pushed:
            self._push_now(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))

    def report(self, uri: str) -> Report:
        """Return what a document has now."""
        known = self._known(uri)
        items = list(self._pushed.get(known, ()))
        return Report(str(self._results.get(document_key(known), 0)), items)

    def reports(self, known: Mapping[str, str]) -> dict[str, Report]:
        """Return what all documents have, by URI; of those ``known`` to a client also nothing."""
        names = {document_key(uri): uri for uri in known}
        uris = {key: names.get(key, uri) for uri in self._pushed if (key := document_key(uri))}
        return {uri: self.report(uri) for uri in {**names, **uris}.values()}

    def _push(self, params: types.PublishDiagnosticsParams) -> None:
        key = document_key(params.uri)
        self._results[key] = self._results.get(key, 0) + 1
        if self.is_pulled:
            self._changed()
        else:
            self._push_now(params)

    def repeat(self, uri: str) -> None:
        """Push what a document has once more: some clients keep nothing for files not open."""
        known = self._known(uri)
        if known in self._pushed and not self.is_pulled:
            pushed = self._pushed[known]
            self._push(types.PublishDiagnosticsParams(uri=known, diagnostics=pushed))

    def _known(self, uri: str) -> str:
        """Return the spelling of a URI under which its document has diagnostics already."""
        return uri if uri in self._pushed else self._names.get(document_key(uri), uri)

    def _send(self, uri: str) -> None:
        """Push what a document has now, unless it is what was pushed last."""
        diagnostics = list(self._failures.get(uri, ()))
        # What was expected of a line before the run is no news beside what became of it.
        failed = {item.range.start.line for item in diagnostics}
        for _, others in sorted(self._others.get(uri, {}).items()):
            diagnostics.extend(item for item in others if item.range.start.line not in failed)
        if diagnostics == self._pushed.get(uri, []):
            return
        if diagnostics:
            self._pushed[uri] = diagnostics
            self._names[document_key(uri)] = uri
        else:
            del self._pushed[uri]
            self._names.pop(document_key(uri), None)
        self._push(types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics))

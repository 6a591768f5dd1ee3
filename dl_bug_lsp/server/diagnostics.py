"""Diagnostics: pushed, because a failure is an event, and taken back by the URIs pushed to."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lsprotocol import types

from dl_bug_lsp.server.folders import same_file
from dl_bug_lsp.server.pages import page_uri
from dl_bug_lsp.server.publication import Place, Publication
from dl_bug_lsp.views import words
from dl_bug_lsp.views.categories import category_words
from dl_bug_lsp.views.escape import escape, shorten
from dl_bug_lsp.views.headline import headline
from dl_bug_lsp.views.json_view import evidence_to_json

SOURCE = "dl-bug"
REASONS = 3
LONGEST_LINE = 300

Push = Callable[[types.PublishDiagnosticsParams], None]


class Diagnostics:
    """Remembers every URI that holds diagnostics of ours."""

    def __init__(self, push: Push) -> None:
        self._push = push
        self._pushed: dict[str, None] = {}
        self.capabilities = types.PublishDiagnosticsClientCapabilities()

    def show(self, publications: Iterable[Publication]) -> None:
        """Push the places of all publications and take back what stood anywhere else."""
        by_uri: dict[str, list[types.Diagnostic]] = {}
        for publication in publications:
            for place in publication.places:
                shown = self._diagnostic(publication, place)
                if shown is not None:
                    by_uri.setdefault(place.uri, []).append(shown)
        for uri in [uri for uri in self._pushed if uri not in by_uri]:
            self._send(uri, [])
        for uri, diagnostics in by_uri.items():
            self._send(uri, diagnostics)

    def update(self, uri: str, publications: Iterable[Publication]) -> None:
        """Push one document's places again, after an edit moved them."""
        found: list[types.Diagnostic] = []
        for publication in publications:
            for place in publication.at(uri):
                uri = place.uri
                shown = self._diagnostic(publication, place)
                found.extend([shown] if shown is not None else [])
        if found or any(same_file(uri, known) for known in self._pushed):
            self._send(uri, found)

    def clear(self) -> None:
        """Take everything back."""
        for uri in list(self._pushed):
            self._send(uri, [])

    def _send(self, uri: str, diagnostics: list[types.Diagnostic]) -> None:
        if diagnostics:
            self._pushed[uri] = None
        else:
            self._pushed.pop(uri, None)
        self._push(types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics))

    def _diagnostic(self, publication: Publication, place: Place) -> types.Diagnostic | None:
        if place.mark is None:
            return None
        shown = types.Diagnostic(
            range=place.mark,
            message=message(place),
            severity=severity(place),
            source=SOURCE,
            code=place.failure.category.id,
        )
        if self.capabilities.related_information and place.related:
            shown.related_information = place.related
        if self.capabilities.code_description_support:
            page = page_uri(place.failure.category.id)
            shown.code_description = types.CodeDescription(page) if page else None
        if self.capabilities.data_support:
            shown.data = {
                "report": publication.id,
                "failure": place.failure.id,
                "suspect": place.suspect.rank,
                "source": publication.source,
                "evidence": [evidence_to_json(one) for one in place.suspect.evidence],
            }
        return shown


def message(place: Place) -> str:
    """Return what stands beside the line: the failure first, then why this place."""
    failure, suspect = place.failure, place.suspect
    name = category_words(failure.category.id).name
    rank = f"suspicious place {suspect.rank} of {len(failure.suspects)}"
    lines = [
        f"{name}, {rank} ({words.percent(suspect.score)})",
        shorten(headline(failure), LONGEST_LINE),
    ]
    reasons = sorted(suspect.evidence, key=lambda evidence: -evidence.score)[:REASONS]
    lines += [f"- {shorten(escape(evidence.why), LONGEST_LINE)}" for evidence in reasons]
    return "\n".join(lines)


def severity(place: Place) -> types.DiagnosticSeverity:
    """Return how loudly a place is shown: a suspicion is never an error."""
    if place.suspect.rank == 1 or place.suspect.score >= 0.7:
        return types.DiagnosticSeverity.Warning
    if place.suspect.score >= 0.3:
        return types.DiagnosticSeverity.Information
    return types.DiagnosticSeverity.Hint

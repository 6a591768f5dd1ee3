"""A report as the editor sees it: the places of one folder's latest run, kept at their lines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from dl_bug_lsp.report import FailureReport, Report, Suspect
from dl_bug_lsp.server.folders import Folder, same_file
from dl_bug_lsp.server.positions import line_start, lines_range, moved
from dl_bug_lsp.server.settings import Settings
from dl_bug_lsp.views.json_view import to_json

ALWAYS_SHOWN = 3
"""The first suspects of a failure, which are marked whatever their share."""
LEAST_SHARE = 0.02
"""The share from which others are marked, too."""


@dataclass
class Place:
    """A suspect in a document; ``mark`` and ``lens`` follow the edits, None once edited away."""

    uri: str
    failure: FailureReport
    suspect: Suspect
    mark: types.Range | None
    lens: types.Range | None
    related: list[types.DiagnosticRelatedInformation]


@dataclass
class Publication:
    """A report shown in a folder; ``source`` is where its text is from."""

    id: str
    folder: Folder
    report: Report
    document: dict[str, Any]
    source: str
    settings: Settings
    places: list[Place]

    def uris(self) -> tuple[str, ...]:
        """Return the URIs of all documents with a place, each once."""
        return tuple(dict.fromkeys(place.uri for place in self.places))

    def at(self, uri: str) -> Iterator[Place]:
        """Return the places in a document."""
        return (place for place in self.places if same_file(place.uri, uri))

    def edit(self, uri: str, change: types.TextDocumentContentChangePartial) -> bool:
        """Move the places of a document with an edit; return whether any moved."""
        changed = False
        for place in self.at(uri):
            mark = moved(place.mark, change) if place.mark else None
            lens = moved(place.lens, change) if place.lens else None
            changed = changed or mark != place.mark or lens != place.lens
            place.mark, place.lens = mark, lens
        return changed


def publication(
    report: Report,
    folder: Folder,
    settings: Settings,
    source: str,
    encoding: types.PositionEncodingKind | str,
) -> Publication:
    """Find the places of a report's suspects; reads the workspace, so it belongs off the loop."""
    places = []
    for failure, suspect in _shown(report, settings.max_diagnostics):
        lines = folder.workspace.lines(suspect.file)
        mark = lines_range(suspect.line, suspect.end_line, lines, encoding)
        lens = line_start(_definition_line(folder, suspect))
        related = _related(failure, suspect, folder, encoding)
        uri = folder.uri_of(suspect.file)
        places.append(Place(uri, failure, suspect, mark, lens, related))
    ids = "\n".join(failure.id for failure in report.failures)
    name = hashlib.sha256(f"{report.workspace}\n{ids}".encode("utf-8", "replace")).hexdigest()
    return Publication(name[:16], folder, report, to_json(report), source, settings, places)


def worth_showing(suspect: Suspect) -> bool:
    """Whether a suspect is worth a mark in the editor: one of the first, or not quite unlikely."""
    return suspect.rank <= ALWAYS_SHOWN or suspect.score >= LEAST_SHARE


def _shown(report: Report, limit: int) -> list[tuple[FailureReport, Suspect]]:
    """Return the primary failure's suspects and the others' first, each line once."""
    primary = report.primary
    pairs = [(primary, s) for s in primary.suspects if worth_showing(s)] if primary else []
    pairs += [(f, f.suspects[0]) for f in report.failures if f is not primary and f.suspects]
    by_line = {(suspect.file, suspect.line): (f, suspect) for f, suspect in reversed(pairs)}
    return [pair for pair in pairs if pair in by_line.values()][:limit]


def _definition_line(folder: Folder, suspect: Suspect) -> int:
    """Return the line that defines the suspect's function, its own line outside of functions."""
    for element in folder.workspace.elements(suspect.file).functions:
        inside = element.line <= suspect.line <= element.end_line
        if element.name == suspect.function and inside:
            return element.line
    return suspect.line


def _related(
    failure: FailureReport,
    suspect: Suspect,
    folder: Folder,
    encoding: types.PositionEncodingKind | str,
) -> list[types.DiagnosticRelatedInformation]:
    """Return the workspace's frames, the raise site first, but for the suspect's own line."""
    found = []
    inside = [frame for frame in failure.frames if frame.workspace_file]
    for at, frame in enumerate(dict.fromkeys(reversed(inside))):
        file, line = frame.workspace_file or "", frame.workspace_line or frame.line
        if (file, line) == (suspect.file, suspect.line):
            continue
        words = "raised below this line" if at == 0 else "called from here"
        where = f"{words}, in {frame.function}" if frame.function else words
        place = lines_range(line, line, folder.workspace.lines(file), encoding)
        location = types.Location(folder.uri_of(file), place)
        found.append(types.DiagnosticRelatedInformation(location, where))
    return found[:MOST_RELATED]


MOST_RELATED = 10

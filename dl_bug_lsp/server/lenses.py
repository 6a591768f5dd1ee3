"""Code lenses above the functions that hold suspects."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from dl_bug_lsp.server.publication import Place, Publication
from dl_bug_lsp.views import words
from dl_bug_lsp.views.categories import category_words

SHOW_SUSPECT = "dlBug.showSuspect"
"""A command of the client's own, used only where the client said that it has it."""


def lenses(
    publications: Iterable[Publication], uri: str, client_commands: frozenset[str], fallback: str
) -> list[types.CodeLens]:
    """Return the lenses of a document; ``fallback`` is the server's command for other clients."""
    found: list[types.CodeLens] = []
    for publication in publications:
        if not publication.settings.code_lens:
            continue
        by_line: dict[int, list[Place]] = {}
        for place in publication.at(uri):
            if place.lens is not None and place.mark is not None:
                by_line.setdefault(place.lens.start.line, []).append(place)
        name = SHOW_SUSPECT if SHOW_SUSPECT in client_commands else fallback
        for _, places in sorted(by_line.items()):
            found.append(_lens(publication, places, name))
    return found


def _lens(publication: Publication, places: list[Place], command: str) -> types.CodeLens:
    first = places[0]
    assert first.lens is not None
    argument = {
        "report": publication.id,
        "failure": first.failure.id,
        "suspect": first.suspect.rank,
        "uri": first.uri,
    }
    return types.CodeLens(
        range=first.lens,
        command=types.Command(title=title(places), command=command, arguments=[argument]),
    )


def title(places: list[Place]) -> str:
    """Return the lens' words: the ranks, the best score and the category."""
    first = places[0]
    ranks = ", ".join(str(place.suspect.rank) for place in places)
    noun = "Suspicious place" if len(places) == 1 else "Suspicious places"
    name = category_words(first.failure.category.id).name
    return f"{noun} {ranks} ({words.percent(first.suspect.score)}) · {name}"

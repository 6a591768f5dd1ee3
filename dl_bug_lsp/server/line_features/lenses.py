"""Code lenses above the functions that hold suspects; their words are made when they are shown."""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from dl_bug_lsp.server.commands.arguments import REPORT, SHOW_SUSPECT, place_argument
from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.failures.publication import Place, Publication
from dl_bug_lsp.server.files.editing import lines_of


def register(server: DlBugServer) -> None:
    """Add the handlers of code lenses."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=True))
    def code_lens(ls: DlBugServer, params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        return [*lenses(ls.shown_failures.at(uri)), *count_lenses(ls, uri)]

    @server.feature(types.CODE_LENS_RESOLVE)
    def resolve(ls: DlBugServer, lens: types.CodeLens) -> types.CodeLens:
        if lens.command is None:
            lens.command = command(ls, lens.data)
        return lens


def lenses(places: list[tuple[Publication, Place]]) -> list[types.CodeLens]:
    """Return a document's lenses, one a line and publication, still without their commands."""
    by_line: dict[tuple[int, str], tuple[types.Range, list[int], Publication, Place]] = {}
    for publication, place in places:
        stands = place.lens.range
        if stands is None or not publication.settings.code_lens:
            continue
        key = (stands.start.line, f"{publication.source}\n{place.failure.id}")
        entry = by_line.setdefault(key, (stands, [], publication, place))
        entry[1].append(place.suspect.rank)
    return [
        types.CodeLens(stands, data={**place_argument(publication, place), "ranks": ranks})
        for _, (stands, ranks, publication, place) in sorted(by_line.items(), key=lambda i: i[0])
    ]


def count_lenses(ls: DlBugServer, uri: str) -> list[types.CodeLens]:
    """Return a lens for each function that a failing test runs: how many tests do."""
    held = ls.spectra.around(tuple(ls.folders), uri)
    if held is None:
        return []
    folder, spectrum, file = held
    settings = ls.settings.known(folder)
    if not (settings.code_lens and settings.spectrum_lenses):
        return []
    shown = []
    for function in spectrum.functions.get(file, ()):
        line = spectrum.now(file, function.line, lines_of(ls, uri))
        if line is not None:
            at = types.Position(line - 1, 0)
            words = (
                f"{function.failing} of {spectrum.failing} failing and "
                f"{function.passing} of {spectrum.passing} passing {spectrum.noun} run this"
            )
            shown.append(types.CodeLens(types.Range(at, at), types.Command(words, "")))
    return shown


def command(ls: DlBugServer, data: Any) -> types.Command:
    """Return a lens' command; one whose failure is gone since says so and does nothing.

    Raises `JsonRpcInvalidParams` for data that is not of one of our lenses.
    """
    if not isinstance(data, dict):
        raise JsonRpcInvalidParams("this lens is none of dl-bug's")
    publication = ls.shown_failures.find(data.get("report"))
    ranks = data.get("ranks")
    places = [
        place
        for place in (publication.shown() if publication is not None else ())
        if place.failure.id == data.get("failure")
        and isinstance(ranks, list)
        and place.suspect.rank in ranks
    ]
    if not places:
        return types.Command(title="No longer suspicious", command="")
    name = SHOW_SUSPECT if SHOW_SUSPECT in ls.client_commands else REPORT
    argument = {key: value for key, value in data.items() if key != "ranks"}
    if name == REPORT:
        argument["show"] = True
    return types.Command(title=title(places), command=name, arguments=[argument])


def title(places: list[Place]) -> str:
    """Return the lens' words: ranks, share of the first of them, category."""
    # Imported here: there is no lens before there is a failure.
    from dl_bug_lsp.views import words

    first = min(places, key=lambda place: place.suspect.rank)
    ranks = ", ".join(str(place.suspect.rank) for place in places)
    noun = "Suspicious place" if len(places) == 1 else "Suspicious places"
    name = words.category_name(first.failure)
    share = words.share(first.failure, first.suspect)
    if len(places) > 1:
        share = f"the first {share}"
    return f"{noun} {ranks} ({share}) · {name}"

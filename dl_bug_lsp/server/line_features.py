"""What a suspicious line offers: hover, code lenses, code actions with certain fixes.

A hover tells what failed, why this line, what helps, and where else to look. The lenses stand above
the functions that hold suspects. An edit is checked against what the editor shows at that moment.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from dl_bug_lsp.server.app import DlBugServer, capability
from dl_bug_lsp.server.commands import (
    DISMISS,
    NEXT,
    OPEN_LOG,
    PREVIOUS,
    REPORT,
    SHOW_SUSPECT,
    place_argument,
)
from dl_bug_lsp.server.diagnostics import HELPS, page_uri, standing_line
from dl_bug_lsp.server.documents import Folder, code_units
from dl_bug_lsp.server.files import buffer_of, encoding_of, lines_of, settle_open
from dl_bug_lsp.server.jobs import CancelledError, SupersededError, Token
from dl_bug_lsp.server.position_tracking import Encoding, Spot, common_start
from dl_bug_lsp.server.publication import (
    REASONS,
    SOURCE,
    Offer,
    Place,
    Publication,
    by_score,
    find_offers,
)
from dl_bug_lsp.views import words
from dl_bug_lsp.views.escape import escape, shorten
from dl_bug_lsp.views.words import message_lines

if TYPE_CHECKING:
    from dl_bug_lsp.fixes import Edit

logger = logging.getLogger(__name__)


def register(server: DlBugServer) -> None:
    """Add the handlers of lenses, hover and code actions."""
    _register_lenses(server)
    _register_hover(server)
    _register_actions(server)


# ---------------------------------------------------------------------- hover
def _register_hover(server: DlBugServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(ls: DlBugServer, params: types.HoverParams) -> types.Hover | None:
        line = params.position.line
        places = [
            (publication, place)
            for publication, place in ls.shown_failures.at(params.text_document.uri)
            if place.mark.range is not None
            and publication.settings.hover
            and place.mark.range.start.line <= line <= place.mark.range.end.line
        ]
        if not places:
            return None
        formats = capability(ls.client_capabilities, "text_document", "hover", "content_format")
        is_markdown = types.MarkupKind.Markdown in (formats or ())
        if is_markdown:
            shows_diagnostics = ls.diagnostics.are_hovers
            parts = [
                markdown(*pair, command_links=ls.command_links, shows_diagnostics=shows_diagnostics)
                for pair in places
            ]
            text = "\n\n---\n\n".join(parts)
        else:
            text = "\n\n".join(plain_text(*pair) for pair in places)
        kind = types.MarkupKind.Markdown if is_markdown else types.MarkupKind.PlainText
        return types.Hover(types.MarkupContent(kind, text), places[0][1].mark.range)


MESSAGE_LINES = 4
OTHERS = 4
LONGEST_WHY = 300


def _head(publication: Publication, place: Place) -> tuple[str, str]:
    name = words.category_name(place.failure)
    of = publication.last_number(place.failure)
    number = publication.number(place)
    return name, words.standing(place.failure, place.suspect, of, number)


def markdown(
    publication: Publication, place: Place, *, command_links: bool, shows_diagnostics: bool = False
) -> str:
    """Return what is told of a place as Markdown; only our own words become links.

    What helps stands below the reasons of the first place. ``shows_diagnostics``: what the
    diagnostic says stands above it already and is left out.
    """
    # Imported here: nobody hovers over a mark before there is a failure.
    from dl_bug_lsp.views.markdown import advice_lines, block, evidence_lines, plain, sentence

    failure = place.failure
    name, rank = _head(publication, place)
    parts: list[str] = []
    if not shows_diagnostics:
        parts += [f"**{plain(name)}**, {rank}", block(message_lines(failure)[:MESSAGE_LINES])]
        if not failure.reliable:
            parts.append(f"*{words.UNRELIABLE}*")
    if not shows_diagnostics:
        parts += [sentence(text) for text in words.reservations(failure)]
    if publication.standing is not None and failure.primary:
        parts.append(standing_line(publication.standing, links=True))
    reasons = evidence_lines(by_score(place.suspect)[REASONS if shows_diagnostics else 0 :])
    if reasons:
        heading = "More reasons" if shows_diagnostics else "Why this place"
        parts.append(f"**{heading}**\n\n" + "\n".join(f"- {reason}" for reason in reasons))
    if held := words.held_at(failure, place.suspect):
        parts.append(f"**{words.HELD}**\n\n{block(list(held))}")
    is_first = place.suspect.rank == 1
    helps = advice_lines(failure)[1 if shows_diagnostics else 0 :] if is_first else []
    if helps:
        heading = "What else helps" if shows_diagnostics else HELPS
        parts.append(f"**{heading}**\n\n" + "\n".join(helps))
    others = _others(publication, place)
    if others:
        shares = [words.share(other.failure, other.suspect) for other in others]
        links = [
            f"- {_link(publication, o)} ({share})" for o, share in zip(others, shares, strict=True)
        ]
        parts.append("**Other places**\n\n" + "\n".join(links))
    page = page_uri(failure.category.id)
    foot = [f"[About {plain(name)}](<{page}>)"] if page else []
    if (
        shows_diagnostics
        and is_first
        and failure.advice
        and failure.advice[0].page.startswith("https://")
    ):
        foot.append(f"[Documentation](<{failure.advice[0].page}>)")
    if command_links:
        foot += _commands(publication, place)
    if foot:
        parts.append(" · ".join(foot))
    return "\n\n".join(parts)


def _others(publication: Publication, place: Place) -> list[Place]:
    same = [p for p in publication.shown() if p.failure is place.failure and p is not place]
    return sorted(same, key=lambda other: other.suspect.rank)[:OTHERS]


def _link(publication: Publication, place: Place) -> str:
    from dl_bug_lsp.views.markdown import plain

    line = place.mark.line
    target = f"{place.uri.partition('#')[0]}#L{line}" if "#" not in place.uri else place.uri
    target = quote(target, safe=":/%#?=&+,;@!$'*~.-_")
    number = publication.number(place)
    return f"[{number}. {plain(f'{place.suspect.file}:{line}')}](<{target}>)"


def _commands(publication: Publication, place: Place) -> list[str]:
    """Return links that run commands, for clients that said that they follow them."""
    argument = quote(json.dumps([place_argument(publication, place)]), safe="")
    named = (("Next", NEXT), ("Previous", PREVIOUS), ("Open the log", OPEN_LOG))
    links = [f"[{title}](command:{name}?{argument})" for title, name in named]
    return [*links, f"[Dismiss](command:{DISMISS}?{argument})"]


def plain_text(publication: Publication, place: Place) -> str:
    """Return what is told of a place for clients without Markdown."""
    name, rank = _head(publication, place)
    out = [f"{name}, {rank}", *message_lines(place.failure)[:MESSAGE_LINES]]
    if not place.failure.reliable:
        out.append(words.UNRELIABLE)
    out.extend(escape(text) for text in words.reservations(place.failure))
    if publication.standing is not None and place.failure.primary:
        out.append(standing_line(publication.standing, links=False))
    for evidence in by_score(place.suspect):
        why = shorten(escape(evidence.why), LONGEST_WHY)
        out.append(f"- {why}")
    if held := words.held_at(place.failure, place.suspect):
        out += [f"{words.HELD}:", *(f"  {line}" for line in held)]
    if place.suspect.rank == 1:
        helps = (f"{escape(each.cause)} {escape(each.fix)}" for each in place.failure.advice)
        out.extend(f"{HELPS}: {text}" for text in helps)
    return "\n".join(out)


# ---------------------------------------------------------------------- lenses
def _register_lenses(server: DlBugServer) -> None:
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
    assert publication is not None
    return types.Command(title=title(publication, places), command=name, arguments=[argument])


def title(publication: Publication, places: list[Place]) -> str:
    """Return the lens' words: numbers, share of the first of them, category."""
    # Imported here: there is no lens before there is a failure.
    from dl_bug_lsp.views import words

    first = min(places, key=lambda place: place.suspect.rank)
    numbers = ", ".join(str(publication.number(place)) for place in places)
    noun = "Suspicious place" if len(places) == 1 else "Suspicious places"
    name = words.category_name(first.failure)
    share = words.share(first.failure, first.suspect)
    if len(places) > 1:
        share = f"the first {share}"
    return f"{noun} {numbers} ({share}) · {name}"


# ---------------------------------------------------------------------- code actions
async def offers_of(ls: DlBugServer, held: Publication) -> list[Offer]:
    """Return a publication's certain fixes, found when first asked for, off the loop."""
    if held.offers is not None:
        return held.offers
    if id(held) not in _SEARCHES:
        _SEARCHES[id(held)] = asyncio.ensure_future(_search(ls, held))
        _SEARCHES[id(held)].add_done_callback(lambda _: _SEARCHES.pop(id(held), None))
    return await asyncio.shield(_SEARCHES[id(held)])


_SEARCHES: dict[int, asyncio.Future[list[Offer]]] = {}
"""Searches under way, by their publication: several requests wait for the same one."""


async def _search(ls: DlBugServer, held: Publication) -> list[Offer]:
    encoding = encoding_of(ls)

    def work(_token: Token) -> list[Offer]:
        return find_offers(held, encoding)

    try:
        (offers,) = await ls.jobs.run(f"fixes of {held.source}", [(held.folder.key, work)])
    except (SupersededError, CancelledError):
        return []
    except Exception:
        logger.exception("the fixes of a failure could not be found")
        offers = []
    held.offers = offers
    ls.shown_failures.moved()
    settle_open(ls, held)
    return offers


async def edit_of(
    ls: DlBugServer, publication: Publication, offer: Offer
) -> types.WorkspaceEdit | None:
    """Return the edit of a fix, None where a line no longer reads as it did at the failure."""
    edits_by_uri: dict[str, list[types.TextEdit]] = {}
    for edit, spot in zip(offer.fix.edits, offer.spots, strict=True):
        if spot.range is None or spot.cell is not None:
            return None
        lines = await _lines(ls, publication.folder, spot, edit)
        line = lines[spot.line - 1] if spot.line <= len(lines) else None
        if line != edit.before:
            return None
        edits_by_uri.setdefault(spot.uri, []).append(text_edit(edit, spot.line, encoding_of(ls)))
    support = capability(ls.client_capabilities, "workspace", "workspace_edit", "document_changes")
    if not support:
        return types.WorkspaceEdit(
            changes={uri: tuple(edits) for uri, edits in edits_by_uri.items()}
        )
    changes = [
        types.TextDocumentEdit(
            types.OptionalVersionedTextDocumentIdentifier(uri, _version(ls, uri)), tuple(edits)
        )
        for uri, edits in edits_by_uri.items()
    ]
    return types.WorkspaceEdit(document_changes=changes)


async def _lines(ls: DlBugServer, folder: Folder, spot: Spot, edit: Edit) -> Sequence[str]:
    lines = lines_of(ls, spot.uri)
    if lines is not None:
        return lines
    file = folder.file_of(spot.uri) or edit.file
    return await asyncio.to_thread(_on_disk, folder, file)


def _on_disk(folder: Folder, file: str) -> Sequence[str]:
    from dl_bug_lsp.workspace import Workspace

    return Workspace(folder.root, cache=False).lines(file)


def _version(ls: DlBugServer, uri: str) -> int | None:
    buffer = buffer_of(ls, uri)
    return buffer.version if buffer is not None else None


def text_edit(edit: Edit, line: int, encoding: Encoding) -> types.TextEdit:
    """Return the smallest change of a 1-based line that makes ``before`` read ``after``."""
    before, after = edit.before, edit.after
    head = common_start(before, after)
    tail = common_start(before[head:][::-1], after[head:][::-1])
    end = len(before) - tail
    place = types.Range(
        types.Position(line - 1, code_units(before[:head], encoding)),
        types.Position(line - 1, code_units(before[:end], encoding)),
    )
    return types.TextEdit(place, after[head : len(after) - tail])


QUICK_FIX = types.CodeActionKind.QuickFix
LOOK = "dl-bug"
"""The kind of what shows or opens something: it fixes nothing, so a menu of fixes is without it."""
CONTENT_MODIFIED = -32801

Found = types.CodeAction | types.Command


def _register_actions(server: DlBugServer) -> None:
    options = types.CodeActionOptions(code_action_kinds=[QUICK_FIX, LOOK], resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def code_action(ls: DlBugServer, params: types.CodeActionParams) -> list[Found]:
        fixes, ways = (_wants(params.context.only, kind) for kind in (QUICK_FIX.value, LOOK))
        if not (fixes or ways):
            return []
        matching: list[Found] = []
        first, last = params.range.start.line, params.range.end.line
        for publication, place in ls.shown_failures.at(params.text_document.uri):
            stands = place.mark.range
            if stands is None or stands.start.line > last or stands.end.line < first:
                continue
            mine = [
                diagnostic
                for diagnostic in params.context.diagnostics
                if _is_of(diagnostic, publication, place)
            ]
            if fixes:
                matching.extend(await _fixes(ls, publication, place, mine))
                matching.extend(_suggested(ls, place, mine))
                matching.extend(_titled(ls, _dismissals(publication, place), QUICK_FIX, mine))
            if ways:
                matching.extend(_titled(ls, _ways(publication, place), LOOK, mine))
        return matching

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(ls: DlBugServer, action: types.CodeAction) -> types.CodeAction:
        data = action.data if isinstance(action.data, dict) else {}
        publication = ls.shown_failures.find(str(data.get("report")))
        at = data.get("fix")
        offers = await offers_of(ls, publication) if publication is not None else []
        if publication is None or not isinstance(at, int) or not 0 <= at < len(offers):
            raise JsonRpcException("the failure is no longer shown", CONTENT_MODIFIED)
        action.edit = await edit_of(ls, publication, offers[at])
        if action.edit is None:
            raise JsonRpcException("the text has changed since the failure", CONTENT_MODIFIED)
        return action


def _wants(only: Sequence[types.CodeActionKind | str] | None, kind: str) -> bool:
    return not only or any(
        getattr(action_kind, "value", action_kind) in ("", kind) for action_kind in only
    )


def _is_of(shown: types.Diagnostic, publication: Publication, place: Place) -> bool:
    """Whether a diagnostic that the client sent back is a place's own."""
    if shown.source != SOURCE or shown.code != place.failure.category.id:
        return False
    data = shown.data
    if isinstance(data, dict):
        named = (data.get("report"), data.get("failure"), data.get("suspect"))
        return named == (publication.id, place.failure.id, place.suspect.rank)
    return shown.range == place.mark.range


def _literals(ls: DlBugServer) -> bool:
    literal = capability(
        ls.client_capabilities, "text_document", "code_action", "code_action_literal_support"
    )
    return literal is not None


async def _fixes(
    ls: DlBugServer, publication: Publication, place: Place, mine: list[types.Diagnostic]
) -> list[types.CodeAction]:
    if not _literals(ls):
        return []
    able = capability(ls.client_capabilities, "text_document", "code_action")
    lazily = able.resolve_support.properties if able.resolve_support is not None else ()
    is_lazy = bool(able.data_support) and "edit" in lazily
    actions = []
    for at, offer in enumerate(await offers_of(ls, publication)):
        if offer.failure.id != place.failure.id:
            continue
        edit = await edit_of(ls, publication, offer)
        if edit is None:
            continue
        actions.append(
            types.CodeAction(
                title=offer.fix.title,
                kind=QUICK_FIX,
                diagnostics=mine or None,
                is_preferred=(able.is_preferred_support and _is_here(offer, place)) or None,
                edit=None if is_lazy else edit,
                data={"report": publication.id, "fix": at} if is_lazy else None,
            )
        )
    return actions


def _suggested(
    ls: DlBugServer, place: Place, mine: list[types.Diagnostic]
) -> list[types.CodeAction]:
    """Return the edit that may repair the failure, said to be no more than that."""
    edit, mark = place.suspect.suggestion, place.mark
    lines = lines_of(ls, place.uri) if edit is not None and _literals(ls) else None
    if edit is None or lines is None or mark.cell is not None or mark.line > len(lines):
        return []
    if lines[mark.line - 1] != edit.before:
        return []
    # What reads sources is loaded after the server has answered that it is there.
    from dl_bug_lsp.fixes.fix_context import Edit

    change = Edit(place.suspect.file, mark.line, edit.before, edit.after)
    made = text_edit(change, mark.line, encoding_of(ls))
    shown = shorten(escape(edit.after.strip()), LONGEST_SHOWN)
    return [
        types.CodeAction(
            title=f"To try: {shown}",
            kind=QUICK_FIX,
            diagnostics=mine or None,
            edit=types.WorkspaceEdit(changes={place.uri: (made,)}),
        )
    ]


LONGEST_SHOWN = 80


def _is_here(offer: Offer, place: Place) -> bool:
    """Whether a fix changes the very line that the place marks, or is told at the first place."""
    return place.suspect.rank == 1 or any(
        spot.uri == place.uri and spot.line == place.mark.line for spot in offer.spots
    )


Way = tuple[str, str, dict[str, Any]]
"""A command as a menu shows it: title, name, argument."""


def _dismissals(publication: Publication, place: Place) -> list[Way]:
    named = place_argument(publication, place)
    return [
        ("Dismiss this suspicious place", DISMISS, named),
        ("Dismiss all places of this report", DISMISS, {"report": publication.id}),
    ]


def _ways(publication: Publication, place: Place) -> list[Way]:
    named = place_argument(publication, place)
    ways: list[Way] = []
    others = [p for p in publication.shown() if p.failure is place.failure and p is not place]
    if others:
        ways.append(("Go to the next suspicious place", NEXT, named))
        ways.append(("Go to the previous suspicious place", PREVIOUS, named))
    ways.append(("Show the report", REPORT, {"report": publication.id, "show": True}))
    ways.append(("Open the log at the failure", OPEN_LOG, named))
    return ways


def _titled(
    ls: DlBugServer, ways: list[Way], kind: str, mine: list[types.Diagnostic]
) -> list[Found]:
    """Return commands as actions of a kind, or as they are where the client knows no kinds."""
    commands = [types.Command(title, name, arguments=[argument]) for title, name, argument in ways]
    if not _literals(ls):
        return list(commands)
    return [
        types.CodeAction(c.title, kind=kind, diagnostics=mine or None, command=c) for c in commands
    ]

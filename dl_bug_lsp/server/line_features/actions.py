"""Code actions on a suspicious line: certain fixes, the way to other places, putting aside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from dl_bug_lsp.server.commands.arguments import (
    DISMISS,
    NEXT,
    OPEN_LOG,
    PREVIOUS,
    REPORT,
    place_argument,
)
from dl_bug_lsp.server.core.app import DlBugServer, capability
from dl_bug_lsp.server.failures.publication import SOURCE, Offer, Place, Publication
from dl_bug_lsp.server.files.editing import encoding_of, lines_of
from dl_bug_lsp.server.line_features.fixing import edit_of, offers_of, text_edit
from dl_bug_lsp.views.escape import escape, shorten

QUICK_FIX = types.CodeActionKind.QuickFix
CONTENT_MODIFIED = -32801

Found = types.CodeAction | types.Command


def register(server: DlBugServer) -> None:
    """Add the handlers of code actions."""
    options = types.CodeActionOptions(code_action_kinds=[QUICK_FIX], resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def code_action(ls: DlBugServer, params: types.CodeActionParams) -> list[Found]:
        if not _wants_fixes(params.context.only):
            return []
        found: list[Found] = []
        first, last = params.range.start.line, params.range.end.line
        for publication, place in ls.shelf.at(params.text_document.uri):
            stands = place.mark.range
            if stands is None or stands.start.line > last or stands.end.line < first:
                continue
            mine = [one for one in params.context.diagnostics if _is_of(one, publication, place)]
            found.extend(await _fixes(ls, publication, place, mine))
            found.extend(_suggested(ls, place, mine))
            found.extend(_ways(ls, publication, place, mine))
        return found

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(ls: DlBugServer, action: types.CodeAction) -> types.CodeAction:
        data = action.data if isinstance(action.data, dict) else {}
        publication = ls.shelf.find(str(data.get("report")))
        at = data.get("fix")
        offers = await offers_of(ls, publication) if publication is not None else []
        if publication is None or not isinstance(at, int) or not 0 <= at < len(offers):
            raise JsonRpcException("the failure is no longer shown", CONTENT_MODIFIED)
        action.edit = await edit_of(ls, publication, offers[at])
        if action.edit is None:
            raise JsonRpcException("the text has changed since the failure", CONTENT_MODIFIED)
        return action


def _wants_fixes(only: Sequence[types.CodeActionKind | str] | None) -> bool:
    return not only or any(getattr(one, "value", one) in ("", "quickfix") for one in only)


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
    found = []
    for at, offer in enumerate(await offers_of(ls, publication)):
        if offer.failure.id != place.failure.id:
            continue
        edit = await edit_of(ls, publication, offer)
        if edit is None:
            continue
        found.append(
            types.CodeAction(
                title=offer.fix.title,
                kind=QUICK_FIX,
                diagnostics=mine or None,
                is_preferred=(able.is_preferred_support and _is_here(offer, place)) or None,
                edit=None if is_lazy else edit,
                data={"report": publication.id, "fix": at} if is_lazy else None,
            )
        )
    return found


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
            title=f"Try (not certain): {shown}",
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


def _ways(
    ls: DlBugServer, publication: Publication, place: Place, mine: list[types.Diagnostic]
) -> list[Found]:
    named = place_argument(publication, place)
    of_report = {"report": publication.id}
    ways: list[tuple[str, str, dict[str, Any]]] = []
    others = [p for p in publication.shown() if p.failure is place.failure and p is not place]
    if others:
        ways.append(("Go to the next suspicious place", NEXT, named))
        ways.append(("Go to the previous suspicious place", PREVIOUS, named))
    ways.append(("Show the report", REPORT, {**of_report, "show": True}))
    ways.append(("Open the log at the failure", OPEN_LOG, named))
    ways.append(("Dismiss this suspicious place", DISMISS, named))
    ways.append(("Dismiss all places of this report", DISMISS, of_report))
    commands = [types.Command(title, name, arguments=[given]) for title, name, given in ways]
    if not _literals(ls):
        return list(commands)
    return [
        types.CodeAction(c.title, kind=QUICK_FIX, diagnostics=mine or None, command=c)
        for c in commands
    ]

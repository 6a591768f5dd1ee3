"""Hover on a suspicious line: what failed, why this line, what helps, where else to look."""

from __future__ import annotations

from lsprotocol import types

from dl_bug_lsp.server.core.app import DlBugServer, capability


def register(server: DlBugServer) -> None:
    """Add the handler of hover."""

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
        # Imported here: nobody hovers over a mark before there is a failure.
        from dl_bug_lsp.server.line_features.hover_text import markdown, plain_text

        formats = capability(ls.client_capabilities, "text_document", "hover", "content_format")
        is_markdown = types.MarkupKind.Markdown in (formats or ())
        if is_markdown:
            shows_diagnostics = ls.hover_shows_diagnostics
            parts = [
                markdown(*pair, command_links=ls.command_links, shows_diagnostics=shows_diagnostics)
                for pair in places
            ]
            text = "\n\n---\n\n".join(parts)
        else:
            text = "\n\n".join(plain_text(*pair) for pair in places)
        kind = types.MarkupKind.Markdown if is_markdown else types.MarkupKind.PlainText
        return types.Hover(types.MarkupContent(kind, text), places[0][1].mark.range)

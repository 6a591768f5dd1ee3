"""The commands' names, and reading their arguments: what is wrong is told in one sentence."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from dl_bug_lsp.server.failures.publication import Place, Publication

LOCALIZE, LOCALIZE_FILE = "dlBug.localize", "dlBug.localizeFile"
FAILURES, REPORT, CLEAR = "dlBug.failures", "dlBug.report", "dlBug.clear"
DISMISS, NEXT, PREVIOUS = "dlBug.dismiss", "dlBug.next", "dlBug.previous"
OPEN_LOG, RESOLVE = "dlBug.openLog", "dlBug.resolve"
HEATMAP, WHY = "dlBug.heatmap", "dlBug.why"
CHECK = "dlBug.check"

SHOW_SUSPECT = "dlBug.showSuspect"
"""A command of the client's own, used only where the client said that it has it."""

MEMBERS: dict[str, tuple[type, str]] = {
    "text": (str, "a text"),
    "uri": (str, "a URI"),
    "workspace": (str, "the URI or absolute path of a folder"),
    "source": (str, "a text"),
    "command": (str, "a command line"),
    "python": (str, "an interpreter"),
    "report": (str, "a report's id"),
    "failure": (str, "a failure's id"),
    "suspect": (int, "the rank of a suspicious place"),
    "format": (str, "'json', 'markdown' or 'context'"),
    "tokens": (int, "a number of tokens"),
    "line": (int, "a line, from 1 on"),
    "show": (bool, "true or false"),
    "captured": (bool, "true or false"),
    "program": (bool, "true or false"),
    "ignoredCategories": (list, "a list of categories' ids"),
}


def place_argument(publication: Publication, place: Place) -> dict[str, Any]:
    """Return what names a place in the commands' arguments."""
    return {
        "report": publication.id,
        "failure": place.failure.id,
        "suspect": place.suspect.rank,
        "uri": place.uri,
    }


def argument(command: str, arguments: tuple[Any, ...]) -> dict[str, Any]:
    """Return a command's one object, empty without any; raises `JsonRpcInvalidParams` for others.

    Members that are null count as absent; unknown ones are ignored.
    """
    first = arguments[0] if arguments else None
    if first is None:
        return {}
    if not isinstance(first, dict):
        raise JsonRpcInvalidParams(f"{command} takes one object as its argument")
    members = {name: value for name, value in first.items() if value is not None}
    for name, (kind, words) in MEMBERS.items():
        value = members.get(name)
        wrong = value is not None and (
            not isinstance(value, kind) or (kind is int and isinstance(value, bool))
        )
        if wrong:
            raise JsonRpcInvalidParams(f"{command}: '{name}' must be {words}")
    return members

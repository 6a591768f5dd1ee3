"""What the raising statement says that a message's words are: the values put into its text.

``raise RuntimeError(f"SMILES {smi} is invalid")`` tells which part of the message is a value of the
program. Such a value stands in the message without quotes, so that the message alone does not tell
it from a sentence's words.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from dl_bug_lsp.evidence.raising.raise_sites import text_templates
from dl_bug_lsp.messages import Fact, FactKind, MessageFacts, Role, readable
from dl_bug_lsp.tracebacks import Cause
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.contents import Place

LONGEST_VALUE = 80
MIN_LETTERS = 6
"""Letters of a template's fixed words below which it fits too many messages."""
_QUOTES = " \t'\"`"
_NUMBER = re.compile(r"[-+]?[\d.,e+-]+%?")


def with_raised_values(
    facts: MessageFacts, cause: Cause, place: Place | None, workspace: Workspace
) -> MessageFacts:
    """Return the facts with the texts that the raising statement put into the message.

    ``place`` is the innermost one of the traceback; None where that frame is a library's.
    """
    if place is None or not cause.message:
        return facts
    known = {str(fact.value) for fact in facts.facts}
    values = dict.fromkeys(_values(readable(cause.message), place, workspace))
    added = [
        Fact(FactKind.LITERAL, Role.ACTUAL, value, value) for value in values if value not in known
    ]
    return replace(facts, facts=(*facts.facts, *added)) if added else facts


def _values(message: str, place: Place, workspace: Workspace) -> Iterator[str]:
    tree = workspace.tree(place.file)
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, (ast.Raise, ast.Assert)):
            continue
        if not node.lineno <= place.line <= (node.end_lineno or node.lineno):
            continue
        for text in _texts(node, tree):
            for parts in text_templates(text):
                yield from _gaps(parts, message)


def _texts(node: ast.Raise | ast.Assert, tree: ast.Module | None) -> Iterator[ast.expr]:
    """Yield the expressions of a statement's message; of a name, what was assigned to it before."""
    if isinstance(node, ast.Assert):
        texts: list[ast.expr] = [node.msg] if node.msg is not None else []
    else:
        texts = list(node.exc.args[:1]) if isinstance(node.exc, ast.Call) else []
    for text in texts:
        if not isinstance(text, ast.Name):
            yield text
            continue
        for other in ast.walk(tree) if tree is not None else ():
            if not isinstance(other, ast.Assign) or other.lineno >= node.lineno:
                continue
            if any(isinstance(t, ast.Name) and t.id == text.id for t in other.targets):
                yield other.value


def _gaps(parts: tuple[str | None, ...], message: str) -> Iterator[str]:
    """Yield the texts at the gaps of a template that a message was made of."""
    if None not in parts or sum(c.isalpha() for p in parts if p for c in p) < MIN_LETTERS:
        return
    match = _pattern(parts).match(message.strip())
    for value in match.groups() if match is not None else ():
        plain = value.strip(_QUOTES)
        if 1 < len(plain) <= LONGEST_VALUE and not _NUMBER.fullmatch(plain):
            yield plain


@lru_cache(maxsize=256)
def _pattern(parts: tuple[str | None, ...]) -> re.Pattern[str]:
    """Return the pattern of the messages of a template; its gaps are short, so that it is fast."""
    texts = ("(.{0,200}?)" if part is None else _spaced(part) for part in parts)
    return re.compile("".join(texts) + "$", re.DOTALL)


def _spaced(text: str) -> str:
    """Return the pattern of a text with any white space where it has some."""
    return r"\s+".join(map(re.escape, re.split(r"\s+", text)))

"""Message templates: the text of a message with typed slots, compiled to a linear expression.

A template is the message as the framework prints it, with

- ``{A:shape}`` for a slot: a role (A actual, E expected, O owner, X other) and a kind of fact,
- ``{A:key*}`` for a list of them, ``{...}`` for words that do not matter (within one line),
- ``{is|are}`` for one of some wordings and ``{? … ?}`` for a part that may be missing,
- ``^`` first and ``$`` last to tie it to the ends of the message; ``'`` stands for any quote,
  a space for any white space; upper and lower case are alike.

Every repeat is bounded and stops at the first sight of what follows, so that matching never
backtracks over more than a slot's length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dl_bug_lsp.messages.values import FactKind, Role

ROLES = {"A": Role.ACTUAL, "E": Role.EXPECTED, "O": Role.OWNER, "X": Role.OTHER}
QUOTES = "'\"`‘’“”"


@dataclass(frozen=True)
class Literal:
    """Words that must stand in the message."""

    text: str


@dataclass(frozen=True)
class Slot:
    """A place where a fact stands."""

    role: Role
    kind: FactKind
    many: bool


@dataclass(frozen=True)
class Gap:
    """Words of one line that do not matter."""


@dataclass(frozen=True)
class Choice:
    """One of some wordings."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Maybe:
    """A part that may be missing."""

    parts: tuple[Part, ...]


Part: TypeAlias = "Literal | Slot | Gap | Choice | Maybe"

_TOKEN = re.compile(
    r"(?P<open>\{\?)|(?P<close>\?\})|(?P<gap>\{\.\.\.\})"
    r"|\{(?P<role>[AEOX]):(?P<kind>[a-z]+)(?P<many>\*?)\}"
    r"|\{(?P<words>[^{}]*\|[^{}]*)\}"
    r"|(?P<text>[^{?]+|.)",
    re.DOTALL,
)


def parse(template: str) -> tuple[Part, ...]:
    """Return the parts of a template; ValueError where its brackets or kinds are wrong."""
    stack: list[list[Part]] = [[]]
    for token in _TOKEN.finditer(template):
        if token["open"]:
            stack.append([])
        elif token["close"]:
            inner = tuple(stack.pop())
            if not stack:
                raise ValueError(f"unbalanced template: {template}")
            stack[-1].append(Maybe(inner))
        elif token["gap"]:
            stack[-1].append(Gap())
        elif token["role"]:
            kind = FactKind(token["kind"])
            stack[-1].append(Slot(ROLES[token["role"]], kind, bool(token["many"])))
        elif token["words"] is not None:
            stack[-1].append(Choice(tuple(token["words"].split("|"))))
        else:
            _add_text(stack[-1], token["text"])
    if len(stack) != 1:
        raise ValueError(f"unbalanced template: {template}")
    return tuple(stack[0])


def _add_text(parts: list[Part], text: str) -> None:
    last = parts[-1] if parts else None
    if isinstance(last, Literal):
        parts[-1] = Literal(last.text + text)
    else:
        parts.append(Literal(text))


def needles(parts: Sequence[Part]) -> tuple[str, ...]:
    """Return words of which any message of the template holds one, lower case."""
    runs = [
        _folded(run)
        for part in parts
        if isinstance(part, Literal)
        for run in re.split(rf"[{QUOTES}]", part.text)
    ]
    best: tuple[str, ...] = (max(runs, key=len, default=""),)
    for part in parts:
        if isinstance(part, Choice):
            wordings = tuple(_folded(re.split(rf"[{QUOTES}]", word)[0]) for word in part.words)
            if min(map(len, wordings)) > len(best[0]):
                best = wordings
    return best


def _folded(text: str) -> str:
    return " ".join(text.lower().split())

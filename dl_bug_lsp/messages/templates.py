"""Message templates: typed slots in a text, compiled to an expression that takes linear time.

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
from dataclasses import dataclass, field
from typing import TypeAlias

from dl_bug_lsp.messages.facts import FactKind, Role

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


INTEGER_KINDS = frozenset(
    {
        FactKind.SIZE,
        FactKind.AXIS,
        FactKind.INDEX,
        FactKind.BOUND,
        FactKind.COUNT,
        FactKind.LINE,
        FactKind.COLUMN,
    }
)
_NUMERIC = INTEGER_KINDS | {FactKind.NUMBER, FactKind.SHAPE}
_FREE_TEXT = frozenset({FactKind.KEY, FactKind.PATH, FactKind.LITERAL, FactKind.REQUIREMENT})

SHAPE = (
    r"(?:torch\.Size|TensorShape)\([\[(][-\dNonex?,\s]{0,200}[\])]\)"
    r"|[\[(][-\dNonex?*,\s]{0,200}[\])]"
    r"|\d{1,12}(?:\s?[x*]\s?\d{1,12}){0,11}"
)
INTEGER = r"[-+]?\d{1,20}"
NUMBER = r"[-+]?(?:\d{1,30}(?:[.,_]\d{1,30}){0,6}|\.\d{1,30}|nan|inf)(?:e[-+]?\d{1,4})?"
_QUOTED = (
    r"(?:(?<=')[^'\n]{0,400}|(?<=\")[^\"\n]{0,400}|(?<=`)[^`\n]{0,400}"
    r"|(?<=[‘“])[^’”\n]{0,400})"
)
_TWO_WORDS = r"(?:(?:(?:un)?signed|struct)\s(?=\w)|long\s(?=int|long))?"
_CLASS = r"<class\s['\"][^'\"\n]{1,200}['\"]>"
_LOOKAHEAD = 24


def escape(text: str, loose_head: bool = False, loose_tail: bool = False) -> str:
    """Return an expression for literal words: quotes are alike, white space stretches.

    At a loose end, next to a part that may be missing, white space may be missing too.
    """
    out = []
    pieces = [piece for piece in re.split(rf"(\s+|[{QUOTES}])", text) if piece]
    for index, piece in enumerate(pieces):
        if piece.isspace():
            loose = (loose_head and index == 0) or (loose_tail and index == len(pieces) - 1)
            out.append(r"\s{0,20}" if loose else r"\s{1,20}")
        elif piece in QUOTES:
            out.append(f"[{QUOTES}]")
        else:
            out.append(re.escape(piece))
    return "".join(out)


def first_words(parts: Sequence[Part]) -> list[str] | None:
    """Return expressions for what may come first in ``parts``, or None where they are empty.

    ValueError where more words stand first, whose beginning could not be told.
    """
    out: list[str] = []
    for part in parts:
        if isinstance(part, Literal):
            return [*out, escape(part.text[:_LOOKAHEAD])]
        if isinstance(part, Choice):
            wanted = [escape(word[:_LOOKAHEAD]) for word in part.words]
            if all(wanted):
                return [*out, *wanted]
            out += [word for word in wanted if word]
        elif isinstance(part, Maybe):
            out += first_words(part.parts) or []
        elif isinstance(part, Slot) and part.kind in _NUMERIC and not part.many:
            return [*out, r"[-+]?\d" if part.kind is not FactKind.SHAPE else r"[\[(]"]
        else:
            raise ValueError("words that nothing bounds stand before a gap or a slot of words")
    return None if not out else [*out, r"\Z"]


@dataclass
class Compiler:
    """Builds the expression of a template and the list of its slots."""

    slots: list[Slot] = field(default_factory=list)

    def sequence(
        self,
        parts: Sequence[Part],
        after: Sequence[Part] = (),
        quoted: str = "",
        inside: bool = False,
    ) -> str:
        """Return the expression for ``parts`` when ``after`` follows them.

        ``quoted`` is the last character before them; ``inside`` says that they may be missing.
        """
        out = []
        for index, part in enumerate(parts):
            rest = [*parts[index + 1 :], *after]
            if isinstance(part, Literal):
                head = isinstance(parts[index - 1], Maybe) if index else inside
                tail = isinstance(parts[index + 1], Maybe) if index + 1 < len(parts) else inside
                out.append(escape(part.text, head, tail))
                quoted = part.text[-1:]
            elif isinstance(part, Choice):
                out.append("(?:" + "|".join(escape(word) for word in part.words) + ")")
                quoted = part.words[0][-1:]
            elif isinstance(part, Maybe):
                out.append("(?:" + self.sequence(part.parts, rest, quoted, True) + ")?")
                quoted = ""
            elif isinstance(part, Gap):
                out.append(_stopping(r"[^\n]", rest, 0, 400))
            else:
                out.append(self.slot(part, rest, quoted))
        return "".join(out)

    def slot(self, slot: Slot, rest: Sequence[Part], quoted: str) -> str:
        """Return the expression for a slot before ``rest``, in quotes where its neighbours are."""
        name = f"g{len(self.slots)}"
        self.slots.append(slot)
        closing = rest[0] if rest else None
        in_quotes = quoted in QUOTES and quoted != "" and isinstance(closing, Literal)
        if slot.many:
            body = _stopping(r"[^\n]", rest, 1, 2000)
        elif slot.kind is FactKind.SHAPE:
            body = SHAPE
        elif slot.kind in INTEGER_KINDS:
            body = INTEGER
        elif slot.kind is FactKind.NUMBER:
            body = NUMBER
        elif in_quotes and isinstance(closing, Literal) and closing.text[0] in QUOTES:
            body = _QUOTED
        else:
            body = _stopping(_character(slot.kind, bool(rest)), rest, 1, 400)
        if slot.kind is FactKind.DTYPE:
            body = _TWO_WORDS + body
        elif slot.kind is FactKind.CLASS:
            body = f"(?:{_CLASS}|{body})"
        return f"(?P<{name}>{body})"


def beginning(parts: Sequence[Part]) -> str:
    """Return where a match may begin: words that open a template would else be tried everywhere."""
    first = parts[0] if parts else None
    if not isinstance(first, Slot) or first.kind in _NUMERIC:
        return ""
    if first.kind in _FREE_TEXT or first.many:
        return r"(?:(?<![^\n])|(?<=:\s)|(?<=\A['\"]))"
    return rf"(?<![^\s{QUOTES}(\[:])"


def _character(kind: FactKind, bounded: bool) -> str:
    """Return what one character of words may be; those that end a template end with a sentence."""
    if kind not in _FREE_TEXT:
        return rf"(?:[^\s{QUOTES}]|(?<=\[)['\"]|['\"](?=\]))"
    return r"[^\n]" if bounded or kind is FactKind.REQUIREMENT else r"(?:(?!\.\s)[^\n])"


def _stopping(item: str, rest: Sequence[Part], low: int, high: int) -> str:
    """Return a repeat of ``item`` that stops where ``rest`` begins."""
    stops = first_words(rest)
    if stops is None:
        return f"{item}{{{low},{high}}}"
    return f"(?:(?!{'|'.join(stops)}){item}){{{low},{high}}}"

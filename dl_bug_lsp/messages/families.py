"""Message families: a row of a table, its template, and how a message is read by it.

A template is the message as the framework prints it, with

- ``{A:shape}`` for a slot: a role (A actual, E expected, O owner, X other) and a kind of fact,
- ``{A:key*}`` for a list of them, ``{...}`` for words that do not matter (within one line),
- ``{is|are}`` for one of some wordings and ``{? … ?}`` for a part that may be missing,
- ``^`` first and ``$`` last to tie it to the ends of the message; ``'`` stands for any quote,
  a space for any white space; upper and lower case are alike.

It is compiled to an expression that takes linear time: every repeat is bounded and stops at the
first sight of what follows, so that matching never backtracks over more than a slot's length. A
slot's words are read as the value of a fact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from dl_bug_lsp.messages.facts import Fact, FactKind, FactValue, Role

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
_QUOTED_SLOT = (
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
            body = _QUOTED_SLOT
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


# ---------------------------------------------------------------------- families
Derive = Callable[[list[Fact]], list[Fact]]
_MAX_MATCHES = 64


@dataclass(frozen=True)
class Family:
    """One row of a table of message families.

    ``name`` is the family without its framework; ``template`` is the message (see above);
    ``on`` names the exception classes it may stand in (any, where empty); ``where`` is a word that
    the raise site's file or function must hold; ``also`` adds constant facts
    (``"X:operation=conv"``); ``derive`` works further facts out of those read. A ``part`` adds
    facts to other families' and gives its name only where no other family knows the message.
    """

    name: str
    template: str
    on: str = ""
    where: str = ""
    also: str = ""
    derive: Derive | None = None
    part: bool = False

    @cached_property
    def classes(self) -> frozenset[str]:
        """The exception classes it may stand in."""
        return frozenset(self.on.split())

    @cached_property
    def needles(self) -> tuple[str, ...]:
        """Words of which every message holds one: the cheap test before the expression."""
        return needles(self._parts)

    @cached_property
    def constants(self) -> tuple[Fact, ...]:
        """The constant facts of ``also``."""
        return tuple(_constant(entry) for entry in self.also.split(";") if entry)

    @cached_property
    def _parts(self) -> tuple[Part, ...]:
        return parse(self.template.removeprefix("^").removesuffix("$"))

    @cached_property
    def _compiled(self) -> tuple[re.Pattern[str], tuple[Slot, ...]]:
        compiler = Compiler()
        body = compiler.sequence(self._parts)
        anchored = self.template.startswith("^")
        head = r"\A\s{0,40}" if anchored else beginning(self._parts)
        tail = r"\s{0,40}\Z" if self.template.endswith("$") else ""
        pattern = re.compile(head + body + tail, re.IGNORECASE)
        return pattern, tuple(compiler.slots)

    def read(self, text: str) -> list[tuple[int, Fact]] | None:
        """Return the facts that the family reads in a message, with their places, or None."""
        pattern, slots = self._compiled
        placed: list[tuple[int, Fact]] = []
        matched = False
        for number, match in enumerate(pattern.finditer(text)):
            if number == _MAX_MATCHES:
                break
            matched = True
            facts = list(_facts(match, slots))
            derived = self.derive([fact for _, fact in facts]) if self.derive else []
            end = match.end()
            placed += [*facts, *((end, fact) for fact in derived)]
            placed += [(end, fact) for fact in self.constants]
        return placed if matched else None


def _facts(match: re.Match[str], slots: tuple[Slot, ...]) -> Iterator[tuple[int, Fact]]:
    for number, slot in enumerate(slots):
        raw = match[number + 1]
        if raw is None:
            continue
        for value, words in read_values(slot.kind, raw, slot.many):
            yield match.start(number + 1), Fact(slot.kind, slot.role, value, words)


def _constant(entry: str) -> Fact:
    head, _, value = entry.partition("=")
    role, _, kind = head.strip().partition(":")
    return Fact(FactKind(kind), ROLES.get(role, Role.OTHER), value, "")


_DIMENSION = re.compile(r"-?\d{1,18}|None|\?|\*")
_INTEGER = re.compile(INTEGER)
_NUMBER = re.compile(NUMBER, re.IGNORECASE)
_SHAPE = re.compile(SHAPE)
_QUOTED = re.compile(r"'([^'\n]{0,300})'|\"([^\"\n]{0,300})\"|`([^`\n]{0,300})`|‘([^’\n]{0,300})’")
_MAX_ITEMS = 200
_MAX_RANK = 32

DTYPES = {
    "long": "int64",
    "long int": "int64",
    "long long": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "signed char": "int8",
    "byte": "uint8",
    "unsigned char": "uint8",
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "c10::half": "float16",
    "c10::bfloat16": "bfloat16",
    "boolean": "bool",
    "complexfloat": "complex64",
    "complexdouble": "complex128",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "s8": "int8",
    "s16": "int16",
    "s32": "int32",
    "s64": "int64",
    "u8": "uint8",
    "u32": "uint32",
    "pred": "bool",
    "int_": "int64",
    "float_": "float64",
    "bool_": "bool",
    "str_": "str",
    "string": "str",
    "object_": "object",
}
_NAMES = frozenset(DTYPES.values()) | {"int4", "uint16", "uint64", "float8_e4m3fn", "float8_e5m2"}
_LEGACY_TENSOR = re.compile(
    r"(?:torch\.)?(?:cuda\.|sparse\.|xpu\.|mps\.)*(\w{1,20})Tensor(?:Type)?"
)


def read_values(kind: FactKind, raw: str, many: bool = False) -> Iterator[tuple[FactValue, str]]:
    """Yield the values of a kind that ``raw`` holds, each with its words."""
    for words in _items(kind, raw) if many else (raw,):
        value = read_value(kind, words)
        if value is not None:
            yield value, words.strip()


def read_value(kind: FactKind, words: str) -> FactValue | None:
    """Return the value that some words stand for, or None."""
    if kind is FactKind.SHAPE:
        return shape(words)
    if kind in INTEGER_KINDS:
        match = _INTEGER.search(words)
        return int(match[0]) if match else None
    if kind is FactKind.NUMBER:
        return number(words)
    text = clean(words)
    if not text:
        return None
    if kind is FactKind.DTYPE:
        return dtype(text)
    return text.removesuffix("()").removeprefix("self.") if kind is FactKind.FUNCTION else text


def clean(words: str) -> str:
    """Return words without the quotes around and the full stop behind them."""
    text = words.strip()
    if text.startswith("<class "):
        return text[7:].rstrip(">").strip("'\" ")
    if len(text) >= 2 and text[0] in "'\"`" and text.find(text[0], 1) == len(text) - 1:
        return text[1:-1]
    return text.rstrip(",;:.!")


def shape(words: str) -> tuple[int, ...] | None:
    """Return a shape as a tuple, -1 for an unknown dimension; None for anything else."""
    dimensions = _DIMENSION.findall(words)
    if len(dimensions) > _MAX_RANK:
        return None
    return tuple(int(dim) if dim[-1].isdigit() else -1 for dim in dimensions)


def number(words: str) -> int | float | None:
    """Return a number as printed by Python, with ``,`` or ``_`` between thousands."""
    text = words.strip().replace(",", "").replace("_", "")
    try:
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    except ValueError:
        return None


def dtype(words: str) -> str:
    """Return a dtype by NumPy's name: ``Long``, ``torch.LongTensor`` and ``s64`` are ``int64``."""
    text = words.strip().strip("'\"`")
    legacy = _LEGACY_TENSOR.fullmatch(text)
    if legacy:
        text = legacy[1]
    text = re.sub(r"\A(?:struct |torch\.|tf\.|np\.|numpy\.|jnp\.|dtypes?\.|DT_)", "", text)
    lower = text.lower()
    return DTYPES.get(lower, lower if lower in _NAMES or text.isalpha() else text)


def _items(kind: FactKind, raw: str) -> Iterator[str]:
    """Yield the items of a list as messages print it."""
    if kind is FactKind.SHAPE:
        items = [match[0] for match in _SHAPE.finditer(raw)]
    elif kind in INTEGER_KINDS:
        items = _INTEGER.findall(raw)
    elif kind is FactKind.NUMBER:
        items = _NUMBER.findall(raw)
    else:
        quoted = [next(filter(None, groups), "") for groups in _QUOTED.findall(raw)]
        bare = re.split(r",\s?|\sand\s|\sor\s", raw.strip().strip("[](){}."))
        items = quoted or [item.strip() for item in bare]
    yield from items[:_MAX_ITEMS]

"""Message families: a row of a table, and how a message and its slots are read by it.

A slot's words are read as the value of a fact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from dl_bug_lsp.messages import templates
from dl_bug_lsp.messages.facts import Fact, FactKind, FactValue, Role
from dl_bug_lsp.messages.templates import INTEGER, INTEGER_KINDS, NUMBER, SHAPE

Derive = Callable[[list[Fact]], list[Fact]]
_MAX_MATCHES = 64


@dataclass(frozen=True)
class Family:
    """One row of a table of message families.

    ``name`` is the family without its framework; ``template`` is the message (see ``templates``);
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
        return templates.needles(self._parts)

    @cached_property
    def constants(self) -> tuple[Fact, ...]:
        """The constant facts of ``also``."""
        return tuple(_constant(entry) for entry in self.also.split(";") if entry)

    @cached_property
    def _parts(self) -> tuple[templates.Part, ...]:
        return templates.parse(self.template.removeprefix("^").removesuffix("$"))

    @cached_property
    def _compiled(self) -> tuple[re.Pattern[str], tuple[templates.Slot, ...]]:
        compiler = templates.Compiler()
        body = compiler.sequence(self._parts)
        anchored = self.template.startswith("^")
        head = r"\A\s{0,40}" if anchored else templates.beginning(self._parts)
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


def _facts(match: re.Match[str], slots: tuple[templates.Slot, ...]) -> Iterator[tuple[int, Fact]]:
    for number, slot in enumerate(slots):
        raw = match[number + 1]
        if raw is None:
            continue
        for value, words in read_values(slot.kind, raw, slot.many):
            yield match.start(number + 1), Fact(slot.kind, slot.role, value, words)


def _constant(entry: str) -> Fact:
    head, _, value = entry.partition("=")
    role, _, kind = head.strip().partition(":")
    return Fact(FactKind(kind), templates.ROLES.get(role, Role.OTHER), value, "")


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

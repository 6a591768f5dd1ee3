"""Reads the words in a slot as the value of a fact."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dl_bug_lsp.messages.patterns import INTEGER, INTEGER_KINDS, NUMBER, SHAPE
from dl_bug_lsp.messages.values import FactKind, FactValue

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
        found = _INTEGER.search(words)
        return int(found[0]) if found else None
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
    found = _DIMENSION.findall(words)
    if len(found) > _MAX_RANK:
        return None
    return tuple(int(dim) if dim[-1].isdigit() else -1 for dim in found)


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
        found = [match[0] for match in _SHAPE.finditer(raw)]
    elif kind in INTEGER_KINDS:
        found = _INTEGER.findall(raw)
    elif kind is FactKind.NUMBER:
        found = _NUMBER.findall(raw)
    else:
        quoted = [next(filter(None, groups), "") for groups in _QUOTED.findall(raw)]
        bare = re.split(r",\s?|\sand\s|\sor\s", raw.strip().strip("[](){}."))
        found = quoted or [item.strip() for item in bare]
    yield from found[:_MAX_ITEMS]

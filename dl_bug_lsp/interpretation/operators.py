"""Operators on values: plain Python's own for plain values, shapes and dtypes for arrays."""

from __future__ import annotations

import ast
import builtins
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from typing import Any

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation import table_values as cells
from dl_bug_lsp.interpretation.values import (
    ATTRIBUTE_TABLES,
    UNKNOWN,
    Array,
    AtMost,
    ClassValue,
    FunctionValue,
    Instance,
    JsonText,
    Keys,
    Lazy,
    Library,
    LibraryObject,
    MadeText,
    Method,
    NumberText,
    NumpyFloat,
    OpenDict,
    Origins,
    Raised,
    RowText,
    Table,
    Value,
    Word,
    looked_up,
    merged,
    rest_of,
    typed_by,
    unknown,
    with_places,
)
from dl_bug_lsp.provenance.folding import BINARY, PERCENT

PLAIN = (bool, int, float, str, bytes, type(None))
_ALIKE_DEEPEST = 6
MAX_TEXT = 20_000
"""Characters of a text, or bytes, that an operation may make."""
MAX_ITEMS = 20_000
"""Items of a container that an operation may make, and of all that one value holds as plain Python.
"""
MAX_PLAIN_TEXT = 500_000
MAX_BITS = 256
MAX_DEPTH = 12

COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
EQUALITY = (ast.Eq, ast.NotEq)
OF_CLASSES = (ClassValue, Library)
SET_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
    ast.Sub: operator.sub,
}
WIDER = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64")


class NotPlain(ValueError):
    """A value that is not wholly known as plain Python, or is too large for it."""


def plain(value: Value, depth: int = MAX_DEPTH) -> Any:
    """Return a value as plain Python, containers included.

    `NotPlain` is raised where a part is not known, and where a container is shared so often inside
    that its plain form would be large.
    """
    return _plain(value, depth, _Room(MAX_ITEMS, MAX_PLAIN_TEXT))


class ObjectKey:
    """An object as a key: of a class without a value of its own, by which object it is."""

    __slots__ = ("data", "name")

    def __init__(self, data: object) -> None:
        """Keep an object; things of libraries are one where their names are."""
        self.data = data
        self.name = data.name if isinstance(data, Library) else id(data)

    def __hash__(self) -> int:
        """Return a hash of which object it is."""
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        """Whether another key is the same object."""
        return isinstance(other, ObjectKey) and self.name == other.name


OBJECTS = (Instance, ClassValue, FunctionValue, Library, LibraryObject)


def key_of(value: Value) -> Any:
    """Return a value as the key of a dictionary; `NotPlain` is raised where it is not known."""
    value = as_mixed(value)
    return ObjectKey(value.data) if isinstance(value.data, OBJECTS) else plain(value)


MIXED = {"builtins.str", "builtins.int", "enum.StrEnum", "enum.IntEnum", "enum.IntFlag"}
"""Bases of enumerations whose members are equal to their values."""


def as_mixed(value: Value) -> Value:
    """Return a member of an enumeration of texts or numbers as its value, another value as is."""
    data = value.data
    if not isinstance(data, Instance) or "value" not in data.attributes:
        return value
    if "name" not in data.attributes or len(data.attributes) > MOST_OF_MEMBERS:
        return value
    mixed = any(isinstance(b.data, Library) and b.data.name in MIXED for b in data.cls.bases)
    held = data.attributes["value"]
    return Value(held.data, merged(value, held)) if mixed else value


MOST_OF_MEMBERS = 3
"""Attributes of a member of an enumeration; what has more is an object of another class."""


@dataclass
class _Room:
    items: int
    text: int

    def take(self, items: int, text: int = 0) -> None:
        self.items -= items
        self.text -= text
        if self.items < 0 or self.text < 0:
            raise NotPlain


def _plain(value: Value, depth: int, room: _Room) -> Any:
    value = as_mixed(value)
    data = value.data
    if isinstance(data, (str, bytes)):
        room.take(0, len(data))
        return data
    if isinstance(data, PLAIN):
        return data
    if depth < 0 or not isinstance(data, (list, tuple, dict, set)):
        raise NotPlain
    room.take(len(data))
    if isinstance(data, list):
        return [_plain(item, depth - 1, room) for item in data]
    if isinstance(data, tuple):
        return tuple(_plain(item, depth - 1, room) for item in data)
    if isinstance(data, dict):
        if rest_of(data) is not None or any(isinstance(key, ObjectKey) for key in data):
            raise NotPlain
        return {key: _plain(item, depth - 1, room) for key, item in data.items()}
    return set(data)


def lifted(data: object, *parts: Value) -> Value:
    """Return plain Python as a value that was made of others."""
    return value_of(data, merged(*parts))


def value_of(data: object, origins: Origins) -> Value:
    """Return plain Python (a key of a table, an item of a set) as a value of some origins."""
    if isinstance(data, list):
        return Value([value_of(item, origins) for item in data[:MAX_ITEMS]], origins)
    if isinstance(data, tuple):
        return Value(tuple(value_of(item, origins) for item in data[:MAX_ITEMS]), origins)
    if isinstance(data, dict):
        return Value({key: value_of(item, origins) for key, item in data.items()}, origins)
    if isinstance(data, (*PLAIN, set)):
        return Value(data, origins)
    if isinstance(data, ObjectKey):
        return Value(data.data, origins)
    return Value(UNKNOWN, origins)


def truth(value: Value) -> bool | None:
    """Return whether a value is true, None where that is not known."""
    data = value.data
    if isinstance(data, (*PLAIN, list, tuple, dict, set)):
        return bool(data) or rest_of(data) is not None
    if isinstance(data, LibraryObject) and data.short in ATTRIBUTE_TABLES:
        return bool(data.state)
    if isinstance(data, LibraryObject) and data.name in ALWAYS_TRUE:
        return True
    if isinstance(data, Array) and arrays.is_failing():
        _single(value, data)
    if isinstance(data, Table) and arrays.is_failing():
        raise Raised("value", "The truth value of a DataFrame is ambiguous", value)
    if isinstance(data, (Array, Table)) or data is UNKNOWN or isinstance(data, LibraryObject):
        return None
    return None if may_be_attribute(value) else True


def as_table(value: Value) -> Value:
    """Return the entries of a library's table of settings as a dictionary, others as they are."""
    data = value.data
    if isinstance(data, LibraryObject) and data.short in ATTRIBUTE_TABLES:
        entries = {k: v for k, v in data.state.items() if not str(k).startswith("__")}
        return Value(entries, value.origins)
    return value


ALWAYS_TRUE = frozenset(
    [
        *("re.Match", "re.Pattern", "regex.Match", "regex.Pattern", "pathlib.Path"),
        *("io.TextIOWrapper", "logging.Logger", "functools.partial", "argparse.ArgumentParser"),
        *("argparse.Namespace", "types.SimpleNamespace", "datetime.datetime", "datetime.date"),
        "importlib.machinery.ModuleSpec",
    ]
)
"""Classes of the standard library whose objects are true, whatever they hold."""


def may_be_attribute(value: Value) -> bool:
    """Whether what is taken for a method may be an attribute that no model has."""
    data = value.data
    return isinstance(data, Method) and isinstance(data.receiver.data, (Instance, LibraryObject))


def _single(value: Value, data: Array) -> None:
    """Raise where an array with several elements is asked whether it is true."""
    count = arrays.product(data.shape) if data.shape is not None else unknown(value)
    if (arrays.size(count) or 0) > 1:
        raise Raised("value", "the truth value of several elements is ambiguous", value)


def type_name(value: Value) -> str | None:
    """Return the name of a value's Python type, None where it is not known."""
    data = value.data
    if data is UNKNOWN:
        return None
    if isinstance(data, Array):
        if data.library == arrays.PYTHON:
            return {"int64": "int", "float64": "float"}.get(data.dtype or "", data.dtype)
        return "Tensor" if data.library == "torch" else "ndarray"
    if isinstance(data, Instance):
        return data.cls.name
    if isinstance(data, LibraryObject):
        return data.short
    return "NoneType" if data is None else type(data).__name__


def wider(a: str | None, b: str | None, library: str) -> str | None:
    """Return the dtype of an operation on two arrays (NumPy, "Promotion"), None where not known."""
    if a == b:
        return a
    if a not in WIDER or b not in WIDER:
        return None
    low, high = sorted((a, b), key=WIDER.index)
    if library == "numpy" and high == "float32" and low in ("int32", "int64"):
        return "float64"
    return high


def binary(kind: type[ast.operator], a: Value, b: Value) -> Value:
    """Return ``a <kind> b``."""
    if kind is ast.Add and isinstance(a, JsonText) and isinstance(b.data, str) and b.data.isspace():
        return JsonText(a.document, f"{a.data}{b.data}" if isinstance(a.data, str) else UNKNOWN)
    a, b = as_mixed(a), as_mixed(b)
    if isinstance(a.data, Table) or isinstance(b.data, Table):
        return _on_tables(kind, a, b)
    if isinstance(a.data, cells.Series) or isinstance(b.data, cells.Series):
        result = cells.combined(kind, a, b)
        return _on_arrays(kind, a, b) if result is None else _typed(kind, a, b, result)
    if arrays.is_number(a) or arrays.is_number(b):
        _ask_divisor(kind, a, b)
        return _on_numbers(kind, a, b)
    if isinstance(a.data, Array) or isinstance(b.data, Array):
        for model in OF_ARRAYS:
            made = model(kind, a, b)
            if made is not None:
                return made
        return typed_by(_on_arrays(kind, a, b), a, b)
    if isinstance(a.data, Instance) or isinstance(b.data, Instance):
        return unknown(a, b)
    if isinstance(a.data, PLAIN) and isinstance(b.data, PLAIN):
        return _on_plain(kind, a, b)
    sequence = _on_sequences(kind, a, b)
    if sequence is not None:
        return sequence
    for model in OF_OBJECTS:
        made = model(kind, a, b)
        if made is not None:
            return made
    containers = (list, tuple, dict, *PLAIN)
    if isinstance(a.data, containers) and isinstance(b.data, containers):
        try:
            return lifted(BINARY[kind](plain(a), plain(b)), a, b)
        except TypeError as error:
            raise Raised("type", str(error), a, b) from None
        except (NotPlain, KeyError, ValueError, ArithmeticError):
            return unknown(a, b)
    _ask_divisor(kind, a, b)
    for side in (a, b):
        if side.data is None and arrays.is_failing():
            raise Raised("none", "unsupported operand type: 'NoneType'", side)
    return unknown(a, b)


def _ask_divisor(kind: type[ast.operator], a: Value, b: Value) -> None:
    """Refuse to divide a number by zero; what is not known is one where the run failed so.

    Arrays give infinity.
    """
    if kind in (ast.Div, ast.FloorDiv, ast.Mod) and b.data in (0, 0.0) and arrays.divides_by_zero():
        raise Raised("value", "division by zero", b)


OF_ARRAYS: list[Callable[[type[ast.operator], Value, Value], Value | None]] = []
"""What operators give for arrays of other kinds, as sparse matrices; their models add theirs."""
OF_OBJECTS: list[Callable[[type[ast.operator], Value, Value], Value | None]] = []
"""What operators give for objects of libraries; modules that model these add theirs."""


def _on_numbers(kind: type[ast.operator], a: Value, b: Value) -> Value:
    """Return what an operator gives where an operand is a number that is not known."""
    count = arrays.shifted_count(kind, a, b)
    if count is not None:
        _bound(kind, a, b, count)
        return count
    x, y = arrays.number_of(a), arrays.number_of(b)
    if x is not None and y is not None:
        function = BINARY.get(kind)
        if function is None or (kind is ast.Pow and isinstance(y, int)):
            # A negative exponent makes whole numbers fractions.
            whole = not isinstance(x, float) and kind is ast.Pow
            return unknown(a, b) if function is None or whole else arrays.number("float64", a, b)
        try:
            # Only the types matter, and no divisor is zero then.
            result = arrays.number_like(function(type(x)(1), type(y)(1)), a, b)
        except (TypeError, ArithmeticError):
            return unknown(a, b)
        _bound(kind, a, b, result)
        return result
    known = [
        Value(a.data if x is None else x, a.origins),
        Value(b.data if y is None else y, b.origins),
    ]
    array = a if x is None else b
    if isinstance(array.data, (list, tuple)) and array.data and kind is ast.Mult:
        number = b if x is None else a
        one = len(array.data) == 1
        length = arrays.length_of(number) if one else unknown(a, b)
        return Value(Lazy(representative(array.data), length), merged(a, b))
    if not isinstance(array.data, Array):
        return unknown(a, b)
    result = _on_arrays(kind, known[0], known[1])
    if isinstance(result.data, Array):
        result.data.lowest = result.data.highest = None
    return result


def _typed(kind: type[ast.operator], a: Value, b: Value, result: Value) -> Value:
    """Return a column with the dtype that an operation on arrays gives."""
    made, sides = arrays.array(result), (arrays.array(a), arrays.array(b))
    if made is not None and all(side is None or side.dtype != "object" for side in sides):
        outline = arrays.array(_on_arrays(kind, a, b))
        made.dtype = made.dtype if outline is None or outline.dtype is None else outline.dtype
    return result


def _on_tables(kind: type[ast.operator], a: Value, b: Value) -> Value:
    """Return a table with the columns of the one that is given; texts do not add up to numbers."""
    first = a if isinstance(a.data, Table) else b
    table = first.data
    assert isinstance(table, Table)
    other = b if first is a else a
    number = isinstance(other.data, (int, float)) and not isinstance(other.data, bool)
    if number and kind is not ast.Mult and "object" in table.columns.values():
        name = next(name for name, dtype in table.columns.items() if dtype == "object")
        origins = table.origins_of.get(name, first.origins)
        raise Raised("type", "unsupported operand types", Value(UNKNOWN, origins), other)
    columns = {name: _dtype_with(kind, own, other, name) for name, own in table.columns.items()}
    rows = table.rows
    if isinstance(other.data, Table):
        # Both are aligned by their labels: each row and column that one of them has.
        columns |= {name: None for name in other.data.columns if name not in columns}
        own, beside = (getattr(each, "index", None) or () for each in (table, other.data))
        alike_labels = bool(own) and list(own) == list(beside)
        if other.data is not table and not alike_labels:
            rows = Value(UNKNOWN, merged(rows, other.data.rows))
    result = Table(columns, rows, dict(table.origins_of), index_names=table.index_names)
    return Value(result, merged(a, b))


def _dtype_with(
    kind: type[ast.operator], own: str | None, other: Value, name: object
) -> str | None:
    """Return the dtype of a table's column after an operator, None where it is not known."""
    data = other.data
    if isinstance(data, Table):
        beside = data.columns.get(name)
    elif isinstance(data, Array):
        beside = data.dtype
    else:
        beside = {bool: "bool", int: "int", float: "float"}.get(type(data))
    if own in (None, "object") or beside in (None, "object"):
        return None
    dtype: str | None
    if beside in ("int", "float"):
        weak = beside == "int" or own.startswith("float")
        dtype = own if weak and own != "bool" else f"{beside}64"
    elif own == beside:
        dtype = own
    else:
        floats = own.startswith("float") and beside.startswith("float")
        whole = own.startswith("int") and beside.startswith("int")
        dtype = "float64" if floats else "int64" if whole else None
        if dtype is None and {"float64", "int64"} & {own, beside}:
            dtype = "float64" if "float" in own + beside else "int64"
    if kind is ast.Div and dtype is not None and not dtype.startswith("float"):
        return "float64"
    return dtype


def _on_plain(kind: type[ast.operator], a: Value, b: Value) -> Value:
    x, y = a.data, b.data
    function = BINARY.get(kind)
    if function is None:
        return unknown(a, b)
    if kind is ast.Mult and _is_too_long(x, y):
        return unknown(a, b)
    if kind in (ast.Pow, ast.LShift) and _is_too_big(x, y):
        return unknown(a, b)
    if kind is ast.Mod and isinstance(x, (str, bytes)):
        return _filled(x, (y,), a, b)
    if isinstance(x, (str, bytes)) and isinstance(y, (str, bytes)) and len(x) + len(y) > MAX_TEXT:
        return unknown(a, b)
    try:
        result = Value(function(x, y), merged(a, b))
        if type(result.data) is float and (isinstance(a, NumpyFloat) or isinstance(b, NumpyFloat)):
            return NumpyFloat(result.data, result.origins)
        return result
    except TypeError as error:
        raise Raised("type", str(error), a, b) from None
    except ZeroDivisionError as error:
        raise Raised("value", str(error), b) from None
    except (ValueError, ArithmeticError, MemoryError):
        return unknown(a, b)


def _is_too_long(x: Any, y: Any) -> bool:
    text, count = (x, y) if isinstance(x, (str, bytes)) else (y, x)
    if isinstance(text, (str, bytes)):
        return isinstance(count, int) and len(text) * count > MAX_TEXT
    return isinstance(x, int) and isinstance(y, int) and x.bit_length() + y.bit_length() > MAX_BITS


def _is_too_big(x: Any, y: Any) -> bool:
    if not isinstance(x, int) or not isinstance(y, int):
        return False
    return y > MAX_BITS or abs(x).bit_length() * max(y, 1) > MAX_BITS


def _on_sequences(kind: type[ast.operator], a: Value, b: Value) -> Value | None:
    x, y = a.data, b.data
    both_lists = isinstance(x, list) and isinstance(y, list)
    if kind is ast.Add and (both_lists or (isinstance(x, tuple) and isinstance(y, tuple))):
        whole: Any = x + y  # type: ignore[operator]
        return Value(whole[:MAX_ITEMS], merged(a, b))
    if kind is ast.Add and isinstance(x, (Lazy, list)) and isinstance(y, (Lazy, list)):
        return joined(a, b)
    if kind in SET_OPERATORS and (isinstance(x, Keys) or isinstance(y, Keys)):
        try:
            return Value(SET_OPERATORS[kind](set(plain(a)), set(plain(b))), merged(a, b))
        except (NotPlain, TypeError):
            return unknown(a, b)
    if isinstance(x, set) and isinstance(y, set) and kind in SET_OPERATORS:
        return Value(SET_OPERATORS[kind](x, y), merged(a, b))
    if kind is ast.Mult:
        items, count = (a, b) if isinstance(x, (list, tuple)) else (b, a)
        number = arrays.size(count)
        if isinstance(items.data, (list, tuple)):
            if isinstance(count.data, (float, str)) or count.data is None:
                raise Raised("type", "can't multiply sequence by non-int", count, items)
            if number is None:
                return unknown(a, b)
            if len(items.data) * max(number, 0) > MAX_ITEMS:
                return unknown(a, b)
            return Value(items.data * number, merged(a, b))
    if kind is ast.Mod and isinstance(x, (str, bytes)):
        try:
            given = plain(b)
        except NotPlain:
            return unknown(a, b)
        if isinstance(y, dict) and isinstance(given, dict):
            return _filled(x, given, a, b)
        return _filled(x, given if isinstance(given, tuple) else (given,), a, b)
    return None


def opened(value: Value, rest: Value) -> None:
    """Let a dictionary hold something under a key that is not known.

    Of a number only the type is kept: what is counted differs from key to key.
    """
    data = value.data
    if isinstance(rest.data, (int, float)) and not isinstance(rest.data, bool):
        rest = arrays.number_like(rest.data, rest)
    if type(data) is dict:
        value.data = OpenDict(data, rest)
    elif isinstance(data, OpenDict):
        data.rest = rest
    else:
        value.data = UNKNOWN


MOST_OTHERS = 4


def joined(a: Value, b: Value) -> Value:
    """Return two lists in one, of which one at least has items that are not all known."""
    outline = next(v.data for v in (a, b) if isinstance(v.data, Lazy))
    others: list[Value] = []
    for data in (a.data, b.data):
        if isinstance(data, Lazy):
            found = [*data.others] if data is outline else [data.item, *data.others]
        else:
            kinds = {type(item.data): item for item in reversed(data) if isinstance(item, Value)}  # type: ignore[call-overload]
            found = [kinds[kind] for kind in sorted(kinds, key=lambda kind: kind.__name__)]
        others.extend(found)
    unlike = {(type(v.data), v.origins): v for v in others}
    lengths = [
        v.data.length if isinstance(v.data, Lazy) else Value(len(v.data))  # type: ignore[arg-type]
        for v in (a, b)
    ]
    length = arrays.filled_length(lengths) or _sum_of(lengths, a, b)
    item = Lazy(outline.item, length, tuple(unlike.values())[:MOST_OTHERS])
    return Value(item, merged(a, b))


def _sum_of(lengths: Sequence[Value], a: Value, b: Value) -> Value:
    """Return how long two lists are together, with its bound where only that is known."""
    numbers = [n.highest if isinstance(n, AtMost) else arrays.size(n) for n in lengths]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return Value(UNKNOWN, merged(a, b))
    if any(isinstance(n, AtMost) for n in lengths):
        return AtMost(sum(known), merged(a, b))
    return Value(sum(known), merged(a, b))


def _filled(text: str | bytes, given: tuple[Any, ...] | dict[Any, Any], *parts: Value) -> Value:
    """Return ``text % given``, unknown where a width could be large."""
    if not isinstance(text, str) or "%" in PERCENT.sub("", text):
        return unknown(*parts)
    try:
        filled = text % given
    except TypeError as error:
        raise Raised("type", str(error), *parts) from None
    except (ValueError, LookupError, ArithmeticError):
        return unknown(*parts)
    return Value(filled, merged(*parts)) if len(filled) <= MAX_TEXT else unknown(*parts)


_NUMERIC = re.compile(r"u?int\d+|float\d+")


def _holds_text(data: Array | None) -> bool:
    """Whether an array is known to hold a text."""
    known = data.cells if isinstance(data, cells.Series) and data.dtype == "object" else None
    return known is not None and any(isinstance(cell, str) for cell in known)


def _refuse_texts(kind: type[ast.operator], a: Value, b: Value) -> None:
    """Raise where numbers and texts are to be combined, other than by a product.

    Masks are not subtracted (NumPy and PyTorch).
    """
    masks = [side.data for side in (a, b) if isinstance(side.data, Array)]
    kinds = {(mask.library, mask.dtype) for mask in masks}
    if kind is ast.Sub and len(masks) == 2 and kinds in ({("torch", "bool")}, {("numpy", "bool")}):
        raise Raised("type", "subtraction of two bool tensors is not supported", a, b)
    for texts, other in ((a, b), (b, a)):
        dtype = other.data.dtype if isinstance(other.data, Array) else ""
        is_number = _is_number(other) or bool(_NUMERIC.fullmatch(dtype or ""))
        # In columns of objects a text is repeated.
        if kind is not ast.Mult and is_number and _holds_text(arrays.array(texts)):
            raise Raised("type", "unsupported operand types", a, b)


def _is_numeric(data: Array) -> bool:
    return data.dtype == "bool" or bool(_NUMERIC.fullmatch(data.dtype or ""))


def _meeting(kind: type[ast.operator], array: Array, *, is_left: bool) -> tuple[Value, ...]:
    """Return the dimensions of an operand that meet those of the other one."""
    dims = array.shape or ()
    if kind is not ast.MatMult:
        return dims
    return dims[-1:] if is_left else dims[-2:][:1]


def _with_text(
    kind: type[ast.operator], array: Array, text: object, a: Value, b: Value
) -> Value | None:
    """Return what an array that may hold texts gives with a text, None of another pair."""
    if not isinstance(text, (str, bytes)):
        return None
    if isinstance(text, str) and array.library == "numpy" and not _is_numeric(array):
        # Columns of objects and of texts take a text on either side of a sum.
        is_sum = kind is ast.Add and array.dtype == "object"
        return arrays.made(array, array.shape, a, b) if is_sum else unknown(a, b)
    is_text = array.library == "tensorflow" and array.dtype in ("str", None)
    if is_text and kind is ast.Add:
        return arrays.made(array, array.shape, a, b, dtype="str")
    return None


def _on_arrays(kind: type[ast.operator], a: Value, b: Value) -> Value:
    if kind is ast.Mod and isinstance(a.data, str):
        return unknown(a, b)
    x, y = arrays.array(a), arrays.array(b)
    first = x or y
    assert first is not None
    _refuse_texts(kind, a, b)
    if (x is None and not _is_number(a)) or (y is None and not _is_number(b)):
        other = b if y is None else a
        with_text = _with_text(kind, first, other.data, a, b)
        if with_text is not None:
            return with_text
        if other.data is None or isinstance(other.data, (str, dict)):
            raise Raised("type", "unsupported operand types", a, b)
        if isinstance(other.data, list) and first.library in ("numpy", "jax"):
            items = _outline(other)
            if items is not None:
                pair = (a, items) if other is b else (items, b)
                return _on_arrays(kind, *pair)
        if other.data is not UNKNOWN:
            return unknown(a, b)
        dims = _meeting(kind, first, is_left=other is b)
        arrays.unlike(dims, other, "sizes do not broadcast")
        if kind is ast.MatMult:
            return _product_with_unknown(first, a, b)
        return _with_a_number(first, a, b)
    dtype = first.dtype
    if x is not None and y is not None:
        apart = x.device and y.device and x.device != y.device
        if apart and x.shape != () and y.shape != ():
            raise Raised("type", "tensors are on different devices", a, b)
        if kind is ast.MatMult:
            shape = arrays.matmul(x, y)
            if x.shape is None or y.shape is None:
                arrays.unlike((x.shape or ())[-1:], b, "shapes cannot be multiplied")
                arrays.unlike((y.shape or ())[-2:][:1], a, "shapes cannot be multiplied")
            return arrays.made(first, shape, a, b, dtype=wider(x.dtype, y.dtype, x.library))
        known = x.shape is not None and y.shape is not None
        shape = arrays.broadcast(x.shape, y.shape) if known else None  # type: ignore[arg-type]
        last = None
        if not known:
            last = arrays.last_of_both(x, y)
        if not known and last is None:
            arrays.operands_unlike(x, a, y, b, "sizes do not broadcast")
            if x.shape is None and y.shape is None:
                arrays.either(a, b, "sizes do not broadcast")
        dtype = _joint_dtype(x, y, a, b)
        first = y if x.shape == () and x.library == y.library and y.device else first
    else:
        shape, last = first.shape, first.last
        other = b if x is not None else a
        if isinstance(other.data, float) and dtype and "int" in dtype:
            # TensorFlow refuses Python's floats here, and takes NumPy's as whole numbers.
            kinds = {"numpy": "float64", "tensorflow": None}
            dtype = kinds.get(first.library, "float32")
    dtype = _of_quotient(dtype, first.library) if kind is ast.Div else dtype
    result = arrays.with_last(arrays.made(first, shape, a, b, dtype=dtype), last)
    _bound(kind, a, b, result)
    return result


def _of_quotient(dtype: str | None, library: str) -> str | None:
    """Return the dtype of a quotient: whole numbers become floats."""
    if not dtype or not ("int" in dtype or dtype == "bool"):
        return dtype
    is_short = library == "tensorflow" and dtype.endswith(("int8", "int16"))
    return "float64" if library in ("numpy", "tensorflow") and not is_short else "float32"


def _joint_dtype(x: Array, y: Array, a: Value, b: Value) -> str | None:
    """Return the dtype of two arrays together; raise where TensorFlow does not convert them."""
    if x.library == "tensorflow" and y.library == "numpy":
        # The array is converted to the tensor's dtype.
        return x.dtype
    tensors = x.library == y.library == "tensorflow"
    if tensors and x.dtype and y.dtype and x.dtype != y.dtype:
        raise Raised("type", "dtypes differ", a, b)
    return _together(x, y, x.library)


def _product_with_unknown(first: Array, a: Value, b: Value) -> Value:
    """Return the matrix product of an array and what is not known: its last axis is the right's."""
    product = arrays.made(first, None, a, b)
    shape = first.shape if first is arrays.array(b) else None
    return product if shape is None or len(shape) < 2 else arrays.with_last(product, shape[-1])


def _with_a_number(first: Array, a: Value, b: Value) -> Value:
    """Return an array together with what is not known, mostly a number: the shape stays.

    A tensor with one axis is mostly a weight of each feature; of what it is put to, the last axis
    is known.
    """
    if first.shape == ():
        # What is not known may as well be an array.
        return arrays.made(first, None, a, b)
    if first.library != "numpy" and first.shape is not None and len(first.shape) == 1:
        kept = arrays.with_last(arrays.made(first, None, a, b), first.shape[0])
    else:
        kept = arrays.guess(arrays.made(first, arrays.guessed(_open_ones(first, a, b)), a, b))
    if isinstance(kept.data, Array) and (first.dtype == "bool" or "int" in (first.dtype or "")):
        kept.data.dtype = None
    return kept


def _open_ones(first: Array, *parts: Value) -> tuple[Value, ...] | None:
    """Return a shape in which axes of size 1 are of any size where it has others as well.

    They are mostly put in for an array with which the whole is broadcast.
    """
    shape = first.shape
    if shape is None or all(dim.data == 1 for dim in shape):
        return shape
    return tuple(unknown(dim, *parts) if dim.data == 1 else dim for dim in shape)


def _together(x: Array, y: Array, library: str) -> str | None:
    """Return the dtype of two arrays: of PyTorch's, one without axes gives way to its like."""
    ranks = [None if item.shape is None else len(item.shape) for item in (x, y)]
    kinds = ["float" in (item.dtype or "") for item in (x, y)]
    if x.library == y.library == "torch" and x.dtype and y.dtype and kinds[0] == kinds[1]:
        if ranks[0] == 0 and ranks[1]:
            return y.dtype if y.dtype != "bool" else x.dtype
        if ranks[1] == 0 and ranks[0]:
            return x.dtype if x.dtype != "bool" else y.dtype
    return wider(x.dtype, y.dtype, library)


def _outline(value: Value) -> Value | None:
    """Return a flat list of numbers as the array that NumPy makes of it."""
    items = value.data
    if isinstance(items, list) and items and all(isinstance(i.data, list) for i in items):
        rows = [_outline(item) for item in items]
        held = [row.data for row in rows if row is not None and isinstance(row.data, Array)]
        widths = {row.sizes for row in held}
        dtypes = {row.dtype for row in held}
        if len(held) != len(items) or len(widths) != 1 or len(held[0].shape or ()) > 2:
            return None
        wide = "float64" if "float64" in dtypes else "int64" if "int64" in dtypes else "bool"
        origins = value.origins or merged(*items[:24])
        shape = (Value(len(items), origins), *(held[0].shape or ()))
        return Value(Array(shape, wide, "numpy"), origins)
    if not isinstance(items, list) or not all(_is_number(item) for item in items):
        return None
    kinds = {type(item.data) for item in items}
    dtype = "float64" if float in kinds or not kinds else "int64" if int in kinds else "bool"
    origins = value.origins or merged(*items[:24])
    return Value(Array((Value(len(items), origins),), dtype, "numpy"), origins)


WRAPPING = {"uint8", "int8", "uint16", "int16"}
"""Dtypes of few numbers: a sum or a product of two of them often is beyond the greatest."""


def _bound(kind: type[ast.operator], a: Value, b: Value, result: Value) -> None:
    """Keep bounds of whole numbers through sums, differences and products."""
    data = arrays.array(result)
    if data is None or kind not in (ast.Add, ast.Sub, ast.Mult) or data.dtype in WRAPPING:
        return
    (low, high), (other_low, other_high) = arrays.bounds_of(a), arrays.bounds_of(b)
    if kind is ast.Mult:
        ends = (low, high), (other_low, other_high)
        products = [x * y for x, y in product(*ends) if x is not None and y is not None]
        is_known = len(products) == len(ends) ** 2
        data.lowest = min(products) if is_known else None
        data.highest = max(products) if is_known else None
        return
    if kind is ast.Sub:
        other_low, other_high = _negated(other_high), _negated(other_low)
    data.lowest = None if low is None or other_low is None else low + other_low
    data.highest = None if high is None or other_high is None else high + other_high


def _negated(number: int | None) -> int | None:
    return None if number is None else -number


def _is_number(value: Value) -> bool:
    return isinstance(value.data, (int, float, bool))


RELEASE = "release of this"
"""Under which name a version keeps the numbers by which it compares."""


def _release(value: Value) -> Value:
    """Return the numbers by which a version compares; another value as it is."""
    data = value.data
    return data.state.get(RELEASE, value) if isinstance(data, LibraryObject) else value


def _compared_tables(a: Value, b: Value) -> Value:
    """Return a table of truths, with the columns of a table that is compared with something."""
    table, other = (a.data, b) if isinstance(a.data, Table) else (b.data, a)
    assert isinstance(table, Table)
    if not (other.known and isinstance(other.data, (bool, int, float, str, Array, Table))):
        return unknown(a, b)
    if isinstance(other.data, cells.Series) and other.data.index is not None:
        return unknown(a, b)  # Its labels are those of the columns.
    columns: dict[object, str | None] = dict.fromkeys(table.columns, "bool")
    made = Table(columns, table.rows, dict(table.origins_of), index_names=table.index_names)
    return Value(made, merged(a, b))


def compare(kind: type[ast.cmpop], a: Value, b: Value) -> Value:
    """Return ``a <kind> b`` for one comparison."""
    if kind in (ast.Is, ast.IsNot):
        return _identity(kind, a, b)
    if kind in (ast.In, ast.NotIn):
        return _membership(kind, a, b)
    a, b = as_mixed(_release(a)), as_mixed(_release(b))
    if isinstance(a.data, Library) and isinstance(b.data, Library) and kind in EQUALITY:
        return _same_names(kind, a, b)
    if isinstance(a.data, ClassValue) and kind in EQUALITY and isinstance(b.data, OF_CLASSES):
        return Value((a.data is b.data) is (kind is ast.Eq), merged(a, b))
    if kind in EQUALITY:
        named, other = _names_dtype(a, b), _names_dtype(b, a)
        if named is not None or other is not None:
            return _same_names(kind, other or a, named or b)
    if isinstance(a.data, Table) or isinstance(b.data, Table):
        return _compared_tables(a, b)
    x, y = arrays.array(a), arrays.array(b)
    if arrays.is_number(a) or arrays.is_number(b):
        known = [arrays.number_of(a), arrays.number_of(b)]
        if None not in known:
            decided = _decided(kind, a, b)
            return arrays.number("bool", a, b) if decided is None else Value(decided, merged(a, b))
        x, y = (x if known[0] is None else None), (y if known[1] is None else None)
        if x is None and y is None:
            return unknown(a, b)
    if isinstance(x, cells.Series) or isinstance(y, cells.Series):
        result = cells.combined(kind, a, b)
        if result is not None:
            return result
    if x is not None or y is not None:
        first = x or y
        assert first is not None
        shape = first.shape
        if x is not None and y is not None and x.shape is not None and y.shape is not None:
            shape = arrays.broadcast(x.shape, y.shape)
        return arrays.made(first, shape, a, b, dtype="bool")
    if isinstance(a.data, Keys) or isinstance(b.data, Keys):
        a, b = _keys_as_set(a), _keys_as_set(b)
    if kind in EQUALITY and (_is_no_text(a, b) or _is_no_text(b, a)):
        return Value(kind is ast.NotEq, merged(a, b))
    try:
        return Value(COMPARISONS[kind](plain(a), plain(b)), merged(a, b))
    except TypeError as error:
        raise Raised("type", str(error), a, b) from None
    except (NotPlain, KeyError):
        return _compared_objects(kind, a, b)


def _keys_as_set(value: Value) -> Value:
    """Return the keys of a dictionary as a set, another value as it is."""
    if not isinstance(value.data, Keys):
        return value
    try:
        return Value(set(plain(value)), value.origins)
    except (NotPlain, TypeError):
        return unknown(value)


def _compared_objects(kind: type[ast.cmpop], a: Value, b: Value) -> Value:
    """Compare objects of libraries by what they stand for, as dates and paths."""
    for stands_for in STANDING_FOR:
        x, y = stands_for(a), stands_for(b)
        if x is None and y is None:
            continue
        if x is not None and y is not None:
            try:
                return Value(COMPARISONS[kind](x, y), merged(a, b))
            except TypeError as error:
                raise Raised("type", str(error), a, b) from None
        other = b if y is None else a
        if kind in (ast.Eq, ast.NotEq) and isinstance(other.data, (*PLAIN, list, tuple, dict)):
            return Value(kind is ast.NotEq, merged(a, b))
    return unknown(a, b)


STANDING_FOR: list[Callable[[Value], Any]] = []
"""What objects of libraries are compared by, None of others; modules that model them add theirs."""
UNLIKE_TEXT = ("torch.nn.", "torch.utils.data.", "torch.optim.", "datasets.", "sklearn.")
"""How the names of classes begin of which no object equals a text."""


def _is_no_text(value: Value, text: Value) -> bool:
    """Whether a value is an object that equals no text, and the other one is a text."""
    data = value.data
    named = isinstance(data, LibraryObject) and data.name.startswith(UNLIKE_TEXT)
    return isinstance(text.data, str) and (named or isinstance(data, (list, dict, tuple, set)))


DTYPES = {
    **{f"torch.{a}": f"torch.{b}" for a, b in (("float", "float32"), ("double", "float64"))},
    **{f"torch.{a}": f"torch.{b}" for a, b in (("half", "float16"), ("long", "int64"))},
    **{f"torch.{a}": f"torch.{b}" for a, b in (("int", "int32"), ("short", "int16"))},
}
"""The names of dtypes that have two."""
LAYERS = "torch.nn."
NUMERIC = re.compile(
    r"(?:torch|numpy|jax\.numpy|tensorflow)\.(?:u?int|float|bfloat|complex)\d+|.*\.bool"
)


BUILTIN_CLASSES = frozenset(
    f"builtins.{name}" for name, kind in vars(builtins).items() if isinstance(kind, type)
) - {"builtins.EnvironmentError", "builtins.IOError"}
"""Python's own classes under one name each."""
CLASSES = BUILTIN_CLASSES | {
    *("torch.Tensor", "torch.nn.Parameter", "torch.nn.parameter.Parameter", "numpy.ndarray"),
    *("pandas.DataFrame", "pandas.Series"),
}
"""Classes of which two with different names are different ones."""
OF_PYTHON = {
    "builtins.int": "numpy.int64",
    "builtins.float": "numpy.float64",
    "builtins.bool": "numpy.bool",
    "builtins.object": "numpy.object_",
}
"""What Python's types are as dtypes of NumPy."""
SHORT_DTYPES = {
    **{f"{kind}{2**at}": f"{name}{8 * 2**at}" for kind, name in (("i", "int"), ("u", "uint"))
       for at in range(4)},
    **{f"f{2**at}": f"float{8 * 2**at}" for at in (1, 2, 3)},
    "int": "int64",
    "float": "float64",
    "double": "float64",
    "O": "object_",
    "object": "object_",
    "?": "bool",
}  # fmt: skip
"""The dtypes of NumPy by other names."""


def _names_dtype(dtype: Value, text: Value) -> Value | None:
    """Return a text as the dtype of NumPy that it names, None where the other is no dtype."""
    if not isinstance(dtype.data, Library) or not isinstance(text.data, str):
        return None
    if not dtype.data.name.startswith("numpy.") or not text.data:
        return None
    name = text.data.lstrip("<>=|")
    return Value(Library(f"numpy.{SHORT_DTYPES.get(name, name)}"), text.origins)


OF_NO_NUMBERS = {"numpy.object_", "numpy.object", "numpy.category", "numpy.str", "numpy.string"}
"""Dtypes of columns that are none of NumPy's numbers."""


def _same_names(kind: type[ast.cmpop], a: Value, b: Value) -> Value:
    """Return whether two things of libraries are one: by their names, dtypes by their kinds."""
    assert isinstance(a.data, Library) and isinstance(b.data, Library)
    x, y = (DTYPES.get(item.name, item.name) for item in (a.data, b.data))
    if x.startswith("numpy.") != y.startswith("numpy."):
        x, y = OF_PYTHON.get(x, x), OF_PYTHON.get(y, y)
    if x == y:
        return Value(kind is ast.Eq, merged(a, b))
    if x.startswith(LAYERS) and y.startswith(LAYERS) and a.data.short[:1].isupper():
        # Classes of layers, also by the modules that define them.
        is_one = a.data.short == b.data.short
        return Value(is_one is (kind is ast.Eq), merged(a, b))
    is_dtype = [bool(NUMERIC.fullmatch(name)) for name in (x, y)]
    dtypes = all(is_dtype) or (any(is_dtype) and {x, y} & OF_NO_NUMBERS)
    is_other = dtypes and x.partition(".")[0] == y.partition(".")[0]
    is_other = is_other or (x in CLASSES and y in CLASSES)
    return Value(kind is ast.NotEq, merged(a, b)) if is_other else unknown(a, b)


def _decided(kind: type[ast.cmpop], a: Value, b: Value) -> bool | None:
    """Return what a comparison of numbers says whatever they are, by their bounds."""
    low, high = _bounds(a)
    other_low, other_high = _bounds(b)
    if None in (low, high, other_low, other_high):
        return None
    assert low is not None and high is not None and other_low is not None
    assert other_high is not None
    below, above = high < other_low, low > other_high
    if kind is ast.Eq or kind is ast.NotEq:
        return (kind is ast.NotEq) if below or above else None
    if kind is ast.Lt or kind is ast.GtE:
        return (kind is ast.Lt) if below else (kind is ast.GtE) if low >= other_high else None
    if kind is ast.Gt or kind is ast.LtE:
        return (kind is ast.Gt) if above else (kind is ast.LtE) if high <= other_low else None
    return None


def _bounds(value: Value) -> tuple[float | None, float | None]:
    data = value.data
    if isinstance(data, Array):
        return data.lowest, data.highest
    return (data, data) if isinstance(data, (int, float)) else (None, None)


def _identity(kind: type[ast.cmpop], a: Value, b: Value) -> Value:
    if a.data is UNKNOWN or b.data is UNKNOWN:
        return unknown(a, b)
    if isinstance(a.data, Library) and isinstance(b.data, Library):
        return _same_names(ast.Eq if kind is ast.Is else ast.NotEq, a, b)
    is_same = a.data is b.data
    return Value(is_same if kind is ast.Is else not is_same, merged(a, b))


def _membership(kind: type[ast.cmpop], a: Value, b: Value) -> Value:
    try:
        inside: bool
        if isinstance(b.data, dict):
            wanted = key_of(a)
            inside = wanted in b.data
            if not inside and (isinstance(wanted, ObjectKey) or rest_of(b.data) is not None):
                return unknown(a, b)
        elif isinstance(b.data, (set, str)):
            inside = plain(a) in b.data
        elif isinstance(b.data, cells.Series) and b.data.cells is not None:
            labels = b.data.labels
            inside = plain(a) in (b.data.cells if labels is None else labels)
        elif isinstance(b.data, Table):
            inside = plain(a) in b.data.columns
        elif isinstance(a.data, Library) and isinstance(b.data, (list, tuple)):
            answers = [_identity(ast.Is, a, item).data for item in b.data]
            if True not in answers and UNKNOWN in answers:
                return unknown(a, b)
            inside = True in answers
        else:
            inside = plain(a) in plain(b)
    except (NotPlain, TypeError):
        return unknown(a, b)
    return Value(inside if kind is ast.In else not inside, merged(a, b))


class Window(tuple[Value | None, ...]):
    """The bounds of a slice of which only the length is known, as long as it does not end early."""

    distance: Value

    def __new__(cls, bounds: Sequence[Value | None], count: Value) -> Window:
        """Return bounds with their distance."""
        made = super().__new__(cls, bounds)
        made.distance = count
        return made


def indexed(
    base: Value, parts: Sequence[Value], slices: Sequence[tuple[Value | None, ...] | None]
) -> Value:
    """Return ``base[parts]``; ``slices`` hold (start, stop, step) where a part is a slice."""
    data = base.data
    if isinstance(data, Array):
        return _array_part(base, data, parts, slices)
    if isinstance(data, Table):
        return _table_part(base, data, parts[0])
    if len(parts) == 1 and slices[0] is not None:
        return _sequence_slice(base, slices[0])
    key = parts[0] if len(parts) == 1 else Value(tuple(parts), merged(*parts))
    if isinstance(data, dict):
        try:
            wanted = key_of(key)
            if wanted in data or hasattr(type(data), "__missing__"):
                part = data[wanted]
                arrays.note_look_up(part)
                return with_places(part, looked_up(part, key))
        except (NotPlain, TypeError):
            return _one_of_values(base, key)
        rest = rest_of(data)
        if rest is not None:
            return Value(rest.data, merged(rest, key))
        if isinstance(wanted, ObjectKey):
            # Its class may say which objects are equal.
            return unknown(base, key)
        inner = [value.data for value in data.values()]
        if inner and all(isinstance(part, dict) and wanted in part for part in inner):
            # The key is right, and stands one level deeper.
            key = Value(key.data)
        raised = Raised("key", f"{wanted!r}", key, base)
        raised.available = {
            name: item.origins for name, item in data.items() if isinstance(name, str)
        }
        raise raised
    if isinstance(data, (list, tuple, str)):
        number = key.data
        if isinstance(number, str):
            raise Raised("type", "indices must be integers", key, base)
        if not isinstance(number, int):
            if isinstance(number, float) or number is None:
                raise Raised("type", "indices must be integers", key, base)
            if isinstance(number, Array) and number.library == "numpy" and number.shape:
                # Only an array without axes is an index (``numpy.ndarray.__index__``).
                message = "only integer scalar arrays can be converted to a scalar index"
                raise Raised("type", message, Value(UNKNOWN, key.origins))
            return _one_of(base, key)
        if not -len(data) <= number < len(data):
            raise Raised("index", "index out of range", key, base)
        part = data[number]
        return Value(part, merged(base, key)) if isinstance(data, str) else part  # type: ignore[return-value]
    if isinstance(data, Lazy) and not isinstance(key.data, (str, tuple)):
        if data.others:
            return unknown(data.item, *data.others, key)
        return Value(data.item.data, merged(data.item, key))
    if data is None:
        raise Raised("none", "'NoneType' object is not subscriptable", base)
    if isinstance(data, (int, float, bool)):
        raise Raised("type", f"'{type(data).__name__}' object is not subscriptable", base)
    return unknown(base, *parts)


INDICES = ("int64", "int32", "uint8", "int16", "int8")


def _one_of(base: Value, key: Value) -> Value:
    items = base.data
    # A tensor of one whole number is an index as well.
    is_index = isinstance(key.data, Array) and key.data.shape == () and key.data.dtype in INDICES
    if (
        (key.data is not UNKNOWN and not arrays.is_number(key) and not is_index)
        or not isinstance(items, (list, tuple))
        or not items
    ):
        return unknown(base, key)
    return typical(items)


def _one_of_values(base: Value, key: Value) -> Value:
    """Return what a dictionary may hold for a key that is not known.

    Raises `Raised` where no key can be equal: a tensor is no key but of itself, and a number no
    text.
    """
    data = base.data
    assert isinstance(data, dict)
    rest = rest_of(data)
    held = [*data.values(), *([] if rest is None else [rest])][:MAX_ITEMS]
    is_tensor = isinstance(key.data, Array) and key.data.library == "torch"
    is_number = arrays.is_number(key) or (
        isinstance(key.data, Array) and key.data.library == "numpy" and key.data.shape == ()
    )
    if held and rest is None and not hasattr(type(data), "__missing__"):
        is_plain = all(isinstance(k, (str, int, float)) for k in data)
        is_of_texts = all(isinstance(k, str) for k in data)
        if (is_tensor and is_plain) or (is_number and is_of_texts):
            raise Raised("key", "tensor" if is_tensor else "number", key, base)
    if not held or (key.data is not UNKNOWN and not is_number):
        return unknown(base, key)
    if all(arrays.is_number(v) or type(v.data) is int for v in held):
        return _some_of(held, base, key)
    if len(held) == 1:
        return Value(held[0].data, merged(held[0], key))
    first = held[0].data
    dicts = [v.data for v in held if isinstance(v.data, dict) and rest_of(v.data) is None]
    same = len(dicts) == len(held) and all(inner.keys() == dicts[0].keys() for inner in dicts)
    if isinstance(first, dict) and first and same:
        return Value({k: _some_of([d[k] for d in dicts], key) for k in first}, merged(base, key))
    common = alike(held)
    return Value(common.data, merged(common, key))


def _some_of(held: Sequence[Value], *parts: Value) -> Value:
    """Return what may be any of some values: of whole numbers one between the outermost two."""
    if not all(arrays.is_number(v) or type(v.data) is int for v in held):
        common = alike(held)
        return Value(common.data, merged(common, *parts))
    bounds = [arrays.bounds_of(v) for v in held]
    lows = [low for low, _ in bounds if low is not None]
    highs = [high for _, high in bounds if high is not None]
    low = min(lows) if len(lows) == len(held) else None
    high = max(highs) if len(highs) == len(held) else None
    shown = [*held[:4], *held[-1:]]
    return arrays.number("int64", *parts, *shown, lowest=low, highest=high)


def alike(values: Sequence[Value], depth: int = _ALIKE_DEEPEST) -> Value:
    """Return what all values have in common: an equal part stays, another is unknown."""
    if not values:
        return Value(UNKNOWN)
    made = _made_alike(values, alike, depth)
    if made is not None:
        return made
    first, origins = values[0], merged(*values[:MAX_ITEMS])
    kinds = {type(v.data) for v in values}
    if len(kinds) != 1 or not depth:
        return Value(UNKNOWN, origins)
    if all(v.data is first.data for v in values):
        return Value(first.data, origins)
    if isinstance(first.data, Array):
        return Value(_arrays_alike([v.data for v in values if isinstance(v.data, Array)]), origins)
    if isinstance(first.data, (list, tuple)):
        parts = [v.data for v in values if isinstance(v.data, (list, tuple))]
        if len({len(p) for p in parts}) == 1:
            items = [alike(column, depth - 1) for column in zip(*parts, strict=True)]
            return Value(type(first.data)(items), origins)
    elif isinstance(first.data, dict):
        dicts = [v.data for v in values if isinstance(v.data, dict)]
        if all(d.keys() == first.data.keys() for d in dicts):
            keys = first.data
            return Value({k: alike([d[k] for d in dicts], depth - 1) for k in keys}, origins)
    elif isinstance(first.data, PLAIN) and all(v.data == first.data for v in values):
        return Value(first.data, origins)
    return Value(UNKNOWN, origins)


def typical(values: Sequence[Value], depth: int = _ALIKE_DEEPEST) -> Value:
    """Return what stands for some values and for more of their kind, which are not known.

    It is what they have `alike`; of whole numbers a number, of lists of unlike lengths a list of
    items that are typical.
    """
    made = _made_alike(values, typical, depth)
    if made is not None:
        return made
    kinds = {type(v.data) for v in values}
    numbers = [v for v in values if type(v.data) in (int, float) or arrays.is_number(v)]
    if len(numbers) == len(values) and len({v.data for v in values}) > 1:
        dtypes = {v.data.dtype if isinstance(v.data, Array) else type(v.data) for v in values}
        if dtypes & {float, "float64", "float32"}:
            return arrays.number("float64", *values[:4], *values[-1:])
        lows = [arrays.bounds_of(v)[0] for v in values]
        known = [low for low in lows if low is not None]
        low = min(known) if len(known) == len(lows) else None
        return arrays.number("int64", *values[:4], *values[-1:], lowest=low)
    if depth and kinds == {list, Lazy}:
        return _typical_sequence(values, depth)
    if depth and len(kinds) == 1 and len(values) > 1:
        origins = merged(*values[:4], *values[-1:])
        tuples = [v.data for v in values if isinstance(v.data, tuple)]
        if len(tuples) == len(values) and len({len(items) for items in tuples}) == 1:
            columns = zip(*tuples, strict=True)
            return Value(tuple(typical(column, depth - 1) for column in columns), origins)
        lists = [v.data for v in values if isinstance(v.data, list)]
        if lists and len(lists) == len(values):
            if len({len(items) for items in lists}) == 1:
                columns = zip(*lists, strict=True)
                return Value([typical(column, depth - 1) for column in columns], origins)
            items = [item for held in lists for item in held][:MAX_ITEMS]
            return Value(Lazy(typical(items, depth - 1), Value(UNKNOWN, origins)), origins)
    return alike(values, depth)


def _made_alike(
    values: Sequence[Value], join: Callable[[Sequence[Value], int], Value], depth: int
) -> Value | None:
    """Return a text that stands for texts made alike, None of others; their parts are joined."""
    if not isinstance(values[0], MadeText) and not isinstance(values[0].data, str):
        return None
    first = values[0].data
    text = first if all(v.data == first for v in values) else UNKNOWN
    rows = [v for v in values if isinstance(v, RowText)]
    if rows and len(rows) == len(values) and len({(len(r.cells), r.separator) for r in rows}) == 1:
        cells = zip(*(row.cells for row in rows), strict=True)
        return RowText(tuple(join(cell, depth - 1) for cell in cells), rows[0].separator, text)
    documents = [v.document for v in values if isinstance(v, JsonText)]
    if documents and len(documents) == len(values):
        return JsonText(join(documents, depth), text)
    if all(isinstance(v, Word) or _is_word(v.data) for v in values):
        return None if text is not UNKNOWN else Word(UNKNOWN, merged(*values[:MAX_ITEMS]))
    numbers = [v.of for v in values if isinstance(v, NumberText)]
    return NumberText(join(numbers, depth)) if numbers and len(numbers) == len(values) else None


def _is_word(data: object) -> bool:
    """Whether a text stands for no number, whatever reads it."""
    return isinstance(data, str) and data.strip()[:1].isalpha() and data not in NUMBERS


NUMBERS = frozenset(("nan", "NaN", "NA", "null", "NULL", "None", "N/A", "n/a", "inf", "Infinity"))
"""Words that readers of tables take for missing cells or for numbers (pandas, ``read_csv``)."""


def hull(values: Sequence[Value], depth: int = _ALIKE_DEEPEST) -> Value:
    """Return what stands for some values and for no others.

    It is what they have `alike`; of whole numbers one between the least and the greatest of them.
    """
    if len(values) == 1:
        return values[0]
    made = _made_alike(values, hull, depth)
    if made is not None:
        return made
    origins = merged(*values[:MAX_ITEMS])
    bounds = [arrays.bounds_of(v) for v in values]
    whole = [type(v.data) is int or _is_whole(v) for v in values]
    if all(whole) and len({v.data for v in values if type(v.data) is int}) != 1:
        lows = [low for low, _ in bounds if low is not None]
        highs = [high for _, high in bounds if high is not None]
        low = min(lows) if len(lows) == len(bounds) else None
        high = max(highs) if len(highs) == len(bounds) else None
        return arrays.number("int64", Value(None, origins), lowest=low, highest=high)
    dicts = [v.data for v in values if isinstance(v.data, dict)]
    if depth and len(dicts) == len(values) and all(d.keys() == dicts[0].keys() for d in dicts):
        return Value({k: hull([d[k] for d in dicts], depth - 1) for k in dicts[0]}, origins)
    lists = [v.data for v in values if isinstance(v.data, (list, tuple))]
    kinds = {(type(items), len(items)) for items in lists}
    if depth and len(lists) == len(values) and len(kinds) == 1:
        columns = [hull(column, depth - 1) for column in zip(*lists, strict=True)]
        return Value(tuple(columns) if isinstance(lists[0], tuple) else columns, origins)
    numeric = [v for v in values if type(v.data) in (int, float) or arrays.is_number(v)]
    return typical(values, depth) if len(numeric) == len(values) else alike(values, depth)


def _is_whole(value: Value) -> bool:
    return isinstance(value.data, Array) and arrays.is_number(value) and value.data.dtype == "int64"


MOST_PARTS = 200


def put_into(outline: Lazy, *added: Value) -> Lazy:
    """Return an outlined list to which items were added, each of which may stand for some."""
    parts = (*(outline.parts or (outline.item,)), *added)
    lead, rest = parts[: outline.lead], parts[outline.lead :]
    if len(rest) > MOST_PARTS:
        parts = (*lead, hull(rest))
    length = Value(UNKNOWN, merged(outline.length))
    return Lazy(hull(rest), length, outline.others, parts=parts, lead=outline.lead)


def _typical_sequence(values: Sequence[Value], depth: int) -> Value:
    """Return what stands for lists of which the items of some are outlined."""
    origins = merged(*values[:4], *values[-1:])
    items: list[Value] = []
    lengths: list[Value] = []
    for value in values:
        if isinstance(value.data, Lazy):
            items.append(value.data.item)
            lengths.append(value.data.length)
        elif isinstance(value.data, list):
            items.extend(value.data[: MAX_ITEMS // len(values)])
            lengths.append(Value(len(value.data), value.origins))
    item = typical(items, depth - 1) if len(items) > 1 else alike(items)
    return Value(Lazy(item, alike(lengths)), origins)


def _arrays_alike(parts: Sequence[Array]) -> Array:
    """Return an array with the sizes and dtype that all of some arrays have."""
    first = parts[0]
    shape = first.shape
    for other in parts[1:]:
        if shape is None or other.shape is None or len(other.shape) != len(shape):
            shape = None
            break
        pairs = zip(shape, other.shape, strict=True)
        shape = tuple(x if x.data == y.data else Value(UNKNOWN, merged(x, y)) for x, y in pairs)
    dtype = first.dtype if len({a.dtype for a in parts}) == 1 else None
    return Array(shape, dtype, first.library, first.device, *span(parts))


def span(parts: Sequence[Array]) -> tuple[int | None, int | None]:
    """Return the bounds of the whole numbers of some arrays, None where one has none."""
    lows, highs = [a.lowest for a in parts], [a.highest for a in parts]
    low = None if None in lows else min(n for n in lows if n is not None)
    high = None if None in highs else max(n for n in highs if n is not None)
    return low, high


def representative(items: Sequence[Value]) -> Value:
    """Return an item that stands for all: the longest or highest, which is the likeliest to fail.

    It is unknown where the items are of several types.
    """
    kinds = {type(item.data) for item in items}
    if len(kinds) != 1:
        return unknown(*items[:24])
    measures = [_measure(item.data) for item in items]
    return items[measures.index(max(measures))]


def _measure(data: object) -> float:
    if isinstance(data, (str, list, tuple)):
        return float(len(data))
    return float(data) if isinstance(data, (int, float)) and abs(data) < MAX_MEASURED else 0.0


MAX_MEASURED = 1 << 62


def _sequence_slice(base: Value, bounds: tuple[Value | None, ...]) -> Value:
    data = base.data
    if isinstance(bounds, Window) and isinstance(data, (list, tuple, Lazy)):
        item = data.item if isinstance(data, Lazy) else representative(data)
        return Value(Lazy(item, bounds.distance), merged(base, bounds.distance))
    if isinstance(data, Lazy) and data.others:
        return Value(Lazy(data.item, Value(UNKNOWN), data.others), base.origins)
    numbers = []
    for bound in bounds:
        number = None if bound is None or bound.data is None else arrays.size(bound)
        if bound is not None and bound.data is not None and number is None:
            return _some_part(base, *(b for b in bounds if b is not None))
        numbers.append(number)
    if isinstance(data, (list, tuple, str, bytes)) and numbers[2] != 0:
        given = [b for b in bounds if b is not None]
        return Value(data[slice(*numbers)], merged(base, *given))
    if data is None:
        raise Raised("none", "'NoneType' object is not subscriptable", base)
    if isinstance(data, Lazy) and numbers[2] != 0:
        given = [b for b in bounds if b is not None]
        whole = arrays.size(data.length)
        if whole is None:
            return _some_part(base, *given, most=_most_of(*numbers))
        count = len(range(*slice(*numbers).indices(whole)))
        return Value(Lazy(data.item, Value(count, merged(data.length, *given))), merged(base))
    return unknown(base)


def _most_of(start: int | None, stop: int | None, step: int | None) -> int | None:
    """Return how many items a slice has at most, None where it may have any number."""
    if step not in (None, 1):
        return None
    if stop is None and start is not None and start < 0:
        return -start
    if stop is not None and stop >= 0 and (start or 0) >= 0:
        return max(stop - (start or 0), 0)
    return None


def _some_part(base: Value, *bounds: Value, most: int | None = None) -> Value:
    """Return a part of a sequence of which nobody knows how long it is, unknown of others.

    ``most`` are the items that it has at most, None where that is not known.
    """
    data = base.data
    if isinstance(data, list) and data:
        item = representative(data)
    elif isinstance(data, Lazy):
        item = data.item
    else:
        return unknown(base, *bounds)
    origins = merged(base, *bounds)
    length = Value(UNKNOWN, origins) if most is None else AtMost(most, origins)
    return Value(Lazy(item, length), origins)


def _table_part(base: Value, table: Table, key: Value) -> Value:
    data = key.data
    if isinstance(data, (str, int)):
        if data not in table.columns:
            if table.has_level(data):
                return unknown(base, key)
            raise Raised("key", f"{data!r}", key, base)
        origins = table.origins_of.get(data, base.origins)
        column = Array((table.rows,), table.columns[data], "numpy")
        return Value(column, origins | key.origins)
    if isinstance(data, list):
        try:
            names = plain(key)
        except NotPlain:
            return unknown(base, key)
        for name, item in zip(names, data, strict=True):
            if name not in table.columns:
                raise Raised("key", f"{name!r}", item, base)
        columns = {name: table.columns[name] for name in names}
        return Value(Table(columns, table.rows, dict(table.origins_of)), merged(base, key))
    if isinstance(data, Array) and data.dtype == "bool":
        rows = Value(UNKNOWN, merged(table.rows, key))
        return Value(Table(dict(table.columns), rows, dict(table.origins_of)), merged(base, key))
    return unknown(base, key)


FEW_COLUMNS = 4
"""Items of an axis up to which they are taken for columns, each with numbers of its own."""


def _array_part(
    base: Value,
    data: Array,
    parts: Sequence[Value],
    slices: Sequence[tuple[Value | None, ...] | None],
) -> Value:
    """Return part of an array (NumPy, "Indexing on ndarrays"; PyTorch's tensors are alike)."""
    is_nested = data.library == "torch" and _is_nested_list(parts)
    parts, slices = _index_of(parts, slices)
    _check_names(base, data, parts)
    # Releases of PyTorch differ in whether lists within a list are an index for each axis.
    if data.shape is None or is_nested:
        return arrays.made(data, None, base, *parts)
    if data.library == "scipy" and any(s is None for s in slices):
        return _part_of_matrix(base, data, parts, slices)
    plain_parts = [p for p, s in zip(parts, slices, strict=True) if s is None]
    taken = sum(_axes_taken(p) if s is None else 1 for p, s in zip(parts, slices, strict=True))
    if taken > len(data.shape):
        # That one number has no axes was decided where an array was made of it, not by the number.
        made = frozenset((file, -line) for file, line in base.origins if line < 0)
        axes = Value(len(data.shape), made if made and not data.shape else base.origins)
        raise Raised("index", "too many indices for array", Value(taken, merged(*parts)), axes)
    shape: list[Value] = []
    together: list[tuple[Value, ...]] = []
    """The shapes of the index arrays."""
    at: list[int] = []
    """Where the index arrays and the numbers stand among the parts."""
    before = 0
    axis = 0
    for place, (part, bounds) in enumerate(zip(parts, slices, strict=True)):
        if bounds is not None:
            shape.append(_sliced(data.shape[axis], bounds))
            axis += 1
        elif part.data is None:
            shape.append(Value(1, part.origins))
        elif part.data is Ellipsis:
            count = len(data.shape) - taken
            shape.extend(data.shape[axis : axis + count])
            axis += count
        elif part.data is UNKNOWN or _has_open_rank(part):
            return arrays.made(data, None, base, *plain_parts)
        else:
            chosen = _chosen(data, part, axis)
            if chosen is not None and not at:
                before = len(shape)
            if chosen is not None:
                at.append(place)
                together.append(chosen)
            axis += _axes_taken(part)
    if at:
        joint = reduce(arrays.broadcast, together, tuple[Value, ...]())
        front = _front(parts, slices, at, before, first=data.library == "torch")
        shape[front:front] = joint
    rest = data.shape[axis:]
    dropped = [p for p in plain_parts if isinstance(p.data, int)]
    if dropped:
        # What stands behind an axis that an index drops is another axis than before.
        rest = tuple(Value(dim.data, merged(dim, *dropped)) for dim in rest)
    result = arrays.made(data, [*shape, *rest], base, *plain_parts)
    if arrays.may_be_no_number(result.data):
        return unknown(base, *plain_parts)
    if isinstance(result.data, Array) and not _is_column(data, parts, slices):
        result.data.lowest, result.data.highest = data.lowest, data.highest
    return result


def _is_column(
    data: Array, parts: Sequence[Value], slices: Sequence[tuple[Value | None, ...] | None]
) -> bool:
    """Whether some of several columns are taken: their numbers may be of another kind than others.

    An axis of few items is taken for one of columns, and a number for one column of the last axis,
    or of the first one where the last was moved there.
    """
    if data.shape is None or len(parts) > len(data.shape):
        return False
    if data.columns_first and isinstance(parts[0].data, int):
        return True
    if any(part.data is Ellipsis for part in parts):
        return isinstance(parts[-1].data, int) and data.shape[-1].data != 1
    for at, (part, bounds) in enumerate(zip(parts, slices, strict=True)):
        count = data.shape[at].data
        if (part.data is None and bounds is None) or isinstance(part.data, Array):
            return False
        # Of rows that an array has for its columns one mostly holds what the failure says.
        is_few = isinstance(count, int) and 1 < count <= FEW_COLUMNS and at == len(data.shape) - 1
        is_part = bounds is None or any(b is not None and b.data is not None for b in bounds)
        if is_part and is_few:
            return True
    is_last = len(parts) == len(data.shape) > 1 and slices[-1] is None
    return is_last and isinstance(parts[-1].data, int) and data.shape[-1].data != 1


def _index_of(
    parts: Sequence[Value], slices: Sequence[tuple[Value | None, ...] | None]
) -> tuple[Sequence[Value], Sequence[tuple[Value | None, ...] | None]]:
    """Return the parts of an index one by one where they stand in a tuple, lists as arrays."""
    if len(parts) == 1 and isinstance(parts[0].data, tuple):
        parts = parts[0].data
        slices = [bounds_of_slice(part) for part in parts]
        parts = [p if s is None else Value(None) for p, s in zip(parts, slices, strict=True)]
    return [_as_indices(part) for part in parts], slices


def bounds_of_slice(part: Value) -> tuple[Value | None, ...] | None:
    """Return start, stop and step of an object of ``builtins.slice``, None of what is none."""
    data = part.data
    if not isinstance(data, LibraryObject) or data.name != "builtins.slice":
        return None
    return tuple(None if bound.data is None else bound for bound in data.args)


def _is_nested_list(parts: Sequence[Value]) -> bool:
    """Whether an index is one list of lists."""
    return len(parts) == 1 and isinstance(parts[0].data, list) and len(_nested_sizes(parts[0])) > 1


def _nested_sizes(part: Value) -> tuple[Value, ...]:
    """Return the lengths of nested lists of whole numbers; one length where they are others."""
    items = part.data
    assert isinstance(items, (list, tuple))
    length = Value(len(items), part.origins)
    if not items or not all(isinstance(item.data, (list, tuple)) for item in items):
        return (length,)
    inner = [_nested_sizes(item) for item in items]
    alike_sizes = {tuple(size.data for size in sizes) for sizes in inner}
    whole = all(
        type(leaf.data) is int
        for item in items
        for leaf in item.data
        if not isinstance(leaf.data, (list, tuple))
    )
    return (length, *inner[0]) if len(alike_sizes) == 1 and whole else (length,)


def _as_indices(part: Value) -> Value:
    """Return an outlined list, or one of lists, as the array that it is as an index.

    A tuple within a tuple is a list of positions (NumPy, "Indexing on ndarrays").
    """
    if isinstance(part.data, (list, tuple)):
        sizes = _nested_sizes(part)
        if len(sizes) > 1:
            return Value(Array(sizes, "int64"), part.origins)
        return Value(list(part.data), part.origins)
    if not isinstance(part.data, Lazy):
        return part
    item = part.data.item
    is_flag = isinstance(item.data, bool) or getattr(item.data, "dtype", "") == "bool"
    if not is_flag and type(item.data) is not int and not arrays.is_number(item):
        return unknown(part)
    low, high = (None, None) if is_flag else arrays.bounds_of(item)
    dtype = "bool" if is_flag else "int64"
    indices = Array((part.data.length,), dtype, "numpy", None, low, high)
    return Value(indices, merged(part, item))


def _part_of_matrix(
    base: Value,
    data: Array,
    parts: Sequence[Value],
    slices: Sequence[tuple[Value | None, ...] | None],
) -> Value:
    """Return part of a sparse matrix: a number of two indices, else two axes remain."""
    numbers = [isinstance(p.data, int) for p, s in zip(parts, slices, strict=True) if s is None]
    if numbers == [True, True]:
        return arrays.made(replace(data, library="numpy"), (), base, *parts)
    shape = list(data.shape or ())
    for at, (part, bounds) in enumerate(zip(parts, slices, strict=True)):
        if at < len(shape) and bounds is not None:
            shape[at] = _sliced(shape[at], bounds)
        elif at < len(shape):
            number = isinstance(part.data, int) and not isinstance(part.data, bool)
            shape[at] = Value(1, part.origins) if number else unknown(part)
    return arrays.made(data, shape, base, *parts)


def check_stored(part: Value, value: Value) -> None:
    """Raise where a value cannot be put into a part of an array: its axes do not fit the part's.

    Axes of one item are repeated (NumPy, "Assigning values to indexed arrays"; PyTorch, ``copy_``).
    """
    into, given = arrays.array(part), arrays.array(value)
    if given is None and into is not None and into.library == "numpy" and len(into.shape or ()):
        items = _outline(value)
        given = None if items is None else arrays.array(items)
    if into is None or given is None or into.shape is None or given.shape is None:
        return
    given_shape = list(given.shape)
    while len(given_shape) > len(into.shape) and given_shape[0].data == 1:
        del given_shape[0]
    if len(given_shape) > len(into.shape):
        message = "could not broadcast input array into shape"
        raise Raised("size", message, Value(value.data, value.origins), part)
    message = "a value does not have the shape of the part that it is assigned to"
    for own, dim in zip(reversed(given_shape), reversed(into.shape), strict=False):
        if own.data != 1:
            arrays.same(own, dim, message)


def note_stored(base: Value, data: Array, value: Value) -> None:
    """Let an array hold what is put into a part of it: its bounds and where that comes from.

    Of floats the cells are seldom what fails: their array's shape and dtype are as before.
    """
    low, high = arrays.bounds_of(value)
    data.attained = False
    bounds = (low, data.lowest, high, data.highest)
    if any(bound is None for bound in bounds):
        data.lowest = data.highest = None
    else:
        lows, highs = (low, data.lowest), (high, data.highest)
        data.lowest = min(n for n in lows if n is not None)
        data.highest = max(n for n in highs if n is not None)
    if data.dtype is not None and "int" in data.dtype:
        base.origins = merged(base, value)


def _front(
    parts: Sequence[Value],
    slices: Sequence[tuple[Value | None, ...] | None],
    at: Sequence[int],
    before: int,
    *,
    first: bool = False,
) -> int:
    """Return where the axes that index arrays select stand among the others.

    They stand where the first of them does if all stand side by side, numbers included, else first.
    With ``first``, numbers have taken their axes before, as in PyTorch.
    """
    numbers = [i for i, part in enumerate(parts) if isinstance(part.data, int)]
    if first:
        rest = [i for i in range(len(parts)) if i not in numbers]
        places = [rest.index(i) for i in at]
        return before if places == list(range(places[0], places[-1] + 1)) else 0
    places = sorted({*at, *numbers})
    if places != list(range(places[0], places[-1] + 1)):
        return 0
    if places[0] == at[0]:
        return before
    pairs = list(zip(parts, slices, strict=True))[: places[0]]
    return sum(bounds is not None or part.data is None for part, bounds in pairs)


def _has_open_rank(part: Value) -> bool:
    """Whether an index is an array of which not even the number of axes is known."""
    inner = arrays.array(part)
    return inner is not None and inner.shape is None


def _axes_taken(part: Value) -> int:
    """Return how many axes a part of an index selects from."""
    if part.data is None or part.data is Ellipsis:
        return 0
    inner = arrays.array(part)
    if inner is not None and inner.dtype == "bool" and inner.shape is not None:
        return max(len(inner.shape), 1)
    return 1


def _chosen(data: Array, part: Value, axis: int) -> tuple[Value, ...] | None:
    """Return the shape of what a number, a list or an array selects; None of a number.

    Raises where an index is beyond its axis, or a mask is not as long.
    """
    assert data.shape is not None
    dim = data.shape[axis]
    inner = arrays.array(part)
    number, limit = arrays.size(part), arrays.size(dim)
    if arrays.is_number(part):
        number = arrays.bounds_of(part)[0]
        # Its greatest value need not be taken.
        number, inner = (number if number is not None and number >= 0 else None), None
    outside = number is not None and limit is not None and not -limit <= number < limit
    # An index beyond the end is clamped there (JAX, "Sharp Bits").
    if outside and data.library != "jax":
        raise Raised("index", "index is out of bounds", part, dim)
    if inner is not None and inner.dtype == "bool":
        for mask, mine in zip(inner.shape or (), data.shape[axis:], strict=False):
            arrays.same(mask, mine, "boolean index did not match indexed array")
        return (Value(UNKNOWN, merged(part, dim)),)
    if inner is not None:
        if data.library != "jax":
            _check_range(part, inner, dim)
        if inner.dtype is not None and "float" in inner.dtype and arrays.is_failing():
            gaps = getattr(inner, "gaps", None)
            side = Value(part.data, gaps) if gaps else part
            raise Raised("index", "arrays used as indices must be of integer type", side)
        return inner.shape
    if isinstance(part.data, list):
        if all(isinstance(item.data, bool) for item in part.data) and part.data:
            length = Value(len(part.data), part.origins)
            arrays.same(length, dim, "boolean index did not match indexed array")
            count = sum(item.data is True for item in part.data)
            return (Value(count, part.origins),)
        for item in part.data:
            index = arrays.size(item)
            if index is not None and limit is not None and not -limit <= index < limit:
                raise Raised("index", "index is out of bounds", item, dim)
        return (Value(len(part.data), part.origins),)
    if isinstance(part.data, float) and arrays.is_failing():
        raise Raised("index", NOT_AN_INDEX, part)
    return None


NOT_AN_INDEX = "only integers and slices are valid indices"


def _check_names(base: Value, data: Array, parts: Sequence[Value]) -> None:
    """Raise where an array is asked for a name, as a table that has columns is."""
    names = [part for part in parts if isinstance(part.data, str)]
    if names and arrays.is_failing():
        kind = "type" if data.library == "torch" else "index"
        raise Raised(kind, NOT_AN_INDEX, names[0], unknown(base, *(data.shape or ())))


def _check_range(part: Value, inner: Array, dim: Value) -> None:
    limit = arrays.size(dim)
    if limit is None:
        return
    if inner.highest is not None and inner.highest >= limit:
        most = arrays.elements_of(part, inner.highest)
        raise Raised("index", "index is out of bounds", most, dim)
    if inner.highest is None and part.origins and arrays.is_beyond(dim):
        raise Raised("index", "index is out of bounds", arrays.elements_of(part), dim)


def _sliced(dim: Value, bounds: tuple[Value | None, ...]) -> Value:
    given = [b for b in bounds if b is not None]
    if isinstance(bounds, Window):
        longest, count = arrays.size(dim), arrays.size(bounds.distance)
        fits = longest is None or count is None or count <= longest
        return Value(bounds.distance.data, merged(dim, *given)) if fits else unknown(dim, *given)
    numbers = [None if b is None or b.data is None else arrays.size(b) for b in bounds]
    for bound, number in zip(bounds, numbers, strict=True):
        if bound is not None and bound.data is not None and number is None:
            return unknown(dim, *given)
    length = arrays.size(dim)
    if all(n is None for n in numbers):
        return dim
    if length is None or length < 0 or numbers[2] == 0:
        # A size below zero is one that no model has refused.
        most = _most_of(*numbers) if length is None else None
        if most is None:
            return unknown(dim, *given)
        return AtMost(most, merged(dim, *given), merged(*given))
    left = len(range(*slice(*numbers).indices(length)))
    if length and not left:
        arrays.note_nothing_left(length, given)
    return Value(left, merged(dim, *given))

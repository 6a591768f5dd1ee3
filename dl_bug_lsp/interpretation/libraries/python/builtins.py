"""Python's builtins and the methods of its plain types."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cmp_to_key
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.interpretation import arrays, operators
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import (
    MAX_ITEMS,
    MAX_TEXT,
    PLAIN,
    NotPlain,
    ObjectKey,
    binary,
    key_of,
    lifted,
    plain,
    truth,
    type_name,
    value_of,
)
from dl_bug_lsp.interpretation.values import (
    ATTRIBUTE_DICTS,
    NOWHERE,
    UNKNOWN,
    Array,
    BoundMethod,
    ClassValue,
    FunctionValue,
    Instance,
    Keys,
    Lazy,
    Library,
    LibraryObject,
    ModuleValue,
    NumberText,
    OneShot,
    OpenDict,
    Origin,
    Raised,
    Table,
    Value,
    merged,
    rest_of,
    unknown,
    with_places,
)
from dl_bug_lsp.provenance.folding import brace

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

NAMES = frozenset(dir(builtins))


def is_builtin(name: str) -> bool:
    """Whether a name is one of Python's builtins."""
    return name in NAMES or name in ("display", "get_ipython")


MODULES_OF_LAYERS = (
    (r"(?:Lazy|Bi)?[Ll]inear$|Identity$", "linear"),
    (r"(?:Lazy)?Conv", "conv"),
    (r"(?:Lazy)?BatchNorm|SyncBatchNorm", "batchnorm"),
    (r"(?:Lazy)?InstanceNorm", "instancenorm"),
    (r"(?:Layer|Group|RMS|LocalResponse)Norm|CrossMapLRN2d", "normalization"),
    (r"Embedding", "sparse"),
    (r"RNN|LSTM|GRU", "rnn"),
    (r"\w*Dropout", "dropout"),
    (r"(?:Sequential|Module(?:List|Dict)|Parameter(?:List|Dict))$", "container"),
    (r"\w*Pool|MaxUnpool", "pooling"),
    (
        r"(?!Adaptive)(?:\w*(?:ReLU|ELU|Sigmoid|SiLU|shrink|Softm(?:ax|in))|Tanh|Softplus|Mish)",
        "activation",
    ),
    (r"MultiheadAttention$", "activation"),
    (r"Transformer", "transformer"),
    (r"\w*Loss", "loss"),
)
"""Where PyTorch defines its layers: a pattern of their names and the module."""


def text_of(value: Value) -> str | None:
    """Return ``str(value)`` where it is known."""
    data = value.data
    if isinstance(data, LibraryObject) and "path" in data.state:
        return text_of(data.state["path"])
    if isinstance(data, Library) and data.name.startswith("torch.nn."):
        module = next((m for part, m in MODULES_OF_LAYERS if re.match(part, data.short)), None)
        return None if module is None else f"<class 'torch.nn.modules.{module}.{data.short}'>"
    try:
        return str(plain(value))
    except NotPlain:
        return None


def _first(call: Call) -> Value:
    return call.args[0] if call.args else Value(None)


@MODELS.function("builtins.len")
def _len(interpreter: Interpreter, call: Call) -> Value:
    value = _first(call)
    data = value.data
    if isinstance(data, (set, dict)):
        made = Value(len(data), _made_of(value) | {call.place})
        return made if rest_of(data) is None else arrays.number("int64", made, lowest=len(data))
    if isinstance(data, (str, bytes, list, tuple)):
        return Value(len(data), _made_of(value))
    if isinstance(data, Array):
        first = arrays.first_of(data)
        if first is not None and not isinstance(first.data, int):
            return arrays.count_of(first)
        if data.library == "scipy":
            refusal = "sparse array length is ambiguous; use getnnz() or shape[0]"
            raise Raised("type", refusal, Value(UNKNOWN, value.origins))
        if first is not None:
            return first
        if data.shape == ():
            raise Raised("type", "len() of a 0-d tensor", value)
    if isinstance(data, Table):
        return Value(data.rows.data, data.rows.origins | {call.place})
    if isinstance(data, ClassValue) and interpreter.is_enumeration(value):
        return Value(len(interpreter.iterate(value)), value.origins)  # type: ignore[arg-type]
    if isinstance(data, Lazy):
        known = isinstance(data.length.data, int)
        return data.length if known else arrays.count_of(data.length, value)
    held = interpreter.held_in(value)
    if held is not None and interpreter.method_of(value, "__len__") is None:
        return Value(len(held.data), value.origins) if isinstance(held.data, (dict, list)) else held
    if isinstance(data, Instance):
        method = interpreter.attribute(value, "__len__", call.place)
        length = interpreter.call(method, (), {}, call.place)
        negative = arrays.below_zero(length)
        if negative is not None:
            raise Raised("value", "__len__() should return >= 0", negative)
        return length
    if isinstance(data, LibraryObject):
        model = MODELS.methods.get((data.short, "__len__"))
        return (
            model(interpreter, Call("__len__", (), {}, call.place, value))
            if model
            else unknown(value)
        )
    if data is None or isinstance(data, (int, float)):
        refusal = "none" if data is None else "type"
        raise Raised(refusal, f"object of type '{type_name(value)}' has no len()", value)
    # Whatever it is the length of, it is a whole number.
    return arrays.number("int64", value, lowest=0)


def _made_of(value: Value) -> Any:
    """Return a container's origins, or those of its items: its length has them all."""
    if value.origins or not isinstance(value.data, (list, tuple)):
        return value.origins
    return merged(*value.data[:24])


@MODELS.function("builtins.range")
def _range(interpreter: Interpreter, call: Call) -> Value:
    bounds = [arrays.size(a) for a in call.args]
    for bound, given in zip(bounds, call.args, strict=True):
        if bound is None:
            if given.data is None or isinstance(given.data, (str, float, list)):
                raise Raised("type", "range() wants whole numbers", given)
            item = arrays.number("int64", given)
            return Value(Lazy(item, unknown(*call.args)), merged(*call.args))
    numbers = [b for b in bounds if b is not None]
    if not 1 <= len(numbers) <= 3 or numbers[2:] == [0]:
        return call.unknown()
    whole = range(*numbers)
    origins = merged(*call.args)
    if len(whole) > MAX_ITEMS:
        item = arrays.number("int64", Value(None, origins))
        return Value(Lazy(item, Value(len(whole), origins)), origins)
    return Value([Value(n, origins) for n in whole], origins)


@MODELS.function("builtins.enumerate")
def _enumerate(interpreter: Interpreter, call: Call) -> Value:
    iterated = _first(call)
    items = interpreter.iterate(iterated)
    given = call.given(1, "start")
    start = arrays.size(given) or 0
    # Who says where to begin decides what the numbers are.
    counted = frozenset() if given is None else frozenset({call.place})
    # So does what listed the columns whose positions they are.
    counted |= frozenset(arrays.listings(iterated))
    if isinstance(items, Lazy):
        first = arrays.number("int64", Value(None, counted), lowest=start)
        last = arrays.size(items.length)
        if last == 1:
            first = Value(start, counted)
        if last is not None and isinstance(first.data, Array):
            first.data.highest = start + last - 1
        others = tuple(Value((first, other)) for other in items.others)
        return Value(Lazy(Value((first, items.item)), items.length, others))
    pairs = OneShot([Value((Value(n, counted), i)) for n, i in enumerate(items, start)], call.place)
    # There are as many as there are items to go through.
    return Value(pairs, iterated.origins)


def _once(call: Call, items: Iterable[Value]) -> Value:
    """Return what can be iterated over once."""
    return Value(OneShot(items, call.place))


ENDLESS = "itertools.endless"
"""The name of iterators without an end: ``count``, ``cycle``, ``repeat``."""


def endless_items(value: Value, count: int) -> list[Value] | None:
    """Return the next items of an iterator without an end, and take them; None of another value."""
    held = value.data
    if not isinstance(held, LibraryObject) or held.name != ENDLESS or count > MAX_ITEMS:
        return None
    at, items, step = held.state["at"], held.state["items"].data, held.state["step"].data
    first = at.data
    if isinstance(items, list) and items and isinstance(first, int):
        held.state["at"] = Value((first + count) % len(items))
        return [items[(first + n) % len(items)] for n in range(count)]
    if isinstance(first, (int, float)) and isinstance(step, (int, float)):
        held.state["at"] = Value(first + count * step, at.origins)
        return [Value(first + n * step, at.origins) for n in range(count)]
    return None


def _is_endless(value: Value) -> bool:
    return isinstance(value.data, LibraryObject) and value.data.name == ENDLESS


@MODELS.function("builtins.zip")
def _zip(interpreter: Interpreter, call: Call) -> Value:
    ended = [None if _is_endless(a) else interpreter.iterate(a) for a in call.args]
    lists_given = [p for p in ended if isinstance(p, list)]
    if None in ended and lists_given and not any(isinstance(p, Lazy) for p in ended):
        # Those without an end give as many items as the shortest of the others.
        count = min(map(len, lists_given))
        ended = [
            endless_items(a, count) if p is None else p
            for a, p in zip(call.args, ended, strict=True)
        ]
    parts = [
        interpreter.iterate(a) if p is None else p for a, p in zip(call.args, ended, strict=True)
    ]
    if any(isinstance(p, Lazy) for p in parts):
        items = [p.item if isinstance(p, Lazy) else (p[0] if p else Value(UNKNOWN)) for p in parts]
        bounded = [p for p, a in zip(parts, call.args, strict=True) if not _is_endless(a)]
        lengths = [p.length if isinstance(p, Lazy) else Value(len(p)) for p in bounded or parts]
        known = [n for n in map(arrays.size, lengths) if n is not None]
        shortest: object = min(known) if len(known) == len(lengths) else UNKNOWN
        return Value(Lazy(Value(tuple(items)), Value(shortest, merged(*lengths))))
    rows = zip(*(p for p in parts if isinstance(p, list)), strict=False)
    return _once(call, [Value(tuple(row)) for row in rows])


@MODELS.function(
    "builtins.list", "builtins.tuple", "builtins.sorted", "builtins.reversed", "builtins.iter"
)
def _sequence(interpreter: Interpreter, call: Call) -> Value:
    if not call.args:
        return Value([] if call.name == "builtins.list" else ())
    if call.name == "builtins.iter" and isinstance(call.args[0].data, OneShot):
        return call.args[0]
    if call.name == "builtins.iter" and _is_endless(call.args[0]):
        return call.args[0]
    items = interpreter.iterate(call.args[0])
    if isinstance(items, Lazy):
        if call.name == "builtins.iter":
            # What it has left is its own.
            items = Lazy(items.item, items.length, items.others)
        return Value(items, call.args[0].origins)
    if call.name == "builtins.sorted":
        items = _sorted(interpreter, items, call)
    elif call.name == "builtins.reversed":
        items = items[::-1]
    origins = call.args[0].origins
    if call.name in ("builtins.iter", "builtins.reversed"):
        return Value(OneShot(items, call.place), origins)
    return Value(tuple(items) if call.name == "builtins.tuple" else list(items), origins)


MOST_KEYS = 256
"""Items that are compared by what a function of the program says of each."""


def _keys(interpreter: Interpreter, items: list[Value], call: Call) -> list[Any] | None:
    """Return what the ``key`` of a call gives for each item, None where that is not known."""
    if len(items) > MOST_KEYS:
        return None
    keys = []
    for item in items:
        try:
            keys.append(plain(interpreter.call(call.keywords["key"], (item,), {}, call.place)))
        except (NotPlain, Raised):
            return None
    return keys


def _sorted(interpreter: Interpreter, items: list[Value], call: Call) -> list[Value]:
    """Return items in their order; where it is not known, each is what the items are like."""
    backwards = truth(call.keywords["reverse"]) if "reverse" in call.keywords else False
    if backwards is None:
        return _in_any_order(items)
    if "key" in call.keywords and call.keywords["key"].data is not None:
        keys = _keys(interpreter, items, call)
        if keys is None:
            return _in_any_order(items)
        try:
            order = sorted(range(len(items)), key=lambda i: keys[i], reverse=backwards)
        except TypeError:
            return items
        return [items[i] for i in order]
    try:
        return sorted(items, key=plain, reverse=backwards)
    except NotPlain:
        return _sorted_by_class(interpreter, items, call, backwards)
    except TypeError as error:
        if not arrays.is_failing():
            return items
        nothing = [item for item in items if item.data is None]
        raise Raised("type", str(error), *(nothing[:1] or items[:4])) from None


def _in_any_order(items: list[Value]) -> list[Value]:
    """Return items of which any may stand anywhere.

    What they have in common is kept; of objects that have nothing in common the order stays as it
    is, since their kind says more than their order.
    """
    common = operators.typical(items) if items else Value(UNKNOWN)
    plain_items = all(isinstance(item.data, PLAIN) for item in items)
    return [common] * len(items) if common.known or plain_items else items


def _sorted_by_class(
    interpreter: Interpreter, items: list[Value], call: Call, backwards: bool
) -> list[Value]:
    """Return objects in the order that ``__lt__`` of their class gives, where that is known."""
    methods = [interpreter.method_of(item, "__lt__") for item in items[:MOST_KEYS]]
    if len(methods) != len(items) or None in methods:
        return _in_any_order(items)

    def less(left: Value, right: Value) -> bool:
        method = interpreter.method_of(left, "__lt__")
        assert method is not None
        answer = truth(interpreter.call(method, (right,), {}, call.place))
        if answer is None:
            raise NotPlain
        return answer

    def order(left: Value, right: Value) -> int:
        return -1 if less(left, right) else 1 if less(right, left) else 0

    try:
        return sorted(items, key=cmp_to_key(order), reverse=backwards)
    except NotPlain:
        return _in_any_order(items)


@MODELS.function("builtins.set", "builtins.frozenset")
def _set(interpreter: Interpreter, call: Call) -> Value:
    if call.args and isinstance(call.args[0].data, str):
        return Value(set(call.args[0].data), call.args[0].origins)
    items = interpreter.iterate(call.args[0]) if call.args else []
    if isinstance(items, Lazy):
        # How many differ is not known.
        return Value(Lazy(items.item, unknown(items.length)), merged(*call.args))
    try:
        return Value({plain(item) for item in items}, merged(*call.args, *items[:24]))
    except (NotPlain, TypeError):
        return call.unknown()


@MODELS.numbers
@MODELS.function("builtins.dict")
def _dict(interpreter: Interpreter, call: Call) -> Value:
    entries: dict[Any, Value] = {}
    rest: Value | None = None
    if call.args:
        data = operators.as_table(interpreter.held_in(call.args[0]) or call.args[0]).data
        model = (
            MODELS.methods.get((data.short, "items")) if isinstance(data, LibraryObject) else None
        )
        if model is not None:
            inner = Call("items", (), {}, call.place, call.args[0])
            call = Call(call.name, (model(interpreter, inner),), call.keywords, call.place)
            data = call.args[0].data
        if isinstance(data, dict):
            entries.update(data)
            rest = rest_of(data)
        else:
            items = interpreter.iterate(call.args[0])
            if isinstance(items, Lazy):
                return call.unknown()
            for item in items:
                if not isinstance(item.data, (tuple, list)) or len(item.data) != 2:
                    return call.unknown()
                try:
                    entries[plain(item.data[0])] = item.data[1]
                except (NotPlain, TypeError):
                    return call.unknown()
    entries.update(call.keywords)
    # That it is empty comes from what it was made of.
    origins = merged(*call.args) if not entries and rest is None else NOWHERE
    return Value(entries if rest is None else OpenDict(entries, rest), origins)


PLAIN_FUNCTIONS = (
    *("int", "float", "str", "bool", "round", "abs", "repr", "ord", "chr", "pow", "divmod", "hash"),
)


@MODELS.numbers
@MODELS.function(*(f"builtins.{name}" for name in PLAIN_FUNCTIONS))
def _plain_function(interpreter: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    if name in ("int", "float") and call.args and isinstance(call.args[0], NumberText):
        of = with_places(call.args[0].of, merged(*call.args))
        call = Call(call.name, (of, *call.args[1:]), call.keywords, call.place)
    if any(map(arrays.is_number, call.args)):
        return _of_number(name, call)
    own = interpreter.method_of(call.args[0], f"__{name}__") if call.args else None
    if own is not None and name in ("int", "float", "str", "bool", "repr", "abs", "round", "hash"):
        return interpreter.call(own, call.args[1:], {}, call.place)
    if call.args and isinstance(call.args[0].data, Array):
        data = call.args[0].data
        if name in ("int", "float", "bool"):
            _one_element(call.args[0], data)
            if data.shape is not None and data.dtype not in (None, "object", "str", "U"):
                return _converted(name, data, call)
        return call.unknown() if name != "abs" else call.args[0]
    if name == "bool" and call.args and isinstance(call.args[0].data, LibraryObject):
        known = truth(call.args[0])
        return call.unknown() if known is None else Value(known, merged(*call.args))
    if name == "str" and call.args and isinstance(call.args[0].data, Instance):
        return _member_written(interpreter, call.args[0])
    if name == "str" and call.args and isinstance(call.args[0].data, ClassValue):
        module = interpreter.attribute(call.args[0], "__module__", call.place).data
        text = f"<class '{module}.{call.args[0].data.name}'>" if isinstance(module, str) else None
        return call.unknown() if text is None else Value(text, merged(*call.args))
    if name == "str" and call.args:
        text = text_of(call.args[0])
        return call.unknown() if text is None else Value(text, merged(*call.args))
    if name == "hash" or (name == "pow" and len(call.args) == 2 and _is_big(call)):
        return call.unknown()
    try:
        given = [plain(a) for a in call.args]
        named = {k: plain(v) for k, v in call.keywords.items()}
        return lifted(getattr(builtins, name)(*given, **named), *call.args)
    except NotPlain:
        return call.unknown()
    except TypeError as error:
        raise Raised("type", str(error), *call.args) from None
    except (ValueError, ArithmeticError) as error:
        raise Raised("value", str(error), *call.args) from None


def _member_written(interpreter: Interpreter, value: Value) -> Value:
    """Return a member of an enumeration as ``str`` writes it, another object as unknown."""
    data = value.data
    assert isinstance(data, Instance)
    if not interpreter.is_enumeration(value) or "name" not in data.attributes:
        return unknown(value)
    as_value = ("StrEnum", "IntEnum", "IntFlag")
    bases = interpreter.library_bases(data.cls)
    written = data.attributes["value"] if any(b.endswith(as_value) for b in bases) else None
    if written is not None:
        return Value(str(written.data), value.origins) if written.known else unknown(value)
    return Value(f"{data.cls.name}.{data.attributes['name'].data}", value.origins)


def _converted(name: str, data: Array, call: Call) -> Value:
    """Return a number of which the type is known that a conversion makes."""
    if name != "int" or data.dtype is None or "float" in data.dtype:
        dtype = {"int": "int64", "float": "float64"}.get(name, "bool")
        return arrays.number(dtype, *call.args)
    if data.lowest is not None and data.lowest == data.highest:
        return Value(data.lowest, merged(*call.args))
    return arrays.number("int64", *call.args, lowest=data.lowest, highest=data.highest)


def _of_number(name: str, call: Call) -> Value:
    """Return what a function gives for numbers of which only the types are known."""
    given = [arrays.number_of(arg) for arg in call.args]
    data = call.args[0].data
    if None in given or call.keywords or name in ("str", "repr", "chr", "hash", "pow", "divmod"):
        return call.unknown()
    if name in ("int", "float", "bool") and isinstance(data, Array):
        return _converted(name, data, call)
    result = getattr(builtins, name)(*given)
    output = arrays.number_like(result, *call.args)
    if name == "abs" and isinstance(data, Array) and data.lowest is not None and data.lowest >= 0:
        return Value(data, merged(*call.args))
    return output


def _one_element(value: Value, data: Array) -> None:
    """Raise where an array of several elements is made one number."""
    total = arrays.product(data.shape) if data.shape is not None else unknown(value)
    if (arrays.size(total) or 0) > 1:
        raise Raised("type", "only arrays of one element can be made numbers", value)


def _is_big(call: Call) -> bool:
    return any(isinstance(a.data, int) and abs(a.data) > 4096 for a in call.args)


def _folded_lazily(call: Call, name: str, items: Lazy) -> Value:
    """Return what folding items gives of which only one is known for all."""
    data = items.item.data
    if type(data) in (int, float, str) and name in ("min", "max") and not items.others:
        return Value(data, merged(items.item, *call.args))
    if type(data) in (int, float) and name == "sum" and arrays.size(items.length) is None:
        return arrays.number("int64" if type(data) is int else "float64", items.item, *call.args)
    if isinstance(data, Array) and name in ("min", "max", "sum"):
        is_number = data.shape == () or name == "sum"
        dtype = "int64" if data.dtype == "bool" and name == "sum" else data.dtype
        made = Array(data.shape, dtype, data.library, data.device)
        if name != "sum" and data.library == arrays.PYTHON:
            made.lowest, made.highest = data.lowest, data.highest
        return Value(made, merged(items.item, *call.args)) if is_number else call.unknown()
    return call.unknown()


def _folded_numbers(name: str, items: Sequence[Value], call: Call) -> Value:
    """Return what folding numbers gives of which some are not known."""
    given = [arrays.number_of(item) for item in items]
    known = [number for number in given if number is not None]
    if len(known) != len(given):
        return call.unknown()
    if name in ("any", "all"):
        return arrays.number("bool", *items[:24])
    kinds = {type(number) for number in known}
    if name == "sum":
        return arrays.number("float64" if float in kinds else "int64", *items[:24])
    if len(kinds) > 1:
        # Which of them it is decides what type it has.
        kinds = {float} if float in kinds else {int}
    lows, highs = zip(*(arrays.bounds_of(item) for item in items), strict=True)
    folding: Callable[[Sequence[int]], int] = min if name == "min" else max
    low = None if None in lows else folding([n for n in lows if n is not None])
    high = None if None in highs else folding([n for n in highs if n is not None])
    dtype = {float: "float64", int: "int64", bool: "bool"}[next(iter(kinds))]
    if dtype != "int64":
        low = high = None
    return arrays.number(dtype, *items[:24], lowest=low, highest=high)


def _all_in_one(first: Value, items: list[Value], call: Call) -> Value:
    """Return the items of several lists in one list (``sum(lists, [])``)."""
    joined: list[Value] = []
    for part in (first, *items):
        if type(part.data) is not type(first.data) or not isinstance(part.data, (list, tuple)):
            return call.unknown()
        joined.extend(part.data)
    if len(joined) > MAX_ITEMS:
        return call.unknown()
    whole = tuple(joined) if isinstance(first.data, tuple) else joined
    return Value(whole, merged(*call.args))


@MODELS.numbers
@MODELS.function("builtins.min", "builtins.max", "builtins.sum", "builtins.any", "builtins.all")
def _folded(interpreter: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    if not call.args:
        return call.unknown()
    if len(call.args) == 1 or name == "sum":
        items = interpreter.iterate(call.args[0])
    else:
        items = list(call.args)
    if isinstance(items, Lazy):
        return _folded_lazily(call, name, items)
    if "key" in call.keywords:
        keys = _keys(interpreter, items, call)
        if not keys or name not in ("min", "max"):
            return call.unknown()
        folding: Callable[..., int] = min if name == "min" else max
        try:
            return items[folding(range(len(items)), key=keys.__getitem__)]
        except TypeError:
            return call.unknown()
    first = call.given(1, "start") if name == "sum" else None
    if first is not None and isinstance(first.data, Array) and len(items) <= MOST_KEYS:
        for item in items:
            first = binary(ast.Add, first, item)
        return first
    if first is not None and isinstance(first.data, (list, tuple)) and first.known:
        return _all_in_one(first, items, call)
    if any(map(arrays.is_number, items)):
        return _folded_numbers(name, items, call)
    if name == "sum" and isinstance(first and first.data, dict) and len(items) <= MOST_KEYS:
        total = call.args[1] if len(call.args) > 1 else call.keywords["start"]
        for item in items:
            total = interpreter.operated(ast.Add, total, item, call.place)
        return total
    if name == "sum" and items and all(isinstance(item.data, Array) for item in items):
        total = items[0]
        for item in items[1:MOST_KEYS]:
            total = binary(ast.Add, total, item)
        return total
    try:
        given = [plain(item) for item in items]
        if name == "sum":
            start = plain(call.args[1]) if len(call.args) > 1 else 0
            if not isinstance(start, (int, float)):
                return call.unknown()  # Joining containers one by one takes quadratic time.
            return lifted(sum(given, start), *items[:24])
        default = call.keywords.get("default")
        if not given and default is not None:
            return default
        return lifted(getattr(builtins, name)(given), *items[:24])
    except NotPlain:
        nothing = next((item for item in items if item.data is None), None)
        if nothing is not None and name == "sum":
            raise Raised("none", "unsupported operand: 'NoneType'", nothing) from None
        return call.unknown()
    except TypeError as error:
        nothing = next((item for item in items if item.data is None), None)
        sides = items[:4] if nothing is None else [nothing]
        raise Raised("type", str(error), *sides) from None
    except ValueError as error:
        raise Raised("value", str(error), *call.args) from None


@MODELS.function("builtins.map")
def _map(interpreter: Interpreter, call: Call) -> Value:
    if len(call.args) < 2:
        return call.unknown()
    parts = [interpreter.iterate(a) for a in call.args[1:]]
    if any(isinstance(p, Lazy) for p in parts):
        items = [p.item if isinstance(p, Lazy) else (p[0] if p else Value(UNKNOWN)) for p in parts]
        return Value(
            Lazy(interpreter.call(call.args[0], tuple(items), {}, call.place), Value(UNKNOWN))
        )
    rows = list(zip(*(p for p in parts if isinstance(p, list)), strict=False))
    made = [interpreter.call(call.args[0], row, {}, call.place) for row in rows[:MAX_ITEMS]]
    return _once(call, made)


@MODELS.function("builtins.filter")
def _filter(interpreter: Interpreter, call: Call) -> Value:
    items = (
        interpreter.iterate(call.args[1])
        if len(call.args) == 2
        else Lazy(Value(UNKNOWN), Value(UNKNOWN))
    )
    if isinstance(items, Lazy):
        return Value(Lazy(items.item, Value(UNKNOWN)))
    kept = []
    for item in items:
        test = (
            item
            if call.args[0].data is None
            else interpreter.call(call.args[0], (item,), {}, call.place)
        )
        if truth(test) is not False:
            kept.append(item)
    return _once(call, kept)


@MODELS.numbers
@MODELS.function("builtins.next")
def _next(interpreter: Interpreter, call: Call) -> Value:
    given = _first(call)
    following = interpreter.method_of(given, "__next__")
    if following is not None:
        return interpreter.call(following, (), {}, call.place)
    items = given.data if isinstance(given.data, OneShot) else interpreter.iterate(given)
    if isinstance(items, Lazy):
        left = arrays.size(items.length)
        if items is given.data and left:
            # What is left of an iterator of many items is one fewer.
            items.length = Value(left - 1, items.length.origins)
        return items.item
    if items:
        # Lists that are given to ``next`` are what is left of an iterator.
        return given.data.pop(0) if isinstance(given.data, list) else items[0]
    if len(call.args) > 1:
        return call.args[1]
    if given.data == [] and interpreter.is_caught("StopIteration"):
        raise Raised("raised", "StopIteration", given)
    return call.unknown()


@MODELS.numbers
@MODELS.function("builtins.isinstance")
def _isinstance(interpreter: Interpreter, call: Call) -> Value:
    if len(call.args) != 2:
        return call.unknown()
    value, wanted = call.args
    answers = [_is_a(interpreter, value, option) for option in _classes(wanted)]
    if True in answers:
        return Value(True)
    return call.unknown() if None in answers else Value(False)


def _classes(wanted: Value) -> Iterator[Value]:
    """Yield the classes of a tuple of classes, or of a union of types (PEP 604)."""
    if isinstance(wanted.data, tuple):
        for inner in wanted.data:
            yield from _classes(inner)
    else:
        yield wanted


MODULE_NAMES = frozenset(sys.stdlib_module_names) | {"torch", "numpy", "pandas", "jax"}
"""Modules that are known to be modules."""
_CONTAINING = {
    "Sequence": (list, tuple, str, bytes),
    "MutableSequence": (list,),
    "Mapping": (dict,),
    "MutableMapping": (dict,),
    "Set": (set,),
    "Collection": (list, tuple, str, bytes, dict, set),
    "Iterable": (list, tuple, str, bytes, dict, set),
    "Sized": (list, tuple, str, bytes, dict, set),
    "Container": (list, tuple, str, bytes, dict, set),
    "Number": (int, float, bool),
    "Real": (int, float, bool),
    "Integral": (int, bool),
}
"""The plain types whose objects abstract classes hold."""
_ABSTRACT = ("typing", "collections", "numbers", "abc", "os", "typing_extensions")
"""Modules whose classes hold objects of other classes."""
_PLAIN_CLASSES = {"str", "int", "float", "bool", "bytes", "complex"}


_CONTAINERS = {"dict", "list", "tuple", "set", "frozenset", "OrderedDict", "defaultdict", "Counter"}
_CONTAINER_NAME = re.compile(
    r"Dict|List|Tuple|Set$|Size|Output|Counter|Config|Encoding|Map|Batch|Box|Munch|Namespace|Items"
    r"|Params|Subject|Result|Data$|Features|State|Info|Record|Row"
)
"""What the names of classes of libraries have in them that hold items as Python's own do."""


def _contains_by_name(classes: Iterable[str]) -> bool | None:
    """Say that objects hold no items as Python's own do, None where a class's name speaks of it."""
    names = [name.rpartition(".")[2] for name in classes]
    return None if any(_CONTAINER_NAME.search(n) or n in _CONTAINERS for n in names) else False


_OF_CLASSES = ("torch.nn.", "torch.optim.", "torch.utils.data.", "sklearn.", "keras.", "flax.")
"""How the names of libraries' things begin of which those with a capital letter are classes."""


def _is_a(interpreter: Interpreter, value: Value, option: Value) -> bool | None:
    data, wanted = value.data, option.data
    if data is UNKNOWN or isinstance(data, Lazy):
        return None
    if wanted is None:
        return data is None
    if isinstance(data, ClassValue) and isinstance(wanted, Library):
        last = wanted.name.rpartition(".")[2]
        return True if last == "type" else None if last in ("Callable", "Hashable") else False
    if isinstance(data, (FunctionValue, BoundMethod)) and isinstance(wanted, Library):
        last = wanted.name.rpartition(".")[2]
        if last in ("Callable", "FunctionType", "LambdaType", "MethodType", "partial"):
            return None if last != "Callable" else True
        return False if wanted.name.startswith("builtins.") and last != "object" else None
    if isinstance(data, ModuleValue) and isinstance(wanted, Library):
        return True if wanted.name.endswith("ModuleType") else wanted.name == "builtins.object"
    if isinstance(data, Library) and isinstance(wanted, Library):
        if data.name.startswith(_OF_CLASSES) and data.short[:1].isupper():
            # A class itself is no object of another one.
            return None if wanted.short in ("Callable", "Hashable") else wanted.short == "type"
        is_module = data.name in MODULE_NAMES
        plain_class = wanted.name.rpartition(".")[2] in {*_PLAIN_CLASSES, "list", "dict", "tuple"}
        return False if is_module and plain_class else None
    if isinstance(wanted, ClassValue):
        return isinstance(data, Instance) and wanted in interpreter.lineage(data.cls)
    if not isinstance(wanted, Library):
        return None
    last = wanted.name.rpartition(".")[2]
    root = wanted.name.partition(".")[0]
    if isinstance(data, Array) and data.library == arrays.PYTHON:
        return _is_kind(data, root, last)
    if isinstance(data, Array):
        return _is_array(data, root, last)
    if isinstance(data, Table) and root in ("pandas", "builtins"):
        return {"DataFrame": True, "object": True}.get(last, False)
    if isinstance(data, LibraryObject):
        if data.short == last:
            return True
        if data.name.startswith("torch.nn.") and wanted.name.startswith("torch.nn."):
            return _is_layer(data.short, last)
        if data.name == "datasets.ArrowDataset" and root == "datasets":
            return last == "Dataset"
        if last in ("dict", "Mapping", "MutableMapping") and data.short in ATTRIBUTE_DICTS:
            return True
        if root in ("builtins", "collections") and last in (*_CONTAINERS, *_PLAIN_CLASSES):
            return False if last in _PLAIN_CLASSES else _contains_by_name([data.name])
        return None
    if isinstance(data, Instance):
        bases = interpreter.library_bases(data.cls)
        if any(b.rpartition(".")[2] == last for b in bases):
            return True
        layers = [b.rpartition(".")[2] for b in bases if b.startswith("torch.nn.")]
        if layers and wanted.name.startswith("torch.nn.") and set(layers) != {"Module"}:
            answers = [_is_layer(short, last) for short in layers]
            if True in answers:
                return True
            return None if None in answers or len(layers) < len(set(bases) - _ROOTS) else False
        if wanted.name.startswith("torch.nn.") and set(bases) <= {"torch.nn.Module", *_ROOTS}:
            return False
        is_wrapper = last in ("DistributedDataParallel", "DataParallel")
        if root in ("builtins", "collections") and last in _CONTAINERS:
            return _contains_by_name(set(bases) - _ROOTS)
        return None if bases and not is_wrapper and set(bases) - _ROOTS else False
    if root in _ABSTRACT and last in _CONTAINING and isinstance(data, _HELD):
        return isinstance(data, _CONTAINING[last])
    kind = getattr(builtins, last, None) if wanted.name.startswith("builtins.") else None
    if isinstance(kind, type) and isinstance(data, (*PLAIN, list, tuple, dict, set)):
        return isinstance(data, kind)
    if root == "collections" and last in _CONTAINERS and not isinstance(data, dict):
        return False
    if isinstance(data, PLAIN):
        return False
    is_container = isinstance(data, (list, tuple, dict, set))
    return False if is_container and root not in (*_ABSTRACT, "builtins") else None


_HELD = (*PLAIN, list, tuple, dict, set)


@MODELS.function("builtins.issubclass")
def _issubclass(interpreter: Interpreter, call: Call) -> Value:
    if len(call.args) != 2 or not isinstance(call.args[0].data, ClassValue):
        return call.unknown()
    cls = call.args[0].data
    answers: list[bool | None] = []
    for option in _classes(call.args[1]):
        wanted = option.data
        if isinstance(wanted, ClassValue):
            answers.append(wanted in interpreter.lineage(cls))
        elif isinstance(wanted, Library):
            bases = [b.rpartition(".")[2] for b in interpreter.library_bases(cls)]
            inside = wanted.name.rpartition(".")[2] in bases
            answers.append(True if inside else None if bases else wanted.name == "builtins.object")
        else:
            answers.append(None)
    if True in answers:
        return Value(True)
    return call.unknown() if None in answers else Value(False)


@MODELS.function("builtins.callable", "inspect.isclass", "inspect.isfunction", "inspect.ismethod")
@MODELS.function("inspect.isroutine", "inspect.ismodule")
def _kind_of_object(interpreter: Interpreter, call: Call) -> Value:
    data = _first(call).data
    name = call.name.rpartition(".")[2]
    if isinstance(data, Instance) and name == "callable":
        is_called = interpreter.method_of(call.args[0], "__call__") is not None
        return Value(True) if is_called else call.unknown()
    kinds: dict[str, tuple[type, ...]] = {
        "callable": (FunctionValue, BoundMethod, ClassValue),
        "isclass": (ClassValue,),
        "isfunction": (FunctionValue,),
        "ismethod": (BoundMethod,),
        "isroutine": (FunctionValue, BoundMethod),
        "ismodule": (ModuleValue,),
    }
    if isinstance(data, kinds[name]):
        return Value(True)
    if name == "callable" and isinstance(data, Library) and data.name.startswith("builtins."):
        return Value(True)
    surely = (*_HELD, FunctionValue, BoundMethod, ClassValue, ModuleValue, Instance, Array)
    return Value(False) if isinstance(data, surely) else call.unknown()


@MODELS.function("builtins.slice")
def _slice(_: Interpreter, call: Call) -> Value:
    given = list(call.args)
    if len(given) == 1:
        given.insert(0, Value(None))
    given += [Value(None)] * (3 - len(given))
    data = LibraryObject("builtins.slice", tuple(given), {}, call.place)
    return Value(data, merged(*call.args))


_ROOTS = {"builtins.object", "abc.ABC"}
_FAMILIES = {"_ConvNd": "Conv", "_ConvTransposeNd": "ConvTranspose", "_BatchNorm": "BatchNorm"}
_RECURRENT = ("LSTM", "GRU", "RNN")


def _is_layer(short: str, last: str) -> bool | None:
    """Whether a layer of PyTorch is of another class than its own."""
    if last == "Module":
        return True
    if last in _FAMILIES:
        return _FAMILIES[last] in short
    if last == "RNNBase":
        return short in _RECURRENT
    if last == "RNNCellBase":
        return short.removesuffix("Cell") in _RECURRENT and short.endswith("Cell")
    if last.startswith("_") or short.startswith("Lazy") or last.endswith("Loss"):
        return None
    return {"Parameter": None, "Dropout": False}.get(last, False)


def _is_kind(data: Array, root: str, last: str) -> bool | None:
    """Whether a number is of a class; NumPy's scalars may be meant."""
    if root == "builtins":
        kinds = {"int64": {"int", "object"}, "float64": {"float", "object"}}
        return last in kinds.get(data.dtype or "", {"bool", "int", "object"})
    return None if root in (*_ABSTRACT, "numpy") else False


def _is_array(data: Array, root: str, last: str) -> bool | None:
    if last in ("ndarray", "Array"):
        return data.library == ("numpy" if root in ("numpy", "np") else "jax")
    if last == "Tensor":
        return data.library not in ("numpy", "jax")
    return None if root in _ABSTRACT or last in ("Parameter", "Variable") else False


LACKING = {"Namespace", "SimpleNamespace", "EasyDict", "Munch", "SettingsBox", "ConfigDict"}
"""Classes of libraries whose objects have no attributes but those that they hold."""


def _is_absent(base: Value, name: str) -> bool:
    """Whether a namespace of which all attributes are known has none of a name."""
    data = base.data
    if not isinstance(data, LibraryObject) or data.short not in LACKING:
        return False
    return bool(data.state) and name not in data.state and not name.startswith("_")


@MODELS.numbers
@MODELS.function("builtins.getattr", "builtins.hasattr", "builtins.setattr")
def _by_name(interpreter: Interpreter, call: Call) -> Value:
    if len(call.args) < 2 or not isinstance(call.args[1].data, str):
        return call.unknown()
    base, name = call.args[0], call.args[1].data
    if call.name.endswith("setattr"):
        if len(call.args) == 3:
            interpreter.set_attribute(base, name, call.args[2], call.place)
        return Value(None)
    try:
        attribute = interpreter.attribute(base, name, call.place)
    except Raised as raised:
        if call.name.endswith("hasattr"):
            return Value(False)
        if len(call.args) > 2:
            return call.args[2]
        raise Raised(raised.what, raised.message, *raised.sides, call.args[1]) from None
    if _is_absent(base, name):
        return Value(False) if call.name.endswith("hasattr") else (*call.args, call.unknown())[2]
    is_sure = attribute.known and not operators.may_be_attribute(attribute)
    if call.name.endswith("hasattr"):
        held = not isinstance(base.data, LibraryObject) or name in base.data.state
        return Value(True) if is_sure and held else call.unknown()
    if not is_sure and len(call.args) > 2 and not callable(call.args[2].data):
        return unknown(attribute, *call.args[1:])
    return Value(attribute.data, merged(attribute, call.args[1]))


@MODELS.function("builtins.delattr")
def _delattr(_: Interpreter, call: Call) -> Value:
    if len(call.args) == 2 and isinstance(call.args[1].data, str):
        delete_attribute(call.args[0], call.args[1].data)
    return Value(None)


def delete_attribute(value: Value, name: str) -> None:
    """Take an attribute away from an object, class or module."""
    data = value.data
    if isinstance(data, Instance):
        data.attributes.pop(name, None)
    elif isinstance(data, LibraryObject):
        data.state.pop(name, None)
    elif isinstance(data, ClassValue):
        data.members.pop(name, None)
    elif isinstance(data, ModuleValue):
        data.environment.names.pop(name, None)


@MODELS.function("builtins.compile")
def _compile(interpreter: Interpreter, call: Call) -> Value:
    return _first(call)


OF_LIBRARIES = {"torch": "torch.Tensor", "numpy": "numpy.ndarray"}
"""The classes of arrays by their library."""


def _class_of(value: Value, data: Array) -> Value:
    """Return the class of an array; NumPy gives numbers of its own for arrays without axes."""
    name = OF_LIBRARIES[data.library]
    if type(data).__name__ == "Stored":
        return Value(UNKNOWN, value.origins)
    if data.library == "numpy" and not data.shape:
        is_scalar = data.shape == () and data.dtype is not None
        return Value(Library(f"numpy.{data.dtype}") if is_scalar else UNKNOWN, value.origins)
    return Value(Library(name), value.origins)


@MODELS.numbers
@MODELS.function("builtins.type")
def _type(interpreter: Interpreter, call: Call) -> Value:
    value = _first(call)
    if isinstance(value.data, Instance):
        return Value(value.data.cls)
    if isinstance(value.data, Table):
        return Value(Library("pandas.DataFrame"), value.origins)
    if isinstance(value.data, LibraryObject) and value.data.name.startswith("torch.nn."):
        return Value(Library(value.data.name), value.origins)
    if isinstance(value.data, Array) and value.data.library in OF_LIBRARIES:
        return _class_of(value, value.data)
    name = type_name(value)
    return (
        call.unknown() if name is None or name not in NAMES else Value(Library(f"builtins.{name}"))
    )


@MODELS.function("builtins.display", "builtins.get_ipython")
def _shown(interpreter: Interpreter, call: Call) -> Value:
    return Value(None)


@MODELS.function("builtins.object")
def _object(interpreter: Interpreter, call: Call) -> Value:
    return Value(UNKNOWN)


@MODELS.method("tuple", "numel")
def _elements_of_shape(_: Interpreter, call: Call) -> Value:
    sizes = call.receiver.data if call.receiver is not None else None
    return arrays.product(sizes) if isinstance(sizes, tuple) else call.unknown()


def plain_method(interpreter: Interpreter, call: Call) -> Value:
    """Return what a method of a plain value gives, by running it on plain values."""
    receiver = call.receiver
    assert receiver is not None
    data, name = receiver.data, call.name
    if isinstance(data, list):
        return _list_method(interpreter, call, receiver, data)
    if isinstance(data, Lazy) and name == "append" and call.args and interpreter.GUESSES:
        receiver.data = operators.put_into(data, call.args[0])
        return Value(None)
    if isinstance(data, dict):
        return _dict_method(interpreter, call, receiver, data)
    if isinstance(data, set):
        return _set_method(interpreter, call, receiver, data)
    if isinstance(data, (str, bytes, int, float, tuple)):
        if name == "join" and isinstance(data, str) and call.args:
            items = interpreter.iterate(call.args[0])
            if isinstance(items, Lazy):
                return call.unknown()
            return _run(data, name, [Value([*items], merged(call.args[0], *items))], call)
        if isinstance(data, tuple) and name in ("index", "count"):
            return _run(tuple(_or_none(item) for item in data), name, list(call.args), call)
        result = _run(data, name, list(call.args), call)
        if isinstance(data, str) and name in ("split", "splitlines") and "\n" in data:
            return _at_lines(interpreter, receiver, result)
        return result
    return call.unknown()


def _at_lines(interpreter: Interpreter, whole: Value, pieces: Value) -> Value:
    """Return the pieces of what was read of a file at once, each with the line that it stands in.

    A text read at once has the first line alone as its origin.
    """
    place = next(iter(whole.origins)) if len(whole.origins) == 1 else ("", 0)
    file, first = place
    is_data = first > 0 and not file.endswith((".py", ".ipynb"))
    text = interpreter.workspace.text(file) if is_data else None
    at = (text or "").find(whole.data) if isinstance(whole.data, str) else -1
    if text is None or at < 0 or not isinstance(pieces.data, list):
        return pieces
    line, placed = 1, []
    counted = 0
    for piece in pieces.data:
        begins = text.find(piece.data, at) if isinstance(piece.data, str) else -1
        if begins < 0:
            return pieces
        line, counted = line + text.count("\n", counted, begins), begins
        placed.append(Value(piece.data, (piece.origins - {place}) | {(file, line)}))
        at = begins + len(piece.data)
    return Value(placed, pieces.origins)


@MODELS.function("builtins.str.maketrans", "builtins.bytes.maketrans", "builtins.int.from_bytes")
@MODELS.function("builtins.bytes.fromhex", "builtins.float.fromhex")
def _static(_: Interpreter, call: Call) -> Value:
    """Return what a method of a type itself gives."""
    kind, name = call.name.split(".")[1:]
    try:
        given = [plain(arg) for arg in call.args]
        named = {key: plain(value) for key, value in call.keywords.items()}
        return lifted(getattr(getattr(builtins, kind), name)(*given, **named), *call.args)
    except NotPlain:
        return call.unknown()
    except (TypeError, ValueError, OverflowError) as error:
        what = "type" if isinstance(error, TypeError) else "value"
        raise Raised(what, str(error), *call.args) from None


@MODELS.function("builtins.bytes", "builtins.bytearray")
def _bytes(interpreter: Interpreter, call: Call) -> Value:
    """Return the bytes of a list of numbers, or of a text with its encoding."""
    try:
        given = [plain(arg) for arg in call.args]
    except NotPlain:
        return call.unknown()
    if given and isinstance(given[0], int) and given[0] > MOST_GROWN:
        return call.unknown()
    try:
        return Value(bytes(*given), merged(*call.args))
    except (TypeError, ValueError) as error:
        what = "type" if isinstance(error, TypeError) else "value"
        raise Raised(what, str(error), *call.args) from None


@MODELS.function("builtins.dict.fromkeys", "collections.OrderedDict.fromkeys")
def _from_keys(interpreter: Interpreter, call: Call) -> Value:
    items = interpreter.iterate(call.args[0]) if call.args else []
    value = call.given(1, "value") or Value(None)
    if isinstance(items, Lazy):
        return call.unknown()
    try:
        return Value({plain(item): value for item in items}, merged(*call.args[:1]))
    except (NotPlain, TypeError):
        return call.unknown()


GROWING = {
    *("center", "ljust", "rjust", "zfill", "expandtabs", "to_bytes"),
}
"""Methods whose result may be of any length: as long as the first number says that they get."""
MOST_GROWN = 1_000


def _dictionary_given(args: Sequence[Value]) -> dict[Any, Value] | None:
    held = args[0].data if len(args) == 1 else None
    return held if isinstance(held, dict) and rest_of(held) is None else None


def _formatted_map(data: str, call: Call) -> Value:
    """Return a text with the fields of a dictionary filled in."""
    held = _dictionary_given(call.args)
    if held is None or not all(isinstance(name, str) for name in held):
        return call.unknown()
    return _run(data, "format", [], Call("format", (), held, call.place, call.receiver))


def _run(data: Any, name: str, args: list[Value], call: Call) -> Value:
    if name in GROWING and not all(
        isinstance(a.data, (str, bool)) or (type(a.data) is int and 0 <= a.data <= MOST_GROWN)
        for a in args
    ):
        return call.unknown()
    if name == "format_map" and isinstance(data, str):
        return _formatted_map(data, call)
    if name == "expandtabs" and len(data) > MOST_GROWN:
        return call.unknown()
    parts = [p for p in (call.receiver, *args, *call.keywords.values()) if p is not None]
    try:
        given = [plain(a) for a in args]
        named = {k: plain(v) for k, v in call.keywords.items()}
        if name == "format" and isinstance(data, str):
            filled = brace(data, given, named)
            return unknown(*parts) if filled is None else lifted(filled.value, *parts)
        if isinstance(data, (str, bytes)) and _grown(data, name, given) > MAX_TEXT:
            return unknown(*parts)
        return lifted(getattr(data, name)(*given, **named), *parts)
    except NotPlain:
        return call.unknown()
    except TypeError as error:
        raise Raised("type", str(error), *args) from None
    except (ValueError, KeyError, IndexError, AttributeError, ArithmeticError, LookupError):
        return call.unknown()


def _grown(data: str | bytes, name: str, given: list[Any]) -> int:
    """Return a bound of the length of what a method of a text makes of others."""
    if name == "join" and given:
        return sum(len(item) for item in given[0]) + len(data) * len(given[0])
    if name == "translate" and given and isinstance(given[0], dict):
        longest = max((len(v) for v in given[0].values() if isinstance(v, str)), default=1)
        return len(data) * max(longest, 1)
    if name == "replace" and len(given) > 1:
        return len(data) + data.count(given[0]) * len(given[1])
    return len(data) if name in ("encode", "decode") else 0


FEW_ITEMS = 64


def _added(data: list[Value], item: Value, place: Origin) -> Value:
    """Return an item of a list: of one that it holds already, where it is put in is told, too."""
    if not isinstance(item.data, str) or len(data) > FEW_ITEMS:
        return item
    held = any(type(other.data) is str and other.data == item.data for other in data)
    return Value(item.data, item.origins | {place}) if held else item


def _list_method(interpreter: Interpreter, call: Call, receiver: Value, data: list[Value]) -> Value:
    name, args = call.name, call.args
    if name == "append" and args:
        if len(data) < MAX_ITEMS:
            data.append(_added(data, args[0], call.place))
        return Value(None)
    if name == "extend" and args:
        items = interpreter.iterate(args[0])
        if isinstance(items, Lazy):
            receiver.data = operators.joined(receiver, Value(items, args[0].origins)).data
        else:
            data.extend(items[: MAX_ITEMS - len(data)])
        return Value(None)
    if name == "insert" and len(args) == 2 and isinstance(args[0].data, int):
        data.insert(args[0].data, _added(data, args[1], call.place))
        return Value(None)
    if name == "pop":
        at = arrays.size(args[0]) if args else -1
        if at is None:
            return call.unknown()
        if not -len(data) <= at < len(data):
            raise Raised("index", "pop index out of range", receiver)
        return data.pop(at)
    if name == "sort":
        data[:] = _sorted(interpreter, list(data), call)
        return Value(None)
    if name == "reverse":
        data.reverse()
        return Value(None)
    if name == "clear":
        data.clear()
        return Value(None)
    if name == "copy":
        return Value(list(data), receiver.origins)
    if name in ("index", "remove") and args and isinstance(args[0].data, PLAIN):
        held = [_or_none(item) for item in data]
        if all(isinstance(item.data, PLAIN) for item in data) and args[0].data not in held:
            raise Raised("value", f"{args[0].data!r} is not in list", args[0], receiver)
    if name in ("index", "count") and args:
        return _run([_or_none(item) for item in data], name, list(args), call)
    if name == "remove" and args:
        wanted = _or_none(args[0])
        at = next((i for i, item in enumerate(data) if _or_none(item) == wanted), None)
        if at is not None:
            del data[at]
        return Value(None)
    return call.unknown()


def _or_none(value: Value) -> Any:
    try:
        return plain(value)
    except NotPlain:
        return None


def _dict_method(
    interpreter: Interpreter, call: Call, receiver: Value, data: dict[Any, Value]
) -> Value:
    name, args = call.name, call.args
    rest = rest_of(data)
    if rest is not None and name in ("items", "keys", "values"):
        key = Value(UNKNOWN, merged(receiver, rest))
        item = {"items": Value((key, rest)), "keys": key, "values": rest}[name]
        return Value(Lazy(item, Value(UNKNOWN, key.origins)), receiver.origins)
    if name in ("items", "values", "update"):
        arrays.note_look_up(*data.values())
    # That there is nothing in it comes from what made the dictionary.
    origins = NOWHERE if data else receiver.origins
    if name == "items":
        return Value([Value((value_of(k, v.origins), v)) for k, v in data.items()], origins)
    if name == "keys":
        return Value(Keys(value_of(k, v.origins) for k, v in data.items()), origins)
    if name == "values":
        return Value(list(data.values()), origins)
    if name == "copy":
        copied = dict(data) if rest is None else OpenDict(data, rest)
        return Value(copied, receiver.origins)
    if name == "update":
        given = interpreter.held_in(args[0]) or args[0] if args else Value({})
        given = operators.as_table(given)
        if not isinstance(given.data, dict) and given.known:
            given = _dict(interpreter, Call("builtins.dict", (given,), {}, call.place))
        data.update(call.keywords)
        if isinstance(given.data, dict):
            data.update(given.data)
        more = unknown(given) if not given.known else rest_of(given.data)
        if more is not None:
            interpreter.open_dict(receiver, more)
        return Value(None)
    if name == "popitem" and rest is None and not args:
        if not data:
            raise Raised("key", "'popitem(): dictionary is empty'", receiver)
        last, held = data.popitem()
        return Value((value_of(last, held.origins), held))
    if name == "clear":
        data.clear()
        return Value(None)
    if name in ("get", "pop", "setdefault") and args:
        try:
            key = key_of(args[0])
            entry = data.get(key)
        except (NotPlain, TypeError):
            if name == "setdefault":
                interpreter.open_dict(receiver, unknown(*args))
            return call.unknown()
        if entry is not None:
            arrays.note_look_up(entry)
            if name == "pop":
                del data[key]
            return entry
        if rest is not None and name != "setdefault":
            return unknown(rest, *args)
        if name == "setdefault":
            data[key] = args[1] if len(args) > 1 else Value(None)
            return data[key]
        if name == "get":
            arrays.note_default(call.place, key, data)
        if len(args) > 1:
            return args[1]
        if isinstance(key, ObjectKey) and name != "get":
            return call.unknown()
        if name == "pop":
            raise Raised("key", f"{key!r}", args[0], receiver)
        return Value(None, merged(args[0], Value(None, frozenset({call.place}))))
    return call.unknown()


CHANGING_SETS = (
    *("clear", "difference_update", "intersection_update", "symmetric_difference_update"),
)
OF_SETS = (
    *("union", "intersection", "difference", "symmetric_difference", "copy"),
    *("issubset", "issuperset", "isdisjoint"),
)
"""Methods of sets that leave them as they are."""


def _set_method(interpreter: Interpreter, call: Call, receiver: Value, data: set[Any]) -> Value:
    try:
        given = [plain(a) for a in call.args]
    except NotPlain:
        if call.name in ("add", "update"):
            items = Value(UNKNOWN, merged(receiver, *call.args))
            receiver.data = Lazy(items, items)
        return call.unknown()
    if call.name in ("add", "discard", "remove") and given:
        if call.name == "add":
            data.add(given[0])
        else:
            data.discard(given[0])
        return Value(None)
    if call.name == "update":
        for value in given:
            data.update(value)
        return Value(None)
    if call.name in CHANGING_SETS:
        getattr(data, call.name)(*given)
        return Value(None)
    if call.name == "pop":
        if not data:
            raise Raised("key", "'pop from an empty set'", receiver)
        # Which of them it is, is not said; the order is that of iterating.
        first = sorted(data, key=repr)[0]
        data.discard(first)
        return value_of(first, receiver.origins)
    if call.name in OF_SETS:
        return lifted(getattr(data, call.name)(*given), receiver, *call.args)
    return call.unknown()

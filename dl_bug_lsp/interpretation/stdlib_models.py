"""Models of Python's standard library: containers, numbers, chance, iteration, copies, time.

Source: the Python 3.13 library reference.
"""

from __future__ import annotations

import argparse
import ast
import csv
import itertools
import logging
import math
import operator
import re
import string
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

# The models of builtins below take the place of its, or call them.
import dl_bug_lsp.interpretation.builtin_models  # noqa: F401
from dl_bug_lsp.interpretation import arrays, operators
from dl_bug_lsp.interpretation.model_helpers import (
    MOST_CALLS,
    MOST_ITEMS,
    MOST_TEXT_OF_PATTERN,
    alike,
    first_argument,
    itself,
    listed,
    nothing,
    state_of,
    thing,
    with_origins,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import (
    MAX_ITEMS,
    PLAIN,
    NotPlain,
    plain,
    representative,
)
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    ClassValue,
    Instance,
    Lazy,
    Library,
    LibraryObject,
    OneShot,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

# Containers.


class Deque(list[Value]):
    """A `collections.deque`; the models of its own methods stand below.

    ``longest`` is the most items that it holds, None without a limit, 0 where that is not known.
    """

    popleft = appendleft = rotate = extendleft = None
    longest: int | None = None

    def shorten(self) -> None:
        """Drop the first items where there are more than the limit."""
        if self.longest and len(self) > self.longest:
            del self[: len(self) - self.longest]


class DefaultDict(dict[object, Value]):
    """A dict that makes what it lacks."""

    def __init__(self, make: Callable[[], Value], held: dict[object, Value] | None = None) -> None:
        super().__init__(held or {})
        self.make = make

    # `collections.Counter`'s; their models stand below.
    most_common = elements = total = subtract = None

    counts = False
    """Whether it is a ``collections.Counter``."""

    def __missing__(self, key: object) -> Value:
        """Make, keep and return the value of a key."""
        made = self[key] = self.make()
        return made


@MODELS.function("collections.defaultdict")
def _defaultdict(interpreter: Interpreter, call: Call) -> Value:
    factory = call.given(0, "default_factory")
    held = call.args[1].data if len(call.args) > 1 else {}
    if factory is None or factory.data is None or not isinstance(held, dict):
        return Value(dict(held), merged(*call.args)) if isinstance(held, dict) else call.unknown()

    def make() -> Value:
        simple = {"int": 0, "float": 0.0, "str": "", "bool": False}
        if isinstance(factory.data, Library):
            name = factory.data.name.rpartition(".")[2]
            if name in simple:
                return Value(simple[name])
            fresh: dict[str, Callable[[], object]] = {"list": list, "dict": dict, "set": set}
            if name in fresh:
                return Value(fresh[name]())
        return interpreter.call(factory, (), {}, call.place)

    return Value(DefaultDict(make, held))


def _counted(interpreter: Interpreter, call: Call) -> dict[object, int] | None:
    counts: dict[object, int] = {}
    if call.keywords:
        named = {name: n.data for name, n in call.keywords.items() if type(n.data) is int}
        if call.args or len(named) != len(call.keywords):
            return None
        counts.update((name, n) for name, n in named.items() if isinstance(n, int))
        return counts
    given = call.given(0, "iterable")
    if given is not None and isinstance(given.data, dict):
        for key, value in given.data.items():
            if not isinstance(value.data, int):
                return None
            counts[key] = value.data
        return counts
    if given is not None and isinstance(given.data, str):
        counts.update(Counter(given.data))
        return counts
    items = [] if given is None else listed(interpreter, given)
    try:
        for item in items if items is not None else [Value(UNKNOWN)]:
            key = plain(item)
            counts[key] = counts.get(key, 0) + 1
    except (ValueError, TypeError):
        return None
    return counts


@MODELS.function("collections.Counter")
def _counter(interpreter: Interpreter, call: Call) -> Value:
    counts = _counted(interpreter, call)
    if counts is None:
        return call.unknown()
    origins = merged(*call.args)
    return Value(counter({k: Value(n, origins) for k, n in counts.items()}), origins)


def counter(counts: dict[object, Value]) -> DefaultDict:
    """Return a ``collections.Counter`` of values by key."""
    made = DefaultDict(lambda: Value(0), counts)
    made.counts = True
    return made


_COUNTED: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.BitAnd: min,
    ast.BitOr: max,
}


def _together(kind: type[ast.operator], a: Value, b: Value) -> Value | None:
    """Return what an operator makes of two counters, which keeps counts above zero alone."""
    x, y = a.data, b.data
    function = _COUNTED.get(kind)
    counters = isinstance(x, DefaultDict) and isinstance(y, DefaultDict) and x.counts and y.counts
    if not counters or function is None:
        return None
    assert isinstance(x, DefaultDict)
    assert isinstance(y, DefaultDict)
    found: dict[object, Value] = {}
    for key in dict.fromkeys((*x, *y)):
        mine, others = x.get(key, Value(0)), y.get(key, Value(0))
        if not isinstance(mine.data, int) or not isinstance(others.data, int):
            return unknown(a, b)
        number = function(mine.data, others.data)
        if number > 0:
            found[key] = Value(number, merged(mine, others))
    return Value(counter(found), merged(a, b))


operators.OF_OBJECTS.append(_together)


@MODELS.method("dict", "update")
@MODELS.method("OrderedDict", "update")
@MODELS.method("DefaultDict", "update", "subtract")
def _dict_update(interpreter: Interpreter, call: Call) -> Value:
    """Update a dict; a counter adds what it is given (`collections.Counter`)."""
    held, given = call.receiver, call.given(0)
    if held is None or not isinstance(held.data, dict):
        return call.unknown()
    if isinstance(held.data, DefaultDict) and not isinstance(given and given.data, dict):
        counts = _counted(interpreter, Call("Counter", call.args, {}, call.place))
        for key, number in (counts or {}).items():
            before = held.data.get(key, Value(0))
            total = before.data + number if isinstance(before.data, int) else UNKNOWN
            held.data[key] = Value(total, merged(before, *call.args))
        if counts is None:
            held.data = UNKNOWN
        return Value(None)
    held.data.update(call.keywords)
    if given is not None and isinstance(given.data, dict):
        held.data.update(given.data)
    elif given is not None:
        for pair in listed(interpreter, given) or [Value(UNKNOWN)]:
            parts = listed(interpreter, pair)
            if parts is None or len(parts) != 2 or not isinstance(parts[0].data, PLAIN):
                held.data = UNKNOWN
                break
            held.data[parts[0].data] = parts[1]
    return Value(None)


@MODELS.method("dict", "most_common")
@MODELS.method("DefaultDict", "most_common")
def _most_common(_: Interpreter, call: Call) -> Value:
    held, count = call.receiver, call.given(0, "n")
    if held is None or not isinstance(held.data, dict):
        return call.unknown()
    if not all(isinstance(v.data, (int, float)) for v in held.data.values()):
        return call.unknown()
    if count is not None and count.data is not None and not isinstance(count.data, int):
        return call.unknown()
    ranked = sorted(held.data.items(), key=lambda item: item[1].data, reverse=True)
    most = count.data if count is not None else None
    top = ranked[:most] if isinstance(most, int) else ranked
    origins = merged(held, *call.args)
    return Value([Value((with_origins(k, origins), v), origins) for k, v in top], origins)


@MODELS.method("DefaultDict", "elements", "total")
def _counter_rest(_: Interpreter, call: Call) -> Value:
    """Return the sum of all counts, or each key as often as it was counted."""
    held = call.receiver
    if held is None or not isinstance(held.data, DefaultDict):
        return call.unknown()
    numbers = [(key, n.data) for key, n in held.data.items() if isinstance(n.data, int)]
    total = sum(number for _, number in numbers)
    if len(numbers) != len(held.data) or total > MOST_ITEMS:
        return call.unknown()
    if call.name == "total":
        return Value(total, merged(held))
    return Value([with_origins(k, held.origins) for k, n in numbers for _ in range(n)])


@MODELS.method("OrderedDict", "move_to_end")
def _moved_to_end(_: Interpreter, call: Call) -> Value:
    return call.unknown()


@MODELS.function("collections.OrderedDict")
def _ordered_dict(interpreter: Interpreter, call: Call) -> Value:
    held = Value(OrderedDict(), merged(*call.args))
    if call.args or call.keywords:
        _dict_update(interpreter, Call("update", call.args, call.keywords, call.place, held))
    return held


@MODELS.function("collections.deque")
def _deque(interpreter: Interpreter, call: Call) -> Value:
    longest = call.given(1, "maxlen")
    items = listed(interpreter, call.given(0, "iterable")) if call.given(0, "iterable") else []
    if items is None:
        return call.unknown()
    made = Deque(items)
    if longest is not None and longest.data is not None:
        made.longest = longest.data if isinstance(longest.data, int) else 0
        made.shorten()
    return Value(made, merged(*call.args))


@MODELS.function("collections.namedtuple", "typing.NamedTuple")
def _namedtuple(interpreter: Interpreter, call: Call) -> Value:
    """Return the class with its fields as annotations, as `typing.NamedTuple` has them."""
    name, fields = call.given(0, "typename"), call.given(1, "field_names", "fields")
    if call.name == "typing.NamedTuple":
        # Its fields are pairs of a name and a type.
        pairs = [listed(interpreter, pair) for pair in listed(interpreter, fields) or ()]
        fields = Value([pair[0] for pair in pairs if pair])
    try:
        words = plain(fields) if fields is not None else None
    except NotPlain:
        return call.unknown()
    names = words.replace(",", " ").split() if isinstance(words, str) else words
    if name is None or not isinstance(name.data, str) or not isinstance(names, (list, tuple)):
        return call.unknown()
    if not all(isinstance(n, str) and n.isidentifier() for n in (name.data, *names)):
        return call.unknown()
    node = ast.ClassDef(name.data, [], [], [], [])
    node.lineno = node.end_lineno = call.place[1]
    for field_name in names:
        target = ast.Name(field_name, ast.Store())
        node.body.append(ast.AnnAssign(target, ast.Name("object", ast.Load()), None, 1))
    defaults = call.keywords.get("defaults")
    given = listed(interpreter, defaults) if defaults is not None else []
    members = dict(zip(reversed(names), reversed(given or []), strict=False))
    base = Value(Library("typing.NamedTuple"))
    return Value(ClassValue(name.data, node, call.place[0], (base,), members))


@MODELS.method("Deque", "append")
def _deque_append(_: Interpreter, call: Call) -> Value:
    held = call.receiver.data if call.receiver is not None else None
    if not isinstance(held, Deque) or not call.args:
        return call.unknown()
    if len(held) < MAX_ITEMS:
        held.append(call.args[0])
        held.shorten()
    return Value(None)


@MODELS.method("Deque", "popleft", "appendleft", "rotate", "extendleft")
def _deque_method(_: Interpreter, call: Call) -> Value:
    held = call.receiver.data if call.receiver is not None else None
    if not isinstance(held, list):
        return call.unknown()
    if call.name == "appendleft" and call.args:
        held.insert(0, call.args[0])
        return Value(None)
    if call.name == "popleft" and call.receiver is not None:
        if not held:
            raise Raised("index", "pop from an empty deque", call.receiver)
        first = held.pop(0)
        return first if isinstance(first, Value) else call.unknown()
    return call.unknown()


# Numbers and chance.


_MATH = (
    *(
        "ceil",
        "floor",
        "sqrt",
        "log",
        "log2",
        "log10",
        "log1p",
        "exp",
        "expm1",
        "sin",
        "cos",
        "tan",
    ),
    *("asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "pow", "fabs", "fmod", "gcd", "lcm"),
    *("hypot", "isnan", "isinf", "isfinite", "isclose", "radians", "degrees", "trunc", "copysign"),
    *("isqrt", "erf", "prod", "factorial", "comb", "perm", "cbrt", "exp2", "dist", "fsum"),
)
_LARGEST = {"factorial": 1000, "comb": 1000, "perm": 1000}


_GIVES = {
    **dict.fromkeys(_MATH, "float64"),
    **dict.fromkeys(("ceil", "floor", "trunc", "gcd", "lcm", "isqrt", "factorial"), "int64"),
    **dict.fromkeys(("comb", "perm"), "int64"),
    **dict.fromkeys(("isnan", "isinf", "isfinite", "isclose"), "bool"),
}
"""The types of what functions of ``math`` give for a number that is not known."""
del _GIVES["prod"], _GIVES["dist"], _GIVES["fsum"]


@MODELS.numbers
@MODELS.function(*(f"math.{name}" for name in _MATH))
def _math(_: Interpreter, call: Call) -> Value:
    function = getattr(math, call.name.rpartition(".")[2], None)
    largest = _LARGEST.get(call.name.rpartition(".")[2])
    if function is None:
        return call.unknown()
    if any(map(arrays.is_number, call.args)):
        name = call.name.rpartition(".")[2]
        known = name in _GIVES and all(arrays.number_of(arg) is not None for arg in call.args)
        return arrays.number(_GIVES[name], *call.args) if known else call.unknown()
    try:
        numbers = [plain(arg) for arg in call.args]
        named = {name: plain(value) for name, value in call.keywords.items()}
    except ValueError:
        return call.unknown()
    if largest is not None and not all(isinstance(n, int) and n <= largest for n in numbers):
        return call.unknown()
    try:
        return Value(function(*numbers, **named), merged(*call.args))
    except TypeError as error:
        raise Raised("type", str(error), *call.args) from None
    except (ValueError, OverflowError) as error:
        raise Raised("value", str(error), *call.args) from None


_LEVELS = ("NOTSET", "DEBUG", "INFO", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL")
_FLOATING = ("float16", "bfloat16", "float32", "float64", "float", "double", "half")
_WHOLE = ("bool", "uint8", "int8", "int16", "int32", "int64", "long", "int", "short")
CONSTANTS: dict[str, object] = {
    "typing_extensions.TYPE_CHECKING": False,
    **{f"math.{name}": getattr(math, name) for name in ("pi", "e", "inf", "nan", "tau")},
    **{f"numpy.{name}": getattr(math, name) for name in ("pi", "e", "inf", "nan")},
    **{f"torch.{name}": getattr(math, name) for name in ("pi", "e", "inf", "nan")},
    **{f"jax.numpy.{name}": getattr(math, name) for name in ("pi", "e", "inf", "nan")},
    **{f"string.{name}": getattr(string, name) for name in string.__all__ if name.islower()},
    "numpy.newaxis": None,
    "tensorflow.newaxis": None,
    "jax.numpy.newaxis": None,
    "os.sep": "/",
    "os.pathsep": ":",
    "os.linesep": "\n",
    "csv.QUOTE_NONE": csv.QUOTE_NONE,
    "argparse.SUPPRESS": argparse.SUPPRESS,
    "sys.maxsize": 2**63 - 1,
    "sys.version_info.major": 3,
    **{f"torch.{name}.is_floating_point": True for name in _FLOATING},
    **{f"torch.{name}.is_floating_point": False for name in _WHOLE},
    **{f"torch.{name}.is_complex": False for name in (*_FLOATING, *_WHOLE)},
    **{f"logging.{name}": getattr(logging, name) for name in _LEVELS},
    "typing.TYPE_CHECKING": False,
}
"""Constants of libraries by their dotted name."""


@MODELS.function("random.choice", "secrets.choice")
def _choice(interpreter: Interpreter, call: Call) -> Value:
    items = listed(interpreter, call.given(0, "seq"))
    if items == []:
        raise Raised("index", "Cannot choose from an empty sequence", *call.args)
    return call.unknown() if items is None else representative(items)


@MODELS.function("random.choices", "random.sample")
def _sample(interpreter: Interpreter, call: Call) -> Value:
    items = listed(interpreter, call.given(0, "population"))
    count = call.given(2, "k") if call.name.endswith("choices") else call.given(1, "k")
    if count is None:
        count = Value(1) if call.name.endswith("choices") else Value(UNKNOWN)
    once = call.name.endswith("sample")
    if once and items and isinstance(count.data, int) and count.data > len(items):
        length = Value(len(items), merged(*call.args[:1]))
        raise Raised("value", "Sample larger than population", count, length)
    item = representative(items) if items else Value(UNKNOWN, merged(*call.args))
    if isinstance(count.data, int) and 0 <= count.data <= MOST_ITEMS:
        return Value(
            [Value(item.data, item.origins) for _ in range(count.data)], merged(*call.args)
        )
    return Value(Lazy(item, count), merged(*call.args))


@MODELS.function("random.shuffle")
def _shuffle(interpreter: Interpreter, call: Call) -> Value:
    """Leave the items in their order: it is one that chance may give."""
    del interpreter, call
    return Value(None)


MODELS.function("random.seed", "random.setstate")(nothing)
MODELS.method("Random", "seed", "setstate")(nothing)
_FRACTIONS = (
    *("random", "uniform", "gauss", "normalvariate", "expovariate", "betavariate", "triangular"),
    *("gammavariate", "lognormvariate", "vonmisesvariate", "paretovariate", "weibullvariate"),
)


@MODELS.function(*(f"random.{name}" for name in _FRACTIONS))
@MODELS.method("Random", *_FRACTIONS)
@MODELS.method("SystemRandom", *_FRACTIONS)
def _fraction(_: Interpreter, call: Call) -> Value:
    return arrays.number("float64", *call.args)


@MODELS.function("random.randint", "random.randrange", "random.getrandbits", "secrets.randbelow")
@MODELS.method("Random", "randint", "randrange", "getrandbits")
@MODELS.method("SystemRandom", "randint", "randrange", "getrandbits")
def _whole_number(_: Interpreter, call: Call) -> Value:
    name, given = call.name.rpartition(".")[2], [*call.args, *call.keywords.values()]
    low, high = Value(0), given[0] if given else None
    if name != "getrandbits" and len(given) > 1:
        low, high = given[0], given[1]
    first, last = arrays.size(low), arrays.size(high)
    if name == "getrandbits" or first is None or last is None:
        return arrays.number("int64", *given)
    last -= name != "randint"
    if last < first:
        raise Raised("value", "empty range in randrange", *given)
    if first == last:
        return Value(first, merged(*given))
    return arrays.number("int64", *given, lowest=first, highest=last)


for _name in ("choice", "choices", "sample", "shuffle"):
    for _kind in ("Random", "SystemRandom"):
        MODELS.method(_kind, _name)(MODELS.functions[f"random.{_name}"])

_CLOCKS = ("time", "perf_counter", "monotonic", "process_time", "thread_time")
MODELS.function(*(f"time.{name}" for name in _CLOCKS), "timeit.default_timer")(
    lambda interpreter, call: arrays.number("float64")
)
MODELS.function("time.time_ns", "time.perf_counter_ns", "os.getpid", "os.cpu_count")(
    lambda interpreter, call: arrays.number("int64")
)


# Iteration and functions.


@MODELS.function("itertools.chain", "itertools.chain.from_iterable")
def _chain(interpreter: Interpreter, call: Call) -> Value:
    parts: Sequence[Value] | None = call.args
    if call.name.endswith("from_iterable"):
        parts = listed(interpreter, call.given(0))
    chained: list[Value] = []
    for part in parts or ():
        items = listed(interpreter, part)
        if items is None or len(chained) + len(items) > MOST_ITEMS:
            return call.unknown()
        chained.extend(items)
    return call.unknown() if parts is None else Value(chained, merged(*parts))


_COMBINING: dict[str, Callable[..., Iterable[tuple[Value, ...]]]] = {
    "product": itertools.product,
    "permutations": itertools.permutations,
    "combinations": itertools.combinations,
    "combinations_with_replacement": itertools.combinations_with_replacement,
    "pairwise": itertools.pairwise,
}


@MODELS.function(*(f"itertools.{name}" for name in _COMBINING))
def _combining(interpreter: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    parts = call.args if name == "product" else call.args[:1]
    lists = [listed(interpreter, part) for part in parts]
    extra = [arg.data for arg in call.args[len(parts) :]]
    repeat = call.given(1, "repeat" if name == "product" else "r")
    if name != "product" and not extra and repeat is not None:
        extra = [repeat.data]
    known = [items for items in lists if items is not None]
    if len(known) != len(lists) or not all(isinstance(e, int) for e in extra):
        return call.unknown()
    named = {}
    if name == "product" and "repeat" in call.keywords:
        if not isinstance(call.keywords["repeat"].data, int):
            return call.unknown()
        named = {"repeat": call.keywords["repeat"].data}
        if len(known[0]) ** min(named["repeat"], 60) > MOST_ITEMS:
            return call.unknown()
    if math.prod(map(len, known)) > MOST_ITEMS:
        return call.unknown()
    made = itertools.islice(_COMBINING[name](*known, *extra, **named), MOST_ITEMS + 1)
    tuples = [Value(group, merged(*group)) for group in made]
    return call.unknown() if len(tuples) > MOST_ITEMS else Value(tuples, merged(*call.args))


@MODELS.function("itertools.groupby")
def _runs(interpreter: Interpreter, call: Call) -> Value:
    """Return the runs of items with one key; each of them can be iterated over once."""
    items, function = listed(interpreter, call.given(0, "iterable")), call.given(1, "key")
    if items is None or len(items) > MOST_ITEMS:
        return call.unknown()
    found: list[tuple[Value, list[Value]]] = []
    for item in items[:MOST_CALLS] if function is not None else items:
        key = item
        if function is not None and function.data is not None:
            key = interpreter.call(function, (item,), {}, call.place)
        if not isinstance(key.data, PLAIN):
            return call.unknown()
        if not found or found[-1][0].data != key.data:
            found.append((key, []))
        found[-1][1].append(item)
    if function is not None and len(items) > MOST_CALLS:
        return call.unknown()
    runs = [Value((key, Value(OneShot(run, call.place)))) for key, run in found]
    return Value(OneShot(runs, call.place), merged(*call.args))


@MODELS.function("itertools.islice")
def _islice(interpreter: Interpreter, call: Call) -> Value:
    items = listed(interpreter, call.given(0))
    bounds = [arg.data for arg in call.args[1:]]
    known = [b for b in bounds if b is None or isinstance(b, int)]
    if items is None or len(known) != len(bounds) or not known:
        return call.unknown()
    try:
        return Value(items[slice(*known)], merged(*call.args))
    except (ValueError, TypeError):
        return call.unknown()


@MODELS.function("itertools.repeat", "itertools.cycle", "itertools.count")
def _endless(interpreter: Interpreter, call: Call) -> Value:
    first, times = call.given(0, "object", "iterable"), call.given(1, "times")
    if call.name.endswith("repeat") and first is not None:
        length = Value(UNKNOWN) if times is None else times
        return Value(Lazy(first, length), merged(first, length))
    if call.name.endswith("cycle"):
        items = listed(interpreter, first)
        return call.unknown() if not items else Value(Lazy(alike(items), Value(UNKNOWN)))
    return Value(Lazy(call.unknown(), Value(UNKNOWN)))


@MODELS.function("functools.partial")
def _partial(_: Interpreter, call: Call) -> Value:
    return thing("functools.partial", call)


@MODELS.object("functools.partial")
def _call_partial(interpreter: Interpreter, call: Call) -> Value:
    held = call.receiver.data if call.receiver is not None else None
    if not isinstance(held, LibraryObject) or not held.args:
        return call.unknown()
    given = {**held.keywords, **call.keywords}
    return interpreter.call(held.args[0], (*held.args[1:], *call.args), given, call.place)


_OPERATORS: dict[str, Callable[..., object]] = {
    name: getattr(operator, name) for name in ("add", "mul", "sub", "or_", "and_")
}


@MODELS.function("functools.reduce")
def _reduce(interpreter: Interpreter, call: Call) -> Value:
    items = listed(interpreter, call.given(1))
    function, start = call.given(0), call.given(2, "initial")
    if items is None or function is None or len(items) > MOST_CALLS:
        return call.unknown()
    rest = items if start is None else [start, *items]
    if not rest:
        raise Raised("type", "reduce() of empty iterable with no initial value", *call.args)
    total, *others = rest
    known = _OPERATORS.get(
        function.data.name.rpartition(".")[2] if isinstance(function.data, Library) else ""
    )
    for item in others:
        if known is not None:
            if not isinstance(total.data, (int, float)) or not isinstance(item.data, (int, float)):
                return call.unknown()
            total = Value(known(total.data, item.data), merged(total, item))
        else:
            total = interpreter.call(function, (total, item), {}, call.place)
    return total


@MODELS.function("functools.lru_cache", "functools.cache", "functools.wraps", "contextlib.suppress")
def _decorator(_: Interpreter, call: Call) -> Value:
    given = call.given(0)
    if given is not None and not call.name.endswith("wraps") and not isinstance(given.data, int):
        return given
    return thing("functools.decorator", call)


MODELS.object("functools.decorator")(first_argument)


@MODELS.function("contextlib.nullcontext", "contextlib.closing", "contextlib.aclosing")
def _null_context(_: Interpreter, call: Call) -> Value:
    held = call.given(0, "enter_result", "thing")
    return thing("contextlib.nullcontext", call, held=Value(None) if held is None else held)


@MODELS.method("nullcontext", "__enter__")
def _null_entered(_: Interpreter, call: Call) -> Value:
    return state_of(call.receiver, "held")


@MODELS.function("contextlib.ExitStack", "contextlib.redirect_stdout", "contextlib.redirect_stderr")
def _context(_: Interpreter, call: Call) -> Value:
    return thing(call.name, call)


@MODELS.method("ExitStack", "enter_context")
def _enter_context(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0, "cm")
    return call.unknown() if given is None else interpreter.entered_by_with(given)


MODELS.method("ExitStack", "callback", "close", "push")(nothing)


@MODELS.function("operator.itemgetter", "operator.attrgetter")
def _getter(_: Interpreter, call: Call) -> Value:
    return thing(call.name, call)


@MODELS.object("operator.itemgetter")
def _call_itemgetter(_: Interpreter, call: Call) -> Value:
    held = call.receiver.data if call.receiver is not None else None
    given = call.given(0)
    if not isinstance(held, LibraryObject) or len(held.args) != 1 or given is None:
        return call.unknown()
    key = held.args[0].data
    if isinstance(given.data, dict) and isinstance(key, PLAIN):
        if key in given.data:
            return _as_value(given.data[key])
        if not isinstance(given.data, DefaultDict):
            raise Raised("key", repr(key), held.args[0], given)
    if isinstance(given.data, (list, tuple)) and isinstance(key, int):
        if not -len(given.data) <= key < len(given.data):
            raise Raised("index", "index out of range", held.args[0], given)
        return _as_value(given.data[key])
    return call.unknown()


def _as_value(data: object) -> Value:
    return data if isinstance(data, Value) else Value(UNKNOWN)


@MODELS.function("re.findall", "re.split", "re.sub")
def _regular(_: Interpreter, call: Call) -> Value:
    """Apply a pattern that takes little time on any text: no group, one repetition at most."""
    given = [arg.data for arg in call.args]
    at = 2 if call.name.endswith("sub") else 1
    if len(given) != at + 1 or call.keywords or not all(isinstance(g, str) for g in given):
        return call.unknown()
    texts = [g for g in given if isinstance(g, str)]
    repeated = sum(texts[0].count(mark) for mark in "*+{?")
    if "(" in texts[0] or repeated > 1 or len(texts[at]) > MOST_TEXT_OF_PATTERN:
        return call.unknown()
    function: Callable[..., object] = getattr(re, call.name.rpartition(".")[2])
    try:
        return with_origins(function(*texts), merged(*call.args))
    except re.error as error:
        raise Raised("value", str(error), call.args[0]) from None


# Copies and data classes.


def copied(value: Value, deep: bool, memo: dict[int, Value] | None = None) -> Value:
    """Return a copy of a value (module ``copy``); what was shared inside of it stays shared."""
    memo = {} if memo is None else memo
    data = value.data
    if id(data) in memo:
        return Value(memo[id(data)].data, value.origins)
    copy_made = Value(data, value.origins)

    def inner(part: Value) -> Value:
        return copied(part, True, memo) if deep else part

    if isinstance(data, list):
        made: list[Value] = []
        copy_made.data = made
        memo[id(data)] = copy_made
        made.extend(inner(part) for part in data)
    elif isinstance(data, DefaultDict):
        copy_made.data = DefaultDict(data.make, {k: inner(v) for k, v in data.items()})
        memo[id(data)] = copy_made
    elif isinstance(data, dict):
        held: dict[object, Value] = {}
        copy_made.data = held
        memo[id(data)] = copy_made
        held.update((key, inner(part)) for key, part in data.items())
    elif isinstance(data, tuple):
        copy_made.data = tuple(inner(part) for part in data)
    elif isinstance(data, set):
        copy_made.data = set(data)
    elif isinstance(data, Instance):
        instance = Instance(data.cls, {})
        copy_made.data = instance
        memo[id(data)] = copy_made
        instance.attributes.update((name, inner(v)) for name, v in data.attributes.items())
    elif isinstance(data, LibraryObject):
        thing_ = LibraryObject(data.name, data.args, data.keywords, data.made)
        copy_made.data = thing_
        memo[id(data)] = copy_made
        thing_.state.update((name, inner(v)) for name, v in data.state.items())
    elif isinstance(data, Array):
        copy_made.data = replace(data)
    return copy_made


@MODELS.function("copy.deepcopy", "copy.copy")
def _copy(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "x")
    if given is None:
        return call.unknown()
    try:
        return copied(given, call.name.endswith("deepcopy"))
    except RecursionError:
        return call.unknown()


@MODELS.function("dataclasses.asdict")
def _asdict(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "obj")

    def inner(value: Value, depth: int) -> Value:
        data = value.data
        if isinstance(data, Instance) and data.cls.is_dataclass and depth:
            parts = {name: inner(v, depth - 1) for name, v in data.attributes.items()}
            return Value(parts, value.origins)
        if isinstance(data, (list, tuple)) and depth:
            return Value(type(data)(inner(v, depth - 1) for v in data), value.origins)
        if isinstance(data, dict) and depth:
            return Value({k: inner(v, depth - 1) for k, v in data.items()}, value.origins)
        return value

    return call.unknown() if given is None else inner(given, 10)


@MODELS.function("dataclasses.replace")
def _replaced(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "obj")
    if given is None or not isinstance(given.data, Instance):
        return call.unknown()
    made = Instance(given.data.cls, {**given.data.attributes, **call.keywords})
    return Value(made, merged(given, *call.keywords.values()))


@MODELS.function("dataclasses.field")
def _field(_: Interpreter, call: Call) -> Value:
    return thing("dataclasses.field", call)


@MODELS.function("dataclasses.is_dataclass")
def _is_dataclass(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "obj")
    cls = given.data if given is not None else None
    cls = cls.cls if isinstance(cls, Instance) else cls
    return Value(cls.is_dataclass) if isinstance(cls, ClassValue) else call.unknown()


# Time, logs, progress bars.


MODELS.function(
    *("time.sleep", "logging.basicConfig", "logging.info", "logging.warning", "logging.error"),
    *("logging.debug", "warnings.filterwarnings", "warnings.simplefilter", "warnings.warn"),
    *("sys.path.append", "sys.path.insert", "tqdm.write", "tqdm.tqdm.write"),
    *("faulthandler.enable", "logging.disable", "pprint.pprint", "traceback.print_exc"),
)(nothing)
MODELS.function("logging.getLogger")(lambda interpreter, call: thing("logging.Logger", call))
MODELS.method(
    "Logger",
    *("debug", "info", "warning", "warn", "error", "exception", "critical", "log", "setLevel"),
    *("addHandler", "removeHandler"),
)(nothing)

_TQDM = (
    "tqdm.tqdm",
    "tqdm.auto.tqdm",
    "tqdm.notebook.tqdm",
    "tqdm.std.tqdm",
    "rich.progress.track",
)


@MODELS.function(*_TQDM, "tqdm.trange", "tqdm.auto.trange")
def _tqdm(interpreter: Interpreter, call: Call) -> Value:
    """Return a progress bar, which is iterated over as what it was given."""
    given = call.given(0, "iterable", "sequence")
    if call.name.endswith("trange"):
        given = interpreter.call(Value(Library("builtins.range")), call.args, {}, call.place)
    state = {} if given is None else {"iterable": given}
    return thing("tqdm.tqdm", call, **state)


@MODELS.method("tqdm", "__iter__", "__len__")
def _tqdm_iter(interpreter: Interpreter, call: Call) -> Value:
    inner = state_of(call.receiver, "iterable")
    if not inner.known:
        return unknown(inner)
    if call.name == "__len__":
        return interpreter.call(Value(Library("builtins.len")), (inner,), {}, call.place)
    return inner


MODELS.method("tqdm", "__enter__")(itself)
MODELS.method(
    "tqdm",
    *("set_postfix", "set_description", "set_postfix_str", "update", "close", "write", "refresh"),
    *("__exit__", "reset", "clear", "set_description_str"),
)(nothing)


# ``next`` of a reader takes a row away; of all else it is the builtin's.

_next_of_all = MODELS.functions["builtins.next"]


@MODELS.function("builtins.next")
def _next(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0)
    if given is not None and isinstance(given.data, LibraryObject):
        model = MODELS.methods.get((given.data.short, "__next__"))
        if model is not None:
            return model(interpreter, Call("__next__", (), {}, call.place, given))
    return _next_of_all(interpreter, call)

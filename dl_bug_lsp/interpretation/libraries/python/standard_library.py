"""Models of Python's standard library: numbers, chance, iteration, copies, time.

Source: the Python 3.13 library reference.
"""

from __future__ import annotations

import argparse
import ast
import csv
import itertools
import logging
import math
import string
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.libraries.python.builtins import ENDLESS, endless_items
from dl_bug_lsp.interpretation.model_helpers import (
    MOST_CALLS,
    MOST_ITEMS,
    first_argument,
    itself,
    listed,
    nothing,
    state_of,
    thing,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import (
    PLAIN,
    alike,
    lifted,
    plain,
    representative,
    truth,
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
from dl_bug_lsp.interpretation.libraries.python.collections import DefaultDict

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
    *("erfc", "gamma", "lgamma", "remainder", "modf", "frexp", "ldexp"),
    *("isqrt", "erf", "prod", "factorial", "comb", "perm", "cbrt", "exp2", "dist", "fsum"),
)
_LARGEST = {"ldexp": 1000, "factorial": 1000, "comb": 1000, "perm": 1000}


_GIVES: dict[str, str] = {
    **dict.fromkeys(_MATH, "float64"),
    **dict.fromkeys(("ceil", "floor", "trunc", "gcd", "lcm", "isqrt", "factorial"), "int64"),
    **dict.fromkeys(("comb", "perm"), "int64"),
    **dict.fromkeys(("isnan", "isinf", "isfinite", "isclose"), "bool"),
}
"""The types of what functions of ``math`` give for a number that is not known."""
for _name in ("prod", "dist", "fsum", "modf", "frexp"):
    del _GIVES[_name]


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
        return lifted(function(*numbers, **named), *call.args)
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
    **{
        f"string.{name}": getattr(string, name)
        for name in string.__all__
        if isinstance(getattr(string, name), str)
    },
    "numpy.newaxis": None,
    "tensorflow.newaxis": None,
    "jax.numpy.newaxis": None,
    **{f"{module}.sep": "/" for module in ("os", "os.path")},
    "os.path.pardir": "..",
    "os.path.curdir": ".",
    "os.pardir": "..",
    "os.curdir": ".",
    "os.devnull": "/dev/null",
    "os.extsep": ".",
    "os.pathsep": ":",
    "os.linesep": "\n",
    **{f"csv.{n}": getattr(csv, n) for n in dir(csv) if n.startswith("QUOTE_")},
    **{
        f"argparse.{name}": getattr(argparse, name)
        for name in ("SUPPRESS", "OPTIONAL", "ZERO_OR_MORE", "ONE_OR_MORE", "REMAINDER", "PARSER")
    },
    "sys.maxsize": 2**63 - 1,
    "sys.version_info.major": 3,
    "os.name": "posix",
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


@MODELS.function("itertools.compress")
def _compressed(interpreter: Interpreter, call: Call) -> Value:
    items = listed(interpreter, call.given(0, "data"))
    tests = [truth(t) for t in listed(interpreter, call.given(1, "selectors")) or ()]
    if items is None or None in tests or call.given(1, "selectors") is None:
        item = Value(UNKNOWN) if not items else alike(items)
        return Value(Lazy(item, Value(UNKNOWN)), merged(*call.args))
    return Value(OneShot(itertools.compress(items, tests), call.place), merged(*call.args))


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


@MODELS.function("itertools.zip_longest")
def _zip_longest(interpreter: Interpreter, call: Call) -> Value:
    """Return groups of items, the shorter ones filled up."""
    lists = [listed(interpreter, part) for part in call.args]
    known = [items for items in lists if items is not None]
    filling = call.keywords.get("fillvalue", Value(None))
    if len(known) != len(lists):
        return Value(Lazy(Value(tuple(unknown(arg) for arg in call.args)), Value(UNKNOWN)))
    rows = itertools.zip_longest(*known, fillvalue=filling)
    return Value(OneShot([Value(row) for row in rows], call.place), merged(*call.args))


@MODELS.function("itertools.starmap")
def _star_mapped(interpreter: Interpreter, call: Call) -> Value:
    function, rows = call.given(0, "function"), listed(interpreter, call.given(1, "iterable"))
    if function is None or rows is None or len(rows) > MOST_CALLS:
        return call.unknown()
    made = []
    for row in rows:
        items = listed(interpreter, row)
        if items is None:
            return call.unknown()
        made.append(interpreter.call(function, tuple(items), {}, call.place))
    return Value(OneShot(made, call.place), merged(*call.args))


_TESTING: dict[str, Callable[[Iterable[tuple[bool, Value]]], list[Value]]] = {
    "filterfalse": lambda pairs: [item for test, item in pairs if not test],
    "takewhile": lambda pairs: [i for _, i in itertools.takewhile(lambda p: p[0], pairs)],
    "dropwhile": lambda pairs: [i for _, i in itertools.dropwhile(lambda p: p[0], pairs)],
}


@MODELS.function(*(f"itertools.{name}" for name in _TESTING))
def _tested(interpreter: Interpreter, call: Call) -> Value:
    function, items = call.given(0, "predicate"), listed(interpreter, call.given(1, "iterable"))
    if function is None or items is None or len(items) > MOST_CALLS:
        return call.unknown()
    given = [
        item if function.data is None else interpreter.call(function, (item,), {}, call.place)
        for item in items
    ]
    tests = [truth(test) for test in given]
    known = [(test, item) for test, item in zip(tests, items, strict=True) if test is not None]
    if len(known) != len(items):
        return Value(Lazy(alike(items), Value(UNKNOWN)), merged(*call.args))
    kept = _TESTING[call.name.rpartition(".")[2]](known)
    return Value(OneShot(kept, call.place), merged(*call.args))


@MODELS.function("itertools.tee", "itertools.batched")
def _several_iterators(interpreter: Interpreter, call: Call) -> Value:
    items, count = listed(interpreter, call.given(0, "iterable")), call.given(1, "n")
    number = 2 if count is None and call.name.endswith("tee") else arrays.size(count)
    if items is None or number is None or number > MOST_CALLS:
        return call.unknown()
    if number < (0 if call.name.endswith("tee") else 1):
        raise Raised("value", "n must be at least one", *call.args[1:])
    if call.name.endswith("tee"):
        return Value(tuple(Value(OneShot(items, call.place)) for _ in range(number)))
    groups = [items[at : at + number] for at in range(0, len(items), number)]
    return Value(OneShot([Value(tuple(group)) for group in groups], call.place))


@MODELS.function("itertools.islice")
def _islice(interpreter: Interpreter, call: Call) -> Value:
    bounds = [arg.data for arg in call.args[1:]]
    known = [b for b in bounds if b is None or isinstance(b, int)]
    most = known[min(1, len(known) - 1)] if known else None
    items = endless_items(call.args[0], most) if isinstance(most, int) and most >= 0 else None
    items = listed(interpreter, call.given(0)) if items is None else items
    if items is None or len(known) != len(bounds) or not known:
        return call.unknown()
    try:
        return Value(items[slice(*known)], merged(*call.args))
    except (ValueError, TypeError):
        return call.unknown()


MOST_REPEATED = 1_000


@MODELS.function("itertools.cycle", "itertools.count")
def _endless(interpreter: Interpreter, call: Call) -> Value:
    """Return an iterator without an end: its items are made as they are taken."""
    if call.name.endswith("cycle"):
        given = call.given(0, "iterable")
        items = listed(interpreter, given)
        if items is None and given is not None and given.known:
            rows = interpreter.iterate(given)
            # What a loader gives at the end of its data is like what it gave before.
            return Value(Lazy(rows.item, Value(UNKNOWN))) if isinstance(rows, Lazy) else given
        if not items:
            return call.unknown()
        return thing(ENDLESS, call, at=Value(0), items=Value(items), step=Value(1))
    start, step = call.given(0, "start") or Value(0), call.given(1, "step") or Value(1)
    return thing(ENDLESS, call, at=start, items=Value(None), step=step)


@MODELS.method("endless", "__next__")
def _next_endless(_: Interpreter, call: Call) -> Value:
    items = None if call.receiver is None else endless_items(call.receiver, 1)
    return items[0] if items else call.unknown()


@MODELS.method("endless", "__iter__")
def _iterated_endless(_: Interpreter, call: Call) -> Value:
    items = call.state["items"].data
    if isinstance(items, list):
        return Value(Lazy(alike(items), Value(UNKNOWN)))
    at = call.state["at"]
    item = arrays.number("int64" if isinstance(at.data, int) else "float64", at)
    return Value(Lazy(item, Value(UNKNOWN)))


@MODELS.function("itertools.repeat")
def _repeated(_: Interpreter, call: Call) -> Value:
    first, times = call.given(0, "object"), call.given(1, "times")
    if first is None:
        return call.unknown()
    if times is None:
        return thing(ENDLESS, call, at=Value(0), items=Value([first]), step=Value(1))
    if isinstance(times.data, int) and times.data <= MOST_REPEATED:
        return Value(OneShot([first] * times.data, call.place), merged(*call.args))
    return Value(Lazy(first, times), merged(*call.args))


@MODELS.function("functools.partial")
def _partial(_: Interpreter, call: Call) -> Value:
    return thing("functools.partial", call)


@MODELS.attribute("partial", "func", "args", "keywords")
def _part_of_partial(_: Interpreter, call: Call) -> Value:
    held = call.held
    if held is None or not held.args:
        return call.unknown()
    parts = {
        "func": held.args[0],
        "args": Value(held.args[1:], merged(*held.args[1:])),
        "keywords": Value(dict(held.keywords)),
    }
    return parts[call.name]


@MODELS.object("functools.partial")
def _call_partial(interpreter: Interpreter, call: Call) -> Value:
    held = call.held
    if held is None or not held.args:
        return call.unknown()
    given = {**held.keywords, **call.keywords}
    return interpreter.call(held.args[0], (*held.args[1:], *call.args), given, call.place)


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
    for item in others:
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
def _asdict(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0, "obj")

    def inner(value: Value, depth: int) -> Value:
        data = value.data
        if isinstance(data, Instance) and data.cls.is_dataclass and depth:
            names = interpreter.fields_of(data.cls)
            held = {name: data.attributes.get(name, Value(UNKNOWN)) for name in names}
            parts = {name: inner(v, depth - 1) for name, v in held.items()}
            return Value(parts, value.origins)
        if isinstance(data, (list, tuple)) and depth:
            return Value(type(data)(inner(v, depth - 1) for v in data), value.origins)
        if isinstance(data, dict) and depth:
            return Value({k: inner(v, depth - 1) for k, v in data.items()}, value.origins)
        return value

    return call.unknown() if given is None else inner(given, 10)


@MODELS.function("dataclasses.replace")
def _replaced(interpreter: Interpreter, call: Call) -> Value:
    """Return an object that is made again of the fields of another, ``__post_init__`` included."""
    given = call.given(0, "obj")
    if given is None or not isinstance(given.data, Instance):
        return call.unknown()
    cls, attributes = given.data.cls, given.data.attributes
    held = {name: attributes[name] for name in interpreter.fields_of(cls) if name in attributes}
    made = interpreter.call(Value(cls), (), {**held, **call.keywords}, call.place)
    return Value(made.data, merged(given, *call.keywords.values()))


def _names_of_fields(interpreter: Interpreter, call: Call) -> list[str] | None:
    """Return the names of a dataclass's fields, None where they are not all known.

    Raises `Raised` ("type") for what is no dataclass.
    """
    given = call.given(0, "class_or_instance", "obj")
    data = None if given is None else given.data
    cls = data.cls if isinstance(data, Instance) else data
    if given is not None and isinstance(data, (*PLAIN, list, tuple, dict, set, Array)):
        raise Raised("type", "must be called with a dataclass type or instance", given)
    if given is None or not isinstance(cls, ClassValue):
        return None
    if not cls.is_dataclass:
        if interpreter.library_bases(cls):
            return None
        raise Raised("type", "must be called with a dataclass type or instance", given)
    if interpreter.has_fields_of_libraries(cls):
        return None
    return list(interpreter.fields_of(cls))


@MODELS.function("dataclasses.fields")
def _fields(interpreter: Interpreter, call: Call) -> Value:
    names = _names_of_fields(interpreter, call)
    if names is None:
        return call.unknown()
    return Value(tuple(_field_named(interpreter, call, name) for name in names))


def _field_named(interpreter: Interpreter, call: Call, name: str) -> Value:
    """Return what ``dataclasses.fields`` tells of one field."""
    cls = call.args[0].data if call.args else None
    cls = cls.cls if isinstance(cls, Instance) else cls
    given = interpreter.fields_of(cls)[name] if isinstance(cls, ClassValue) else None
    missing = Value(Library("dataclasses.MISSING"))
    default, factory = missing if given is None else given, missing
    if given is not None and isinstance(given.data, LibraryObject) and given.data.short == "field":
        default = given.data.keywords.get("default", missing)
        factory = given.data.keywords.get("default_factory", missing)
    state = {"name": Value(name), "default": default, "default_factory": factory}
    state |= {"type": _annotation(interpreter, cls, name), "metadata": Value(UNKNOWN)}
    return Value(LibraryObject("dataclasses.Field", (), {}, call.place, state))


def _annotation(interpreter: Interpreter, cls: object, name: str) -> Value:
    """Return the type of a field where it is one of Python's own, else unknown."""
    for base in interpreter.lineage(cls) if isinstance(cls, ClassValue) else ():
        for statement in base.node.body:
            if not isinstance(statement, ast.AnnAssign) or not isinstance(
                statement.annotation, ast.Name
            ):
                continue
            kind = statement.annotation.id
            is_it = isinstance(statement.target, ast.Name) and statement.target.id == name
            if is_it and kind in ("int", "float", "str", "bool", "list", "dict", "tuple", "bytes"):
                return Value(Library(f"builtins.{kind}"))
    return Value(UNKNOWN)


@MODELS.function("dataclasses.astuple")
def _astuple(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0, "obj")
    names = _names_of_fields(interpreter, call)
    if given is None or names is None or not isinstance(given.data, Instance):
        return call.unknown()
    parts = [given.data.attributes.get(name, Value(UNKNOWN)) for name in names]
    if any(isinstance(part.data, (list, tuple, dict, Instance)) for part in parts):
        parts = [_as_tuples(interpreter, call, part) for part in parts]
    return Value(tuple(parts), given.origins)


def _as_tuples(interpreter: Interpreter, call: Call, part: Value) -> Value:
    """Return a part of a dataclass as ``astuple`` gives it: inner dataclasses as tuples, too."""
    data = part.data
    if isinstance(data, Instance) and data.cls.is_dataclass:
        return _astuple(interpreter, Call(call.name, (part,), {}, call.place))
    if isinstance(data, (list, tuple)):
        items = (_as_tuples(interpreter, call, item) for item in data)
        return Value(type(data)(items), part.origins)
    if isinstance(data, dict):
        items_held = {k: _as_tuples(interpreter, call, v) for k, v in data.items()}
        return Value(items_held, part.origins)
    return part


@MODELS.function("typing.cast", "typing_extensions.cast", "torch.jit.annotate")
def _cast(_: Interpreter, call: Call) -> Value:
    """Return the second argument, which is what a type checker takes to be of the type."""
    given = call.given(1, "val", "the_value")
    return call.unknown() if given is None else given


PICKLED = "pickle.Pickled"
"""The bytes of a pickle, which keep what was pickled."""


@MODELS.function(*(f"{name}.dumps" for name in ("pickle", "cloudpickle", "dill")))
def _pickled(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "obj")
    return call.unknown() if given is None else thing(PICKLED, call, held=_snapshot(given))


@MODELS.function(*(f"{name}.loads" for name in ("pickle", "cloudpickle", "dill")))
def _unpickled(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "data")
    if given is None:
        return call.unknown()
    if isinstance(given.data, str):
        raise Raised("type", "a bytes-like object is required, not 'str'", given)
    if not isinstance(given.data, LibraryObject) or given.data.name != PICKLED:
        return call.unknown()
    return _snapshot(given.data.state["held"])


def _snapshot(value: Value) -> Value:
    try:
        return copied(value, deep=True)
    except RecursionError:
        return unknown(value)


MODELS.function("enum.auto")(lambda _, call: thing("enum.auto", call))


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
    *("logging.critical", "logging.exception", "logging.log", "logging.captureWarnings"),
    *("logging.addLevelName", "logging.config.dictConfig", "logging.config.fileConfig"),
    *("logging.root.setLevel", "logging.root.addHandler", "logging.root.removeHandler"),
    *("logging.shutdown", "sys.setrecursionlimit", "atexit.register"),
    *("sys.stdout.flush", "sys.stdout.write", "sys.stderr.write", "sys.stderr.flush"),
    *("sys.path.remove", "signal.signal", "os.chdir", "os.putenv", "os.umask", "os.nice"),
    *("pprint.pp", "traceback.print_stack", "traceback.print_exception"),
    *("faulthandler.enable", "logging.disable", "pprint.pprint", "traceback.print_exc"),
)(nothing)
_LOGGERS: WeakKeyDictionary[Interpreter, dict[object, Value]] = WeakKeyDictionary()


@MODELS.function("logging.getLogger")
def _logger(interpreter: Interpreter, call: Call) -> Value:
    """Return the logger of a name, the same one for each call."""
    name = call.given(0, "name") or Value(None)
    if not isinstance(name.data, (str, type(None))):
        return thing("logging.Logger", call)
    known = _LOGGERS.setdefault(interpreter, {})
    key = name.data or "root"
    if key not in known:
        state = {"handlers": Value([]), "level": Value(30 if key == "root" else 0)}
        state |= {"name": Value(key, name.origins), "propagate": Value(True)}
        known[key] = thing("logging.Logger", call, **state)
    return known[key]


_HANDLERS = (
    *("StreamHandler", "FileHandler", "NullHandler", "Handler", "RotatingFileHandler"),
    *("TimedRotatingFileHandler", "MemoryHandler", "QueueHandler", "RichHandler", "SysLogHandler"),
)
_OF_HANDLERS = ("setLevel", "setFormatter", "addFilter", "removeFilter", "flush", "close", "emit")
for _handler in _HANDLERS:
    MODELS.method(_handler, *_OF_HANDLERS, "acquire", "release", "handle")(nothing)
MODELS.method("Formatter", "formatTime", "formatException")(lambda _, call: call.unknown())


@MODELS.method("Logger", "addHandler", "removeHandler")
@MODELS.method("RootLogger", "addHandler", "removeHandler")
def _changed_handlers(_: Interpreter, call: Call) -> Value:
    given, handlers = call.given(0, "hdlr"), call.state.get("handlers")
    if given is None or handlers is None or not isinstance(handlers.data, list):
        return Value(None)
    others = [held for held in handlers.data if held.data is not given.data]
    handlers.data[:] = [*others, given] if call.name == "addHandler" else others
    return Value(None)


@MODELS.method("Logger", "hasHandlers")
def _has_handlers(_: Interpreter, call: Call) -> Value:
    handlers = call.state.get("handlers")
    own = handlers is not None and isinstance(handlers.data, list) and bool(handlers.data)
    return Value(True) if own else call.unknown()


@MODELS.method("Logger", "setLevel")
def _set_level(_: Interpreter, call: Call) -> Value:
    level = call.given(0, "level")
    if level is not None and call.held is not None:
        number = (
            getattr(logging, level.data, UNKNOWN) if isinstance(level.data, str) else level.data
        )
        call.held.state["level"] = Value(number, level.origins)
    return Value(None)


@MODELS.method("Logger", "getChild")
def _child(interpreter: Interpreter, call: Call) -> Value:
    name, suffix = call.state.get("name"), call.given(0, "suffix")
    if name is None or suffix is None or not isinstance(suffix.data, str):
        return thing("logging.Logger", call)
    whole = Value(f"{name.data}.{suffix.data}", merged(name, suffix))
    return _logger(interpreter, Call("logging.getLogger", (whole,), {}, call.place))


MODELS.method(
    "Logger",
    *("debug", "info", "warning", "warn", "error", "exception", "critical", "log"),
    *("addFilter", "removeFilter", "fatal"),
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


@MODELS.function("unidecode.unidecode", "unidecode.unidecode_expect_ascii")
def _unidecode(_: Interpreter, call: Call) -> Value:
    """Return a text of ASCII as it is (Unidecode, "README")."""
    text = call.given(0, "string")
    if text is None or not isinstance(text.data, str) or not text.data.isascii():
        return call.unknown()
    return text

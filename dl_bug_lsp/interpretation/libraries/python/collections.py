"""Containers of Python's standard library: counters, deques, default dictionaries, named tuples.

Source: Python's documentation of ``collections``.
"""

from __future__ import annotations

import ast
import operator
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import operators
from dl_bug_lsp.interpretation.libraries.python import builtins as builtin_models
from dl_bug_lsp.interpretation.model_helpers import (
    MOST_ITEMS,
    listed,
    with_origins,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import (
    MAX_ITEMS,
    PLAIN,
    NotPlain,
    plain,
)
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    ClassValue,
    Instance,
    Library,
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
    if isinstance(held, dict) and set(call.keywords) - {"default_factory"}:
        held = {**held, **{k: v for k, v in call.keywords.items() if k != "default_factory"}}
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


@MODELS.method("DefaultDict", "update", "subtract")
def _counted_update(interpreter: Interpreter, call: Call) -> Value:
    """Add what a counter is given to its counts, or subtract it (`collections.Counter`)."""
    held = call.receiver
    if held is None or not isinstance(held.data, DefaultDict):
        return call.unknown()
    if not held.data.counts:
        return builtin_models.plain_method(interpreter, call)
    counts = _counted(interpreter, Call("Counter", call.args, call.keywords, call.place))
    sign = -1 if call.name == "subtract" else 1
    for key, number in (counts or {}).items():
        before = held.data.get(key, Value(0))
        total = before.data + sign * number if isinstance(before.data, int) else UNKNOWN
        held.data[key] = Value(total, merged(before, *call.args))
    if counts is None:
        held.data = UNKNOWN
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
    """Put an entry at the end, or at the beginning; raise where there is none."""
    held, key, last = call.receiver, call.given(0, "key"), call.given(1, "last")
    if held is None or key is None or not isinstance(held.data, OrderedDict):
        return call.unknown()
    if not isinstance(key.data, PLAIN):
        return call.unknown()
    if key.data not in held.data:
        raise Raised("key", repr(key.data), key, held)
    held.data.move_to_end(key.data, last is None or last.data is not False)
    return Value(None)


@MODELS.method("OrderedDict", "popitem")
def _last_item(_: Interpreter, call: Call) -> Value:
    held, last = call.receiver, call.given(0, "last")
    if held is None or not isinstance(held.data, OrderedDict):
        return call.unknown()
    if not held.data:
        raise Raised("key", "'dictionary is empty'", held)
    key, entry = held.data.popitem(last is None or last.data is not False)
    return Value((operators.value_of(key, entry.origins), entry))


@MODELS.function("collections.ChainMap")
def _chained(_: Interpreter, call: Call) -> Value:
    """Return the entries of several dictionaries, of which the first that has a key counts."""
    tables = [arg.data for arg in call.args]
    if not all(isinstance(table, dict) for table in tables):
        return call.unknown()
    whole: dict[object, Value] = {}
    for table in reversed(tables):
        whole.update(table if isinstance(table, dict) else {})
    return Value(whole, merged(*call.args))


@MODELS.function("collections.OrderedDict")
def _ordered_dict(interpreter: Interpreter, call: Call) -> Value:
    held = Value(OrderedDict(), merged(*call.args))
    if call.args or call.keywords:
        filling = Call("update", call.args, call.keywords, call.place, held)
        builtin_models.plain_method(interpreter, filling)
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


@MODELS.method("NamedTuple", "_asdict")
def _as_dictionary(_: Interpreter, call: Call) -> Value:
    """Return the fields of a named tuple by their names."""
    data = None if call.receiver is None else call.receiver.data
    if not isinstance(data, Instance):
        return call.unknown()
    return Value(dict(data.attributes), merged(call.receiver) if call.receiver else NOWHERE)


@MODELS.method("NamedTuple", "_make")
def _made_of(interpreter: Interpreter, call: Call) -> Value:
    """Return a named tuple of the items of an iterable."""
    items = listed(interpreter, call.given(0, "iterable"))
    if call.receiver is None or items is None:
        return call.unknown()
    return interpreter.call(call.receiver, tuple(items), {}, call.place)

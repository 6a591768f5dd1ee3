"""What the models of libraries share: objects with a state, items, texts."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, MutableMapping
from typing import TYPE_CHECKING, Any

# The models of builtins below take the place of its, or call them.
import dl_bug_lsp.interpretation.libraries.python.builtins  # noqa: F401
from dl_bug_lsp.interpretation.models import Call, Model
from dl_bug_lsp.interpretation.operators import (
    PLAIN,
)
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    BoundMethod,
    Environment,
    FunctionValue,
    Instance,
    Lazy,
    LibraryObject,
    Origins,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


# What the models below, and those of other libraries, share.

MOST_ITEMS = 20_000
"""Items of a list, lines of a file, entries of a document; what is longer is an outline."""
MOST_TEXT = 2_000_000
"""Characters of a file that is looked into."""
MOST_CALLS = 200
MOST_TEXT_OF_PATTERN = 2_000


def text_of(value: Value | None) -> str | None:
    """Return a text, or a path's text; None where it is neither or not known."""
    if value is None:
        return None
    if isinstance(value.data, str):
        return value.data
    if isinstance(value.data, LibraryObject) and "path" in value.data.state:
        return text_of(value.data.state["path"])
    return None


def is_true(value: Value | None) -> bool:
    """Whether a value is known to be the constant True."""
    return value is not None and value.data is True


def listed(interpreter: Interpreter, value: Value | None) -> list[Value] | None:
    """Return the items of what can be iterated over, None where they are not all known."""
    if value is None or not value.known:
        return None
    if isinstance(value.data, (list, tuple)):
        return list(value.data)
    items = interpreter.iterate(value)
    return items if isinstance(items, list) and len(items) <= MOST_ITEMS else None


def with_origins(data: object, origins: Origins, depth: int = 20) -> Value:
    """Return plain lists, tuples, dicts and scalars as values of one origin."""
    if depth and isinstance(data, (list, tuple)):
        return Value(type(data)(with_origins(d, origins, depth - 1) for d in data), origins)
    if depth and isinstance(data, dict):
        entries = {key: with_origins(d, origins, depth - 1) for key, d in data.items()}
        return Value(entries, origins)
    if isinstance(data, (*PLAIN, set)):
        return Value(data, origins)
    return Value(UNKNOWN, origins)


def thing(name: str, call: Call, /, **state: Value) -> Value:
    """Return an object of a library's class as it was called, with a state."""
    made = LibraryObject(name, call.args, call.keywords, call.place, dict(state))
    return Value(made, NOWHERE)


def make_object(_: Interpreter, call: Call) -> Value:
    """Model the making of an object of a library's class: it keeps the arguments."""
    made = LibraryObject(call.name, call.args, dict(call.keywords), call.place)
    return Value(made, merged(*call.args, *call.keywords.values()) | {call.place})


def state_of(value: Value | None, name: str) -> Value:
    """Return a part of what a library's object holds, unknown where there is none.

    What an object of a workspace class holds, its attributes are.
    """
    if value is not None and isinstance(value.data, LibraryObject):
        return value.data.state.get(name, Value(UNKNOWN, value.origins))
    if value is not None and isinstance(value.data, Instance):
        return value.data.attributes.get(name, Value(UNKNOWN))
    return Value(UNKNOWN)


def leaving(blocks: MutableMapping[Interpreter, list[Any]]) -> Model:
    """Return a model of ``__exit__`` that takes the innermost block off those of a program."""

    def left(interpreter: Interpreter, call: Call) -> Value:
        del call
        active = blocks.get(interpreter)
        if active:
            active.pop()
        return Value(None)

    return left


def nothing(interpreter: Interpreter, call: Call) -> Value:
    """Model what is called for its effect outside of the program."""
    del interpreter, call
    return Value(None)


def itself(_: Interpreter, call: Call) -> Value:
    """Model a method that returns its receiver, a function that returns its argument."""
    if call.receiver is not None:
        return call.receiver
    return call.args[0] if call.args else call.unknown()


def words_given(interpreter: Interpreter, given: Value | None) -> list[Value] | None:
    """Return the words that a parser reads: those given, else the run's; None if not all known."""
    items = listed(interpreter, given) if given is not None and given.data is not None else None
    if items is None:
        items = None if interpreter.arguments is None else list(interpreter.arguments)
    if items is None or not all(isinstance(item.data, str) for item in items):
        return None
    return items


def first_argument(_: Interpreter, call: Call) -> Value:
    """Model a function that gives back its first argument as it is."""
    return call.args[0] if call.args else call.unknown()


Refusal = Callable[[Value], bool]
"""Says of an argument whether a library refuses it."""
RANGE = re.compile(r"(?P<whole>int )?(?P<open>[\[(])(?P<low>-?\w+), (?P<high>-?\w+)(?P<end>[\])])")


def in_range(written: str) -> Refusal:
    """Return what says whether a number is out of a range, or a text none of some words."""
    match = RANGE.fullmatch(written)
    if match is None:
        words = frozenset(written.split())
        return lambda value: isinstance(value.data, str) and value.data not in words
    low, high = float(match["low"]), float(match["high"])
    whole, above, below = bool(match["whole"]), match["open"] == "(", match["end"] == ")"

    def refuses(value: Value) -> bool:
        number = value.data
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            return False
        out = number < low or number > high or (above and number == low)
        out = out or (below and number == high and not math.isinf(high))
        return out or (whole and isinstance(number, float))

    return refuses


def fill_names(hook: object) -> None:
    """Let the lists have items that are not known which a function may fill that is called later.

    They are those around it that it names, of a method those of its object, and those in
    dictionaries of these.
    """
    function = hook.function if isinstance(hook, BoundMethod) else hook
    if not isinstance(function, FunctionValue):
        return
    nodes = list(ast.walk(function.node))
    named = {node.id for node in nodes if isinstance(node, ast.Name)}
    named |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    scope: Environment | None = function.closure
    while scope is not None:
        for name in named & scope.names.keys():
            _fill(scope.names, name, named)
        scope = scope.outer
    if isinstance(hook, BoundMethod):
        _fill({"self": hook.receiver}, "self", named, DEEPEST_FILLED + 1)


DEEPEST_FILLED = 3
"""How deep lists that a function fills may lie in dictionaries and attributes."""


def _fill(
    held: MutableMapping[Any, Value], key: object, named: set[str], depth: int = DEEPEST_FILLED
) -> None:
    """Let a list have items that are not known, and those in what is no list."""
    data = held[key].data
    if isinstance(data, list):
        held[key] = grown(held[key])
    elif isinstance(data, dict) and depth:
        for inner in data:
            _fill(data, inner, named, depth - 1)
    elif isinstance(data, Instance) and depth:
        for inner in named & data.attributes.keys():
            _fill(data.attributes, inner, named, depth - 1)


def grown(held: Value) -> Value:
    """Return a list of which neither the items nor their number are known."""
    return Value(Lazy(Value(UNKNOWN, held.origins), Value(UNKNOWN, held.origins)), held.origins)

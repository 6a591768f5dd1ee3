"""Models of the settings of yacs (``CfgNode``), and of fvcore's class that is derived from it.

A value comes from the line of the program, of the file or of the command line that set it last.

Sources: the README of yacs with the docstrings of ``yacs/config.py``; fvcore's documentation of
``fvcore.common.config`` (``_BASE_``).
"""

from __future__ import annotations

import ast
import posixpath
from contextlib import suppress
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.libraries.python.files import file_of
from dl_bug_lsp.interpretation.libraries.settings.documents import document_of, settings
from dl_bug_lsp.interpretation.model_helpers import is_true, listed, nothing, with_origins
from dl_bug_lsp.interpretation.models import MODELS, Call, state_of
from dl_bug_lsp.interpretation.operators import PLAIN
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Instance,
    LibraryObject,
    Origin,
    Raised,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

NODE = "yacs.config.CfgNode"
FROZEN, NEW_ALLOWED, OLD = "__immutable__", "__new_allowed__", "__deprecated_keys__"
BASE = "_BASE_"
MOST_DEPTH = 20
MOST_BASES = 12
_CLASSES = (NODE, "fvcore.common.config.CfgNode", "detectron2.config.CfgNode")


def _flags(node: Value) -> dict[str, Value]:
    """Return where a node keeps what it is allowed."""
    if isinstance(node.data, LibraryObject) and isinstance(node.data.keywords, dict):
        return node.data.keywords
    return node.data.attributes if isinstance(node.data, Instance) else {}


def _entries(node: Value | None) -> dict[str, Value] | None:
    """Return the settings of a node, None of what is none."""
    data = None if node is None else node.data
    is_node = isinstance(data, Instance) or (isinstance(data, LibraryObject) and data.name == NODE)
    return state_of(node) if is_node else None


def _names(node: Value) -> list[str]:
    return [name for name in _entries(node) or () if not name.startswith("__")]


def _node(place: Origin, held: Value | None = None, depth: int = MOST_DEPTH) -> Value:
    """Return a node of a nested table, whose inner tables are nodes as well."""
    made = LibraryObject(NODE, (), {}, place, {})
    data = None if held is None else held.data
    for key, value in (data if isinstance(data, dict) and depth else {}).items():
        is_table = isinstance(value.data, dict)
        made.state[str(key)] = _node(place, value, depth - 1) if is_table else value
    return Value(made, merged(*([] if held is None else [held])))


@MODELS.function(*_CLASSES)
def _made(_: Interpreter, call: Call) -> Value:
    given, allowed = call.given(0, "init_dict"), call.given(2, "new_allowed")
    if given is not None and given.data is not None and not isinstance(given.data, dict):
        return call.unknown()
    made = _node(call.place, given)
    if allowed is not None:
        _set_flag(made, NEW_ALLOWED, allowed)
    return made


@MODELS.method("CfgNode", "__init__")
def _made_own(interpreter: Interpreter, call: Call) -> Value:
    """Make an object of a workspace class a node."""
    entries, made = state_of(call.receiver), _made(interpreter, call)
    if entries is not None:
        entries.update(state_of(made) or {})
    return Value(None)


def _set_flag(node: Value, name: str, value: Value, depth: int = MOST_DEPTH) -> None:
    _flags(node)[name] = value
    for inner in list((_entries(node) or {}).values()):
        if depth and _entries(inner) is not None:
            _set_flag(inner, name, value, depth - 1)


@MODELS.method("CfgNode", "freeze", "defrost", "set_new_allowed")
def _allowed(_: Interpreter, call: Call) -> Value:
    if call.receiver is not None and call.name == "set_new_allowed":
        _set_flag(call.receiver, NEW_ALLOWED, call.given(0) or Value(True))
    elif call.receiver is not None:
        _set_flag(call.receiver, FROZEN, Value(call.name == "freeze", frozenset({call.place})))
    return Value(None)


@MODELS.method("CfgNode", "is_frozen", "is_new_allowed")
def _is_allowed(_: Interpreter, call: Call) -> Value:
    name = FROZEN if call.name == "is_frozen" else NEW_ALLOWED
    return (
        call.unknown() if call.receiver is None else _flags(call.receiver).get(name, Value(False))
    )


@MODELS.method("CfgNode", "__setattr__", "__setitem__")
def _set(_: Interpreter, call: Call) -> Value:
    name, value, entries = call.given(0), call.given(1), state_of(call.receiver)
    if name is None or value is None or entries is None or call.receiver is None:
        return Value(None)
    frozen = _flags(call.receiver).get(FROZEN)
    if is_true(frozen) and frozen is not None:
        refusal = f"Attempted to set {name.data} to {value.data}, but CfgNode is immutable"
        raise Raised("attribute", refusal, Value(UNKNOWN, frozen.origins), value)
    entries[str(name.data)] = value
    return Value(None)


@MODELS.method("CfgNode", "register_deprecated_key", "register_renamed_key")
def _registered(_: Interpreter, call: Call) -> Value:
    name = call.args[0].data if call.args else None
    if call.receiver is not None and isinstance(name, str):
        held = _flags(call.receiver).setdefault(OLD, Value(set())).data
        if isinstance(held, set):
            held.add(name)
    return Value(None)


MODELS.method("CfgNode", "__str__", "__repr__")(lambda _, call: call.unknown())
MODELS.method("CfgNode", "raise_key_rename_error")(nothing)


@MODELS.method("CfgNode", "dump")
def _dumped(_: Interpreter, call: Call) -> Value:
    return call.unknown()


@MODELS.method("CfgNode", "clone", "copy")
def _clone(_: Interpreter, call: Call) -> Value:
    return call.unknown() if call.receiver is None else _copied(call.receiver)


def _copied(value: Value, depth: int = MOST_DEPTH) -> Value:
    data = value.data
    if isinstance(data, LibraryObject) and data.name == NODE and depth:
        made = LibraryObject(NODE, (), dict(data.keywords), data.made, {})
        made.state.update({k: _copied(v, depth - 1) for k, v in data.state.items()})
        return Value(made, value.origins)
    if isinstance(data, Instance) and depth:
        attributes = {k: _copied(v, depth - 1) for k, v in data.attributes.items()}
        return Value(Instance(data.cls, attributes, data.made), value.origins)
    if isinstance(data, list):
        return Value(list(data), value.origins)
    return Value(data, value.origins)


# --- merges ---------------------------------------------------------------------------------------


@MODELS.method("CfgNode", "merge_from_file")
def _merge_file(interpreter: Interpreter, call: Call) -> Value:
    path, node = call.given(0, "cfg_filename"), call.receiver
    file = file_of(interpreter, path)
    if file is None and path is not None and not path.known:
        file = interpreter.settings
    if file is None or node is None or _entries(node) is None:
        return Value(None)
    for source in reversed(_with_bases(interpreter, file)):
        _merge(source, node, _old(node), call.place)
    return Value(None)


def _with_bases(interpreter: Interpreter, file: str) -> list[Value]:
    """Return the settings of a file and of those that it builds on, itself first."""
    found: list[Value] = []
    next_file: str | None = file
    while next_file is not None and len(found) < MOST_BASES:
        held = settings(interpreter, next_file)
        if not isinstance(held.data, dict):
            break
        base = held.data.get(BASE)
        found.append(Value({k: v for k, v in held.data.items() if k != BASE}, held.origins))
        folder, next_file = posixpath.dirname(next_file), None
        if base is not None and isinstance(base.data, str):
            path = posixpath.normpath(posixpath.join(folder, base.data))
            next_file = path if interpreter.workspace.text(path) is not None else None
    return found


def _old(root: Value) -> frozenset[str]:
    held = _flags(root).get(OLD)
    return frozenset(held.data if held is not None and isinstance(held.data, set) else ())


@MODELS.method("CfgNode", "merge_from_other_cfg")
def _merge_other(_: Interpreter, call: Call) -> Value:
    other, node = call.given(0, "cfg_other"), call.receiver
    if other is not None and node is not None and _entries(other) is not None:
        _merge(other, node, _old(node), call.place)
    return Value(None)


def _merge(
    over: Value, node: Value, old: frozenset[str], place: Origin, path: tuple[str, ...] = ()
) -> None:
    """Merge settings into a node; raise for a key that it does not have."""
    entries = _entries(node)
    given = over.data if isinstance(over.data, dict) else _entries(over)
    if entries is None or given is None or len(path) > MOST_DEPTH:
        return
    for key, value in given.items():
        name = str(key)
        if name.startswith("__"):
            continue
        value = _decoded(value, place)
        full = ".".join((*path, name))
        before = entries.get(name)
        if before is not None:
            if _entries(before) is not None and _entries(value) is not None:
                _merge(value, before, old, place, (*path, name))
            else:
                entries[name] = _coerced(value, before, full)
        elif is_true(_flags(node).get(NEW_ALLOWED)):
            entries[name] = value
        elif full not in old:
            raise Raised(
                "key", f"Non-existent config key: {full}", Value(full, value.origins), node
            )


@MODELS.method("CfgNode", "merge_from_list")
def _merge_list(interpreter: Interpreter, call: Call) -> Value:
    items, node = listed(interpreter, call.given(0, "cfg_list")), call.receiver
    if items is None or node is None:
        return Value(None)
    if len(items) % 2:
        refusal = "Override list has odd length; it must be a list of pairs"
        raise Raised("value", refusal, *items[-1:])
    old = _old(node)
    for key, value in zip(items[::2], items[1::2], strict=True):
        if not isinstance(key.data, str) or key.data in old:
            continue
        *around, last = key.data.split(".")
        held: Value | None = node
        for part in around:
            held = (_entries(held) or {}).get(part)
        entries = _entries(held)
        if entries is None or last not in entries:
            raise Raised("key", f"Non-existent key: {key.data}", key, node)
        entries[last] = _coerced(_decoded(value, call.place), entries[last], key.data)
    return Value(None)


def _decoded(value: Value, place: Origin) -> Value:
    """Return a value as yacs reads it: tables are nodes, texts the literals that they are."""
    if isinstance(value.data, dict):
        return _node(place, value)
    if isinstance(value.data, str) and len(value.data) < 10_000:
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            return with_origins(ast.literal_eval(value.data), value.origins)
    return value


def _coerced(value: Value, before: Value, key: str) -> Value:
    """Return a value with the type of the one that it replaces; raise where that is refused."""
    new, old = type(value.data), type(before.data)
    held = (*PLAIN, list, tuple)
    is_plain = isinstance(value.data, held) and isinstance(before.data, held)
    if new is old or not is_plain or value.data is None or before.data is None:
        return value
    if isinstance(value.data, (list, tuple)) and isinstance(before.data, (list, tuple)):
        items = list(value.data)
        return Value(items if old is list else tuple(items), value.origins)
    refusal = (
        f"Type mismatch ({old.__name__} vs. {new.__name__}) with values "
        f"({before.data} vs. {value.data}) for config key: {key}"
    )
    raise Raised("value", refusal[:300], value, before)


# --- reading --------------------------------------------------------------------------------------


@MODELS.function("yacs.config.load_cfg", *(f"{name}.load_cfg" for name in _CLASSES))
def _load(interpreter: Interpreter, call: Call) -> Value:
    held = document_of(interpreter, call.given(0, "cfg_file_obj_or_str"))
    return _node(call.place, held) if isinstance(held.data, dict) else call.unknown()


@MODELS.method("CfgNode", "__getitem__", "get", "pop", "setdefault")
def _get(_: Interpreter, call: Call) -> Value:
    key, entries = call.given(0, "key"), _entries(call.receiver)
    if key is None or entries is None or call.receiver is None or not isinstance(key.data, str):
        return call.unknown()
    if key.data in entries:
        return entries.pop(key.data) if call.name == "pop" else entries[key.data]
    default = call.given(1, "default")
    if call.name == "setdefault":
        return entries.setdefault(key.data, default or Value(None))
    if call.name == "get" or default is not None:
        return default or Value(None, merged(key))
    raise Raised("key", f"{key.data!r}", key, call.receiver)


@MODELS.method("CfgNode", "keys", "values", "items", "__iter__", "__len__", "__contains__")
def _items(_: Interpreter, call: Call) -> Value:
    node, entries = call.receiver, _entries(call.receiver)
    if node is None or entries is None:
        return call.unknown()
    names = _names(node)
    if call.name == "__len__":
        return Value(len(names), node.origins)
    if call.name == "__contains__":
        key = call.args[0].data if call.args else UNKNOWN
        return Value(key in names if isinstance(key, str) else UNKNOWN, node.origins)
    pairs = [(Value(name, entries[name].origins), entries[name]) for name in names]
    if call.name == "items":
        return Value([Value(pair, merged(*pair)) for pair in pairs], node.origins)
    return Value([pair[call.name == "values"] for pair in pairs], node.origins)


@MODELS.method("CfgNode", "update")
def _update(_: Interpreter, call: Call) -> Value:
    entries, given = _entries(call.receiver), call.given(0)
    if entries is not None:
        others = None if given is None else given.data
        held = others if isinstance(others, dict) else _entries(given) or {}
        entries.update({str(key): value for key, value in held.items()})
        entries.update(call.keywords)
    return Value(None)

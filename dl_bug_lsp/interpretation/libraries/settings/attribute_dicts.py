"""Dictionaries whose keys are attributes: EasyDict, addict, Munch, Box, ml_collections.

Sources: the documentation of EasyDict, addict, Munch and Box; the README and the docstrings of
``ml_collections.ConfigDict`` (fields, locks, types) and of its ``config_flags``.
"""

from __future__ import annotations

import ast
import difflib
from contextlib import suppress
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.libraries.python.files import file_of
from dl_bug_lsp.interpretation.libraries.settings.commands import FLAGS, words_of_flags
from dl_bug_lsp.interpretation.model_helpers import is_true, itself, nothing, thing, with_origins
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import PLAIN, value_of
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    LibraryObject,
    Origin,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

EASY, ADDICT, MUNCH, BOX = (
    "easydict.EasyDict",
    "addict.AddictDict",
    "munch.Munch",
    "box.SettingsBox",
)
CONFIG, FROZEN = "ml_collections.ConfigDict", "ml_collections.FrozenConfigDict"
"""How the objects are called here: names whose last parts no other library has."""
KINDS = ("EasyDict", "AddictDict", "Munch", "SettingsBox", "ConfigDict", "FrozenConfigDict")
LOCKED, DEFAULT, PARENT, TYPED = "is locked", "is the default", "is below", "is typed"
"""Under which keywords an object keeps what is no entry of it."""
MOST_DEPTH = 20
_CONFIG_MODULES = (
    "ml_collections",
    "ml_collections.config_dict",
    "ml_collections.config_dict.config_dict",
)


def _made(name: str, given: Value | None, place: Origin, depth: int = MOST_DEPTH) -> Value:
    """Return a table of which the tables in it are of the same class."""
    made = LibraryObject(name, (), {}, place, {})
    data = None if given is None else given.data
    if isinstance(data, LibraryObject) and data.short in KINDS:
        data = data.state
    for key, value in (data if isinstance(data, dict) and depth else {}).items():
        made.state[key] = _inner(name, value, place, depth - 1)
    return Value(made, NOWHERE if given is None else given.origins)


def _inner(name: str, value: Value, place: Origin, depth: int = MOST_DEPTH) -> Value:
    """Return an entry as a table of a class holds it."""
    data = value.data
    if isinstance(data, LibraryObject) and data.short == "FieldReference" and data.args:
        return Value(data.args[0].data, merged(data.args[0], value))
    if isinstance(data, dict) and depth:
        return _made(name, value, place, depth)
    if isinstance(data, (list, tuple)) and depth and name not in (CONFIG, FROZEN):
        items = (_inner(name, item, place, depth - 1) for item in data)
        return Value(type(data)(items), value.origins)
    if name == FROZEN and isinstance(data, list):
        return Value(tuple(data), value.origins)
    return value


def _plain_table(value: Value, depth: int = MOST_DEPTH) -> Value:
    """Return a table with those in it as plain dictionaries."""
    data = value.data
    if isinstance(data, LibraryObject) and data.short in KINDS and depth:
        entries = {key: _plain_table(item, depth - 1) for key, item in data.state.items()}
        return Value(entries, value.origins)
    if isinstance(data, (list, tuple)) and depth:
        return Value(type(data)(_plain_table(item, depth - 1) for item in data), value.origins)
    return value


def _of_class(name: str, call: Call, given: Value | None) -> Value:
    if given is not None and given.data is not None and _entries_of(given) is None:
        return call.unknown()
    made = _made(name, given, call.place)
    data = made.data
    assert isinstance(data, LibraryObject)
    data.state.update({k: _inner(name, v, call.place) for k, v in call.keywords.items()})
    return made


def _entries_of(value: Value | None) -> dict[str, Value] | None:
    """Return the entries of a table, None of what is none."""
    data = None if value is None else value.data
    if isinstance(data, LibraryObject) and data.short in KINDS:
        return data.state
    return data if isinstance(data, dict) else None


@MODELS.function(EASY)
def _easy(_: Interpreter, call: Call) -> Value:
    return _of_class(EASY, call, call.args[0] if call.args else None)


@MODELS.function("addict.Dict")
def _addict(_: Interpreter, call: Call) -> Value:
    return _of_class(ADDICT, call, call.args[0] if call.args else None)


@MODELS.function("munch.munchify", "munch.Munch.fromDict")
def _munchified(_: Interpreter, call: Call) -> Value:
    given = call.args[0] if call.args else None
    return call.unknown() if given is None else _inner(MUNCH, given, call.place)


@MODELS.function("munch.Munch", "munch.DefaultMunch")
def _munch(_: Interpreter, call: Call) -> Value:
    """Make a Munch; the tables in it stay what they are."""
    has_default = call.name.endswith("DefaultMunch")
    given = call.given(1 if has_default else 0)
    entries = _entries_of(given)
    if given is not None and entries is None:
        return call.unknown()
    keywords = {DEFAULT: call.args[0]} if has_default and call.args else {}
    made = LibraryObject(MUNCH, (), keywords, call.place, {**(entries or {}), **call.keywords})
    return Value(made, merged(*([] if given is None else [given])))


@MODELS.function("box.Box", "box.ConfigBox")
def _box(_: Interpreter, call: Call) -> Value:
    options = {k: v for k, v in call.keywords.items() if k.startswith(("default_box", "box_"))}
    given = call.args[0] if call.args else None
    entries = {k: v for k, v in call.keywords.items() if k not in options}
    made = _of_class(BOX, Call(call.name, call.args, entries, call.place), given)
    frozen = call.keywords.get("frozen_box")
    if isinstance(made.data, LibraryObject) and (options or frozen is not None):
        keywords = {ADDICT: Value(True)} if is_true(options.get("default_box")) else {}
        made.data.keywords = keywords
        made.data.state.pop("frozen_box", None)
    return made


@MODELS.function(*(f"{module}.ConfigDict" for module in _CONFIG_MODULES))
def _config(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "initial_dictionary")
    made = _of_class(CONFIG, Call(call.name, call.args, {}, call.place), given)
    typed = call.given(1, "type_safe")
    if isinstance(made.data, LibraryObject) and typed is not None:
        made.data.keywords = {TYPED: typed}
    return made


@MODELS.function(*(f"{module}.FrozenConfigDict" for module in _CONFIG_MODULES))
def _frozen(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "initial_dictionary")
    return _of_class(FROZEN, Call(call.name, call.args, {}, call.place), given)


@MODELS.function(*(f"{module}.{name}" for module in _CONFIG_MODULES for name in (
    "placeholder", "required_placeholder")))  # fmt: skip
def _placeholder(_: Interpreter, call: Call) -> Value:
    """Return what a field holds until it is set."""
    return Value(None, frozenset({call.place}))


# --- entries --------------------------------------------------------------------------------------


def _missing(interpreter: Interpreter, call: Call, key: Value, kind: str) -> Value:
    """Return what a table gives for a key that it does not have; raise where it refuses it."""
    held, receiver = call.held, call.receiver
    assert held is not None and receiver is not None
    if DEFAULT in held.keywords:
        return held.keywords[DEFAULT]
    if held.name == ADDICT or ADDICT in held.keywords:
        inner = LibraryObject(held.name, (), {PARENT: receiver, **held.keywords}, call.place, {})
        inner.keywords = {ADDICT: Value(True), PARENT: receiver, "key": key}
        return Value(inner, merged(receiver, key))
    if not interpreter.is_failing() and kind == "attribute" and interpreter.GUESSES:
        return unknown(receiver)
    near = difflib.get_close_matches(str(key.data), map(str, held.state), n=1)
    sides = [next(v for k, v in held.state.items() if str(k) == n) for n in near]
    raised = Raised(kind, f"no entry {key.data!r}", key, unknown(*sides) if sides else receiver)
    raised.available = {str(name): value.origins for name, value in held.state.items()}
    raise raised


def _get(interpreter: Interpreter, call: Call) -> Value:
    held, key = call.held, call.given(0, "key", "k")
    if held is None or key is None or not isinstance(key.data, PLAIN):
        return call.unknown()
    entries: dict[object, Value] = held.state  # type: ignore[assignment]
    if key.data in entries:
        return entries.pop(key.data) if call.name == "pop" else entries[key.data]
    default = call.given(1, "default", "d")
    if call.name == "setdefault":
        made = _inner(held.name, default or Value(None), call.place)
        return entries.setdefault(key.data, made)
    if call.name == "get" or default is not None:
        return default or Value(None, merged(key))
    return _missing(interpreter, call, key, "attribute" if call.name == "__getattr__" else "key")


def _set(_: Interpreter, call: Call) -> Value:
    """Set an entry; raise where the table is locked or holds a value of another type."""
    held, key, value = call.held, call.given(0), call.given(1)
    if held is None or key is None or value is None or not isinstance(key.data, PLAIN):
        return Value(None)
    entries: dict[object, Value] = held.state  # type: ignore[assignment]
    if held.name == FROZEN:
        receiver = call.receiver or Value(UNKNOWN)
        raise Raised("attribute", "FrozenConfigDict is immutable.", receiver, value)
    if held.name == CONFIG:
        if key.data not in entries and is_true(held.keywords.get(LOCKED)):
            near = [
                entries[n]
                for n in difflib.get_close_matches(str(key.data), map(str, entries), n=1)
                if n in entries
            ]
            refusal = (
                f'Key "{key.data!s}" does not exist and cannot be added since the config is locked.'
            )
            lock = held.keywords[LOCKED]
            raise Raised("attribute", refusal, key, unknown(*near) if near else lock)
        typed = held.keywords.get(TYPED)
        if key.data in entries and (typed is None or typed.data is not False):
            value = _of_type(value, entries[key.data], str(key.data))
    kept = value if held.name in (MUNCH, ADDICT) else _inner(held.name, value, call.place)
    entries[key.data] = kept
    _attach(held, call.receiver)
    return Value(None)


def _attach(held: LibraryObject, receiver: Value | None) -> None:
    """Put a table that was asked for before it was there into the one above it."""
    for _ in range(MOST_DEPTH):
        above, key = held.keywords.get(PARENT), held.keywords.get("key")
        if above is None or key is None or receiver is None:
            return
        if not isinstance(above.data, LibraryObject) or key.data in above.data.state:
            return
        above.data.state[str(key.data)] = Value(held, merged(receiver))
        held, receiver = above.data, above


def _of_type(value: Value, before: Value, key: str) -> Value:
    """Return a value for a field of a type; raise where it has another."""
    new, old = value.data, before.data
    held = (bool, int, float, str, list, tuple)
    if not isinstance(new, held) or not isinstance(old, held) or isinstance(new, type(old)):
        return value
    if isinstance(old, float) and isinstance(new, int):
        return Value(float(new), value.origins)
    if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        return Value(type(old)(new), value.origins)
    refusal = (
        f"Could not override field '{key}' (reference). {str(new)[:80]} is of original type "
        f"{type(new)} and cannot be casted to type {type(old)}"
    )
    raise Raised("type", refusal, value, before)


def _updated(interpreter: Interpreter, call: Call) -> Value:
    held = call.held
    given = call.args[0] if call.args else None
    if held is None:
        return Value(None)
    for key, value in {**(_entries_of(given) or {}), **call.keywords}.items():
        before = held.state.get(key)
        own = before.data if before is not None else None
        is_nested = held.name in (CONFIG, ADDICT) and _entries_of(value) is not None
        if before is not None and is_nested and isinstance(own, LibraryObject):
            _updated(interpreter, Call("update", (value,), {}, call.place, before))
        else:
            named = value_of(key, value.origins)
            _set(interpreter, Call("__setitem__", (named, value), {}, call.place, call.receiver))
    return Value(None)


def _flat(interpreter: Interpreter, call: Call) -> Value:
    """Set entries by names with dots."""
    entries = _entries_of(call.args[0] if call.args else None)
    for key, value in (entries or {}).items():
        _set_at(interpreter, call.receiver, str(key), value, call.place)
    return Value(None)


def _set_at(
    interpreter: Interpreter, root: Value | None, name: str, value: Value, place: Origin
) -> None:
    """Set the entry of a dotted name; raise where there is no such entry."""
    *around, last = name.split(".")
    held = root
    for part in around:
        inner = (_entries_of(held) or {}).get(part)
        if inner is None:
            raise Raised("key", f"{part!r}", Value(name, value.origins), held or Value(UNKNOWN))
        held = inner
    _set(interpreter, Call("__setitem__", (Value(last, value.origins), value), {}, place, held))


def _items(_: Interpreter, call: Call) -> Value:
    held, receiver = call.held, call.receiver
    if held is None or receiver is None:
        return call.unknown()
    origins = receiver.origins
    if call.name == "__len__":
        return Value(len(held.state), origins)
    if call.name == "__contains__":
        key = call.args[0].data if call.args else UNKNOWN
        return Value(key in held.state if isinstance(key, PLAIN) else UNKNOWN, origins)
    pairs = [(value_of(key, value.origins), value) for key, value in held.state.items()]
    if call.name == "items":
        return Value([Value(pair, merged(*pair)) for pair in pairs], origins)
    return Value([pair[call.name == "values"] for pair in pairs], origins)


def _copied(_: Interpreter, call: Call) -> Value:
    held, receiver = call.held, call.receiver
    if held is None or receiver is None:
        return call.unknown()
    name = CONFIG if call.name == "as_configdict" else held.name
    return _made(name, receiver, call.place)


def _as_plain(_: Interpreter, call: Call) -> Value:
    return call.unknown() if call.receiver is None else _plain_table(call.receiver)


MODELS.function("munch.unmunchify")(
    lambda _, call: _plain_table(call.args[0]) if call.args else call.unknown()
)
for _kind in KINDS:
    MODELS.method(_kind, "get", "pop", "setdefault", "__getitem__", "__getattr__")(_get)
    MODELS.method(_kind, "__setitem__", "__setattr__")(_set)
    MODELS.method(_kind, "update", "merge_update")(_updated)
    MODELS.method(_kind, *("keys", "values", "items", "__iter__", "__len__", "__contains__"))(
        _items
    )
    MODELS.method(_kind, "copy", "deepcopy", "copy_and_resolve_references", "as_configdict")(
        _copied
    )
    MODELS.method(_kind, "to_dict", "toDict")(_as_plain)
    MODELS.method(_kind, "to_json", "to_yaml", "toJSON", "toYAML", "get_ref", "get_oneway_ref")(
        lambda _, call: call.unknown()
    )
    MODELS.method(_kind, "update_from_flattened_dict")(_flat)


# --- locks of ml_collections ----------------------------------------------------------------------


def _lock(_: Interpreter, call: Call) -> Value:
    if call.receiver is not None:
        _set_lock(call.receiver, Value(call.name == "lock", frozenset({call.place})))
    return call.receiver or Value(None)


def _set_lock(value: Value, locked: Value, depth: int = MOST_DEPTH) -> None:
    data = value.data
    if not isinstance(data, LibraryObject) or data.name != CONFIG or not depth:
        return
    data.keywords = {**data.keywords, LOCKED: locked}
    for inner in data.state.values():
        _set_lock(inner, locked, depth - 1)


@MODELS.method("ConfigDict", "unlocked", "ignore_type")
def _unlocked(_: Interpreter, call: Call) -> Value:
    made = thing("ml_collections.Unlocked", call, table=call.receiver or Value(UNKNOWN))
    data = None if call.receiver is None else call.receiver.data
    if isinstance(data, LibraryObject) and isinstance(made.data, LibraryObject):
        made.data.keywords = dict(data.keywords)
        if call.name == "ignore_type":
            data.keywords = {**data.keywords, TYPED: Value(False)}
        else:
            _set_lock(call.receiver or Value(UNKNOWN), Value(False))
    return made


@MODELS.method("Unlocked", "__exit__")
def _locked_again(_: Interpreter, call: Call) -> Value:
    table = call.state["table"]
    if isinstance(table.data, LibraryObject) and call.held is not None:
        before = call.held.keywords
        table.data.keywords = {
            k: v for k, v in table.data.keywords.items() if k not in (LOCKED, TYPED)
        }
        if LOCKED in before:
            _set_lock(table, before[LOCKED])
        if TYPED in before:
            table.data.keywords = {**table.data.keywords, TYPED: before[TYPED]}
    return Value(None)


MODELS.method("Unlocked", "__enter__")(itself)
MODELS.method("ConfigDict", "lock", "unlock")(_lock)
MODELS.method("ConfigDict", "is_locked")(
    lambda _, call: (
        call.held.keywords.get(LOCKED, Value(False)) if call.held is not None else call.unknown()
    )
)


# --- config flags ---------------------------------------------------------------------------------


@MODELS.function(
    "ml_collections.config_flags.DEFINE_config_file",
    "ml_collections.config_flags.config_flags.DEFINE_config_file",
    "config_flags.DEFINE_config_file",
)
def _config_file(interpreter: Interpreter, call: Call) -> Value:
    """Make the settings that ``get_config`` of a file returns a flag, with those of the words.

    ``--config=file.py:text`` hands the text to ``get_config``; ``--config.a.b=3`` sets an entry.
    """
    name, default = call.given(0, "name"), call.given(1, "default")
    if name is None or not isinstance(name.data, str):
        return call.unknown()
    words = words_of_flags(interpreter)
    path = words.get(name.data) or default
    table = _returned(interpreter, path, call)
    for flag, word in words.items():
        root, _, rest = flag.partition(".")
        if root == name.data and rest and isinstance(table.data, LibraryObject):
            _set_at(interpreter, table, rest, _literal_of(word), call.place)
    locked = call.keywords.get("lock_config")
    if locked is None or locked.data is not False:
        _set_lock(table, Value(True, frozenset({call.place})))
    FLAGS.setdefault(interpreter, {})[name.data] = table
    return thing("absl.flags.FlagHolder", call, value=table, default=table)


def _returned(interpreter: Interpreter, path: Value | None, call: Call) -> Value:
    """Return what ``get_config`` of a file gives."""
    text = path.data if path is not None else None
    file: str | None = interpreter.settings if path is None or text is UNKNOWN else None
    argument: tuple[Value, ...] = ()
    if isinstance(text, str) and path is not None:
        written, mark, rest = text.partition(":")
        file = file_of(interpreter, Value(written, path.origins))
        argument = (Value(rest, path.origins),) if mark else ()
    if file is None or not file.endswith(".py"):
        return call.unknown()
    module = interpreter.module(file, file.removesuffix(".py").replace("/", "."))
    made = interpreter.attribute(module, "get_config", call.place)
    return interpreter.call(made, argument, {}, call.place)


def _literal_of(word: Value) -> Value:
    if isinstance(word.data, str):
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            return with_origins(ast.literal_eval(word.data), word.origins)
        lowered = word.data.lower()
        if lowered in ("true", "false"):
            return Value(lowered == "true", word.origins)
    return word


MODELS.function("ml_collections.config_flags.DEFINE_config_dict")(nothing)

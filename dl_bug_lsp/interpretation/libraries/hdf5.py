"""Models of HDF5 files: groups, data sets and attributes that programs write and read again.

What the files of the workspace hold is not read: only what a followed program, or a command before
it, wrote is known. Source: the h5py 3 documentation ("File Objects", "Groups", "Datasets",
"Attributes"), pandas' of ``DataFrame.to_hdf`` and ``read_hdf``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from dl_bug_lsp.interpretation import matrix_values, operators, table_values
from dl_bug_lsp.interpretation.arrays import array, number
from dl_bug_lsp.interpretation.libraries.numpy.functions import (
    STORED,
    as_array,
    dtype_name,
    is_object_type,
    new,
)

# The model of files of tables below refines its.
from dl_bug_lsp.interpretation.libraries.pandas import reading  # noqa: F401
from dl_bug_lsp.interpretation.libraries.python.files import (
    file_of,
    keep_open,
    kept_in,
    named_by,
    note_written,
)
from dl_bug_lsp.interpretation.model_helpers import is_true, itself, nothing, state_of, text_of
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    LibraryObject,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

FORM = "hdf5"
TABLES_FORM = "hdf"
FILE = "h5py.File"
GROUP = "h5py.Group"
ENDINGS = (".h5", ".hdf5", ".hdf", ".he5")
ATTRIBUTES = ("attributes",)
"""Under which key, which is no name, the root of a file has the attributes by path."""
READ_ONLY = "Unable to synchronously create an object (no write intent on file)"
TAKEN = "Unable to synchronously create an object (name already exists)"
CLOSED = "identifier is not of specified type"
Tree: TypeAlias = "dict[object, Value]"
"""What a group holds by name: groups as dictionaries, data sets as arrays."""


# Files.


@MODELS.function(FILE)
def _open(interpreter: Interpreter, call: Call) -> Value:
    """Open a file; raise where it is to be read and is not there."""
    path = call.given(0, "name")
    mode = call.given(1, "mode") or Value("r")
    if path is None:
        return call.unknown()
    root = _root(interpreter, path, mode)
    if mode.data != "r":
        note_written(interpreter, path)
        keep_open(interpreter, path, FORM, root)
    state = {"root": root, "group": root, "name": Value("/"), "mode": mode, "filename": path}
    made = LibraryObject(FILE, call.args, dict(call.keywords), call.place, state)
    made.state["file"] = Value(made)
    return Value(made, named_by(path) | {call.place})


def _root(interpreter: Interpreter, path: Value, mode: Value) -> Value:
    """Return what a file holds as it is opened."""
    if mode.data in ("w", "w-", "x"):
        return Value({}, named_by(path))
    if not isinstance(mode.data, str):
        return Value(UNKNOWN, merged(path, mode))
    held = kept_in(interpreter, path, FORM)
    if held is not None:
        return held
    try:
        file_of(interpreter, path, ENDINGS)
    except Raised:
        if mode.data != "a":
            raise
        return Value({}, named_by(path))
    return Value(UNKNOWN, named_by(path))


MODELS.method("File", "__enter__")(itself)
MODELS.method("File", "flush")(nothing)


@MODELS.method("File", "close", "__exit__")
def _close(_: Interpreter, call: Call) -> Value:
    call.state["closed"] = Value(data=True, origins=frozenset({call.place}))
    return Value(None)


def _refuse_closed(call: Call) -> None:
    """Raise where the file was closed before its group or data set is asked for something."""
    closed = state_of(state_of(call.receiver, "file"), "closed")
    if closed.data is True and call.receiver is not None:
        raise Raised("value", CLOSED, closed, call.receiver)


# Groups.


def _tree(call: Call) -> Tree | None:
    """Return what a group holds, None where it is not known."""
    _refuse_closed(call)
    data = state_of(call.receiver, "group").data
    return data if isinstance(data, dict) else None


def _names(tree: Tree) -> list[str]:
    """Return the names in a group, in the order in which HDF5 lists them."""
    return sorted(name for name in tree if isinstance(name, str))


def _steps(call: Call, path: str) -> tuple[list[str], str]:
    """Return the names on a path, and the path from the root of the file."""
    steps = [step for step in path.split("/") if step]
    base = "/" if path.startswith("/") else str(state_of(call.receiver, "name").data)
    return steps, "/".join((base.rstrip("/"), *steps)) or "/"


def _start(call: Call, path: str) -> Value:
    return state_of(call.receiver, "root" if path.startswith("/") else "group")


def _handle(call: Call, held: Value, path: str, parent: Tree | None, key: Value) -> Value:
    """Return the object of a group or a data set."""
    shared = {name: state_of(call.receiver, name) for name in ("root", "file")}
    shared["name"] = Value(path, key.origins)
    origins = merged(held, key)
    if isinstance(held.data, dict):
        state = {**shared, "group": held}
        return Value(LibraryObject(GROUP, (), {}, call.place, state), origins)
    if array(held) is None:
        return Value(UNKNOWN, origins | {call.place})
    within = Value(parent if parent is not None else {})
    state = {**shared, "array": held, "within": within, "key": Value(path.rpartition("/")[2])}
    return Value(LibraryObject(STORED, (), {}, call.place, state), origins)


@MODELS.method("File", "__getitem__", "get")
@MODELS.method("Group", "__getitem__", "get")
def _member(_: Interpreter, call: Call) -> Value:
    """Return what stands under a path; raise where there is nothing."""
    key = call.given(0, "name")
    path = text_of(key)
    if _tree(call) is None or key is None or path is None:
        return call.unknown()
    held, parent = _start(call, path), None
    steps, whole = _steps(call, path)
    for step in steps:
        parent = held.data if isinstance(held.data, dict) else None
        if parent is None or step not in parent:
            if held.data is UNKNOWN:
                return unknown(held, key)
            if call.name == "get":
                return call.given(1, "default") or Value(None)
            raise _missing(key, step, held)
        held = parent[step]
    return _handle(call, held, whole, parent, key)


def _missing(key: Value, step: str, held: Value) -> Raised:
    raised = Raised("key", f"object {step!r} doesn't exist", key, held)
    if isinstance(held.data, dict):
        raised.available = {name: held.data[name].origins for name in _names(held.data)}
    return raised


@MODELS.method("File", "__contains__")
@MODELS.method("Group", "__contains__")
def _contains(_: Interpreter, call: Call) -> Value:
    key = call.given(0)
    path = text_of(key)
    if _tree(call) is None or key is None or path is None:
        return call.unknown()
    held = _start(call, path)
    for step in _steps(call, path)[0]:
        if held.data is UNKNOWN:
            return unknown(held, key)
        if not isinstance(held.data, dict) or step not in held.data:
            return Value(data=False, origins=merged(held, key))
        held = held.data[step]
    return Value(data=True, origins=merged(held, key))


@MODELS.method("File", "keys", "values", "items", "__iter__", "__len__")
@MODELS.method("Group", "keys", "values", "items", "__iter__", "__len__")
def _members(_: Interpreter, call: Call) -> Value:
    tree = _tree(call)
    origins = state_of(call.receiver, "group").origins
    if tree is None:
        return number("int64", lowest=0) if call.name == "__len__" else call.unknown()
    names = _names(tree)
    if call.name == "__len__":
        return Value(len(names), origins | merged(*tree.values()))
    keys = [Value(name, tree[name].origins) for name in names]
    if call.name in ("keys", "__iter__"):
        return Value(keys, origins)
    base = str(state_of(call.receiver, "name").data).rstrip("/")
    handles = [
        _handle(call, tree[name], f"{base}/{name}", tree, key)
        for name, key in zip(names, keys, strict=True)
    ]
    if call.name == "values":
        return Value(handles, origins)
    pairs = zip(keys, handles, strict=True)
    return Value([Value(pair, merged(*pair)) for pair in pairs], origins)


def _place_for(call: Call, path: str) -> tuple[Tree, str] | None:
    """Return the group in which a path ends and its last name; groups on the way are made.

    Raises `Raised` ("value") where the file is open for reading alone. None where the group is not
    known.
    """
    mode = state_of(state_of(call.receiver, "file"), "mode")
    if mode.data == "r":
        raise Raised("value", READ_ONLY, mode)
    held = _start(call, path)
    steps, _ = _steps(call, path)
    for step in steps[:-1]:
        if not isinstance(held.data, dict):
            return None
        held = held.data.setdefault(step, Value({}, frozenset({call.place})))
    return (held.data, steps[-1]) if isinstance(held.data, dict) and steps else None


@MODELS.method("File", "create_group", "require_group")
@MODELS.method("Group", "create_group", "require_group")
def _make_group(_: Interpreter, call: Call) -> Value:
    """Make a group; raise where something has its name."""
    key = call.given(0, "name")
    path = text_of(key)
    if _tree(call) is None or key is None or path is None:
        return call.unknown()
    place = _place_for(call, path)
    if place is None:
        return call.unknown()
    tree, name = place
    if name in tree and call.name == "create_group":
        raise Raised("value", TAKEN, key, tree[name])
    held = tree.setdefault(name, Value({}, key.origins | {call.place}))
    return _handle(call, held, _steps(call, path)[1], tree, key)


@MODELS.method("File", "create_dataset", "require_dataset")
@MODELS.method("Group", "create_dataset", "require_dataset")
def _make_dataset(_: Interpreter, call: Call) -> Value:
    """Make a data set; raise where something has its name."""
    key = call.given(0, "name")
    path = text_of(key)
    if _tree(call) is None or key is None or path is None:
        return call.unknown()
    place = _place_for(call, path)
    if place is None:
        return call.unknown()
    tree, name = place
    if name in tree and call.name == "create_dataset":
        raise Raised("value", TAKEN, key, tree[name])
    if name not in tree:
        tree[name] = _created(call)
    return _handle(call, tree[name], _steps(call, path)[1], tree, key)


def _created(call: Call) -> Value:
    """Return the array of a new data set: float32 where neither type nor data are given."""
    shape, asked, data = call.given(1, "shape"), call.given(2, "dtype"), call.given(3, "data")
    dtype = None if asked is None or asked.data is None else _dtype(asked)
    is_asked = asked is not None and asked.data is not None
    here = frozenset({call.place})
    if data is not None and data.data is not None:
        held = _on_disk(data)
        made = array(held)
        assert made is not None
        if is_asked and dtype != made.dtype and asked is not None:
            cast = new(made.shape, dtype, merged(held, asked), (made.lowest, made.highest))
            held = cast
        return Value(held.data, held.origins | here)
    if shape is None:
        return Value(UNKNOWN, here)
    sizes = shape.data if isinstance(shape.data, (list, tuple)) else (shape,)
    origins = merged(shape, *sizes, *([] if asked is None else [asked])) | here
    return new(tuple(sizes), dtype if is_asked else "float32", origins)


def _dtype(asked: Value) -> str | None:
    if is_object_type(asked) or (isinstance(asked.data, LibraryObject) and asked.data.args == ()):
        return "object"
    if isinstance(asked.data, str):
        return {"f": "float32", "i": "int32"}.get(asked.data) or dtype_name(asked)
    return dtype_name(asked)


def _on_disk(data: Value) -> Value:
    """Return an array as it is read again: texts are bytes."""
    if isinstance(data.data, str):
        return new((), "object", data.origins)
    held = as_array(data)
    if not isinstance(held.data, table_values.Series) or held.data.dtype != "object":
        return held
    texts = held.data.cells
    if texts is None or not all(isinstance(text, str) for text in texts):
        return new(held.data.shape, "object", held.origins)
    written = tuple(text.encode() for text in texts if isinstance(text, str))
    series = table_values.Series(held.data.shape, "object", "numpy", None, None, None, written)
    return Value(series, held.origins)


@MODELS.function("h5py.string_dtype", "h5py.special_dtype", "h5py.vlen_dtype")
def _text_dtype(_: Interpreter, call: Call) -> Value:
    return Value(LibraryObject("h5py.dtype", (), {}, call.place), frozenset({call.place}))


@MODELS.method("File", "__setitem__")
@MODELS.method("Group", "__setitem__")
def _assign(_: Interpreter, call: Call) -> Value:
    """Make a data set of an array, or a link to a group or data set."""
    key, data = call.given(0), call.given(1)
    path = text_of(key)
    if _tree(call) is None or key is None or path is None or data is None:
        return Value(None)
    place = _place_for(call, path)
    if place is None:
        return Value(None)
    tree, name = place
    if name in tree:
        raise Raised("value", TAKEN, key, tree[name])
    linked = None
    if isinstance(data.data, LibraryObject) and data.data.name in (GROUP, STORED):
        linked = data.data.state.get("group") or data.data.state.get("array")
    held = linked or _on_disk(data)
    tree[name] = Value(held.data, held.origins | {call.place})
    return Value(None)


# Data sets.


@MODELS.method("H5Dataset", "__getitem__")
def _read(_: Interpreter, call: Call) -> Value:
    """Return the part of a data set that an index selects, as an array."""
    held = _stored(call)
    keys: Sequence[Value] = call.args
    if len(keys) == 1 and isinstance(keys[0].data, tuple):
        keys = keys[0].data
    keys = [key for key in keys if key.data is not ...] if len(keys) == 1 else keys
    if not keys:
        return Value(held.data, held.origins | {call.place})
    bounds = [operators.bounds_of_slice(key) for key in keys]
    parts = [key if b is None else Value(None) for key, b in zip(keys, bounds, strict=True)]
    found = None
    if isinstance(held.data, table_values.Series) and len(parts) == 1:
        found = table_values.subscripted(held, parts[0], bounds[0], frozenset({call.place}))
    if isinstance(held.data, matrix_values.Grid):
        found = matrix_values.subscripted(held, parts, bounds)
    return operators.indexed(held, parts, bounds) if found is None else found


def _stored(call: Call) -> Value:
    """Return the array of a data set."""
    _refuse_closed(call)
    tree = state_of(call.receiver, "within").data
    name = state_of(call.receiver, "key").data
    kept: Value | None = tree.get(name) if isinstance(tree, dict) else None
    if kept is not None and array(kept) is not None:
        return kept
    return state_of(call.receiver, "array")


@MODELS.method("H5Dataset", "__setitem__")
def _write(_: Interpreter, call: Call) -> Value:
    """Write a part of a data set: its shape and dtype stay."""
    held = array(_stored(call))
    if held is None or not call.args:
        return Value(None)
    _put(call, new(held.shape, held.dtype, merged(_stored(call), call.args[-1]) | {call.place}))
    return Value(None)


def _put(call: Call, changed: Value) -> None:
    tree = state_of(call.receiver, "within").data
    if isinstance(tree, dict):
        tree[state_of(call.receiver, "key").data] = changed
    call.state["array"] = changed


@MODELS.method("H5Dataset", "resize")
def _resize(_: Interpreter, call: Call) -> Value:
    """Change the size of a data set, along one axis where one is given."""
    held, wanted, axis = array(_stored(call)), call.given(0, "size"), call.given(1, "axis")
    if held is None or wanted is None:
        return Value(None)
    sizes = wanted.data if isinstance(wanted.data, (list, tuple)) else None
    if axis is not None and held.shape is not None and isinstance(axis.data, int):
        at = axis.data % len(held.shape) if held.shape else 0
        sizes = [wanted if i == at else size for i, size in enumerate(held.shape)]
    origins = merged(_stored(call), wanted) | {call.place}
    _put(call, new(None if sizes is None else tuple(sizes), held.dtype, origins))
    return Value(None)


@MODELS.method("H5Dataset", "__iter__", "__len__")
def _rows(_: Interpreter, call: Call) -> Value:
    held = _stored(call)
    if call.name == "__iter__":
        return held
    data = array(held)
    if data is not None and data.shape and isinstance(data.shape[0].data, int):
        return Value(data.shape[0].data, data.shape[0].origins or held.origins)
    return number("int64", held, lowest=0)


@MODELS.method("H5Dataset", "astype", "asstr")
def _view(interpreter: Interpreter, call: Call) -> Value:
    """Return a view that is read with another type: texts, or that of ``astype``."""
    held = _stored(call)
    if call.name == "asstr":
        data = array(held)
        texts = data.cells if isinstance(data, table_values.Series) else None
        known = texts is not None and all(isinstance(text, bytes) for text in texts)
        if texts is not None and known and isinstance(data, table_values.Series):
            read = tuple(text.decode() for text in texts if isinstance(text, bytes))
            held = Value(replace(data, cells=read), held.origins | {call.place})
    else:
        asked = Call("astype", call.args, call.keywords, call.place, held)
        held = MODELS.methods["array", "astype"](interpreter, asked)
    state = {**call.state, "array": held, "within": Value({})}
    return Value(LibraryObject(STORED, (), {}, call.place, state), held.origins)


@MODELS.attribute("H5Dataset", "shape", "dtype", "ndim", "size")
def _of_array(interpreter: Interpreter, call: Call) -> Value:
    return interpreter.attribute(_stored(call), call.name, call.place)


@MODELS.attribute("H5Dataset", "attrs", "name", "file")
@MODELS.attribute("Group", "attrs", "name", "file")
@MODELS.attribute("File", "attrs", "name", "file", "filename", "mode")
def _of_object(_: Interpreter, call: Call) -> Value:
    """Return the attributes of a group or a data set as a dictionary, or what it is named."""
    if call.name != "attrs":
        return state_of(call.receiver, call.name)
    root, path = state_of(call.receiver, "root"), state_of(call.receiver, "name")
    if not isinstance(root.data, dict) or not isinstance(path.data, str):
        return call.unknown()
    every = root.data.setdefault(ATTRIBUTES, Value({})).data
    assert isinstance(every, dict)
    held: Value = every.setdefault(path.data, Value({}))
    return held


# Tables of pandas.


@MODELS.method("table", "to_hdf")
def _save_table(interpreter: Interpreter, call: Call) -> Value:
    """Keep a table under its key, beside those that the file has."""
    path, key = call.given(0, "path_or_buf"), call.given(1, "key")
    note_written(interpreter, path)
    if path is None or key is None or call.receiver is None or not isinstance(key.data, str):
        return Value(None)
    before = kept_in(interpreter, path, TABLES_FORM) if call.keywords.get("mode") is None else None
    held = dict(before.data) if before is not None and isinstance(before.data, dict) else {}
    held[key.data.strip("/")] = call.receiver
    keep_open(interpreter, path, TABLES_FORM, Value(held))
    return Value(None)


@MODELS.function("pandas.read_hdf")
def _read_table(interpreter: Interpreter, call: Call) -> Value:
    """Return the table under a key, without one the only table; raise where there is none."""
    path, key = call.given(0, "path_or_buf"), call.given(1, "key")
    held = kept_in(interpreter, path, TABLES_FORM)
    if held is None or not isinstance(held.data, dict) or is_true(call.keywords.get("iterator")):
        return call.unknown()
    if key is None or key.data is None:
        return next(iter(held.data.values())) if len(held.data) == 1 else call.unknown()
    if not isinstance(key.data, str):
        return call.unknown()
    found = held.data.get(key.data.strip("/"))
    if found is None:
        raise Raised("key", f"No object named {key.data} in the file", key, held)
    return Value(found.data, merged(found, key))

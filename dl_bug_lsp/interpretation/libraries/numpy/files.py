"""Files of arrays that a program loads with NumPy: the shapes and dtypes that the files hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.libraries.numpy.functions import as_array
from dl_bug_lsp.interpretation.libraries.python.files import (
    PICKLE,
    explained_by_writer,
    file_of,
    kept_in,
    named_by,
)
from dl_bug_lsp.interpretation.model_helpers import nothing, thing
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.table_values import Series
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    Array,
    LibraryObject,
    Origins,
    Raised,
    Table,
    Value,
    merged,
)
from dl_bug_lsp.workspace.binary_files import StoredArray

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

ARCHIVE = "numpy.lib.npyio.NpzFile"
PICKLED = "Object arrays cannot be loaded when allow_pickle=False"


@MODELS.function("numpy.load")
def _load(interpreter: Interpreter, call: Call) -> Value:
    """Return the array of a file, or the archive of several."""
    path = call.given(0, "file")
    saved = kept_in(interpreter, path, "array")
    if saved is not None:
        return _loaded(saved, call)
    archived = kept_in(interpreter, path, "archive")
    if archived is not None and isinstance(archived.data, dict):
        return _archive(archived, call)
    allowed = call.given(2, "allow_pickle")
    if allowed is not None and allowed.data is not False:
        pickled = kept_in(interpreter, path, PICKLE)
        if pickled is not None:
            return pickled
    file = file_of(interpreter, path, (".npz", ".npy"))
    stored = interpreter.workspace.arrays(file) if file is not None else None
    if stored is None or file is None or path is None:
        return call.unknown()
    origins = named_by(path) | {call.place}
    unpickles = allowed is not None and allowed.data is not False
    if not file.endswith(".npz"):
        if stored[0].dtype == "object" and not unpickles:
            raise Raised("value", PICKLED, Value(file, origins))
        return explained_by_writer(interpreter, path, "array", _array(stored[0], origins))
    arrays = Value({array.name: _array(array, origins) for array in stored}, origins)
    held = explained_by_writer(interpreter, path, "archive", arrays)
    return _archive(held, call)


OBJECT = "numpy.ObjectScalar"
"""An array without axes that holds an object of Python, as ``numpy.save`` writes a dictionary."""


def _loaded(saved: Value, call: Call) -> Value:
    """Return what ``numpy.save`` wrote as ``numpy.load`` gives it back: an array of it."""
    if isinstance(saved.data, dict):
        unpickles = call.given(2, "allow_pickle")
        if unpickles is None or unpickles.data is False:
            raise Raised("value", PICKLED, saved)
        return thing(OBJECT, call, held=saved)
    return as_array(saved) if isinstance(saved.data, (list, tuple, Table)) else saved


@MODELS.method("ObjectScalar", "item", "tolist", "__getitem__")
def _held_object(_: Interpreter, call: Call) -> Value:
    """Return the object that an array without axes holds."""
    key = call.given(0) if call.name == "__getitem__" else None
    return call.unknown() if key is not None and key.data != () else call.state["held"]


@MODELS.attribute("ObjectScalar", "shape", "ndim", "size")
def _no_axes(_: Interpreter, call: Call) -> Value:
    shown = {"shape": (), "ndim": 0, "size": 1}[call.name]
    return Value(shown, NOWHERE if call.receiver is None else call.receiver.origins)


def _archive(arrays: Value, call: Call) -> Value:
    """Return the archive of arrays by name."""
    entries = arrays.data if isinstance(arrays.data, dict) else {}
    held = {str(name): value for name, value in entries.items()}
    archive = LibraryObject(ARCHIVE, call.args, dict(call.keywords), call.place, held)
    return Value(archive, arrays.origins)


def _array(stored: StoredArray, origins: Origins) -> Value:
    shape = tuple(Value(number, origins) for number in stored.shape)
    bounds = (stored.lowest, stored.highest)
    if stored.cells is None:
        return Value(Array(shape, stored.dtype, "numpy", None, *bounds), origins)
    return Value(Series(shape, stored.dtype, "numpy", None, *bounds, stored.cells), origins)


@MODELS.method("NpzFile", "__getitem__", "get")
def _member(_: Interpreter, call: Call) -> Value:
    """Return an array of an archive; raise where it has none of the name."""
    key, held = call.given(0), call.state
    if key is None or not isinstance(key.data, str) or call.receiver is None:
        return call.unknown()
    found = held.get(key.data.removesuffix(".npy"))
    if found is not None:
        return Value(found.data, merged(found, key) | {call.place})
    if call.name == "get":
        return call.given(1) or Value(None)
    raised = Raised("key", f"{key.data} is not a file in the archive", key, call.receiver)
    raised.available = {name: frozenset(value.origins) for name, value in held.items()}
    raise raised


@MODELS.method("NpzFile", "keys", "values", "items", "__iter__", "__len__")
def _members(_: Interpreter, call: Call) -> Value:
    origins = merged(*call.state.values())
    if call.name == "__len__":
        return Value(len(call.state), origins)
    if call.name == "values":
        return Value(list(call.state.values()), origins)
    if call.name == "items":
        pairs = [(Value(name, value.origins), value) for name, value in call.state.items()]
        return Value([Value(pair, merged(*pair)) for pair in pairs], origins)
    return Value([Value(name, value.origins) for name, value in call.state.items()], origins)


@MODELS.attribute("NpzFile", "files")
def _names(_: Interpreter, call: Call) -> Value:
    return Value([Value(name, value.origins) for name, value in call.state.items()])


MODELS.method("NpzFile", "close")(nothing)

"""TensorFlow's variables, what is written into them, and gradient tapes.

Source: the TensorFlow 2 API reference (``tf.Variable``, ``tf.IndexedSlices``, ``tf.GradientTape``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.pandas.unknown_cells
import dl_bug_lsp.interpretation.libraries.torch.functions  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import (
    Shape,
    make_tensor,
    names,
    operand,
    tensor,
)
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.values import (
    Array,
    Library,
    LibraryObject,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


@dataclass(slots=True, eq=False)
class Variable(Array):
    """A variable: what is written into it leaves its shape and dtype.

    ``fixed`` tells that its shape is that of its first value, ``keras`` that Keras made it.
    """

    name: Value | None = None
    trainable: Value | None = None
    fixed: bool = True
    keras: bool = False


def variable_of(call: Call) -> Variable | None:
    """Return the variable that a method or an attribute belongs to."""
    data = None if call.receiver is None else call.receiver.data
    return data if isinstance(data, Variable) else None


@MODELS.function(*names("Variable"))
def _make_variable(interpreter: Interpreter, call: Call) -> Value:
    """Return a variable of a first value; which numbers it holds may change."""
    keywords = dict(call.keywords)
    given = call.given(0, "initial_value")
    if given is not None and callable_value(given):
        first = interpreter.call(given, (), {}, call.place)
        keywords.pop("initial_value", None)
        call = Call(call.name, (first, *call.args[1:]), keywords, call.place)
    made = make_tensor(interpreter, call)
    data = arrays.array(made)
    if data is None:
        return made
    name = call.given(4, "name")
    result = Variable(
        None if "shape" in keywords else data.shape,
        data.dtype,
        "tensorflow",
        name=Value("Variable") if name is None else name,
        trainable=call.given(1, "trainable") or Value(True),
        fixed="shape" not in keywords,
    )
    return Value(result, made.origins)


def callable_value(value: Value) -> bool:
    """Whether a value is a function of the program."""
    return type(value.data).__name__ in ("FunctionValue", "BoundMethod")


def _stored(call: Call, given: Value | None) -> Value:
    """Return the variable after a value was put into all of it; raise where it does not fit."""
    receiver = call.receiver
    data, x = arrays.array(receiver), operand(given)
    if receiver is None or data is None:
        return call.unknown()
    if not isinstance(data, Variable):
        if data.library != "tensorflow":
            return call.unknown()
        # A part of a variable: the whole one is given back.
        data.forget_bounds()
        return tensor(call, None, data.dtype, receiver)
    if x is not None and given is not None and data.fixed:
        _check_fit(data, x, receiver, given)
        other = x.dtype if x.library == "tensorflow" else None
        if not data.keras and other and data.dtype and other != data.dtype:
            message = f"Incompatible type conversion requested to type {data.dtype} for {other}"
            raise Raised("value", message, given, receiver)
    return receiver


def _check_fit(data: Variable, x: Array, receiver: Value, given: Value) -> None:
    """Raise where the shape of what is stored is another one than the variable's."""
    if data.shape is None or x.shape is None:
        return
    message = "Cannot assign value to variable: Shape mismatch."
    if len(data.shape) != len(x.shape):
        sides = Value(len(x.shape), given.origins), Value(len(data.shape), receiver.origins)
        raise Raised("size", message, *sides)
    for a, b in zip(x.shape, data.shape, strict=True):
        arrays.same(a, b, message)


_scattered_before: Model | None = MODELS.methods.get(("array", "scatter_add"))


@MODELS.method("array", "assign", "assign_add", "assign_sub")
def _assign(_: Interpreter, call: Call) -> Value:
    return _stored(call, call.given(0, "value", "delta"))


@MODELS.method(
    "array",
    *("scatter_update", "scatter_add", "scatter_sub", "scatter_max", "scatter_min", "scatter_mul"),
    *(
        "scatter_div",
        "scatter_nd_update",
        "scatter_nd_add",
        "scatter_nd_sub",
        "batch_scatter_update",
    ),
)
def _scatter(interpreter: Interpreter, call: Call) -> Value:
    """Return the variable after single cells of it were written."""
    if variable_of(call) is None or call.receiver is None:
        before = _scattered_before if call.name == "scatter_add" else None
        return call.unknown() if before is None else before(interpreter, call)
    return call.receiver


@MODELS.method("array", "value", "read_value", "sparse_read", "gather_nd")
def _read(_: Interpreter, call: Call) -> Value:
    data = arrays.array(call.receiver)
    if data is None or data.library != "tensorflow" or call.receiver is None:
        return call.unknown()
    whole = call.name in ("value", "read_value")
    return tensor(call, data.shape if whole else None, data.dtype, call.receiver)


_name_of_column = MODELS.attributes.get(("array", "name"))


@MODELS.attribute("array", "name")
def _name(interpreter: Interpreter, call: Call) -> Value:
    data = variable_of(call)
    if data is None:
        before = _name_of_column
        return call.unknown() if before is None else before(interpreter, call)
    if data.name is None or not isinstance(data.name.data, str) or data.keras:
        return data.name if data.keras and data.name is not None else call.unknown()
    return Value(f"{data.name.data}:0", data.name.origins)


@MODELS.attribute("array", "trainable")
def _trainable(_: Interpreter, call: Call) -> Value:
    data = variable_of(call)
    return call.unknown() if data is None else data.trainable or call.unknown()


@MODELS.attribute("IndexedSlices", "values", "indices", "dense_shape")
def _slices(_: Interpreter, call: Call) -> Value:
    held = call.held
    if held is None:
        return call.unknown()
    at = ("values", "indices", "dense_shape").index(call.name)
    given = Call(call.name, held.args, held.keywords, call.place).given(at, call.name)
    return call.unknown() if given is None else given


# --- gradient tapes -------------------------------------------------------------------------------


@MODELS.method("GradientTape", "watch")
def _watch(_: Interpreter, call: Call) -> Value:
    """Keep which tensors a tape watches."""
    held, given = call.held, call.given(0, "tensor")
    if held is not None and given is not None:
        before = held.state.get("_watched")
        items = before.data if before is not None and isinstance(before.data, list) else []
        held.state["_watched"] = Value([*items, given])
    return Value(None)


def _watched(value: Value, found: list[object], depth: int = 0) -> list[object]:
    """Return the tensors in nested lists, tuples and dictionaries."""
    data = value.data
    if isinstance(data, Array):
        found.append(data)
    elif isinstance(data, (list, tuple, dict)) and depth < 4:
        for item in data.values() if isinstance(data, dict) else data:
            _watched(item, found, depth + 1)
    return found


def _gradients(value: Value, watched: list[object]) -> Value:
    """Return what has the shape of a source; None of what nothing watches is not told."""
    data = value.data
    if isinstance(data, Array):
        if isinstance(data, Variable) or any(data is item for item in watched):
            return Value(Array(data.shape, data.dtype, "tensorflow"), value.origins)
        return unknown(value)
    if isinstance(data, (list, tuple)):
        parts = [_gradients(item, watched) for item in data]
        return Value(parts if isinstance(data, list) else tuple(parts), value.origins)
    if isinstance(data, dict):
        parts_by_name = {key: _gradients(item, watched) for key, item in data.items()}
        return Value(parts_by_name, value.origins)
    return unknown(value)


@MODELS.method("GradientTape", "gradient")
def _gradient(_: Interpreter, call: Call) -> Value:
    """Return gradients in the structure and shapes of the sources."""
    sources = call.given(1, "sources")
    if sources is None:
        return call.unknown()
    return _gradients(sources, _watched(call.state.get("_watched", Value([])), []))


@MODELS.method("GradientTape", "jacobian", "batch_jacobian")
def _jacobian(_: Interpreter, call: Call) -> Value:
    """Return a derivative for each pair of a number of the target and one of the source."""
    target, source = call.given(0, "target"), call.given(1, "sources", "source")
    y = arrays.array(target)
    if source is None or y is None:
        return call.unknown()
    first = _gradients(source, _watched(call.state.get("_watched", Value([])), []))
    x = arrays.array(first)
    if x is None:
        return call.unknown()
    shape: Shape | None = None
    if x.shape is not None and y.shape is not None:
        rest = x.shape[1:] if call.name == "batch_jacobian" else x.shape
        shape = (*y.shape, *rest)
    return tensor(call, shape, x.dtype, source)


# --- functions that are compiled ----------------------------------------------------------------


@MODELS.attribute("FunctionValue", "python_function", "_python_function")
def _python_function(_: Interpreter, call: Call) -> Value:
    return call.receiver or call.unknown()


@MODELS.method("FunctionValue", "get_concrete_function")
def _concrete(_: Interpreter, call: Call) -> Value:
    """Return a function that is specialised for some arguments: what it gives is the same."""
    return call.receiver or call.unknown()


@MODELS.function(*names("custom_gradient recompute_grad"))
def _with_gradient(_: Interpreter, call: Call) -> Value:
    """Return a function that gives the first of what another one gives."""
    return Value(LibraryObject(call.name, call.args, call.keywords, call.place), merged(*call.args))


@MODELS.object(*names("custom_gradient recompute_grad"))
def _call_with_gradient(interpreter: Interpreter, call: Call) -> Value:
    held = call.held
    if held is None or not held.args:
        return call.unknown()
    given = interpreter.call(held.args[0], call.args, dict(call.keywords), call.place)
    if held.short == "recompute_grad":
        return given
    parts = given.data
    return parts[0] if isinstance(parts, tuple) and len(parts) == 2 else unknown(given)


# --- the rest -------------------------------------------------------------------------------------


@MODELS.method("array", "get_shape")
def _get_shape(_: Interpreter, call: Call) -> Value:
    data = arrays.array(call.receiver)
    if data is None or data.shape is None or call.receiver is None:
        return call.unknown()
    return Value(tuple(data.shape), call.receiver.origins)


@MODELS.function(*names("is_tensor"))
def _is_tensor(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "x")
    data = None if given is None else given.data
    if isinstance(data, Array) and data.library in ("tensorflow", "numpy"):
        return Value(data.library == "tensorflow", merged(*call.args))
    # What has a shape or a size in it may stand for a tensor.
    is_plain = isinstance(data, (float, str, dict))
    return Value(False, merged(*call.args)) if is_plain else call.unknown()


@MODELS.function(*names("as_dtype dtypes.as_dtype"))
def _as_dtype(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "type_value")
    if given is not None and isinstance(given.data, str):
        return Value(Library(f"tensorflow.{given.data}"), given.origins)
    return call.unknown() if given is None or not isinstance(given.data, Library) else given

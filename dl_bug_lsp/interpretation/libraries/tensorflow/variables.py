"""TensorFlow's variables, gradient tapes, control flow, and containers of tensors.

Source: the TensorFlow 2 API reference (``tf.Variable``, ``tf.IndexedSlices``, ``tf.GradientTape``;
``tf.cond``, ``tf.while_loop``, ``tf.scan``, ``tf.py_function``, ``tf.debugging``;
``tf.TensorArray``, ``tf.queue``, ``tf.lookup``, ``tf.random.Generator``, ``tf.nest``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.numpy.functions
import dl_bug_lsp.interpretation.libraries.pandas.unknown_cells
import dl_bug_lsp.interpretation.libraries.torch.functions  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.python.standard_library import CONSTANTS
from dl_bug_lsp.interpretation.libraries.tensorflow.ragged import Ragged, ragged
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import (
    Shape,
    converted,
    dims,
    dtype_named,
    make_tensor,
    names,
    operand,
    tensor,
    written,
)
from dl_bug_lsp.interpretation.model_helpers import itself, nothing
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.operators import alike, truth
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Library,
    LibraryObject,
    Method,
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


# What a function gives that is specialised for some arguments is the same.
MODELS.attribute("FunctionValue", "python_function", "_python_function")(itself)
MODELS.method("FunctionValue", "get_concrete_function")(itself)


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


# --- control flow and checks ----------------------------------------------------------------------

for _dtype in ("float16", "float32", "float64", "bfloat16", "complex64", "complex128", "bool"):
    CONSTANTS[f"tensorflow.{_dtype}.name"] = _dtype
for _bits in (8, 16, 32, 64):
    for _dtype in (f"int{_bits}", f"uint{_bits}"):
        CONSTANTS[f"tensorflow.{_dtype}.name"] = _dtype
CONSTANTS["tensorflow.string.name"] = "string"


@MODELS.function(*names("cond compat.v1.cond"))
def _either(interpreter: Interpreter, call: Call) -> Value:
    """Return what one of two functions gives."""
    condition = call.given(0, "pred")
    works = call.given(1, "true_fn"), call.given(2, "false_fn")
    if condition is None or works[0] is None or works[1] is None:
        return call.unknown()
    known = truth(condition) if not isinstance(condition.data, Array) else None
    if known is not None:
        chosen = works[0] if known else works[1]
        return interpreter.call(chosen, (), {}, call.place)
    given = [interpreter.call(work, (), {}, call.place) for work in works if work is not None]
    return common(call, given)


def common(call: Call, given: list[Value]) -> Value:
    """Return what several results have in common, of tensors their dtype and shape."""
    found = [operand(value) for value in given]
    known = [x for x in found if x is not None]
    if not given or len(known) != len(found) or not any(isinstance(v.data, Array) for v in given):
        return alike(given) if given else call.unknown()
    dtypes = {x.dtype for x in known if x.dtype is not None}
    shapes = {x.sizes for x in known}
    shape = known[0].shape if len(shapes) == 1 and None not in shapes else None
    return tensor(call, shape, dtypes.pop() if len(dtypes) == 1 else None, *given)


@MODELS.function(*names("case switch_case"))
def _one_case(interpreter: Interpreter, call: Call) -> Value:
    """Return what one of several functions gives."""
    at = 1 if call.name.endswith("switch_case") else 0
    pairs = call.given(at, "branch_fns", "pred_fn_pairs")
    parts = pairs.data if pairs is not None else None
    if not isinstance(parts, (list, tuple)) or not parts:
        return call.unknown()
    works = []
    for part in parts:
        inner = part.data
        works.append(inner[1] if isinstance(inner, tuple) and len(inner) == 2 else part)
    default = call.given(at + 1, "default")
    if default is not None and default.data is not None:
        works.append(default)
    return common(call, [interpreter.call(work, (), {}, call.place) for work in works])


@MODELS.function(*names("while_loop"))
def _while(interpreter: Interpreter, call: Call) -> Value:
    """Return the variables of a loop; their shapes and dtypes stay."""
    work, start = call.given(1, "body"), call.given(2, "loop_vars")
    parts = start.data if start is not None else None
    if work is None or not isinstance(parts, (list, tuple)) or "shape_invariants" in call.keywords:
        return call.unknown()
    first = tuple(_kept(call, part) for part in parts)
    interpreter.call(work, first, {}, call.place)
    return Value(list(first) if isinstance(parts, list) else first, merged(*parts))


def _kept(call: Call, value: Value) -> Value:
    """Return a value as a tensor of which the numbers are not known."""
    if not isinstance(value.data, (Array, int, float)):
        return unknown(value)
    x = arrays.array(converted(call, value))
    return unknown(value) if x is None else tensor(call, x.shape, x.dtype, value)


@MODELS.function(*names("scan foldl foldr"))
def _scan(interpreter: Interpreter, call: Call) -> Value:
    """Return what a function makes of rows one after the other, and of what it gave before."""
    work, value = call.given(0, "fn"), call.given(1, "elems")
    start = call.given(2, "initializer")
    x = operand(value)
    if work is None or value is None or x is None or not x.shape:
        return call.unknown()
    row = Value(Array(x.shape[1:], x.dtype, "tensorflow"), value.origins)
    first = row if start is None or start.data is None else _kept(call, start)
    y = arrays.array(first)
    interpreter.call(work, (first, row), {}, call.place)
    if y is None:
        return call.unknown()
    if not call.name.endswith("scan"):
        return tensor(call, y.shape, y.dtype, value)
    shape = None if y.shape is None else (x.shape[0], *y.shape)
    return tensor(call, shape, y.dtype, value)


@MODELS.function(*names("py_function numpy_function py_func"))
def _wrapped(interpreter: Interpreter, call: Call) -> Value:
    """Return tensors of the types that are told; their shapes are not known in a data set."""
    work, given, kinds = call.given(0, "func"), call.given(1, "inp"), call.given(2, "Tout")
    parts = given.data if given is not None else None
    if work is not None and isinstance(parts, (list, tuple)):
        interpreter.call(work, tuple(parts), {}, call.place)
    if kinds is None:
        return call.unknown()
    if isinstance(kinds.data, (list, tuple)):
        made = [tensor(call, None, dtype_named(kind)) for kind in kinds.data]
        return Value(made, frozenset({call.place}))
    return tensor(call, None, dtype_named(kinds))


# Where a check fails, it raises.
MODELS.function(
    *names(
        "debugging.assert_equal debugging.assert_less debugging.assert_greater "
        "debugging.assert_near debugging.assert_non_negative debugging.assert_positive "
        "debugging.assert_rank debugging.assert_shapes debugging.assert_type "
        "debugging.assert_less_equal debugging.assert_greater_equal "
        "debugging.assert_none_equal debugging.enable_check_numerics print "
        "debugging.set_log_device_placement"
    )
)(nothing)


# --- arrays of tensors ----------------------------------------------------------------------------


@MODELS.function(*names("TensorArray"))
def _make_array(_: Interpreter, call: Call) -> Value:
    """Return an array of tensors; ``count`` is how many it has, ``item`` what is known of one."""
    made = LibraryObject("tensorflow.TensorArray", call.args, dict(call.keywords), call.place)
    count, grows = call.given(1, "size"), call.given(2, "dynamic_size")
    fixed = grows is None or grows.data is False
    made.state["count"] = count if count is not None and fixed else Value(UNKNOWN)
    if not fixed:
        made.state["written"] = Value(0)
    shape = dims(call.given(6, "element_shape"))
    dtype = dtype_named(call.given(0, "dtype"))
    made.state["item"] = tensor(call, shape, dtype)
    return Value(made, merged(*call.args, *call.keywords.values()) | {call.place})


def _changed(call: Call, **state: Value) -> Value:
    """Return an array of tensors like the one that a method belongs to, with another state."""
    held = call.held
    if held is None:
        return call.unknown()
    made = LibraryObject(held.name, held.args, held.keywords, held.made, dict(held.state))
    made.state.update(state)
    return Value(made, merged(*([call.receiver] if call.receiver else []), *call.args))


def _item(call: Call) -> tuple[Shape | None, str | None]:
    data = arrays.array(call.state.get("item"))
    return (None, None) if data is None else (data.shape, data.dtype)


@MODELS.method("TensorArray", "write")
def _write(_: Interpreter, call: Call) -> Value:
    """Return the array with one tensor more, which all others are like."""
    index, value = call.given(0, "index"), call.given(1, "value")
    x = operand(value)
    shape, dtype = _item(call)
    if value is not None and x is not None:
        shape = x.shape if shape is None else shape
        dtype = dtype or x.dtype
    state = {"item": tensor(call, shape, dtype, *call.args)}
    before, at = size(call.state.get("written")), size(index)
    if "written" in call.state:
        known = before is not None and at is not None
        state["written"] = Value(max(before or 0, (at or 0) + 1) if known else UNKNOWN)
        state["count"] = Value(state["written"].data, merged(*call.args))
    return _changed(call, **state)


@MODELS.method("TensorArray", "unstack", "split")
def _unstack(_: Interpreter, call: Call) -> Value:
    """Return the array filled with the rows of a tensor."""
    value = call.given(0, "value")
    x = operand(value)
    dtype = _item(call)[1]
    if x is None or not x.shape or call.name == "split":
        return _changed(call, item=tensor(call, None, dtype), count=Value(UNKNOWN))
    return _changed(call, item=tensor(call, x.shape[1:], dtype or x.dtype), count=x.shape[0])


@MODELS.method("TensorArray", "read")
def _read_item(_: Interpreter, call: Call) -> Value:
    shape, dtype = _item(call)
    return tensor(call, shape, dtype, *call.args)


@MODELS.method("TensorArray", "stack")
def _stack(_: Interpreter, call: Call) -> Value:
    """Return all tensors along a new first axis."""
    shape, dtype = _item(call)
    count = call.state.get("count", Value(UNKNOWN))
    first = Value(UNKNOWN if size(count) is None else count.data, count.origins)
    return tensor(call, None if shape is None else (first, *shape), dtype)


@MODELS.method("TensorArray", "gather")
def _gather(_: Interpreter, call: Call) -> Value:
    shape, dtype = _item(call)
    ids = operand(call.given(0, "indices"))
    known = shape is not None and ids is not None and ids.shape
    first = ids.shape if known and ids is not None and ids.shape else ()
    return tensor(call, (*first, *(shape or ())) if known else None, dtype)


@MODELS.method("TensorArray", "concat")
def _concat(_: Interpreter, call: Call) -> Value:
    """Return all tensors one after the other; they may differ in their first size."""
    shape, dtype = _item(call)
    return tensor(call, None if not shape else (Value(UNKNOWN), *shape[1:]), dtype)


@MODELS.method("TensorArray", "size")
@MODELS.method("FIFOQueue", "size")
def _array_size(_: Interpreter, call: Call) -> Value:
    return tensor(call, (), "int32")


@MODELS.method("TensorArray", "close", "grad")
def _closed(_: Interpreter, call: Call) -> Value:
    return Value(None) if call.name == "close" else call.unknown()


@MODELS.attribute("TensorArray", "size", "dtype", "element_shape", "handle", "flow")
def _array_attribute(_: Interpreter, call: Call) -> Value:
    if call.name == "size" and call.receiver is not None:
        return Value(Method(call.receiver, "size"), call.receiver.origins)
    return call.unknown()


# --- queues ---------------------------------------------------------------------------------------


def _parts(call: Call, first: tuple[Value, ...]) -> Value:
    """Return one element of a queue, or several along a new first axis."""
    held = call.held
    if held is None or held.short != "FIFOQueue":
        return call.unknown()
    asked = Call("", held.args, held.keywords, call.place)
    dtypes, shapes = asked.given(1, "dtypes"), asked.given(2, "shapes")
    if dtypes is None:
        return call.unknown()
    kinds = dtypes.data if isinstance(dtypes.data, (list, tuple)) else (dtypes,)
    sizes = shapes.data if shapes is not None else None
    one_shape = isinstance(sizes, (list, tuple)) and len(kinds) == 1 and len(sizes) != 1
    if one_shape and shapes is not None:
        sizes = (shapes,)
    made = []
    for number, kind in enumerate(kinds):
        known = isinstance(sizes, (list, tuple)) and len(sizes) == len(kinds)
        shape = dims(sizes[number]) if known and isinstance(sizes, (list, tuple)) else None
        whole = None if shape is None else (*first, *shape)
        made.append(tensor(call, whole, dtype_named(kind)))
    if "names" in held.keywords:
        return call.unknown()
    return made[0] if len(made) == 1 else Value(made, frozenset({call.place}))


@MODELS.method("FIFOQueue", "dequeue")
def _take(_: Interpreter, call: Call) -> Value:
    return _parts(call, ())


@MODELS.method("FIFOQueue", "dequeue_many")
def _take_many(_: Interpreter, call: Call) -> Value:
    count = call.given(0, "n")
    return call.unknown() if count is None else _parts(call, (count,))


MODELS.method("FIFOQueue", "enqueue", "enqueue_many", "close")(nothing)


# --- tables to look up in -------------------------------------------------------------------------


@MODELS.method("StaticHashTable", "lookup")
@MODELS.method("StaticVocabularyTable", "lookup")
def _look_up(_: Interpreter, call: Call) -> Value:
    """Return a value of the table for each key."""
    value = call.given(0, "keys")
    made = converted(call, value) if value is not None else call.unknown()
    x = arrays.array(made)
    if x is None:
        return call.unknown()
    dtype = "int64" if call.held and call.held.short == "StaticVocabularyTable" else None
    held = call.held
    first = held.args[0].data if held is not None and held.args else None
    if dtype is None and isinstance(first, LibraryObject):
        asked = Call("", first.args, first.keywords, call.place)
        given = asked.given(1, "values")
        numbers = arrays.array(converted(call, given)) if given is not None else None
        if first.short == "KeyValueTensorInitializer" and numbers is not None:
            dtype = dtype_named(asked.given(3, "value_dtype"), numbers.dtype)
    if isinstance(x, Ragged):
        return ragged(call, x.shape, dtype, x.lengths, made)
    return tensor(call, x.shape, dtype, made)


@MODELS.method("StaticHashTable", "size")
@MODELS.method("StaticVocabularyTable", "size")
def _table_size(_: Interpreter, call: Call) -> Value:
    return tensor(call, (), "int64")


# --- generators of numbers ------------------------------------------------------------------------


@MODELS.function(
    *names("random.Generator.from_seed random.Generator.from_non_deterministic_state"),
    *names("random.get_global_generator random.Generator.from_state random.Generator"),
)
def _generator(_: Interpreter, call: Call) -> Value:
    made = LibraryObject("tensorflow.random.Generator", call.args, call.keywords, call.place)
    return Value(made, frozenset({call.place}))


def _drawn(call: Call, at: int) -> Value:
    dtype = dtype_named(call.given(at, "dtype"), "float32")
    return tensor(call, written(call, dims(call.given(0, "shape"))), dtype, *call.args)


DRAWING = ("normal", "uniform", "truncated_normal")
_drawn_before = {name: MODELS.methods.get(("Generator", name)) for name in DRAWING}


@MODELS.method("Generator", *DRAWING)
def _draw(interpreter: Interpreter, call: Call) -> Value:
    if call.held is None or not call.held.name.startswith("tensorflow."):
        before = _drawn_before.get(call.name)
        return call.unknown() if before is None else before(interpreter, call)
    return _drawn(call, 3)


@MODELS.function(
    *names("random.stateless_normal random.stateless_uniform random.stateless_truncated_normal")
)
def _stateless(_: Interpreter, call: Call) -> Value:
    return _drawn(call, 4)


@MODELS.function(*names("random.gamma random.poisson"))
def _of_parameters(_: Interpreter, call: Call) -> Value:
    """Return numbers of a shape, with the parameters' shape behind it."""
    shape, first = dims(call.given(0, "shape")), operand(call.given(1, "alpha", "lam"))
    if shape is None or first is None or first.shape is None or len(call.args) > 2:
        return call.unknown()
    return tensor(call, (*shape, *first.shape), None if first.dtype else "float32", *call.args)


# --- nested structures ----------------------------------------------------------------------------

DEEPEST = 6


def _leaves(value: Value, found: list[Value], depth: int = 0) -> bool:
    """Add the leaves of nested lists, tuples and dictionaries; return whether all are known."""
    data = value.data
    if depth > DEEPEST or data is UNKNOWN:
        return False
    if isinstance(data, (list, tuple)):
        known = [_leaves(item, found, depth + 1) for item in data]
        return all(known)
    if isinstance(data, dict):
        keys = list(data)
        if not all(isinstance(key, str) for key in keys):
            return False
        known = [_leaves(data[key], found, depth + 1) for key in sorted(keys)]
        return all(known)
    found.append(value)
    return type(data).__name__ != "Lazy"


@MODELS.function(*names("nest.flatten"), "tree.flatten", "keras.tree.flatten")
def _flatten(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "structure")
    found: list[Value] = []
    if value is None or not _leaves(value, found):
        return call.unknown()
    return Value(found, value.origins)


@MODELS.function(*names("nest.map_structure"), "tree.map_structure", "keras.tree.map_structure")
def _map_structure(interpreter: Interpreter, call: Call) -> Value:
    """Return a structure of what a function gives for each leaf of one structure."""
    if len(call.args) != 2 or call.keywords:
        return call.unknown()
    work = call.args[0]

    def mapped(value: Value, depth: int = 0) -> Value:
        data = value.data
        if depth > DEEPEST:
            return unknown(value)
        if isinstance(data, (list, tuple)):
            parts = [mapped(item, depth + 1) for item in data]
            return Value(parts if isinstance(data, list) else tuple(parts), value.origins)
        if isinstance(data, dict):
            return Value({k: mapped(v, depth + 1) for k, v in data.items()}, value.origins)
        if data is UNKNOWN or type(data).__name__ == "Lazy":
            return unknown(value)
        return interpreter.call(work, (value,), {}, call.place)

    return mapped(call.args[1])

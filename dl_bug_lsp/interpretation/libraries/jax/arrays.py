"""JAX, Flax, Equinox and Optax: array functions, transformations, loops and layers.

Sources: the JAX API reference (``jax.numpy`` follows NumPy; 64-bit types become 32-bit ones), and
the Flax Linen, Flax NNX, Equinox and Optax references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

# Many functions of jax.numpy are those of NumPy, and Flax and PyTorch both have a class `Module`:
# their models must be there first.
import dl_bug_lsp.interpretation.libraries.numpy.dtypes
import dl_bug_lsp.interpretation.libraries.numpy.functions
import dl_bug_lsp.interpretation.libraries.torch.layers  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.keras.layers import each, items, member
from dl_bug_lsp.interpretation.libraries.numpy.functions import as_array
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import dims, dtype_named, operand
from dl_bug_lsp.interpretation.model_helpers import make_object
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    BoundMethod,
    Instance,
    Library,
    LibraryObject,
    Origin,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}
"""What JAX makes of 64-bit types unless it is told otherwise (JAX, "Default dtypes")."""


def named(root: str, names: str) -> list[str]:
    """Return dotted names below a package, written with spaces between."""
    return [f"{root}.{name}" for name in names.split()]


def as_jax(value: Value) -> Value:
    """Return NumPy's result as JAX's: its library, and no 64-bit dtypes."""
    data = value.data
    if isinstance(data, Array):
        dtype = NARROW.get(data.dtype or "", data.dtype)
        return Value(
            Array(data.shape, dtype, "jax", None, data.lowest, data.highest), value.origins
        )
    if isinstance(data, (list, tuple)):
        parts = [as_jax(item) for item in data]
        return Value(parts if isinstance(data, list) else tuple(parts), value.origins)
    return value


def _like_numpy(name: str, model: Model) -> Model:
    def run(interpreter: Interpreter, call: Call) -> Value:
        return as_jax(model(interpreter, Call(name, call.args, call.keywords, call.place)))

    return run


_NOT_LIKE = ("numpy.random.", "numpy.load")
for _name, _model in list(MODELS.functions.items()):
    own = f"jax.{_name}" in MODELS.functions
    if _name.startswith("numpy.") and not own and not _name.startswith(_NOT_LIKE):
        MODELS.function(f"jax.{_name}")(_like_numpy(_name, _model))
for _name in ("put", "append", "put_along_axis", "poly1d"):
    MODELS.functions.pop(f"jax.numpy.{_name}", None)


def _unbounded(interpreter: Interpreter, call: Call) -> Value:
    """Return items at indices, of which those beyond the axis are filled in or clipped."""
    name = call.name.rpartition(".")[2]

    def open_ended(value: Value) -> Value:
        given = as_array(value) if isinstance(value.data, (list, tuple, int)) else value
        data = arrays.array(given)
        return given if data is None else Value(Array(data.shape, data.dtype), given.origins)

    args = tuple(open_ended(arg) if at == 1 else arg for at, arg in enumerate(call.args))
    keywords = {k: open_ended(v) if k == "indices" else v for k, v in call.keywords.items()}
    for extra in ("mode", "fill_value", "unique_indices", "indices_are_sorted"):
        keywords.pop(extra, None)
    model = MODELS.functions[f"numpy.{name}"]
    return as_jax(model(interpreter, Call(f"numpy.{name}", args, keywords, call.place)))


MODELS.function("jax.numpy.take", "jax.numpy.take_along_axis")(_unbounded)


@MODELS.function("jax.numpy.fill_diagonal")
def _filled_diagonal(_: Interpreter, call: Call) -> Value:
    """Return a changed copy: nothing of JAX is changed in place."""
    value = call.given(0, "a")
    data = arrays.array(value)
    if value is None or data is None:
        return call.unknown()
    return Value(Array(data.shape, data.dtype, "jax"), value.origins)


def jax_array(call: Call, shape: Iterable[Value] | None, dtype: str | None, *parts: Value) -> Value:
    """Return a JAX array made at a call."""
    data = Array(None if shape is None else tuple(shape), dtype, "jax")
    return Value(data, merged(*parts) | {call.place})


# --- random numbers -----------------------------------------------------------------------------


@MODELS.function("jax.random.PRNGKey", "jax.random.key")
def make_key(_: Interpreter, call: Call) -> Value:
    """Return a key of random numbers."""
    if call.name.endswith("PRNGKey"):
        return jax_array(call, (Value(2),), "uint32")
    return jax_array(call, (), "key")


@MODELS.function("jax.random.split")
def split_key(_: Interpreter, call: Call) -> Value:
    """Return keys, two where no number is given."""
    key, count = call.given(0, "key"), call.given(1, "num")
    data = arrays.array(key)
    number = dims(count) if count is not None else (Value(2),)
    if data is None or data.shape is None or number is None:
        return call.unknown()
    placed = [Value(n.data, n.origins | {call.place}) for n in number]
    return jax_array(call, (*placed, *data.shape), data.dtype, *call.args)


@MODELS.function("jax.random.fold_in", "jax.random.clone", "jax.random.wrap_key_data")
def same_key(_: Interpreter, call: Call) -> Value:
    """Return a key like the one given."""
    return call.given(0, "key") or call.unknown()


DRAWN = {
    **dict.fromkeys(("normal", "uniform", "exponential", "gumbel", "laplace", "logistic"), 1),
    **dict.fromkeys(("cauchy", "rademacher", "randint", "bits", "ball"), 1),
    **dict.fromkeys(("bernoulli", "poisson", "beta_", "gamma", "choice"), 2),
    "truncated_normal": 3,
}
"""Where functions of ``jax.random`` take the shape."""


@MODELS.function(*(f"jax.random.{name}" for name in DRAWN))
def draw(_: Interpreter, call: Call) -> Value:
    """Return random numbers of a shape."""
    last = call.name.rpartition(".")[2]
    given = call.given(DRAWN[last], "shape")
    dtype = {"randint": "int32", "bernoulli": "bool", "poisson": "int32"}.get(last, "float32")
    dtype = dtype_named(call.keywords.get("dtype"), dtype) or dtype
    if given is not None and isinstance(given.data, float):
        raise Raised("type", "Shapes must be 1D sequences of integers", given)
    if given is None and last in {"bernoulli", "poisson", "gamma", "choice"}:
        return (
            call.unknown()
            if len(call.args) + len(call.keywords) > 1
            else jax_array(call, (), dtype)
        )
    shape = () if given is None else dims(given)
    placed = None if shape is None else [Value(d.data, d.origins | {call.place}) for d in shape]
    result = jax_array(call, placed, None if last == "choice" else dtype, *call.args[1:])
    low, high = size(call.given(2, "minval")), size(call.given(3, "maxval"))
    if last == "randint" and isinstance(result.data, Array) and high is not None:
        result.data.lowest, result.data.highest = low, high - 1
    return result


@MODELS.function("jax.random.permutation", "jax.random.shuffle")
def permuted(_: Interpreter, call: Call) -> Value:
    """Return an array in another order, or numbers below one in random order."""
    value = call.given(1, "x")
    data = arrays.array(value)
    if value is None or data is None:
        number = size(value)
        if value is None or number is None:
            return call.unknown()
        result = jax_array(call, (value,), "int32")
        if isinstance(result.data, Array):
            result.data.lowest, result.data.highest = 0, max(number - 1, 0)
        return result
    return Value(data, value.origins)


@MODELS.function("jax.random.categorical")
def drawn_class(_: Interpreter, call: Call) -> Value:
    """Return class numbers for logits, without their last axis."""
    data = operand(call.given(1, "logits"), "jax")
    if data is None or not data.shape or len(call.args) > 2 or len(call.keywords) > 0:
        return call.unknown()
    return jax_array(call, data.shape[:-1], "int32", *call.args[1:])


# --- jax.nn -------------------------------------------------------------------------------------

ELEMENTWISE = (
    "relu relu6 sigmoid softplus soft_sign silu swish log_sigmoid leaky_relu hard_sigmoid "
    "hard_silu hard_swish hard_tanh elu celu selu gelu glu_ squareplus mish softmax log_softmax "
    "standardize tanh"
)


@MODELS.function(
    *named("jax.nn", ELEMENTWISE),
    *named("flax.linen", ELEMENTWISE),
    *named("flax.nnx", ELEMENTWISE),
    *named("jax.lax", "stop_gradient exp log sin cos tanh sqrt rsqrt neg abs floor erf"),
)
def same_shape(_: Interpreter, call: Call) -> Value:
    """Return an array of the same shape."""
    value = call.given(0, "x")
    data = operand(value, "jax")
    if value is None or data is None:
        return call.unknown()
    whole = (data.dtype or "").startswith(("int", "uint", "bool"))
    dtype = "float32" if whole and "relu" not in call.name else data.dtype
    return jax_array(call, data.shape, NARROW.get(dtype or "", dtype), value)


@MODELS.function("jax.nn.one_hot", "flax.linen.one_hot", "flax.nnx.one_hot")
def one_hot(_: Interpreter, call: Call) -> Value:
    """Return one-hot rows along a new last axis (labels beyond the classes give zeros)."""
    value, classes = call.given(0, "x"), call.given(1, "num_classes")
    data = operand(value, "jax")
    if value is None or classes is None or data is None or data.shape is None:
        return call.unknown()
    if call.keywords.get("axis") is not None:
        return call.unknown()
    width = Value(
        UNKNOWN if size(classes) is None else classes.data, classes.origins | {call.place}
    )
    return jax_array(call, (*data.shape, width), "float32", value)


# --- transformations ----------------------------------------------------------------------------

UNCHANGED = (
    *named("jax", "jit checkpoint remat named_call block_until_ready device_put device_get"),
    *named("flax.linen", "compact jit remat checkpoint nowrap"),
    *named("flax.nnx", "jit remat"),
    *named("equinox", "filter_jit filter_checkpoint"),
)


@MODELS.function(*UNCHANGED)
def unchanged(_: Interpreter, call: Call) -> Value:
    """Return the function or value itself, or what wraps a function."""
    first = call.given(0, "fun", "f", "x", "class_fn")
    return first if first is not None else Value(Library(call.name))


@MODELS.function(
    *named("jax", "grad value_and_grad vmap"),
    *named("flax.nnx", "grad value_and_grad vmap"),
    *named("equinox", "filter_grad filter_value_and_grad filter_vmap"),
)
def transform(_: Interpreter, call: Call) -> Value:
    """Return a function's derivative or mapped form."""
    if not call.args and not {"fun", "f"} & set(call.keywords):
        if not call.keywords:
            return Value(Library(call.name))
        options = (Value(Library(call.name)),)
        return Value(LibraryObject("functools.partial", options, call.keywords, call.place))
    last = call.name.rpartition(".")[2].replace("filter_", "")
    made = LibraryObject(f"jax.{last}", call.args, dict(call.keywords), call.place)
    made.state["nnx"] = Value(".nnx." in call.name)
    made.state["filter"] = Value(".filter_" in call.name)
    return Value(made, merged(*call.args) | {call.place})


def _option(made: LibraryObject, position: int, name: str) -> Value | None:
    if name in made.keywords:
        return made.keywords[name]
    return made.args[position] if position < len(made.args) else None


def like(value: Value) -> Value:
    """Return something of the same structure and shapes."""
    data = value.data
    if isinstance(data, Array):
        return Value(Array(data.shape, data.dtype, "jax"), value.origins)
    if isinstance(data, float):
        return Value(Array((), "float32", "jax"), value.origins)
    if isinstance(data, list):
        return Value([like(v) for v in data], value.origins)
    if isinstance(data, tuple):
        return Value(tuple(like(v) for v in data), value.origins)
    if isinstance(data, dict):
        return Value({k: like(v) for k, v in data.items()}, value.origins)
    return unknown(value)


@MODELS.object("jax.grad", "jax.value_and_grad")
def differentiate(interpreter: Interpreter, call: Call) -> Value:
    """Return gradients shaped like an argument; raise where the output is no scalar."""
    made = call.held
    if made is None:
        return call.unknown()
    function = _option(made, 0, "fun") or made.keywords.get("f")
    if function is None:
        return call.unknown()
    _check_leaves(made, call)
    output = interpreter.call(function, call.args, dict(call.keywords), call.place)
    aux = _option(made, 2, "has_aux")
    if aux is not None and not isinstance(aux.data, bool):
        return call.unknown()
    parts = output.data if isinstance(output.data, tuple) else None
    with_aux = aux is not None and aux.data is True
    loss = parts[0] if with_aux and parts else output
    if not with_aux and parts is not None:
        raise Raised("type", "Gradient only defined for scalar-output functions", output)
    data = arrays.array(loss)
    if data is not None and data.shape:
        shown = ", ".join(str(size(d)) for d in data.shape)
        raise Raised(
            "type",
            f"Gradient only defined for scalar-output functions. Output had shape: ({shown},)",
            Value(len(data.shape), merged(loss, *data.shape)),
            *data.shape,
        )
    gradients = _argument_gradients(made, call)
    if made.name.endswith("value_and_grad"):
        return Value((output, gradients), merged(output))
    return Value((gradients, parts[1])) if with_aux and parts and len(parts) > 1 else gradients


def _check_leaves(made: LibraryObject, call: Call) -> None:
    """Raise where a number by which is differentiated is whole, or a truth value."""
    allowed = _option(made, 4, "allow_int")
    is_own = made.state["nnx"].data is True or made.state["filter"].data is True
    chosen = _differentiated(made, call)
    if is_own or chosen is None or (allowed is not None and allowed.data is not False):
        return
    for argument in chosen[0]:
        for leaf in leaves(argument):
            dtype = leaf.data.dtype if isinstance(leaf.data, Array) else type(leaf.data).__name__
            if dtype is not None and dtype.startswith(("int", "uint", "bool")):
                message = f"grad requires real- or complex-valued inputs, but got {dtype}"
                raise Raised("type", message, Value(leaf.data, leaf.origins))


def leaves(value: Value) -> Iterator[Value]:
    """Yield what lies in nested lists, tuples and mappings."""
    data = value.data
    if isinstance(data, (list, tuple)):
        for item in data:
            yield from leaves(item)
    elif isinstance(data, dict):
        for item in data.values():
            yield from leaves(item)
    else:
        yield value


def _differentiated(made: LibraryObject, call: Call) -> tuple[list[Value], bool] | None:
    """Return the arguments by which is differentiated, and whether a tuple names them."""
    chosen = _option(made, 1, "argnums")
    if chosen is None:
        return (list(call.args[:1]), False) if call.args else None
    several = items(chosen)
    wanted = several if several is not None else (chosen,)
    found = []
    for item in wanted:
        number = size(item)
        if number is None or not -len(call.args) <= number < len(call.args):
            return None
        found.append(call.args[number])
    return found, several is not None


def _argument_gradients(made: LibraryObject, call: Call) -> Value:
    chosen = _differentiated(made, call)
    if chosen is None:
        return call.unknown()
    gradients = [like(argument) for argument in chosen[0]]
    return Value(tuple(gradients)) if chosen[1] else gradients[0]


def changed(value: Value, change: Callable[[Array], Array]) -> Value:
    """Return nested arrays, each changed."""
    data = value.data
    if isinstance(data, Array):
        return Value(change(data), value.origins)
    if isinstance(data, list):
        return Value([changed(v, change) for v in data], value.origins)
    if isinstance(data, tuple):
        return Value(tuple(changed(v, change) for v in data), value.origins)
    if isinstance(data, dict):
        return Value({k: changed(v, change) for k, v in data.items()}, value.origins)
    return value


def without(axis: int, sizes: list[Value], message: str) -> Callable[[Array], Array]:
    """Return what takes an axis off arrays and keeps its sizes; raise where they differ."""

    def change(data: Array) -> Array:
        if data.shape is None:
            return data
        at = arrays.axis_of(axis, len(data.shape))
        if not data.shape or at is None:
            raise Raised("size", message, Value(len(data.shape)), Value(1))
        for other in sizes[:1]:
            arrays.same(other, data.shape[at], message)
        if size(data.shape[at]) is not None:
            sizes.append(data.shape[at])
        shape = (*data.shape[:at], *data.shape[at + 1 :])
        return Array(shape, data.dtype, data.library, None, data.lowest, data.highest)

    return change


def stacked(length: Value, axis: int = 0) -> Callable[[Array], Array]:
    """Return what puts an axis back on arrays."""

    def change(data: Array) -> Array:
        if data.shape is None:
            return data
        at = axis % (len(data.shape) + 1)
        shape = (*data.shape[:at], length, *data.shape[at:])
        return Array(shape, data.dtype, "jax", None, data.lowest, data.highest)

    return change


@MODELS.object("jax.vmap")
def map_axis(interpreter: Interpreter, call: Call) -> Value:
    """Return a function's results for each row; mapped axes must have one size."""
    made = call.held
    if made is None:
        return call.unknown()
    function = _option(made, 0, "fun") or made.keywords.get("f")
    ins, outs = _option(made, 1, "in_axes"), _option(made, 2, "out_axes")
    out = 0 if outs is None else size(outs)
    several = items(ins)
    if function is None or out is None or made.state["nnx"].data is True:
        return call.unknown()
    if several is None:
        several = ((ins if ins is not None else Value(0)),) * len(call.args)
    if len(several) != len(call.args):
        raise Raised(
            "value",
            "vmap in_axes must be an int, None, or a tuple of entries corresponding to the "
            f"positional arguments: {len(several)} entries for {len(call.args)} arguments",
            Value(len(several), merged(*several) | {made.made}),
            Value(len(call.args), frozenset({call.place})),
        )
    sizes: list[Value] = []
    given = []
    message = "vmap got inconsistent sizes for array axes to be mapped"
    for value, axis in zip(call.args, several, strict=True):
        if axis.data is None or isinstance(value.data, (Instance, LibraryObject)):
            given.append(value)
            continue
        at = size(axis)
        if at is None:
            return call.unknown()
        given.append(changed(value, without(at, sizes, message)))
    # Arguments by name are mapped over their first axis ("jax.vmap").
    named_ones = {
        name: changed(value, without(0, sizes, message)) for name, value in call.keywords.items()
    }
    output = interpreter.call(function, tuple(given), named_ones, call.place)
    length = sizes[0] if sizes else Value(UNKNOWN)
    return changed(output, stacked(length, out))


# --- control flow -------------------------------------------------------------------------------


def same_carry(before: Value, after: Value, subject: str) -> None:
    """Raise where a loop's carried value comes out with another structure, shape or dtype."""
    a, b = before.data, after.data
    if not before.known or not after.known:
        return
    message = f"{subject} body function carry input and carry output must have equal types"
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        if not isinstance(a, (list, tuple)) or not isinstance(b, (list, tuple)):
            raise Raised("type", message, before, after)
        if len(a) != len(b) or type(a) is not type(b):
            raise Raised("type", message, before, after)
        for x, y in zip(a, b, strict=True):
            same_carry(x, y, subject)
        return
    x, y = operand(before, "jax"), operand(after, "jax")
    if x is None or y is None:
        return
    if x.shape is not None and y.shape is not None:
        if len(x.shape) != len(y.shape):
            sides = (
                Value(len(x.shape), merged(before, *x.shape)),
                Value(len(y.shape), merged(after, *y.shape)),
            )
            raise Raised("size", message, *sides)
        for p, q in zip(x.shape, y.shape, strict=True):
            arrays.same(p, q, message)
    if x.dtype and y.dtype and x.dtype != y.dtype:
        raise Raised("type", message, before, after)


def _other_axis(row: Value, start: Value, length: Value, call: Call) -> Value:
    """Return the rows of a scan, which come from it where it may go over the wrong axis.

    The states that it carries then have as many rows as the scan has rounds, which is the number of
    examples, and not as many as what each round is given.
    """
    carried, given = _firsts(start), _firsts(row)
    rounds = size(length)
    if rounds is None or carried != {rounds} or not given or None in given or rounds in given:
        return row
    why = (
        f"the loop goes over the first axis, of {rounds}, and what it carries has {rounds} rows: "
        "the axis of time is not the first one"
    )
    arrays.note_reason(call.place, why)
    mark = frozenset({call.place})

    def marked(data: Array) -> Array:
        if not data.shape:
            return data
        first = Value(data.shape[0].data, data.shape[0].origins | mark)
        return replace(data, shape=(first, *data.shape[1:]))

    return changed(row, marked)


def _firsts(value: Value) -> set[int | None]:
    """Return the first sizes of the nested arrays of two axes or more."""
    found = (leaf.data for leaf in leaves(value))
    shapes = (data.shape for data in found if isinstance(data, Array))
    return {size(shape[0]) for shape in shapes if shape and len(shape) > 1}


@MODELS.function("jax.lax.scan")
def scan(interpreter: Interpreter, call: Call) -> Value:
    """Return the last carry and the stacked outputs of a loop over the rows of arrays."""
    function, start, rows = call.given(0, "f"), call.given(1, "init"), call.given(2, "xs")
    if function is None or start is None:
        return call.unknown()
    sizes: list[Value] = []
    row = rows if rows is not None else Value(None)
    row = changed(row, without(0, sizes, "scan got values with different leading axis sizes"))
    length = sizes[0] if sizes else call.given(3, "length") or Value(UNKNOWN)
    row = _other_axis(row, start, length, call)
    output = interpreter.call(function, (start, row), {}, call.place)
    pair = output.data
    if not isinstance(pair, tuple):
        if output.known and isinstance(pair, (Array, list)) and not isinstance(pair, list):
            raise Raised("type", "scan body output must be a pair, got an array", output)
        return call.unknown()
    if len(pair) != 2:
        raise Raised("type", "scan body output must be a pair", Value(len(pair), output.origins))
    same_carry(start, pair[0], "scan")
    return Value((pair[0], changed(pair[1], stacked(length))), merged(output))


@MODELS.function("jax.lax.fori_loop")
def fori_loop(interpreter: Interpreter, call: Call) -> Value:
    """Return the last value of a counted loop."""
    body, start = call.given(2, "body_fun"), call.given(3, "init_val")
    if body is None or start is None:
        return call.unknown()
    number = Value(Array((), "int32", "jax"), merged(*call.args[:2]))
    output = interpreter.call(body, (number, start), {}, call.place)
    same_carry(start, output, "fori_loop")
    return output


@MODELS.function("jax.lax.while_loop")
def while_loop(interpreter: Interpreter, call: Call) -> Value:
    """Return the last value of a loop."""
    body, start = call.given(1, "body_fun"), call.given(2, "init_val")
    if body is None or start is None:
        return call.unknown()
    output = interpreter.call(body, (start,), {}, call.place)
    same_carry(start, output, "while_loop")
    return output


@MODELS.function("jax.lax.cond")
def cond(interpreter: Interpreter, call: Call) -> Value:
    """Return what one of two functions gives; both must give the same shapes and dtypes."""
    if len(call.args) < 3:
        return call.unknown()
    a = interpreter.call(call.args[1], call.args[3:], {}, call.place)
    b = interpreter.call(call.args[2], call.args[3:], {}, call.place)
    same_carry(a, b, "cond")
    return a if a.known else b


def _mapped(interpreter: Interpreter, call: Call, function: Value, parts: list[Value]) -> Value:
    first = parts[0].data
    if isinstance(first, dict) and all(
        isinstance(p.data, dict) and p.data.keys() == first.keys() for p in parts
    ):
        shapes = {
            k: _mapped(interpreter, call, function, [_entries(p)[k] for p in parts]) for k in first
        }
        return Value(shapes, merged(*parts))
    if isinstance(first, (list, tuple)):
        rows = [items(p) for p in parts]
        known = [r for r in rows if r is not None and len(r) == len(first)]
        if len(known) != len(rows):
            return unknown(*parts)
        each_item = [
            _mapped(interpreter, call, function, list(column))
            for column in zip(*known, strict=True)
        ]
        return Value(each_item if isinstance(first, list) else tuple(each_item), merged(*parts))
    if first is UNKNOWN or first is None or isinstance(first, dict):
        return unknown(*parts)
    return interpreter.call(function, tuple(parts), {}, call.place)


def _entries(value: Value) -> Mapping[object, Value]:
    return value.data if isinstance(value.data, dict) else {}


@MODELS.function(
    "jax.tree_util.tree_map", "jax.tree.map", "jax.tree_map", "jax.tree_util.tree_multimap"
)
def tree_map(interpreter: Interpreter, call: Call) -> Value:
    """Return what a function gives for each leaf of trees."""
    if len(call.args) < 2 or any(k != "is_leaf" for k in call.keywords):
        return call.unknown()
    return _mapped(interpreter, call, call.args[0], list(call.args[1:]))


def updated_place(_: Interpreter, call: Call) -> Value:
    """Return what ``x.at[...]`` is written with."""
    if call.receiver is None:
        return call.unknown()
    made = LibraryObject("jax.At", (call.receiver,), {}, call.place)
    return Value(made, call.receiver.origins)


@MODELS.method("At", "__getitem__")
def update_at(_: Interpreter, call: Call) -> Value:
    """Return the place that an update is written to."""
    return call.receiver if call.receiver is not None else call.unknown()


@MODELS.method("At", "set", "add", "multiply", "divide", "min", "max", "power", "apply")
def updated(_: Interpreter, call: Call) -> Value:
    """Return a changed copy of the array."""
    data = call.held
    if data is None:
        return call.unknown()
    whole = arrays.array(data.args[0])
    if whole is None:
        return call.unknown()
    return Value(Array(whole.shape, whole.dtype, "jax"), merged(data.args[0], *call.args))


# --- layers -------------------------------------------------------------------------------------

LAYERS: dict[str, str] = {
    "flax.linen.Dense": "features",
    "flax.linen.Conv": "features kernel_size strides padding",
    "flax.linen.Embed": "num_embeddings features",
    "flax.linen.LayerNorm": "",
    "flax.linen.BatchNorm": "",
    "flax.linen.GroupNorm": "",
    "flax.linen.RMSNorm": "",
    "flax.linen.Dropout": "rate",
    "flax.linen.Sequential": "layers",
    "flax.nnx.Linear": "in_features out_features",
    "flax.nnx.Conv": "in_features out_features kernel_size strides",
    "flax.nnx.Embed": "num_embeddings features",
    "flax.nnx.LayerNorm": "num_features",
    "flax.nnx.BatchNorm": "num_features",
    "flax.nnx.Dropout": "rate",
    "flax.nnx.Sequential": "layers",
    "equinox.nn.Linear": "in_features out_features",
    "equinox.nn.MLP": "in_size out_size width_size depth",
    "equinox.nn.Conv1d": "in_channels out_channels kernel_size stride padding dilation",
    "equinox.nn.Conv2d": "in_channels out_channels kernel_size stride padding dilation",
    "equinox.nn.LayerNorm": "shape",
    "equinox.nn.Dropout": "p",
    "equinox.nn.Embedding": "num_embeddings embedding_size",
}
"""Layer classes and their parameters in order."""
_passes: list[tuple[dict[tuple[Origin, int], Value], dict[Origin, int]]] = []
"""Of each running Flax model: the input sizes of its layers, and how often each was made now."""


MODELS.function(*LAYERS)(make_object)


def parameter(layer: LibraryObject, name: str) -> Value | None:
    """Return what a layer was made with for a parameter."""
    names = LAYERS[layer.name].split()
    return _option(layer, names.index(name) if name in names else len(layer.args), name)


def placed(value: Value | None, layer: LibraryObject) -> Value:
    """Return a layer's argument as a dimension with the layer's line among its origins."""
    number = size(value)
    origins = (value.origins if value is not None else frozenset()) | {layer.made}
    return Value(UNKNOWN if number is None else number, origins)


@MODELS.object(*LAYERS)
def call_layer(interpreter: Interpreter, call: Call) -> Value:
    """Return what a layer gives; raise where its input has another size than its parameters."""
    layer = call.held
    value = call.given(0, "inputs", "x")
    data = operand(value, "jax")
    if layer is None or value is None or data is None:
        return call.unknown()
    kind = layer.short
    if kind == "Sequential":
        return _in_sequence(interpreter, layer, value, call)
    if data.shape is None:
        return jax_array(call, None, None, value)
    if kind in {"Dropout", "LayerNorm", "BatchNorm", "GroupNorm", "RMSNorm"}:
        wanted = layer.keywords.get("num_features") or (
            layer.args[0] if layer.args and layer.name.startswith("flax.nnx") else None
        )
        if kind != "Dropout" and wanted is not None and data.shape:
            arrays.same(data.shape[-1], placed(wanted, layer), "normalized axis has another size")
        return jax_array(call, data.shape, data.dtype, value)
    if kind in {"Embed", "Embedding"}:
        width = placed(parameter(layer, "features") or parameter(layer, "embedding_size"), layer)
        return jax_array(call, (*data.shape, width), "float32", value)
    if not data.shape:
        return call.unknown()
    if kind in {"Conv", "Conv1d", "Conv2d"}:
        return _convolved(layer, data.shape, value, call)
    names = {"MLP": ("in_size", "out_size"), "Dense": ("", "features")}
    entry, leaving = names.get(kind, ("in_features", "out_features"))
    if layer.name.startswith("equinox") and len(data.shape) != 1:
        raise Raised(
            "size",
            "the layer takes one example without a batch axis",
            Value(len(data.shape), merged(value, *data.shape)),
            Value(1, frozenset({layer.made})),
        )
    if entry:
        wanted = placed(parameter(layer, entry), layer)
        arrays.same(data.shape[-1], wanted, "dot_general requires contracting dimensions to match")
    else:
        _same_as_before(layer, data.shape[-1])
    width = placed(parameter(layer, leaving), layer)
    return jax_array(call, (*data.shape[:-1], width), "float32", value)


def _same_as_before(layer: LibraryObject, entry: Value) -> None:
    """Raise where a Flax layer's parameters were made for another input size."""
    if not _passes or size(entry) is None:
        return
    known, counts = _passes[-1]
    if "number" not in layer.state:
        layer.state["number"] = Value(counts.get(layer.made, 0))
        counts[layer.made] = counts.get(layer.made, 0) + 1
    key = (layer.made, size(layer.state["number"]) or 0)
    before = known.setdefault(key, Value(entry.data, entry.origins | {layer.made}))
    message = (
        f"For parameter kernel in a {layer.short} layer, the given initializer is expected to "
        f"generate a shape with {size(entry)}, but the existing parameter has {size(before)}"
    )
    arrays.same(entry, before, message)


def _in_sequence(interpreter: Interpreter, layer: LibraryObject, value: Value, call: Call) -> Value:
    given = parameter(layer, "layers")
    parts = items(given) if layer.name.startswith("flax.linen") else layer.args
    if not parts:
        return call.unknown()
    for part in parts:
        value = interpreter.call(part, (value,), {}, call.place)
    return value


def _convolved(layer: LibraryObject, shape: tuple[Value, ...], value: Value, call: Call) -> Value:
    """Return the shape after a convolution: Flax has channels last, Equinox first."""
    first = layer.name.startswith("equinox")
    kernel = parameter(layer, "kernel_size")
    count = {"Conv1d": 1, "Conv2d": 2}.get(layer.short, len(items(kernel) or ()))
    entry = parameter(layer, "in_channels") or parameter(layer, "in_features")
    leaving = parameter(layer, "features") or parameter(layer, "out_features")
    width = placed(leaving or parameter(layer, "out_channels"), layer)
    if not count:
        return call.unknown()
    if not first and entry is None and shape:
        _same_as_before(layer, shape[-1])
    if (first and len(shape) != count + 1) or len(shape) < count + 1:
        raise Raised(
            "size",
            f"Input to `Conv` needs to have rank {count + 1}, but input has another rank",
            Value(len(shape), merged(value, *shape)),
            Value(count + 1, frozenset({layer.made})),
        )
    channels = shape[0] if first else shape[-1]
    if entry is not None:
        arrays.same(channels, placed(entry, layer), "input channels do not match the kernel's")
    unusual = {"kernel_dilation", "input_dilation", "dilation", "groups"} & set(layer.keywords)
    padding = parameter(layer, "padding")
    spatial = shape[1:] if first else shape[-count - 1 : -1]
    strides = each(parameter(layer, "stride") or parameter(layer, "strides"), count, Value(1))
    kernels = each(kernel, count)
    pads = each(padding if padding is not None else Value(0), count)
    mode = "SAME" if padding is None else padding.data
    lengths = []
    for n, k, s, p in zip(spatial, kernels, strides, pads, strict=True):
        parts = size(n), size(k), size(s), size(p)
        number: object = UNKNOWN
        if unusual or parts[0] is None or not parts[2]:
            pass
        elif not first and mode == "SAME":
            number = -(-parts[0] // parts[2])
        elif not first and mode == "VALID" and parts[1] is not None:
            number = max((parts[0] - parts[1]) // parts[2] + 1, 0)
        elif first and parts[1] is not None and parts[3] is not None:
            number = (parts[0] + 2 * parts[3] - parts[1]) // parts[2] + 1
        lengths.append(Value(number, merged(n, k, s, p) | {layer.made}))
    if first:
        return jax_array(call, (width, *lengths), "float32", value)
    return jax_array(call, (*shape[: -count - 1], *lengths, width), "float32", value)


@MODELS.function(
    *named("flax.linen", "max_pool avg_pool min_pool"),
    *named("flax.nnx", "max_pool avg_pool min_pool"),
)
def pool(_: Interpreter, call: Call) -> Value:
    """Return pooled windows; the stride is 1 and the padding "VALID" where none is given."""
    value, window = call.given(0, "inputs"), items(call.given(1, "window_shape"))
    data = operand(value, "jax")
    if value is None or data is None or data.shape is None or not window:
        return call.unknown()
    count = len(window)
    strides = each(call.given(2, "strides"), count, Value(1))
    padding = call.given(3, "padding")
    mode = "VALID" if padding is None else padding.data
    if len(data.shape) < count + 1:
        return call.unknown()
    lengths = []
    for n, k, s in zip(data.shape[-count - 1 : -1], window, strides, strict=True):
        a, b, c = size(n), size(k), size(s)
        number: object = UNKNOWN
        if a is not None and b is not None and c and mode == "VALID":
            number = max((a - b) // c + 1, 0)
        elif a is not None and c and mode == "SAME":
            number = -(-a // c)
        lengths.append(Value(number, merged(n, k, s) | {call.place}))
    shape = (*data.shape[: -count - 1], *lengths, data.shape[-1])
    return jax_array(call, shape, data.dtype, value)


# --- flax modules -------------------------------------------------------------------------------


@MODELS.function("flax.linen.Module", "equinox.Module")
def make_module(_: Interpreter, call: Call) -> Value:
    """Return a module whose fields are the keywords that it is made with."""
    made = LibraryObject(call.name, call.args, dict(call.keywords), call.place)
    made.state.update(call.keywords)
    return Value(made, frozenset({call.place}))


def is_flax(interpreter: Interpreter, value: Value | None) -> bool:
    """Return whether a value is an object of a workspace class that derives from Flax's module."""
    data = value.data if value is not None else None
    if isinstance(data, Instance):
        return any(b.startswith("flax.") for b in interpreter.library_bases(data.cls))
    return isinstance(data, LibraryObject) and data.name.startswith("flax.linen.")


def set_up(interpreter: Interpreter, value: Value, place: Origin, depth: int = 0) -> None:
    """Run a Flax module's ``setup``, and those of the modules that it makes."""
    data = value.data
    if not isinstance(data, Instance) or depth > 6:
        return
    function = member(data.cls, "setup")
    if function is not None and "_set_up" not in data.attributes:
        data.attributes["_set_up"] = Value(True)
        interpreter.call(Value(BoundMethod(function, value)), (), {}, place)
    for part in list(data.attributes.values()):
        for inner in items(part) or (part,):
            set_up(interpreter, inner, place, depth + 1)


def apply_module(
    interpreter: Interpreter, call: Call, args: tuple[Value, ...], keywords: dict[str, Value]
) -> Value:
    """Return what a Flax module's ``__call__`` gives, its layers' input sizes compared."""
    receiver = call.receiver
    if receiver is None:
        return call.unknown()
    known: dict[tuple[Origin, int], Value] = {}
    if isinstance(receiver.data, Instance):
        kept = receiver.data.attributes.setdefault("_input sizes", Value(known)).data
        known = kept if isinstance(kept, dict) else known
    method = keywords.pop("method", None)
    _passes.append((known, {}))
    try:
        set_up(interpreter, receiver, call.place)
        if method is not None:
            return unknown(receiver, *args)
        return interpreter.call(receiver, args, keywords, call.place)
    finally:
        _passes.pop()


def _before(name: str) -> Model | None:
    return MODELS.methods.get(("Module", name))


_others = {name: _before(name) for name in ("init", "apply", "init_with_output")}


def flax_method(interpreter: Interpreter, call: Call) -> Value:
    """Return a Flax module's parameters (``init``) or its output (``apply``)."""
    if not is_flax(interpreter, call.receiver):
        other = _others.get(call.name)
        return other(interpreter, call) if other is not None else call.unknown()
    keywords = {k: v for k, v in call.keywords.items() if k not in {"rngs", "mutable", "variables"}}
    result = apply_module(interpreter, call, call.args[1:], keywords)
    parameters = unknown(*call.args[:1])
    if call.name == "init":
        return parameters
    if call.name == "init_with_output":
        return Value((result, parameters))
    mutable = call.keywords.get("mutable")
    if mutable is None or mutable.data is False:
        return result
    return Value((result, parameters))


for _kind in ("Module", "Dense", "Conv", "Embed", "Sequential"):
    for _name in _others:
        if _kind == "Module" or (_kind, _name) not in MODELS.methods:
            MODELS.method(_kind, _name)(flax_method)


# --- optax --------------------------------------------------------------------------------------


@MODELS.function("optax.apply_updates", "equinox.apply_updates")
def apply_updates(_: Interpreter, call: Call) -> Value:
    """Return parameters like the ones given."""
    return call.given(0, "params", "model") or call.unknown()


@MODELS.function(
    *named(
        "optax",
        "softmax_cross_entropy sigmoid_binary_cross_entropy l2_loss squared_error huber_loss "
        "softmax_cross_entropy_with_integer_labels",
    )
)
def loss(_: Interpreter, call: Call) -> Value:
    """Return a loss for each row or element; raise where labels do not fit the outputs."""
    a, b = call.given(0, "logits", "predictions"), call.given(1, "labels", "targets")
    x, y = operand(a, "jax"), operand(b, "jax")
    if a is None or b is None or x is None or y is None or x.shape is None or y.shape is None:
        return call.unknown()
    if call.name.endswith("integer_labels"):
        if y.dtype is not None and y.dtype.startswith("float"):
            raise Raised("type", "Expected input of type integer, got float labels", b)
        if len(x.shape) != len(y.shape) + 1:
            raise Raised(
                "size",
                "labels must have one axis less than logits",
                Value(len(y.shape), merged(b, *y.shape)),
                Value(len(x.shape), merged(a, *x.shape)),
            )
        shape = tuple(
            arrays.same(p, q, "labels and logits differ in their leading axes")
            for p, q in zip(x.shape, y.shape, strict=False)
        )
        return jax_array(call, shape, "float32", a, b)
    shape = arrays.broadcast(x.shape, y.shape)
    rows = call.name.endswith("softmax_cross_entropy")
    return jax_array(call, shape[:-1] if rows else shape, "float32", a, b)

"""JAX's functions beyond those of every model: ``jax.lax``, devices, shapes; Optax's trees.

Sources: the JAX API reference, Optax's of ``optax.tree``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.jax.arrays import (
    NARROW,
    changed,
    jax_array,
    leaves,
    named,
    same_carry,
    same_shape,
)
from dl_bug_lsp.interpretation.libraries.keras.layers import each, items
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import dims, dtype_named, operand
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Lazy,
    Library,
    LibraryObject,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

MOST_BRANCHES = 8
MODELS.function(*named("jax.lax", "lgamma digamma log1p expm1 logistic erf_inv cbrt round sign"))(
    same_shape
)


# --- shapes and dtypes ----------------------------------------------------------------------------


@MODELS.function("jax.eval_shape")
def _evaluated(interpreter: Interpreter, call: Call) -> Value:
    """Return the shapes of what a function gives."""
    function = call.given(0, "fun")
    if function is None:
        return call.unknown()
    named_ones = {name: value for name, value in call.keywords.items() if name != "fun"}
    return interpreter.call(function, call.args[1:], named_ones, call.place)


@MODELS.function("jax.ShapeDtypeStruct")
def _structure(_: Interpreter, call: Call) -> Value:
    dtype = dtype_named(call.given(1, "dtype"))
    return jax_array(call, dims(call.given(0, "shape")), dtype, *call.args)


@MODELS.function("jax.lax.convert_element_type", "jax.numpy.astype")
def _converted(_: Interpreter, call: Call) -> Value:
    value, wanted = call.given(0, "operand", "x"), call.given(1, "new_dtype", "dtype")
    x, dtype = operand(value, "jax"), dtype_named(wanted)
    if x is None:
        return call.unknown()
    return jax_array(call, x.shape, NARROW.get(dtype or "", dtype), *call.args)


@MODELS.function("jax.lax.broadcast_shapes")
def _broadcast_shapes(_: Interpreter, call: Call) -> Value:
    joint: Sequence[Value] = ()
    for value in call.args:
        shape = dims(value)
        if shape is None:
            return call.unknown()
        joint = arrays.broadcast(joint, shape)
    return Value(tuple(joint), merged(*call.args))


@MODELS.function("jax.random.key_data")
def _key_data(_: Interpreter, call: Call) -> Value:
    x = arrays.array(call.given(0, "keys"))
    if x is None or x.shape is None:
        return call.unknown()
    shape = (*x.shape, Value(2)) if x.dtype == "key" else x.shape
    return jax_array(call, shape, "uint32", *call.args)


@MODELS.function("jax.lax.select")
def _selected(_: Interpreter, call: Call) -> Value:
    """Return items of one of two arrays, which have one shape and one dtype."""
    which, left, right = (call.given(i, n) for i, n in enumerate(("pred", "on_true", "on_false")))
    x, y, p = operand(left, "jax"), operand(right, "jax"), operand(which, "jax")
    if left is None or right is None or x is None or y is None:
        return call.unknown()
    if x.shape is None or y.shape is None:
        return jax_array(call, x.shape or y.shape, x.dtype or y.dtype, *call.args)
    message = "select cases must have the same shapes"
    if len(x.shape) != len(y.shape):
        raise Raised("size", message, Value(len(x.shape), left.origins), Value(len(y.shape)))
    shape = [arrays.same(a, b, message) for a, b in zip(x.shape, y.shape, strict=True)]
    if x.dtype and y.dtype and x.dtype != y.dtype:
        raise Raised("type", "select cases must have the same dtypes", left, right)
    if p is not None and p.shape and len(p.shape) != len(shape):
        message = "select `which` must be scalar or have the same shape as cases"
        raise Raised("size", message, Value(len(p.shape)), Value(len(shape)))
    return jax_array(call, shape, x.dtype, *call.args)


@MODELS.function("jax.lax.switch")
def _switched(interpreter: Interpreter, call: Call) -> Value:
    """Return what one of several functions gives; all must give the same shapes and dtypes."""
    branches = items(call.given(1, "branches"))
    if not branches:
        return call.unknown()
    made = [
        interpreter.call(branch, call.args[2:], {}, call.place)
        for branch in branches[:MOST_BRANCHES]
    ]
    for other in made[1:]:
        same_carry(made[0], other, "switch")
    return next((value for value in made if value.known), made[0])


# --- windows --------------------------------------------------------------------------------------


def _lengths(
    spatial: Sequence[Value],
    kernel: Sequence[Value],
    strides: Sequence[Value],
    padding: Value | None,
    apart: Sequence[Value],
) -> list[Value]:
    """Return the lengths after windows have moved over axes; unknown where one of them is."""
    mode = None if padding is None else padding.data
    pairs = items(padding) if isinstance(mode, (list, tuple)) else None
    lengths = []
    for at, (dim, width, stride, step) in enumerate(
        zip(spatial, kernel, strides, apart, strict=True)
    ):
        n, k, s, d = size(dim), size(width), size(stride), size(step)
        around: int | None = 0 if mode == "VALID" else None
        if pairs is not None and at < len(pairs):
            pair = [size(part) for part in items(pairs[at]) or ()]
            known = [part for part in pair if part is not None]
            around = sum(known) if len(known) == len(pair) == 2 else None
        number: object = UNKNOWN
        if mode == "SAME" and n is not None and s:
            number = -(-n // s)
        elif n is not None and k is not None and s and d and around is not None:
            number = max((n + around - (k - 1) * d - 1) // s + 1, 0)
        lengths.append(Value(number, merged(dim, width, stride)))
    return lengths


@MODELS.function("jax.lax.reduce_window")
def _reduced_windows(_: Interpreter, call: Call) -> Value:
    value, window = call.given(0, "operand"), items(call.given(3, "window_dimensions"))
    x = operand(value, "jax")
    if x is None or x.shape is None or not window:
        return call.unknown()
    if len(window) != len(x.shape):
        message = "reduce_window window_dimensions must have the operand's number of axes"
        raise Raised("size", message, Value(len(window)), Value(len(x.shape)))
    count = len(window)
    if {"base_dilation"} & set(call.keywords) or len(call.args) > 6:
        return jax_array(call, None, x.dtype, *call.args[:1])
    strides = each(call.given(4, "window_strides"), count, Value(1))
    apart = each(call.keywords.get("window_dilation"), count, Value(1))
    lengths = _lengths(x.shape, window, strides, call.given(5, "padding"), apart)
    return jax_array(call, lengths, x.dtype, *call.args[:1])


@MODELS.function(
    "jax.lax.conv_general_dilated", "jax.lax.conv", "jax.lax.conv_with_general_padding"
)
def _convolved(_: Interpreter, call: Call) -> Value:
    """Return a convolution; raise where the channels of input and kernel do not fit."""
    x, kernel = operand(call.given(0, "lhs"), "jax"), operand(call.given(1, "rhs"), "jax")
    if x is None or kernel is None or x.shape is None or kernel.shape is None:
        return call.unknown()
    count = len(x.shape) - 2
    if len(kernel.shape) != len(x.shape):
        message = "convolution requires lhs and rhs ndim to be equal"
        raise Raised("size", message, Value(len(x.shape)), Value(len(kernel.shape)))
    given = call.given(6, "dimension_numbers") if call.name.endswith("dilated") else None
    axes = [item.data for item in items(given) or ()] if given is not None else None
    if axes is None and (given is None or given.data is None):
        letters = "DHW"[-count:] if count <= 3 else ""
        axes = [f"NC{letters}", f"OI{letters}", f"NC{letters}"]
    texts = [axis for axis in axes or () if isinstance(axis, str) and len(axis) == len(x.shape)]
    groups = call.given(7, "feature_group_count") or Value(1)
    if len(texts) != 3 or "lhs_dilation" in call.keywords or len(call.args) > 4:
        return jax_array(call, None, x.dtype, *call.args[:2])
    left, right, out = texts
    spatial = [letter for letter in out if letter not in "NC"]
    own, width = x.shape[left.index("C")], kernel.shape[right.index("I")]
    entry = arrays.product((width, groups)) if size(groups) is not None else unknown(width)
    arrays.same(own, entry, "conv_general_dilated lhs feature dimension size must match rhs's")
    lengths = _lengths(
        [x.shape[left.index(letter)] for letter in spatial],
        [kernel.shape[right.index(letter)] for letter in spatial],
        each(call.given(2, "window_strides"), count, Value(1)),
        call.given(3, "padding"),
        each(call.keywords.get("rhs_dilation"), count, Value(1)),
    )
    held = dict(zip(spatial, lengths, strict=True))
    held |= {"N": x.shape[left.index("N")], "C": kernel.shape[right.index("O")]}
    return jax_array(call, [held[letter] for letter in out], x.dtype, *call.args[:2])


# --- devices and transformations ------------------------------------------------------------------


@MODELS.function(*named("jax.lax", "pmean psum pmax pmin"))
def _over_devices(_: Interpreter, call: Call) -> Value:
    """Return arrays as they are: what all devices have of them has the same shape."""
    value = call.given(0, "x")
    is_plain = value is None or any(not isinstance(x.data, Array) for x in leaves(value))
    return call.unknown() if value is None or is_plain else value


@MODELS.function(*named("jax", "device_count local_device_count process_count"))
def _count(_: Interpreter, call: Call) -> Value:
    return arrays.number("int64", lowest=1)


@MODELS.function("jax.process_index")
def _index(_: Interpreter, call: Call) -> Value:
    return arrays.number("int64", lowest=0)


@MODELS.function("jax.pmap")
def _over_axis_of_devices(_: Interpreter, call: Call) -> Value:
    """Return a function that is mapped over the first axis, as `jax.vmap` does."""
    function = call.given(0, "fun")
    if function is None or "static_broadcasted_argnums" in call.keywords or len(call.args) > 2:
        return call.unknown()
    options = {k: v for k, v in call.keywords.items() if k in ("in_axes", "out_axes")}
    state = {"nnx": Value(False), "filter": Value(False)}
    made = LibraryObject("jax.vmap", (function,), options, call.place, state)
    return Value(made, function.origins | {call.place})


@MODELS.function("jax.jvp")
def _forwards(interpreter: Interpreter, call: Call) -> Value:
    """Return a function's value and its derivative along tangents, of the same shapes."""
    function, primals = call.given(0, "fun"), items(call.given(1, "primals"))
    if function is None or primals is None or "has_aux" in call.keywords:
        return call.unknown()
    output = interpreter.call(function, tuple(primals), {}, call.place)
    return Value((output, output), merged(output))


@MODELS.function(*named("jax.tree", "map_with_path"), "jax.tree_util.tree_map_with_path")
def _mapped_with_path(interpreter: Interpreter, call: Call) -> Value:
    """Return what a function gives for each leaf, whose path is not known."""
    if len(call.args) < 2 or any(k != "is_leaf" for k in call.keywords):
        return call.unknown()
    function = call.args[0]

    def change(value: Value, path: tuple[Value, ...]) -> Value:
        data = value.data
        if isinstance(data, dict):
            return Value({k: change(v, path) for k, v in data.items()}, value.origins)
        if isinstance(data, (list, tuple)):
            return Value(type(data)(change(v, path) for v in data), value.origins)
        if not isinstance(data, Array):
            return unknown(value)
        return interpreter.call(function, (*path, value), {}, call.place)

    if len(call.args) > 2:
        return call.unknown()
    return change(call.args[1], (Value(Lazy(Value(UNKNOWN), Value(UNKNOWN))),))


# --- trees of Optax -------------------------------------------------------------------------------


def _trees(names: str) -> list[str]:
    both = [f"optax.tree.{name}" for name in names.split()]
    return both + [f"optax.tree_utils.tree_{name}" for name in names.split()]


@MODELS.function(*_trees("zeros_like ones_like full_like cast real bias_correction"))
def _like(_: Interpreter, call: Call) -> Value:
    """Return a tree of arrays of the same shapes, with the dtype that is asked for."""
    tree = call.given(0, "tree", "moment")
    asked = call.given(1, "dtype") if call.name.endswith("cast") else call.keywords.get("dtype")
    dtype = dtype_named(asked)
    if tree is None:
        return call.unknown()
    known = asked is None or asked.data is None

    def change(data: Array) -> Array:
        return Array(data.shape, data.dtype if known else dtype, "jax")

    return changed(tree, change)


PAIRED = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide"}


@MODELS.function(*_trees(" ".join(PAIRED)), *_trees("update_moment"))
def _paired(interpreter: Interpreter, call: Call) -> Value:
    """Return a tree of what an operation gives for each pair of leaves."""
    last = call.name.rpartition(".")[2].removeprefix("tree_")
    function = Value(Library(f"jax.numpy.{PAIRED.get(last, 'add')}"))
    trees = call.args[:2]
    if len(trees) != 2 or (len(call.args) > 2 and last in PAIRED):
        return call.unknown()
    mapping = MODELS.functions["jax.tree.map"]
    return mapping(interpreter, Call("jax.tree.map", (function, *trees), {}, call.place))


@MODELS.function(*_trees("scale add_scale add_scalar_mul"))
def _scaled(_: Interpreter, call: Call) -> Value:
    first = not call.name.endswith(("tree_scale", "tree.scale"))
    tree = call.given(0 if first else 1)
    if tree is None:
        return call.unknown()
    return changed(tree, lambda x: Array(x.shape, x.dtype, "jax"))


@MODELS.function(*_trees("sum norm l2_norm vdot"), "optax.global_norm")
def _number(_: Interpreter, call: Call) -> Value:
    return jax_array(call, (), None, *call.args)

"""TensorFlow's control flow, wrapped Python functions, names of dtypes and checks.

Source: the TensorFlow 2 API reference (``tf.cond``, ``tf.while_loop``, ``tf.scan``,
``tf.py_function``, ``tf.debugging``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.libraries.python.standard_library import CONSTANTS
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import (
    converted,
    dtype_named,
    names,
    operand,
    tensor,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import alike, truth
from dl_bug_lsp.interpretation.values import Array, Value, merged, unknown

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

for _name in ("float16", "float32", "float64", "bfloat16", "complex64", "complex128", "bool"):
    CONSTANTS[f"tensorflow.{_name}.name"] = _name
for _bits in (8, 16, 32, 64):
    for _name in (f"int{_bits}", f"uint{_bits}"):
        CONSTANTS[f"tensorflow.{_name}.name"] = _name
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


@MODELS.function(
    *names(
        "debugging.assert_equal debugging.assert_less debugging.assert_greater "
        "debugging.assert_near debugging.assert_non_negative debugging.assert_positive "
        "debugging.assert_rank debugging.assert_shapes debugging.assert_type "
        "debugging.assert_less_equal debugging.assert_greater_equal "
        "debugging.assert_none_equal debugging.enable_check_numerics print "
        "debugging.set_log_device_placement"
    )
)
def _checked(_: Interpreter, call: Call) -> Value:
    """Return None: where a check fails, it raises."""
    del call
    return Value(None)

"""Rarer functions of PyTorch element by element, diagonals, products, and limits of dtypes.

Sources: the pages of each function in PyTorch's documentation (``torch``, ``torch.Tensor``,
``torch.finfo``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.array_functions
import dl_bug_lsp.interpretation.libraries.torch.reductions  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, size
from dl_bug_lsp.interpretation.libraries.torch.functions import (
    ask_range,
    floated_elements,
    paired,
    tested_elements,
)
from dl_bug_lsp.interpretation.libraries.torch.tensors import (
    dtype_of,
    kept,
    operation,
    tensor,
    words,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Raised,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


WITHOUT_NAME = words(
    "acos acosh asin asinh atan atanh arccos arccosh arcsin arcsinh arctan arctanh ceil cos cosh "
    "deg2rad rad2deg digamma erf erfc erfinv exp2 expm1 floor frac i0 lgamma log log10 log1p log2 "
    "logit rsqrt sin sinc sinh square tan reciprocal cumsum cumprod sgn sign nan_to_num logical_not"
)
operation(
    *words("frac fix sgn hardshrink resolve_neg conj_physical msort celu celu_ selu selu_ prelu"),
    *words("rrelu rrelu_ dropout_ renorm_ slice_scatter select_scatter"),
    *words("diagonal_scatter clamp_max_ clamp_min_ cauchy_"),
    *words("geometric_ log_normal_ addcdiv_ addcmul_ addmm_ baddbmm_ matrix_exp negative_"),
    *words("bitwise_not bitwise_not_ nextafter threshold_ alpha_dropout"),
    *(f"{name}_" for name in WITHOUT_NAME),
)(kept)


operation(
    *words("acosh asinh atanh arccos arccosh arcsin arcsinh arctan arctanh deg2rad_ erfinv i0"),
    also=[f"torch.special.{n}" for n in words("i0e i1 i1e ndtr ndtri psi gammaln entr log_ndtr")],
)(floated_elements)
operation("isreal")(tested_elements)


@operation(
    *words("fmax fmin gcd lcm xlogy logaddexp logaddexp2 float_power ldexp bitwise_left_shift"),
    *words("bitwise_right_shift"),
    numbers=True,
)
def _of_two(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    result = paired(call, x, value, None, divides=name in ("xlogy", "logaddexp", "logaddexp2"))
    data = array(result)
    if name == "float_power" and data is not None:
        data.dtype = "float64"
    return result


@operation("is_complex", "is_signed", "is_nonzero", "is_same_size", "is_shared", "is_pinned")
def _fact(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    if name == "is_complex" and x.dtype is not None:
        return Value(x.dtype.startswith("complex"), value.origins)
    if name == "is_signed" and x.dtype is not None:
        return Value(x.dtype not in ("bool", "uint8"), value.origins)
    return arrays.number("bool", value)


@operation("diag", "diagflat")
def _diagonal(call: Call, x: Array, value: Value) -> Value:
    if x.shape is None:
        return tensor(None, x.dtype, value, library=x.library, device=x.device)
    offset = size(call.given(1, "diagonal", "offset")) if len(call.args) > 1 else 0
    if call.keywords or offset is None:
        offset = size(next(iter(call.keywords.values()), None))
    if len(x.shape) == 1 or call.name.endswith("diagflat"):
        count = size(arrays.product(x.shape))
        known = count is not None and offset is not None
        side = Value((count or 0) + abs(offset or 0) if known else UNKNOWN, value.origins)
        return tensor((side, side), x.dtype, value, library=x.library, device=x.device)
    if len(x.shape) != 2:
        if x.library == "torch":
            raise Raised("size", "diag(): Supports 1D or 2D tensors", value)
        return call.unknown()
    rows, columns = size(x.shape[0]), size(x.shape[1])
    length: object = UNKNOWN
    if rows is not None and columns is not None and offset is not None:
        length = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    side = Value(length, merged(value, *x.shape))
    return tensor((side,), x.dtype, value, library=x.library, device=x.device)


@operation("square_to", "pinverse", "kron")
def _products(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    if x.shape is None:
        return tensor(None, x.dtype, value, device=x.device)
    if name == "pinverse":
        shape = (*x.shape[:-2], *reversed(x.shape[-2:]))
        return tensor(shape, x.dtype, value, device=x.device)
    y = array(call.given(1, "other"))
    if y is None or y.shape is None or len(y.shape) != len(x.shape):
        return tensor(None, x.dtype, value, device=x.device)
    shape = tuple(arrays.product(pair) for pair in zip(x.shape, y.shape, strict=True))
    return tensor(shape, x.dtype, value, device=x.device)


@operation("matrix_power", "cholesky_inverse", also=["torch.linalg.vander"])
def _square(_: Call, x: Array, value: Value) -> Value:
    return tensor(x.shape, x.dtype, value, device=x.device)


@MODELS.function("torch.randint_like")
def _randint_like(_: Interpreter, call: Call) -> Value:
    x, value = array(call.given(0, "input")), call.given(0, "input")
    if x is None or value is None:
        return call.unknown()
    low, high = Value(0), call.given(1, "high", "low")
    if len(call.args) > 2:
        low, high = call.args[1], call.args[2]
    elif "low" in call.keywords and "high" in call.keywords:
        low, high = call.keywords["low"], call.keywords["high"]
    ask_range(low, high)
    last = size(high)
    dtype = dtype_of(call.keywords.get("dtype")) or x.dtype
    result = Array(x.shape, dtype, "torch", x.device, size(low), None if last is None else last - 1)
    return Value(result, merged(*call.args))

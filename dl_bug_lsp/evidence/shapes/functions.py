"""Functions and tensor methods as transfers of shapes: torch, NumPy, jax.numpy, TensorFlow."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.evidence.shapes.layers import ADAPTIVE, POOLS, UNKNOWN, adaptive, argument, pooled
from dl_bug_lsp.evidence.shapes.values import Dim, Many, Result, Tensor, joined, product
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.nodes import Instance, Items, Module
from dl_bug_lsp.provenance.scopes import called_name

if TYPE_CHECKING:
    from dl_bug_lsp.evidence.shapes.interpreter import Shapes

TOPS = ("torch", "numpy", "jax", "tensorflow", "keras", "np", "jnp", "tf", "flax")
SAME = frozenset(
    {"relu", "gelu", "silu", "tanh", "sigmoid", "softmax", "log_softmax", "dropout", "leaky_relu",
     "elu", "softplus", "normalize", "contiguous", "to", "cuda", "cpu", "float", "long", "int",
     "double", "half", "bool", "bfloat16", "detach", "clone", "exp", "log", "sqrt", "square",
     "clamp", "clip", "abs", "neg", "sin", "cos", "pow", "type", "astype", "copy", "numpy",
     "requires_grad_", "relu_", "add_", "mul_", "div_", "sub_", "masked_fill", "masked_fill_",
     "round", "floor", "ceil", "sign", "log1p", "nan_to_num", "zeros_like", "ones_like",
     "rand_like", "randn_like", "empty_like", "full_like", "cumsum", "sort", "flip", "roll",
     "asarray", "from_numpy", "as_tensor", "array", "tensor", "convert_to_tensor", "cast",
     "stop_gradient", "identity", "Tensor", "type_as", "view_as", "float32", "float_", "stop",
     "uniform_", "normal_", "fill_", "zero_", "batch_norm", "layer_norm", "logical_not"}
)  # fmt: skip
BINARY = {"add", "sub", "mul", "div", "multiply", "subtract", "divide", "maximum", "minimum",
          "where", "eq", "ne", "lt", "gt", "mse_loss", "l1_loss", "smooth_l1_loss",
          "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div", "pow",
          "equal"}  # fmt: skip
PRODUCTS = {"matmul", "mm", "bmm", "dot", "mv", "baddbmm"}
REDUCTIONS = {"mean", "sum", "max", "min", "std", "var", "argmax", "argmin", "norm", "prod", "any",
              "all", "amax", "amin", "logsumexp", "median", "nanmean"}  # fmt: skip
PAIRS = {"max", "min", "median"}
"""Reductions that give values and indices where torch's tensors have an axis given."""
MADE = {"zeros", "ones", "empty", "rand", "randn", "full", "normal", "uniform", "random",
        "truncated_normal", "standard_normal", "randint", "integers", "glorot_uniform",
        "random_sample"}  # fmt: skip
VIEWS = {"view", "reshape"}
POOLED = {
    "".join(("_" if c.isupper() and i else "") + c.lower() for i, c in enumerate(name)): name
    for name in (*POOLS, *ADAPTIVE)
}
"""The functional forms (``max_pool2d``) of the pooling layers."""


def broadcast(shapes: Shapes, node: Node, left: Tensor | None, right: Tensor | None) -> Result:
    """Return the broadcast shape of two operands, noting what must be the same."""
    if left is None or right is None:
        return left or right
    found: list[Dim] = []
    for i in range(1, max(len(left.dims), len(right.dims)) + 1):
        a, b = left.dim(-i), right.dim(-i)
        if a is None or b is None:
            found.append(a or b or UNKNOWN)
            continue
        if a.size == 1:
            found.append(b)
        elif b.size == 1:
            found.append(a)
        else:
            shapes.check(node, a, b, "broadcasting")
            found.append(a if a.size is not None else b)
    return Tensor(tuple(reversed(found)), left.is_open or right.is_open)


def matmul(shapes: Shapes, node: Node, left: Tensor | None, right: Tensor | None) -> Result:
    """Return the product's shape, noting that the inner dimensions must be the same."""
    inner = left.dim(-1) if left is not None else None
    second = None
    if right is not None:
        second = right.dim(-2) if len(right.dims) > 1 else right.dim(-1)
    shapes.check(node, inner, second, "matrix product")
    if left is None and right is None:
        return None
    rows = left.dims[:-1] if left is not None else ()
    if left is not None and right is not None:
        for i in range(3, min(len(left.dims), len(right.dims)) + 1):
            a, b = left.dims[-i], right.dims[-i]
            if 1 not in (a.size, b.size):
                shapes.check(node, a, b, "batch of the product")
    if right is not None and len(right.dims) == 1 and not right.is_open:
        return Tensor(rows, left is None or left.is_open)
    columns = (right.dims[-1] if right is not None and right.dims else None) or UNKNOWN
    return Tensor((*rows, columns), left is None or left.is_open)


def whole(shapes: Shapes, expr: ast.expr | None, node: Node) -> int | None:
    """Return the whole number of an expression, None where it is not one."""
    found = shapes.size(expr, node)
    return found.size if found is not None else None


def sizes(shapes: Shapes, args: list[ast.expr], node: Node) -> list[Dim] | None:
    """Return the sizes that a call lists, as arguments or as one tuple."""
    if len(args) == 1:
        one = shapes.engine.node(args[0], node.context)
        items = next((v for v in one.values if isinstance(v, Items)), None)
        if items is not None and items.complete:
            return [shapes.size_of(item) or UNKNOWN for item in items.items]
        if isinstance(args[0], (ast.Tuple, ast.List)):
            args = list(args[0].elts)
    if any(isinstance(a, ast.Starred) for a in args):
        return None
    return [shapes.size(a, node) or UNKNOWN for a in args]


def call(shapes: Shapes, name: str, node: Node, expr: ast.Call) -> Result:
    """Return what a library's function gives."""
    top, _, _ = name.partition(".")
    short = name.rpartition(".")[2]
    if top not in TOPS or "()" in name:
        return None
    if short in MADE:
        return _made(shapes, short, name, node, expr)
    if not expr.args:
        return None
    if short in ("arange", "linspace"):
        stop = expr.args[2] if short == "linspace" and len(expr.args) > 2 else expr.args[0]
        count = shapes.size(stop, node) if short == "linspace" or len(expr.args) == 1 else None
        return Tensor((count or joined(None, node),))
    if short == "eye":
        side = shapes.size(expr.args[0], node) or UNKNOWN
        return Tensor((side, side))
    if short in ("cat", "concat", "concatenate", "stack", "hstack", "vstack"):
        return _joined(shapes, short, node, expr)
    if short == "einsum":
        return _einsum(shapes, node, expr)
    if short == "one_hot":
        base = shapes.tensor(expr.args[0], node)
        classes = shapes.size(argument(expr, 1, "num_classes", "depth"), node) or joined(None, node)
        return Tensor((*(base.dims if base else ()), classes), base is None or base.is_open)
    first = shapes.of(shapes.engine.node(expr.args[0], node.context))
    pool = POOLED.get(short)
    if pool is not None and isinstance(first, Tensor):
        inner = ast.Call(func=expr.func, args=expr.args[1:], keywords=expr.keywords)
        handler = adaptive if pool.startswith("Adaptive") else pooled
        return handler(shapes, pool, Node(shapes.engine, node.context, expr), inner, first)
    return _transferred(shapes, short, node, expr, first, list(expr.args[1:]))


def method(shapes: Shapes, node: Node, expr: ast.Call, func: ast.Attribute) -> Result:
    """Return what a tensor's method gives."""
    base = shapes.engine.node(func.value, node.context)
    if any(isinstance(v, (Module, Instance)) for v in base.values):
        return None
    if func.attr in MADE and func.attr not in ("random",) and _looks_random(func):
        return _made(shapes, func.attr, "numpy.random." + func.attr, node, expr)
    return _transferred(shapes, func.attr, node, expr, shapes.of(base), list(expr.args))


def _looks_random(func: ast.Attribute) -> bool:
    name = func.value.id if isinstance(func.value, ast.Name) else ""
    return "rng" in name.lower() or "random" in name.lower() or name == "gen"


def _made(shapes: Shapes, short: str, name: str, node: Node, expr: ast.Call) -> Result:
    listed = keyword(expr, "size") or keyword(expr, "shape")
    args = [a for a in expr.args if not isinstance(a, ast.Starred)]
    if listed is not None:
        args = [listed]
    elif name.startswith("jax.random"):
        args = args[1:2]
    elif short in ("randint", "integers"):
        args = args[2:3] if len(args) > 2 else args[-1:]
    elif short in ("normal", "uniform") and "random" in name:
        args = args[2:3] if name.startswith("numpy") else args[:1]
    elif short == "full" or not ("torch" in name or short in ("rand", "randn")):
        args = args[:1]
    found = sizes(shapes, args, node) if args else None
    if not found or len(found) != len([*found]):
        return None
    return Tensor(tuple(found))


def _axis(
    shapes: Shapes, expr: ast.Call, rest: list[ast.expr], position: int = 0
) -> ast.expr | None:
    found = keyword(expr, "dim") or keyword(expr, "axis")
    if found is not None:
        return found
    return rest[position] if position < len(rest) else None


def _transferred(
    shapes: Shapes, short: str, node: Node, expr: ast.Call, base: Result, rest: list[ast.expr]
) -> Result:
    tensor = base if isinstance(base, Tensor) else None
    if short in SAME:
        return base
    if short in BINARY:
        return broadcast(shapes, node, tensor, shapes.tensor(rest[0], node) if rest else None)
    if short in PRODUCTS:
        return matmul(shapes, node, tensor, shapes.tensor(rest[0], node) if rest else None)
    if short in VIEWS:
        return _viewed(shapes, node, tensor, rest)
    handler = TRANSFERS.get(short)
    if handler is not None:
        return handler(shapes, node, expr, tensor, rest)
    if short in REDUCTIONS:
        return _reduced(shapes, short, node, expr, tensor, rest)
    if short == "linear" and len(rest) > 0:
        weight = shapes.tensor(rest[0], node)
        wanted = weight.dim(-1) if weight is not None else None
        shapes.check(node, tensor.dim(-1) if tensor else None, wanted, "in_features")
        out = (weight.dim(-2) if weight is not None else None) or UNKNOWN
        return Tensor(
            (*(tensor.dims[:-1] if tensor else ()), out), tensor is None or tensor.is_open
        )
    return None


def _viewed(shapes: Shapes, node: Node, tensor: Tensor | None, rest: list[ast.expr]) -> Result:
    listed = sizes(shapes, rest, node)
    if listed is None:
        return None
    known = [d.size for d in listed if d.size != -1]
    total = 1
    source = tensor.dims if tensor is not None and not tensor.is_open else None
    for dim in source or (UNKNOWN,):
        total = total * dim.size if dim.size is not None and total else 0
    taken = 1
    for one in known:
        taken = taken * one if one is not None and taken else 0
    if source is not None and all(d.size != -1 for d in listed):
        wanted = product(tuple(listed), node)
        shapes.check(node, product(source, node), wanted, "number of elements")
    elif total and taken and total % taken:
        given = product(source or (), node)
        shapes.check(
            node, given, Dim(taken, product(tuple(listed), node).makers, True), "number of elements"
        )
    found: list[Dim] = []
    for dim in listed:
        if dim.size == -1:
            size = total // taken if total and taken and total % taken == 0 else None
            found.append(joined(size, node, *(source or ())))
        else:
            found.append(dim)
    return Tensor(tuple(found))


def _reduced(
    shapes: Shapes,
    short: str,
    node: Node,
    expr: ast.Call,
    tensor: Tensor | None,
    rest: list[ast.expr],
) -> Result:
    axis = _axis(shapes, expr, rest)
    if tensor is None:
        return None
    keep = keyword(expr, "keepdim") or keyword(expr, "keepdims")
    kept = isinstance(keep, ast.Constant) and keep.value is True
    if axis is None:
        return Tensor(())
    axes = sizes(shapes, [axis], node) or []
    spots = {tensor.at(d.size) for d in axes if d.size is not None}
    if None in spots or not spots:
        return None
    dims = [
        Dim(1, (node,)) if i in spots else dim
        for i, dim in enumerate(tensor.dims)
        if kept or i not in spots
    ]
    found = Tensor(tuple(dims), tensor.is_open)
    return Many((found, found)) if short in PAIRS and keyword(expr, "dim") is not None else found


def _joined(shapes: Shapes, short: str, node: Node, expr: ast.Call) -> Result:
    parts = shapes.of(shapes.engine.node(expr.args[0], node.context))
    if not isinstance(parts, Many):
        return None
    tensors = [p for p in parts.items if isinstance(p, Tensor)]
    if not tensors or len(tensors) != len(parts.items):
        return None
    axis_expr = _axis(shapes, expr, list(expr.args[1:]))
    axis = whole(shapes, axis_expr, node) if axis_expr is not None else 0
    if short == "hstack":
        axis = 1
    first = tensors[0]
    if axis is None:
        return None
    if short == "stack":
        spot = axis if axis >= 0 else len(first.dims) + 1 + axis
        dims = list(first.dims)
        dims.insert(spot, Dim(len(tensors), (node,)))
        return Tensor(tuple(dims), first.is_open)
    at = first.at(axis)
    if at is None:
        return None
    for other in tensors[1:]:
        for i, dim in enumerate(first.dims):
            if i != at and len(other.dims) == len(first.dims):
                shapes.check(node, other.dims[i], dim, "joining")
    along = [t.dims[at] for t in tensors if at < len(t.dims)]
    known = [d.size for d in along]
    total = sum(n for n in known if n is not None) if None not in known else None
    dims = list(first.dims)
    dims[at] = joined(total, node, *along)
    return Tensor(tuple(dims), first.is_open)


def _einsum(shapes: Shapes, node: Node, expr: ast.Call) -> Result:
    text = shapes.engine.node(expr.args[0], node.context).constant
    if text is None or not isinstance(text.value, str) or "." in text.value:
        return None
    inputs, _, output = text.value.replace(" ", "").partition("->")
    letters: dict[str, Dim] = {}
    for part, operand in zip(inputs.split(","), expr.args[1:], strict=False):
        tensor = shapes.tensor(operand, node)
        for i, letter in enumerate(reversed(part)):
            dim = tensor.dim(-1 - i) if tensor is not None else None
            if dim is None:
                continue
            if letter in letters:
                shapes.check(node, dim, letters[letter], f"axis {letter} of the einsum")
            letters.setdefault(letter, dim)
    return Tensor(tuple(letters.get(letter, UNKNOWN) for letter in output)) if output else None


Transfer = Callable[["Shapes", Node, ast.Call, "Tensor | None", list[ast.expr]], Result]


def _permute(
    shapes: Shapes, node: Node, expr: ast.Call, tensor: Tensor | None, rest: list[ast.expr]
) -> Result:
    order = sizes(shapes, rest or [e for e in (keyword(expr, "axes"),) if e is not None], node)
    if tensor is None or tensor.is_open:
        return None
    if not order:
        return Tensor(tensor.dims[::-1])
    spots = [tensor.at(d.size) if d.size is not None else None for d in order]
    if None in spots or len(spots) != len(tensor.dims):
        return None
    return Tensor(tuple(tensor.dims[i] for i in spots if i is not None))


def _transpose(
    shapes: Shapes, node: Node, expr: ast.Call, tensor: Tensor | None, rest: list[ast.expr]
) -> Result:
    if len(rest) != 2:
        return _permute(shapes, node, expr, tensor, rest)
    if tensor is None:
        return None
    a, b = (whole(shapes, e, node) for e in rest)
    i = tensor.at(a) if a is not None else None
    j = tensor.at(b) if b is not None else None
    if i is None or j is None:
        return None
    dims = list(tensor.dims)
    dims[i], dims[j] = dims[j], dims[i]
    return Tensor(tuple(dims), tensor.is_open)


def _unsqueeze(
    shapes: Shapes, node: Node, expr: ast.Call, tensor: Tensor | None, rest: list[ast.expr]
) -> Result:
    axis = whole(shapes, _axis(shapes, expr, rest), node)
    if tensor is None or axis is None:
        return None
    spot = axis if axis >= 0 else len(tensor.dims) + 1 + axis
    if (axis >= 0 and tensor.is_open) or not 0 <= spot <= len(tensor.dims):
        return None
    dims = list(tensor.dims)
    dims.insert(spot, Dim(1, (node,)))
    return Tensor(tuple(dims), tensor.is_open)


def _squeeze(
    shapes: Shapes, node: Node, expr: ast.Call, tensor: Tensor | None, rest: list[ast.expr]
) -> Result:
    axis_expr = _axis(shapes, expr, rest)
    if tensor is None:
        return None
    if axis_expr is None:
        if tensor.is_open or any(d.size is None for d in tensor.dims):
            return None
        return Tensor(tuple(d for d in tensor.dims if d.size != 1))
    axis = whole(shapes, axis_expr, node)
    spot = tensor.at(axis) if axis is not None else None
    if spot is None:
        return None
    if tensor.dims[spot].size not in (None, 1):
        return tensor
    dims = [d for i, d in enumerate(tensor.dims) if i != spot]
    return Tensor(tuple(dims), tensor.is_open)


def _flatten(
    shapes: Shapes, node: Node, expr: ast.Call, tensor: Tensor | None, rest: list[ast.expr]
) -> Result:
    start_expr = rest[0] if rest else keyword(expr, "start_dim")
    start = whole(shapes, start_expr, node) if start_expr is not None else 0
    if start is None:
        return None
    if tensor is None or tensor.is_open:
        rows = tuple(UNKNOWN for _ in range(max(start, 0)))
        return Tensor((*rows, joined(None, node, *(tensor.dims if tensor else ()))))
    end_expr = rest[1] if len(rest) > 1 else keyword(expr, "end_dim")
    end = whole(shapes, end_expr, node) if end_expr is not None else -1
    first, last = tensor.at(start), tensor.at(end) if end is not None else None
    if first is None or last is None or last < first:
        return None
    middle = product(tensor.dims[first : last + 1], node)
    return Tensor((*tensor.dims[:first], middle, *tensor.dims[last + 1 :]))


def _expand(
    shapes: Shapes, node: Node, expr: ast.Call, tensor: Tensor | None, rest: list[ast.expr]
) -> Result:
    listed = sizes(shapes, rest, node)
    if listed is None:
        return None
    found: list[Dim] = []
    for i, dim in enumerate(reversed(listed), 1):
        before = tensor.dim(-i) if tensor is not None else None
        if before is not None and before.size not in (1, None) and dim.size not in (-1, None):
            shapes.check(node, before, dim, "expanding")
        found.append(before if dim.size == -1 and before is not None else dim)
    return Tensor(tuple(reversed(found)))


def _repeat(
    shapes: Shapes, node: Node, expr: ast.Call, tensor: Tensor | None, rest: list[ast.expr]
) -> Result:
    listed = sizes(shapes, rest, node)
    if listed is None or tensor is None:
        return None
    found: list[Dim] = []
    for i, times in enumerate(reversed(listed), 1):
        before = tensor.dim(-i)
        if times.size == 1 and before is not None:
            found.append(before)
        else:
            size = before.size if before is not None else 1
            both = size is not None and times.size is not None
            found.append(joined(size * times.size if both else None, node, before))  # type: ignore[operator]
    return Tensor(tuple(reversed(found)))


def _split(
    shapes: Shapes, node: Node, expr: ast.Call, tensor: Tensor | None, rest: list[ast.expr]
) -> Result:
    if tensor is None or not rest:
        return None
    count = shapes.size(rest[0], node)
    axis_expr = rest[1] if len(rest) > 1 else _axis(shapes, expr, [])
    axis = whole(shapes, axis_expr, node) if axis_expr is not None else 0
    spot = tensor.at(axis) if axis is not None else None
    if spot is None or count is None or count.size is None or count.size <= 0:
        return None
    along = tensor.dims[spot]
    chunks = called_name(expr) == "chunk" or not isinstance(expr.func, ast.Attribute)
    size = None
    if along.size is not None:
        size = -(-along.size // count.size) if chunks else count.size
    dims = list(tensor.dims)
    dims[spot] = joined(size, node, along)
    number = count.size if chunks else (along.size // count.size if along.size else 2)
    one = Tensor(tuple(dims), tensor.is_open)
    return Many((one,) * min(max(number, 1), 16))


TRANSFERS: dict[str, Transfer] = {
    "permute": _permute,
    "transpose": _transpose,
    "swapaxes": _transpose,
    "t": lambda s, n, e, t, r: Tensor(t.dims[::-1], t.is_open) if t is not None else None,
    "unsqueeze": _unsqueeze,
    "expand_dims": _unsqueeze,
    "squeeze": _squeeze,
    "flatten": _flatten,
    "ravel": _flatten,
    "expand": _expand,
    "broadcast_to": _expand,
    "repeat": _repeat,
    "tile": _repeat,
    "chunk": _split,
    "split": _split,
}


def indexed(shapes: Shapes, node: Node, expr: ast.Subscript) -> Result:
    """Return what indexing or slicing gives."""
    base = shapes.of(shapes.engine.node(expr.value, node.context))
    index = shapes.engine.node(expr.slice, node.context)
    constant = index.constant
    if isinstance(base, Many):
        at = constant.value if constant is not None else None
        if isinstance(at, int) and -len(base.items) <= at < len(base.items):
            return base.items[at]
        return None
    if base is None:
        kept = [child for role, child in node.inputs if role == "item"]
        return next((f for f in map(shapes.of, kept[:3]) if f is not None), None)
    parts = list(expr.slice.elts) if isinstance(expr.slice, ast.Tuple) else [expr.slice]
    if any(isinstance(p, ast.Constant) and p.value is Ellipsis for p in parts):
        before = next(
            i for i, p in enumerate(parts) if isinstance(p, ast.Constant) and p.value is ...
        )
        if before:
            return None
        tail = _picked(shapes, node, list(base.dims[len(base.dims) - len(parts) + 1 :]), parts[1:])
        return Tensor((*base.dims[: len(base.dims) - len(parts) + 1], *tail), base.is_open)
    if base.is_open:
        return None
    return Tensor(tuple(_picked(shapes, node, list(base.dims), parts)))


def _picked(shapes: Shapes, node: Node, dims: list[Dim], parts: list[ast.expr]) -> list[Dim]:
    found: list[Dim] = []
    left = list(dims)
    for part in parts:
        if isinstance(part, ast.Constant) and part.value is None:
            found.append(Dim(1, (node,)))
            continue
        dim = left.pop(0) if left else UNKNOWN
        if isinstance(part, ast.Slice):
            found.append(_cut(shapes, node, dim, part))
        elif isinstance(part, (ast.Constant, ast.UnaryOp)):
            continue
        else:
            tensor = shapes.tensor(part, node)
            if tensor is not None:
                found.extend(tensor.dims)
    return [*found, *left]


def _cut(shapes: Shapes, node: Node, dim: Dim, part: ast.Slice) -> Dim:
    if part.lower is None and part.upper is None and part.step is None:
        return dim
    low = whole(shapes, part.lower, node) if part.lower is not None else 0
    high = whole(shapes, part.upper, node) if part.upper is not None else dim.size
    step = whole(shapes, part.step, node) if part.step is not None else 1
    size = None
    if dim.size is not None and low is not None and high is not None and step:
        size = len(range(*slice(low, high, step).indices(dim.size)))
    return joined(size, node, dim)

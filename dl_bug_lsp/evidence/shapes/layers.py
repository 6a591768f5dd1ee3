"""Layers of the frameworks as tables: which argument is which size, and what comes out.

Read off the documentation of torch.nn, Keras and Flax, and checked against torch 2.13.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.evidence.shapes.values import Dim, Many, Result, Tensor, joined, product
from dl_bug_lsp.provenance.engine import Node

if TYPE_CHECKING:
    from dl_bug_lsp.evidence.shapes.interpreter import Shapes

SAME = frozenset(
    {"ReLU", "LeakyReLU", "GELU", "SiLU", "ELU", "SELU", "Tanh", "Sigmoid", "Softmax", "LogSoftmax",
     "Softplus", "Hardswish", "Mish", "Dropout", "Dropout1d", "Dropout2d", "AlphaDropout",
     "Identity", "ReLU6", "PReLU", "Activation", "GaussianNoise", "SpatialDropout1D",
     "LayerNormalization", "BatchNormalization", "RMSNorm", "TransformerEncoder",
     "TransformerEncoderLayer", "Hardtanh", "InstanceNorm2d"}
)  # fmt: skip
CONVOLUTIONS = {"Conv1d": 1, "Conv2d": 2, "Conv3d": 3}
TRANSPOSED = {"ConvTranspose1d": 1, "ConvTranspose2d": 2, "ConvTranspose3d": 3}
POOLS = {"MaxPool1d": 1, "MaxPool2d": 2, "MaxPool3d": 3, "AvgPool1d": 1, "AvgPool2d": 2}
ADAPTIVE = {"AdaptiveAvgPool1d": 1, "AdaptiveAvgPool2d": 2, "AdaptiveMaxPool1d": 1,
            "AdaptiveMaxPool2d": 2, "AdaptiveAvgPool3d": 3}  # fmt: skip
BATCH_NORMS = {"BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm", "InstanceNorm1d"}
RECURRENT = {"RNN", "LSTM", "GRU"}
CELLS = {"RNNCell", "LSTMCell", "GRUCell"}
KERAS_CONVOLUTIONS = {"Conv1D": 1, "Conv2D": 2, "Conv3D": 3}
UNKNOWN = Dim(None)


def argument(made: ast.Call, position: int, *names: str) -> ast.expr | None:
    """Return an argument of a call by position or by one of its names."""
    if position < len(made.args) and not any(
        isinstance(a, ast.Starred) for a in made.args[: position + 1]
    ):
        return made.args[position]
    for name in names:
        found = keyword(made, name)
        if found is not None:
            return found
    return None


def apply(
    shapes: Shapes, short: str, maker: Node, made: ast.Call, given: Result, node: Node
) -> Result:
    """Return the output of a layer; ``maker`` is its constructor call, ``node`` its use."""
    tensor = given if isinstance(given, Tensor) else None

    def size(position: int, *names: str) -> Dim | None:
        return shapes.size(argument(made, position, *names), maker)

    if short in SAME:
        return tensor
    if short in ("Linear", "LazyLinear", "Bilinear", "Dense"):
        if short == "Linear":
            wanted = size(0, "in_features")
            shapes.check(node, _last(tensor, node), wanted, "in_features")
            out = size(1, "out_features")
        elif short == "Dense":
            out = size(0, "units", "features")
        else:
            out = size(0 if short == "LazyLinear" else 2, "out_features")
        head = tensor.dims[:-1] if tensor is not None else ()
        return Tensor((*head, out or UNKNOWN), tensor.is_open if tensor is not None else True)
    if short in CONVOLUTIONS or short in TRANSPOSED:
        return _convolution(shapes, short, maker, made, tensor, node)
    if short in KERAS_CONVOLUTIONS:
        rank = KERAS_CONVOLUTIONS[short]
        batch = tensor.dims[0] if tensor is not None and not tensor.is_open else UNKNOWN
        spatial = tuple(joined(None, maker) for _ in range(rank))
        return Tensor((batch, *spatial, size(0, "filters") or UNKNOWN))
    if short in BATCH_NORMS:
        shapes.check(node, tensor.dim(1) if tensor else None, size(0, "num_features"), "channels")
        return tensor
    if short == "LayerNorm":
        shape = argument(made, 0, "normalized_shape")
        if isinstance(shape, (ast.List, ast.Tuple)):
            shape = shape.elts[-1] if shape.elts else None
        shapes.check(node, _last(tensor, node), shapes.size(shape, maker), "normalized_shape")
        return tensor
    if short == "GroupNorm":
        shapes.check(node, tensor.dim(1) if tensor else None, size(1, "num_channels"), "channels")
        return tensor
    if short in ("Embedding", "Embed", "EmbeddingBag"):
        out = size(1, "embedding_dim", "output_dim", "features")
        head = tensor.dims if tensor is not None else ()
        return Tensor((*head, out or UNKNOWN), tensor.is_open if tensor is not None else True)
    if short in RECURRENT:
        return _recurrent(shapes, short, maker, made, tensor, node)
    if short in CELLS:
        shapes.check(node, _last(tensor, node), size(0, "input_size"), "input_size")
        batch = tensor.dims[0] if tensor is not None and tensor.dims else UNKNOWN
        out_state = Tensor((batch, size(1, "hidden_size") or UNKNOWN))
        return Many((out_state, out_state)) if short == "LSTMCell" else out_state
    if short == "MultiheadAttention":
        shapes.check(node, _last(tensor, node), size(0, "embed_dim"), "embed_dim")
        return Many((tensor, None))
    if short in POOLS:
        return pooled(shapes, short, maker, made, tensor)
    if short in ADAPTIVE:
        return adaptive(shapes, short, maker, made, tensor)
    if short == "Flatten":
        if tensor is None or tensor.is_open:
            return Tensor((UNKNOWN, joined(None, maker, *(tensor.dims if tensor else ()))))
        start = size(0, "start_dim")
        first = start.size if start is not None and start.size is not None else 1
        return Tensor((*tensor.dims[:first], product(tensor.dims[first:], maker)))
    if short in ("Parameter", "Variable") and made.args:
        return shapes.of(shapes.engine.node(made.args[0], maker.context))
    return None


def _last(tensor: Tensor | None, node: Node) -> Dim | None:
    """Return the last dimension; where nothing is known, one that the input's maker decides."""
    if tensor is not None and tensor.dims:
        return tensor.dims[-1]
    expr = node.expr
    if isinstance(expr, ast.Call) and expr.args:
        return Dim(None, (node.engine.node(expr.args[0], node.context),), loose=True)
    return None


def _pair(
    shapes: Shapes, expr: ast.expr | None, maker: Node, rank: int, usual: int | None
) -> list[int | None]:
    """Return a kernel, stride or padding for each axis."""
    if expr is None:
        return [usual] * rank
    if isinstance(expr, (ast.Tuple, ast.List)) and len(expr.elts) == rank:
        found = [shapes.size(e, maker) for e in expr.elts]
        return [d.size if d is not None else None for d in found]
    one = shapes.size(expr, maker)
    return [one.size if one is not None else None] * rank


def _convolution(
    shapes: Shapes, short: str, maker: Node, made: ast.Call, tensor: Tensor | None, node: Node
) -> Tensor:
    rank = CONVOLUTIONS.get(short) or TRANSPOSED[short]
    wanted = shapes.size(argument(made, 0, "in_channels"), maker)
    out = shapes.size(argument(made, 1, "out_channels"), maker)
    channels = tensor.dim(-1 - rank) if tensor is not None else None
    if channels is None:
        unknown = _last(None, node)
        channels = unknown
    shapes.check(node, channels, wanted, "in_channels")
    kernels = _pair(shapes, argument(made, 2, "kernel_size"), maker, rank, None)
    strides = _pair(shapes, argument(made, 3, "stride"), maker, rank, 1)
    padding_text = argument(made, 4, "padding")
    same = isinstance(padding_text, ast.Constant) and padding_text.value == "same"
    paddings = _pair(shapes, padding_text, maker, rank, 0)
    dilation = argument(made, 5 if short in CONVOLUTIONS else 8, "dilation")
    dilations = _pair(shapes, dilation, maker, rank, 1)
    spatial: list[Dim] = []
    for i in range(rank):
        before = tensor.dim(i - rank) if tensor is not None else None
        size, k, s, p, d = (
            before.size if before is not None else None,
            kernels[i], strides[i], paddings[i], dilations[i],
        )  # fmt: skip
        after: int | None = None
        if same:
            after = size
        elif None not in (size, k, s, p, d) and s:
            assert size is not None and k is not None and p is not None and d is not None
            if short in CONVOLUTIONS:
                after = (size + 2 * p - d * (k - 1) - 1) // s + 1
            elif argument(made, 5, "output_padding") is None:
                after = (size - 1) * s - 2 * p + d * (k - 1) + 1
        spatial.append(joined(after, maker, before))
    batch = tensor.dim(0) if tensor is not None and len(tensor.dims) == rank + 2 else None
    return Tensor((batch or UNKNOWN, out or UNKNOWN, *spatial))


def pooled(
    shapes: Shapes, short: str, maker: Node, made: ast.Call, tensor: Tensor | None
) -> Result:
    """Return what a pooling layer or function gives."""
    if tensor is None:
        return None
    rank = POOLS[short]
    kernel = argument(made, 0, "kernel_size")
    kernels = _pair(shapes, kernel, maker, rank, None)
    strides = _pair(shapes, argument(made, 1, "stride") or kernel, maker, rank, None)
    paddings = _pair(shapes, argument(made, 2, "padding"), maker, rank, 0)
    head, spatial = tensor.dims[:-rank], tensor.dims[-rank:]
    found: list[Dim] = []
    for i, before in enumerate(spatial):
        k, s, p = kernels[i], strides[i], paddings[i]
        after = None
        if before.size is not None and k is not None and s and p is not None:
            after = (before.size + 2 * p - k) // s + 1
        found.append(joined(after, maker, before))
    return Tensor((*head, *found), tensor.is_open)


def adaptive(
    shapes: Shapes, short: str, maker: Node, made: ast.Call, tensor: Tensor | None
) -> Result:
    """Return what an adaptive pooling layer or function gives."""
    if tensor is None:
        return None
    rank = ADAPTIVE[short]
    sizes = _pair(shapes, argument(made, 0, "output_size"), maker, rank, None)
    return Tensor((*tensor.dims[:-rank], *(joined(size, maker) for size in sizes)), tensor.is_open)


def _recurrent(
    shapes: Shapes, short: str, maker: Node, made: ast.Call, tensor: Tensor | None, node: Node
) -> Result:
    first = argument(made, 0, "input_size")
    hidden = shapes.size(argument(made, 1, "hidden_size"), maker)
    if argument(made, 1, "hidden_size") is None:
        # Keras: the only positional argument is the number of units.
        units = shapes.size(argument(made, 0, "units"), maker)
        sequences = keyword(made, "return_sequences")
        if isinstance(sequences, ast.Constant) and sequences.value is True:
            return Tensor((UNKNOWN, UNKNOWN, units or UNKNOWN))
        return Tensor((UNKNOWN, units or UNKNOWN))
    shapes.check(node, _last(tensor, node), shapes.size(first, maker), "input_size")
    both = keyword(made, "bidirectional")
    double = isinstance(both, ast.Constant) and both.value is True
    out = hidden or UNKNOWN
    if double:
        out = joined(out.size * 2 if out.size is not None else None, maker, hidden)
    head = tensor.dims[:-1] if tensor is not None else ()
    output = Tensor((*head, out), tensor.is_open if tensor is not None else True)
    batch = UNKNOWN
    if tensor is not None and len(tensor.dims) == 3:
        first_axis = keyword(made, "batch_first")
        leads = isinstance(first_axis, ast.Constant) and first_axis.value is True
        batch = tensor.dims[0 if leads else 1]
    state = Tensor((joined(None, maker), batch, hidden or UNKNOWN))
    return Many((output, Many((state, state)) if short == "LSTM" else state))

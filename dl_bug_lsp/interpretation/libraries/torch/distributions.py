"""PyTorch's distributions of probabilities.

Source: PyTorch's documentation of ``torch.distributions``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array
from dl_bug_lsp.interpretation.libraries.torch.tensors import (
    dims_of,
    tensor,
)
from dl_bug_lsp.interpretation.models import MODELS, Call, state_of
from dl_bug_lsp.interpretation.values import (
    LibraryObject,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

_PARAMETERS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("Normal", "Laplace", "LogNormal", "Cauchy", "Gumbel"), ("loc", "scale")),
    "Uniform": ("low", "high"),
    "Beta": ("concentration1", "concentration0"),
    "Gamma": ("concentration", "rate"),
    **dict.fromkeys(("Bernoulli", "Categorical", "OneHotCategorical"), ("probs", "logits")),
    **dict.fromkeys(("Exponential", "Poisson"), ("rate",)),
}
_OF_ROWS = ("Categorical", "OneHotCategorical")


def _distribution(_: Interpreter, call: Call) -> Value:
    """Keep the shape of what a distribution's parameters broadcast to."""
    short = call.name.rpartition(".")[2]
    given = [call.given(i, name) for i, name in enumerate(_PARAMETERS[short])]
    shape: tuple[Value, ...] | None = ()
    for value in given:
        x = array(value)
        if value is None or value.data is None or isinstance(value.data, (int, float)):
            continue
        if x is None or x.shape is None or shape is None:
            shape = None
        else:
            shape = arrays.broadcast(shape, x.shape)
    state = {} if shape is None else {"shape": Value(shape)}
    made = LibraryObject(f"torch.distributions.{short}", call.args, call.keywords, call.place)
    made.state.update(state)
    return Value(made, merged(*call.args, *call.keywords.values()))


def _drawn(_: Interpreter, call: Call) -> Value:
    shape_drawn = _shape_of(call)
    if shape_drawn is None:
        return call.unknown()
    short, shape = shape_drawn
    lead = call.given(0, "sample_shape")
    first = () if lead is None else dims_of((lead,))
    if first is None:
        return call.unknown()
    rest = shape[:-1] if short == "Categorical" else shape
    dtype = "int64" if short == "Categorical" else "float32"
    parts = [call.receiver] if call.receiver is not None else []
    return tensor((*first, *rest), dtype, *parts)


def _density(_: Interpreter, call: Call) -> Value:
    shape_drawn, value = _shape_of(call), call.given(0, "value")
    x = array(value)
    if shape_drawn is None or x is None or x.shape is None or value is None:
        return call.unknown()
    short, shape = shape_drawn
    own = shape[:-1] if short in _OF_ROWS else shape
    mine = x.shape[:-1] if short == "OneHotCategorical" else x.shape
    return tensor(arrays.broadcast(own, mine), "float32", value)


def _entropy(_: Interpreter, call: Call) -> Value:
    shape_drawn = _shape_of(call)
    if shape_drawn is None:
        return call.unknown()
    short, shape = shape_drawn
    return tensor(shape[:-1] if short in _OF_ROWS else shape, "float32")


def _shape_of(call: Call) -> tuple[str, tuple[Value, ...]] | None:
    held = call.held
    shape = held.state.get("shape") if held is not None else None
    if shape is None or not isinstance(shape.data, tuple) or held is None:
        return None
    return held.short, shape.data


for _name in _PARAMETERS:
    MODELS.function(f"torch.distributions.{_name}")(_distribution)
    MODELS.method(_name, "sample", "rsample")(_drawn)
    MODELS.method(_name, "log_prob", "cdf")(_density)
    MODELS.method(_name, "entropy")(_entropy)


@MODELS.function("torch.distributions.kl_divergence", "torch.distributions.kl.kl_divergence")
def _divergence(_: Interpreter, call: Call) -> Value:
    shapes = []
    for argument in call.args:
        shape = (state_of(argument) or {}).get("shape")
        if (
            shape is None
            or not isinstance(shape.data, tuple)
            or not isinstance(argument.data, LibraryObject)
        ):
            return call.unknown()
        is_rows = argument.data.short in ("Categorical", "OneHotCategorical")
        shapes.append(shape.data[:-1] if is_rows else shape.data)
    if len(shapes) != 2:
        return call.unknown()
    return tensor(arrays.broadcast(*shapes), "float32", *call.args)

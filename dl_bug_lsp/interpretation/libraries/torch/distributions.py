"""PyTorch's distributions of probabilities.

Source: PyTorch's documentation of ``torch.distributions``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, size
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
    **dict.fromkeys(("HalfNormal", "HalfCauchy"), ("scale",)),
    "StudentT": ("df", "loc", "scale"),
    "VonMises": ("loc", "concentration"),
    "Geometric": ("probs", "logits"),
    "Binomial": ("total_count", "probs", "logits"),
    "Dirichlet": ("concentration",),
    **dict.fromkeys(
        ("RelaxedBernoulli", "RelaxedOneHotCategorical"), ("temperature", "probs", "logits")
    ),
}
_OF_ROWS = (
    *("Categorical", "OneHotCategorical", "RelaxedOneHotCategorical", "Dirichlet"),
    "MultivariateNormal",
)
"""Distributions over the last axis of their parameters."""


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
    for name, value in zip(_PARAMETERS[short], given, strict=True):
        if value is not None and array(value) is not None and shape is not None:
            state[name] = tensor(shape, array_dtype(value), value)
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
    held = call.held
    events = _events(held) if held is not None and short == "Independent" else 0
    if events:
        return tensor(_without(arrays.broadcast(shape, x.shape), events), "float32", value)
    own = shape[:-1] if short in _OF_ROWS else shape
    mine = x.shape[:-1] if short in _OF_ROWS and short != "Categorical" else x.shape
    return tensor(arrays.broadcast(own, mine), "float32", value)


def _entropy(_: Interpreter, call: Call) -> Value:
    shape_drawn = _shape_of(call)
    if shape_drawn is None:
        return call.unknown()
    short, shape = shape_drawn
    held = call.held
    events = _events(held) if held is not None else 0
    return tensor(_without(shape, 1 if short in _OF_ROWS else events), "float32")


def _without(shape: tuple[Value, ...], events: int) -> tuple[Value, ...]:
    return shape[: len(shape) - events]


def array_dtype(value: Value) -> str | None:
    """Return the dtype of a parameter that is a tensor."""
    x = array(value)
    return None if x is None else x.dtype


def _events(held: LibraryObject) -> int:
    """Return how many of the last axes make one event (``Independent``)."""
    return size(held.state.get("events")) or 0


def _parameter(_: Interpreter, call: Call) -> Value:
    """Return a parameter of a distribution, or a number that is made of all of them."""
    shape_drawn = _shape_of(call)
    if shape_drawn is None or call.receiver is None:
        return call.unknown()
    short, shape = shape_drawn
    if call.name in call.state:
        return call.state[call.name]
    if short == "Categorical" and call.name in ("mean", "variance", "stddev"):
        shape = shape[:-1]
    return tensor(shape, "float32", call.receiver)


def _batch_shape(_: Interpreter, call: Call) -> Value:
    shape_drawn, held = _shape_of(call), call.held
    if shape_drawn is None or held is None:
        return call.unknown()
    short, shape = shape_drawn
    events = 1 if short in _OF_ROWS else _events(held)
    cut = len(shape) - events
    if short == "Categorical":
        return Value(shape[:cut] if call.name == "batch_shape" else ())
    return Value(shape[:cut] if call.name == "batch_shape" else shape[cut:])


def _support(_: Interpreter, call: Call) -> Value:
    """Return all values that draws may have, one after the other along a new axis."""
    shape_drawn = _shape_of(call)
    if shape_drawn is None or shape_drawn[0] != "Categorical":
        return call.unknown()
    shape = shape_drawn[1]
    return tensor((shape[-1], *shape[:-1]), "int64", *shape[-1:])


@MODELS.function("torch.distributions.MultivariateNormal")
def _multivariate(_: Interpreter, call: Call) -> Value:
    """Keep the shape of the means; a covariance has one more axis."""
    mean = call.given(0, "loc")
    x = array(mean)
    state: dict[str, Value] = {}
    if mean is not None and x is not None and x.shape:
        shape = x.shape
        spread = call.given(1, "covariance_matrix") or call.given(2, "precision_matrix")
        y = array(spread if spread is not None else call.given(3, "scale_tril"))
        if y is not None and y.shape and len(y.shape) > 1:
            message = "loc must have as many elements as the covariance has rows"
            arrays.same(shape[-1], y.shape[-1], message)
            shape = arrays.broadcast(shape, y.shape[:-1])
        state = {"shape": Value(shape), "loc": tensor(shape, x.dtype, mean)}
    made = LibraryObject(call.name, call.args, call.keywords, call.place, state)
    made.name = "torch.distributions.MultivariateNormal"
    return Value(made, merged(*call.args, *call.keywords.values()))


@MODELS.function("torch.distributions.Independent")
def _independent(_: Interpreter, call: Call) -> Value:
    """Keep the shape of the distribution inside, of which the last axes make one event."""
    base, count = call.given(0, "base_distribution"), call.given(1, "reinterpreted_batch_ndims")
    inner = state_of(base) or {}
    state: dict[str, Value] = {}
    if base is not None and "shape" in inner and count is not None and size(count) is not None:
        short = base.data.short if isinstance(base.data, LibraryObject) else ""
        events = (size(count) or 0) + (short in _OF_ROWS)
        state = {**inner, "events": Value(events), "base_dist": base}
    name = "torch.distributions.Independent"
    made = LibraryObject(name, call.args, call.keywords, call.place, state)
    return Value(made, merged(*call.args))


def _shape_of(call: Call) -> tuple[str, tuple[Value, ...]] | None:
    held = call.held
    shape = held.state.get("shape") if held is not None else None
    if shape is None or not isinstance(shape.data, tuple) or held is None:
        return None
    return held.short, shape.data


OF_ALL = ("mean", "stddev", "variance", "mode")
for _name in (*_PARAMETERS, "Independent", "MultivariateNormal"):
    if _name in _PARAMETERS:
        MODELS.function(f"torch.distributions.{_name}")(_distribution)
    MODELS.attribute(_name, *OF_ALL, *_PARAMETERS.get(_name, ("loc",)))(_parameter)
    MODELS.attribute(_name, "batch_shape", "event_shape")(_batch_shape)
    MODELS.method(_name, "enumerate_support")(_support)
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
        events = 1 if argument.data.short in _OF_ROWS else _events(argument.data)
        shapes.append(shape.data[: len(shape.data) - events])
    if len(shapes) != 2:
        return call.unknown()
    return tensor(arrays.broadcast(*shapes), "float32", *call.args)

"""Losses of probabilities, which refuse scores: the values that layers' results have.

Sources: PyTorch's documentation of ``BCELoss`` and of the activations; ``Loss.cu`` and ``Loss.cpp``
of PyTorch 2.13, which assert that input and target lie between 0 and 1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.arrays import array
from dl_bug_lsp.interpretation.libraries.torch import argument_checks as _torch_checks  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch.layers import ELEMENTWISE
from dl_bug_lsp.interpretation.libraries.torch.tensors import ACTIVATIONS, words
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    LibraryObject,
    Origins,
    Raised,
    Value,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

SUMS = words(
    "Linear LazyLinear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d "
    "ConvTranspose3d BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d "
    "InstanceNorm3d LayerNorm RMSNorm GroupNorm"
)
"""Layers whose results lie on both sides of 0 and beyond 1."""
SUMS_OF_FUNCTIONS = words("linear bilinear layer_norm batch_norm group_norm instance_norm") + words(
    "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d"
)
WITHIN = frozenset(
    words("Sigmoid Hardsigmoid Softmax2d Softmin sigmoid hardsigmoid softmin gumbel_softmax")
)
"""Activations whose results lie between 0 and 1; those of all others do not."""
LOSSES = ("BCELoss", "binary_cross_entropy")
REFUSAL = "all elements of input should be between 0 and 1"


def _scoring(model: Model) -> Model:
    """Return a model whose results are scores."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        made, given = model(interpreter, call), call.given(0, "input")
        if given is None or not isinstance(given.data, Array):
            return made  # Nothing is known of what went in.
        return _as_scores(made, _places(call, with_origins=False))

    return run


def _carrying(model: Model) -> Model:
    """Return a model whose results are scores where its input is."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        before = _scores(call.given(0, "input"))
        made = model(interpreter, call)
        return made if before is None else _as_scores(made, before | _places(call))

    return run


def _places(call: Call, *, with_origins: bool = True) -> Origins:
    """Return where a layer was made, with what chose it, or where a function was called."""
    layer = call.receiver
    if layer is None or not isinstance(layer.data, LibraryObject):
        return frozenset({call.place})
    chosen = layer.origins if with_origins else frozenset()
    return chosen | {layer.data.made}


def _scores(value: Value | None) -> Origins | None:
    data = value.data if value is not None else None
    return data.scores if isinstance(data, Array) else None


def _as_scores(value: Value, places: Origins) -> Value:
    data = value.data
    if type(data) is not Array:
        return value
    return Value(replace(data, scores=places), value.origins)


def _refusing(model: Model) -> Model:
    """Return a loss that refuses scores, and targets that are no probabilities."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        made = model(interpreter, call)
        if interpreter.kernels.of_range:
            target = call.given(1, "target")
            refused = call.given(0, "input") if not interpreter.kernels.of_targets else None
            for places in (_scores(refused), _scores(target)):
                if places is not None:
                    raise Raised("value", REFUSAL, Value(UNKNOWN, places))
            labels = array(target)
            if labels is not None and target is not None:
                beyond = labels.highest if (labels.highest or 0) > 1 else labels.lowest
                if beyond is not None and not 0 <= beyond <= 1:
                    message = "all elements of target should be between 0 and 1"
                    raise Raised("value", message, Value(beyond, target.origins))
        return made

    return run


def _layers(names: list[str]) -> list[str]:
    return [f"torch.nn.{name}" for name in names]


def _functions(names: list[str]) -> list[str]:
    return [f"torch.nn.functional.{name}" for name in names]


for _name in _layers(SUMS):
    if _name in MODELS.objects:
        MODELS.objects[_name] = _scoring(MODELS.objects[_name])
for _name in _functions(SUMS_OF_FUNCTIONS):
    if _name in MODELS.functions:
        MODELS.functions[_name] = _scoring(MODELS.functions[_name])
for _name in _layers(
    [name for name in (*ELEMENTWISE, "Flatten", "Unflatten") if name not in WITHIN]
):
    if _name in MODELS.objects:
        MODELS.objects[_name] = _carrying(MODELS.objects[_name])
for _name in _functions([name for name in ACTIVATIONS if name not in WITHIN]):
    if _name in MODELS.functions:
        MODELS.functions[_name] = _carrying(MODELS.functions[_name])
MODELS.objects["torch.nn.BCELoss"] = _refusing(MODELS.objects["torch.nn.BCELoss"])
_name = "torch.nn.functional.binary_cross_entropy"
MODELS.functions[_name] = _refusing(MODELS.functions[_name])

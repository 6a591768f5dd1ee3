"""A model lacks an activation."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item, dropped_calls
from factory.operators._places import dropped_layers
from factory.operators._reading import is_text, keyword, last_name, short, source
from factory.operators._studies import DEEPCRIME, HUMBATOVA, JAHANGIROVA
from factory.values import Mutation, Operator, Target

NAMES = {
    "ReLU",
    "GELU",
    "Tanh",
    "LeakyReLU",
    "ELU",
    "SiLU",
    "Activation",
    "Sigmoid",
    "Softmax",
    "LogSoftmax",
    "Softplus",
    "ReLU6",
    "PReLU",
}
METHODS = {"relu", "relu_", "sigmoid", "tanh", "softmax", "log_softmax"}
FUNCTIONS = {
    f"{module}.{name}"
    for module in (
        "F",
        "torch",
        "jax.nn",
        "nn",
        "tf.nn",
        "nnx",
        "nn.functional",
        "keras.ops",
        "ops",
    )
    for name in (
        "relu",
        "gelu",
        "sigmoid",
        "tanh",
        "softmax",
        "log_softmax",
        "leaky_relu",
        "elu",
        "silu",
    )
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each activation as what it is applied to, and models without it."""
    yield from dropped_layers(target, NAMES)
    yield from dropped_calls(target, METHODS, FUNCTIONS)
    for call in target.nodes(cst.Call):
        index = keyword(call, "activation")
        if index is not None and not is_text(target, call):
            note = f"{last_name(call)} lost {short(source(target, call.args[index]))}"
            yield Mutation((drop_item(target, call.args, index),), note)


OPERATOR = Operator(
    id="activation_dropped",
    title="no activation",
    source=(
        f"{DEEPCRIME}: remove activation; "
        f"{HUMBATOVA}: missing activation; "
        f"{JAHANGIROVA}: activations"
    ),
    weight=1.2,
    targets=("python",),
    mutate=mutate,
    silent=True,
)

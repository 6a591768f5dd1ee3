"""A layer has another activation."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import dotted, is_text, named_values, requoted, text_of
from factory.operators._studies import DEEPCRIME, HUMBATOVA, JAHANGIROVA
from factory.values import Mutation, Operator, Target

OLD = {
    "relu": "softmax",
    "softmax": "sigmoid",
    "sigmoid": "softmax",
    "tanh": "relu",
    "gelu": "sigmoid",
    "ReLU": "Sigmoid",
    "GELU": "Sigmoid",
    "Tanh": "ReLU",
    "Sigmoid": "Tanh",
    "elu": "sigmoid",
    "leaky_relu": "sigmoid",
    "LeakyReLU": "Sigmoid",
    "log_softmax": "softmax",
    "silu": "sigmoid",
    "SiLU": "Sigmoid",
    "linear": "softmax",
}
MODULES = {"nn", "F", "torch", "torch.nn", "jax.nn", "tf.nn", "nnx", "keras.activations", "layers"}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each activation, by name or by call, as another one."""
    for node in target.nodes(cst.Attribute):
        if node.attr.value in OLD and dotted(node.value) in MODULES and not is_text(target, node):
            new = OLD[node.attr.value]
            yield Mutation((target.replace(node.attr, new),), f"{dotted(node)} became {new}")
    for name, value in named_values(target):
        old = text_of(value) or ""
        if "activation" in name and old in OLD and isinstance(value, cst.SimpleString):
            edit = target.replace(value, requoted(value, OLD[old]))
            yield Mutation((edit,), f"{name} {old} became {OLD[old]}")


OPERATOR = Operator(
    id="activation_changed",
    title="another activation",
    source=(
        f"{DEEPCRIME}: change activation; {HUMBATOVA}: wrong activation; {JAHANGIROVA}: activations"
    ),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
    silent=True,
)

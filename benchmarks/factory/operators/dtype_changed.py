"""Numbers have another type than the next step needs."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import dotted, is_text, requoted, text_of
from factory.operators._studies import HUMBATOVA, ZHANG_2018
from factory.values import Mutation, Operator, Target

NAMES = {
    "float32": "float64",
    "float64": "float32",
    "float": "long",
    "long": "float",
    "int64": "float32",
    "int32": "float32",
    "float16": "float32",
    "bfloat16": "float16",
    "uint8": "int8",
    "bool": "float32",
    "double": "float",
}
MODULES = {"torch", "np", "numpy", "tf", "jnp", "K"}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each type of numbers as one that people take for it."""
    for node in target.nodes(cst.Attribute):
        name = node.attr.value
        if dotted(node.value) in MODULES and name in NAMES and not is_text(target, node):
            new = NAMES[name]
            if dotted(node.value) != "torch":
                new = {"long": "int64", "float": "float32"}.get(new, new)
            yield Mutation((target.replace(node.attr, new),), f"{dotted(node)} became {new}")
    for text in target.nodes(cst.SimpleString):
        name = text_of(text) or ""
        if name in NAMES and len(name) > 4 and not is_text(target, text):
            new = NAMES[name]
            yield Mutation((target.replace(text, requoted(text, new)),), f"{name} became {new}")
    for node in target.nodes(cst.Attribute):
        parent = target.parents.get(node)
        other = {"long": "float", "float": "long", "double": "float", "half": "double"}
        name = node.attr.value
        if not isinstance(parent, cst.Call) or parent.func is not node or parent.args:
            continue
        if name in other and not is_text(target, node):
            edit = target.replace(node.attr, other[name])
            yield Mutation((edit,), f"{name}() became {other[name]}()")


OPERATOR = Operator(
    id="dtype_changed",
    title="another type of numbers",
    source=(f"{HUMBATOVA}: wrong type of data; {ZHANG_2018}: type confusion"),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)

"""A method of another library's objects is called."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import dotted, is_text, short, source
from factory.operators._studies import ISLAM_2019, SEMSEED, ZHANG_2020
from factory.values import Mutation, Operator, Target

OLD = {
    "append": "add",
    "add": "append",
    "extend": "append",
    "update": "add",
    "numpy": "to_numpy",
    "astype": "type",
    "permute": "transpose",
    "transpose": "permute",
    "unsqueeze": "expand_dims",
    "load_state_dict": "load",
    "state_dict": "get_weights",
    "zero_grad": "zero_grads",
    "mean": "average",
    "item": "items",
    "save": "dump",
    "repeat": "tile",
    "tile": "repeat",
    "expand": "broadcast_to",
    "masked_fill": "mask_fill",
    "groupby": "group_by",
    "fillna": "fill_na",
    "read_csv": "load_csv",
    "exists": "exist",
    "mkdir": "makedirs",
    "read_text": "read",
    "write_text": "write",
    "argmax": "arg_max",
    "backward": "backwards",
    "cross_entropy": "crossentropy",
    "mse_loss": "mean_squared_error",
    "clip": "clamp",
    "log_softmax": "logsoftmax",
    "max_pool2d": "maxpool2d",
    "concatenate": "cat",
    "clamp": "clip",
    "tolist": "to_list",
    "detach": "stop_gradient",
    "from_numpy": "from_array",
    "parameters": "weights",
    "sort_values": "sort",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each method that is called as one that people take for it."""
    for call in target.nodes(cst.Call):
        if not isinstance(call.func, cst.Attribute) or is_text(target, call):
            continue
        old = call.func.attr.value
        if old in OLD and not dotted(call.func).startswith("super"):
            edit = target.replace(call.func.attr, OLD[old])
            yield Mutation((edit,), f"{short(source(target, call.func))} became {OLD[old]}")


OPERATOR = Operator(
    id="method_confused",
    title="another library's method",
    source=(f"{ISLAM_2019}: API bug; {SEMSEED}: wrong identifier; {ZHANG_2020}: no such attribute"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)

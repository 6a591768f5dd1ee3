"""Sequences or images are not made equally long."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item, dropped_calls
from factory.operators._reading import is_text, last_name, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019, ZHANG_2018
from factory.values import Mutation, Operator, Target

NAMES = ("padding", "truncation", "max_length", "pad_to_multiple_of", "padding_idx", "pad_token_id")
FUNCTIONS = {
    "pad_sequence",
    "nn.utils.rnn.pad_sequence",
    "F.pad",
    "pad_sequences",
    "np.pad",
    "rnn.pad_sequence",
    "torch.nn.utils.rnn.pad_sequence",
    "sequence.pad_sequences",
    "tf.pad",
    "jnp.pad",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each call without an argument that pads, and what is padded as it is."""
    for call in target.nodes(cst.Call):
        if is_text(target, call):
            continue
        for index, argument in enumerate(call.args):
            if argument.keyword is not None and argument.keyword.value in NAMES:
                note = f"{last_name(call)} lost {short(source(target, argument))}"
                yield Mutation((drop_item(target, call.args, index),), note)
    yield from dropped_calls(target, (), FUNCTIONS)


OPERATOR = Operator(
    id="padding_dropped",
    title="no padding",
    source=(
        f"{HUMBATOVA}: missing preprocessing; {ISLAM_2019}: data bug; {ZHANG_2018}: data shape"
    ),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)

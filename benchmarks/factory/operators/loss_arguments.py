"""A loss gets results and labels in each other's place."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import swap
from factory.operators._reading import calls, is_text, positional, short, source
from factory.operators._studies import BUGLAB, HUMBATOVA, ISLAM_2020
from factory.values import Mutation, Operator, Target

NAMES = {
    "criterion",
    "loss_fn",
    "loss_func",
    "loss_function",
    "cross_entropy",
    "mse_loss",
    "nll_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "l1_loss",
    "compute_loss",
    "loss",
    "softmax_cross_entropy",
    "softmax_cross_entropy_with_integer_labels",
    "kl_div",
    "objective",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each call of a loss with its first two arguments exchanged."""
    for call in calls(target, NAMES):
        places = positional(call)[:2]
        if len(places) == 2 and not is_text(target, call):
            edits = swap(target, call.args[places[0]].value, call.args[places[1]].value)
            if edits[0].text != edits[1].text:
                note = f"{short(source(target, call))} has its arguments exchanged"
                yield Mutation(edits, note)


OPERATOR = Operator(
    id="loss_arguments",
    title="results and labels exchanged",
    source=(
        f"{HUMBATOVA}: wrong argument order; {BUGLAB}: argument swap; {ISLAM_2020}: loss function"
    ),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)

"""A setting of the training is far from what it should be."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._reading import is_text, named_values, number, source
from factory.operators._studies import DEEPCRIME, HUMBATOVA
from factory.values import Mutation, Operator, Target

FACTORS: dict[str, tuple[str, ...]] = {
    "0": ("momentum", "beta1", "gamma", "smoothing", "label_smoothing", "decay_rate"),
    "0.95": ("dropout", "dropout_rate", "p", "rate", "drop_prob", "dropout_p"),
    "10.0": ("weight_decay", "l2", "l2_reg", "reg", "kl_weight", "entropy_coef"),
    "1": ("epochs", "num_epochs", "max_epochs", "n_epochs", "patience", "num_train_epochs"),
    "0.0001": ("max_norm", "clip", "clip_norm", "grad_clip", "max_grad_norm", "gradient_clip_val"),
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield momentum, dropout, decay, epochs and bounds of gradients as values that harm."""
    table = {name: new for new, names in FACTORS.items() for name in names}
    for name, value in named_values(target):
        old, new = number(value), table.get(name.lower())
        if old is None or new is None or is_text(target, value) or old == float(new):
            continue
        yield Mutation(
            (target.replace(value, new),), f"{name} {source(target, value)} became {new}"
        )


OPERATOR = Operator(
    id="hyperparameter_changed",
    title="a setting far off",
    source=(
        f"{DEEPCRIME}: dropout, regularization, epochs; {HUMBATOVA}: suboptimal hyperparameter"
    ),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
    silent=True,
)

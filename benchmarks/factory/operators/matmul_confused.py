"""Another kind of product is computed."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import replaced_names
from factory.operators._studies import BUGLAB, HUMBATOVA
from factory.values import Mutation, Operator, Target

OLD = {
    "torch.matmul": "torch.mul",
    "torch.bmm": "torch.mm",
    "torch.mm": "torch.bmm",
    "np.dot": "np.multiply",
    "np.matmul": "np.multiply",
    "jnp.dot": "jnp.multiply",
    "tf.matmul": "tf.multiply",
    "torch.mul": "torch.matmul",
    "torch.dot": "torch.matmul",
    "np.multiply": "np.dot",
    "torch.outer": "torch.dot",
    "jnp.matmul": "jnp.multiply",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each product of tensors as another kind of product."""
    yield from replaced_names(target, OLD)


OPERATOR = Operator(
    id="matmul_confused",
    title="another kind of product",
    source=(f"{HUMBATOVA}: wrong tensor operation; {BUGLAB}: wrong operator"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)

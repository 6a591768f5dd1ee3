"""A value is not brought into the type that is needed."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import dropped_calls
from factory.operators._studies import HUMBATOVA, ISLAM_2019, ZHANG_2020
from factory.values import Mutation, Operator, Target

FUNCTIONS = {
    "int",
    "float",
    "str",
    "list",
    "tuple",
    "dict",
    "set",
    "Path",
    "Image.fromarray",
    "torch.tensor",
    "torch.from_numpy",
    "torch.as_tensor",
    "torch.FloatTensor",
    "torch.LongTensor",
    "np.array",
    "np.asarray",
    "np.stack",
    "np.concatenate",
    "torch.stack",
    "torch.cat",
    "jnp.array",
    "jnp.asarray",
    "tf.constant",
    "tf.convert_to_tensor",
    "tf.stack",
    "json.loads",
    "vars",
    "iter",
    "enumerate",
    "OmegaConf.to_container",
    "asdict",
}
METHODS = {
    "tolist",
    "to_numpy",
    "toarray",
    "todense",
    "encode",
    "decode",
    "strip",
    "split",
    "numpy",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each conversion as what it is applied to."""
    yield from dropped_calls(target, METHODS, FUNCTIONS)


OPERATOR = Operator(
    id="conversion_dropped",
    title="a conversion is missing",
    source=(
        f"{HUMBATOVA}: missing conversion; {ZHANG_2020}: type mismatch; {ISLAM_2019}: data bug"
    ),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)

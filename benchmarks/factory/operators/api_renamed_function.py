"""A function has the name that it had in another version."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import replaced_names
from factory.operators._reading import class_of
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.values import Mutation, Operator, Target

OLD = {
    "np.float64": "np.float",
    "np.int64": "np.int",
    "np.bool_": "np.bool8",
    "np.float32": "np.float",
    "np.int32": "np.int",
    "np.inf": "np.Inf",
    "np.nan": "np.NaN",
    "np.prod": "np.product",
    "np.trapezoid": "np.trapz",
    "np.vstack": "np.row_stack",
    "np.isin": "np.in1d",
    "np.cumprod": "np.cumproduct",
    "np.object_": "np.object",
    "np.str_": "np.unicode_",
    "tf.math.log": "tf.log",
    "tf.random.normal": "tf.random_normal",
    "tf.random.uniform": "tf.random_uniform",
    "tf.random.set_seed": "tf.set_random_seed",
    "tf.matmul": "tf.batch_matmul",
    "tf.stack": "tf.pack",
    "tf.unstack": "tf.unpack",
    "tf.subtract": "tf.sub",
    "tf.multiply": "tf.mul",
    "tf.io.gfile.GFile": "tf.gfile.GFile",
    "tf.io.parse_single_example": "tf.parse_single_example",
    "tf.data.TFRecordDataset": "tf.contrib.data.TFRecordDataset",
    "tf.GradientTape": "tf.contrib.eager.GradientTape",
    "tf.print": "tf.Print",
    "keras.utils.to_categorical": "keras.utils.np_utils.to_categorical",
    "tf.keras.utils.to_categorical": "tf.keras.utils.np_utils.to_categorical",
    "tf.keras.optimizers.Adam": "tf.train.AdamOptimizer",
    "tf.keras.optimizers.SGD": "tf.train.GradientDescentOptimizer",
    "torch.linalg.solve": "torch.solve",
    "torch.linalg.eigh": "torch.symeig",
    "torch.linalg.lstsq": "torch.lstsq",
    "torch.linalg.matrix_rank": "torch.matrix_rank",
    "torch.linalg.eig": "torch.eig",
    "torch.fft.rfft": "torch.rfft",
    "torch.fft.fft": "torch.fft",
    "torch.nn.utils.clip_grad_norm_": "torch.nn.utils.clip_grad_norm",
    "nn.utils.clip_grad_norm_": "nn.utils.clip_grad_norm",
    "transforms.Resize": "transforms.Scale",
    "transforms.RandomResizedCrop": "transforms.RandomSizedCrop",
    "jax.tree.map": "jax.tree_map",
    "jax.tree_util.tree_map": "jax.tree_map",
    "jax.tree.leaves": "jax.tree_leaves",
    "jax.tree_util.tree_leaves": "jax.tree_leaves",
    "jax.Array": "jnp.DeviceArray",
    "jax.jit": "jax.api.jit",
    "jax.grad": "jax.api.grad",
    "pd.json_normalize": "pd.io.json.json_normalize",
    "Image.LANCZOS": "Image.ANTIALIAS",
    "Image.Resampling.LANCZOS": "Image.ANTIALIAS",
    "time.perf_counter": "time.clock",
    "inspect.getfullargspec": "inspect.getargspec",
    "collections.abc.Mapping": "collections.Mapping",
    "math.prod": "math.product",
    "collections.abc.Sequence": "collections.Sequence",
    "json.loads": "json.read",
    "yaml.safe_load": "yaml.load",
}
METHODS = {
    "items": "iteritems",
    "to_numpy": "as_matrix",
    "iloc": "ix",
    "loc": "ix",
    "keys": "iterkeys",
    "get_feature_names_out": "get_feature_names",
    "on_train_epoch_end": "training_epoch_end",
    "on_validation_epoch_end": "validation_epoch_end",
    "predict": "predict_classes",
    "evaluate": "evaluate_generator",
    "fit": "fit_generator",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each name that was another one in a former version as that."""
    yield from replaced_names(target, OLD)
    yield from replaced_names(target, METHODS)
    methods = {"on_train_epoch_end", "on_validation_epoch_end"}
    for node in target.nodes(cst.FunctionDef):
        if node.name.value in methods and class_of(target, node) is not None:
            new = METHODS[node.name.value]
            edit = target.replace(node.name, new)
            yield Mutation((edit,), f"the method {node.name.value} became {new}")


OPERATOR = Operator(
    id="api_renamed_function",
    title="a function's name of another version",
    source=(f"{ISLAM_2019}: API change; {ZHANG_2020}: framework API incompatibility"),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)

"""The classification rules, one module a family, and the order in which they are asked."""

from __future__ import annotations

from dataclasses import dataclass

from dl_bug_lsp.taxonomy.classification_context import ClassificationContext, Rule, names
from dl_bug_lsp.taxonomy.rules import (
    configs,
    data,
    environment,
    jax,
    machines,
    python,
    scientific,
    services,
    tensorflow,
    torch,
    trainers,
)

_TORCH = names(
    "torch torchvision torchaudio torchtext torchmetrics functorch lightning pytorch_lightning "
    "lightning_fabric lightning_utilities transformers accelerate peft trl diffusers datasets "
    "sentence_transformers deepspeed ignite monai timm fastai mmcv mmengine detectron2 ultralytics "
    "torch_geometric dgl bitsandbytes xformers keras ray allennlp fairseq composer"
)
_TENSORFLOW = names(
    "tensorflow keras tf_keras optree transformers h5py tensorflow_datasets tensorflow_addons "
    "tensorflow_probability keras_tuner keras_hub keras_nlp"
)
_JAX = names(
    "jax jaxlib flax optax haiku equinox orbax chex keras numpyro optree transformers jaxtyping"
)


@dataclass(frozen=True, slots=True)
class Table:
    """Rules of one family and the packages whose wordings they know.

    Without packages a table is asked always, else only where no package of another family stands
    between the user's code and the raise site.
    """

    rules: tuple[Rule, ...]
    packages: frozenset[str] = frozenset()

    def applies_to(self, context: ClassificationContext) -> bool:
        """Say whether the family can have raised it: its code did, or nobody knows whose did."""
        libraries = set(context.libraries)
        return not self.packages or not libraries or bool(libraries & self.packages)


TABLES: tuple[Table, ...] = (
    Table(environment.RULES_LINKER),
    Table(python.RULES_FIRST[:4]),
    Table(machines.RULES_MEMORY),
    Table(machines.RULES),
    Table(machines.RULES_NETWORK),
    Table(machines.RULES_DEVICES),
    Table(services.RULES_SCREENS),
    Table(services.RULES_JAVA),
    Table(machines.RULES_KILLED),
    Table(data.RULES_NONE),
    Table(python.RULES_FIRST[4:]),
    Table(torch.RULES_TENSORS, _TORCH),
    Table(torch.RULES, _TORCH),
    Table(jax.RULES, _JAX),
    Table(tensorflow.RULES, _TENSORFLOW),
    Table(tensorflow.RULES_KERAS, _TENSORFLOW),
    Table(tensorflow.RULES_TENSORS, _TENSORFLOW),
    Table(tensorflow.RULES_KERAS_ARGUMENTS, _TENSORFLOW),
    Table(services.RULES_HUB),
    Table(trainers.RULES),
    Table(services.RULES_DATABASES),
    Table(configs.RULES),
    Table(services.RULES_STATUSES),
    Table(environment.RULES_PROGRAMS),
    Table(environment.RULES),
    Table(services.RULES_WEB),
    Table(scientific.RULES),
    Table(data.RULES),
    Table(python.RULES),
    Table(python.RULES_WORDS),
)
"""Asked in this order; the first rule that fires decides."""

LAST: tuple[Rule, ...] = (*python.RULES_CLASS, *services.RULES_CLASS)
"""Asked when the text classifier is not sure."""

WITHOUT_CATEGORY: tuple[Rule, ...] = python.RULES_WITHOUT_CATEGORY
"""Known failures of which no category tells; asked before words alone are looked at."""

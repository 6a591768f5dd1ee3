"""An argument has the name that it had in another version."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import last_name
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.values import Mutation, Operator, Target

OLD: dict[str, dict[str, str]] = {
    "TrainingArguments": {"eval_strategy": "evaluation_strategy", "use_cpu": "no_cuda"},
    "Seq2SeqTrainingArguments": {"eval_strategy": "evaluation_strategy"},
    "Trainer": {
        "processing_class": "tokenizer",
        "devices": "gpus",
        "max_epochs": "max_nb_epochs",
        "enable_progress_bar": "progress_bar_refresh_rate",
        "num_nodes": "nb_gpu_nodes",
        "enable_checkpointing": "checkpoint_callback",
        "num_sanity_val_steps": "nb_sanity_val_steps",
        "enable_model_summary": "weights_summary",
        "limit_train_batches": "train_percent_check",
        "limit_val_batches": "val_percent_check",
        "strategy": "distributed_backend",
    },
    "from_pretrained": {"token": "use_auth_token"},
    "Adam": {"learning_rate": "lr"},
    "SGD": {"learning_rate": "lr"},
    "RMSprop": {"learning_rate": "lr"},
    "AdamW": {"learning_rate": "lr", "lr": "learning_rate"},
    "Dense": {"units": "output_dim", "kernel_initializer": "init"},
    "Conv2D": {"filters": "nb_filter", "padding": "border_mode", "strides": "subsample"},
    "fit": {"epochs": "nb_epoch"},
    "reduce_mean": {"axis": "reduction_indices", "keepdims": "keep_dims"},
    "reduce_sum": {"axis": "reduction_indices", "keepdims": "keep_dims"},
    "argmax": {"axis": "dimension"},
    "expand_dims": {"axis": "dim"},
    "ModelCheckpoint": {"save_freq": "period"},
    "OneHotEncoder": {"sparse_output": "sparse"},
    "AgglomerativeClustering": {"metric": "affinity"},
    "read_csv": {"on_bad_lines": "error_bad_lines"},
    "to_csv": {"lineterminator": "line_terminator"},
    "clip": {"min": "a_min", "max": "a_max"},
    "resnet18": {"weights": "pretrained"},
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each argument that was renamed between versions, or between frameworks, as before."""
    for call in target.nodes(cst.Call):
        table = OLD.get(last_name(call), {})
        for argument in call.args:
            if argument.keyword and (old := table.get(argument.keyword.value)):
                note = f"{last_name(call)}: {argument.keyword.value} became {old}"
                yield Mutation((target.replace(argument.keyword, old),), note)


OPERATOR = Operator(
    id="api_renamed_argument",
    title="an argument's name of another version",
    source=(f"{ISLAM_2019}: API change; {ZHANG_2020}: framework API incompatibility"),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)

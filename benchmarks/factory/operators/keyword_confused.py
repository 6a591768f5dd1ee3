"""An argument has the name that another framework gives it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text, last_name
from factory.operators._studies import ISLAM_2019, SEMSEED, ZHANG_2018
from factory.values import Mutation, Operator, Target

PAIRS = {
    "lr": "learning_rate",
    "learning_rate": "lr",
    "dim": "axis",
    "axis": "dim",
    "hidden_size": "hidden_dim",
    "hidden_dim": "hidden_size",
    "in_features": "in_channels",
    "out_features": "out_channels",
    "in_channels": "in_features",
    "out_channels": "filters",
    "filters": "out_channels",
    "kernel_size": "kernel",
    "num_layers": "n_layers",
    "n_layers": "num_layers",
    "dropout": "dropout_rate",
    "dropout_rate": "dropout",
    "keepdim": "keepdims",
    "keepdims": "keepdim",
    "bias": "use_bias",
    "use_bias": "bias",
    "batch_size": "batchsize",
    "eps": "epsilon",
    "epsilon": "eps",
    "units": "out_features",
    "weight_decay": "decay",
    "stride": "strides",
    "strides": "stride",
    "num_heads": "n_heads",
    "n_heads": "num_heads",
    "d_model": "embed_dim",
    "embed_dim": "embedding_dim",
    "embedding_dim": "embed_dim",
    "num_classes": "n_classes",
    "n_classes": "num_classes",
    "max_length": "max_len",
    "max_len": "max_length",
    "epochs": "num_epochs",
    "num_epochs": "epochs",
    "max_epochs": "epochs",
    "max_steps": "num_steps",
    "p": "prob",
    "input_size": "input_dim",
    "input_dim": "input_size",
    "output_dim": "output_size",
    "vocab_size": "num_embeddings",
    "num_embeddings": "vocab_size",
    "device": "map_location",
    "attention_mask": "mask",
    "mask": "attn_mask",
    "attn_mask": "mask",
    "labels": "label",
    "transform": "transforms",
    "collate_fn": "collate",
    "params": "parameters",
    "rng": "key",
    "reduction": "reduce",
    "weight": "weights",
    "weights": "weight",
    "patience": "patient",
    "input_shape": "shape",
    "shape": "input_shape",
    "momentum": "beta",
    "sep": "delimiter",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each keyword of a call that has another name elsewhere under that name."""
    for call in target.nodes(cst.Call):
        if is_text(target, call) or last_name(call) == "dict":
            continue
        given = {argument.keyword.value for argument in call.args if argument.keyword}
        for argument in call.args:
            new = PAIRS.get(argument.keyword.value) if argument.keyword else None
            if argument.keyword and new and new not in given:
                old = argument.keyword.value
                edit = target.replace(argument.keyword, new)
                yield Mutation((edit,), f"{last_name(call) or 'a call'}: {old} became {new}")


OPERATOR = Operator(
    id="keyword_confused",
    title="the argument's name of another framework",
    source=(f"{ISLAM_2019}: API bug; {ZHANG_2018}: API confusion; {SEMSEED}: wrong identifier"),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)

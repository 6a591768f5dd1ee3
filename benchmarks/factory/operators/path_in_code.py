"""A file is looked for where it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import choose, is_text, other_path, requoted, text_of
from factory.operators._studies import HUMBATOVA, ZHANG_2020
from factory.values import Mutation, Operator, Target

SUFFIXES = "csv|json|jsonl|ya?ml|txt|pth?|np[yz]|pkl|tsv|h5|ckpt|toml|parquet|png|jpg|ini|cfg|bin"
PATH = re.compile(rf"[\w.\-~/]*(/[\w.\-]+|[\w\-]\.({SUFFIXES}|safetensors|wav))$")


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each path without its first folder, or with another name or suffix."""
    for node in target.nodes(cst.SimpleString):
        old = text_of(node) or ""
        if not PATH.match(old) or len(old) < 4 or "://" in old or is_text(target, node):
            continue
        if isinstance(target.parents.get(node), cst.Expr):
            continue
        new = other_path(old, choose(target, node, [0, 1, 2]))
        yield Mutation((target.replace(node, requoted(node, new)),), f"{old} became {new}")


OPERATOR = Operator(
    id="path_in_code",
    title="a wrong path",
    source=(f"{ZHANG_2020}: path not found; {HUMBATOVA}: wrong path"),
    weight=3.0,
    targets=("python",),
    mutate=mutate,
)

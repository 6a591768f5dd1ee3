"""A script assigns with blanks, or lacks a quote."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._reading import short
from factory.operators._studies import ZHANG_2020
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield ``X=1`` of a shell script as ``X = 1``, and lines with two quotes without one."""
    if not target.path.endswith((".sh", ".bash", ".slurm", ".sbatch")):
        return
    for match in re.finditer(r"^[ \t]*(?:export )?[A-Za-z_]\w*(=)(?=\S)", target.text, re.M):
        edit = Edit(target.path, match.start(1), match.end(1), " = ")
        yield Mutation((edit,), f"blanks around = in {short(match.group())}")
    for match in re.finditer(r"^[^\n\"#']*\"[^\n\"]*(\")[^\n\"]*$", target.text, re.M):
        edit = Edit(target.path, match.start(1), match.end(1), "")
        yield Mutation((edit,), f"no second quote in {short(match.group())}")


OPERATOR = Operator(
    id="syntax_launch",
    title="a script that can not be read",
    source=f"{ZHANG_2020}: syntax error",
    weight=0.4,
    targets=("launch",),
    mutate=mutate,
)

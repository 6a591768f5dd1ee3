"""An option of the command line has another name than the one it is read by."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_statement
from factory.operators._reading import calls, misspelt, requoted, text_of
from factory.operators._studies import SEMSEED, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each long option under another name, or as deleted."""
    for call in calls(target, {"add_argument"}):
        for argument in call.args:
            old = text_of(argument.value) or ""
            if not old.startswith("--") or not isinstance(argument.value, cst.SimpleString):
                continue
            new = f"--{misspelt(old[2:].replace('-', '_')).replace('_', '-')}"
            edit = target.replace(argument.value, requoted(argument.value, new))
            yield Mutation((edit,), f"the option {old} became {new}")
            line = target.parents.get(target.parents.get(call, call))
            if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
                yield Mutation((drop_statement(target, line),), f"the option {old} is gone")
            break


OPERATOR = Operator(
    id="option_renamed",
    title="another name of an option",
    source=(f"{ZHANG_2020}: no such attribute, wrong option; {SEMSEED}: wrong identifier"),
    weight=1.2,
    targets=("python",),
    mutate=mutate,
)

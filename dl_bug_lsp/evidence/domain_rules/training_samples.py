"""Samples that are all the same, come in a telling order, or are used up."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name, calls_in, keyword
from dl_bug_lsp.evidence.domain_rules.training_nodes import FOR_LOOPS
from dl_bug_lsp.evidence.domain_rules.training_program import Training
from dl_bug_lsp.evidence.domain_rules.training_syntax import argument, clue, names_in, text
from dl_bug_lsp.provenance.scopes import Scope

SEEDERS = ("seed", "manual_seed", "default_rng", "RandomState", "set_seed", "set_random_seed")


SAMPLES = re.compile(
    r"self\.\w*(?:images|samples|data|labels|targets|files|paths|rows|items|x|y)\[-?\d+\]"
)
"""One fixed element of what a data set holds."""


def find(training: Training) -> Iterator[Clue]:
    """Yield what makes samples or targets say nothing."""
    yield from _items(training)
    yield from _order(training)
    yield from _random_targets(training)
    yield from _used_up(training)


def _items(training: Training) -> Iterator[Clue]:
    for scope in training.functions:
        short = scope.name.rpartition(".")[2]
        per_item = short == "__getitem__" or re.search(
            r"augment|transform|batch$|^_?sample|corrupt|noise", short
        )
        if short == "__getitem__":
            yield from _index(scope)
        for call in scope.calls if per_item else ():
            fixed = call.args and isinstance(call.args[0], ast.Constant)
            if called_name(call) in SEEDERS and fixed:
                why = f"{text(call)} draws the same numbers for every sample"
                yield clue("strong", scope.file, call.lineno, why)
        for call in scope.calls:
            loops = training.loops(scope, call)
            header = " ".join(ast.unparse(n.iter) for n in loops if isinstance(n, ast.For))
            fixed = call.args and isinstance(call.args[0], ast.Constant)
            if (
                called_name(call) in SEEDERS
                and fixed
                and re.search(r"loader|batch|step|epoch", header)
            ):
                why = f"{text(call)} draws the same numbers in every round"
                yield clue("medium", scope.file, call.lineno, why)


def _index(scope: Scope) -> Iterator[Clue]:
    parameters = [p.arg for p in scope.parameters()]
    if len(parameters) < 2 or isinstance(scope.node, (ast.Lambda, ast.Module, ast.ClassDef)):
        return
    index = parameters[1]
    used = {n.id for s in scope.node.body for n in ast.walk(s) if isinstance(n, ast.Name)}
    random = re.search(r"random|rand|choice|sample|generator|rng", ast.unparse(scope.node))
    if index not in used and not random:
        for returned in scope.returns[:1]:
            yield clue("strong", scope.file, returned.lineno, f"`{index}` is never used")
        yield clue("medium", scope.file, scope.line, f"`{index}` is never used")
    for statement in scope.node.body:
        for node in ast.walk(statement):
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Mod, ast.FloorDiv)):
                continue
            if index in names_in(node.left) and isinstance(node.right, ast.Constant):
                why = f"{text(node)} gives the same sample for many indices"
                yield clue("medium", scope.file, node.lineno, why)
        for node in ast.walk(statement):
            if isinstance(node, ast.Subscript) and SAMPLES.fullmatch(ast.unparse(node)):
                why = f"{text(node)} is the same sample for every index"
                yield clue("strong", scope.file, node.lineno, why)


def _order(training: Training) -> Iterator[Clue]:
    if training.category == "loss_nan":
        return
    ordered = _sorted_by_label(training)
    for scope, call in training.named("DataLoader"):
        statement = training.statement(scope, call)
        words = ast.unparse(statement).lower() if statement is not None else ""
        trains = "train" in words.partition("dataloader")[0] + ast.unparse(call).lower()
        shuffle, sampler = keyword(call, "shuffle"), keyword(call, "sampler")
        batches = keyword(call, "batch_sampler")
        held = re.search(r"val|test|eval", words.partition("dataloader")[0]) or (
            "train" not in ast.unparse(call).lower() and _beside_shuffled(scope, call)
        )
        off = isinstance(shuffle, ast.Constant) and shuffle.value is False
        if sampler is None and batches is None and trains and not held and (shuffle is None or off):
            why = "training samples come in the order of the data"
            line = shuffle.lineno if shuffle is not None else call.lineno
            yield clue("strong" if ordered else "medium", scope.file, line, why)
    for scope, call in training.named("fit"):
        shuffle = keyword(call, "shuffle")
        if isinstance(shuffle, ast.Constant) and shuffle.value is False:
            why = "training samples come in the order of the data"
            yield clue("strong" if ordered else "medium", scope.file, shuffle.lineno, why)
    for scope, call in training.named("train_test_split"):
        shuffle = keyword(call, "shuffle")
        if isinstance(shuffle, ast.Constant) and shuffle.value is False:
            why = "the data are cut in their order"
            yield clue("strong" if ordered else "medium", scope.file, shuffle.lineno, why)
    for scope, call in ordered:
        yield clue("medium", scope.file, call.lineno, f"{text(call)} puts equal labels together")
    for scope, call in training.named("shuffle"):
        size = argument(call, 0, "buffer_size")
        if "keras" in training.imported or "tensorflow" in training.imported:
            for origin in training.origins(scope, size) if size is not None else ():
                if origin.value <= 2:
                    why = "a buffer that small shuffles nothing"
                    yield clue("strong", origin.file, origin.line, why)


def _beside_shuffled(scope: Scope, call: ast.Call) -> bool:
    """Whether another loader of the same function shuffles: then that one is for training."""
    return any(
        other is not call
        and called_name(other) == "DataLoader"
        and (keyword(other, "shuffle") is not None or keyword(other, "sampler") is not None)
        for other in scope.calls
    )


def _sorted_by_label(training: Training) -> list[tuple[Scope, ast.Call]]:
    return [
        (s, c)
        for s, c in training.named("sort_values", "argsort", "sorted", "sort")
        if re.search(r"label|target|class|\by\b|queue|category", ast.unparse(c))
        and not re.search(r"set\(|unique|keys\(|prob|score|names|classes", ast.unparse(c))
    ]


def _random_targets(training: Training) -> Iterator[Clue]:
    """Targets drawn by lot, and not to make inputs from them."""
    for scope in training.functions:
        if re.search(r"test|dummy|fake|synth|toy|make|generate|simul", scope.name.lower()):
            continue
        for name, bindings in sorted(scope.bindings.items()):
            short = name.rpartition(".")[2].lower()
            if short not in ("y", "labels", "label", "targets", "target", "y_train"):
                continue
            for binding in bindings:
                for call in calls_in(binding.value) if not binding.mutates else ():
                    if called_name(call) in (
                        "randint",
                        "integers",
                        "rand",
                        "randn",
                        "random_integers",
                    ):
                        why = f"{text(call)} makes targets that have nothing to do with the inputs"
                        level = "strong" if _reads_inputs(scope) else "weak"
                        yield clue(level, scope.file, binding.line, why)


def _reads_inputs(scope: Scope) -> bool:
    """Whether a function takes its inputs from somewhere else than from chance."""
    short = scope.name.rpartition(".")[2]
    loads = re.compile(r"open|read|load|imread|from_file|fromfile")
    return short in ("__getitem__", "training_step", "train_step") or any(
        loads.search(called_name(c)) for c in scope.calls
    )


def _used_up(training: Training) -> Iterator[Clue]:
    """Find an iterator that the first epoch uses up."""
    for scope in training.functions:
        for name, bindings in sorted(scope.bindings.items()):
            for binding in bindings:
                value = binding.value
                once = isinstance(value, ast.GeneratorExp) or (
                    isinstance(value, ast.Call)
                    and isinstance(value.func, ast.Name)
                    and value.func.id in ("zip", "map", "filter", "iter")
                )
                if not once or binding.mutates:
                    continue
                for loop in training.nodes(scope, FOR_LOOPS):
                    if not isinstance(loop, ast.For):
                        continue
                    outer = training.loops(scope, loop)
                    if (
                        outer
                        and name in names_in(loop.iter)
                        and binding.line < getattr(outer[-1], "lineno", 0)
                    ):
                        why = f"`{name}` is used up after the first round"
                        yield clue("strong", scope.file, binding.line, why)

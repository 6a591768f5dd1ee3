"""Which of the loops that a failure broke off is the one whose turns tell most about it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from dl_bug_lsp.recording.run_records import Broken
from dl_bug_lsp.workspace.elements import parse

FEW = 3
"""Turns that must have passed; of fewer little can be learned."""
_STEPS = frozenset((
    "backward", "step", "train_step", "training_step", "train_on_batch", "apply_gradients",
    "GradientTape", "value_and_grad", "apply_updates", "partial_fit", "optimize_step", "update",
    "zero_grad",
))  # fmt: skip
_HOPS = 4


def telling_loop(
    broken: Sequence[Broken], text_of: Callable[[str], str | None], files: Sequence[str]
) -> Broken | None:
    """Return the loop or callback to compare turns of; ``broken`` are innermost first.

    The innermost loop that reaches a training step; else, where a framework holds the loop, the
    outermost function that it calls again and again; else what has most turns. Those of which `FEW`
    turns passed go before others; None where none has passed.
    """
    tried = [one for one in broken if one.passed > 0]
    for few in (FEW, 1):
        enough = [one for one in tried if one.passed >= few]
        if enough:
            loops = [one for one in enough if one.is_loop]
            steps = _Steps(text_of, files) if loops else None
            stepping = [one for one in loops if steps and steps.reached(one)]
            calls = [one for one in enough if not one.is_loop]
            if stepping:
                return stepping[0]
            return calls[-1] if calls else max(enough, key=lambda one: one.passed)
    return None


class _Steps:
    """Answers whether a training step is reached from some lines, by the names that are called."""

    def __init__(self, text_of: Callable[[str], str | None], files: Sequence[str]) -> None:
        self._trees: dict[str, ast.Module] = {}
        self._calls: dict[str, set[str]] = {}
        for file in files:
            tree = _parsed(text_of(file))
            if tree is None:
                continue
            self._trees[file] = tree
            for node in ast.walk(tree):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self._calls.setdefault(node.name, set()).update(_called(node))

    def reached(self, loop: Broken) -> bool:
        tree = self._trees.get(loop.file)
        names: set[str] = set()
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, (ast.For, ast.AsyncFor, ast.While)) and node.lineno == loop.first:
                names |= {name for part in node.body for name in _called(part)}
        seen: set[str] = set()
        for _ in range(_HOPS):
            if names & _STEPS:
                return True
            seen |= names
            names = {n for name in names for n in self._calls.get(name, ())} - seen
        return False


def _parsed(text: str | None) -> ast.Module | None:
    return parse(text).tree if text is not None else None


def _called(node: ast.AST) -> set[str]:
    found: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            name = getattr(inner.func, "attr", getattr(inner.func, "id", None))
            if isinstance(name, str):
                found.add(name)
    return found

"""Rules for parts of a model that take no part in the loss: their parameters get no gradient.

They are computed and then left out, never called, switched off by a setting, or optional. Sources:
PyTorch's documentation of ``DistributedDataParallel`` ("find_unused_parameters") and
``torch.autograd.grad`` ("allow_unused"), Keras' of ``Optimizer.apply_gradients``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword, names_in, near_files, own_nodes
from dl_bug_lsp.evidence.word_index import parts_of
from dl_bug_lsp.provenance.nodes import Library, Node
from dl_bug_lsp.provenance.scopes import called_name

NO_GRADIENT = re.compile(
    r"not used in producing|parameters that were not used"
    r"|appears to not have been used in the graph|Gradients do not exist for variables"
    r"|parameters? .{0,40}did not receive grad"
)
"""How frameworks say that a parameter got no gradient."""
NOT_REDUCED = re.compile(r"not used in producing|parameters that were not used")
"""How PyTorch says that data-parallel training waits for the gradients of all parameters."""
WRAPPER = "DistributedDataParallel"
LOSS_WEIGHT = re.compile(r"weight|lambda|alpha|coef|scale|factor", re.IGNORECASE)
OTHER_WEIGHT = re.compile(r"decay|class|init", re.IGNORECASE)
NEEDS_ALL = re.compile(r"DistributedDataParallel|\bDDP\(|autograd\.grad\b|apply_gradients")
"""Calls that need the gradients of all parameters."""
KINDS_OF_CALLS = ("classics.place", "rules.medium")
FACTOR_OF_CALLS = 0.5
"""What evidence counts against a call that only needs the gradients of all parameters."""
MOST_FILES = 30
LOSS = re.compile(r"(?i)loss|objective|criterion|nll|elbo|cost|penalty|kl|aux|reg")
"""Words of what is minimized."""
LAYER_CLASS = re.compile(r"^[A-Z]\w*$")
LEFT_OUT, DEAD, DEAD_LOSS, UNUSED_LAYER = 1.0, 0.6, 0.8, 1.0
"""How sure a place is: where a loss that is computed is left out; a value that nothing reads; the
line of such a loss; a layer that no method uses."""
FORWARDS = ("forward", "call", "__call__", "training_step")
DYNAMIC = frozenset(("getattr", "children", "modules", "named_children", "named_modules"))
"""Calls by which a module may reach its parts without their names."""


def find(case: Case) -> Iterator[Clue]:
    """Yield what takes a part of the model out of the loss, and the wrapper that waits for it."""
    if not NO_GRADIENT.search(case.message):
        return
    if NOT_REDUCED.search(case.message):
        yield from _optional_parts(case)
        yield from _zero_weights(case)
    yield from _left_out(case)


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: less where its call only needs all gradients."""
    if clue.kind not in KINDS_OF_CALLS or not NO_GRADIENT.search(case.message):
        return 1.0
    if not NEEDS_ALL.search(case.workspace.source_line(clue.file, clue.line)):
        return 1.0
    return FACTOR_OF_CALLS if any(True for _ in _left_out(case)) else 1.0


def _optional_parts(case: Case) -> Iterator[Clue]:
    """Yield optional layers, and the wrapper that expects all gradients."""
    for step in case.raise_slice:
        node = step.node
        if node.entry is not None or node.line <= 0:
            continue
        expr = node.expr
        if isinstance(expr, ast.IfExp) and isinstance(expr.body, ast.Call):
            why = f"`{node.text}` makes a part of the model that the loss may leave out"
            yield Clue("rules.weak", node.file, node.line, 1.0, why)
        if isinstance(expr, ast.Call) and _is_wrapper(node, expr):
            why = f"`{node.text}` waits for the gradients of all parameters"
            yield Clue("rules.medium", node.file, node.line, 1.0, why)


def _is_wrapper(node: Node, call: ast.Call) -> bool:
    """Whether a call wraps a model so that all of its parameters need gradients."""
    if keyword(call, "find_unused_parameters") is not None:
        return False
    callee = node.engine.node(call.func, node.context)
    names = {value.name for value in callee.values if isinstance(value, Library)}
    return called_name(call) == WRAPPER or any(name.endswith(f".{WRAPPER}") for name in names)


def _zero_weights(case: Case) -> Iterator[Clue]:
    """Yield settings that take a part out of the loss: weights of zero."""
    for entry in case.config_entries:
        is_zero = type(entry.value) in (int, float) and entry.value == 0
        if is_zero and LOSS_WEIGHT.search(entry.key) and not OTHER_WEIGHT.search(entry.key):
            why = f"`{entry.key}: {entry.text}` takes a part out of the loss"
            yield Clue("rules.medium", entry.file, entry.line, 1.0, why)


def _left_out(case: Case) -> Iterator[Clue]:
    """Yield the values of losses and layers that nothing uses, and what leaves them out."""
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield from _dead_values(file, node)
            elif isinstance(node, ast.ClassDef):
                yield from _unused_layers(file, node)


def _dead_values(file: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Clue]:
    """Yield the computed values that a function never reads, and what it uses in their place."""
    nodes = list(own_nodes(function))
    read = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and _is_load(n)}
    if "locals" in read:
        return
    for node in nodes:
        if not isinstance(node, ast.Assign) or not _computes(node.value):
            continue
        names = [n.id for target in node.targets for n in names_in(target)]
        for name in (n for n in names if n not in read and not n.startswith("_")):
            is_loss = LOSS.search(name) is not None
            score = DEAD_LOSS if is_loss else DEAD
            why = f"`{name}` is computed here, and nothing reads it"
            yield Clue("rules.strong", file, node.lineno, score, why)
            for user in _last_readers_of_kind(nodes, node, name) if is_loss else ():
                why = f"`{name}` of line {node.lineno} takes no part in what is made here"
                yield Clue("rules.strong", file, user.lineno, LEFT_OUT, why)


def _last_readers_of_kind(nodes: list[ast.AST], made: ast.Assign, name: str) -> Iterator[ast.stmt]:
    """Yield the last statement that reads a value of the same kind: there it is left out.

    Losses of a function share a word of their names (``state_loss``, ``wear_loss``).
    """
    words = {word for word in parts_of(name) if LOSS.search(word)}
    users = [
        node
        for node in nodes
        if isinstance(node, (ast.Return, ast.Assign, ast.AugAssign))
        and node is not made
        and node.value is not None
        and any(words & set(parts_of(n.id)) for n in names_in(node.value) if n.id != name)
    ]
    returns = [node for node in users if isinstance(node, ast.Return)]
    yield from (returns or users)[-1:]


def _unused_layers(file: str, cls: ast.ClassDef) -> Iterator[Clue]:
    """Yield the layers that a constructor makes and no other method of the class reads."""
    methods = [n for n in cls.body if isinstance(n, ast.FunctionDef)]
    start = next((m for m in methods if m.name in ("__init__", "setup", "build")), None)
    if start is None or not any(method.name in FORWARDS for method in methods):
        return
    read = {
        node.attr
        for method in methods
        for node in ast.walk(method)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    dynamic = any(isinstance(n, ast.Call) and called_name(n) in DYNAMIC for n in ast.walk(cls))
    for node in ast.walk(start) if not dynamic else ():
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        target = node.targets[0]
        is_own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
        if not is_own or not LAYER_CLASS.match(called_name(node.value) or ""):
            continue
        assert isinstance(target, ast.Attribute)
        if target.attr not in read:
            why = f"no method uses `self.{target.attr}`, which has parameters if it is a layer"
            yield Clue("rules.strong", file, node.lineno, UNUSED_LAYER, why)


def _is_load(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _computes(value: ast.expr) -> bool:
    """Whether a value is the result of a call or of arithmetic."""
    return any(isinstance(n, (ast.Call, ast.BinOp)) for n in ast.walk(value))

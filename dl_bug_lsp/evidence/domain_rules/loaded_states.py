"""Models that are made unlike those whose state they load.

A state fits a model that is made as the saved one was (PyTorch, "Saving and Loading Models"; Keras,
`Model.load_weights`). Where a program makes the same model in two places, what the calls give it
should be the same; an argument that one of them leaves out has its default there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import near_files, own_nodes, source
from dl_bug_lsp.evidence.domain_rules.tensor_mismatch import LAYERS
from dl_bug_lsp.provenance.nodes import StepKind
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.slices import backward_slice

MOST_FILES = 40
MOST_CALLS = 12
MOST_STEPS = 40
LOADING = {"load_state_dict", "load_weights", "set_weights", "load_checkpoint", "restore"}
WORDS = ("state_dict", "checkpoint", "weights", "restore")
"""What messages say where a state does not fit."""
SAVING = {"save", "state_dict", "save_weights", "save_checkpoint", "save_pretrained", "dump"}
PLAIN = {"Sequential", "Model", "ModuleList", "DataParallel", "DistributedDataParallel", "compile"}
"""Classes whose objects have nothing in common but the class."""
HARMLESS = re.compile(r"drop|device|seed|verbose|pretrain|^weights$|^name$|act|momentum|eps|debug")
"""Parameters that mostly leave the shapes and names of a state as they are."""
OF_SAVED = 0.3
"""What the place counts where the saved model was made: mostly the one that loads is forgotten."""
DIFFERING = 0.8
"""What a call counts that gives another value than the other one."""


@dataclass(frozen=True)
class Making:
    """A call that makes a model, by file, with its arguments under the names of parameters."""

    file: str
    call: ast.Call
    given: dict[str, ast.expr]


def find_unlike_makings(case: Case) -> Iterator[Clue]:
    """Yield the call that makes a model which a state is loaded into, where others differ."""
    if case.category.id not in ("tensor_mismatch", "key_not_found", "illegal_argument"):
        return
    if not any(word in case.message for word in WORDS):
        return
    loading = _loading(case)
    name = called_name(loading[1]) if loading is not None else ""
    if loading is None or not name or name in PLAIN | LAYERS:
        return
    made = [m for m in _makings(case, name) if m.call is not loading[1]]
    own = _making(case, *loading)
    trained = [m for m in made if _is_saved(case, m)] or made
    for other in trained[:MOST_CALLS]:
        yield from _unlike(case, own, other)


def _loading(case: Case) -> tuple[str, ast.Call] | None:
    """Return the call that made what the innermost loading line loads a state into."""
    for place in reversed(case.places):
        scope = case.engine.program.scope_at(place.file, place.line)
        tree = case.workspace.tree(place.file)
        if scope is None or tree is None:
            continue
        for node in own_nodes(scope.node):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if not node.lineno <= place.line <= (node.end_lineno or node.lineno):
                continue
            if node.func.attr in LOADING:
                return _maker(tree, scope.node, node.func.value, place.file)
    return None


def _maker(
    tree: ast.AST, scope: ast.AST, receiver: ast.expr, file: str
) -> tuple[str, ast.Call] | None:
    """Return the call that a name or attribute was bound to, in its scope or anywhere in a file."""
    while isinstance(receiver, ast.Attribute) and receiver.attr in ("module", "model"):
        if isinstance(receiver.value, ast.Name) and receiver.value.id == "self":
            break
        receiver = receiver.value
    wanted = ast.unparse(receiver)
    for nodes in (own_nodes(scope), ast.walk(tree)):
        for node in nodes:
            value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AnnAssign):
                targets = [node.target]
            if not any(ast.unparse(target) == wanted for target in targets):
                continue
            call = _plain_call(value)
            if call is not None:
                return file, call
    return None


def _plain_call(value: ast.expr | None) -> ast.Call | None:
    """Return the call that makes a model: that of ``Net(3).to(device)`` is ``Net(3)``."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in ("to", "cuda", "cpu", "eval", "train", "float", "half", "double"):
            return value
        value = value.func.value
    return value if isinstance(value, ast.Call) else None


def _makings(case: Case, name: str) -> Iterator[Making]:
    """Yield the calls of a class or function of a name, those of its own body left out."""
    for file in near_files(case)[:MOST_FILES]:
        if name not in (case.workspace.text(file) or ""):
            continue
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Call) and called_name(node) == name:
                yield _making(case, file, node)


def _making(case: Case, file: str, call: ast.Call) -> Making:
    parameters = _parameters(case, called_name(call))
    given: dict[str, ast.expr] = {}
    for at, argument in enumerate(call.args):
        given[parameters[at] if at < len(parameters) else str(at)] = argument
    given.update({k.arg: k.value for k in call.keywords if k.arg is not None})
    return Making(file, call, given)


def _parameters(case: Case, name: str) -> list[str]:
    """Return the names of the positional parameters of a class or function of the workspace."""
    for file in case.code_files:
        if name not in (case.workspace.text(file) or ""):
            continue
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.ClassDef) and node.name == name:
                starts = (n for n in node.body if isinstance(n, ast.FunctionDef))
                start = next((n for n in starts if n.name == "__init__"), None)
                return [a.arg for a in start.args.args[1:]] if start is not None else []
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return [a.arg for a in node.args.args if a.arg != "self"]
    return []


def _is_open(call: ast.Call) -> bool:
    """Whether some arguments of a call are not written in it (``Net(**config)``)."""
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return starred or any(keyword.arg is None for keyword in call.keywords)


def _is_saved(case: Case, making: Making) -> bool:
    """Whether the scope in which a model is made, or its module, saves something."""
    tree = case.workspace.tree(making.file)
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call)) if tree is not None else ()
    return any(called_name(call) in SAVING for call in calls)


def _unlike(case: Case, own: Making, other: Making) -> Iterator[Clue]:
    """Yield what one call gives and the other does not, and what they give differently."""
    if _is_open(own.call) or _is_open(other.call):
        return
    place = f"{other.file}:{other.call.lineno}"
    left_out = [name for name in other.given if name not in own.given]
    added = [name for name in own.given if name not in other.given]
    left_out, added = (
        [name for name in names if not HARMLESS.search(name)] for names in (left_out, added)
    )
    text, like = source(own.call), source(other.call)
    if left_out:
        names = ", ".join(f"`{name}`" for name in left_out)
        why = f"`{text}` leaves out {names}, which `{like}` in {place} gives"
        yield Clue("rules.strong", own.file, own.call.lineno, 1.0, why)
        return
    if added:
        names = ", ".join(f"`{name}`" for name in added)
        why = f"`{text}` gives {names}, which `{like}` in {place} leaves out"
        yield Clue("rules.strong", own.file, own.call.lineno, DIFFERING, why)
        yield Clue("rules.strong", other.file, other.call.lineno, OF_SAVED, why)
        return
    for name, expr in own.given.items():
        if name not in other.given:
            continue
        first = _constant(case, own.file, expr)
        second = _constant(case, other.file, other.given[name])
        if first is None or second is None or first.value == second.value:
            continue
        why = f"`{name}` is {first.value!r} in `{text}` and {second.value!r} in `{like}` in {place}"
        for score, constant in ((DIFFERING, first), (OF_SAVED, second)):
            yield Clue("rules.strong", constant.file, constant.line, score, why)


@dataclass(frozen=True)
class Written:
    """A constant and where it is written."""

    value: object
    file: str
    line: int


def _constant(case: Case, file: str, expr: ast.expr) -> Written | None:
    """Return the only number or word that an expression stands for."""
    if isinstance(expr, ast.Constant):
        return Written(expr.value, file, expr.lineno)
    scope = case.engine.program.scope_at(file, expr.lineno)
    if scope is None:
        return None
    node = case.engine.node(expr, case.engine.open_context(scope))
    constant = node.constant
    if constant is None:
        return None
    steps = backward_slice([node], MOST_STEPS)
    written = (s.node for s in steps if s.node.kind in (StepKind.LITERAL, StepKind.CONFIG))
    for origin in written:
        own = origin.constant
        if own is not None and own.value == constant.value and origin.line > 0:
            return Written(constant.value, origin.file, origin.line)
    return None

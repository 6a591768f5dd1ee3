"""Rules for tensors and arrays that are changed in place and must not, or cannot, be.

The backward pass needs what a tensor held. Sources: PyTorch's documentation, "Autograd mechanics"
("In-place operations with autograd", "In-place correctness checks"), and
``torch/csrc/autograd/saved_variable.cpp``, which writes the message: of an input that an operation
saved it names the operation that made the tensor last, which is the change; of a result that an
operation saved it names that operation.

An array may be a view of data that somebody else holds. Sources: the user guide of pandas 3,
"Copy-on-Write", "Read-only NumPy arrays"; NumPy's reference of ``frombuffer``, ``broadcast_to``,
``diagonal``, ``memmap`` and ``sliding_window_view``; that of ``jax.Array``, of which NumPy gets a
view that cannot be written to.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import (
    calls_in,
    is_text,
    keyword,
    near_scopes,
    own_nodes,
    source,
)
from dl_bug_lsp.evidence.followed_run import is_used
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice

IN_PLACE_CALLS = {"relu_", "add_", "mul_", "sub_", "div_", "zero_", "fill_", "copy_", "clamp_",
                  "sigmoid_", "tanh_", "masked_fill_", "exp_", "sqrt_", "pow_", "normal_",
                  "uniform_", "index_add_", "scatter_", "scatter_add_", "addcmul_", "neg_",
                  "clamp_min_", "squeeze_", "unsqueeze_", "transpose_", "t_"}  # fmt: skip
OUTPUT_OF = re.compile(
    r"which is output \d+ of (?:torch::autograd::)?(?P<name>[A-Za-z]+?)(?:\d*Backward)?\d*,"
)
"""The operation that a message names, without the number of its overload."""
WRITES = {"CopySlices": "=", "IndexPut": "=", "IndexPutImpl": "=", "Copy": "="}
SAVE_RESULTS = frozenset(
    (
        *("relu", "sigmoid", "tanh", "exp", "expm", "sqrt", "rsqrt", "reciprocal", "softmax"),
        *("logsoftmax", "logsumexp", "norm", "linalgvectornorm", "hardtanh", "selu", "celu"),
    )
)
"""Operations whose backward pass needs their result: what changed it is not said."""
LAYERS_OF = {"linalgvectornorm": "norm", "logsoftmax": "log_softmax", "expm": "expm1"}
AUGMENTED: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
}
COUNTERS = re.compile(
    r"step|count|total|epoch|iter|num|^[ijkn]$|idx|correct|seen|running|size|time|item\("
)
"""Names of what is counted up as a number of Python."""
MADE_NUMBERS = frozenset(
    (
        *("item", "len", "int", "float", "round", "time", "perf_counter", "monotonic"),
        *("process_time", "size", "numel", "dim", "tolist"),
    )
)
"""Calls that give numbers of Python, or lists of them."""
NO_TENSORS = (ast.Dict, ast.DictComp, ast.List, ast.ListComp, ast.Tuple, ast.Set, ast.JoinedStr)
NUMBERS = ("int", "float", "bool", "str", "list", "dict")
UNRECORDED = re.compile(r"\b(?:no_grad|inference_mode)\b")
OUTSIDE = ("__init__", "reset_parameters", "init_weights", "_init_weights", "initialize")
"""Methods that run before a graph is recorded."""
MODULES = re.compile(r"\b(?:Module|Function|LightningModule)$")
MOST_SCOPES = 600
MOST_HOPS = 3
LOCAL, PLAIN_FUNCTION = 0.5, 0.6
"""What a change counts of a tensor that nothing has used since the function made it, and what it
counts in a function that is no method of a module."""


@dataclass(frozen=True, slots=True)
class Change:
    """A statement or call that works in place: on what, and the operation that it records."""

    node: ast.stmt | ast.expr
    target: ast.expr | None
    operation: str | None
    why: str


def find_in_place(case: Case) -> Iterator[Clue]:
    """Yield what works in place, first what records the operation that the message names."""
    near = near_scopes(case)
    for scope in near:
        yield from _clues(case, scope, is_near=True)
    if "modified by an inplace operation" in case.message:
        # The stack shows the backward pass; the change lies in what ran before it.
        for scope in _on_the_way(case, frozenset(map(id, near))):
            yield from _clues(case, scope, is_near=False)


def find_settings(case: Case) -> Iterator[Clue]:
    """Yield settings with which layers of the run work in place (PyTorch, "torch.nn.ReLU")."""
    found = [e for e in case.config_entries if e.key == "inplace" and e.value is True]
    for entry in found:
        why = "with this setting a layer writes its result into its input"
        yield Clue("rules.strong", entry.file, entry.line, 1.0 / len(found) ** 0.5, why)


def _clues(case: Case, scope: Scope, *, is_near: bool) -> Iterator[Clue]:
    output = OUTPUT_OF.search(case.message)
    name = output["name"] if output is not None else ""
    made_by = WRITES.get(name, name.lower())
    unrecorded = _unrecorded_lines(scope)
    for change in _changes(scope):
        if change.node.lineno in unrecorded or _changes_number(scope, change):
            continue
        by_result = made_by in SAVE_RESULTS
        if by_result:
            named = _is_made_by(scope, change, made_by) or change.operation == made_by
        else:
            named = bool(made_by) and change.operation == made_by
        # What an operation saves of its own result, no other line needs to have used.
        score = _share(scope, change, fresh=1.0 if by_result else LOCAL)
        if named:
            why = f"{change.why}: `{name}` made the tensor, says the message"
            yield Clue("rules.strong", scope.file, change.node.lineno, score, why)
        elif is_near:
            yield Clue("rules.medium", scope.file, change.node.lineno, 1.0, change.why)
        elif not made_by and scope.owner is not None and change.target is not None:
            yield Clue("rules.medium", scope.file, change.node.lineno, score, change.why)


def _on_the_way(case: Case, near: frozenset[int]) -> Iterator[Scope]:
    """Yield the functions of the run's modules that may compute with tensors (bounded)."""
    count = 0
    for file in case.code_files:
        text = case.workspace.text(file) or ""
        module = case.engine.program.module(file) if "torch" in text else None
        if module is None or not is_used(case, file):
            continue
        for scope in module.walk():
            is_function = isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef))
            if not is_function or id(scope) in near or scope.name.endswith(OUTSIDE):
                continue
            if any(UNRECORDED.search(text) for text in scope.decorators()):
                continue
            count += 1
            if count > MOST_SCOPES:
                return
            yield scope


def _unrecorded_lines(scope: Scope) -> frozenset[int]:
    """Return the lines of a function that run while no graph is recorded."""
    lines: set[int] = set()
    for statement in own_nodes(scope.node):
        if isinstance(statement, ast.With) and any(
            UNRECORDED.search(source(item.context_expr)) for item in statement.items
        ):
            lines.update(range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))
    return frozenset(lines)


def _share(scope: Scope, change: Change, fresh: float) -> float:
    """Return what a change counts: most of what callers hold or what an earlier line used."""
    in_class = scope.owner is not None and (
        "forward" in scope.owner.functions or _is_module(scope.owner)
    )
    share = 1.0 if in_class or scope.is_module else PLAIN_FUNCTION
    name = change.target.id if isinstance(change.target, ast.Name) else None
    return share if name is None or _held_elsewhere(scope, name, change.node) else share * fresh


def _held_elsewhere(scope: Scope, name: str, node: ast.stmt | ast.expr) -> bool:
    """Whether a name's tensor is an argument, or was used since the function made it."""
    before = [b for b in scope.definitions(name)[0] if b.line < node.lineno and b.how == "assign"]
    if not before:
        return True
    made = before[-1]
    if len(scope.around(node.lineno)[1]) > len(made.loops):
        return True
    return any(
        isinstance(n, ast.Name)
        and n.id == name
        and isinstance(n.ctx, ast.Load)
        and _end(made.value) < n.lineno < node.lineno
        for n in own_nodes(scope.node)
    )


def _end(expr: ast.expr) -> int:
    return expr.end_lineno or expr.lineno


def _is_module(cls: Scope) -> bool:
    bases = cls.node.bases if isinstance(cls.node, ast.ClassDef) else []
    return any(MODULES.search(source(base)) for base in bases)


def _is_made_by(scope: Scope, change: Change, operation: str) -> bool:
    """Whether a function that has an operation's name gave the changed value, in the same scope."""
    base = change.target
    while isinstance(base, (ast.Subscript, ast.Attribute)):
        base = base.value
    if not isinstance(base, ast.Name):
        return False
    wanted = LAYERS_OF.get(operation, operation)
    before = [b for b in scope.definitions(base.id)[0] if b.line < change.node.lineno]
    return any(
        called_name(call).lower() in (wanted, operation)
        for binding in before
        for call in calls_in(binding.value)
    )


def _changes_number(scope: Scope, change: Change) -> bool:
    """Whether a change is certainly one of a number of Python, a list, or an array of NumPy."""
    node, target = change.node, change.target
    if not isinstance(node, ast.AugAssign) or target is None:
        return isinstance(target, ast.Name) and _never_tensor(scope, target, MOST_HOPS)
    if isinstance(node.value, NO_TENSORS) or _is_data(target):
        return True
    text = source(target)
    if _never_tensor(scope, node.value, MOST_HOPS):
        return COUNTERS.search(text) is not None or _never_tensor(scope, target, MOST_HOPS)
    named = COUNTERS.search(text) is not None
    keyed = isinstance(target, ast.Subscript) and is_text(target.slice)
    return (named or keyed) and ".item()" in ast.unparse(node.value)


def _is_data(target: ast.expr) -> bool:
    """Whether a target is what a tensor holds, of which autograd does not know."""
    return any(isinstance(n, ast.Attribute) and n.attr == "data" for n in ast.walk(target))


def _never_tensor(scope: Scope, expr: ast.expr, hops: int) -> bool:
    """Whether an expression is certainly a number of Python, a container, or a NumPy array."""
    if isinstance(expr, (ast.Constant, *NO_TENSORS)):
        return True
    if isinstance(expr, ast.BinOp):
        return all(_never_tensor(scope, e, hops) for e in (expr.left, expr.right))
    if isinstance(expr, ast.UnaryOp):
        return _never_tensor(scope, expr.operand, hops)
    if isinstance(expr, ast.Call):
        return called_name(expr) in MADE_NUMBERS or source(expr.func).startswith(("np.", "numpy."))
    if isinstance(expr, ast.Subscript):
        is_shape = isinstance(expr.value, ast.Attribute) and expr.value.attr == "shape"
        keyed = is_text(expr.slice) and COUNTERS.search(source(expr.slice)) is not None
        return is_shape or keyed or _never_tensor(scope, expr.value, hops)
    if isinstance(expr, ast.Attribute):
        return expr.attr == "shape" or COUNTERS.search(expr.attr) is not None
    return isinstance(expr, ast.Name) and hops > 0 and _never_bound(scope, expr.id, hops - 1)


def _never_bound(scope: Scope, name: str, hops: int) -> bool:
    """Whether nothing binds a name to what may be a tensor."""
    for parameter in scope.parameters():
        if parameter.arg == name:
            annotation = parameter.annotation
            return annotation is not None and source(annotation).startswith(NUMBERS)
    made = [b for b in scope.bindings.get(name, ()) if b.how in ("assign", "augment")]
    firsts = [b for b in made if b.how == "assign"]
    return bool(firsts) and all(
        _never_tensor(scope, b.value.right if isinstance(b.value, ast.BinOp) else b.value, hops)
        if b.how == "augment"
        else _never_tensor(scope, b.value, hops)
        for b in made
    )


def _changes(scope: Scope) -> Iterator[Change]:
    """Yield what works in place, with the operation as autograd names it."""
    nodes = sorted(
        (n for n in own_nodes(scope.node) if isinstance(n, (ast.stmt, ast.Call))),
        key=lambda n: n.lineno,
    )
    for statement in nodes:
        if isinstance(statement, ast.AugAssign):
            why = f"`{source(statement)}` changes its target in place"
            target = statement.target
            whole = not isinstance(target, ast.Subscript) or is_text(target.slice)
            operation = AUGMENTED.get(type(statement.op)) if whole else "="
            yield Change(statement, target, operation, why)
        elif isinstance(statement, ast.Assign) and _writes_into(scope, statement.targets[0]):
            why = f"`{source(statement)}` writes in place, into a tensor perhaps"
            yield Change(statement, statement.targets[0], "=", why)
    for call in (n for n in nodes if isinstance(n, ast.Call)):
        value = keyword(call, "inplace")
        why = f"`{source(call)}` works in place"
        name = called_name(call)
        if name in IN_PLACE_CALLS:
            changed = call.func.value if isinstance(call.func, ast.Attribute) else None
            yield Change(call, changed, name.rstrip("_").replace("_", ""), why)
        elif isinstance(value, ast.Constant) and value.value is True:
            yield Change(call, None, name.lower(), why)


def _writes_into(scope: Scope, target: ast.expr) -> bool:
    """Whether a target is an item of what is no dictionary or list written in its scope."""
    if not isinstance(target, ast.Subscript) or is_text(target.slice):
        return False
    base = target.value
    bound = scope.bindings.get(base.id, ()) if isinstance(base, ast.Name) else ()
    values = [binding.value for binding in bound if binding.how == "assign"]
    kinds = (ast.Dict, ast.DictComp, ast.List, ast.ListComp)
    return not values or not all(isinstance(value, kinds) for value in values)


READ_ONLY = re.compile(
    r"assignment destination is read-only|(?:output|input|sort) array is read-only"
    r"|buffer source array is read-only|(?:array|ndarray|object) is (?:read-?only|not writeable)"
)
"""How NumPy and what is compiled against it refuse to write to an array."""
HANDED_ON = ("definition", "return", "attribute", "item", "stored", "base")
"""Roles in which an array stays the same, or a part of it that is a view."""
VIEWS = frozenset(
    ("asarray", "asanyarray", "reshape", "ravel", "squeeze", "transpose", "swapaxes", "view")
)
"""Calls that give what they get, or a view of it, where they can."""
UNWRITABLE = {
    "frombuffer": "gives a view of bytes",
    "broadcast_to": "gives a view that repeats elements",
    "broadcast_arrays": "gives views that repeat elements",
    "sliding_window_view": "gives a view whose windows overlap",
    "diagonal": "gives a view of the diagonal",
}
"""Calls whose result cannot be written to, with what it is."""


def find_read_only(case: Case) -> Iterator[Clue]:
    """Yield what made a read-only view of the array that the failing line writes to."""
    if not READ_ONLY.search(case.message) or not case.sites:
        return
    site = case.sites[-1]
    bases = list(_written(site.statement)) if site.statement is not None else []
    nodes = [case.engine.node(base, site.context) for base in bases] or list(site.nodes)
    seen: set[tuple[str, int]] = set()
    for step in backward_slice(nodes):
        why = _why(step) if step.node.entry is None and _is_same_array(step) else None
        place = (step.node.file, step.node.line)
        if why is not None and place not in seen and step.node.line > 0:
            seen.add(place)
            yield Clue("rules.strong", *place, 1.0 / len(seen) ** 0.5, why)


def _written(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield the arrays that a statement writes to."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    for target in targets:
        if isinstance(target, ast.Subscript):
            yield target.value
        elif isinstance(statement, ast.AugAssign):
            yield target
    for call in ast.walk(statement) if not targets else ():
        if not isinstance(call, ast.Call):
            continue
        if called_name(call) in ("shuffle", "put", "copyto", "place", "putmask") and call.args:
            yield call.args[0]
        elif isinstance(call.func, ast.Attribute) and call.func.attr in ("sort", "fill"):
            yield call.func.value


def _is_same_array(step: Step) -> bool:
    """Whether what a step makes is what the failing line writes to, and no copy of it."""
    for link in step.way():
        if link.before is None or not link.roles or link.roles[-1] in HANDED_ON:
            continue
        expr = link.before.node.expr
        if not isinstance(expr, ast.Call) or called_name(expr) not in VIEWS:
            return False
    return True


def _why(step: Step) -> str | None:
    """Say why what an expression gives may not be written to, None where it may."""
    expr, text = step.node.expr, step.node.text
    if isinstance(expr, ast.Attribute) and expr.attr == "values":
        return f"`{text}` may be a view, which cannot be written to since pandas 3"
    name = called_name(expr) if isinstance(expr, ast.Call) else None
    if not isinstance(expr, ast.Call) or name is None:
        return None
    if name == "to_numpy":
        copied = keyword(expr, "copy") or (expr.args[1] if len(expr.args) > 1 else None)
        if copied is not None and not (isinstance(copied, ast.Constant) and not copied.value):
            return None
        return (
            f"`{text}` may be a view, which cannot be written to since pandas 3; `copy=True` copies"
        )
    mode = keyword(expr, "mmap_mode") or (keyword(expr, "mode") if name == "memmap" else None)
    if isinstance(mode, ast.Constant) and mode.value == "r":
        return f"`{text}` opens the file only to be read (`{mode.value}`)"
    if name in UNWRITABLE and keyword(expr, "writeable") is None:
        return f"`{text}` {UNWRITABLE[name]}, which cannot be written to"
    if name in ("asarray", "asanyarray") and expr.args:
        return f"`{text}` does not copy what may be read-only, as `np.array` does"
    return None

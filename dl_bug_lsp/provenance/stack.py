"""Contexts along a traceback: which call led into each frame, and with which arguments."""

from __future__ import annotations

import ast
import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from dl_bug_lsp.provenance import calls, objects
from dl_bug_lsp.provenance.engine import Engine, Node
from dl_bug_lsp.provenance.nodes import Context, Instance
from dl_bug_lsp.provenance.scopes import Scope, called_name

SEARCH_NODES = 120
MAX_FRAMES = 400
"""Frames that are entered: the outermost and, three times as many, the innermost."""


MODULE_CALL = "_call_impl"
"""How the functions end through which PyTorch calls a module."""
IN_MODULES = "torch/nn/modules/"
NOTHING = re.compile(r"(?!)")
DEFINED_IN = {
    file: re.compile(classes)
    for file, classes in {
        "activation.py": r"MultiheadAttention|\w*(?:ReLU6?|Softmax|Sigmoid|Tanh|GELU|SiLU|ELU)|GLU",
        "batchnorm.py": r"(?:Lazy|Sync)?BatchNorm\w*",
        "conv.py": r"(?:Lazy)?Conv\w*",
        "dropout.py": r"\w*Dropout\w*",
        "flatten.py": r"Flatten|Unflatten",
        "instancenorm.py": r"(?:Lazy)?InstanceNorm\w*",
        "linear.py": r"(?:Lazy)?Linear|Bilinear",
        "loss.py": r"\w*Loss",
        "normalization.py": r"LayerNorm|GroupNorm|RMSNorm|LocalResponseNorm|CrossMapLRN2d",
        "padding.py": r"\w*Pad[123]d",
        "pixelshuffle.py": r"Pixel\w*",
        "pooling.py": r"\w*Pool\w*",
        "rnn.py": r"(?:RNN|LSTM|GRU)(?:Cell)?",
        "sparse.py": r"Embedding(?:Bag)?",
        "transformer.py": r"Transformer\w*",
        "upsampling.py": r"Upsampl\w*",
    }.items()
}
"""The classes of `torch.nn.modules` by their files (PyTorch's sources)."""


@dataclass(frozen=True, slots=True)
class StackPlace:
    """A frame inside the workspace: 1-based line, and what the traceback printed about it.

    ``below`` are the (file, function) of the library frames down to the next one in the workspace.
    """

    file: str
    line: int
    function: str | None
    expression: str | None
    below: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Site:
    """A stack place with its scope's context and the nodes of the expressions that ran there."""

    place: StackPlace
    context: Context
    nodes: tuple[Node, ...]
    statement: ast.stmt | None


def walk_stack(engine: Engine, places: tuple[StackPlace, ...]) -> list[Site]:
    """Enter the frames one after the other, outermost first, and return their sites.

    A frame's parameters stand for the arguments of the call in the frame before it where that call
    can be found, also through a library in between (``model(x)`` to ``forward``).
    """
    sites: list[Site] = []
    if len(places) > MAX_FRAMES:
        places = (*places[: MAX_FRAMES // 4], *places[-3 * MAX_FRAMES // 4 :])
    for index, place in enumerate(places):
        scope = None
        if place.function and place.function != "<module>":
            scope = engine.program.function_named(place.file, place.function, place.line)
        scope = scope or engine.program.scope_at(place.file, place.line)
        if scope is None:
            continue
        context = _entered(engine, sites[-1], scope) if sites else None
        context = context or engine.open_context(scope)
        statement = statement_at(engine, place.file, place.line)
        following = places[index + 1].function if index + 1 < len(places) else None
        called = (place.below[0][1] if place.below else following) or ""
        expressions = _expressions(statement, place, called.rpartition(".")[2])
        if not place.expression and place.below:
            expressions = _called_below(engine, context, expressions, place.below)
        nodes = tuple(engine.node(e, context) for e in expressions)
        sites.append(Site(place, context, nodes, statement))
    return sites


def statement_at(engine: Engine, file: str, line: int) -> ast.stmt | None:
    """Return the innermost statement that covers a 1-based line (a header for compound ones)."""
    tree = engine.workspace.tree(file)
    best: ast.stmt | None = None
    blocks: list[list[ast.stmt]] = [tree.body] if tree is not None else []
    while blocks:
        block = blocks.pop()
        # Statements stand in the order of their lines: only the last that began can cover one.
        at = bisect_right(block, line, key=lambda statement: statement.lineno) - 1
        if at >= 0 and line <= (block[at].end_lineno or 0):
            best = block[at]
            blocks = list(_blocks(best))
    return best


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list):
            yield block
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def header_expressions(statement: ast.stmt) -> list[ast.expr]:
    """Return the expressions of a statement that run at the statement itself, not in its body."""
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return [statement.iter]
    if isinstance(statement, (ast.While, ast.If)):
        return [statement.test]
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return [item.context_expr for item in statement.items]
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return list(statement.decorator_list)
    if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Try)):
        return []
    if isinstance(statement, ast.AugAssign):
        return [statement.value, statement.target]
    heads = [e for e in ast.iter_child_nodes(statement) if isinstance(e, ast.expr)]
    if isinstance(statement, ast.Assign):
        heads = [statement.value, *(t for t in statement.targets if _computes(t))]
    return heads


def _computes(target: ast.expr) -> bool:
    return isinstance(target, ast.Subscript)


def _expressions(statement: ast.stmt | None, place: StackPlace, called: str) -> list[ast.expr]:
    """Return the expressions a frame points at: the carets' first, else those of its line.

    ``called`` is the function of the frame below, empty where there is none.
    """
    if statement is None:
        return []
    heads = header_expressions(statement)
    if place.expression:
        text = normal(place.expression)
        inside = [n for head in heads for n in ast.walk(head) if isinstance(n, ast.expr)]
        for expr in inside:
            if expr.lineno <= place.line and normal(unparsed(expr)) == text:
                return [expr]
        close = [e for e in inside if e.lineno == place.line and isinstance(e, ast.Call)]
        for expr in close:
            if normal(unparsed(expr)).startswith(text.rstrip(")")):
                return [expr]
    # Up to Python 3.7 the line of a call of several lines is that of its last argument.
    named = [
        call
        for head in heads
        for call in (_calls(head) if called else ())
        if call.lineno < place.line <= (call.end_lineno or 0) and called_name(call) == called
    ]
    if len(named) == 1:
        return [named[0]]
    # Innermost calls that start on the frame's line are where a multi-line statement stood.
    at_line = [
        n
        for head in heads
        for n in ast.walk(head)
        if isinstance(n, ast.Call) and n.lineno == place.line
    ]
    if at_line and statement.lineno != place.line:
        return [at_line[0]]
    return heads


def _called_below(
    engine: Engine, context: Context, heads: list[ast.expr], below: tuple[tuple[str, str], ...]
) -> list[ast.expr]:
    """Return the one call of a line without carets that the frames below it stand in.

    A call is known by the name of the first function below it, a call of a PyTorch module by the
    file that defines its class.
    """
    calls = [call for head in heads for call in _calls(head)]
    if len(calls) < 2:
        return heads
    first = below[0][1].rpartition(".")[2]
    named = [call for call in calls if called_name(call) == first]
    if not named and first.endswith(MODULE_CALL):
        files = [posixpath.basename(file) for file, _ in below if IN_MODULES in file]
        owners = {function.partition(".")[0] for _, function in below if "." in function}
        named = [
            call
            for call in calls
            for cls in [_made_class(engine, engine.node(call.func, context))]
            if cls is not None
            and (cls in owners or any(DEFINED_IN.get(f, NOTHING).fullmatch(cls) for f in files))
        ]
    return [named[0]] if len(named) == 1 else heads


def _made_class(engine: Engine, callee: Node) -> str | None:
    """Return the name of the library class that an attribute which is called is an instance of."""
    for role, construction in callee.inputs:
        if role in {"attribute", "definition"} and isinstance(construction.expr, ast.Call):
            return called_name(construction.expr)
    return None


def normal(text: str) -> str:
    """Return source text without what two spellings of one expression differ in."""
    return "".join(text.split()).replace('"', "'")


def unparsed(expr: ast.AST) -> str:
    """Return an expression as source text, empty where it cannot be written."""
    try:
        return ast.unparse(expr)
    except (ValueError, RecursionError):
        return ""


def _entered(engine: Engine, before: Site, scope: Scope) -> Context | None:
    """Return the context of ``scope`` as called from the site before it."""
    called = [
        node
        for top in before.nodes
        for node in (engine.node(e, before.context) for e in _calls(top.expr))
    ]
    for node in called:
        if not isinstance(node.expr, ast.Call):
            continue
        callee = engine.node(node.expr.func, node.context)
        for function in calls.callables(engine, callee):
            if function.scope is scope:
                return calls.enter(engine, function, node.expr, node.context)
        if scope.name.endswith("__init__") and any(
            isinstance(v, Instance) and v.context.scope is scope for v in node.values
        ):
            instance = next(v for v in node.values if isinstance(v, Instance))
            return instance.context
    if scope.owner is None:
        return None
    instance_found = _instance_nearby(engine, before.nodes, scope.owner)
    if instance_found is None:
        return None
    return objects.enter_method(engine, instance_found, scope)


def _calls(expr: ast.expr) -> list[ast.Call]:
    calls = [n for n in ast.walk(expr) if isinstance(n, ast.Call)]
    return sorted(calls, key=lambda c: (c.lineno, c.col_offset))


def _instance_nearby(engine: Engine, tops: tuple[Node, ...], cls: Scope) -> Instance | None:
    """Find an instance of a class among what the site's expressions are made of."""
    queue = list(tops)
    seen = {id(n) for n in queue}
    visited = 0
    while queue and visited < SEARCH_NODES:
        node = queue.pop(0)
        visited += 1
        for value in node.values:
            if isinstance(value, Instance) and cls in objects.lineage(engine, value.cls):
                return value
        for _, child in node.inputs:
            if id(child) not in seen:
                seen.add(id(child))
                queue.append(child)
    return None

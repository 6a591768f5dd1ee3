"""Kinds of expressions that Python and the frameworks complain about."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.raising.operations import (
    KIND,
    LIKELY,
    NAMED,
    WEAK,
    Found,
    Matcher,
    MessageQuery,
    operation,
)
from dl_bug_lsp.evidence.raising.scan import Enclosing, FileNodes, last_name
from dl_bug_lsp.messages import FactKind, Role

CUDA = {"cuda", "device", "to", "load", "set_device", "Generator", "autocast", "GradScaler"}
OPERATORS: dict[str, tuple[type[ast.AST], ...]] = {
    "+": (ast.Add,),
    "+=": (ast.Add,),
    "-": (ast.Sub,),
    "-=": (ast.Sub,),
    "*": (ast.Mult,),
    "/": (ast.Div,),
    "//": (ast.FloorDiv,),
    "/=": (ast.Div,),
    "%": (ast.Mod,),
    "** or pow()": (ast.Pow,),
    "@": (ast.MatMult,),
    "&": (ast.BitAnd,),
    "|": (ast.BitOr,),
    "<": (ast.Lt,),
    "<=": (ast.LtE,),
    ">": (ast.Gt,),
    ">=": (ast.GtE,),
}
ELEMENTWISE = (ast.Add, ast.Sub, ast.Mult, ast.Div)
SIZES = {"len", "sum", "count", "size", "total", "n", "num", "steps", "batches", "numel"}
ATTRIBUTES_OF_TENSORS = {"shape", "T", "data", "grad", "device", "dtype", "ndim", "loss", "logits"}
AXES = {"sum", "mean", "max", "min", "argmax", "argmin", "softmax", "log_softmax", "cat", "stack"}
AXES |= {"size", "squeeze", "unsqueeze", "transpose", "permute", "std", "norm", "chunk", "split"}
AXES |= {
    "cumsum",
    "topk",
    "sort",
    "narrow",
    "flatten",
    "concatenate",
    "gather",
    "select",
    "movedim",
}


def unpacked(asked: MessageQuery) -> Matcher:
    """Ask for targets of as many values as the message expects."""
    counts = asked.facts.of(FactKind.COUNT, Role.EXPECTED)
    wanted = counts[0].value if counts else None

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
            if isinstance(node.value, ast.Tuple):
                return
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            targets = [node.target]
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            targets = [g.target for g in node.generators]
        for target in targets:
            for tuple_ in ast.walk(target):
                if not isinstance(tuple_, (ast.Tuple, ast.List)):
                    continue
                if wanted is None or len(tuple_.elts) == wanted:
                    why = f"{len(tuple_.elts)} values are taken here"
                    yield NAMED if wanted else KIND, why

    return match


def operator(asked: MessageQuery) -> Matcher:
    """Ask for the operator that the message names."""
    wanted = OPERATORS.get(asked.first(FactKind.OPERATION), ())

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, wanted):
            yield KIND, "the operator of the message stands here"
        elif isinstance(node, ast.Compare) and any(isinstance(op, wanted) for op in node.ops):
            yield KIND, "the comparison of the message stands here"
        elif isinstance(node, ast.Call):
            name = last_name(node.func)
            if ast.Add in wanted and name == "sum":
                yield WEAK, "`sum` adds here"
            elif ast.Lt in wanted and name in {"sorted", "sort", "min", "max"}:
                yield WEAK, f"`{name}` compares here"

    return match


def joined(asked: MessageQuery) -> Matcher:
    """`can only concatenate str (not "int") to str`: an addition with a text or a list."""
    text = "str" in asked.first(FactKind.CLASS, Role.EXPECTED)

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if not isinstance(node, (ast.BinOp, ast.AugAssign)) or not isinstance(node.op, ast.Add):
            return
        sides = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.value]
        written = (ast.JoinedStr,) if text else (ast.List, ast.ListComp, ast.Tuple)
        certain = any(
            isinstance(s, written) or (isinstance(s, ast.Constant) and isinstance(s.value, str))
            for side in sides
            for s in (side, *(c for c in ast.walk(side) if isinstance(c, ast.BinOp)))
        )
        yield (LIKELY if certain else KIND / 2), "an addition stands here"

    return match


def division(asked: MessageQuery) -> Matcher:
    """Ask for divisions by what may be zero."""
    whole = "modulo" in asked.message or "integer" in asked.message
    wanted = (ast.FloorDiv, ast.Mod) if whole else (ast.Div, ast.FloorDiv, ast.Mod)

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, wanted):
            by = node.right
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, wanted):
            by = node.value
        else:
            return
        if isinstance(by, (ast.Constant, ast.JoinedStr)) or (
            isinstance(node, ast.BinOp)
            and (
                isinstance(node.left, (ast.JoinedStr,))
                or (isinstance(node.left, ast.Constant) and isinstance(node.left.value, str))
            )
        ):
            return
        names = {part for n in ast.walk(by) for part in last_name(n).lower().split("_")}
        yield (LIKELY if names & SIZES else KIND), "a division stands here"

    return match


def subscript(asked: MessageQuery) -> Matcher:
    """Ask for elements taken by an index."""
    axes = asked.facts.of(FactKind.AXIS)
    many = (asked.facts.family or "").endswith("too_many_indices")
    axis = axes[0].value if axes else None

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, ast.Call):
            if last_name(node.func) in {"gather", "index_select", "take", "scatter_", "scatter"}:
                yield KIND / 2, "an element is taken here"
            return
        if not isinstance(node, ast.Subscript):
            return
        at = node.slice
        if isinstance(at, ast.Tuple):
            if many or (isinstance(axis, int) and 0 < axis < len(at.elts)):
                yield LIKELY, "an element is taken here by several indices"
            else:
                yield WEAK, "an element is taken here"
        elif not isinstance(at, ast.Slice) and not many:
            if isinstance(at, ast.Constant) and isinstance(at.value, str):
                return
            constant = isinstance(at, (ast.Constant, ast.UnaryOp))
            yield (KIND / 2 if constant else KIND), "an element is taken here"

    return match


def called_value(asked: MessageQuery) -> Matcher:
    """Ask for calls of what may be no function."""
    type_ = asked.first(FactKind.CLASS)

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if not isinstance(node, ast.Call):
            return
        name = last_name(node.func)
        tensor = type_.rpartition(".")[2] in {"Tensor", "Size", "tuple", "Parameter", "dtype"}
        if isinstance(node.func, ast.Attribute) and name in ATTRIBUTES_OF_TENSORS and tensor:
            yield NAMED, f"`.{name}` is called here"
        elif isinstance(node.func, (ast.Call, ast.Subscript)):
            yield KIND, "what this gives is called"
        elif name in nodes.made and not name[:1].isupper():
            yield WEAK, f"`{name}` is called here"

    return match


def subscripted(asked: MessageQuery) -> Matcher:
    """Ask for subscripts of what may have no elements."""

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, ast.Subscript):
            yield (
                (KIND if isinstance(node.value, ast.Call) else KIND / 2),
                "a subscript stands here",
            )

    return match


def iterated(asked: MessageQuery) -> Matcher:
    """Ask for what is gone over and may have no elements."""
    owner = asked.first(FactKind.CLASS)
    number = owner in {"int", "float"}
    method = owner in {"method", "function", "builtin_function_or_method"}

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if method:
            yield from _uncalled(node, asked)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            written = isinstance(node.iter, (ast.List, ast.Tuple))
            simple = isinstance(node.iter, (ast.Name, ast.Attribute))
            if not written:
                yield (LIKELY if number and simple else KIND), "a loop goes over it here"
        elif isinstance(node, ast.Starred):
            yield KIND / 2, "it is unpacked here"
        elif isinstance(node, ast.Call) and last_name(node.func) in {"list", "zip", "enumerate"}:
            yield KIND / 2, "it is gone over here"
        elif isinstance(node, ast.Compare) and any(
            isinstance(op, (ast.In, ast.NotIn)) for op in node.ops
        ):
            yield (KIND if "argument of type" in asked.message else WEAK), "it is looked into here"

    return match


GIVES_MANY = {"parameters", "named_parameters", "items", "keys", "values", "children", "modules"}
"""Methods whose results are gone over; left uncalled they are objects that cannot be."""


def _uncalled(node: ast.AST, asked: MessageQuery) -> Iterator[Found]:
    """Ask for a method that is handed on or gone over without being called."""
    given: list[ast.expr] = []
    if isinstance(node, ast.Call):
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
    elif isinstance(node, (ast.For, ast.AsyncFor)):
        given = [node.iter]
    for value in given:
        name = value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")
        if name in GIVES_MANY and isinstance(value, ast.Attribute):
            yield NAMED, f"`{name}` is used here without being called"
        elif name in asked.parameters:
            yield KIND / 2, f"`{name}` is used here without being called"


def cuda(asked: MessageQuery) -> Matcher:
    """Ask for calls that want a GPU."""

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if not isinstance(node, ast.Call) or last_name(node.func) not in CUDA:
            return
        name = last_name(node.func)
        written = any(
            isinstance(a, ast.Constant) and isinstance(a.value, str) and "cuda" in a.value
            for a in (*node.args, *(k.value for k in node.keywords))
        )
        if name == "cuda" or written:
            yield NAMED, "this asks for the GPU"
        elif name in {"to", "device"}:
            yield WEAK, "this may ask for the GPU"

    return match


def elementwise(asked: MessageQuery) -> Matcher:
    """Ask for computations in which two arrays meet."""
    losses = operation(asked, {"mse_loss", "MSELoss", "l1_loss", "L1Loss", "smooth_l1_loss"})

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ELEMENTWISE):
            plain = any(isinstance(s, ast.Constant) for s in (node.left, node.right))
            if not plain and not isinstance(node.left, ast.JoinedStr):
                yield KIND / 2, "two arrays may meet here"
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            sides = (node.left, node.comparators[0])
            if not any(isinstance(s, (ast.Constant, ast.List, ast.Tuple)) for s in sides):
                yield KIND / 3, "two arrays may be compared here"
        yield from losses(node, within, nodes)

    return match


def bare_super(asked: MessageQuery) -> Matcher:
    """`cannot assign module before Module.__init__() call`: a constructor that calls no other."""

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, ast.Assign) and nodes.bare.get(within.cls) == node.lineno:
            yield NAMED, f"`{within.cls}.__init__` sets attributes and calls no other `__init__`"

    return match


def axis(asked: MessageQuery) -> Matcher:
    """Ask for calls that are given the axis of the message."""
    wanted = asked.first(FactKind.AXIS)

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if not isinstance(node, ast.Call):
            return
        given = [k.value for k in node.keywords if k.arg in {"dim", "axis"}]
        name = last_name(node.func)
        if name in AXES:
            given += node.args
        for value in given:
            try:
                written = str(ast.literal_eval(value))
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                continue
            if written == wanted:
                yield LIKELY, f"`{name}` is given the axis {wanted} here"

    return match

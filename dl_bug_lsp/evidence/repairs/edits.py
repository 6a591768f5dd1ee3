"""Small edits of a program: what one slip of a programmer may have changed.

The operators are those of mutation testing turned round (Jia and Harman, IEEE TSE 37(5), 2011),
with those that fit programs of arrays: axes, shapes, dtypes, layers.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.values import (
    Array,
    Environment,
    Instance,
    Library,
    LibraryObject,
    Origin,
    Value,
)
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.contents import ConfigEntry

Syntax = TypeVar("Syntax", bound=ast.AST)
AXES = (-2, -1, 0, 1, 2)
AXIS_WORDS = {"dim", "axis", "axes", "dims", "dim0", "dim1", "start_dim", "end_dim"}
AXIS_POSITIONS = {
    **dict.fromkeys(("cat", "concatenate", "stack", "concat"), 1),
    **dict.fromkeys(("sum", "mean", "max", "min", "argmax", "argmin", "softmax", "log_softmax"), 0),
    **dict.fromkeys(("squeeze", "unsqueeze", "flatten", "size", "any", "all", "norm", "std"), 0),
    **dict.fromkeys(("transpose", "swapaxes", "split", "chunk", "repeat_interleave"), 0),
    **dict.fromkeys(("permute", "expand_dims", "cumsum", "gather", "narrow", "unbind"), 0),
}
"""From which argument on numbers of a call may be axes (methods; of functions one later)."""
ARRAY_FUNCTIONS = {"torch", "F", "np", "jnp", "tf", "numpy", "functional"}
UNWRAPPED = {
    *("squeeze", "unsqueeze", "transpose", "permute", "view", "reshape", "flatten", "float"),
    *("long", "int", "softmax", "log_softmax", "sigmoid", "argmax", "item", "numpy", "detach"),
    *("mean", "sum", "tolist", "ravel", "expand_dims", "one_hot", "get_dummies", "to_categorical"),
    *("astype", "double", "half", "T", "mT", "cpu", "values", "strip", "lower", "upper", "list"),
    *("str", "int", "tuple", "asarray", "array", "set", "sorted", "swapaxes", "squeeze_"),
}
RENAMED = (
    ("view", "permute"),
    ("reshape", "transpose"),
    ("cat", "stack"),
    ("concatenate", "stack"),
    ("append", "extend"),
    ("squeeze", "unsqueeze"),
    ("argmax", "max"),
    ("sum", "mean"),
    ("zeros", "ones"),
    ("matmul", "mul"),
    ("vstack", "hstack"),
    ("fit_transform", "transform"),
    ("train_step", "test_step"),
    ("iloc", "loc"),
)
KEYWORDS: dict[str, tuple[tuple[str, bool | int | str], ...]] = {
    **dict.fromkeys(
        ("RNN", "GRU", "LSTM"),
        (("batch_first", True), ("return_sequences", True), ("bidirectional", True)),
    ),
    **dict.fromkeys(
        ("MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer"),
        (("batch_first", True),),
    ),
    **dict.fromkeys(("sum", "mean", "max", "min", "norm", "std"), (("keepdim", True),)),
    **dict.fromkeys(("pad_sequence",), (("batch_first", True),)),
    **dict.fromkeys(("Conv1d", "Conv2d", "Conv3d"), (("padding", 1),)),
    **dict.fromkeys(("Conv1D", "Conv2D"), (("padding", "same"),)),
    **dict.fromkeys(("DataLoader",), (("drop_last", True),)),
    **dict.fromkeys(("linspace", "read_csv", "array", "zeros", "ones"), (("dtype", "float32"),)),
    **dict.fromkeys(("drop", "concat"), (("axis", 1),)),
}
DTYPES = {
    *("float64", "float32", "float16", "bfloat16", "double", "half", "float"),
    *("int64", "int32", "long", "uint8", "int", "object"),
}
RESHAPED = (
    (2, 9, "wrap.transpose", "X.transpose(-2, -1)", "X.swapaxes(-2, -1)"),
    (3, 9, "wrap.transpose", "X.transpose(0, 1)", "X.swapaxes(0, 1)"),
    (3, 3, "wrap.transpose", "X.permute(2, 0, 1)", "X.transpose(2, 0, 1)"),
    (4, 4, "wrap.transpose", "X.permute(0, 3, 1, 2)", "X.transpose(0, 3, 1, 2)"),
    (3, 9, "wrap.reshape", "X.flatten(1)", "X.reshape(X.shape[0], -1)"),
    (3, 3, "wrap.reshape", "X.reshape(-1, X.shape[-1])", "X.reshape(-1, X.shape[-1])"),
    (2, 9, "wrap.reshape", "X.reshape(-1)", "X.reshape(-1)"),
    (0, 9, "wrap.unsqueeze", "X[None]", "X[None]"),
    (2, 9, "wrap.unsqueeze", "X[..., None]", "X[..., None]"),
    (2, 9, "wrap.unsqueeze", "X[:, None]", "X[:, None]"),
    (1, 1, "wrap.axes", "X[:, None]", "X[:, None]"),
    (1, 1, "wrap.axes", "X[:, None, None]", "X[:, None, None]"),
    (1, 1, "wrap.axes", "X[:, None, None, None]", "X[:, None, None, None]"),
    (2, 2, "wrap.unsqueeze", "X[..., None, None]", "X[..., None, None]"),
    (2, 9, "index.added", "X[0]", "X[0]"),
    (2, 9, "index.added", "X[:, -1]", "X[:, -1]"),
    (3, 3, "index.added", "X[:, 0]", "X[:, 0]"),
)
"""Fewest and most axes, kind, and what to write for a tensor of PyTorch and for other arrays."""
MOST_NAMES = 8
MOST_NUMBERS = 6
MOST_SWAPPED = 4
MATCHED = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.FloorDiv, ast.Add, ast.Div),
    ast.Div: (ast.FloorDiv, ast.Mult),
    ast.FloorDiv: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
}


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one syntax node: ``new`` stands for ``old``, in its statement's line.

    ``kind`` names the operator. ``new`` is None where a statement is taken out.
    """

    kind: str
    file: str
    line: int
    old: ast.AST
    new: ast.AST | None


PRIORS = {
    "offset": 1.0, "slice": 0.8, "axis": 0.9, "axis.added": 0.6, "name": 0.2, "attribute": 0.2,
    "name.unused": 0.8, "attribute.unused": 0.8,
    "arguments": 0.9, "unwrap": 0.6, "wrap.dtype": 0.7, "wrap.unsqueeze": 0.4,
    "wrap.transpose": 0.5, "wrap.squeeze": 0.6, "wrap.detach": 0.8, "wrap.axes": 0.75,
    "wrap.reshape": 0.35, "keyword.added": 0.8,
    "keyword.removed": 0.25, "index": 0.7, "index.removed": 0.4, "index.added": 0.4,
    "unpacking": 1.0, "return": 1.0, "call": 1.0, "setting": 0.9, "setting.near": 0.6,
    "setting.factor": 0.3, "literal.factor": 0.3,
    "setting.type": 1.0, "setting.other": 0.3, "setting.boolean": 0.5, "data.row": 1.0,
    "literal": 0.8, "literal.near": 0.5, "boolean": 0.6, "string": 0.8, "dtype": 0.9,
    "method": 0.6, "operator": 0.5, "operand": 0.15, "operands": 0.6, "offset.added": 0.4,
    "factor.added": 0.25, "wrap.number": 0.5, "wrap.list": 0.3, "statement.removed": 0.1,
    "statement.order": 0.2, "statement.dedent": 0.5, "argument.removed": 0.1,
}  # fmt: skip
"""How likely an edit of a kind is what the author would write, against the other kinds."""


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A change of a line of a config or data file; ``text`` is what the file then holds."""

    kind: str
    file: str
    line: int
    old: str
    new: str
    text: str


class Recorder(Interpreter):
    """Follows a run and keeps what it came to: statements in order, the value of expressions."""

    def __init__(self, *args: object, **keywords: object) -> None:
        super().__init__(*args, **keywords)  # type: ignore[arg-type]
        self.values: dict[ast.expr, Value] = {}
        self.statements: dict[ast.stmt, Environment] = {}

    def statement(self, node: ast.stmt, env: Environment) -> None:
        """Follow a statement; keep that it ran, and in which scope."""
        self.statements.setdefault(node, env)
        super().statement(node, env)

    def value(self, node: ast.expr, env: Environment) -> Value:
        """Return what an expression comes to, and keep it."""
        result = super().value(node, env)
        self.values.setdefault(node, result)
        return result


class Parents:
    """Where the nodes of a syntax tree stand in it."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self._parents: dict[ast.AST, tuple[ast.AST, str, int | None]] = {}
        for node in ast.walk(tree):
            for name, held in ast.iter_fields(node):
                if isinstance(held, ast.AST):
                    self._parents[held] = (node, name, None)
                elif isinstance(held, list):
                    for index, item in enumerate(held):
                        if isinstance(item, ast.AST):
                            self._parents[item] = (node, name, index)

    def of(self, node: ast.AST) -> tuple[ast.AST, str, int | None] | None:
        """Return a node's parent, with the field and the index at which the node stands."""
        return self._parents.get(node)

    def function_around(self, node: ast.AST) -> ast.AST | None:
        """Return the innermost function or class around a node."""
        at = self.of(node)
        while at is not None:
            if isinstance(at[0], (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                return at[0]
            at = self.of(at[0])
        return None

    def replaced(self, old: ast.AST, new: ast.AST | None) -> ast.Module:
        """Return the tree with one node in another's place; what is not on the way is shared."""
        at = self.of(old)
        node: ast.AST | None = new
        while at is not None:
            parent, name, index = at
            changed = copy.copy(parent)
            if index is None:
                setattr(changed, name, node)
            else:
                items = list(getattr(parent, name))
                items[index : index + 1] = [] if node is None else [node]
                if not items and name in ("body",):
                    items = [ast.copy_location(ast.Pass(), old)]
                setattr(changed, name, items)
            node = changed
            at = self.of(parent)
        assert isinstance(node, ast.Module)
        return node


class Editor:
    """Makes the edits of statements that a recorded run came to."""

    def __init__(
        self, recorder: Recorder, numbers: Sequence[int], available: Sequence[str]
    ) -> None:
        self.recorder = recorder
        self.numbers = tuple(n for n in dict.fromkeys(numbers) if n > 1)[:MOST_NUMBERS]
        self.available = available
        self._parents: dict[str, Parents] = {}
        self._reads: dict[ast.AST, frozenset[str]] = {}

    def parents(self, file: str) -> Parents | None:
        """Return where the nodes of a file stand, None where it cannot be parsed."""
        if file not in self._parents:
            tree = self.recorder.workspace.tree(file)
            if tree is None:
                return None
            self._parents[file] = Parents(tree)
        return self._parents[file]

    def edits(self, statement: ast.stmt, env: Environment) -> Iterator[Edit]:
        """Yield the edits of one statement, without the blocks in it."""
        parents = self.parents(env.file)
        if parents is None:
            return
        for head in _heads(statement):
            for node in ast.walk(head):
                if isinstance(node, ast.expr):
                    for new, kind in self._of_expression(node, env, parents):
                        yield Edit(kind, env.file, node.lineno, node, _placed(new, node))
        for old, changed, kind in self._of_statement(statement, parents):
            yield Edit(kind, env.file, statement.lineno, old, changed)

    # -- statements ------------------------------------------------------------------------------

    def _of_statement(
        self, statement: ast.stmt, parents: Parents
    ) -> Iterator[tuple[ast.AST, ast.AST | None, str]]:
        """Yield what to replace, by what, and the kind; where blocks change, their owners."""
        at = parents.of(statement)
        if at is None or at[2] is None:
            return
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            yield from self._unpacked(statement)
        function = parents.function_around(statement)
        if (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Call)
            and isinstance(function, ast.FunctionDef)
        ):
            yield statement, ast.copy_location(ast.Return(statement.value), statement), "return"
        if isinstance(statement, (ast.Expr, ast.AugAssign)) or (
            isinstance(statement, ast.Assign) and _rebinds(statement)
        ):
            yield statement, None, "statement.removed"
        if not hasattr(statement, "body"):
            yield from _moved(statement, at[0], at[1], at[2], parents)

    def _unpacked(self, statement: ast.Assign) -> Iterator[tuple[ast.AST, ast.AST, str]]:
        """Yield an assignment that unpacks in another order, or takes the first of two."""
        target = statement.targets[0]
        changed = copy.copy(statement)
        if isinstance(target, ast.Tuple) and len(target.elts) in (2, 3):
            turned = ast.Tuple(list(reversed(target.elts)), ast.Store())
            changed.targets = [_placed(turned, target)]
            yield statement, changed, "unpacking"
        elif isinstance(target, ast.Name):
            value = self.recorder.values.get(statement.value)
            if value is not None and isinstance(value.data, tuple) and len(value.data) == 2:
                taken = ast.Tuple([target, ast.Name("_", ast.Store())], ast.Store())
                changed.targets = [_placed(taken, target)]
                yield statement, changed, "unpacking"

    # -- expressions -----------------------------------------------------------------------------

    def _of_expression(
        self, node: ast.expr, env: Environment, parents: Parents
    ) -> Iterator[tuple[ast.expr, str]]:
        if isinstance(node, ast.Constant):
            at = parents.of(node)
            if at is None or not isinstance(at[0], ast.Subscript):
                yield from self._of_constant(node, parents)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield from self._of_negative(node, parents)
        elif isinstance(node, ast.BinOp):
            yield from self._of_binary(node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from self._other_names(node, env, parents)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield from self._other_attributes(node, parents)
        elif isinstance(node, ast.Call):
            yield from self._of_call(node)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            yield from self._of_subscript(node)
        if self._may_wrap(node, parents):
            yield from self._wrapped(node)

    def _of_constant(self, node: ast.Constant, parents: Parents) -> Iterator[tuple[ast.expr, str]]:
        value = node.value
        if isinstance(value, bool):
            yield ast.Constant(not value), "boolean"
        elif isinstance(value, int):
            if _is_axis(node, parents):
                yield from ((_number(n), "axis") for n in AXES if n != value)
                return
            tried = {value}
            for other in (*self.numbers, value + 1, value - 1, value * 2, value // 2):
                if other not in tried and other >= 0:
                    tried.add(other)
                    yield _number(other), f"literal{_distance(other, value, self.numbers)}"
        elif isinstance(value, str) and value:
            for key in self.available[:MOST_NAMES]:
                if key != value:
                    yield ast.Constant(key), "string"
            if value in DTYPES:
                yield from ((ast.Constant(n), "dtype") for n in ("float32", "int64") if n != value)

    def _of_negative(self, node: ast.UnaryOp, parents: Parents) -> Iterator[tuple[ast.expr, str]]:
        if isinstance(node.operand, ast.Constant) and type(node.operand.value) is int:
            own = -node.operand.value
            if _is_axis(node, parents):
                yield from ((_number(n), "axis") for n in AXES if n != own)

    def _of_binary(self, node: ast.BinOp) -> Iterator[tuple[ast.expr, str]]:
        if isinstance(node.op, (ast.Add, ast.Sub)):
            for kept, dropped in ((node.left, node.right), (node.right, node.left)):
                small = isinstance(dropped, ast.Constant) and type(dropped.value) is int
                if kept is node.left or isinstance(node.op, ast.Add):
                    yield kept, "offset" if small else "operand"
        if isinstance(node.op, (ast.Mult, ast.FloorDiv, ast.Div)):
            yield node.left, "operand"
            if isinstance(node.op, ast.Mult):
                yield node.right, "operand"
        if isinstance(node.op, (ast.MatMult, ast.Sub, ast.Div, ast.FloorDiv)):
            yield ast.BinOp(node.right, node.op, node.left), "operands"
        for other in MATCHED.get(type(node.op), ()):
            yield ast.BinOp(node.left, other(), node.right), "operator"

    def _other_names(
        self, node: ast.Name, env: Environment, parents: Parents
    ) -> Iterator[tuple[ast.expr, str]]:
        own = self.recorder.values.get(node)
        at = parents.of(node)
        called = at is not None and isinstance(at[0], ast.Call) and at[1] == "func"
        if own is None or (called and not isinstance(own.data, (LibraryObject, Instance))):
            return
        used = self._used(node, parents)
        count = 0
        scope: Environment | None = env
        while scope is not None and count < MOST_NAMES:
            for name, value in list(scope.names.items()):
                if name != node.id and not name.startswith("__") and _may_stand(value, own):
                    kind = "name" if name in used or scope is not env else "name.unused"
                    yield ast.Name(name, ast.Load()), kind
                    count += 1
                    if count >= MOST_NAMES:
                        break
            scope = scope.outer if scope.owner is None else None

    def _other_attributes(
        self, node: ast.Attribute, parents: Parents
    ) -> Iterator[tuple[ast.expr, str]]:
        base, own = self.recorder.values.get(node.value), self.recorder.values.get(node)
        if base is None:
            return
        at = parents.of(node)
        called = at is not None and isinstance(at[0], ast.Call) and at[1] == "func"
        held: dict[str, Value] = {}
        if isinstance(base.data, Instance):
            held = base.data.attributes
        elif isinstance(base.data, LibraryObject) and base.data.short in (
            *("Namespace", "SimpleNamespace", "DictConfig"),
        ):
            held = base.data.state
        if own is not None and own.known:
            others = [
                name
                for name, value in list(held.items())
                if name != node.attr and _may_stand(value, own)
            ]
            used = self._used(node, parents)
            for name in others[:MOST_NAMES]:
                kind = "attribute" if name in used else "attribute.unused"
                yield ast.Attribute(node.value, name, ast.Load()), kind
        if own is None and isinstance(base.data, Instance) and not called:
            for name in list(held)[:MOST_NAMES]:
                yield ast.Attribute(node.value, name, ast.Load()), "attribute"
        if node.attr in DTYPES:
            for other in ("float32", "int64"):
                if other != node.attr:
                    yield ast.Attribute(node.value, other, ast.Load()), "dtype"
        if node.attr in ("T", "mT", "data", "values"):
            yield node.value, "unwrap"
        if called and not isinstance(base.data, Library):
            return
        if not called and own is not None and type(own.data).__name__ in ("Method", "BoundMethod"):
            yield ast.Call(node, [], []), "call"

    def _may_swap(self, one: ast.expr, other: ast.expr) -> bool:
        """Whether two arguments may have been mixed up: values of one kind that differ."""
        a, b = self.recorder.values.get(one), self.recorder.values.get(other)
        if a is None or b is None or ast.dump(one) == ast.dump(other):
            return False
        kinds = [type(v.data) for v in (a, b)]
        return kinds[0] is kinds[1] or not (a.known and b.known)

    def _used(self, node: ast.expr, parents: Parents) -> frozenset[str]:
        """Return the names and attributes that the function around an expression reads."""
        around = parents.function_around(node) or parents.tree
        if around not in self._reads:
            self._reads[around] = frozenset(
                n.id if isinstance(n, ast.Name) else n.attr
                for n in ast.walk(around)
                if isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Load)
            )
        return self._reads[around]

    def _of_call(self, node: ast.Call) -> Iterator[tuple[ast.expr, str]]:
        func, name = node.func, called_name(node) or ""
        method = isinstance(func, ast.Attribute) and not (
            isinstance(func.value, ast.Name) and func.value.id in ARRAY_FUNCTIONS
        )
        if name in UNWRAPPED:
            if method and isinstance(func, ast.Attribute):
                yield func.value, "unwrap"
            elif node.args:
                yield node.args[0], "unwrap"
        for index, keyword in enumerate(node.keywords):
            rest = [*node.keywords[:index], *node.keywords[index + 1 :]]
            if keyword.arg is not None:
                yield ast.Call(func, node.args, rest), "keyword.removed"
        if len(node.args) > 1:
            yield ast.Call(func, node.args[:-1], node.keywords), "argument.removed"
        for pair in RENAMED:
            if name in pair and isinstance(func, ast.Attribute):
                other = ast.Attribute(func.value, pair[1 - pair.index(name)], ast.Load())
                renamed = ast.Call(ast.copy_location(other, func), node.args, node.keywords)
                yield renamed, "method"
        yield from self._swapped(node)
        yield from self._with_keywords(node, name, method)

    def _swapped(self, node: ast.Call) -> Iterator[tuple[ast.expr, str]]:
        if any(isinstance(given, ast.Starred) for given in node.args):
            return
        for at in range(min(len(node.args) - 1, MOST_SWAPPED)):
            args = list(node.args)
            args[at], args[at + 1] = args[at + 1], args[at]
            if self._may_swap(args[at], args[at + 1]):
                yield ast.Call(node.func, args, node.keywords), "arguments"

    def _with_keywords(
        self, node: ast.Call, name: str, method: bool
    ) -> Iterator[tuple[ast.expr, str]]:
        given = {keyword.arg for keyword in node.keywords}
        words = [(w, v, "keyword.added") for w, v in KEYWORDS.get(name, ()) if w not in given]
        if name in AXIS_POSITIONS and not given & AXIS_WORDS and len(node.args) == (not method):
            receiver = node.func.value if isinstance(node.func, ast.Attribute) else node.func
            array = self.recorder.values.get(receiver if method else node.args[0])
            items = array.data if array is not None else None
            first = items[0].data if isinstance(items, (list, tuple)) and items else items
            is_torch = not isinstance(first, Array) or first.library == "torch"
            words += [("dim" if is_torch else "axis", n, "axis.added") for n in (1, -1, 0)]
        for word, value, kind in words:
            constant = _number(value) if type(value) is int else ast.Constant(value)
            keywords = [*node.keywords, ast.keyword(word, constant)]
            yield ast.Call(node.func, node.args, keywords), kind

    def _of_subscript(self, node: ast.Subscript) -> Iterator[tuple[ast.expr, str]]:
        index = node.slice
        if isinstance(index, ast.Constant) and type(index.value) is int:
            for other in (index.value + 1, index.value - 1, -1, 0, 1, 2):
                if other != index.value:
                    yield ast.Subscript(node.value, _number(other), ast.Load()), "index"
            yield node.value, "index.removed"
        elif isinstance(index, ast.UnaryOp):
            for other in (0, 1, 2):
                yield ast.Subscript(node.value, _number(other), ast.Load()), "index"
            yield node.value, "index.removed"
        elif isinstance(index, ast.Slice):
            yield node.value, "slice"
            for bound in ("lower", "upper"):
                held = getattr(index, bound)
                if held is None:
                    continue
                changed = copy.copy(index)
                setattr(changed, bound, None)
                yield ast.Subscript(node.value, changed, ast.Load()), "slice"
                for op, added in ((ast.Add(), 1), (ast.Sub(), 1)):
                    changed = copy.copy(index)
                    moved = ast.BinOp(held, op, ast.Constant(added))
                    setattr(changed, bound, _placed(moved, held))
                    yield ast.Subscript(node.value, changed, ast.Load()), "slice"
        elif isinstance(index, ast.Tuple):
            for at, item in enumerate(index.elts):
                if isinstance(item, ast.Slice) and (item.lower or item.upper):
                    elements = list(index.elts)
                    elements[at] = ast.copy_location(ast.Slice(), item)
                    changed_tuple = ast.copy_location(ast.Tuple(elements, ast.Load()), index)
                    yield ast.Subscript(node.value, changed_tuple, ast.Load()), "slice"
                elif isinstance(item, ast.Constant) and item.value is None:
                    yield node.value, "unwrap"
            if len(index.elts) == 2:
                turned = ast.Tuple(list(reversed(index.elts)), ast.Load())
                yield (
                    ast.Subscript(node.value, ast.copy_location(turned, index), ast.Load()),
                    "index",
                )

    # -- what may be put around ------------------------------------------------------------------

    def _may_wrap(self, node: ast.expr, parents: Parents) -> bool:
        """Whether a value goes on from an expression: what is assigned, returned, handed over."""
        at = parents.of(node)
        if at is None or isinstance(node, (ast.Constant, ast.Lambda, ast.Starred)):
            return False
        parent, name, _ = at
        if isinstance(parent, (ast.Assign, ast.Return, ast.AnnAssign)):
            return name == "value" and not isinstance(node, ast.Tuple)
        if isinstance(parent, ast.Call):
            return name == "args"
        if isinstance(parent, (ast.Tuple, ast.List)) and isinstance(node, (ast.Name, ast.Call)):
            return True
        return isinstance(parent, (ast.BinOp, ast.keyword, ast.Dict, ast.For))

    def _wrapped(self, node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
        held = self.recorder.values.get(node)
        if held is None:
            return
        data = held.data
        if isinstance(data, Array) and self.recorder.gradients is not None:
            if data.library == "torch":
                yield _around(node, "X.detach()"), "wrap.detach"
        elif isinstance(data, Array):
            yield from _around_array(node, data)
        elif isinstance(data, (int, float)) and not isinstance(data, bool):
            if isinstance(data, float):
                yield ast.Call(ast.Name("int", ast.Load()), [node], []), "wrap.number"
            else:
                for op in (ast.Add(), ast.Sub()):
                    yield ast.BinOp(node, op, ast.Constant(1)), "offset.added"
                yield ast.BinOp(node, ast.Mult(), ast.Constant(2)), "factor.added"
        elif isinstance(data, str):
            yield ast.Call(ast.Name("int", ast.Load()), [node], []), "wrap.number"
            yield ast.Call(ast.Name("float", ast.Load()), [node], []), "wrap.number"
            yield ast.List([node], ast.Load()), "wrap.list"
        elif isinstance(data, (tuple, list)):
            for index in (0, 1, -1):
                if len(data) > 1 or index == 0:
                    yield ast.Subscript(node, _number(index), ast.Load()), "index.added"


def _around_array(node: ast.expr, data: Array) -> Iterator[tuple[ast.expr, str]]:
    torch, sizes = data.library == "torch", data.sizes
    whole = (data.dtype or "").startswith(("int", "uint", "bool"))
    if torch:
        yield _around(node, "X.float()" if whole else "X.long()"), "wrap.dtype"
    else:
        other = "int64" if data.dtype == "float32" else "float32"
        yield _around(node, f"X.astype('{other}')"), "wrap.dtype"
    if sizes is None:
        return
    for fewest, most, kind, of_torch, of_others in RESHAPED:
        if fewest <= len(sizes) <= most:
            yield _around(node, of_torch if torch else of_others), kind
    for axis in dict.fromkeys((len(sizes) - 1, 0, 1)):
        if 0 <= axis < len(sizes) and sizes[axis] == 1:
            yield _around(node, f"X.squeeze({axis})"), "wrap.squeeze"


def _around(node: ast.expr, template: str) -> ast.expr:
    """Return a template's expression with ``X`` for a node, at the node's place."""
    tree = ast.parse(template, mode="eval").body

    class Insertion(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            return node if name.id == "X" else name

    for part in ast.walk(tree):
        ast.copy_location(part, node)
    made: ast.expr = Insertion().visit(tree)
    return made


ROWS = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".data")
MOST_ROWS = 4
FEW_ROWS = 2
MOST_ENTRIES = 12


def text_edits(
    workspace: Workspace, origins: Sequence[Origin], files: Sequence[str], numbers: Sequence[int]
) -> Iterator[TextEdit]:
    """Yield edits of settings and rows: those first that made what failed."""
    wanted = set(origins)
    rows = [at for at in origins if at[0].endswith(ROWS) and at[1] > 1]
    for file in dict.fromkeys(f for f, _ in origins if f.endswith(ROWS)):
        for number in numbers:
            holding = workspace.table_rows(file, str(number))
            if len(holding) <= FEW_ROWS:
                rows.extend((file, line) for line, _ in holding)
    for file, line in list(dict.fromkeys(rows))[:MOST_ROWS]:
        lines = list(workspace.lines(file))
        if line <= len(lines):
            old = lines.pop(line - 1)
            yield TextEdit("data.row", file, line, old, "", "\n".join([*lines, ""]))
    made = [f for f, _ in origins]
    for file in dict.fromkeys([f for f in made if f in files] + list(files)):
        entries = [e for e in workspace.config_entries(file) if e.length is None]
        own = [e for e in entries if (file, e.line) in wanted]
        for entry in (own or entries)[:MOST_ENTRIES]:
            for new, kind in _other_settings(entry, entries, numbers):
                changed = _with_value(workspace.lines(file), entry, new)
                if changed is not None:
                    yield TextEdit(kind, file, entry.line, entry.text, new, changed)


def _other_settings(
    entry: ConfigEntry, entries: Sequence[ConfigEntry], numbers: Sequence[int]
) -> Iterator[tuple[str, str]]:
    value = entry.value
    if isinstance(value, bool):
        yield ("false" if value else "true"), "setting.boolean"
    elif isinstance(value, int):
        tried = {value}
        for other in (*numbers, value + 1, value - 1, value * 2, value // 2):
            if other not in tried and other >= 0:
                tried.add(other)
                yield str(other), f"setting{_distance(other, value, numbers)}"
    elif isinstance(value, str):
        bare = value.strip()
        if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", bare):
            yield (bare if not re.search("[eE]", bare) else repr(float(bare))), "setting.type"
    at = next((i for i, e in enumerate(entries) if e is entry), 0)
    for other_entry in (*entries[max(at - 1, 0) : at], *entries[at + 1 : at + 2]):
        if type(other_entry.value) is type(value) and other_entry.value != value:
            yield other_entry.text, "setting.other"


def _distance(number: int, value: int, numbers: Sequence[int]) -> str:
    """Return the end of the kind of an edit of a number: said by the message, near, or a factor."""
    if number in numbers:
        return ""
    return ".near" if abs(number - value) == 1 else ".factor"


def _with_value(lines: Sequence[str], entry: ConfigEntry, new: str) -> str | None:
    if not entry.text or not 0 < entry.line <= len(lines):
        return None
    line = lines[entry.line - 1]
    quoted = next((q for q in (f'"{entry.text}"', f"'{entry.text}'") if q in line), entry.text)
    head, found, tail = line.rpartition(quoted)
    if not found:
        return None
    return "\n".join([*lines[: entry.line - 1], head + new + tail, *lines[entry.line :], ""])


def _moved(
    statement: ast.stmt, parent: ast.AST, name: str, index: int, parents: Parents
) -> Iterator[tuple[ast.AST, ast.AST, str]]:
    """Yield the owners of a statement's block with it after the next one, or after the block.

    Where an assignment ends a function that returns nothing, it is returned.
    """
    block: list[ast.stmt] = getattr(parent, name)
    after = block[index + 1] if index + 1 < len(block) else None
    if after is not None:
        if not hasattr(after, "body"):
            changed = [*block[:index], after, statement, *block[index + 2 :]]
            yield parent, _with(parent, name, changed), "statement.order"
        return
    outer = parents.of(parent)
    if isinstance(parent, (ast.For, ast.While, ast.If, ast.With)) and outer is not None:
        around, field, at = outer
        if at is not None:
            rest = block[:index] or [ast.copy_location(ast.Pass(), statement)]
            items = list(getattr(around, field))
            items[at : at + 1] = [_with(parent, name, rest), statement]
            yield around, _with(around, field, items), "statement.dedent"
    if isinstance(parent, ast.FunctionDef) and isinstance(statement, ast.Assign):
        target = statement.targets[0]
        returns = any(isinstance(n, ast.Return) for n in ast.walk(parent))
        if isinstance(target, (ast.Name, ast.Tuple)) and not returns:
            result = _placed(ast.Return(_loaded(target)), statement)
            yield parent, _with(parent, "body", [*block, result]), "return"


def _with(node: ast.AST, name: str, items: Sequence[object]) -> ast.AST:
    """Return a copy of a node with other items in one of its lists."""
    changed = copy.copy(node)
    setattr(changed, name, list(items))
    return changed


def _heads(statement: ast.stmt) -> list[ast.expr]:
    """Return the expressions of a statement, without those of its blocks."""
    found: list[ast.expr] = []
    for name, held in ast.iter_fields(statement):
        if name in ("body", "orelse", "finalbody", "handlers", "targets", "target"):
            continue
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if name == "args":
                found.extend(d for d in (*held.defaults, *held.kw_defaults) if d is not None)
            continue
        items = held if isinstance(held, list) else [held]
        for item in items:
            if isinstance(item, ast.expr):
                found.append(item)
            elif isinstance(item, ast.withitem):
                found.append(item.context_expr)
    return found


def _rebinds(statement: ast.Assign) -> bool:
    """Whether an assignment changes a name by its own value (``x = norm(x)``)."""
    bound = {n.id for t in statement.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    read = {n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name)}
    return bool(bound & read)


def _is_axis(node: ast.expr, parents: Parents) -> bool:
    at = parents.of(node)
    if at is None:
        return False
    parent, name, index = at
    if isinstance(parent, ast.keyword):
        return parent.arg in AXIS_WORDS
    if isinstance(parent, (ast.Tuple, ast.List)):
        outer = parents.of(parent)
        return (
            outer is not None and isinstance(outer[0], ast.keyword) and (outer[0].arg in AXIS_WORDS)
        )
    if not isinstance(parent, ast.Call) or name != "args" or index is None:
        return False
    func = parent.func
    if isinstance(func, ast.Attribute):
        first = AXIS_POSITIONS.get(func.attr)
        is_function = isinstance(func.value, ast.Name) and func.value.id in ARRAY_FUNCTIONS
        if first is None:
            return False
        return index >= (max(first, 1) if is_function else 0)
    return False


def _may_stand(value: Value, own: Value) -> bool:
    """Whether one value may have been meant where another stands: of one kind, and different."""
    a, b = value.data, own.data
    if not value.known or not own.known:
        return False
    if isinstance(a, Array) and isinstance(b, Array):
        return a is not b and (a.sizes != b.sizes or a.dtype != b.dtype or a.sizes is None)
    if isinstance(a, bool) or isinstance(b, bool):
        return False
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a != b
    if isinstance(a, LibraryObject) and isinstance(b, LibraryObject):
        return a is not b and a.name.partition(".")[0] == b.name.partition(".")[0]
    if isinstance(a, Instance) and isinstance(b, Instance):
        return a is not b
    if a is None or isinstance(a, Library):
        return False
    if b is None:
        return True
    return type(a) is type(b) and isinstance(a, (str, list, tuple, dict)) and a != b


def _number(value: int) -> ast.expr:
    if value >= 0:
        return ast.Constant(value)
    return ast.UnaryOp(ast.USub(), ast.Constant(-value))


def _loaded(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Tuple):
        return ast.Tuple([_loaded(item) for item in target.elts], ast.Load())
    return ast.Name(target.id, ast.Load()) if isinstance(target, ast.Name) else target


def _placed(new: Syntax, old: ast.AST) -> Syntax:
    """Give the nodes of an edit that have no place the place of what they stand for."""
    for node in ast.walk(new):
        if "lineno" in node._attributes and not hasattr(node, "lineno"):
            ast.copy_location(node, old)
    return new

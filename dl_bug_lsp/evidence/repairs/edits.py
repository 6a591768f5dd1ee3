"""Small edits of a program: what one slip of a programmer may have changed.

The operators are those of mutation testing turned round (Jia and Harman, IEEE TSE 37(5), 2011),
with those that fit programs of arrays: axes, shapes, dtypes, layers.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeGuard, TypeVar

from dl_bug_lsp.evidence.repairs.replacements import (
    ARRAY_FUNCTIONS,
    AXES,
    AXIS_POSITIONS,
    AXIS_WORDS,
    CALLS,
    DATE,
    DTYPES,
    KEYWORDS,
    LAYERS_BETWEEN,
    LIBRARY_KEYWORDS,
    MATCHED,
    MOST_ITEMS,
    MOST_NAMES,
    MOST_NUMBERS,
    MOST_PROBES,
    MOST_SHAPES,
    MOST_SWAPPED,
    READERS,
    REDUCTIONS,
    RENAMED,
    SHAPED,
    SPLITS,
    UNWRAPPED,
    WORDS,
    Part,
    Sought,
    Words,
    around_value,
    detached,
    measured,
    other_counts,
    others_of,
    parts_in,
    requiring,
)
from dl_bug_lsp.evidence.repairs.text_edits import distance
from dl_bug_lsp.evidence.word_index import parts_of
from dl_bug_lsp.interpretation.calls import own_nodes
from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.libraries.keras.layers import PARAMETERS
from dl_bug_lsp.interpretation.libraries.torch.layers import SIGNATURES
from dl_bug_lsp.interpretation.run_state import Settled
from dl_bug_lsp.interpretation.table_values import Frame
from dl_bug_lsp.interpretation.values import (
    ATTRIBUTE_TABLES,
    Array,
    ClassValue,
    Environment,
    FunctionValue,
    Instance,
    Lazy,
    Library,
    LibraryObject,
    ModuleValue,
    Origin,
    Table,
    Value,
)
from dl_bug_lsp.provenance.scopes import called_name

Syntax = TypeVar("Syntax", bound=ast.AST)
OF_ONE = frozenset(
    ("append", "add", "appendleft", "remove", "discard", "len", "list", "set", "sum")
)
"""Functions and methods that take one argument: a list of several is not unpacked for them."""
CONVERTERS = {
    **dict.fromkeys(("torch.from_numpy", "torch.tensor", "torch.as_tensor"), "float"),
    **dict.fromkeys(("numpy.array", "numpy.asarray"), "astype"),
}
"""Functions that keep the type of what they convert, and the method that gives the usual one."""
MOST_RETURNED = 4
"""Names of a function that returns nothing, of which one may have to be returned."""
NAMESPACES = ("Namespace", "SimpleNamespace", *ATTRIBUTE_TABLES)
"""Objects of libraries that hold settings as attributes."""
OWNERS = (
    *(ast.BinOp, ast.keyword, ast.Dict, ast.For, ast.IfExp, ast.comprehension),
    *(ast.ListComp, ast.GeneratorExp, ast.Compare),
)
"""Syntax nodes whose parts may be changed as a whole."""


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
    "name.unused": 0.8, "name.alike": 0.5, "name.whole": 1.6, "name.joined": 1.6,
    "attribute.unused": 0.8,
    "name.needed": 1.0, "attribute.needed": 1.0, "attribute.section": 0.8,
    "arguments": 0.9, "unwrap": 0.6, "wrap.dtype": 0.7, "wrap.unsqueeze": 0.4,
    "wrap.transpose": 0.5, "wrap.squeeze": 0.6, "wrap.detach": 0.8, "wrap.requires": 0.8,
    "wrap.axes": 0.75,
    "wrap.reshape": 0.35, "keyword.added": 0.8,
    "keyword.removed": 0.25, "index": 0.7, "index.removed": 0.4, "index.added": 0.4,
    "unpacking": 1.0, "return": 1.0, "call": 1.0, "setting": 0.9, "setting.near": 0.6,
    "setting.factor": 0.3, "literal.factor": 0.3,
    "setting.type": 1.0, "setting.other": 0.3, "setting.boolean": 0.5, "data.row": 1.0,
    "literal": 0.8, "literal.near": 0.5, "boolean": 0.6, "string": 0.8, "dtype": 0.9,
    "boolean.option": 0.8,
    "method": 0.6, "operator": 0.5, "operator.elements": 1.0, "operand": 0.15, "operands": 0.6,
    "offset.added": 0.4,
    "factor.added": 0.25, "wrap.number": 0.5, "wrap.list": 0.3, "statement.removed": 0.1,
    "statement.order": 0.2, "statement.dedent": 0.5, "argument.removed": 0.1,
    "statement.indent": 0.3, "statement.buffer": 0.6, "layer.added": 0.5, "layer.first": 0.9,
    "layer.last": 0.3, "keyword.named": 0.8,
    "keyword.other": 1.0,
    "star": 0.8, "call.other": 0.6, "string.other": 0.6, "attribute.available": 0.6,
    "count.maximum": 0.8, "count.other": 0.6,
    "wrap.stack": 0.5, "wrap.array": 0.3, "wrap.tensor": 0.4,
    "wrap.index": 0.5, "wrap.missing": 0.5, "wrap.text": 0.3, "wrap.frame": 0.3, "wrap.codes": 0.3,
    "wrap.copy": 0.2, "wrap.like": 1.0, "wrap.dense": 0.8, "wrap.columns": 0.3, "wrap.crop": 0.6,
    "wrap.reshape_like": 0.6, "wrap.pooled": 0.3, "wrap.reduced": 0.4, "wrap.decided": 0.3,
    "setting.list": 0.6, "setting.item": 0.9, "item.removed": 0.3, "shape": 0.8,
    "wrap.padded": 0.8, "setting.choice": 0.8, "wrap.dates": 0.7, "keyword.dates": 1.0,
    "wrap.spelt": 0.5, "literal.type": 0.7, "statement.kept": 1.0, "string.option": 0.9,
    "setting.unit": 0.8,
}  # fmt: skip
"""How likely an edit of a kind is what the author would write, against the other kinds."""


class Recorder(Interpreter):
    """Follows a run and keeps what it came to: statements in order, the value of expressions."""

    def __init__(self, *args: object, **keywords: object) -> None:
        super().__init__(*args, **keywords)  # type: ignore[arg-type]
        self.values = self.first_values = dict[ast.expr, Value]()
        self.statements: dict[ast.stmt, Environment] = {}
        self.fitting: frozenset[tuple[Origin, str]] | None = None
        """What may fail elsewhere: the run ends where something else does; None for no end."""
        self.of_earlier: set[ast.AST] = set()
        """Expressions of commands before the run, whose values are kept with those of the run."""
        self._noted = 0

    def statement(self, node: ast.stmt, env: Environment) -> None:
        """Follow a statement; keep that it ran, and in which scope.

        Raises `Settled` where something fails elsewhere that may not.
        """
        self.statements.setdefault(node, env)
        super().statement(node, env)
        if self.fitting is not None and len(self.elsewhere) != self._noted:
            self._noted = len(self.elsewhere)
            if not self.elsewhere <= self.fitting:
                raise Settled


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

    def holds(self, node: ast.AST) -> bool:
        """Say whether a node stands in the tree: what a text given to ``exec`` holds does not."""
        return node is self.tree or node in self._parents

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
        self,
        recorder: Recorder,
        numbers: Sequence[int],
        available: Sequence[str],
        shapes: Sequence[tuple[int, ...]] = (),
        *,
        in_part: bool = False,
        options: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    ) -> None:
        """Make edits with what a failure says.

        ``numbers`` stand in its message, ``available`` are the keys that a table has, and
        ``shapes`` those of the arrays that do not fit. ``in_part`` says that what was looked up
        may stand in a part of the data that a table was not made of; ``options`` are the texts
        that may stand for another one.
        """
        self.in_part = in_part
        self.options = options
        self.recorder = recorder
        telling = tuple(n for n in dict.fromkeys(numbers) if n > 1)[:MOST_NUMBERS]
        self.sought = Sought(telling, tuple(dict.fromkeys(shapes)))
        self.available = available
        self.imports: dict[ast.AST, ast.ImportFrom] = {}
        """What has to be imported for names that stand in edits."""
        self._lines: dict[ast.AST, int] = {}
        """The line of an edit that changes one item of a long call."""
        self._shapes: list[tuple[int, ...]] | None = None
        self._parents: dict[str, Parents] = {}
        self._by_name: dict[str, Mapping[str, Sequence[ast.Call]]] = {}
        self._reads: dict[ast.AST, frozenset[str]] = {}
        self._bound: dict[ast.AST, dict[str, list[Part]]] = {}
        self._treated: dict[ast.AST, list[tuple[ast.Name, ast.expr]]] = {}

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
                        line = self._lines.pop(new, node.lineno)
                        new = _placed(new, node)
                        yield Edit(kind, env.file, line, node, new)
                        yield from _made_again(statement, node, new, kind, env.file, parents)
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
            yield from self._registered(statement)
        yield from self._with_layer(statement, at[0], at[1], at[2])
        yield from self._kept(statement)
        function = parents.function_around(statement)
        if (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Call)
            and isinstance(function, ast.FunctionDef)
            and (statement is getattr(at[0], at[1])[-1] or not _returns_value(function))
        ):
            yield statement, ast.copy_location(ast.Return(statement.value), statement), "return"
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and at[0] is function:
            yield from _returned(statement, function)
        if isinstance(statement, (ast.Expr, ast.AugAssign)) or (
            isinstance(statement, ast.Assign) and _rebinds(statement)
        ):
            yield statement, None, "statement.removed"
        if not hasattr(statement, "body"):
            yield from _moved(statement, at[0], at[1], at[2], parents)

    def _kept(self, statement: ast.stmt) -> Iterator[tuple[ast.AST, ast.AST, str]]:
        """Yield what keeps the new value of a method (``x.float()`` as ``x = x.float()``)."""
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return
        target, value = call.func.value, self.recorder.values.get(call.func.value)
        if not isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)) or value is None:
            return
        if not isinstance(value.data, (Array, Table, str)):
            return
        bound = copy.copy(target)
        bound.ctx = ast.Store()
        kept = copy.copy(call)
        kept.keywords = [k for k in call.keywords if k.arg != "inplace"]
        yield statement, _placed(ast.Assign([bound], kept), statement), "statement.kept"

    def _unpacked(self, statement: ast.Assign) -> Iterator[tuple[ast.AST, ast.AST, str]]:
        """Yield an assignment that unpacks in another order, or takes the first of two."""
        target = statement.targets[0]
        changed = copy.copy(statement)
        if isinstance(target, ast.Tuple):
            for names in self._other_targets(target, statement.value):
                renamed = copy.copy(statement)
                renamed.targets = [_placed(ast.Tuple(names, ast.Store()), target)]
                yield statement, renamed, "unpacking"
        elif isinstance(target, ast.Name):
            value = self.recorder.values.get(statement.value)
            if value is not None and isinstance(value.data, tuple) and len(value.data) == 2:
                taken = ast.Tuple([target, ast.Name("_", ast.Store())], ast.Store())
                changed.targets = [_placed(taken, target)]
                yield statement, changed, "unpacking"

    def _other_targets(self, target: ast.Tuple, given: ast.expr) -> Iterator[list[ast.expr]]:
        """Yield the names of a tuple in other orders, or as many as there are items."""
        names = target.elts
        if any(isinstance(name, ast.Starred) for name in names):
            return
        value = self.recorder.values.get(given)
        items = value.data if value is not None else None
        if isinstance(items, (tuple, list)) and len(items) != len(names):
            if len(items) == len(names) + 1:
                for at in range(len(items), -1, -1):
                    yield [*names[:at], ast.Name("_", ast.Store()), *names[at:]]
            elif 0 < len(items) < len(names):
                yield names[: len(items)]
        elif len(names) in (2, 3):
            yield from (
                list(order) for order in itertools.permutations(names) if order != (*names,)
            )

    def _registered(self, statement: ast.Assign) -> Iterator[tuple[ast.AST, ast.AST, str]]:
        """Yield a tensor of a module as a buffer, which moves with the module."""
        target, value = statement.targets[0], self.recorder.values.get(statement.value)
        if (
            isinstance(target, ast.Attribute)
            and isinstance(target.value, ast.Name)
            and value is not None
            and isinstance(value.data, Array)
            and value.data.library == "torch"
        ):
            register = ast.Attribute(target.value, "register_buffer", ast.Load())
            call = ast.Call(register, [ast.Constant(target.attr), statement.value], [])
            yield statement, _placed(ast.Expr(call), statement), "statement.buffer"

    def _with_layer(
        self, statement: ast.stmt, parent: ast.AST, name: str, index: int | None
    ) -> Iterator[tuple[ast.AST, ast.AST, str]]:
        """Yield the owner of a statement that adds a layer to a model, with one more after it."""
        if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
            return
        call = statement.value
        added = isinstance(call.func, ast.Attribute) and call.func.attr == "add"
        if not added or len(call.args) != 1 or index is None:
            return
        for layer in self._layers_like(call.args[0]):
            more = _placed(ast.Expr(ast.Call(call.func, [layer], [])), statement)
            block: list[ast.stmt] = getattr(parent, name)
            changed = [*block[: index + 1], more, *block[index + 1 :]]
            yield parent, _with(parent, name, changed), "layer.added"

    def _layers_like(self, made: ast.expr) -> Iterator[ast.expr]:
        """Yield layers without arguments that may be missing, of the library of one that is made.

        They change a shape, or give probabilities where these are asked for.
        """
        value = self.recorder.values.get(made)
        if (
            not isinstance(made, ast.Call)
            or not isinstance(made.func, (ast.Attribute, ast.Name))
            or value is None
            or not isinstance(value.data, LibraryObject)
        ):
            return
        library = value.data.name.partition(".")[0]
        kernels = self.recorder.kernels
        of_range = kernels.of_range and not kernels.of_targets and library == "torch"
        for short in ("Sigmoid",) if of_range else LAYERS_BETWEEN.get(library, ()):
            layer: ast.expr = ast.Name(short, ast.Load())
            if isinstance(made.func, ast.Attribute):
                layer = ast.Attribute(made.func.value, short, ast.Load())
            yield _placed(ast.Call(layer, [], []), made)

    # -- expressions -----------------------------------------------------------------------------

    def _of_expression(
        self, node: ast.expr, env: Environment, parents: Parents
    ) -> Iterator[tuple[ast.expr, str]]:
        if isinstance(node, ast.Constant):
            at = parents.of(node)
            is_negative = at is not None and isinstance(at[0], ast.UnaryOp)
            if at is None or not (isinstance(at[0], ast.Subscript) or is_negative):
                yield from self._of_constant(node, parents)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield from self._of_negative(node, parents)
        elif isinstance(node, ast.BinOp):
            yield from self._of_binary(node)
        elif isinstance(node, ast.BoolOp):
            yield from self._of_boolean(node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from self._other_names(node, env, parents)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield from self._other_attributes(node, parents)
            yield from self._converting(node, parents)
        elif isinstance(node, ast.Call):
            yield from self._of_call(node, env)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            yield from self._of_subscript(node, parents)
        elif isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Load):
            yield from self._of_items(node, parents)
        if measured(node) is not None:
            around = parents.function_around(node) or parents.tree
            for other in other_counts(node, around, self.recorder.values.get):
                yield other, "count.other"
        if self._may_wrap(node, parents):
            yield from self._wrapped(node, env)
            if isinstance(node, ast.Name):
                for other in self._like_others(node, parents):
                    yield other, "wrap.like"

    def _like_others(self, node: ast.Name, parents: Parents) -> Iterator[ast.expr]:
        """Yield what the function does elsewhere to a value of the same name, or of its like.

        Parts of a data set have names that differ in one word (``x_train``, ``x_val``).
        """
        around = parents.function_around(node) or parents.tree
        held = self.recorder.values.get(node)
        if held is not None and held.data is None:
            return  # What is done to other values does nothing for one that is not there.
        if around not in self._treated:
            self._treated[around] = list(itertools.islice(_treated(around), MOST_TREATED))
        if not self._treated[around]:
            return
        own, at = parts_of(node.id), parents.of(node)
        parent = at[0] if at is not None else None
        is_treated = (isinstance(parent, ast.BinOp) and parent.left is node) or (
            isinstance(parent, ast.Call) and len(parent.args) <= MOST_SWAPPED
        )
        done = {ast.dump(parent)} if parent is not None and is_treated else set()
        for name, whole in self._treated[around]:
            other = parts_of(name.id)
            odd = [(a, b) for a, b in zip(own, other, strict=False) if a != b]
            if len(own) != len(other) or not all({a, b} <= SPLITS for a, b in odd):
                continue
            if not odd and around is parents.tree:
                continue  # What a module does somewhere to the same name is another use of it.
            treated = _exchanged(whole, name, node)
            if ast.dump(treated) not in done:
                done.add(ast.dump(treated))
                yield treated

    def _of_items(
        self, node: ast.Tuple | ast.List, parents: Parents
    ) -> Iterator[tuple[ast.expr, str]]:
        """Yield a list without one of its items, and sizes as those of another array."""
        at = parents.of(node)
        sizes = [self._whole(item) for item in node.elts]
        is_shape = _may_be_shape(node, at and at[0])
        if is_shape and None not in sizes and not _is_of_data(at and at[0], sizes):
            for other in self._other_shapes([size or 0 for size in sizes]):
                yield type(node)([_number(size) for size in other], ast.Load()), "shape"
        if isinstance(node, ast.List) and 1 < len(node.elts) <= MOST_ITEMS * 4:
            kinds = {type(self._held(item)) for item in node.elts}
            if kinds == {int} or kinds <= {LibraryObject, Instance}:
                for index in list(range(len(node.elts)))[-MOST_ITEMS:]:
                    rest = [*node.elts[:index], *node.elts[index + 1 :]]
                    yield ast.List(rest, ast.Load()), "item.removed"

    def _converting(self, node: ast.Attribute, parents: Parents) -> Iterator[tuple[ast.expr, str]]:
        """Yield a function that is handed on, with what it makes in the usual type."""
        value, at = self.recorder.values.get(node), parents.of(node)
        library = value.data if value is not None else None
        is_called = at is not None and isinstance(at[0], ast.Call) and at[0].func is node
        if is_called or not isinstance(library, Library):
            return
        conversion = CONVERTERS.get(library.name)
        if conversion is not None:
            given = ast.arguments([], [ast.arg("value")], None, [], [], None, [])
            made = ast.Call(node, [ast.Name("value", ast.Load())], [])
            method = ast.Attribute(made, conversion, ast.Load())
            arguments: list[ast.expr] = [ast.Constant("float32")] if conversion == "astype" else []
            yield ast.Lambda(given, ast.Call(method, arguments, [])), "wrap.dtype"

    def _held(self, node: ast.expr) -> object:
        value = self.recorder.values.get(node)
        return node.value if isinstance(node, ast.Constant) else value and value.data

    def _whole(self, node: ast.expr) -> int | None:
        """Return a whole number above zero that is written as such, None for anything else."""
        held = node.value if isinstance(node, ast.Constant) else None
        return held if type(held) is int and held > 0 else None

    def _other_shapes(self, sizes: Sequence[int]) -> Iterator[list[int]]:
        """Yield the sizes of arrays of the run that may have been meant, those most alike first.

        The first size is a number of samples and stays; an input of Keras has none.
        """
        if self._shapes is None:
            seen: dict[tuple[int, ...], None] = {}
            for value in self.recorder.values.values():
                if isinstance(value.data, Array) and value.data.shape:
                    rest = value.data.sizes[1:] if value.data.sizes else ()
                    known = tuple(size for size in rest if size is not None)
                    if known and len(known) == len(rest):
                        seen.setdefault(known)
            self._shapes = list(seen)
        own = tuple(sizes)
        found: list[tuple[int, list[int]]] = []
        for shape in self._shapes:
            if len(shape) == len(own) - 1 and shape != own[1:] and len(shape) > 1:
                alike = sum(a == b for a, b in zip(shape, own[1:], strict=True))
                found.append((alike, [own[0], *shape]))
            elif len(shape) == len(own) and shape != own:
                alike = sum(a == b for a, b in zip(shape, own, strict=True))
                found.append((alike, [*shape]))
        found.sort(key=lambda item: -item[0])
        yield from (shape for alike, shape in found[:MOST_SHAPES] if alike or len(shape) == 1)

    def _of_constant(self, node: ast.Constant, parents: Parents) -> Iterator[tuple[ast.expr, str]]:
        value = node.value
        if isinstance(value, bool):
            yield ast.Constant(not value), "boolean"
        elif isinstance(value, int):
            if _is_axis(node, parents):
                yield from ((_number(n), "axis") for n in AXES if n != value)
                return
            tried = {value}
            for other in (*self.sought.numbers, value + 1, value - 1, value * 2, value // 2):
                if other not in tried and other >= 0:
                    tried.add(other)
                    yield _number(other), f"literal{distance(other, value, self.sought.numbers)}"
            yield ast.Constant(float(value)), "literal.type"
        elif isinstance(value, str) and value:
            for key in self.available[:MOST_NAMES]:
                if key != value:
                    yield ast.Constant(key), "string"
            if not isinstance(held_by(parents, node), ast.Compare):
                for option in self.options.get(value, ()):
                    yield ast.Constant(option), "string.option"
            for group in WORDS:
                if value in group:
                    yield from ((ast.Constant(n), "string.other") for n in group if n != value)
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
        turned = isinstance(node.op, (ast.MatMult, ast.Sub, ast.Div, ast.FloorDiv))
        if turned and not self._are_alike(node.left, node.right):
            yield ast.BinOp(node.right, node.op, node.left), "operands"
        for other in MATCHED.get(type(node.op), ()):
            yield ast.BinOp(node.left, other(), node.right), "operator"

    def _of_boolean(self, node: ast.BoolOp) -> Iterator[tuple[ast.expr, str]]:
        """Yield the operator between elements where ``and`` or ``or`` asks a whole array."""
        if not any(isinstance(self._held(part), (Array, Table)) for part in node.values[:-1]):
            return
        combined = node.values[0]
        for part in node.values[1:]:
            by_element = ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr()
            combined = ast.BinOp(combined, by_element, part)
        yield combined, "operator.elements"

    def _are_alike(self, one: ast.expr, other: ast.expr) -> bool:
        """Whether two expressions are arrays of one shape: their order changes no shape."""
        a, b = self._held(one), self._held(other)
        if not isinstance(a, Array) or not isinstance(b, Array):
            return False
        return a.sizes is not None and a.sizes == b.sizes

    def _other_names(
        self, node: ast.Name, env: Environment, parents: Parents
    ) -> Iterator[tuple[ast.expr, str]]:
        own = self.recorder.values.get(node)
        at = parents.of(node)
        called = at is not None and isinstance(at[0], ast.Call) and at[1] == "func"
        if own is None:
            return
        if isinstance(own.data, Library):
            module = own.data.name.rpartition(".")[0]
            for other in _others(node.id):
                renamed = ast.Name(other, ast.Load())
                if self.recorder.lookup(other, env) is None:
                    imported = ast.ImportFrom(module, [ast.alias(other)], 0)
                    self.imports[renamed] = _placed(imported, node)
                yield renamed, "call.other"
        if called and not isinstance(own.data, (LibraryObject, Instance)):
            return
        if self.in_part:
            function = parents.function_around(node) or parents.tree
            if function not in self._bound:
                self._bound[function] = parts_in(function)
            parts = self._bound[function].get(node.id, ())
            yield from others_of(node, own, parts, lambda n: self.recorder.lookup(n, env))
        used = self._used(node, parents)
        count = 0
        scope: Environment | None = env
        while scope is not None and count < MOST_NAMES:
            for name, value in list(scope.names.items()):
                if name != node.id and not name.startswith("__") and _may_stand(value, own):
                    kind = "name" if name in used or scope is not env else "name.unused"
                    kind = "name.alike" if _are_alike(name, value, node.id, own) else kind
                    kind = "name.needed" if self._is_needed(value, own) else kind
                    yield ast.Name(name, ast.Load()), kind
                    count += 1
                    if count >= MOST_NAMES:
                        break
            scope = scope.outer if scope.owner is None else None

    def _is_needed(self, value: Value, own: Value) -> bool:
        """Whether two numbers are both in the message: the one that is there and a fitting one."""
        numbers = self.sought.numbers
        whole = type(value.data) is int and type(own.data) is int
        return whole and value.data in numbers and own.data in numbers

    def _other_attributes(
        self, node: ast.Attribute, parents: Parents
    ) -> Iterator[tuple[ast.expr, str]]:
        base, own = self.recorder.values.get(node.value), self.recorder.values.get(node)
        if base is None:
            return
        at = parents.of(node)
        called = at is not None and isinstance(at[0], ast.Call) and at[1] == "func"
        held = _members(base)
        if own is not None and own.known:
            others = [
                name
                for name, value in list(held.items())
                if name != node.attr and _may_stand(value, own)
            ]
            others.sort(key=lambda name: not self._is_needed(held[name], own))
            used = self._used(node, parents)
            for name in others[:MOST_NAMES]:
                kind = self._kind_of_other(name, held[name], own, used)
                yield ast.Attribute(node.value, name, ast.Load()), kind
        if own is None and isinstance(base.data, Instance) and not called:
            for name in list(held)[:MOST_NAMES]:
                yield ast.Attribute(node.value, name, ast.Load()), "attribute"
        if own is None or not own.known:
            for key in self.available[:MOST_NAMES]:
                if key != node.attr and key.isidentifier():
                    yield ast.Attribute(node.value, key, ast.Load()), "attribute.available"
        if isinstance(base.data, Library):
            for name in _others(node.attr):
                yield ast.Attribute(node.value, name, ast.Load()), "call.other"
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

    def _kind_of_other(self, name: str, other: Value, own: Value, used: Collection[str]) -> str:
        """Return the kind of an edit that takes another attribute or key of an object."""
        if _is_like_section(other, own):
            return "attribute.section"
        if self._is_needed(other, own):
            return "attribute.needed"
        return "attribute" if name in used else "attribute.unused"

    def _may_swap(self, one: ast.expr, other: ast.expr) -> bool:
        """Whether two arguments may have been mixed up: values of one kind that differ."""
        a, b = self.recorder.values.get(one), self.recorder.values.get(other)
        if a is None or b is None or ast.dump(one) == ast.dump(other):
            return False
        kinds = [type(v.data) for v in (a, b)]
        # A literal and a value of which nothing is known may be of any two kinds.
        is_written = isinstance(one, ast.Constant) or isinstance(other, ast.Constant)
        return kinds[0] is kinds[1] or not (is_written or (a.known and b.known))

    def _used(self, node: ast.expr, parents: Parents) -> frozenset[str]:
        """Return the names, attributes and keys that the function around an expression reads."""
        around = parents.function_around(node) or parents.tree
        if around not in self._reads:
            self._reads[around] = frozenset(
                n.id if isinstance(n, ast.Name) else n.attr
                for n in ast.walk(around)
                if isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Load)
            ) | frozenset(
                n.slice.value
                for n in ast.walk(around)
                if isinstance(n, ast.Subscript)
                and isinstance(n.slice, ast.Constant)
                and isinstance(n.slice.value, str)
            )
        return self._reads[around]

    def _of_call(self, node: ast.Call, env: Environment) -> Iterator[tuple[ast.expr, str]]:
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
        yield from self._with_words_of_others(node, name, env)
        yield from self._with_names(node, env)
        yield from self._starred(node)
        if name == "Sequential":
            yield from self._with_layers(node)
            yield from self._without_layers(node)
        sizes = [self._whole(given) for given in node.args]
        few = not _is_of_data(node, sizes)
        if name in SHAPED and len(sizes) > 1 and None not in sizes and few:
            for shape in self._other_shapes([size or 0 for size in sizes]):
                numbers = [_number(size) for size in shape]
                yield ast.Call(func, numbers, node.keywords), "shape"

    def _with_names(self, node: ast.Call, env: Environment) -> Iterator[tuple[ast.expr, str]]:
        """Yield a call with one more argument: what the scope knows by a parameter's name."""
        if any(isinstance(given, ast.Starred) for given in node.args):
            return
        free = self._parameters(node)[len(node.args) :]
        given = {keyword.arg for keyword in node.keywords}
        for parameter in free:
            if parameter in given or None in given:
                continue
            if parameter in env.names:
                value: ast.expr = ast.Name(parameter, ast.Load())
            elif self._has_attribute(env, parameter):
                value = ast.Attribute(ast.Name("self", ast.Load()), parameter, ast.Load())
            else:
                continue
            keywords = [*node.keywords, ast.keyword(parameter, value)]
            yield ast.Call(node.func, node.args, keywords), "keyword.named"

    def _has_attribute(self, env: Environment, name: str) -> bool:
        owner = env.names.get("self")
        return (
            owner is not None and isinstance(owner.data, Instance) and name in owner.data.attributes
        )

    def _parameters(self, node: ast.Call) -> tuple[str, ...]:
        """Return the names of a call's parameters, none where they are not known."""
        func, made = self.recorder.values.get(node.func), self.recorder.values.get(node)
        data = func.data if func is not None else None
        if isinstance(data, ClassValue):
            member = data.members.get("__init__")
            data = member.data if member is not None else None
        if isinstance(data, FunctionValue):
            names = tuple(a.arg for a in (*data.node.args.args, *data.node.args.kwonlyargs))
            return names[1:] if names[:1] == ("self",) else names
        short = called_name(node) or ""
        if made is not None and isinstance(made.data, LibraryObject):
            listed = SIGNATURES.get(short, "") or PARAMETERS.get(short, "")
            return tuple(word.rstrip("*") for word in listed.split())
        return ()

    def _starred(self, node: ast.Call) -> Iterator[tuple[ast.expr, str]]:
        """Yield a call with an argument unpacked, or not."""
        for at, given in enumerate(node.args):
            args, value = list(node.args), self.recorder.values.get(given)
            if isinstance(given, ast.Starred):
                args[at] = given.value
                yield ast.Call(node.func, args, node.keywords), "star"
                continue
            data = value.data if value is not None else None
            if isinstance(data, (tuple, list, Lazy)) and called_name(node) not in OF_ONE:
                args[at] = ast.copy_location(ast.Starred(given, ast.Load()), given)
                yield ast.Call(node.func, args, node.keywords), "star"
            elif isinstance(data, dict) or (
                isinstance(data, LibraryObject) and data.short in ATTRIBUTE_TABLES
            ):
                keywords = [*node.keywords, ast.keyword(None, given)]
                yield ast.Call(node.func, [*args[:at], *args[at + 1 :]], keywords), "star"

    def _with_layers(self, node: ast.Call) -> Iterator[tuple[ast.expr, str]]:
        """Yield a model of layers in a row with one more among them."""
        held = node.args[0] if len(node.args) == 1 else None
        items = held.elts if isinstance(held, ast.List) else node.args
        for at, item in enumerate((*items[:1], *items)):
            for layer in self._layers_like(item):
                more = [*items[:at], layer, *items[at:]]
                if isinstance(held, ast.List):
                    more = [ast.copy_location(ast.List(more, ast.Load()), held)]
                made = ast.Call(node.func, more, node.keywords)
                self._lines[made] = item.lineno
                kinds = {0: "layer.first", len(items): "layer.last"}
                yield made, kinds.get(at, "layer.added")

    def _without_layers(self, node: ast.Call) -> Iterator[tuple[ast.expr, str]]:
        """Yield a model of layers in a row without one of them."""
        if len(node.args) < 3 or any(isinstance(given, ast.Starred) for given in node.args):
            return
        for at in range(len(node.args))[-MOST_ITEMS:]:
            rest = [*node.args[:at], *node.args[at + 1 :]]
            made = ast.Call(node.func, rest, node.keywords)
            self._lines[made] = node.args[at].lineno
            yield made, "item.removed"

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
        known = (*KEYWORDS.get(name, ()), *self._library_words(node, name))
        words = [(w, v, "keyword.added") for w, v in known if w not in given]
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
        if name in READERS and "parse_dates" not in given:
            dates: list[ast.expr] = [ast.Constant(c) for c in self._columns_of_dates(node)]
            if dates:
                added = ast.keyword("parse_dates", ast.List(dates, ast.Load()))
                yield ast.Call(node.func, node.args, [*node.keywords, added]), "keyword.dates"

    def _with_words_of_others(
        self, node: ast.Call, name: str, env: Environment
    ) -> Iterator[tuple[ast.expr, str]]:
        """Yield a call with a keyword argument that another call of the function has in its file.

        Two loaders, readers or layers of one program are mostly made alike.
        """
        given = {keyword.arg for keyword in node.keywords}
        if None in given:
            return
        for other in self._calls(env.file).get(name, ()):
            # A constant seldom decides of what kind a result is, a function mostly does.
            words = sorted(other.keywords, key=lambda word: isinstance(word.value, ast.Constant))
            for word in words if other is not node else ():
                names = [n.id for n in ast.walk(word.value) if isinstance(n, ast.Name)]
                if word.arg in given or any(self.recorder.lookup(n, env) is None for n in names):
                    continue
                given.add(word.arg)
                value = copy.deepcopy(word.value)
                for part in ast.walk(value):
                    if isinstance(part, ast.expr):
                        ast.copy_location(part, node)
                keywords = [*node.keywords, ast.keyword(word.arg, value)]
                yield ast.Call(node.func, node.args, keywords), "keyword.other"

    def _calls(self, file: str) -> Mapping[str, Sequence[ast.Call]]:
        """Return the calls of a file by the last name of what they call."""
        if file not in self._by_name:
            named: dict[str, list[ast.Call]] = {}
            tree = self.recorder.workspace.tree(file)
            for node in ast.walk(tree) if tree is not None else ():
                if isinstance(node, ast.Call) and node.keywords:
                    named.setdefault(called_name(node) or "", []).append(node)
            self._by_name[file] = named
        return self._by_name[file]

    def _columns_of_dates(self, node: ast.Call) -> list[str]:
        """Return the columns of text of a table that is read which begin with a date."""
        value = self.recorder.values.get(node)
        data = value.data if value is not None else None
        if not isinstance(data, Frame):
            return []
        return [
            name
            for name, cells in data.cells.items()
            if isinstance(name, str)
            and cells
            and isinstance(cells[0], str)
            and DATE.match(cells[0])
        ]

    def _library_words(self, node: ast.Call, name: str) -> Words:
        """Return the keyword arguments that a call of a library may lack."""
        func = self.recorder.values.get(node.func)
        data = func.data if func is not None else None
        if data is not None and not isinstance(data, Library):
            receiver = getattr(data, "receiver", None)
            data = receiver.data if isinstance(receiver, Value) else None
        if isinstance(data, Array):
            return LIBRARY_KEYWORDS.get(data.library, {}).get(name, ())
        top = data.name.partition(".")[0] if isinstance(data, Library) else ""
        return LIBRARY_KEYWORDS.get(top, {}).get(name, ())

    def _other_keys(
        self, node: ast.Subscript, own_key: str, parents: Parents
    ) -> Iterator[tuple[ast.expr, str]]:
        """Yield what a dictionary has under its other keys, in place of what it has under one."""
        base, own = self.recorder.values.get(node.value), self.recorder.values.get(node)
        held = base.data if base is not None and isinstance(base.data, dict) else {}
        keys = [key for key in held if isinstance(key, str) and key != own_key]
        if own_key in held and own is not None:
            used = self._used(node, parents)
            for key in [key for key in keys if _may_stand(held[key], own)][:MOST_NAMES]:
                kind = self._kind_of_other(key, held[key], own, used)
                yield ast.Subscript(node.value, ast.Constant(key), ast.Load()), kind

    def _of_subscript(
        self, node: ast.Subscript, parents: Parents
    ) -> Iterator[tuple[ast.expr, str]]:
        index = node.slice
        if isinstance(index, ast.Constant) and type(index.value) is int:
            for other in (index.value + 1, index.value - 1, -1, 0, 1, 2):
                if other != index.value:
                    yield ast.Subscript(node.value, _number(other), ast.Load()), "index"
            yield node.value, "index.removed"
        elif isinstance(index, ast.Constant) and isinstance(index.value, str):
            yield from self._other_keys(node, index.value, parents)
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
        return isinstance(parent, OWNERS) and name not in ("target", "generators")

    def _wrapped(self, node: ast.expr, env: Environment) -> Iterator[tuple[ast.expr, str]]:
        held = self.recorder.values.get(node)
        if held is None:
            return
        if isinstance(held.data, Array) and self.recorder.gradients is not None:
            if self.recorder.gradients.wants_gradients:
                # A name only hands on what an expression has made.
                if held.data.library == "torch" and not isinstance(node, ast.Name):
                    yield requiring(node), "wrap.requires"
            elif held.data.library == "torch":
                yield detached(node), "wrap.detach"
        else:
            yield from around_value(node, held, env, self.sought)


def _treated(around: ast.AST) -> Iterator[tuple[ast.Name, ast.expr]]:
    """Yield the names of a function that something is done to, each with all that is done.

    That is arithmetic with a number, a method, or a function of them alone.
    """
    for node in ast.walk(around):
        name: ast.expr | None = None
        if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
            name = node.left
        elif isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            name = node.args[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            name = node.func.value
        is_other = isinstance(node, ast.Call) and called_name(node) in UNTREATED
        if isinstance(name, ast.Name) and isinstance(node, ast.expr) and not is_other:
            yield name, node


UNTREATED = frozenset(("len", "print", "type", "id", "iter", "next", "enumerate", "fit", "append"))
"""What is called with a value and gives nothing that stands for it."""


def _exchanged(whole: ast.expr, name: ast.Name, other: ast.Name) -> ast.expr:
    """Return a copy of an expression with one of its names exchanged."""
    changed = copy.copy(whole)
    if isinstance(changed, ast.BinOp):
        changed.left = other
    elif isinstance(changed, ast.Call) and changed.args:
        changed.args = [other]
    elif isinstance(changed, ast.Call) and isinstance(changed.func, ast.Attribute):
        changed.func = ast.copy_location(
            ast.Attribute(other, changed.func.attr, ast.Load()), changed.func
        )
    return changed


def _may_be_shape(node: ast.Tuple | ast.List, parent: ast.AST | None) -> bool:
    """Whether items may be sizes: of a tuple, or of a list that is given for a shape."""
    if isinstance(node, ast.Tuple):
        return not isinstance(parent, ast.Subscript)
    if isinstance(parent, ast.keyword):
        return "shape" in (parent.arg or "")
    return isinstance(parent, ast.Call) and called_name(parent) in SHAPED


def _is_of_data(node: ast.AST | None, sizes: Sequence[int | None]) -> bool:
    """Whether a call makes an array of many samples: its sizes are those of the data."""
    made = isinstance(node, ast.Call) and called_name(node) in SHAPED
    return made and bool(sizes) and (sizes[0] or 0) > MOST_PROBES


def _returns_value(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    own = (node for statement in function.body for node in own_nodes(statement))
    return any(isinstance(n, ast.Return) and n.value for n in own)


def _returned(
    statement: ast.stmt, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> Iterator[tuple[ast.AST, ast.AST, str]]:
    """Yield a function that returns what it made at its end, where it returns nothing so far."""
    if statement is not function.body[-1] or _returns_value(function):
        return
    if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(function)):
        return
    assigned = statement if isinstance(statement, ast.Assign) else None
    value = assigned.value if assigned is not None else None
    results: list[ast.expr] = []
    if assigned is not None and isinstance(assigned.targets[0], ast.Tuple):
        results.append(_loaded(assigned.targets[0]))
    names = [value.id] if isinstance(value, ast.Name) else []
    names.extend(
        node.id
        for last in reversed(function.body)
        for node in ast.walk(last)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    names.extend(a.arg for a in function.args.args if a.arg not in ("self", "cls"))
    results.extend(ast.Name(n, ast.Load()) for n in list(dict.fromkeys(names))[:MOST_RETURNED])
    for result in results:
        last = _placed(ast.Return(result), statement)
        yield function, _with(function, "body", [*function.body, last]), "return"


MOST_TREATED = 40
"""Values of a function whose treatment is tried on others like them."""
REPEATED = ("keyword.added", "keyword.removed", "axis", "axis.added")
"""Kinds of edits that a line may need several times: who forgets an argument forgets it again."""
NEAR = 3
"""Statements below one in which the same slip is looked for."""


def _made_again(
    statement: ast.stmt, node: ast.expr, new: ast.expr, kind: str, file: str, parents: Parents
) -> Iterator[Edit]:
    """Yield an edit of a call's arguments made at all calls near it that are written alike.

    Those are calls in the same statement or the next ones with the same arguments, of the same
    function or, of reductions, of another one: `(x - x.mean(1)) / x.std(1)`.
    """
    if kind not in REPEATED or not isinstance(node, ast.Call):
        at = parents.of(node) if kind in REPEATED else None
        if at is None or not isinstance(at[0], (ast.Call, ast.keyword)):
            return
        # A constant among the arguments: the edit is one of its call.
        owner = at[0]
        call = parents.of(owner) if isinstance(owner, ast.keyword) else (owner, "", None)
        if call is None or not isinstance(call[0], ast.Call):
            return
        new = _placed(_with_parts(call[0], {node: new}), call[0])
        node = call[0]
    if not isinstance(new, ast.Call):
        return
    at = parents.of(statement)
    if at is None or at[2] is None or hasattr(statement, "body"):
        return
    block: list[ast.stmt] = getattr(at[0], at[1])
    for last in (0, NEAR):
        near = [s for s in block[at[2] : at[2] + last + 1] if not hasattr(s, "body")]
        alike = [n for s in near for n in ast.walk(s) if _is_alike(n, node)]
        alike.sort(key=lambda n: (n.lineno, n.col_offset))
        if len(alike) < 2 or alike[0] is not node:
            continue
        changed: dict[ast.AST, ast.AST] = {n: _changed_alike(n, node, new) for n in alike}
        if last == 0:
            yield Edit(kind, file, node.lineno, statement, _with_parts(statement, changed))
            return
        yield Edit(kind, file, node.lineno, at[0], _with_parts(at[0], changed))


def _is_alike(other: ast.AST, call: ast.Call) -> TypeGuard[ast.Call]:
    """Whether a node is a call with the same arguments of the same, or a like, function."""
    if not isinstance(other, ast.Call):
        return False
    names = {called_name(other), called_name(call)}
    if len(names) > 1 and not names <= set(REDUCTIONS):
        return False
    own, theirs = list(call.args), list(other.args)
    if len(own) != len(theirs):
        return False
    if own and names <= set(REDUCTIONS) and not isinstance(own[0], ast.Constant):
        # The arrays may be others.
        own, theirs = own[1:], theirs[1:]
    return list(map(ast.dump, (*own, *call.keywords))) == list(
        map(ast.dump, (*theirs, *other.keywords))
    )


def _changed_alike(other: ast.Call, call: ast.Call, new: ast.Call) -> ast.Call:
    """Return a call with the changes of arguments that another one, written alike, gets."""
    args = list(new.args)
    if len(args) == len(call.args) == len(other.args):
        pairs = zip(other.args, call.args, new.args, strict=True)
        args = [changed if changed is not before else own for own, before, changed in pairs]
    return ast.copy_location(ast.Call(other.func, args, new.keywords), other)


def _with_parts(node: Syntax, changed: Mapping[ast.AST, ast.AST]) -> Syntax:
    """Return a node with others in the place of some of its parts; what is as before is shared."""
    found: dict[str, object] = {}
    for name, held in ast.iter_fields(node):
        if isinstance(held, ast.AST):
            part = changed.get(held) or _with_parts(held, changed)
            if part is not held:
                found[name] = part
        elif isinstance(held, list):
            items: list[object] = [
                (changed.get(item) or _with_parts(item, changed))
                if isinstance(item, ast.AST)
                else item
                for item in held
            ]
            if any(a is not b for a, b in zip(items, held, strict=True)):
                found[name] = items
    if not found:
        return node
    result = copy.copy(node)
    for name, other in found.items():
        setattr(result, name, other)
    return result


def _moved(
    statement: ast.stmt, parent: ast.AST, name: str, index: int, parents: Parents
) -> Iterator[tuple[ast.AST, ast.AST, str]]:
    """Yield the owners of a statement's block with it after the next one, or after the block."""
    block: list[ast.stmt] = getattr(parent, name)
    after = block[index + 1] if index + 1 < len(block) else None
    if after is not None:
        if isinstance(after, (ast.With, ast.For)):
            moved = _with(after, "body", [statement, *after.body])
            changed = [*block[:index], moved, *block[index + 2 :]]
            yield parent, _with(parent, name, changed), "statement.indent"
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


def held_by(parents: Parents, node: ast.AST) -> ast.AST | None:
    """Return what a node stands in, beside lists and tuples."""
    at = parents.of(node)
    while at is not None and isinstance(at[0], ast.List | ast.Tuple | ast.Set):
        at = parents.of(at[0])
    return at[0] if at is not None else None


def _members(owner: Value) -> Mapping[str, Value]:
    """Return the attributes by name of an object, a namespace, a class or a workspace module."""
    data = owner.data
    if isinstance(data, Instance):
        return data.attributes
    if isinstance(data, ModuleValue):
        return data.environment.names
    if isinstance(data, ClassValue):
        return data.members
    if isinstance(data, LibraryObject) and data.short in NAMESPACES:
        return data.state
    return {}


def _is_like_section(value: Value, own: Value) -> bool:
    """Whether two values are tables of settings that have most of their names in common."""
    one, other = _settings_of(value), _settings_of(own)
    return bool(one & other) and 2 * len(one & other) >= len(one | other)


def _settings_of(value: Value) -> set[object]:
    """Return the names that a table of settings has, none of anything else."""
    if isinstance(value.data, dict):
        return set(value.data)
    return set(_members(value)) if isinstance(value.data, LibraryObject) else set()


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
        return a is not b and _part_of_library(a.name) == _part_of_library(b.name)
    if isinstance(a, Instance) and isinstance(b, Instance):
        return a is not b
    if a is None or isinstance(a, Library):
        return False
    if b is None:
        return True
    return type(a) is type(b) and isinstance(a, (str, list, tuple, dict)) and a != b


def _are_alike(name: str, value: Value, own_name: str, own: Value) -> bool:
    """Whether two objects of one kind have names with a word in common, as two scalers have."""
    a, b = value.data, own.data
    if isinstance(a, LibraryObject) and isinstance(b, LibraryObject):
        is_one_kind = a.name == b.name
    else:
        is_one_kind = isinstance(a, Instance) and isinstance(b, Instance) and a.cls is b.cls
    words = set(parts_of(name)) & set(parts_of(own_name))
    return is_one_kind and any(len(word) > 1 for word in words)


def _part_of_library(name: str) -> str:
    """Return the library of a class; of PyTorch's, layers, optimizers and loaders are apart."""
    library, _, rest = name.partition(".")
    return f"torch.{rest.partition('.')[0]}" if library == "torch" else library


def _others(name: str) -> Iterator[str]:
    """Yield the classes and functions of a library that may have been meant by a name."""
    for group in CALLS:
        if name in group:
            yield from (other for other in group if other != name)


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

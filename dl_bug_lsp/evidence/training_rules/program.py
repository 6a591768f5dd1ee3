"""The workspace as the training rules see it, and the clue that answers them.

One pass over a module's tree collects the enclosing statements of each node and the nodes of each
function by type.
"""

from __future__ import annotations

import ast
import copy
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import own_nodes, source
from dl_bug_lsp.evidence.followed_run import is_used
from dl_bug_lsp.provenance.nodes import Config, StepKind
from dl_bug_lsp.provenance.scopes import Binding, Scope, called_name, dotted_name
from dl_bug_lsp.provenance.slices import backward_slice
from dl_bug_lsp.spectrum.failing_runs import is_test_file
from dl_bug_lsp.workspace.contents import ConfigEntry

MAX_MODULES = 120
MAX_BYTES = 300_000
"""Bounds for what is read of a large program."""
MAX_LOG_LINES = 400
FRAMEWORKS = frozenset(
    {"torch", "keras", "tensorflow", "tf_keras", "jax", "flax", "optax", "lightning", "fastai",
     "pytorch_lightning", "transformers", "equinox", "haiku", "accelerate"}
)  # fmt: skip
TRAINING_WORDS = frozenset(
    {"optimizer", "loss", "backward", "fit", "epochs", "train", "dataset", "loader", "forward",
     "learning", "rate", "labels", "batch", "criterion", "scheduler", "gradients"}
)  # fmt: skip
ORIGIN_STEPS = 60
WRITTEN = (StepKind.LITERAL, StepKind.CONFIG)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
Number = float
WORD = re.compile(r"[A-Za-z_]\w*")
LONGEST_TEXT = 80
"""Characters of a text in the code in which names are looked for."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A number and the line that writes it down (a literal, a default, a config's entry)."""

    value: Number
    file: str
    line: int
    is_config: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """A text and the line that writes it down."""

    value: str
    file: str
    line: int


class Training:
    """One case's program; everything is computed when first asked for."""

    def __init__(
        self,
        case: Case,
        files: Sequence[str] | None = None,
        tables: Sequence[str] | None = None,
    ) -> None:
        """Take a case; its program and data are ``files`` and ``tables``, else the workspace's."""
        self.case = case
        self.tables = tables
        self._files = files
        self.engine = case.engine
        self.category = case.category.id
        self._nodes: dict[str, ModuleNodes] = {}
        self._bodies: dict[int, Body] = {}

    def of_category(self, category: str) -> Training:
        """Return the same program, and what is known of it, for a failure of another category."""
        other = copy.copy(self)
        other.category = category
        return other

    @cached_property
    def modules(self) -> list[Scope]:
        """The modules of the workspace without its tests; of many, those that train something."""
        if self._files is not None:
            given = [self.engine.program.module(file) for file in self._files]
            return [module for module in given if module is not None]
        files = [f for f in self.case.workspace.python_files() if not _is_test(f)]
        files = files or list(self.case.workspace.python_files())
        files = [f for f in files if is_used(self.case, f)] or files
        if len(files) > MAX_MODULES:
            files = self._nearest(files)
        modules = [self.engine.program.module(file) for file in files]
        return [module for module in modules if module is not None]

    def _nearest(self, files: list[str]) -> list[str]:
        """Choose the files that have most to do with the log and with training, sorted.

        Others are read where they lie beside or below one of these.
        """
        end_of_log = "\n".join(line.text for line in self.case.log.lines[-MAX_LOG_LINES:])
        ranked: list[tuple[int, str, int]] = []
        for file in files:
            summary = self.case.workspace.source_summary(file, TRAINING_WORDS, FRAMEWORKS)
            ranked.append((-(len(summary.words) + 100 * (file in end_of_log)), file, summary.size))
        folders = {file.rpartition("/")[0] for score, file, _ in ranked if score}
        chosen: list[str] = []
        bytes_left = MAX_BYTES
        for score, file, size in sorted(ranked)[:MAX_MODULES]:
            if size <= bytes_left and (score or _lies_in(file, folders)):
                bytes_left -= size
                chosen.append(file)
        return sorted(chosen)

    @cached_property
    def scopes(self) -> list[Scope]:
        """All modules, classes, functions and lambdas."""
        return [scope for module in self.modules for scope in module.walk()]

    @cached_property
    def functions(self) -> list[Scope]:
        """All methods, the functions that the program names somewhere, and the modules' bodies."""
        return [
            scope
            for scope in self.scopes
            if not scope.is_class
            and not isinstance(scope.node, ast.Lambda)
            and self._is_named(scope)
        ]

    @cached_property
    def bodies(self) -> list[Body]:
        """The bodies of the functions."""
        return [self.body(scope) for scope in self.functions]

    def body(self, scope: Scope) -> Body:
        """Return what stands in a function, class or module itself."""
        body = self._bodies.get(id(scope.node))
        if body is None:
            body = self._bodies[id(scope.node)] = Body(scope)
        return body

    @cached_property
    def sources(self) -> str:
        """The code of all modules, as Python writes it."""
        return "\n".join(self.body(module).text for module in self.modules)

    @cached_property
    def methods(self) -> dict[str, list[Scope]]:
        """The functions and methods by their last name."""
        found: dict[str, list[Scope]] = {}
        for scope in self.functions:
            if not scope.is_module:
                found.setdefault(scope.name.rpartition(".")[2], []).append(scope)
        return found

    @cached_property
    def made(self) -> list[tuple[Scope, str, Binding, ast.Call]]:
        """The names that a call gives their value, each with its scope, binding and call."""
        return [
            (scope, name, binding, binding.value)
            for scope in self.scopes
            for name, bindings in scope.bindings.items()
            for binding in bindings
            if isinstance(binding.value, ast.Call)
        ]

    def _is_named(self, scope: Scope) -> bool:
        """Whether a function can run: of a program that starts, a plain one must be named."""
        node = scope.node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or not self._starts:
            return True
        plain = scope.owner is None and not node.decorator_list
        return not plain or node.name in self._names or node.name == "main"

    @cached_property
    def _starts(self) -> bool:
        """Whether a module does something by itself: calls something or asks for ``__name__``."""
        return any(
            isinstance(statement, (ast.If, ast.For, ast.While, ast.With))
            or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call))
            for module in self.modules
            for statement in getattr(module.node, "body", ())
        )

    @cached_property
    def _names(self) -> frozenset[str]:
        """What the modules name, also in texts (``getattr``, entry points); definitions apart."""
        names: set[str] = {text for entry in self.entries for text in WORD.findall(entry.text)}
        for node in (n for module in self.modules for n in ast.walk(module.node)):
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, ast.Attribute):
                names.add(node.attr)
            elif isinstance(node, ast.alias):
                names.add(node.asname or "")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                names.update(WORD.findall(node.value[:LONGEST_TEXT]))
        return frozenset(names)

    @cached_property
    def calls(self) -> list[tuple[Scope, ast.Call]]:
        """All calls with the scope that each stands in."""
        return [(scope, call) for scope in self.scopes for call in scope.calls]

    @cached_property
    def by_name(self) -> dict[str, list[tuple[Scope, ast.Call]]]:
        """The calls by the last name of what is called."""
        calls: dict[str, list[tuple[Scope, ast.Call]]] = {}
        for scope, call in self.calls:
            calls.setdefault(called_name(call), []).append((scope, call))
        return calls

    def named(self, *names: str) -> Iterator[tuple[Scope, ast.Call]]:
        """Yield the calls of functions, methods or classes with one of these last names."""
        for name in names:
            yield from self.by_name.get(name, [])

    @cached_property
    def entries(self) -> tuple[ConfigEntry, ...]:
        """The settings of all config and launch files."""
        return self.case.config_entries

    @cached_property
    def numbered_entries(self) -> list[tuple[str, float, ConfigEntry]]:
        """Names and numbers of the settings that are numbers; True and False are none."""
        return [
            (entry.key, entry.value, entry)
            for entry in self.entries
            if isinstance(entry.value, (int, float)) and not isinstance(entry.value, bool)
        ]

    @cached_property
    def imported(self) -> frozenset[str]:
        """The top names of all imported modules."""
        return frozenset(
            module.partition(".")[0]
            for scope in self.scopes
            for module, _ in scope.imports.values()
        )

    def parent(self, scope: Scope, node: ast.AST) -> ast.AST | None:
        """Return the syntax node around a node."""
        return self._parents_of(scope).get(id(node))

    def around(self, scope: Scope, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes around a node, innermost first, up to its function."""
        parents = self._parents_of(scope)
        at = parents.get(id(node))
        while at is not None and not isinstance(at, (*FUNCTIONS, ast.ClassDef, ast.Module)):
            yield at
            at = parents.get(id(at))

    def loops(self, scope: Scope, node: ast.AST) -> list[Loop]:
        """Return the loops of the same function around a node, innermost first."""
        return [n for n in self.around(scope, node) if isinstance(n, LOOPS)]

    def owns(self, scope: Scope, node: ast.AST) -> bool:
        """Whether a node stands in a function itself, not in one defined inside it."""
        parents = self._parents_of(scope)
        at = parents.get(id(node))
        while at is not None and not isinstance(at, (*FUNCTIONS[:2], ast.Module)):
            at = parents.get(id(at))
        return at is scope.node

    def statement(self, scope: Scope, node: ast.AST) -> ast.stmt | None:
        """Return the statement that a node is part of."""
        if isinstance(node, ast.stmt):
            return node
        return next((n for n in self.around(scope, node) if isinstance(n, ast.stmt)), None)

    def nodes(self, scope: Scope, group: Group) -> list[ast.AST]:
        """Return the nodes of a group inside a scope, in the order of `ast.walk`."""
        return self._nodes_of(scope).of(scope.node, group)

    def _parents_of(self, scope: Scope) -> dict[int, ast.AST]:
        return self._nodes_of(scope).parents

    def _nodes_of(self, scope: Scope) -> ModuleNodes:
        nodes = self._nodes.get(scope.file)
        if nodes is None:
            # The module's own tree: the workspace may have parsed the file anew since.
            module = scope
            while module.parent is not None:
                module = module.parent
            nodes = self._nodes[scope.file] = ModuleNodes(module.node)
        return nodes

    def numbers(self, scope: Scope, expr: ast.expr) -> list[float]:
        """Return the numbers that an expression may stand for."""
        constants = self.engine.node(expr, self.engine.open_context(scope)).constants
        numbers = [
            c.value
            for c in constants
            if isinstance(c.value, (int, float)) and not _is_bool(c.value)
        ]
        return [float(v) for v in numbers]

    def texts(self, scope: Scope, expr: ast.expr) -> list[str]:
        """Return the strings that an expression may stand for."""
        constants = self.engine.node(expr, self.engine.open_context(scope)).constants
        return [c.value for c in constants if isinstance(c.value, str)]

    def written(self, scope: Scope, expr: ast.expr | None) -> Written | None:
        """Return the one string that an expression stands for, with the line that writes it.

        The line is the expression's own where the string is computed.
        """
        if expr is None:
            return None
        if isinstance(expr, ast.Constant):
            is_text = isinstance(expr.value, str)
            return Written(str(expr.value), scope.file, expr.lineno) if is_text else None
        node = self.engine.node(expr, self.engine.open_context(scope))
        values = {constant.value for constant in node.constants}
        if len(values) != 1 or not isinstance(value := values.pop(), str):
            return None
        for step in backward_slice([node], ORIGIN_STEPS):
            constant = step.node.constant
            is_it = constant is not None and constant.value == value
            if is_it and step.node.kind in WRITTEN and step.node.line > 0:
                return Written(value, step.node.file, step.node.line)
        return Written(value, scope.file, expr.lineno)

    def origins(self, scope: Scope, expr: ast.expr) -> list[Origin]:
        """Return each number that an expression may stand for with the line that writes it.

        A computed number is written by the expression's own line.
        """
        node = self.engine.node(expr, self.engine.open_context(scope))
        wanted = set(self.numbers(scope, expr))
        origins: list[Origin] = []
        for step in backward_slice([node], ORIGIN_STEPS) if wanted else ():
            constant = step.node.constant
            value = constant.value if constant is not None else None
            if not isinstance(value, (int, float)) or _is_bool(value) or float(value) not in wanted:
                continue
            # A factor that happens to be as large as a result is not where the result is written.
            computed = any(link.node.kind is StepKind.ARITHMETIC for link in step.way())
            if step.node.kind in WRITTEN and step.node.line > 0 and not computed:
                is_config = step.node.entry is not None
                origins.append(Origin(float(value), step.node.file, step.node.line, is_config))
                wanted.discard(float(value))
        origins.extend(Origin(v, scope.file, expr.lineno) for v in sorted(wanted))
        return origins

    def spread(self, call: ast.Call, scope: Scope, names: Sequence[str]) -> list[Origin]:
        """Return the numbers that a call gets under some names by ``**`` of a config's section.

        Each comes with the line of the config that writes it.
        """
        return [
            Origin(float(entry.value), entry.file, entry.line, True)
            for entry in self.settings(call, scope, names)
            if isinstance(entry.value, (int, float)) and not _is_bool(entry.value)
        ]

    def settings(self, call: ast.Call, scope: Scope, names: Sequence[str]) -> list[ConfigEntry]:
        """Return the settings of these names in sections of configs that a call gets by ``**``."""
        context = self.engine.open_context(scope)
        given = [self.engine.node(k.value, context) for k in call.keywords if k.arg is None]
        tables = [value for node in given for value in node.values if isinstance(value, Config)]
        return [
            entry
            for table in tables
            for entry in self.case.workspace.config_entries(table.file)
            if entry.path[:-1] == table.path and entry.key in names
        ]

    def was_recorded(self, rate: float) -> bool:
        """Whether a learning rate was that of the recorded training; True without a recording."""
        rates = self.case.diagnosis.rates if self.case.diagnosis is not None else frozenset()
        return not rates or any(math.isclose(rate, other, rel_tol=1e-6) for other in rates)


def _is_test(file: str) -> bool:
    """Whether a file holds tests; a script ``test.py`` mostly scores the trained model."""
    return is_test_file(file) and file != "test.py" and not file.endswith("/test.py")


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _lies_in(file: str, folders: set[str]) -> bool:
    """Whether a file lies in one of the folders, however deep; in the root only at its top."""
    folder = file.rpartition("/")[0]
    if not folder:
        return "" in folders
    while folder and folder not in folders:
        folder = folder.rpartition("/")[0]
    return bool(folder)


BRANCHES = (ast.If,)
SIGNS = (ast.UnaryOp, ast.Assign)
FOR_LOOPS = (ast.For,)
SUBSCRIPTS = (ast.Subscript,)
OPERATIONS = (ast.BinOp,)
SLICES = (ast.Slice,)
LAMBDAS = (ast.Lambda,)
DICTS = (ast.Dict,)
Group = tuple[type[ast.AST], ...]
GROUPS: tuple[Group, ...] = (
    BRANCHES,
    SIGNS,
    FOR_LOOPS,
    SUBSCRIPTS,
    OPERATIONS,
    SLICES,
    LAMBDAS,
    DICTS,
)
"""The kinds of nodes that rules look for in every function of a program."""

_GROUP_OF = {kind: group for group in GROUPS for kind in group}
_SCOPES = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_LEAVES = frozenset((ast.Load, ast.Store, ast.Del, *ast.operator.__subclasses__()))


class ModuleNodes:
    """The nodes of one module; lists are in the order of `ast.walk`.

    A breadth-first walk of a part meets its nodes in the order in which that of the whole does, so
    one walk of the module serves all functions in it.
    """

    def __init__(self, tree: ast.AST) -> None:
        self.parents: dict[int, ast.AST] = {}
        self._groups: dict[int, dict[Group, list[ast.AST]]] = {}
        parents, leaves = self.parents, _LEAVES
        pending: list[tuple[ast.AST, tuple[int, ...]]] = [(tree, ())]
        for node, chain in pending:
            if isinstance(node, _SCOPES):
                chain = (*chain, id(node))
            group = _GROUP_OF.get(node.__class__)
            if group is not None:
                for scope in chain:
                    self._groups.setdefault(scope, {}).setdefault(group, []).append(node)
            for child in ast.iter_child_nodes(node):
                if child.__class__ not in leaves:
                    parents[id(child)] = node
                    pending.append((child, chain))

    def of(self, scope: ast.AST, group: Group) -> list[ast.AST]:
        """Return the nodes of a group inside a function, class or module, itself included."""
        return self._groups.get(id(scope), {}).get(group, [])


class Body:
    """What stands in one function itself, without the functions inside it.

    The code of a node is written out once, however many rules ask for it.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.file = scope.file
        self.nodes = list(own_nodes(scope.node))
        self._sources: dict[int, str] = {}

    @cached_property
    def name(self) -> str:
        """The last name of the function."""
        return self.scope.name.rpartition(".")[2]

    @cached_property
    def calls(self) -> list[ast.Call]:
        """The calls, in the order of their lines."""
        calls = [node for node in self.nodes if isinstance(node, ast.Call)]
        return sorted(calls, key=lambda call: call.lineno)

    @cached_property
    def assigns(self) -> list[ast.Assign]:
        """The assignments, in the order of their lines."""
        assigns = [node for node in self.nodes if isinstance(node, ast.Assign)]
        return sorted(assigns, key=lambda node: node.lineno)

    @cached_property
    def assigned(self) -> dict[str, list[ast.Assign]]:
        """The assignments to one name or attribute, by what it is called (``self.rate``)."""
        found: dict[str, list[ast.Assign]] = {}
        for node in self.assigns:
            for target in node.targets:
                name = dotted_name(target)
                if name is not None:
                    found.setdefault(name, []).append(node)
        return found

    def value(self, expr: ast.expr, line: int) -> tuple[ast.expr, int] | None:
        """Return the value that a name was given last before a line ends, and where.

        Another expression is its own value; a name that was given none has none.
        """
        if not isinstance(expr, ast.Name):
            return expr, line
        for node in reversed(self.assigned.get(expr.id, ())):
            if node.lineno <= line and not any(part is expr for part in ast.walk(node.value)):
                return node.value, node.lineno
        return None

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of the parameters."""
        return frozenset(parameter.arg for parameter in self.scope.parameters())

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that the function uses, its parameters among them."""
        names = {node.id for node in self.nodes if isinstance(node, ast.Name)}
        return self.parameters | names

    @cached_property
    def text(self) -> str:
        """The code of the whole function, as Python writes it."""
        return ast.unparse(self.scope.node)

    def source(self, node: ast.AST) -> str:
        """Return the code of a node, as Python writes it."""
        words = self._sources.get(id(node))
        if words is None:
            words = self._sources[id(node)] = ast.unparse(node)
        return words


OPTIMIZER = re.compile(
    r"(?:^|[._])(?:opt|optim|optimizer|optimiser|scaler|opt_\w+|optimizer_\w+|\w+_opt"
    r"|\w+_optimizer|\w+_optim|solver)s?(?:\[|$|\.)"
)


def clue(level: str, file: str, line: int, why: str, score: float = 1.0) -> Clue:
    """Return a clue of the training rules; ``level`` is strong, medium or weak."""
    return Clue(f"training.{level}", file, line, score, why)


def text(node: ast.AST) -> str:
    """Return the source of a node for a sentence."""
    return f"`{source(node)}`"


def names_in(node: ast.AST) -> set[str]:
    """Return the names and attribute names inside a node."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return names | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}


def string(expr: ast.expr | None) -> str | None:
    """Return the value of a string literal."""
    if isinstance(expr, ast.Constant) and isinstance(expr.value, str):
        return expr.value
    return None


def argument(call: ast.Call, position: int, *names: str) -> ast.expr | None:
    """Return a call's argument by its keyword or by its position."""
    for keyword in call.keywords:
        if keyword.arg in names:
            return keyword.value
    if 0 <= position < len(call.args):
        value = call.args[position]
        return None if isinstance(value, ast.Starred) else value
    return None


def receiver(call: ast.Call) -> str:
    """Return the name or attribute that a method is called on, empty where it is none."""
    name = dotted_name(call.func.value) if isinstance(call.func, ast.Attribute) else None
    return name or ""


def on_optimizer(call: ast.Call) -> bool:
    """Whether a method is called on what is named as an optimizer."""
    base = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    return OPTIMIZER.search(base.lower()) is not None and "sched" not in base.lower()


TrainingRule = Callable[[Training], Iterator[Clue]]


def clues_of(rule: TrainingRule, training: Training) -> Iterator[Clue]:
    """Yield a rule's clues; an expression nested too deep ends the rule, not what asks it."""
    try:
        yield from rule(training)
    except RecursionError:
        return

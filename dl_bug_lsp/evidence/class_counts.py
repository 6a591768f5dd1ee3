"""How many classes a program tells apart: what its configs, its calls, its last layer and data say.

A metric is compared with the level of guessing, which is one by the number of classes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from dl_bug_lsp.provenance.engine import Engine
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.signals.metrics import ClassCount
from dl_bug_lsp.workspace import Workspace

MOST_READ = 60
"""Python files of a program of which it is asked at most."""
LARGEST_COUNT = 100_000
LARGEST_TABLE_COUNT = 1_000
"""More different values than that in a column are no classes."""
_SETTING = re.compile(r"(?:^|[._])(?:(?:num|n)_?(?:classes|labels)|classes)$", re.IGNORECASE)
_LIST = re.compile(
    r"^(?:class(?:es|_?names|_?labels)|labels?(?:_?(?:names|list))?|categories|target_?names)$",
    re.IGNORECASE,
)
_ARGUMENT = re.compile(r"^(?:(?:num|n)_?(?:classes|labels)|classes)$", re.IGNORECASE)
_COLUMN = re.compile(r"^(?:labels?|targets?|class|category|y)$", re.IGNORECASE)
_LAYERS = frozenset(("Linear", "LazyLinear", "Dense"))
_CROSS_ENTROPY = re.compile(r"cross_?entropy(?:loss)?$", re.IGNORECASE)
Told = tuple[int, str]
"""A number of classes and the ``file:line`` that says so."""


def class_count(workspace: Workspace) -> ClassCount | None:
    """Return how many classes a program has by the surest source that names any.

    None where no source does, and where the surest one names several numbers.
    """
    engine = Engine(workspace)
    sources: tuple[Callable[[], Iterator[Told]], ...] = (
        lambda: _settings(workspace),
        lambda: _lists(workspace),
        lambda: _arguments(engine, workspace),
        lambda: _last_layers(engine, workspace),
        lambda: _columns(workspace),
    )
    for source in sources:
        places_by_count: dict[int, str] = {}
        for count, place in source():
            if 2 <= count <= LARGEST_COUNT:
                places_by_count.setdefault(count, place)
        if len(places_by_count) == 1:
            ((count, place),) = places_by_count.items()
            return ClassCount(count, place)
        if places_by_count:
            return None
    return None


def _settings(workspace: Workspace) -> Iterator[Told]:
    for entry in workspace.config_entries():
        if _SETTING.search(entry.key) and type(entry.value) is int:
            yield entry.value, f"{entry.file}:{entry.line}"


def _lists(workspace: Workspace) -> Iterator[Told]:
    for entry in workspace.config_entries():
        is_named = bool(entry.path) and isinstance(entry.path[-1], str)
        if is_named and entry.length and _LIST.match(entry.key):
            yield entry.length, f"{entry.file}:{entry.line}"


def _scopes(engine: Engine, workspace: Workspace) -> Iterator[Scope]:
    files = workspace.python_files()
    for file in files if len(files) <= MOST_READ else ():
        module = engine.program.module(file)
        yield from module.walk() if module is not None else ()


def _arguments(engine: Engine, workspace: Workspace) -> Iterator[Told]:
    """Yield what calls are given under a name that counts classes."""
    for scope in _scopes(engine, workspace):
        for call in scope.calls:
            for given in call.keywords:
                if given.arg is not None and _ARGUMENT.match(given.arg):
                    yield from _values(engine, scope, given.value)


def _values(engine: Engine, scope: Scope, expr: ast.expr) -> Iterator[Told]:
    for constant in engine.node(expr, engine.open_context(scope)).constants:
        if type(constant.value) is int:
            yield constant.value, f"{scope.file}:{expr.lineno}"


def _last_layers(engine: Engine, workspace: Workspace) -> Iterator[Told]:
    """Yield the outputs of the last layer of each function, where a cross entropy is the loss."""
    scopes = list(_scopes(engine, workspace))
    if not any(_names_cross_entropy(scope) for scope in scopes):
        return
    for scope in scopes:
        layers = [call for call in scope.calls if called_name(call) in _LAYERS]
        layers.sort(key=lambda call: (call.lineno, call.col_offset))
        units = _units(layers[-1]) if layers else None
        if units is not None:
            yield from _values(engine, scope, units)


def _names_cross_entropy(scope: Scope) -> bool:
    texts = (k.value for call in scope.calls for k in call.keywords if k.arg == "loss")
    named = [t.value for t in texts if isinstance(t, ast.Constant) and isinstance(t.value, str)]
    return any(_CROSS_ENTROPY.search(name) for name in (*named, *map(called_name, scope.calls)))


def _units(call: ast.Call) -> ast.expr | None:
    """Return how many outputs a layer has: the first argument in Keras, the second in PyTorch."""
    position = 0 if called_name(call) in ("Dense", "LazyLinear") else 1
    for given in call.keywords:
        if given.arg in ("units", "features", "out_features"):
            return given.value
    return call.args[position] if len(call.args) > position else None


def _columns(workspace: Workspace) -> Iterator[Told]:
    """Yield the different values of columns that are named like a label."""
    for file in workspace.files():
        table = workspace.table(file) if file.endswith((".csv", ".tsv")) else None
        for column in table.columns if table is not None else ():
            count = column.distinct
            if not _COLUMN.match(column.name) or count is None or count > LARGEST_TABLE_COUNT:
                continue
            if 2 * count <= column.filled:
                yield count, f"column `{column.name}` of {file}"

"""Where a setting comes from: code, command line, config files, what wins first.

One model for argparse and its kin, dataclass options, hydra, hyperpyyaml, Python configs (imported,
merged over ``_base_``, or run with ``exec``), gin. The word of a command line wins over a config
file, a config file over a default in code.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance import names
from dl_bug_lsp.provenance.blocks import NAMING, TAGS, Blocks, fields_of
from dl_bug_lsp.provenance.config_composition import Settings, composed, filled_in, is_reference
from dl_bug_lsp.provenance.folding import fold_binary
from dl_bug_lsp.provenance.launches import is_config_name, is_settings
from dl_bug_lsp.provenance.nodes import (
    MAX_WRITTEN_OUT,
    Class,
    Config,
    Const,
    Context,
    Edge,
    Instance,
    Module,
    Node,
    Value,
    union,
)
from dl_bug_lsp.provenance.scopes import Scope, dotted_name
from dl_bug_lsp.workspace.configs.extensions import CONFIG_EXTENSIONS
from dl_bug_lsp.workspace.contents import ConfigEntry
from dl_bug_lsp.workspace.elements import expression_of

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine

MAX_BASES = 8
MAX_TERMS = 20
MAX_FIELDS = 4
"""Dataclasses inside each other whose fields options are looked up for."""
WRAPPERS = ("wrap", "main", "dataclass_cli")
"""Last names of decorators that hand a parsed dataclass to the function below them."""


def entry_values(engine: Engine, node: Node, entry: ConfigEntry) -> list[Value]:
    """Return what an entry of a config stands for, its references followed."""
    if entry.length is not None:
        return [Config(node.table, entry.path, entry)]
    referred = _referred(engine, node, entry)
    if not referred:
        return [Const(entry.value)]
    if is_reference(entry.text):
        return union(referred)
    constants = [target.constant for target in referred]
    values = [constant.value for constant in constants if constant is not None]
    return [_folded(filled_in(entry.text, values))] if len(values) == len(constants) else []


def _referred(engine: Engine, node: Node, entry: ConfigEntry) -> list[Node]:
    entries = engine.settings(node.table).referred(entry)
    return [engine.config_node(target, node.context, node.table) for target in entries]


def _folded(text: str) -> Const:
    """Return a number where a text is arithmetic on numbers (``!ref <a> * 2``), else the text."""
    try:
        value = _number(expression_of(text), 0)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        value = None
    return value if value is not None else Const(text)


def _number(expr: ast.expr, depth: int) -> Const | None:
    if isinstance(expr, ast.Constant) and isinstance(expr.value, (int, float)):
        return Const(expr.value)
    if not isinstance(expr, ast.BinOp) or depth > MAX_TERMS:
        return None
    left, right = _number(expr.left, depth + 1), _number(expr.right, depth + 1)
    if left is None or right is None:
        return None
    value = fold_binary(expr.op, left.value, right.value)
    return value if isinstance(value, Const) else None


def entry_inputs(engine: Engine, node: Node, entry: ConfigEntry) -> list[Edge]:
    """Return what an entry refers to, or the settings of a small table or list."""
    if entry.length is None:
        return [("definition", target) for target in _referred(engine, node, entry)]
    if entry.length > MAX_WRITTEN_OUT:
        return []
    below = engine.settings(node.table).below(entry.path)
    return [("setting", engine.config_node(setting, node.context, node.table)) for setting in below]


class Configuration:
    """The settings of the failing run, and what stands for them in the code."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._composed: dict[tuple[str, str], str | None] = {}
        self._executes: dict[int, int | None] = {}
        self.composed_files: dict[str, None] = {}

    @cached_property
    def home(self) -> Scope:
        """The module of the run's script, from which dotted names are imported."""
        script = self.engine.run.script
        module = self.engine.program.module(script) if script is not None else None
        return module if module is not None else Scope(script or "", "", ast.Module([], []), None)

    @cached_property
    def context(self) -> Context:
        """A context for entries that no call led to."""
        return self.engine.open_context(self.home)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The config files of the run: composed, named by a command line or log, guessed."""
        self.tables  # noqa: B018 (composes)
        run = self.engine.run
        guessed = () if self.composed_files else run.guessed
        named = (*run.configs, *self._written(), *self._imported())
        files = dict.fromkeys((*self.composed_files, *named, *guessed))
        for file in list(files):
            files.update(dict.fromkeys(self._bases(file)))
        return tuple(files)

    def _imported(self) -> list[str]:
        """Return the modules that the script imports and that are made to hold settings."""
        files: dict[str, None] = {}
        home = self.home
        modules = [module for module, _ in home.imports.values()]
        modules.extend(f"{m}.{n}" for m, n in home.imports.values() if n is not None)
        for module in modules:
            file = self.engine.workspace.module_file(module, home.file) if home.file else None
            if file is None or file == home.file or not is_config_name(file):
                continue
            if is_settings(self.engine.workspace, file, home.file):
                files[file] = None
        return list(files)

    def _written(self) -> list[str]:
        """Return the config files whose paths the run's script writes out."""
        script = self.engine.run.script
        tree = self.engine.workspace.tree(script) if script is not None else None
        files: dict[str, None] = {}
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value if node.value.endswith((*CONFIG_EXTENSIONS, ".py")) else ""
                file = self.engine.workspace.file_named(text) if text else None
                if file is not None and is_settings(self.engine.workspace, file, script):
                    files[file] = None
        return list(files)

    def inherited(self, module: Scope, name: str) -> list[Node]:
        """Return what a name of a Python config is in the configs that it builds on."""
        if "_base_" not in module.bindings:
            return []
        for file in self._bases(module.file):
            base = self.engine.program.module(file) if file.endswith(".py") else None
            nodes = names.module_nodes(self.engine, base, name) if base is not None else []
            if nodes:
                return nodes
        return []

    def _bases(self, file: str) -> list[str]:
        """Return the files that a Python config builds on (``_base_``, imports of its folder)."""
        files = [file]
        for config in files:
            module = self.engine.program.module(config) if config.endswith(".py") else None
            for binding in module.bindings.get("_base_", [])[:1] if module is not None else ():
                parts = (
                    binding.value.elts
                    if isinstance(binding.value, (ast.List, ast.Tuple))
                    else [binding.value]
                )
                for part in parts:
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        path = posixpath.normpath(
                            posixpath.join(posixpath.dirname(config), part.value)
                        )
                        if path in self.engine.workspace.files() and path not in files:
                            files.append(path)
            if len(files) > MAX_BASES:
                break
        return files[1:]

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """The names of the settings that hydra composes for the run's script."""
        tables: list[str] = []
        for scope in self.home.functions.values():
            table = self._hydra_table(scope)
            if table is not None:
                tables.append(table)
        return tuple(tables)

    @cached_property
    def blocks(self) -> Blocks:
        """The blocks of the run's configs that name classes and functions."""
        return Blocks(self.engine, self._block_tables())

    def _block_tables(self) -> Iterator[Node]:
        """Yield the tables with a key that may name a class, in composed and other settings."""
        engine = self.engine
        for table in self.tables:
            yield from self._naming(table)
        for file in self.files:
            if file in self.composed_files:
                continue
            if file.endswith(".py"):
                yield from self._python_tables(file)
            else:
                yield from self._naming(file)
        for scope in self.home.walk():
            for call in scope.calls:
                for keyword in call.keywords:
                    if keyword.arg in NAMING[:3] and getattr(call.func, "id", "") == "dict":
                        yield engine.node(call, engine.open_context(scope))

    def _naming(self, table: str) -> Iterator[Node]:
        settings = self.engine.settings(table)
        for entry in settings.all():
            if entry.text.startswith(TAGS) and entry.length is not None:
                yield self.engine.config_node(entry, self.context, table)
            elif len(entry.path) > 1 and entry.key in NAMING and isinstance(entry.value, str):
                above = settings.at(entry.path[:-1])
                if above is not None:
                    yield self.engine.config_node(above, self.context, table)

    def _python_tables(self, file: str) -> Iterator[Node]:
        module = self.engine.program.module(file)
        tree = self.engine.workspace.tree(file)
        if module is None or tree is None:
            return
        context = self.engine.open_context(module)
        keys: list[str | None]
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "dict":
                keys = [k.arg for k in node.keywords]
            elif isinstance(node, ast.Dict):
                keys = [str(k.value) for k in node.keys if isinstance(k, ast.Constant)]
            else:
                continue
            if any(key in NAMING for key in keys):
                yield self.engine.node(node, context)

    # ---------------------------------------------------------------- composed configs
    def _hydra_table(self, scope: Scope) -> str | None:
        """Return the settings that ``@hydra.main`` composes for a function, None without it."""
        for decorator in getattr(scope.node, "decorator_list", ()):
            if not isinstance(decorator, ast.Call):
                continue
            name = dotted_name(decorator.func) or ""
            keywords = {k.arg: k.value for k in decorator.keywords}
            if name.rpartition(".")[2] == "main" and keywords.keys() & {
                "config_name",
                "config_path",
            }:
                return self._table(
                    scope.file, keywords.get("config_path"), keywords.get("config_name")
                )
        return None

    def _table(self, file: str, folder: ast.expr | None, name: ast.expr | None) -> str | None:
        context = self.context
        texts: list[str] = []
        for expr in (folder, name):
            constant = self.engine.node(expr, context).constant if expr is not None else None
            texts.append(str(constant.value) if constant is not None and constant.value else "")
        base = posixpath.normpath(posixpath.join(posixpath.dirname(file), texts[0]))
        key = ("" if base == "." else base, texts[1])
        if key not in self._composed:
            self._composed[key] = self._compose(*key) if texts[1] else None
        return self._composed[key]

    def _compose(self, folder: str, name: str) -> str | None:
        run = self.engine.run
        settings, files = composed(self.engine.workspace, folder, name, self._overrides())
        if not files:
            return None
        table = f"{folder}/{name} composed"
        self.engine._settings[table] = settings
        self.composed_files.update(dict.fromkeys(files))
        for word in run.overrides:
            self.composed_files.pop(word.file, None)
        return table

    def _overrides(self) -> list[ConfigEntry]:
        """Return the words of the command line, those of a launch script with their places."""
        run = self.engine.run
        placed = {(w.path, w.text): w for launch in run.launches for w in launch.words if w.line}
        return [placed.get((w.path, w.text), w) for w in run.overrides]

    def whole(self, table: str) -> Node:
        """Return a node that stands for all of composed settings."""
        settings = self.engine.settings(table)
        top = ConfigEntry(table, 0, 0, (), None, "", len(settings.below(())))
        return self.engine.config_node(top, self.context, table)

    # ---------------------------------------------------------------- what names stand for
    def word(self, entry: ConfigEntry) -> Node:
        """Return a node that stands for a word of a command line."""
        table = f"{entry.file}:{entry.line}:{'.'.join(map(str, entry.path))}"
        self.engine._settings.setdefault(table, Settings([entry]))
        return self.engine.config_node(entry, self.context, table)

    def options(self, name: str) -> list[Node]:
        """Return the words of the run's command lines that set an option."""
        return [self.word(entry) for entry in self.engine.run.options(name)]

    def replaced(self, scope: Scope, name: str, line: int) -> list[Node]:
        """Return what a run's command line or an executed config gives a module's global.

        Empty where the module executes nothing before ``line``, or binds the name again after.
        """
        at = self._executed_at(scope)
        if at is None or at >= line:
            return []
        later = [b for b in scope.bindings.get(name, []) if at < b.line < line and not b.mutates]
        if later:
            return []
        nodes = self.options(name)
        for file in () if nodes else self.files:
            module = self.engine.program.module(file) if file.endswith(".py") else None
            if module is not None and module is not scope:
                nodes.extend(names.module_nodes(self.engine, module, name))
        return nodes[:1]

    def _executed_at(self, scope: Scope) -> int | None:
        """Return the line of a module's first ``exec``, None where it has none."""
        key = id(scope)
        if key not in self._executes:
            lines = [c.lineno for c in scope.calls if getattr(c.func, "id", "") == "exec"]
            self._executes[key] = min(lines, default=None)
        return self._executes[key]

    def parameter(self, scope: Scope, name: str) -> list[Node]:
        """Return what config and command line give for a parameter that no known call binds."""
        return self.engine.ask(
            "configured", id(scope), name, work=lambda: self._parameter(scope, name)
        )

    def _parameter(self, scope: Scope, name: str) -> list[Node]:
        if isinstance(scope.node, (ast.Module, ast.ClassDef)):
            return []
        parameters = scope.parameters()
        if parameters and parameters[0].arg == name and scope.owner is None:
            whole = self._handed_over(scope, parameters[0])
            if whole is not None:
                return [whole]
        nodes = [arguments[name] for arguments in self.blocks.arguments(scope) if name in arguments]
        if nodes:
            return nodes
        bound = self.bound_by_gin(scope, name)
        if bound:
            return bound
        if scope.owner is None and scope.file == self.engine.run.script:
            return self.options(name)
        return []

    def _handed_over(self, scope: Scope, parameter: ast.arg) -> Node | None:
        """Return the config that a decorator hands to a function (``@hydra.main``, ``@wrap()``)."""
        table = self._hydra_table(scope)
        if table is not None:
            return self.whole(table)
        wrapped = any(
            (dotted_name(d.func if isinstance(d, ast.Call) else d) or "").rpartition(".")[2]
            in WRAPPERS
            for d in getattr(scope.node, "decorator_list", ())
        )
        if not wrapped or parameter.annotation is None:
            return None
        node = self.engine.node(
            parameter.annotation, self.engine.open_context(scope.parent or scope)
        )
        for value in node.values:
            if isinstance(value, Class):
                return self.parsed(value.scope)
        return None

    def unbound(self, scope: Scope, name: str) -> list[Node]:
        """Return what a decorator, gin or the command line gives where a call gives nothing."""
        parameters = scope.parameters()
        decorated = bool(getattr(scope.node, "decorator_list", ()))
        if decorated and scope.owner is None and parameters and parameters[0].arg == name:
            whole = self._handed_over(scope, parameters[0])
            if whole is not None:
                return [whole]
        bound = self.bound_by_gin(scope, name)
        if bound or not decorated or scope.owner is not None:
            return bound
        return self.options(name) if scope.file == self.engine.run.script else []

    def bound_by_gin(self, scope: Scope, name: str) -> list[Node]:
        """Return the bindings of gin files for a parameter: ``Net.width = 3``."""
        owner = scope.owner if scope.name.rpartition(".")[2] == "__init__" else None
        own = (owner or scope).name.rpartition(".")[2]
        nodes: list[Node] = []
        for file in self.files:
            if file.endswith(".gin"):
                settings = self.engine.settings(file)
                for entry in settings.below(()):
                    parts = entry.key.rpartition("/")[2].split(".")
                    if parts[-2:] == [own, name]:
                        macro = settings.at((entry.text[1:],)) if entry.text[:1] == "%" else None
                        nodes.append(self.engine.config_node(macro or entry, self.context))
        return nodes[-1:]

    # ---------------------------------------------------------------- options as dataclasses
    def parsed(self, cls: Scope, prefix: str = "", depth: int = 0) -> Node:
        """Return a node for an object of a dataclass whose fields are options of the run."""
        engine = self.engine
        probe = ast.Name(id=cls.name, ctx=ast.Load(), lineno=cls.line, col_offset=0)
        engine.keep.append(probe)
        context = engine.open_context(cls)
        node = Node(engine, context, probe)
        bound: dict[str, Node] = {}
        node.stand_for((Instance(cls, node, Context(cls, bound, None, 1)),), ())
        for field in fields_of(cls):
            setting = self.setting(f"{prefix}{field}") or self.setting(field)
            if setting is not None:
                bound[field] = setting
            elif depth < MAX_FIELDS:
                inner = self._field_class(cls, field)
                if inner is not None and inner is not cls:
                    bound[field] = self.parsed(inner, f"{prefix}{field}.", depth + 1)
        return node

    def _field_class(self, cls: Scope, field: str) -> Scope | None:
        for statement in getattr(cls.node, "body", ()):
            if (
                isinstance(statement, ast.AnnAssign)
                and getattr(statement.target, "id", "") == field
            ):
                context = self.engine.open_context(cls.parent or cls)
                for value in self.engine.node(statement.annotation, context).values:
                    decorators = value.scope.decorators() if isinstance(value, Class) else []
                    if isinstance(value, Class) and any("dataclass" in d for d in decorators):
                        return value.scope
        return None

    def setting(self, name: str) -> Node | None:
        """Return what the command line, else a config file of the run, gives for an option."""
        words = self.options(name)
        if words:
            return words[0]
        path = tuple(name.split("."))
        for file in self.files:
            if file.endswith(CONFIG_EXTENSIONS):
                entry = self.engine.settings(file).at(path)
                if entry is not None:
                    return self.engine.config_node(entry, self.context)
        return None

    def loaded(self, path: Node | None) -> list[Value]:
        """Return the config that a path names, a Python one as its module; else the run's own."""
        for constant in path.constants if path is not None else ():
            file = self.engine.workspace.file_named(str(constant.value))
            if file is not None:
                return self._config(file)
        return [value for file in self.files[:1] for value in self._config(file)]

    def _config(self, file: str) -> list[Value]:
        if not file.endswith(".py"):
            return [Config(file, (), None)]
        module = self.engine.program.module(file)
        return [Module(module)] if module is not None else []

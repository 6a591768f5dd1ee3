"""The program: the workspace's Python code, modelled file by file when asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.provenance.binder import collect
from dl_bug_lsp.provenance.scopes import Binding, ElementOf, Scope
from dl_bug_lsp.workspace import Workspace

CALL_SITE_FILES = 150
"""Above this many Python files, callers are looked for only in the files loaded so far."""
MAPPED = {"map", "imap", "imap_unordered", "starmap", "filter", "tree_map", "vectorize", "scan"}
"""Functions that call their first argument with the elements of the others."""
APPLIED = {"map", "apply", "applymap", "flat_map", "filter", "transform", "pipe"}
"""Methods that call their argument with the elements of the object."""
SUBMITTED = {"submit", "apply_async", "run_in_executor", "call_soon"}
"""Methods that call their first argument with the others."""
FAR_LINES = 6_000
"""Lines of a workspace that big which are read of what lies elsewhere than the failure's frames."""


class Program:
    """The workspace's Python code, modelled file by file when asked for."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._modules: dict[str, Scope | None] = {}
        self._left = FAR_LINES if len(workspace.python_files()) > CALL_SITE_FILES else None
        self._near: frozenset[str] = frozenset()
        self._callers: dict[str, list[tuple[Scope, ast.Call]]] | None = None
        self._through: dict[str, list[tuple[Scope, ast.Call, int]]] | None = None
        self._changes: dict[str, list[tuple[Scope, str, Binding]]] | None = None
        self._held: dict[str, dict[str, None]] | None = None
        self._subclasses: dict[str, list[Scope]] | None = None

    def module(self, file: str) -> Scope | None:
        """Return the model of a Python file, or None where it cannot be parsed."""
        if file not in self._modules:
            checkpoint()
            tree = self.workspace.tree(file) if self._may_read(file) else None
            self._modules[file] = _model(file, tree) if tree is not None else None
        return self._modules[file]

    def stay_near(self, files: Iterable[str]) -> None:
        """Name the files of a failure's frames: what lies beside and below these is always read."""
        self._near = frozenset(file.rpartition("/")[0] for file in files)

    def _may_read(self, file: str) -> bool:
        """Whether there is room for a file; of a big workspace not all that is imported is read."""
        if self._left is None or any(self._is_in(file, folder) for folder in self._near):
            return True
        lines = len(self.workspace.lines(file))
        if lines > self._left:
            return False
        self._left -= lines
        return True

    @staticmethod
    def _is_in(file: str, folder: str) -> bool:
        return file.startswith(f"{folder}/") if folder else "/" not in file

    def imported(self, scope: Scope, module: str) -> Scope | None:
        """Return the workspace module that ``scope``'s file means by a dotted name."""
        file = self.workspace.module_file(module, scope.file)
        return self.module(file) if file is not None else None

    def scope_at(self, file: str, line: int) -> Scope | None:
        """Return the innermost function, class or module around a 1-based line."""
        best = self.module(file)
        if best is None:
            return None
        for scope in best.walk():
            if scope.is_module or isinstance(scope.node, (ast.Module, ast.Lambda)):
                continue
            start = min([scope.node.lineno, *(d.lineno for d in scope.node.decorator_list)])
            if start <= line <= (scope.node.end_lineno or start) and scope.line >= best.line:
                best = scope
        return best

    def function_named(self, file: str, name: str, line: int) -> Scope | None:
        """Return the function of a file that a frame names, the one around ``line`` first."""
        at = self.scope_at(file, line)
        if name.rpartition(".")[2] in {"<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"}:
            return at
        if name.rpartition(".")[2] == "<lambda>":
            return self._lambda_at(file, line) or at
        if at is not None and at.name.rpartition(".")[2] == name.rpartition(".")[2]:
            return at
        module = self.module(file)
        if module is None:
            return None
        short = name.rpartition(".")[2]
        named = [s for s in module.walk() if s.name.rpartition(".")[2] == short and not s.is_module]
        return min(named, key=lambda s: abs(s.line - line), default=at)

    def _lambda_at(self, file: str, line: int) -> Scope | None:
        module = self.module(file)
        lambdas = [
            s
            for s in (module.walk() if module is not None else ())
            if isinstance(s.node, ast.Lambda)
            and s.node.lineno <= line <= (s.node.end_lineno or s.node.lineno)
        ]
        return lambdas[-1] if lambdas else None

    def all_modules(self) -> list[Scope]:
        """Return the models of all files small programs have; big workspaces give those loaded."""
        files = self.workspace.python_files()
        if len(files) > CALL_SITE_FILES:
            files = tuple(sorted(f for f, scope in self._modules.items() if scope is not None))
        return [scope for file in files if (scope := self.module(file)) is not None]

    def callers(self, name: str) -> list[tuple[Scope, ast.Call]]:
        """Return the calls whose callee's last name is ``name``, with the scope each stands in."""
        if self._callers is None:
            self._callers = {}
            for module in self.all_modules():
                for scope in module.walk():
                    for call in (*scope.calls, *scope.decorations):
                        short = _last_name(call.func)
                        if short is not None:
                            self._callers.setdefault(short, []).append((scope, call))
        return self._callers.get(name, [])

    def may_call(self, caller: Scope, call: ast.Call, scope: Scope) -> bool:
        """Whether a call of a function's name can mean that function, as far as imports tell."""
        root = call.func
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return True
        target = scope
        if scope.owner is not None and scope.name.endswith(".__init__"):
            target = scope.owner
        at: Scope | None = caller
        while at is not None:
            if root is call.func and root.id in (
                at.functions if not target.is_class else at.classes
            ):
                definition = (at.functions if not target.is_class else at.classes)[root.id]
                return definition is target or target in at.hidden
            if root.id in at.bindings or at.takes(root.id):
                return True
            if root.id in at.imports:
                return self._may_mean(at, *at.imports[root.id], scope)
            at = at.parent
        return True

    def _may_mean(self, at: Scope, module: str, name: str | None, scope: Scope) -> bool:
        target = self.imported(at, module)
        if target is None and name is not None:
            dotted = f"{module}.{name}" if module.strip(".") else module + name
            target = self.imported(at, dotted)
        if target is None:
            return False
        known = name is None or name not in {*target.functions, *target.classes}
        return known or target.file == scope.file

    def indirect_calls(self, cls: Scope) -> list[tuple[Scope, ast.Call]]:
        """Return the calls that make a class's objects under another name than its own.

        ``cls(…)`` in its class methods, ``TABLE[name](…)`` for tables that hold the class.
        """
        short = cls.name.rpartition(".")[2]
        calls = [(s, c) for s, c in self.callers("cls") if s.owner is cls]
        if self._held is None:
            self._held = {}
            for module in self.all_modules():
                for scope in module.walk():
                    for name, bindings in scope.bindings.items():
                        for value in (b.value for b in bindings):
                            for part in _parts(value):
                                self._held.setdefault(part, {})[name.rpartition(".")[2]] = None
        for table in self._held.get(short, ()):
            calls.extend(self.callers(f"{table}[]"))
        return calls

    def calls_through(self, name: str) -> list[tuple[Scope, ast.Call, int]]:
        """Return the calls that a function gets through another one, as calls of its own.

        With each the scope it stands in and the number of parameters that have got their arguments
        already: ``grad(f)(x)``, ``g = partial(f, 1); g(x)``, ``map(f, rows)``, ``submit(f, x)``.
        """
        if self._through is None:
            self._through = {}
            for module in self.all_modules():
                for scope in module.walk():
                    self._add_through(scope)
        return self._through.get(name, [])

    def _add_through(self, scope: Scope) -> None:
        assert self._through is not None
        wrapped_calls: dict[int, str] = {}
        for call in scope.calls:
            first = _last_name(call.args[0]) if call.args else None
            outer = _last_name(call.func)
            inner = call.func
            if first is None and outer in APPLIED and isinstance(call.func, ast.Attribute):
                continue
            through = self._through
            if isinstance(inner, ast.Call) and inner.args:
                wrapped = _last_name(inner.args[0])
                if wrapped is not None:
                    through.setdefault(wrapped, []).append((scope, call, len(inner.args) - 1))
            if first is None:
                continue
            assert call.args
            wrapped_calls[id(call)] = first
            if outer in MAPPED and len(call.args) > 1:
                items: list[ast.expr] = [ElementOf(arg) for arg in call.args[1:]]
            elif outer in APPLIED and isinstance(call.func, ast.Attribute) and len(call.args) == 1:
                items = [ElementOf(call.func.value)]
            elif outer in SUBMITTED or outer == "partial":
                items = call.args[1:]
            else:
                continue
            keywords = call.keywords if outer in SUBMITTED or outer == "partial" else []
            direct = ast.copy_location(ast.Call(call.args[0], items, keywords), call)
            through.setdefault(first, []).append((scope, direct, 0))
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                wrapped = wrapped_calls.get(id(binding.value))
                if wrapped is not None and isinstance(binding.value, ast.Call):
                    skip = len(binding.value.args) - 1
                    for caller, call in self.callers(name.rpartition(".")[2]):
                        self._through.setdefault(wrapped, []).append((caller, call, skip))

    def changes(self, module: Scope, name: str) -> list[Binding]:
        """Return what functions and other modules put into a module's (dotted) name."""
        if self._changes is None:
            self._changes = {}
            for all_module in self.all_modules():
                for scope in all_module.walk():
                    for dotted, bindings in scope.bindings.items():
                        last = dotted.rpartition(".")[2]
                        self._changes.setdefault(last, []).extend(
                            (scope, dotted, b) for b in bindings if b.scope is scope
                        )
        return [
            binding
            for scope, dotted, binding in self._changes.get(name.rpartition(".")[2], [])
            if (binding.mutates or "." in dotted)
            and not (scope is module and dotted == name)
            and self._means(scope, dotted, module, name)
        ]

    def _means(self, scope: Scope, dotted: str, module: Scope, name: str) -> bool:
        """Whether a (dotted) name in a scope is that of a module."""
        root, _, rest = dotted.partition(".")
        at: Scope | None = scope
        while at is not None:
            if at is module and dotted == name:
                return True
            held = at.bindings.get(root, ())
            if at.takes(root) or any(not b.mutates and b.scope is at for b in held):
                return False
            if root in at.imports:
                source, member = at.imports[root]
                if not rest and member is not None:
                    return member == name and self.imported(at, source) is module
                whole = source
                if member is not None:
                    whole = f"{source}.{member}" if source.strip(".") else source + member
                return rest == name and self.imported(at, whole) is module
            at = at.parent
        return False

    def attribute_changes(self, name: str) -> list[tuple[str, Binding]]:
        """Return what is put into an attribute from outside its class, with the object's name."""
        self.changes(Scope("", "", ast.Module([], []), None), name)
        return [
            (dotted.rpartition(".")[0], binding)
            for scope, dotted, binding in (self._changes or {}).get(name, [])
            if "." in dotted and not _is_own(scope, dotted)
        ]

    def subclasses(self, cls: Scope) -> list[Scope]:
        """Return the classes that name a class as a base, by its last name."""
        if self._subclasses is None:
            self._subclasses = {}
            for module in self.all_modules():
                for scope in module.walk():
                    for base in scope.node.bases if isinstance(scope.node, ast.ClassDef) else ():
                        short = _last_name(base)
                        if short is not None:
                            self._subclasses.setdefault(short, []).append(scope)
        return [s for s in self._subclasses.get(cls.name.rpartition(".")[2], []) if s is not cls]

    def calls_of_instances(self, cls: str) -> list[tuple[Scope, ast.Call]]:
        """Return the calls of objects that were made by ``cls(…)`` and bound to a name."""
        names: dict[str, None] = {}
        for scope, construction in self.callers(cls):
            for name, bindings in scope.bindings.items():
                if any(b.value is construction for b in bindings):
                    names[name.rpartition(".")[2]] = None
        return [call for name in names for call in self.callers(name)]


def _last_name(func: ast.expr) -> str | None:
    """Return the last name of what is called.

    ``name()`` where that is what a call of it gave, ``name[]`` where it was taken out of a table.
    """
    if isinstance(func, ast.Subscript):
        table = _last_name(func.value)
        return f"{table}[]" if table is not None and table[-1] not in ")]" else None
    if isinstance(func, ast.Call):
        if isinstance(func.func, ast.Attribute) and func.func.attr == "get":
            return _last_name(ast.Subscript(func.func.value, func.func))
        inner = _last_name(func.func)
        return f"{inner}()" if inner is not None and not inner.endswith("()") else None
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", None)


def _parts(value: ast.expr) -> list[str]:
    """Return the names that a table or list is written with as its values."""
    held = value.values if isinstance(value, ast.Dict) else getattr(value, "elts", [value])
    return [part.id for part in held if isinstance(part, ast.Name)]


def _is_own(scope: Scope, dotted: str) -> bool:
    """Whether a dotted name is an attribute of the method's own object."""
    parameters = scope.parameters()
    return (
        scope.owner is not None and bool(parameters) and dotted.startswith(f"{parameters[0].arg}.")
    )


def _model(file: str, tree: ast.Module) -> Scope | None:
    """Return the model of a module, kept on its tree: it is needed again as long as that lives."""
    held: Scope | None = getattr(tree, "model", None)
    if held is not None and held.file == file:
        return held
    try:
        scope = collect(file, tree)
    except RecursionError:
        return None
    tree.model = scope  # type: ignore[attr-defined]
    return scope

"""The program: the workspace's Python code, modelled file by file when asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.provenance.collecting import collect
from dl_bug_lsp.provenance.scopes import Scope
from dl_bug_lsp.workspace import Workspace

CALL_SITE_FILES = 150
"""Above this many Python files, callers are looked for only in the files loaded so far."""
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
        found = [
            s
            for s in (module.walk() if module is not None else ())
            if isinstance(s.node, ast.Lambda)
            and s.node.lineno <= line <= (s.node.end_lineno or s.node.lineno)
        ]
        return found[-1] if found else None

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
                    for call in scope.calls:
                        short = (
                            call.func.attr
                            if isinstance(call.func, ast.Attribute)
                            else getattr(call.func, "id", None)
                        )
                        if short is not None:
                            self._callers.setdefault(short, []).append((scope, call))
        return self._callers.get(name, [])

    def calls_of_instances(self, cls: str) -> list[tuple[Scope, ast.Call]]:
        """Return the calls of objects that were made by ``cls(…)`` and bound to a name."""
        names: dict[str, None] = {}
        for scope, made in self.callers(cls):
            for name, bindings in scope.bindings.items():
                if any(b.value is made for b in bindings):
                    names[name.rpartition(".")[2]] = None
        return [found for name in names for found in self.callers(name)]


def _model(file: str, tree: ast.Module) -> Scope | None:
    """Return the model of a module, kept on its tree: it is needed again as long as that lives."""
    held: Scope | None = getattr(tree, "model", None)
    if held is not None and held.file == file:
        return held
    try:
        made = collect(file, tree)
    except RecursionError:
        return None
    tree.model = made  # type: ignore[attr-defined]
    return made

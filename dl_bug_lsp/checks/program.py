"""What the checks look at: the runs, the files that they import, the environment."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property, partial

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.checks.entries import Entry, MissingFile
from dl_bug_lsp.checks.findings import Certainty, Check, Finding
from dl_bug_lsp.environments.interpreters import Environment
from dl_bug_lsp.interpretation.forecast import Forecast, Prediction
from dl_bug_lsp.provenance.engine import Engine
from dl_bug_lsp.workspace import Workspace

MOST_FILES = 1_000
MOST_HELD_LINES = 100_000
"""Lines of the files whose trees stay parsed for all checks: about 1 to 2 kB a line."""
IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


class CheckedProgram:
    """The runs to be checked, and everything that the checks ask about them, when first asked."""

    def __init__(
        self,
        workspace: Workspace,
        entries: tuple[Entry, ...],
        environment: Environment | None,
        launchers: tuple[str, ...] = (),
        gpu: int | None = None,
    ) -> None:
        self.gpu = gpu
        """The memory of the card in bytes, where it was given."""
        self.installs = False
        """Whether a script installs packages before the runs."""
        self.other_path = False
        """Whether the command's shell may find another interpreter on its ``PATH``."""
        self.not_there: tuple[MissingFile, ...] = ()
        """What the command starts and is not there."""
        self.is_folder_known = False
        """Whether it is known in which folder the command is typed."""
        self.forecasts: dict[Entry, tuple[Prediction | None, Forecast]] = {}
        self.missing: dict[Entry, list[Finding]] = {}
        """Files that the runs open and that are not there yet."""
        self.workspace = workspace
        self.entries = entries
        self.environment = environment
        self.launchers = launchers
        self.problems: list[str] = []
        self._imports: dict[str, tuple[ast.Import | ast.ImportFrom, ...]] = {}
        self._guarded: dict[str, frozenset[int]] = {}
        self._inside: dict[str, frozenset[int]] = {}
        self._reached: dict[str, tuple[str, ...]] = {}
        self.chosen: set[str] = set()
        """Files that a name which is known only at run time may import: perhaps, not surely."""
        self._engines: dict[int, Engine] = {}
        self._held: list[ast.Module] = []
        self._held_lines = 0

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The Python files that the runs import; without a run, all."""
        files: dict[str, None] = {}
        if not self.entries:
            files.update(dict.fromkeys(self.workspace.python_files()))
        for entry in self.entries:
            if len(files) <= MOST_FILES:
                files.update(dict.fromkeys(self.reached(entry.script)))
        if len(files) > MOST_FILES:
            self.problems.append(
                f"the programs import more than {MOST_FILES:,} files: the first of them are checked"
            )
        return tuple(files)[:MOST_FILES]

    @cached_property
    def source(self) -> str:
        """The source of all `files`."""
        return "\n".join(self.workspace.text(file) or "" for file in self.files)

    @cached_property
    def texts(self) -> frozenset[str]:
        """The texts that the code of `files` holds."""
        trees = (self.workspace.tree(file) for file in self.files)
        return frozenset(
            node.value
            for tree in trees
            for node in (ast.walk(tree) if tree is not None else ())
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )

    @cached_property
    def config_keys(self) -> frozenset[str]:
        """The parts of all paths to settings in the workspace."""
        entries = self.workspace.config_entries()
        return frozenset(str(part) for entry in entries for part in entry.path)

    def reached(self, script: str) -> tuple[str, ...]:
        """Return a script and the workspace files that it imports, wherever the imports stand."""
        if script not in self._reached:
            self._reached[script] = tuple(self._closure(script))
        return self._reached[script]

    def _closure(self, script: str) -> Iterator[str]:
        queue, seen = [script], {script}
        while queue and len(seen) <= MOST_FILES:
            checkpoint()
            file = queue.pop(0)
            yield file
            for target in self._targets(file):
                if target not in seen:
                    seen.add(target)
                    queue.append(target)
                    if file in self.chosen:
                        self.chosen.add(target)
            for target in self._chosen_by_name(file):
                if target not in seen:
                    seen.add(target)
                    queue.append(target)
                    self.chosen.add(target)

    def libraries(self, file: str) -> frozenset[str]:
        """Return the top names of the modules that a file imports, wherever the imports stand."""
        names: set[str] = set()
        for node in self.imports(file):
            if isinstance(node, ast.Import):
                names.update(alias.name.partition(".")[0] for alias in node.names)
            elif node.level == 0 and node.module:
                names.add(node.module.partition(".")[0])
        return frozenset(names)

    def _chosen_by_name(self, file: str) -> Iterator[str]:
        """Yield the modules of a package that imports some of them by their names."""
        folder = file.rpartition("/")[0]
        text = self.workspace.text(file) or ""
        if folder and "import_module(" in text:
            for other in self.workspace.python_files():
                if other.startswith(f"{folder}/"):
                    yield other

    def _targets(self, file: str) -> Iterator[str]:
        for node in self.imports(file):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            else:
                base = "." * node.level + (node.module or "")
                joined = base if base.endswith(".") or not base else f"{base}."
                modules = [base, *(f"{joined}{alias.name}" for alias in node.names)]
            for module in filter(None, modules):
                parts = module.split(".")
                for end in range(1, len(parts) + 1):
                    name = ".".join(parts[:end])
                    target = self.workspace.module_file(name, file) if name.strip(".") else None
                    if target is not None:
                        yield target
                if not module.strip("."):
                    target = self.workspace.module_file(module, file)
                    if target is not None:
                        yield target

    def imports(self, file: str) -> tuple[ast.Import | ast.ImportFrom, ...]:
        """Return the import statements of a file."""
        if file not in self._imports:
            tree = self.workspace.tree(file)
            nodes = ast.walk(tree) if tree is not None else ()
            if tree is not None and tree.body and self._held_lines < MOST_HELD_LINES:
                # The workspace parses what nobody holds again, and each check walks every tree.
                self._held.append(tree)
                self._held_lines += tree.body[-1].end_lineno or 0
            self._imports[file] = tuple(
                node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))
            )
        return self._imports[file]

    def guarded_lines(self, file: str) -> frozenset[int]:
        """Return the lines that a failing import, or a check of types only, may skip or catch."""
        if file not in self._guarded:
            make = partial(_guarded_lines, self.workspace, file)
            self._guarded[file] = self.workspace.derived_unindexed("check.guarded", file, make)
        return self._guarded[file]

    def function_lines(self, file: str) -> frozenset[int]:
        """Return the lines that run only when a function is called."""
        if file not in self._inside:
            make = partial(_function_lines, self.workspace, file)
            self._inside[file] = self.workspace.derived_unindexed("check.functions", file, make)
        return self._inside[file]

    @cached_property
    def modules(self) -> Engine:
        """The evaluation of values whatever the command is."""
        return Engine(self.workspace)

    def engine(self, entry: Entry) -> Engine:
        """Return the evaluation of a run's values, with its command line and configs."""
        at = self.entries.index(entry)
        if at not in self._engines:
            engine = Engine(self.workspace)
            engine.program.stay_near((entry.script,))
            engine.started([entry.shown], (entry.script,))
            self._engines[at] = engine
        return self._engines[at]

    @cached_property
    def changes_search_path(self) -> bool:
        """Whether a file says itself where modules are looked for."""
        return "sys.path" in self.source or "addsitedir" in self.source


def finding(
    check: Check,
    file: str,
    line: int,
    message: str,
    *evidence: str,
    certainty: Certainty | None = None,
    end_line: int | None = None,
    category: str | None = None,
) -> Finding:
    """Return a finding of a check, by default as sure as the check can be."""
    chosen = check.certainty if certainty is None else certainty
    return Finding(
        check.id, category or check.category, chosen, file, line, end_line or line, message,
        evidence,
    )  # fmt: skip


def _guarded_lines(workspace: Workspace, file: str) -> frozenset[int]:
    tree = workspace.tree(file)
    lines: set[int] = set()
    for node in _statements(tree):
        if isinstance(node, ast.Try) and any(_catches(h) for h in node.handlers):
            parts: list[ast.stmt | ast.ExceptHandler] = [*node.body, *node.orelse]
            for part in (*parts, *node.handlers):
                lines.update(range(part.lineno, (part.end_lineno or part.lineno) + 1))
        elif isinstance(node, ast.If) or _suppresses(node):
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    for node in tree.body if tree is not None else ():
        # The main part runs; its own branches were taken in above.
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            first, last = node.lineno, node.end_lineno or node.lineno
            branches = [
                part
                for child in node.body
                for part in ast.walk(child)
                if isinstance(part, (ast.If, ast.Try))
            ]
            inner = {
                number
                for branch in branches
                for number in range(branch.lineno, (branch.end_lineno or 0) + 1)
            }
            lines -= set(range(first, last + 1)) - inner
    return frozenset(lines)


def _function_lines(workspace: Workspace, file: str) -> frozenset[int]:
    tree = workspace.tree(file)
    lines: set[int] = set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines.update(range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1))
    return frozenset(lines)


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(handler.type)}
    return bool(names & IMPORT_ERRORS)


def _statements(tree: ast.Module | None) -> Iterator[ast.stmt]:
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.stmt):
            yield node


def _suppresses(node: ast.stmt) -> bool:
    return isinstance(node, ast.With) and "suppress" in ast.unparse(node.items[0])

"""Checks of what is written: files that do not parse, names and modules that are not there."""

from __future__ import annotations

import ast
import builtins
import re
import symtable
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise

from dl_bug_lsp.checks.findings import Certainty, Check, Finding
from dl_bug_lsp.checks.program import CheckedProgram, finding
from dl_bug_lsp.environments.interpreters import environment_of, normalised
from dl_bug_lsp.fixes.fix_context import is_slip, only_slip
from dl_bug_lsp.fixes.library_names import tables
from dl_bug_lsp.provenance.scopes import Scope
from dl_bug_lsp.workspace.configs.shell_files import split_commands

SYNTAX = Check(
    "syntax",
    "syntax_error",
    Certainty.SURE,
    "A file that the run reads cannot be parsed.",
    "Python files that the program imports, and the YAML, JSON, TOML and INI files and shell "
    "scripts that the command names or runs. Files with placeholders of a template are left out.",
    "model:\n  width: 8\n   depth: 3",
)
MISSING_LIBRARY = Check(
    "missing-library",
    "library_not_found",
    Certainty.SURE,
    "A module is imported that is neither in the workspace nor in the interpreter's environment.",
    "The environment is that of the interpreter that the command names, else the activated one. "
    "Imports that catch ImportError, that stand in a branch, or that a path put into sys.path may "
    "serve are left out; an import inside of a function is likely, not sure, and in a program of "
    "more than 25 files only worth a look.",
    "import torch_scatter",
)
MISSING_NAME = Check(
    "missing-import-name",
    "library_not_found",
    Certainty.SURE,
    "A name is imported from a module of the workspace that does not define it.",
    "Modules that define names while they run (star imports of libraries, __getattr__, globals()) "
    "are left out.",
    "from model import Netwrok",
)
UNDEFINED = Check(
    "undefined-name",
    "undefined_variable",
    Certainty.SURE,
    "A name is read that is bound nowhere.",
    "Scopes are those of Python's own symbol tables. Modules with star imports, exec or globals() "
    "are left out. Inside of a function, which may never be called, a finding is likely.",
    "print(rigth)",
)
CHECKS = (SYNTAX, MISSING_LIBRARY, MISSING_NAME, UNDEFINED)

MOST_SURE_FILES = 25
"""Files of a program up to which a name that a module lacks is surely missing."""
CONFIGS = (".yaml", ".yml", ".json", ".toml", ".ini", ".cfg")
"""Formats with one grammar (``.conf`` has many): what our reader refuses no program can read."""
DYNAMIC = ("__getattr__", "globals()", "vars()", "setattr(", "exec(", "sys.modules", "locals()")
KNOWN_NAMES = {*dir(builtins), "__file__", "__path__", "__builtins__", "__annotations__",
               "__qualname__", "__module__", "__class__", "WindowsError", "get_ipython",
               "reveal_type"}  # fmt: skip

OLD_NAMES = {"unicode", "xrange", "basestring", "long", "raw_input", "unichr", "reduce", "cmp",
             "file", "buffer", "execfile", "intern"}  # fmt: skip
"""Names of Python 2, which programs for both ask for below a test of the version."""


KNOWN_PARTS = frozenset(
    ("numpy", "yaml", "tqdm", "requests", "packaging", "PIL", "scipy", "joblib", "setuptools",
     "pkg_resources", "filelock", "jinja2", "six", "dateutil", "typing_extensions", "pytz",
     "huggingface_hub", "tokenizers", "safetensors", "torchmetrics", "omegaconf", "matplotlib")
)  # fmt: skip
"""Modules that other libraries of deep learning bring along."""


def find(program: CheckedProgram) -> Iterator[Finding]:
    """Yield what does not parse and what is not there."""
    yield from _syntax(program)
    for file in program.files:
        yield from _imports(program, file)
        if file.endswith(".py"):
            yield from _undefined(program, file)


def _syntax(program: CheckedProgram) -> Iterator[Finding]:
    workspace = program.workspace
    for file in program.files:
        if workspace.tree(file) is not None or workspace.text(file) is None:
            continue
        elements = workspace.elements(file)
        if elements.problem is not None and file.endswith(".py") and program.entries:
            line = elements.problem_line or 1
            yield finding(SYNTAX, file, line, f"This file cannot be parsed: {elements.problem}.")
    read = config_files(program)
    for file in read:
        text = workspace.text(file)
        if text is None or "{{" in text or "{%" in text:
            continue
        elements = workspace.elements(file)
        if elements.problem is not None:
            line = elements.problem_line or 1
            reason = f"The reader stops at line {line}: {elements.problem}."
            opened = _unclosed(workspace.lines(file), line) if "expected ','" in reason else None
            if opened is not None:
                message = "What is opened here is not closed, so the file cannot be parsed."
                yield finding(SYNTAX, file, opened, message, reason, read[file])
            else:
                message = f"This file cannot be parsed: {elements.problem}."
                yield finding(SYNTAX, file, line, message, read[file])
    for file in program.launchers:
        yield from _shell(program, file)


def _unclosed(lines: Sequence[str], last: int) -> int | None:
    """Return the line of the innermost bracket that is open before a 1-based line."""
    opened: list[int] = []
    for number, line in enumerate(lines[: last - 1], 1):
        for char in re.sub(r"'[^']*'|\"[^\"]*\"|(?:^|\s)#.*", "", line[:2000]):
            if char in "[{":
                opened.append(number)
            elif char in "]}" and opened:
                opened.pop()
    return opened[-1] if opened else None


def config_files(program: CheckedProgram) -> dict[str, str]:
    """Return the config files that the runs surely read, each with how that is known."""
    workspace = program.workspace
    files = frozenset(workspace.files())
    configs: dict[str, str] = {}
    for entry in program.entries:
        for word in entry.words:
            path = word.text.partition("=")[2] or word.text
            if path in files and path.endswith(CONFIGS):
                configs.setdefault(path, f"The command names it: {entry.shown[:120]}.")
    for file in program.files:
        tree = workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                path = node.value.removeprefix("./")
                if path.endswith(CONFIGS) and path in files:
                    configs.setdefault(path, f"{file}, line {node.lineno}, names it.")
    return configs


def _shell(program: CheckedProgram, file: str) -> Iterator[Finding]:
    elements = program.workspace.elements(file)
    if elements.problem is not None:
        line = elements.problem_line or 1
        # Shells allow more than our reader of them knows.
        message = f"This script is not run as it reads: {elements.problem}."
        yield finding(SYNTAX, file, line, message, certainty=Certainty.LIKELY)
    lines = program.workspace.lines(file)
    if any("<<" in line for line in lines):
        return
    commands, _, _ = split_commands(list(enumerate(lines, 1)))
    for before, after in pairwise(commands):
        first, last = after.words[0], before.words[-1]
        if not first.text.startswith("--") or first.line != last.line + 1:
            continue
        above = "\n".join(lines[: last.line])
        is_list = above.count("(") > above.count(")")
        if is_list or not any(word.text.endswith(".py") or word.text == "-m" for word in
                              before.words):  # fmt: skip
            continue
        message = "The line ends without a backslash, so the next one is a command of its own."
        next_line = f"The next line: {lines[first.line - 1].strip()[:80]}"
        yield finding(SYNTAX, file, last.line, message, next_line)


def _imports(program: CheckedProgram, file: str) -> Iterator[Finding]:
    environment = program.environment
    guarded = program.guarded_lines(file)
    inside = program.function_lines(file)
    for node in program.imports(file):
        if node.lineno in guarded:
            continue
        perhaps = node.lineno in inside or file in program.chosen
        level = Certainty.LIKELY if perhaps else Certainty.SURE
        if isinstance(node, ast.ImportFrom) and (node.level or node.module):
            yield from _names_of(program, file, node, level)
        if program.installs:
            yield from _unlisted(program, file, node)
        if environment is None or not environment.is_known:
            continue
        if isinstance(node, ast.ImportFrom):
            modules = [node.module] if node.module and not node.level else []
        else:
            modules = [alias.name for alias in node.names]
        for module in modules:
            top = module.partition(".")[0]
            if _is_own(program, top, file):
                continue
            if not environment.has_top(top):
                if node.lineno in inside and len(program.files) > MOST_SURE_FILES:
                    # Large programs import what only some of their users need where it is needed.
                    level = Certainty.LOOK
                yield _missing(program, file, node.lineno, module, level)
            elif "." in module:
                yield from _missing_part(program, file, node.lineno, module, level)


def _unlisted(
    program: CheckedProgram, file: str, node: ast.Import | ast.ImportFrom
) -> Iterator[Finding]:
    """Yield a module that no requirement installs, where a script installs them first."""
    declared = {normalised(str(entry.key)) for entry in program.workspace.dependencies()}
    here = environment_of(None, program.workspace.root)
    if not declared or (isinstance(node, ast.ImportFrom) and (node.level or not node.module)):
        return
    names = (
        [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
    )
    for top in {name.partition(".")[0] for name in names}:
        package = tables()["packages"].get(top, top)
        if top in sys.stdlib_module_names or _is_own(program, top, file):
            continue
        if {normalised(top), normalised(package)} & declared or top in KNOWN_PARTS:
            continue
        if here is not None and here.has_top(top):
            continue
        message = f"No requirement installs the module '{top}'."
        reason = "A script of the run installs the requirements first."
        yield finding(
            MISSING_LIBRARY, file, node.lineno, message, reason, certainty=Certainty.LIKELY
        )


def _is_own(program: CheckedProgram, top: str, file: str) -> bool:
    """Whether a top-level name may be a module of the workspace, also by a changed search path."""
    workspace = program.workspace
    if workspace.module_file(top, file) is not None:
        return True
    if top in workspace.of_names("modules and folders", _modules_and_folders):
        return True
    return any(
        workspace.existing_file(name, file) is not None
        for name in (f"{top}.py", f"{top}/__init__.py")
    )


def _modules_and_folders(files: tuple[str, ...]) -> frozenset[str]:
    """Return the names of all folders, and of all Python files without their ending."""
    folders = {file.rpartition("/")[0] for file in files}
    names = {part for folder in folders for part in folder.split("/")}
    stems = {file.rpartition("/")[2].removesuffix(".py") for file in files if file.endswith(".py")}
    return frozenset(names | stems)


def _names_by_folder(files: tuple[str, ...]) -> dict[str, set[str]]:
    """Return what each folder holds: files without their endings, and folders."""
    names_by_folder: dict[str, set[str]] = {}
    for file in files:
        folder, _, name = file.rpartition("/")
        names_by_folder.setdefault(folder, set()).add(name.partition(".")[0])
        while folder:
            folder, _, name = folder.rpartition("/")
            names = names_by_folder.setdefault(folder, set())
            if name in names:
                break
            names.add(name)
    return names_by_folder


def _missing(
    program: CheckedProgram, file: str, line: int, module: str, level: Certainty
) -> Finding:
    environment = program.environment
    assert environment is not None
    top = module.partition(".")[0]
    package = tables()["packages"].get(top, top)
    declared = {normalised(entry.key): entry for entry in program.workspace.dependencies()}
    evidence = [f"Neither the workspace nor the environment of {environment.interpreter} has it."]
    entry = declared.get(normalised(package)) or declared.get(normalised(top))
    if entry is not None:
        evidence.append(f"{entry.file}, line {entry.line}, requires it: it is not installed.")
    elif declared:
        evidence.append(f"No list of requirements names '{package}'.")
    if program.changes_search_path:
        evidence.append("The program changes its search path, which may make up for it.")
        level = Certainty.LIKELY if level is Certainty.SURE else level
    if program.other_path and not environment.interpreter.is_relative_to(program.workspace.root):
        evidence.append("The shell of the command may have activated another environment.")
        level = Certainty.LIKELY if level is Certainty.SURE else level
    return finding(
        MISSING_LIBRARY, file, line, f"There is no module '{top}' to import.", *evidence,
        certainty=level,
    )  # fmt: skip


def _missing_part(
    program: CheckedProgram, file: str, line: int, module: str, level: Certainty
) -> Iterator[Finding]:
    """Yield a finding where a package is installed, and a module below it is not."""
    environment = program.environment
    assert environment is not None
    parts = module.split(".")
    for end in range(2, len(parts) + 1):
        name = ".".join(parts[:end])
        if environment.has_submodule(name):
            continue
        new = next(
            (new for old, new in tables()["modules"].items() if f"{module}.".startswith(f"{old}.")),
            None,
        )
        if new is None:
            return
        evidence = f"The installed version has it as '{new}'."
        yield finding(
            MISSING_LIBRARY, file, line, f"There is no module '{module}' to import.", evidence,
            certainty=Certainty.LIKELY if level is Certainty.SURE else level,
        )  # fmt: skip
        return


def _is_of_library(program: CheckedProgram, home: str, module: str) -> bool:
    """Whether a module of a library has the name of a file that is not on the search path.

    A package may hold a module ``logging``: only in the folder of a program, or in the folder in
    which it is started, would it stand in front of the library's.
    """
    top = module.partition(".")[0]
    environment = program.environment
    if top not in sys.stdlib_module_names and not (environment and environment.has_top(top)):
        return False
    stem = home.removesuffix(".py").removesuffix("/__init__")
    folder = f"/{stem}".removesuffix("/" + module.replace(".", "/")).removeprefix("/")
    return folder not in {"", *(e.script.rpartition("/")[0] for e in program.entries)}


def _names_of(
    program: CheckedProgram, file: str, node: ast.ImportFrom, level: Certainty
) -> Iterator[Finding]:
    """Yield names that a module of the workspace is asked for and does not have."""
    workspace = program.workspace
    module = "." * node.level + (node.module or "")
    home = workspace.module_file(module, file)
    if home is None or home == file or not home.endswith(".py"):
        return
    if not node.level and _is_of_library(program, home, module):
        return
    names = defined_names(program, home)
    if names is None:
        return
    stem = home.rpartition("/")[0] if home.endswith("__init__.py") else None
    for alias in node.names:
        if alias.name == "*" or alias.name in names:
            continue
        if stem is not None and (
            workspace.module_file(
                f"{module}{'' if module.endswith('.') else '.'}{alias.name}", file
            )
            or alias.name in workspace.of_names("names by folder", _names_by_folder).get(stem, ())
        ):
            continue
        near = only_slip(alias.name, names)
        environment = program.environment
        top = module.partition(".")[0]
        evidence = [f"{home} defines '{near}'."] if near else [f"{home} does not define it."]
        if top and environment is not None and not node.level and environment.has_top(top):
            evidence.append(
                f"An installed package is named '{top}' too: {home} stands in front of it."
            )
        message = f"'{home}' has no name '{alias.name}'."
        # In a big program not all that defines names is read.
        sure = level is Certainty.SURE and len(program.files) <= MOST_SURE_FILES
        certainty = Certainty.LIKELY if level is Certainty.SURE and not sure else level
        yield finding(MISSING_NAME, file, alias.lineno, message, *evidence, certainty=certainty)


def defined_names(
    program: CheckedProgram, file: str, seen: frozenset[str] = frozenset()
) -> set[str] | None:
    """Return the names that a workspace module defines, None where that is not certain."""
    text = program.workspace.text(file) or ""
    module = program.modules.program.module(file)
    if module is None or file in seen or any(word in text for word in DYNAMIC):
        return None
    names = _bound(module)
    for star in module.stars:
        home = program.workspace.module_file(star, file)
        inner = defined_names(program, home, seen | {file}) if home is not None else None
        if inner is None:
            return None
        names |= inner
    return names


def _bound(module: Scope) -> set[str]:
    names = {*module.bindings, *module.functions, *module.classes, *module.imports}
    names |= module.submodules
    names |= {scope.name.rpartition(".")[2] for scope in module.hidden}
    for node in ast.walk(module.node):
        # What a statement binds in any other way: loops, with, except, global, del.
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.Global):
            names.update(node.names)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
    return names | {"__name__", "__doc__", "__file__", "__path__"}


def _undefined(program: CheckedProgram, file: str) -> Iterator[Finding]:
    text = program.workspace.text(file)
    tree = program.workspace.tree(file)
    if text is None or tree is None:
        return
    if any(word in text for word in ("exec(", "globals()", "import *", "locals()", "get_ipython")):
        return
    try:
        table = symtable.symtable(text, file, "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    bound = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    bound |= {child.get_name() for child in table.get_children()}
    unbound: set[str] = set()
    _read_globally(table, bound, unbound)
    unbound -= bound | KNOWN_NAMES
    if not unbound:
        return
    inside = program.function_lines(file)
    guarded = program.guarded_lines(file)
    seen: set[str] = set()
    annotations = _annotations(tree)
    own = _own_lines(table, tree, unbound)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        if node.id not in unbound or node.id in seen or id(node) in annotations:
            continue
        if node.lineno in own.get(node.id, ()):
            continue
        if catches_names(tree, node.lineno):
            continue
        if node.id in OLD_NAMES and node.lineno in guarded:
            continue
        seen.add(node.id)
        sure = node.lineno not in inside and node.lineno not in guarded
        near = sorted(
            {
                other.id
                for other in ast.walk(tree)
                if isinstance(other, ast.Name)
                and isinstance(other.ctx, ast.Store)
                and is_slip(other.id, node.id)
            }
        )
        evidence = [f"'{near[0]}' is bound in this file."] if len(near) == 1 else []
        level = Certainty.SURE if sure else Certainty.LIKELY
        message = f"The name '{node.id}' is bound nowhere."
        yield finding(UNDEFINED, file, node.lineno, message, *evidence, certainty=level)


def _read_globally(table: symtable.SymbolTable, bound: set[str], read_names: set[str]) -> None:
    for symbol in table.get_symbols():
        is_module = table.get_type() == "module"
        if symbol.is_global() and symbol.is_assigned() and not is_module:
            bound.add(symbol.get_name())
        if symbol.is_referenced() and (symbol.is_global() or is_module):
            read_names.add(symbol.get_name())
    for child in table.get_children():
        _read_globally(child, bound, read_names)


SCOPES: dict[type[ast.AST], str] = {
    ast.Lambda: "lambda",
    ast.ListComp: "listcomp",
    ast.SetComp: "setcomp",
    ast.DictComp: "dictcomp",
    ast.GeneratorExp: "genexpr",
}
"""How `symtable` names the scopes that have no name."""


def _own_lines(
    table: symtable.SymbolTable, tree: ast.Module, undefined: set[str]
) -> dict[str, set[int]]:
    """Return the lines of the functions that bind one of some names themselves."""
    bound: dict[tuple[str, int], set[str]] = {}
    tables = [table]
    while tables:
        inner = tables.pop()
        tables.extend(inner.get_children())
        if inner.get_type() == "function":
            names = {s.get_name() for s in inner.get_symbols() if s.is_local() or s.is_parameter()}
            bound.setdefault((inner.get_name(), inner.get_lineno()), set()).update(
                names & undefined
            )
    lines_by_file: dict[str, set[int]] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            title = node.name
        elif isinstance(node, ast.expr) and type(node) in SCOPES:
            title = SCOPES[type(node)]
        else:
            continue
        for name in bound.get((title, node.lineno), ()):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            lines_by_file.setdefault(name, set()).update(lines)
    return lines_by_file


def _annotations(tree: ast.Module) -> set[int]:
    """Return the nodes of annotations, which nothing may evaluate."""
    node_ids: set[int] = set()
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            part = getattr(node, name, None)
            if isinstance(part, ast.expr):
                node_ids.update(id(inner) for inner in ast.walk(part))
    return node_ids


def catches_names(tree: ast.Module, line: int) -> bool:
    """Whether a line stands in a ``try`` that goes on after a name without a value."""
    return any(
        isinstance(node, ast.Try)
        and node.lineno <= line <= (node.body[-1].end_lineno or line)
        and any(h.type is None or "NameError" in ast.unparse(h.type) for h in node.handlers)
        for node in ast.walk(tree)
    )

"""Rules for names and keys that do not exist, and for parameters that are never used.

Names that are set only under a condition or under another name; keys of registries whose module
nothing imports; state dicts whose keys differ only by a prefix.
"""

from __future__ import annotations

import ast
import weakref
from collections import Counter
from collections.abc import Collection, Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, near_files, near_scopes, source
from dl_bug_lsp.evidence.words import HELD_FILES, ROLES
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance import objects
from dl_bug_lsp.provenance.nodes import (
    Config,
    LibraryObject,
)
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.workspace import Workspace

READ_ROLES = frozenset(r for r in ROLES if not r.startswith(("config", "definition")))
CONDITIONS = (ast.If, ast.For, ast.While, ast.Try, ast.With)


def find_missing(case: Case) -> Iterator[Clue]:
    """Yield the conditions under which a missing name is set, and settings that no code reads."""
    if case.category.id in {"attribute_not_found", "undefined_variable", "framework_api_misuse"}:
        for kind in (FactKind.ATTRIBUTE, FactKind.NAME):
            for name in sorted({str(f.value) for f in case.facts.of(kind)}):
                yield from _conditional(case, name, is_attribute=kind is FactKind.ATTRIBUTE)
    if case.category.id == "null_reference":
        for name, is_attribute in sorted(_accessed(case)):
            yield from _conditional(case, name, is_attribute=is_attribute)
    if case.category.id in {"key_not_found", "attribute_not_found"}:
        yield from _unused_settings(case)


def _unused_settings(case: Case) -> Iterator[Clue]:
    """Find settings of the table that lacks the key, which no code reads: perhaps misspelt."""
    tables = {
        (value.file, value.path)
        for step in case.raise_slice[:40]
        for value in step.node.values
        if isinstance(value, Config)
    }
    if not tables:
        return
    read = case.words.texts(READ_ROLES)
    handed_over = spread_tables(case)
    for file, path in sorted(tables, key=str):
        if path and isinstance(path[-1], int):
            continue  # A record of data: its fields are as in the other records.
        if (file, path) in handed_over:
            continue  # Whoever it is handed to reads its settings.
        settings = [e for e in case.workspace.config_entries(file) if e.path[:-1] == path]
        if OF_SAVED_MODELS & {entry.key for entry in settings}:
            continue  # A library wrote it and reads it.
        unread = [entry for entry in settings if entry.key and entry.key not in read]
        for entry in unread:
            why = f"no code reads the setting `{entry.key}` by its name"
            yield Clue("rules.unused_setting", file, entry.line, len(unread) ** -0.5, why)


OF_SAVED_MODELS = {"transformers_version", "_diffusers_version", "tokenizer_class", "keras_version"}
"""Settings of the files that Hugging Face's libraries and Keras save beside a model's weights."""


def spread_tables(case: Case) -> set[tuple[str, tuple[str | int, ...]]]:
    """Return the tables of configs that calls get by ``**``."""
    found: set[tuple[str, tuple[str | int, ...]]] = set()
    for file in case.code_files:
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            for given in (k.value for call in scope.calls for k in call.keywords if k.arg is None):
                values = case.engine.node(given, case.engine.open_context(scope)).values
                found.update((v.file, v.path) for v in values if isinstance(v, Config))
    return found


def _accessed(case: Case) -> set[tuple[str, bool]]:
    """Return what the raising expression looks into or calls: names, and whether of attributes."""
    accesses: set[tuple[str, bool]] = set()
    for start in case.starts:
        for node in ast.walk(start.expr):
            base: ast.AST | None = None
            if isinstance(node, (ast.Attribute, ast.Subscript)):
                base = node.value
            elif isinstance(node, ast.Call):
                base = node.func
            if isinstance(base, ast.Attribute):
                accesses.add((base.attr, True))
            elif isinstance(base, ast.Name) and base.id not in ("self", "cls"):
                accesses.add((base.id, False))
    return accesses


def _conditional(case: Case, name: str, *, is_attribute: bool) -> Iterator[Clue]:
    files = near_files(case)
    if not is_attribute and case.places:
        # A name is one of the file that reads it.
        files = [case.places[-1].file]
    owners = _owners(case)
    for file in files:
        if name not in _set_conditionally(case.workspace, file):
            continue
        tree = case.workspace.tree(file)
        for statement, stored in _conditions(tree) if tree is not None else ():
            if (
                name in stored
                and not _was_entered(case, file, statement)
                and not _of_another_class(case, file, statement, owners)
            ):
                if not _in_body(statement, name):
                    # It is set where this condition does not hold.
                    continue
                head = source(getattr(statement, "test", statement)).split("\n")[0]
                why = f"`{name}` is set only under `{head}`"
                strong = isinstance(statement, ast.If)
                kind = "rules.conditional" if strong else "rules.conditional_block"
                yield Clue(kind, file, statement.lineno, 1.0, why)


def _in_body(statement: ast.stmt, name: str) -> bool:
    """Whether the body of a statement, not its other branch alone, assigns a name."""
    if not isinstance(statement, ast.If) or not statement.orelse:
        return True
    return any(
        isinstance(getattr(node, "ctx", None), ast.Store)
        and name in (getattr(node, "id", None), getattr(node, "attr", None))
        for inner in statement.body
        for node in ast.walk(inner)
    )


def _was_entered(case: Case, file: str, statement: ast.stmt) -> bool:
    """Whether the failing line lies in the body of a statement: then its condition did hold."""
    body: list[ast.stmt] = getattr(statement, "body", [])
    last = body[-1].end_lineno or body[-1].lineno if body else 0
    return any(p.file == file and body[0].lineno <= p.line <= last for p in case.places if body)


def _of_another_class(case: Case, file: str, statement: ast.stmt, classes: Collection[str]) -> bool:
    """Whether a statement stands in a class that is none of ``classes``, where there are any.

    What such a class sets is an attribute of its own objects.
    """
    module = case.engine.program.module(file) if classes else None
    around = {
        scope.name
        for scope in (module.walk() if module is not None else ())
        if scope.is_class
        and scope.line <= statement.lineno <= (getattr(scope.node, "end_lineno", 0) or 0)
    }
    return bool(around) and not around & set(classes)


def _owners(case: Case) -> set[str]:
    """Return the names of the message's classes and of their bases in the workspace."""
    named = {str(f.value).rpartition(".")[2] for f in case.facts.of(FactKind.CLASS, Role.OWNER)}
    for file in near_files(case) if named else ():
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            if scope.is_class and scope.name in named:
                return {base.name for base in objects.lineage(case.engine, scope)}
    return set()


def _set_conditionally(workspace: Workspace, file: str) -> frozenset[str]:
    """Return the names that a file sets somewhere below a compound statement."""

    def make() -> frozenset[str]:
        tree = workspace.tree(file)
        return frozenset().union(*(s for _, s in _conditions(tree))) if tree else frozenset()

    return workspace.derived("rules.conditional", file, make, HELD_FILES)


_held: weakref.WeakKeyDictionary[ast.Module, list[tuple[ast.stmt, frozenset[str]]]] = (
    weakref.WeakKeyDictionary()
)
"""What `_conditions` said of the trees that are in use."""


def _conditions(tree: ast.Module) -> list[tuple[ast.stmt, frozenset[str]]]:
    """Return the compound statements of a module with the names that their bodies assign."""
    conditions = _held.get(tree)
    if conditions is None:
        compound = (node for node in ast.walk(tree) if isinstance(node, CONDITIONS))
        _held[tree] = conditions = [(node, _stored(node)) for node in compound]
    return conditions


def _stored(statement: ast.stmt) -> frozenset[str]:
    """Return the names and attributes assigned below a statement, but for functions of its own."""
    names: set[str] = set()
    for inner in ast.iter_child_nodes(statement):
        if isinstance(inner, ast.stmt) and not isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
            for node in ast.walk(inner):
                if isinstance(getattr(node, "ctx", None), ast.Store):
                    names.update(filter(None, (getattr(node, part, None) for part in _NAMES)))
    return frozenset(names)


_NAMES = ("id", "attr")

CATEGORIES = {"key_not_found", "illegal_argument", "attribute_not_found"}
MOST_REGISTERING_FILES = 400
DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def find_registries(case: Case) -> Iterator[Clue]:
    """Yield the definition that would register the key, and the imports that leave it out."""
    keys = {
        str(f.value)
        for kind in (FactKind.KEY, FactKind.LITERAL)
        for f in case.facts.of(kind)
        if isinstance(f.value, str) and f.value
    }
    if case.category.id not in CATEGORIES or not keys:
        return
    files = case.workspace.python_files()[:MOST_REGISTERING_FILES]
    registering = [
        (file, registration) for file in files for registration in _registered(case, file, keys)
    ]
    ran = {place.file for place in case.places}
    for file, (line, key) in registering:
        importers = [(importer, at) for importer in files for at in _imports(case, importer, file)]
        if file in ran or importers:
            continue
        why = f"`{key}` is registered here, in a module that nothing imports"
        yield Clue("rules.medium", file, line, 1.0, why)
        for importer, at in _imports_of_siblings(case, files, file):
            why = f"modules that register are imported here, but not {file}"
            yield Clue("rules.strong", importer, at, 1.0, why)


def _registered(case: Case, file: str, keys: set[str]) -> Iterator[tuple[int, str]]:
    """Yield the definitions of a file that a decorator registers under one of the keys."""
    text = case.workspace.text(file) or ""
    if "@" not in text or not any(key in text for key in keys):
        return
    tree = case.workspace.tree(file)
    for node in ast.walk(tree) if tree is not None else ():
        for call in node.decorator_list if isinstance(node, DEFINITIONS) else ():
            if not isinstance(call, ast.Call):
                continue
            for value in (*call.args, *(k.value for k in call.keywords)):
                if isinstance(value, ast.Constant) and value.value in keys:
                    yield call.lineno, str(value.value)


def _imports(case: Case, importer: str, file: str) -> Iterator[int]:
    """Yield the lines of a file that import another one."""
    stem = file.rpartition("/")[2].removesuffix(".py")
    if importer == file or stem not in (case.workspace.text(importer) or ""):
        return
    tree = case.workspace.tree(importer)
    for node in ast.walk(tree) if tree is not None else ():
        if any(case.workspace.module_file(m, importer) == file for m in _modules(node)):
            yield getattr(node, "lineno", 1)
        elif isinstance(node, ast.Call) and "import_module" in source(node.func):
            yield node.lineno


def _modules(node: ast.AST) -> Iterator[str]:
    """Yield the modules that an import may name, with leading dots."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = "." * node.level + (node.module or "")
        yield base
        joint = "" if base.endswith(".") or not base else "."
        yield from (f"{base}{joint}{alias.name}" for alias in node.names)


def _imports_of_siblings(
    case: Case, files: tuple[str, ...], file: str
) -> Iterator[tuple[str, int]]:
    """Yield the last line of each file that imports modules beside one."""
    folder = file.rpartition("/")[0]
    beside = [name for name in files if name.rpartition("/")[0] == folder and name != file]
    siblings = [name for name in beside if not name.endswith("__init__.py")]
    for importer in files:
        lines = [
            at
            for sibling in siblings
            if _registers_something(case, sibling)
            for at in _imports(case, importer, sibling)
        ]
        if lines and importer != file:
            yield importer, max(lines)


def _registers_something(case: Case, file: str) -> bool:
    tree = case.workspace.tree(file)
    return any(
        isinstance(node, DEFINITIONS) and any(isinstance(d, ast.Call) for d in node.decorator_list)
        for node in (tree.body if tree is not None else ())
    )


WRAPPERS = {
    "module.": {"DataParallel", "DistributedDataParallel", "AveragedModel"},
    "_orig_mod.": {"compile"},
}
MOST_LOADING_FILES = 40


def find_prefixes(case: Case) -> Iterator[Clue]:
    """Yield the lines that make the prefix by which the keys of two state dicts differ."""
    given = {str(f.value) for f in case.facts.of(FactKind.PARAMETER, Role.ACTUAL)}
    wanted = {str(f.value) for f in case.facts.of(FactKind.PARAMETER, Role.EXPECTED)}
    prefix = common_prefix(given, wanted) or common_prefix(wanted, given)
    if not prefix:
        return
    for file in near_files(case)[:MOST_LOADING_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            kind, why = _makes(node, prefix)
            if kind:
                yield Clue(kind, file, getattr(node, "lineno", 1), 1.0, why)
        yield from _saved(case, file, prefix)


def _saved(case: Case, file: str, prefix: str) -> Iterator[Clue]:
    """Find where the state of a wrapper is taken, instead of that of the model inside it."""
    module = case.engine.program.module(file) if WRAPPERS.get(prefix) else None
    for scope in module.walk() if module is not None else ():
        for call in scope.calls:
            func = call.func
            if not isinstance(func, ast.Attribute) or func.attr != "state_dict":
                continue
            owner = case.engine.node(func.value, case.engine.open_context(scope))
            names = {v.name for v in owner.values if isinstance(v, LibraryObject)}
            made = sorted(n for n in names if n.rpartition(".")[2] in WRAPPERS[prefix])
            if made:
                wrapper = made[0].rpartition(".")[2]
                why = (
                    f"`{ast.unparse(func.value)}` is a {wrapper}, whose keys begin with `{prefix}`"
                )
                yield Clue("rules.strong", file, call.lineno, 1.0, why)


def common_prefix(longer: set[str], shorter: set[str]) -> str:
    """Return what most longer keys have before a shorter one, with its dot; empty for nothing."""
    prefixes = Counter(
        long[: -len(short)] for long in longer for short in shorter if long.endswith("." + short)
    )
    best = max(sorted(prefixes), key=prefixes.__getitem__, default="")
    return best if 2 * prefixes[best] >= min(len(longer), len(shorter)) else ""


def _makes(node: ast.AST, prefix: str) -> tuple[str, str]:
    if isinstance(node, ast.Constant) and node.value in (prefix, "." + prefix):
        return "rules.strong", f"`{prefix}` is the prefix by which the keys differ"
    if isinstance(node, ast.Call) and called_name(node) in WRAPPERS.get(prefix, ()):
        return "rules.medium", f"this wrapper puts `{prefix}` before every key"
    first = prefix.partition(".")[0]
    if isinstance(node, ast.Assign) and any(
        isinstance(t, ast.Attribute) and t.attr == first for t in node.targets
    ):
        return (
            "rules.medium",
            f"the keys of `{first}` begin with `{prefix}` where its owner is saved",
        )
    return "", ""


IGNORED = {
    *("self", "cls", "_", "args", "kwargs", "batch_idx", "stage", "index", "key", "name"),
    *("trainer", "pl_module", "logs", "outputs", "info", "state", "control", "event"),
}
"""Parameters that a protocol or a framework's hook asks for, used or not."""
HOOKS = {"forward", "training_step", "validation_step", "test_step", "call", "__exit__", "setup"}


def find_similar_names(case: Case) -> Iterator[Clue]:
    """Yield the parameters that the functions near the failure never use."""
    scopes = near_scopes(case)
    touched: dict[tuple[str, int], None] = {}
    for step in case.raise_slice:
        touched.setdefault((step.node.file, step.node.line))
    for scope in scopes:
        for name in unused_parameters(scope):
            why = f"`{scope.name}` never uses its parameter `{name}`"
            inside = [line for file, line in touched if file == scope.file and _inside(scope, line)]
            for order, line in enumerate(inside):
                score = 1 / (1 + order / 2)
                yield Clue("rules.unused_parameter", scope.file, line, score, why)


def _inside(scope: Scope, line: int) -> bool:
    node = scope.node
    if isinstance(node, ast.Module):
        return False
    return node.lineno < line <= (node.end_lineno or node.lineno)


def unused_parameters(scope: Scope) -> list[str]:
    """Return the parameters that a function's body never reads."""
    node = scope.node
    short = scope.name.rpartition(".")[2]
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or short in HOOKS:
        return []
    if short.startswith("on_") or _is_protocol_method(scope):
        return []
    body_names = {
        n.id for statement in node.body for n in ast.walk(statement) if isinstance(n, ast.Name)
    }
    trivial = len(node.body) == 1 and isinstance(node.body[0], (ast.Pass, ast.Raise, ast.Expr))
    saved = any(called_name(call) == "save_hyperparameters" for call in calls_in(node))
    if (
        saved
        or trivial
        or "locals" in body_names
        or ("super" in body_names and len(node.body) == 1)
    ):
        return []
    names = [p.arg for p in scope.parameters() if p.arg not in IGNORED and p.arg[0] != "_"]
    return [name for name in names if name not in body_names]


def _is_protocol_method(scope: Scope) -> bool:
    """Whether a method is a special one of a class with bases: a protocol says what it takes.

    A constructor's own parameters are the class's business.
    """
    owner = scope.parent
    if owner is None or not isinstance(owner.node, ast.ClassDef):
        return False
    short = scope.name.rpartition(".")[2]
    return short.startswith("__") and short != "__init__" and bool(owner.node.bases)

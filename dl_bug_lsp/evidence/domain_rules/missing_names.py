"""Rules for names, keys and settings that do not exist, or that nothing reads.

Names that are set only under a condition or under another name; keys of registries whose module
nothing imports; state dicts whose keys differ only by a prefix; lists of layers' names, by which
is converted, left out, adapted or frozen.

A table of defaults that is merged with a user's file, ``.get`` with a default and dataclasses that
ignore what they do not know take a setting of another name in silence: the program runs with its
default, and fails elsewhere. The setting that nothing reads is the place.
"""

from __future__ import annotations

import ast
import copy
import math
import re
import weakref
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeGuard

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import (
    near_files,
    own_nodes,
    refused_operands,
    source,
    written_number,
)
from dl_bug_lsp.evidence.followed_run import follow, how_known
from dl_bug_lsp.evidence.word_index import HELD_FILES, ROLES, nearness, parts_of
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance import objects
from dl_bug_lsp.provenance.nodes import (
    Config,
    LibraryObject,
)
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.stack import header_expressions
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.configs.extensions import CONFIG_EXTENSIONS
from dl_bug_lsp.workspace.contents import ConfigEntry

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
        yield from _other_guard(case)
    if case.category.id in {"key_not_found", "attribute_not_found"}:
        yield from _unused_settings(case)
    yield from _commented_out(case)


def _commented_out(case: Case) -> Iterator[Clue]:
    """Find a commented-out line of the failing file that would have set what is missing."""
    kinds = (FactKind.NAME, FactKind.ATTRIBUTE, FactKind.KEY)
    missing = {str(fact.value) for kind in kinds for fact in case.facts.of(kind)}
    if not case.places or case.class_name not in MISSING or not missing:
        return
    place = case.places[-1]
    setting = [
        (line, text, min(names))
        for line, text in _comments(case.workspace, place.file)
        if (names := _set_by(text) & missing)
    ]
    above = [comment for comment in setting if comment[0] < place.line]
    for line, text, name in above[-1:] or setting[:1]:
        why = f"`{text[:MOST_OF_COMMENT]}`, which sets `{name}`, is commented out"
        yield Clue("rules.commented_out", place.file, line, 1.0, why)


MISSING = {"NameError", "UnboundLocalError", "AttributeError", "KeyError"}
MOST_OF_COMMENT = 60
"""Characters of a commented-out line that are shown."""


def _comments(workspace: Workspace, file: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that are comments alone, without their mark."""
    cells = workspace.cells(file)
    numbered: Iterable[tuple[int, str]] = enumerate(workspace.lines(file), 1)
    if cells:
        numbered = ((n, t) for c in cells for n, t in zip(c.raw, c.lines, strict=True))
    for line, text in numbered:
        mark = text.lstrip()
        if mark.startswith("#"):
            yield line, mark.lstrip("#").strip()


def _set_by(text: str) -> set[str]:
    """Return the names, attributes and keys that a line of code sets, none of what is no code."""
    if "=" not in text and not text.startswith(("import ", "from ")):
        return set()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
        elif not isinstance(getattr(node, "ctx", None), ast.Store):
            continue
        elif isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            names.add(str(node.slice.value))
    return names


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
    handed_over, spread_keys = spread_tables(case), _spread_keys(case)
    for file, path in sorted(tables, key=str):
        if path and isinstance(path[-1], int):
            continue  # A record of data: its fields are as in the other records.
        if (file, path) in handed_over or (path and str(path[-1]) in spread_keys):
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
    for scope, given in _spread(case):
        values = case.engine.node(given, case.engine.open_context(scope)).values
        found.update((v.file, v.path) for v in values if isinstance(v, Config))
    return found


def _spread_keys(case: Case) -> set[str]:
    """Return the keys and attributes whose tables calls get by ``**``, wherever they come from."""
    found: set[str] = set()
    for _, given in _spread(case):
        if isinstance(given, ast.Attribute):
            found.add(given.attr)
        elif isinstance(given, ast.Subscript) and isinstance(given.slice, ast.Constant):
            found.add(str(given.slice.value))
    return found


def _spread(case: Case) -> Iterator[tuple[Scope, ast.expr]]:
    """Yield what calls of the code get by ``**``, with the scope that it is written in."""
    for file in case.code_files:
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            for call in scope.calls:
                yield from ((scope, k.value) for k in call.keywords if k.arg is None)


def _accessed(case: Case) -> set[tuple[str, bool]]:
    """Return what the raising expression looks into or calls: names, and whether of attributes."""
    accesses: set[tuple[str, bool]] = set()
    operands = refused_operands(case)
    if operands:
        return {access for node in operands if (access := _access(node.expr)) is not None}
    for start in case.starts:
        for node in ast.walk(start.expr):
            base: ast.AST | None = None
            if isinstance(node, (ast.Attribute, ast.Subscript)):
                base = node.value
            elif isinstance(node, ast.Call):
                base = node.func
            access = _access(base)
            if access is not None:
                accesses.add(access)
    return accesses


def _access(base: ast.AST | None) -> tuple[str, bool] | None:
    """Return the name of what is looked into or called, and whether it is an attribute."""
    if isinstance(base, ast.Attribute):
        return base.attr, True
    if isinstance(base, ast.Name) and base.id not in ("self", "cls"):
        return base.id, False
    return None


def _other_guard(case: Case) -> Iterator[Clue]:
    """Find a condition around the failing line that asks for something like what is None there."""
    if not case.places or not case.sites or case.sites[-1].statement is None:
        return
    place = case.places[-1]
    tree = case.workspace.tree(place.file)
    heads = header_expressions(case.sites[-1].statement)
    nodes = [node for head in heads for node in ast.walk(head)]
    used = {source(n.value) for n in nodes if isinstance(n, (ast.Attribute, ast.Subscript))}
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.If):
            continue
        last = node.body[-1]
        if not node.body[0].lineno <= place.line <= (last.end_lineno or last.lineno):
            continue
        places = [part for part in ast.walk(node.test) if _is_place(part)]
        bases = {id(p.value) for p in places if isinstance(p, (ast.Attribute, ast.Subscript))}
        asked = {source(part) for part in places if id(part) not in bases}
        for text in sorted(used) if not asked & used else ():
            near = [other for other in sorted(asked) if _is_alike(text, other)]
            if near:
                why = f"the condition asks for `{near[0]}`, and `{text}` is used below it"
                yield Clue("rules.strong", place.file, node.lineno, 1.0, why)
                break


def _is_place(node: ast.AST) -> TypeGuard[ast.expr]:
    return isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))


def _is_alike(one: str, other: str) -> bool:
    """Whether two expressions differ in their last part alone, and that is nearly the same."""
    (base, _, last), (base_, _, last_) = one.rpartition("."), other.rpartition(".")
    return base == base_ and nearness(last, last_) > 0


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
                and (is_attribute or _binds_here(case, file, statement, name))
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
                start = _start_of_best(case, file, statement)
                if start is not None:
                    line, begun = start
                    why_start = f"`{head}` may never hold: {begun}"
                    yield Clue("rules.strong", file, line, 1.0, why_start)
                yield Clue(kind, file, statement.lineno, 1.0 if start is None else 0.3, why)


BEST_OF_LOW, BEST_OF_HIGH = 0.0, 1.0
"""From where on hardly anything is better: what is to be low is mostly no less than 0 (losses,
errors), and what is to be high mostly a share of 1."""


def _start_of_best(case: Case, file: str, statement: ast.stmt) -> tuple[int, str] | None:
    """Return where the best value so far begins at one that hardly any other betters, and how.

    ``statement`` is ``if loss < best:``, its body sets ``best``, and ``best`` begins at 0.
    """
    test = getattr(statement, "test", None)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    left, right, op = test.left, test.comparators[0], test.ops[0]
    scope = case.engine.program.scope_at(file, statement.lineno)
    if scope is None or not isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
        return None
    before = [
        (target, value)
        for node in own_nodes(scope.node)
        for target, value in _bound(node)
        if value.lineno < statement.lineno
    ]
    for new, best, is_low in (
        (left, right, isinstance(op, (ast.Lt, ast.LtE))),
        (right, left, isinstance(op, (ast.Gt, ast.GtE))),
    ):
        wanted = ast.dump(_set(best))
        if not _is_kept(statement, wanted, new):
            continue
        for value in (value for target, value in before if ast.dump(target) == wanted):
            number = _number_of(value)
            if number is None:
                continue
            if number <= BEST_OF_LOW if is_low else number >= BEST_OF_HIGH:
                return value.lineno, f"`{source(best)}` begins at {source(value)}"
    return None


def _set(expr: ast.expr) -> ast.expr:
    """Return a name or attribute as it stands where it is set."""
    kept = copy.copy(expr)
    if isinstance(kept, (ast.Name, ast.Attribute, ast.Subscript)):
        kept.ctx = ast.Store()
    return kept


def _is_kept(statement: ast.stmt, wanted: str, new: ast.expr) -> bool:
    """Whether the body of a statement keeps a new value as the best one, given as it is set."""
    given = ast.dump(new)
    return any(
        ast.dump(target) == wanted and any(ast.dump(n) == given for n in ast.walk(value))
        for inner in getattr(statement, "body", ())
        for node in ast.walk(inner)
        for target, value in _bound(node)
    )


def _bound(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what an assignment binds with its value, of ``a, b = 0, 1`` each."""
    if not isinstance(node, ast.Assign):
        return
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=False)
        else:
            yield target, node.value


def _number_of(expr: ast.expr) -> float | None:
    """Return a number as it is written, also as ``-1``, ``float("inf")`` and ``math.inf``."""
    written = written_number(expr)
    if written is not None:
        return written
    if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, ast.USub):
        number = _number_of(expr.operand)
        return None if number is None else -number
    if isinstance(expr, ast.Attribute) and expr.attr in ("inf", "Inf", "infty"):
        return math.inf
    if isinstance(expr, ast.Call) and called_name(expr) == "float" and expr.args:
        text = expr.args[0]
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            return {"inf": math.inf, "-inf": -math.inf}.get(text.value.lower())
    return None


def _binds_here(case: Case, file: str, statement: ast.stmt, name: str) -> bool:
    """Whether a name that a statement binds is one that the failing line can read.

    It is of a scope around that line (Python's language reference, "Resolution of names"), or the
    statement's function declares the name as global.
    """
    if not case.places:
        return True
    program = case.engine.program
    around = program.scope_at(file, case.places[-1].line)
    own = program.scope_at(file, statement.lineno)
    if around is None or own is None:
        return True
    while around is not None and around is not own:
        around = around.parent
    return around is own or any(
        isinstance(node, ast.Global) and name in node.names for node in own_nodes(own.node)
    )


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


OF_REGISTERED = 0.2
"""What clues of settings count that name what a module would register: they are right."""
_UNIMPORTED: weakref.WeakKeyDictionary[Case, tuple[tuple[str, int, str], ...]] = (
    weakref.WeakKeyDictionary()
)


def find_registries(case: Case) -> Iterator[Clue]:
    """Yield the definition that would register the key, and the imports that leave it out."""
    files = case.workspace.python_files()[:MOST_REGISTERING_FILES]
    for file, line, key in _not_imported(case):
        why = f"`{key}` is registered here, in a module that nothing imports"
        yield Clue("rules.medium", file, line, 1.0, why)
        for importer, at in _imports_of_siblings(case, files, file):
            why = f"modules that register are imported here, but not {file}"
            yield Clue("rules.strong", importer, at, 1.0, why)


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: little on a setting that names what only is not imported."""
    of_settings = clue.kind.startswith(("config.", "names.")) and not clue.file.endswith(".py")
    return OF_REGISTERED if of_settings and _not_imported(case) else 1.0


def _not_imported(case: Case) -> tuple[tuple[str, int, str], ...]:
    """Return (file, line, key) of definitions that would register a key of the message."""
    if case not in _UNIMPORTED:
        _UNIMPORTED[case] = tuple(_found_not_imported(case))
    return _UNIMPORTED[case]


def _found_not_imported(case: Case) -> Iterator[tuple[str, int, str]]:
    keys = {
        str(f.value)
        for kind in (FactKind.KEY, FactKind.LITERAL)
        for f in case.facts.of(kind)
        if isinstance(f.value, str) and f.value
    }
    if case.category.id not in CATEGORIES or not keys:
        return
    files = case.workspace.python_files()[:MOST_REGISTERING_FILES]
    ran = {place.file for place in case.places}
    for file in files:
        for line, key in _registered(case, file, keys) if file not in ran else ():
            if not any(True for importer in files for _ in _imports(case, importer, file)):
                yield file, line, key


def _is_word_of(key: str, text: str) -> bool:
    """Whether a key stands in a text, not as a part of a longer word."""
    return key in text and re.search(rf"(?<!\w){re.escape(key)}(?!\w)", text) is not None


def _registered(case: Case, file: str, keys: set[str]) -> Iterator[tuple[int, str]]:
    """Yield the definitions of a file that a decorator registers under one of the keys.

    The key is an argument of the decorator, or the definition's own name.
    """
    text = case.workspace.text(file) or ""
    # A short key is a part of many words, and to parse a file takes longer than to search it.
    if "@" not in text or not any(_is_word_of(key, text) for key in keys):
        return
    tree = case.workspace.tree(file)
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, DEFINITIONS):
            continue
        for decorator in node.decorator_list:
            texts = [
                value.value
                for value in _arguments(decorator)
                if isinstance(value, ast.Constant) and isinstance(value.value, str)
            ]
            if _is_registering(decorator) and not texts:
                texts = [node.name]
            yield from ((decorator.lineno, key) for key in texts if key in keys)


def _arguments(decorator: ast.expr) -> list[ast.expr]:
    if not isinstance(decorator, ast.Call):
        return []
    return [*decorator.args, *(keyword.value for keyword in decorator.keywords)]


def _is_registering(decorator: ast.expr) -> bool:
    """Whether a decorator says that it registers: ``@HEADS.register``, ``@register_model()``."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return "register" in source(called).lower()


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
        isinstance(node, DEFINITIONS)
        and any(isinstance(d, ast.Call) or _is_registering(d) for d in node.decorator_list)
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


# ---------------------------------------------------------------------- settings that nothing reads
READING = frozenset(("attribute", "subscript", "string", "dict_key", "keyword", "bound", "name"))
"""Roles of a word of the code that may read a setting by its name, or hand it on."""
ASKING = frozenset(("attribute", "subscript", "string", "dict_key"))
"""Roles of a name that asks for a setting: what is near to the unread one is among these."""
KEYS = frozenset(("subscript", "string"))
"""Roles of a text by which a table is looked into."""
LEAST_NEAR = 0.55
"""The least nearness of two names of which one may be meant where the other stands."""
MOST_UNREAD = 3
"""Unread settings of a table: where there are more, another program reads them."""
LEAST_READ = 2 / 3
"""The share of a table's settings that the code must read by their names."""
NO_CONFIGS = frozenset(("pyproject.toml", "package.json", "setup.cfg", "tox.ini", "manifest.json"))
OF_LIBRARIES = frozenset(("defaults", "_target_", "name", "description", "version", "comment"))
"""Settings that libraries read, or that are for people."""
MOST_TABLES, MOST_NAMES, MOST_OTHERS = 60, 4_000, 500
ALONE = 0.5
"""What an unread setting counts whose value the message does not have."""


def find_unread_settings(case: Case) -> Iterator[Clue]:
    """Yield the settings of the run's configs that no code reads, though it asks for a like one."""
    files = case.engine.configuration.files or case.config_files
    if not files:
        return
    read, asked = case.code_words.texts(READING), case.code_words.texts(ASKING)
    set_names = {entry.key for entry in case.config_entries}
    names = sorted(n for n in asked if n.isidentifier() and n not in set_names)[:MOST_NAMES]
    numbers = {f.value for f in case.facts.facts if isinstance(f.value, int)}
    handed_over: set[tuple[str, tuple[str | int, ...]]] | None = None
    for (file, path), entries in list(_tables(case).items())[:MOST_TABLES]:
        unread = [e for e in entries if _own_name(e.key) not in read | OF_LIBRARIES]
        is_read = len(entries) - len(unread) >= LEAST_READ * len(entries)
        if not 0 < len(unread) <= MOST_UNREAD or not is_read:
            continue
        for entry in unread:
            if entry.value is None or _stands_elsewhere(case, entry.key):
                continue
            near = _near(entry.key, names)
            if near is None:
                continue
            if handed_over is None:
                handed_over = spread_tables(case)
            if (file, path) in handed_over:
                break
            why = (
                f"no code reads the setting `{entry.key}`; the code reads `{near}`,"
                " which no config sets"
            )
            score = 1.0 if entry.value in numbers else ALONE
            yield Clue("rules.unread_setting", file, entry.line, score / len(unread) ** 0.5, why)


def find_defaults_taken(case: Case) -> Iterator[Clue]:
    """Yield where the run took a default though its table has a like key that it never looked up.

    Such a key is a setting that is believed to be in force, and is not.
    """
    configs = {entry.file for entry in case.config_entries}
    outcome = follow(case)
    for (file, line), (key, others) in outcome.defaulted.items():
        near = [name for name, (other, _) in others.items() if other in configs]
        unread = [n for n in near if others[n] not in outcome.looked_up]
        name = _near(key, [n for n in unread if not _stands_as_key(case, n)])
        short = next((n for n in near if n not in unread and _is_short_form(key, n)), None)
        if name is None and short is not None:
            written = others[short]
            why = (
                f"`{key}` is looked up here, and {written[0]}:{written[1]} has `{short}`, which "
                "other code looks up: the default is taken"
            )
            yield Clue("rules.default_taken", file, line, 1.0, f"{why} {how_known(case)}")
            continue
        if name is None:
            continue
        written = others[name]
        table = f"the table of {written[0]}:{written[1]}"
        why = f"`{key}` is looked up in {table}, which has `{name}` instead: the default is taken"
        yield Clue("rules.default_taken", file, line, 1.0, f"{why} {how_known(case)}")
        why = f"nothing looks up `{name}`; {file}:{line} looks up `{key}` and takes its default"
        yield Clue("rules.default_taken", *written, 1.0, f"{why} {how_known(case)}")


def _is_short_form(key: str, other: str) -> bool:
    """Whether two names have the same words, written out or shortened (``max_len``)."""
    pairs = list(zip(parts_of(key), parts_of(other), strict=False))
    if len(parts_of(key)) != len(parts_of(other)) or key == other:
        return False
    return all(a.startswith(b) or b.startswith(a) or {a, b} <= COUNTS for a, b in pairs)


COUNTS = {"n", "num", "number", "nb"}
"""Words for how many."""


def _stands_as_key(case: Case, key: str) -> bool:
    """Whether code that is not followed may look a key up: it stands there as a text of its own."""
    return key in case.code_words.texts(KEYS)


def _own_name(key: str) -> str:
    """Return what a setting is called in the part that it is handed to (``module__hidden``).

    scikit-learn and skorch route parameters so (scikit-learn, "Nested parameters").
    """
    return key.rpartition("__")[2] or key


def _tables(case: Case) -> Mapping[tuple[str, tuple[str | int, ...]], list[ConfigEntry]]:
    """Return the settings of each table with names, without lists and what libraries wrote."""
    tables: dict[tuple[str, tuple[str | int, ...]], list[ConfigEntry]] = {}
    for file in case.engine.configuration.files or case.config_files:
        name = file.rpartition("/")[2]
        if not name.endswith(CONFIG_EXTENSIONS) or name in NO_CONFIGS or name.startswith("."):
            continue
        entries = case.workspace.config_entries(file)
        if OF_SAVED_MODELS & {entry.key for entry in entries}:
            continue
        for entry in entries:
            if entry.key and not any(isinstance(part, int) for part in entry.path):
                tables.setdefault((file, entry.path[:-1]), []).append(entry)
    return tables


def _stands_elsewhere(case: Case, key: str) -> bool:
    """Whether code that is not near the failure has a word, or there is too much to look."""
    near = set(case.code_files)
    others = [file for file in case.workspace.python_files() if file not in near]
    if len(others) > MOST_OTHERS:
        return True
    word = re.compile(rf"\b{re.escape(key)}\b")
    return any(word.search(case.workspace.text(file) or "") for file in others)


def _near(key: str, names: list[str]) -> str | None:
    """Return the name nearest to a setting's, None where none is near."""
    best = max(names, key=lambda name: (nearness(key, name), name), default=None)
    return best if best is not None and nearness(key, best) >= LEAST_NEAR else None


# ---------------------------------------------------------------------- names of layers
OF_LAYERS = re.compile(
    r"divisible by (?:8|16|32)\b|[Tt]arget modules? .*not found|_scaled_mm|_int_mm"
)
"""Messages of layers that were converted, and should not have been."""
LISTS = re.compile(
    r"(?i)skip|keep|exclu|ignore|target_?modules|not_?(?:to_)?convert|no_?decay|fp32|bf16|fp16|freeze"
    r"|frozen|trainable|leave|except|modules|layers"
)
MOST_MODULE_NAMES = 60


def find_module_names(case: Case) -> Iterator[Clue]:
    """Yield lists of layers' names in which one is no layer, and others are."""
    if not OF_LAYERS.search(case.message):
        return
    known = _attributes(case)
    for file in case.code_files:
        for node in ast.walk(case.workspace.tree(file) or ast.Module([], [])):
            for name, value in _named(node):
                texts = _texts(value)
                if LISTS.search(name) and texts:
                    yield from _unknown(texts, known, name, file, value.lineno)
    of_lists: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for entry in case.config_entries:
        if entry.path and isinstance(entry.path[-1], int) and isinstance(entry.value, str):
            of_lists.setdefault((entry.file, entry.key), []).append((entry.value, entry.line))
    for (file, name), items in of_lists.items():
        if LISTS.search(name):
            for text, line in items:
                if not _is_known(text, known):
                    why = f"`{text}` in `{name}` is no attribute of a class here"
                    yield Clue("rules.strong", file, line, 1.0, why)


def _attributes(case: Case) -> set[str]:
    """Return the names under which classes of the workspace keep anything."""
    attributes: set[str] = set()
    for file in case.code_files:
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            if scope.is_class:
                attributes |= scope.attributes.keys()
    return attributes


def _named(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Name, ast.Attribute)):
        target = node.targets[0]
        yield (target.id if isinstance(target, ast.Name) else target.attr), node.value
    elif isinstance(node, ast.keyword) and node.arg is not None:
        yield node.arg, node.value
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        args = [*node.args.posonlyargs, *node.args.args]
        yield from zip((a.arg for a in reversed(args)), reversed(node.args.defaults), strict=False)


def _texts(value: ast.expr) -> list[str]:
    if not isinstance(value, (ast.List, ast.Tuple, ast.Set)) or len(value.elts) > MOST_MODULE_NAMES:
        return []
    texts = [e.value for e in value.elts if isinstance(e, ast.Constant)]
    names = [text for text in texts if isinstance(text, str)]
    return names if len(names) == len(value.elts) else []


def _unknown(texts: list[str], known: set[str], name: str, file: str, line: int) -> Iterator[Clue]:
    missing = [text for text in texts if not _is_known(text, known)]
    if missing and known:
        why = f"`{missing[0]}` in `{name}` is no attribute of a class here"
        yield Clue("rules.strong", file, line, 1.0, why)


def _is_known(text: str, known: set[str]) -> bool:
    """Whether a name, perhaps with a path or pattern, ends in an attribute of a class."""
    return any(part in known for part in re.split(r"[^A-Za-z0-9_]+", text) if part)

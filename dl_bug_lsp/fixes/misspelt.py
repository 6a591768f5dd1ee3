"""Names that are one slip away from the only one that can be meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.fixes.fix_context import At, Edit, Fix, FixContext, only_slip
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.messages.facts import Role


def find(context: FixContext) -> Iterator[Fix]:
    """Yield what is misspelt where it is used, defined or set."""
    yield from _used(context, FactKind.ATTRIBUTE, _attributes, r"\.", "")
    yield from _used(context, FactKind.NAME, _names, "", "")
    yield from _used(context, FactKind.ARGUMENT, _parameters, r"[(,\s]|^", r"(?=\s*=[^=])")
    yield from _required(context)
    yield from _keys(context)


def _fix(edit: Edit | None, old: str, new: str, why: str) -> Iterator[Fix]:
    if edit is not None:
        yield Fix(f"Change '{old}' to '{new}'", why, (edit,))


def _used(
    context: FixContext, kind: FactKind, known: object, before: str, after: str
) -> Iterator[Fix]:
    """Yield a fix of the raise site, where a name stands that is defined under another spelling."""
    if context.site is None or not callable(known):
        return
    for word in context.named(kind, Role.ACTUAL):
        hinted = set(context.named(FactKind.CANDIDATE))
        new = only_slip(word, set(known(context)) | hinted)
        if new is None or (hinted and new not in hinted):
            continue
        edit = context.replaced(context.site, word, new, f"(?:{before})" if before else "", after)
        yield from _fix(edit, word, new, f"'{new}' is the only name that '{word}' is near to")


def _classes(context: FixContext, name: str) -> list[tuple[str, ast.ClassDef]]:
    """Return the workspace's classes of a name."""
    classes = []
    for file in context.workspace.python_files():
        if file.endswith(".ipynb"):
            continue
        elements = context.workspace.elements(file).functions
        if not any(e.is_class and e.name.rpartition(".")[2] == name for e in elements):
            continue
        tree = context.workspace.tree(file)
        nodes = ast.walk(tree) if tree is not None else ()
        classes += [(file, n) for n in nodes if isinstance(n, ast.ClassDef) and n.name == name]
    return classes


def _owners(context: FixContext) -> list[tuple[str, ast.ClassDef]]:
    """Return the workspace's classes that have the names of the message's owners."""
    owners = [name.rpartition(".")[2] for name in context.named(FactKind.CLASS, Role.OWNER)]
    return [class_ for name in owners for class_ in _classes(context, name)]


def _attributes(context: FixContext) -> set[str]:
    """Return the attributes that the class of the message defines, where it is the workspace's."""
    classes = _owners(context)
    return _members(classes[0][1]) if len(classes) == 1 else set()


def _members(cls: ast.ClassDef) -> set[str]:
    members = {n.name for n in cls.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))}
    for node in ast.walk(cls):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            members.add(node.attr)
    for statement in cls.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        members.update(t.id for t in targets if isinstance(t, ast.Name))
    return members


def _names(context: FixContext) -> set[str]:
    """Return the names bound in the function of the raise site and at its module's top."""
    assert context.site is not None
    tree = context.workspace.tree(context.site[0])
    if tree is None:
        return set()
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.lineno <= context.site[1] <= (node.end_lineno or 0)
    ]
    names = {name for function in around for name in _bound(function)}
    for statement in tree.body:
        names.update(_bound(statement) if not isinstance(statement, _SCOPES) else {statement.name})
    return names


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _bound(node: ast.AST) -> set[str]:
    names: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            names.add(inner.id)
        elif isinstance(inner, ast.arg):
            names.add(inner.arg)
        elif isinstance(inner, ast.alias):
            names.add((inner.asname or inner.name).partition(".")[0])
    return names


def _parameters(context: FixContext) -> set[str]:
    """Return the parameters of the message's function, where the workspace has just one such."""
    parameters: list[set[str]] = []
    for name in context.named(FactKind.FUNCTION, Role.OWNER):
        parts = name.split(".")
        for file in context.workspace.python_files():
            elements = context.workspace.elements(file).functions
            wanted = [e.line for e in elements if e.name.split(".")[-len(parts) :] == parts]
            tree = context.workspace.tree(file) if wanted else None
            for node in ast.walk(tree) if tree is not None else ():
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and (
                    node.name == parts[-1] and _first_line(node) in wanted
                ):
                    arguments = node.args
                    parameters.append({a.arg for a in (*arguments.args, *arguments.kwonlyargs)})
    return parameters[0] if len(parameters) == 1 else set()


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _required(context: FixContext) -> Iterator[Fix]:
    """Yield a method that a framework calls by a name which the class nearly has."""
    wanted = [n for n in context.named(FactKind.FUNCTION, Role.EXPECTED) if n.isidentifier()]
    classes = _owners(context)
    if len(wanted) != 1 or len(classes) != 1:
        return
    file, cls = classes[0]
    methods = {n.name: n.lineno for n in cls.body if isinstance(n, ast.FunctionDef)}
    near = only_slip(wanted[0], set(methods))
    words = context.words
    if wanted[0] in methods or near is None or words is None or len(words.get(near, ())) != 1:
        return
    edit = context.replaced((file, methods[near]), near, wanted[0], r"def\s+")
    yield from _fix(edit, near, wanted[0], f"'{wanted[0]}' is what the framework calls")


def _keys(context: FixContext) -> Iterator[Fix]:
    """Yield the spelling that stands alone, of a key and the only word near to it."""
    words = context.words
    for key in context.named(FactKind.KEY, Role.ACTUAL):
        if words is None or not key.isprintable() or len(key) > 80:
            continue
        near = only_slip(key, set(words))
        if near is None:
            continue
        asked, made = words.get(key, []), words[near]
        is_asked_by_code = len(asked) == 1 and asked[0][0].endswith(".py")
        if len(made) == 1 and asked and _is_set(context, made[0], near):
            if is_asked_by_code and _is_the_asked(words, made[0], key, near):
                edit = context.replaced(asked[0], key, near, r"""["']""", r"""["']""")
                yield from _fix(edit, key, near, f"'{near}' is the only key that is near to it")
                continue
            edit = context.replaced(made[0], near, key)
            yield from _fix(edit, near, key, f"'{near}' stands only here, '{key}' is asked for")
        elif is_asked_by_code and len(made) > 1:
            edit = context.replaced(asked[0], key, near, r"""["']""", r"""["']""")
            yield from _fix(edit, key, near, f"'{key}' stands only here, '{near}' elsewhere")


def _is_the_asked(words: dict[str, list[At]], made: At, key: str, near: str) -> bool:
    """Whether of two spellings, each there once, the one asked for is the wrong one.

    A part that the other has alone, and that stands in other names or in prose, is spelt rightly.
    Where that tells nothing, a config follows the code, and code follows what is defined.
    """
    mine, its = set(_parts(key)), set(_parts(near))
    known = {part for word in words if word not in (key, near) for part in _parts(word)}
    is_mine_known, is_its_known = bool((mine - its) & known), bool((its - mine) & known)
    if is_mine_known != is_its_known:
        return is_its_known
    return made[0].endswith(".py")


def _parts(word: str) -> list[str]:
    """Return the words that a name is made of, in small letters."""
    return [part.lower() for part in re.findall(r"[A-Z]*[a-z]+|[A-Z]+", word)]


def _is_set(context: FixContext, at: At, word: str) -> bool:
    """Whether a word is a key or a value of a config, or a string of Python, at a place."""
    for entry in context.workspace.config_entries(at[0]) if not at[0].endswith(".py") else ():
        if entry.line == at[1] and (word in entry.path or entry.value == word):
            return True
    line = context.line(at)
    return at[0].endswith(".py") and any(f"{q}{word}{q}" in line for q in "\"'")

"""The names that an installed module has, read from its source and its stub; nothing is imported."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dl_bug_lsp.environments.interpreters import Environment

MOST_BYTES = 4_000_000
MOST_STARS = 12
_MAKING = ("globals()", "vars()", "sys.modules[", "setattr(", "exec(", "locals()", "__dict__")


@dataclass(frozen=True, slots=True)
class Members:
    """A module's names; ``complete`` where it makes none while it runs.

    ``stubbed`` says that a stub beside it lists what it has, though its source may make more.
    """

    names: frozenset[str]
    complete: bool
    stubbed: bool


def members(environment: Environment, module: str, depth: int = 0) -> Members | None:
    """Return the names of a module, None where its source cannot be read."""
    path = environment.module_path(module)
    if path is None or depth > MOST_STARS:
        return None
    read = _read(path)
    if read is None:
        return None
    names, stars, complete = set(read[0]), read[1], read[2]
    stub_path = path.with_suffix(".pyi")
    stub = _read(stub_path) if stub_path.is_file() else None
    stubbed = stub is not None and "__getattr__" not in stub[0]
    if stub is not None:
        names |= stub[0]
        stars = (*stars, *stub[1])
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for level, star in stars:
        target = star
        if level:
            parts = package.split(".")
            above = parts[: len(parts) - level + 1]
            target = ".".join([*above, star]) if star else ".".join(above)
        inner = members(environment, target, depth + 1) if target and target != module else None
        if inner is None or not (inner.complete or inner.stubbed):
            complete = stubbed = False
        if inner is not None:
            names |= inner.names
    return Members(frozenset(names), complete, stubbed)


@lru_cache(maxsize=256)
def _read(path: Path) -> tuple[frozenset[str], tuple[tuple[int, str], ...], bool] | None:
    """Return the names bound in a file, its star imports, and whether these are all."""
    tree = parsed(path)
    if tree is None:
        return None
    module, text = tree
    names: set[str] = set()
    stars: list[tuple[int, str]] = []
    for node in ast.walk(module):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.Global):
            names.update(node.names)
        if isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names):
            stars.append((node.level, node.module or ""))
    making = any(word in text for word in _MAKING) or "__getattr__" in names
    return frozenset(names), tuple(stars), not making


@lru_cache(maxsize=32)
def parsed(path: Path) -> tuple[ast.Module, str] | None:
    """Return the tree and the text of a library's source, None where there is none."""
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return None
        text = path.read_text(encoding="utf-8", errors="replace")
        return ast.parse(text), text
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


Definition = tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]


def definition(environment: Environment, dotted: str, depth: int = 0) -> Definition | None:
    """Return where a library's function or class is defined, by following imports.

    None where that needs more than reading names: names made while a module runs, compiled modules.
    """
    module, _, name = dotted.rpartition(".")
    if not module or depth > MOST_STARS:
        return None
    path = environment.module_path(module)
    if path is None:
        return _of_class(environment, module, name, depth)
    for file in (path, path.with_suffix(".pyi")):
        found = _in_file(environment, module, file, name, depth)
        if found is not None:
            return found
    return None


def _of_class(
    environment: Environment, dotted: str, name: str, depth: int
) -> Definition | None:
    """Return a method that a class defines itself."""
    owner = definition(environment, dotted, depth + 1)
    if owner is None or not isinstance(owner[1], ast.ClassDef):
        return None
    for node in owner[1].body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
            return owner[0], node
    return None


def _in_file(
    environment: Environment, module: str, file: Path, name: str, depth: int
) -> Definition | None:
    tree = parsed(file)
    if tree is None:
        return None
    package = module if file.stem == "__init__" else module.rpartition(".")[0]
    stars: list[str] = []
    for node in _statements(tree[0].body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if node.name == name:
                return file, node
        elif isinstance(node, ast.ImportFrom):
            target = _absolute(package, node)
            for alias in node.names:
                if alias.name == "*":
                    stars.append(target)
                elif (alias.asname or alias.name) == name and target:
                    return definition(environment, f"{target}.{alias.name}", depth + 1)
    for star in stars:
        found = definition(environment, f"{star}.{name}", depth + 1) if star != module else None
        if found is not None:
            return found
    return None


def _statements(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a module with those in its branches."""
    found: list[ast.stmt] = []
    for node in body:
        found.append(node)
        if isinstance(node, (ast.If, ast.Try)):
            for part in (node.body, node.orelse, getattr(node, "finalbody", [])):
                found.extend(_statements(part))
    return found


def _absolute(package: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    above = parts[: len(parts) - node.level + 1]
    return ".".join([*above, node.module] if node.module else above)


def may_take(found: Definition, call: ast.Call) -> bool | None:
    """Say quickly whether a definition takes a call's arguments; None where that is not clear.

    False is a suspicion only: decorators and base classes outside the file may take more.
    """
    node = found[1]
    if isinstance(node, ast.ClassDef):
        start = next(
            (n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None
        )
        if start is not None:
            return _takes(start, call, 1)
        fields = [n.target.id for n in node.body
                  if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]  # fmt: skip
        keywords = [k.arg for k in call.keywords]
        if fields and not call.args and all(k in fields for k in keywords):
            return True
        return False if fields else None
    is_static = any("staticmethod" in ast.unparse(d) for d in node.decorator_list)
    first = node.args.args[:1]
    skip = 1 if first and first[0].arg in ("self", "cls") and not is_static else 0
    return _takes(node, call, skip)


def _takes(
    node: ast.FunctionDef | ast.AsyncFunctionDef, call: ast.Call, skip: int
) -> bool:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args][skip:]
    names = {a.arg for a in (*positional, *arguments.kwonlyargs)}
    keywords = [k.arg for k in call.keywords]
    if arguments.kwarg is None and any(k is not None and k not in names for k in keywords):
        return False
    if None in keywords or any(isinstance(a, ast.Starred) for a in call.args):
        return True
    if arguments.vararg is None and len(call.args) > len(positional):
        return False
    required = positional[: len(positional) - len(arguments.defaults)]
    needed = [a.arg for a in required[len(call.args) :]]
    needed += [
        a.arg for a, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is None
    ]  # fmt: skip
    return all(name in keywords for name in needed)

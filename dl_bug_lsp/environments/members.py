"""The names that an installed module has, read from its source and stub without importing it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from pathlib import Path

from dl_bug_lsp.data_folder import open_regular
from dl_bug_lsp.environments.interpreters import Environment

MOST_BYTES = 4_000_000
MOST_STARS = 40
MOST_IMPORTS = 12
_MAKING = ("globals()", "vars()", "sys.modules[", "setattr(", "exec(", "locals()", "__dict__")


class Lack(Enum):
    """How sure it is that a module lacks a name."""

    NONE = "it has the name, or may make it while it runs"
    STUBBED = "its stub does not list the name, though its source may make names"
    CERTAIN = "neither its source nor its stub has the name"


@lru_cache(maxsize=4096)
def lack(environment: Environment, module: str, name: str) -> Lack:
    """Say whether a module that can be read lacks a name."""
    if name.startswith("__") or environment.module_path(module) is None:
        return Lack.NONE
    if environment.has_submodule(f"{module}.{name}"):
        return Lack.NONE
    return _lack(environment, module, name, {module})


def _lack(environment: Environment, module: str, name: str, seen: set[str]) -> Lack:
    path = environment.module_path(module)
    read = _read(path) if path is not None else None
    if path is None or read is None:
        return Lack.NONE
    names, stars, complete = read
    if name in names:
        return Lack.NONE
    stub_path = path.with_suffix(".pyi")
    stub = _read(stub_path) if stub_path.is_file() else None
    if stub is not None:
        if name in stub[0]:
            return Lack.NONE
        stars = (*stars, *stub[1])
    stubbed = stub is not None and "__getattr__" not in stub[0]
    if not complete and not stubbed:
        return Lack.NONE
    worst = Lack.CERTAIN if complete else Lack.STUBBED
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for level, star in stars:
        target = star
        if level:
            parts = package.split(".")
            above = parts[: len(parts) - level + 1]
            target = ".".join([*above, star]) if star else ".".join(above)
        if target in seen:
            continue
        seen.add(target)
        inner = _lack(environment, target, name, seen) if len(seen) < MOST_STARS else Lack.NONE
        if inner is Lack.NONE:
            return inner
        worst = inner if inner is Lack.STUBBED else worst
    return worst


def names_of(environment: Environment, module: str) -> frozenset[str]:
    """Return the names that a module's own source and stub bind, to find near ones."""
    path = environment.module_path(module)
    files = (path, path.with_suffix(".pyi")) if path is not None else ()
    return frozenset().union(*(read[0] for file in files if (read := _read(file)) is not None))


@lru_cache(maxsize=1024)
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


@lru_cache(maxsize=64)
def parsed(path: Path) -> tuple[ast.Module, str] | None:
    """Return the tree and the text of a library's source, None where there is none."""
    data = _content(path)
    if data is None:
        return None
    text = data.decode("utf-8", "replace")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text), text
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _content(path: Path) -> bytes | None:
    """Return the bytes of a library's source, None where there is none or it is very large."""
    try:
        with open_regular(path) as opened:
            data = opened.read(MOST_BYTES + 1)
    except (OSError, ValueError):
        return None
    return data if len(data) <= MOST_BYTES else None


KNOWN_MAKERS = frozenset(("NDFrame", "Module"))
"""Classes whose ``__getattr__`` gives only what was put into the object: columns, submodules."""
REGISTERING = frozenset(
    ("add_module", "register_module", "register_parameter", "register_buffer")
)  # fmt: skip
"""Methods that make an attribute of the name that they are given."""
MOST_BASES = 30


def lacks_member(environment: Environment, dotted: str, name: str) -> bool:
    """Whether the objects of a library's class surely do not have an attribute.

    The class and all its bases are read; False where one of them cannot be.
    """
    if name.startswith("_"):
        return False
    cls = definition(environment, dotted)
    waiting = [cls]
    seen = 0
    while waiting:
        seen += 1
        owner = waiting.pop()
        if owner is None or seen > MOST_BASES:
            return False
        path, node = owner
        if not isinstance(node, ast.ClassDef):
            return False
        names, makes = _members(path, node.name)
        if name in names or (makes and node.name not in KNOWN_MAKERS):
            return False
        home = module_of(environment, path)
        for base in node.bases:
            written = ast.unparse(base).partition("[")[0]
            if written in ("object", "ABC", "Generic", "Protocol", "abc.ABC", "Mapping"):
                continue
            waiting.append(definition(environment, f"{home}.{written}") if home else None)
        if node.keywords or any("." in ast.unparse(d) for d in node.decorator_list):
            return False
    return True


def _name(node: ast.expr) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


@lru_cache(maxsize=512)
def _members(path: Path, name: str) -> tuple[frozenset[str], bool]:
    """Return the names in a class's own body and methods, and whether it makes others."""
    tree = parsed(path)
    nodes = ast.walk(tree[0]) if tree is not None else ()
    cls = next((n for n in nodes if isinstance(n, ast.ClassDef) and n.name == name), None)
    if cls is None:
        return frozenset(), True
    names: set[str] = set()
    makes = False
    for node in ast.walk(cls):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
            makes |= node.name in ("__getattr__", "__getattribute__")
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            names.add(node.attr)
        elif isinstance(node, ast.Name):
            names.add(node.id)
            makes |= node.id in ("setattr", "vars")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
        elif isinstance(node, ast.Call) and _name(node.func) in REGISTERING:
            # As torch.nn.ModuleDict, whose items are attributes.
            makes |= bool(node.args) and not isinstance(node.args[0], ast.Constant)
        elif isinstance(node, ast.Attribute) and node.attr == "__dict__":
            makes = True
    stub = path.with_suffix(".pyi")
    if stub.is_file() and stub != path:
        names |= _members(stub, name)[0]
    return frozenset(names), makes


DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
Definition = tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]


@lru_cache(maxsize=4096)
def definition(environment: Environment, dotted: str, depth: int = 0) -> Definition | None:
    """Return where a library's function or class is defined, by following imports.

    None where that needs more than reading names: names made while a module runs, compiled modules.
    """
    module, _, name = dotted.rpartition(".")
    if not module or depth > MOST_IMPORTS:
        return None
    path = environment.module_path(module)
    if path is None:
        return _of_class(environment, module, name, depth)
    for file in (path, path.with_suffix(".pyi")):
        place = _in_file(environment, module, file, name, depth)
        if place is not None:
            return place
    return None


def _of_class(environment: Environment, dotted: str, name: str, depth: int) -> Definition | None:
    """Return a method that a class defines itself."""
    owner = definition(environment, dotted, depth + 1)
    if owner is None or not isinstance(owner[1], ast.ClassDef):
        return None
    for node in owner[1].body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
            return owner[0], node
    return None


@dataclass(frozen=True, slots=True)
class _Outline:
    """What a module's own statements define and import; trees of libraries are large to keep."""

    defined: frozenset[str] = frozenset()
    imported: dict[str, str] = field(default_factory=dict)
    """By the name that is bound, the dotted name that it is imported from."""
    stars: tuple[str, ...] = ()


@lru_cache(maxsize=16_384)
def _outline_with(file: Path, package: str, name: str) -> _Outline | None:
    """Return the outline of a file, None where it surely does not bind a name.

    A package may import hundreds of modules with a star: those without the name are not parsed.
    """
    data = _content(file)
    if data is None or (name.encode() not in data and b"import *" not in data):
        return None
    return _outline(file, package)


@lru_cache(maxsize=4096)
def _outline(file: Path, package: str) -> _Outline:
    """Return the outline of a file, whose relative imports are those of a package."""
    tree = parsed(file)
    defined: set[str] = set()
    imported: dict[str, str] = {}
    stars: list[str] = []
    for node in _statements(tree[0].body) if tree is not None else ():
        if isinstance(node, DEFINING):
            if _defines(node, node.name):
                defined.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            target = _absolute(package, node)
            for alias in node.names:
                if alias.name == "*":
                    stars.append(target)
                elif target:
                    imported.setdefault(alias.asname or alias.name, f"{target}.{alias.name}")
    return _Outline(frozenset(defined), imported, tuple(stars))


def _defines(node: ast.stmt, name: str) -> bool:
    """Whether a statement defines a function or class of a name, other than an overload."""
    return (
        isinstance(node, DEFINING)
        and node.name == name
        and not any("overload" in ast.unparse(d) for d in node.decorator_list)
    )


def _in_file(
    environment: Environment, module: str, file: Path, name: str, depth: int
) -> Definition | None:
    package = module if file.stem == "__init__" else module.rpartition(".")[0]
    outline = _outline_with(file, package, name)
    if outline is None:
        return None
    if name in outline.defined:
        tree = parsed(file)
        made = [n for n in _statements(tree[0].body) if _defines(n, name)] if tree else []
        return (file, made[-1]) if made else None  # type: ignore[return-value]
    if name in outline.imported:
        return definition(environment, outline.imported[name], depth + 1)
    for star in outline.stars:
        place = definition(environment, f"{star}.{name}", depth + 1) if star != module else None
        if place is not None:
            return place
    return None


def _statements(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a module with those in its branches."""
    statements: list[ast.stmt] = []
    for node in body:
        statements.append(node)
        if isinstance(node, (ast.If, ast.Try)):
            for part in (node.body, node.orelse, getattr(node, "finalbody", [])):
                statements.extend(_statements(part))
    return statements


def _absolute(package: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    above = parts[: len(parts) - node.level + 1]
    return ".".join([*above, node.module] if node.module else above)


def may_take(
    environment: Environment, callee: Definition, call: ast.Call, depth: int = 0
) -> bool | None:
    """Say quickly whether a definition takes a call's arguments; None where that is not clear.

    False is a suspicion only: decorators may take more.
    """
    path, node = callee
    if not isinstance(node, ast.ClassDef):
        is_static = any("staticmethod" in ast.unparse(d) for d in node.decorator_list)
        first = node.args.args[:1]
        skip = 1 if first and first[0].arg in ("self", "cls") and not is_static else 0
        return _takes(node, call, skip)
    fields = [
        part.target.id
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    ]
    start = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    if start:
        return _takes(start[-1], call, 1)
    if any(isinstance(n, ast.FunctionDef) and n.name == "__new__" for n in node.body):
        return None
    is_record = any("dataclass" in ast.unparse(d) for d in node.decorator_list)
    other = [k for k in call.keywords if k.arg is not None and k.arg not in fields]
    if is_record and fields and not node.bases:
        return not other and len(call.args) <= len(fields)
    rest = ast.Call(call.func, [] if fields else call.args, other)
    for base in node.bases:
        module = module_of(environment, path)
        written = ast.unparse(base)
        inner = definition(environment, f"{module}.{written}") if module and depth < 6 else None
        if inner is None:
            return None
        taken = may_take(environment, inner, rest, depth + 1)
        if taken is not False or not fields:
            return taken
    return not other if fields and is_record else None


def _takes(node: ast.FunctionDef | ast.AsyncFunctionDef, call: ast.Call, skip: int) -> bool:
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
    return None in keywords or all(name in keywords for name in needed)


def module_of(environment: Environment, path: Path) -> str | None:
    """Return the dotted name of a library's file, None outside of the search path."""
    bases = [*environment.sites, *(folder.parent for folder in environment.mapped.values())]
    if environment.standard is not None:
        bases.append(environment.standard)
    for base in bases:
        if path.is_relative_to(base):
            parts = path.relative_to(base).with_suffix("").parts
            return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return None


def refused_texts(
    environment: Environment, callee: Definition, call: ast.Call
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the texts of a call that a class of scikit-learn declares it refuses.

    Each with its argument's name and the texts that are taken. The declaration is the dict
    ``_parameter_constraints`` of the class, which may unpack those of other classes.
    """
    if not isinstance(callee[1], ast.ClassDef):
        return
    for keyword in call.keywords:
        value = keyword.value
        text = value.value if isinstance(value, ast.Constant) else None
        if keyword.arg is None or not isinstance(text, str):
            continue
        taken = _constraint(environment, callee, keyword.arg)
        if taken is not None and text not in taken:
            yield keyword.arg, text, tuple(sorted(taken))


def _constraint(
    environment: Environment, callee: Definition, name: str, depth: int = 0
) -> frozenset[str] | None:
    """Return the texts that a parameter may be, None where that is not known."""
    path, node = callee
    declared = [
        part.value
        for part in getattr(node, "body", ())
        if isinstance(part, (ast.Assign, ast.AnnAssign))
        and "_parameter_constraints" in ast.unparse(getattr(part, "target", part))[:40]
    ]
    module = module_of(environment, path)
    if depth > MOST_IMPORTS or module is None:
        return None
    others: list[str] = []
    table = declared[-1] if declared else None
    if isinstance(table, ast.Dict):
        for key, value in zip(table.keys, table.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == name:
                return _texts_of(value)
            if key is None and isinstance(value, ast.Attribute):
                others.insert(0, ast.unparse(value.value))
    elif table is None:
        others = [ast.unparse(base) for base in getattr(node, "bases", ())]
    for other in others:
        inner = definition(environment, f"{module}.{other}")
        taken = _constraint(environment, inner, name, depth + 1) if inner is not None else None
        if taken is not None:
            return taken
    return None


PLAIN_CONSTRAINTS = frozenset(
    ("boolean", "verbose", "random_state", "array-like", "nan", "sparse matrix")
)  # fmt: skip
"""Words of scikit-learn's constraints that take no texts."""


def _texts_of(constraint: ast.expr) -> frozenset[str] | None:
    """Return the texts of a list of constraints, None where some cannot be read."""
    texts: set[str] = set()
    for item in constraint.elts if isinstance(constraint, ast.List) else (constraint,):
        called = ast.unparse(item.func) if isinstance(item, ast.Call) else ""
        if called in ("StrOptions", "Options", "Hidden") and isinstance(item, ast.Call):
            try:
                options = ast.literal_eval(item.args[-1])
            except (ValueError, TypeError, SyntaxError, RecursionError, IndexError):
                return None
            if not isinstance(options, (set, list, tuple)):
                return None
            texts |= {str(text) for text in options}
        elif isinstance(item, ast.Constant):
            if isinstance(item.value, str) and item.value not in PLAIN_CONSTRAINTS:
                return None
        elif isinstance(item, ast.Name):
            if item.id in ("str", "object"):
                return None
        elif called not in ("Interval", "HasMethods"):
            return None
    return frozenset(texts)

"""What a message names: attributes, keys, names, functions, modules, paths."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.raising.operations import (
    KIND,
    LIKELY,
    NAMED,
    WEAK,
    Asked,
    Found,
    Matcher,
)
from dl_bug_lsp.evidence.raising.scan import FileNodes, Within, last_name
from dl_bug_lsp.messages import FactKind, Role

OPENS = {"open", "load", "read_csv", "imread", "read_text", "listdir", "glob", "read_parquet"}
OPENS |= {"loadtxt", "read_json", "read_image", "from_pretrained", "load_weights", "read_excel"}
OPENS |= {"scandir", "iterdir", "read_table", "load_model", "copy", "save", "mkdir", "run", "Popen"}


def attribute(asked: Asked) -> Matcher:
    """Ask for the attribute, of the class that the message names first."""
    wanted = asked.first(FactKind.ATTRIBUTE) or asked.first(FactKind.KEY)
    owner = asked.first(FactKind.CLASS)
    module = asked.first(FactKind.MODULE)
    own = owner in asked.bases

    def match(node: ast.AST, within: Within, nodes: FileNodes) -> Iterator[Found]:
        if not isinstance(node, ast.Attribute) or node.attr != wanted:
            return
        receiver = last_name(node.value)
        if not isinstance(node.ctx, ast.Load):
            yield WEAK, f"`.{wanted}` is set here"
        elif receiver in {"self", "cls"}:
            fits = not own or within.cls == owner or owner in _below(asked, within.cls)
            yield (NAMED if own and fits else WEAK), f"`.{wanted}` is asked for here"
        elif owner and receiver in {owner, module}:
            yield NAMED, f"`.{wanted}` is asked for here"
        else:
            fits = not own or owner in asked.stands_for(nodes, receiver)
            yield (NAMED if own and fits else LIKELY), f"`.{wanted}` is asked for here"

    return match


def _below(asked: Asked, cls: str) -> set[str]:
    """Return the names of classes that inherit from one, a few steps deep."""
    found = {cls}
    for _ in range(4):
        found |= {name for name, bases in asked.bases.items() if found & set(bases)}
    return found


def key(asked: Asked) -> Matcher:
    """Ask for the key, else for keys that are computed."""
    wanted = asked.first(FactKind.KEY)

    def match(node: ast.AST, within: Within, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            if isinstance(node.slice, ast.Constant):
                if str(node.slice.value) == wanted:
                    yield NAMED, f"the key `{wanted}` is asked for here"
            elif not isinstance(node.slice, (ast.Slice, ast.Tuple)):
                yield WEAK, "a key is asked for here that is computed"
        elif isinstance(node, ast.Call) and last_name(node.func) in {"pop", "get_group", "remove"}:
            if any(isinstance(a, ast.Constant) and str(a.value) == wanted for a in node.args):
                yield NAMED, f"the key `{wanted}` is asked for here"
        elif isinstance(node, ast.List) and wanted in _texts(node):
            yield KIND, f"the key `{wanted}` stands in this list"

    return match


def _texts(node: ast.List) -> set[str]:
    return {str(e.value) for e in node.elts if isinstance(e, ast.Constant)}


def name(asked: Asked) -> Matcher:
    """Ask for the name, first where nothing binds it."""
    wanted = asked.first(FactKind.NAME)
    local = "unbound" in (asked.facts.family or "")

    def match(node: ast.AST, within: Within, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, ast.Name) and node.id == wanted and isinstance(node.ctx, ast.Load):
            here = wanted in nodes.bound.get((within.cls, within.function), ())
            bound = here if local else here or wanted in nodes.bound.get(("", ""), ())
            yield (NAMED if bound == local else WEAK), f"the name `{wanted}` is used here"

    return match


def call(asked: Asked) -> Matcher:
    """Ask for calls of the function that fit what the message says of its arguments."""
    function = asked.first(FactKind.FUNCTION).removesuffix("()")
    owner, _, name = function.rpartition(".")
    owner = owner.rpartition(".")[2]
    keyword = asked.first(FactKind.ARGUMENT)
    given = asked.facts.of(FactKind.COUNT, Role.ACTUAL)
    unexpected = (asked.facts.family or "").endswith(("keyword", "twice"))
    makes = name in {"__init__", "__new__"}

    def fits(call: ast.Call) -> float:
        if unexpected and keyword:
            if any(k.arg == keyword for k in call.keywords):
                return 1.0
            return 0.4 if any(k.arg is None for k in call.keywords) else 0.1
        if given:
            count = int(given[0].value) if isinstance(given[0].value, int) else -1
            starred = any(isinstance(a, ast.Starred) for a in call.args)
            return 1.0 if starred or len(call.args) in {count, count - 1} else 0.2
        if keyword and any(k.arg == keyword for k in call.keywords):
            return 0.1
        known = asked.parameters.get(owner if makes else name, [])
        if keyword in known:
            return 1.0 if len(call.args) <= known.index(keyword) else 0.1
        return 1.0 if not call.args else 0.5

    def match(node: ast.AST, within: Within, nodes: FileNodes) -> Iterator[Found]:
        if not isinstance(node, ast.Call):
            return
        called = last_name(node.func)
        why = f"`{function}` is called here"
        if makes:
            inherited = called == "__init__" and owner in asked.bases.get(within.cls, [])
            if called == owner or inherited:
                yield NAMED * fits(node), why
            elif owner in nodes.made.get(called, ()):
                yield KIND * fits(node), why
        elif called == name:
            yield NAMED * fits(node), why
        elif name in {"forward", "__call__", "call"} and owner:
            if owner in asked.stands_for(nodes, called):
                yield NAMED * fits(node), why
            elif called in {"model", "net", "self", "layer", "module", "network"}:
                yield WEAK * fits(node), why

    return match


def imported(asked: Asked) -> Matcher:
    """Ask for imports of the module or the name."""
    module, name = asked.first(FactKind.MODULE), asked.first(FactKind.NAME)

    def match(node: ast.AST, within: Within, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, ast.Import):
            if not name and any(f"{a.name}.".startswith(f"{module}.") for a in node.names):
                yield NAMED, f"`{module}` is imported here"
        elif isinstance(node, ast.ImportFrom) and node.module:
            if name and any(a.name == name for a in node.names):
                yield NAMED, f"`{name}` is imported here"
            elif not name and f"{node.module}.".startswith(f"{module}."):
                yield NAMED, f"`{module}` is imported here"

    return match


def path(asked: Asked) -> Matcher:
    """Ask for the path, else for calls that open files."""
    wanted = asked.first(FactKind.PATH).replace("\\", "/").rstrip("/")
    name = wanted.rpartition("/")[2]

    def match(node: ast.AST, within: Within, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) > 3:
            text = node.value.replace("\\", "/").strip("./")
            if text and (wanted.endswith(text) or text.endswith(wanted)) and len(text) > 3:
                yield LIKELY, "this path is the message's, or its end"
        elif isinstance(node, ast.Call) and last_name(node.func) in OPENS and name:
            yield WEAK * 2, f"`{last_name(node.func)}` opens a file here"

    return match

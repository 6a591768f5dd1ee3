"""Files that one script of the workspace writes and another reads: what was put into them.

``json.dump(meta, open("meta.json", "w"))`` here is where ``json.load(open(path))["vocab"]`` there
comes from, also where the file itself is not kept with the code. A config file that a run has
copied to the folder of its results leads back to the one that the user wrote.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from dl_bug_lsp.provenance import names
from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.scopes import Entered, Scope, dotted_name
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.contents import ConfigEntry
from dl_bug_lsp.workspace.workspace import EditedWorkspace

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine

READERS = frozenset(
    ("json.load", "json.loads", "pickle.load", "pickle.loads", "joblib.load", "torch.load",
     "numpy.load", "numpy.memmap", "numpy.fromfile", "numpy.loadtxt", "pandas.read_csv",
     "pandas.read_json", "pandas.read_parquet", "pandas.read_pickle", "yaml.safe_load", "yaml.load",
     "safetensors.torch.load_file", "dill.load", "msgpack.load", "torch.jit.load")
)  # fmt: skip
WRITERS = {
    "dump": (0, 1), "save": (0, 1), "savez": (1, 0), "savez_compressed": (1, 0), "savetxt": (1, 0),
    "save_file": (0, 1), "tofile": (None, 0), "to_csv": (None, 0), "to_json": (None, 0),
    "to_parquet": (None, 0), "to_pickle": (None, 0), "write_text": (0, None),
    "write_bytes": (0, None), "write": (0, None),
}  # fmt: skip
"""Last names of writing calls: which argument is written, and which is the file (or its path).

None stands for what the method is called on; ``numpy.save`` takes them the other way round.
"""
WORDS = ("dump", "save", "tofile", "to_csv", "to_json", "to_parquet", "to_pickle", "write")
MAX_FILES = 400
MAX_FOUND = 3
MAX_PATH_STEPS = 40


def written(engine: Engine, path: Node) -> list[Node]:
    """Return what scripts of the workspace put into a file of the same name as ``path`` ends in."""
    name = last_name(engine, path)
    if "." not in name.strip("."):
        return []
    nodes = engine.written.get(name)
    if nodes is None:
        engine.written[name] = []
        nodes = engine.written[name] = _writers(engine, name)
    return [node for node in nodes if node is not path]


def last_name(engine: Engine, path: Node) -> str:
    """Return the last part of a path that code puts together, as far as it is written there."""
    for constant in path.constants:
        if isinstance(constant.value, str):
            return constant.value.replace("\\", "/").rpartition("/")[2]
    queue, seen = [path], 0
    while queue and seen < MAX_PATH_STEPS:
        node = queue.pop(0)
        seen += 1
        expr = node.expr
        if node.entry is None and isinstance(expr, ast.JoinedStr) and expr.values:
            tail = expr.values[-1]
            if isinstance(tail, ast.Constant) and "." in str(tail.value):
                return str(tail.value).rpartition("/")[2]
        for child in reversed(_parts(engine, node)):
            for constant in child.constants[:1]:
                if isinstance(constant.value, str) and "." in constant.value:
                    return constant.value.replace("\\", "/").rpartition("/")[2]
            queue.append(child)
    return ""


def _parts(engine: Engine, node: Node) -> list[Node]:
    """Return what a path, or a file opened with one, is made of."""
    expr = node.expr
    if node.entry is not None:
        return []
    if isinstance(expr, Entered):
        return [engine.node(expr.value, node.context)]
    if isinstance(expr, ast.Call):
        first = [expr.func.value] if isinstance(expr.func, ast.Attribute) else []
        called = dotted_name(expr.func) or ""
        arguments = expr.args[:1] if called.rpartition(".")[2] in ("open", "GFile") else expr.args
        return [engine.node(a, node.context) for a in [*first, *arguments]]
    if isinstance(expr, ast.Name):
        return names.lookup(engine, expr.id, node.context, node.line)
    return [child for _, child in node.inputs]


def _writers(engine: Engine, name: str) -> list[Node]:
    """Look for the calls that write a file of a name, in the files that hold both."""
    nodes: list[Node] = []
    stem = name.rpartition(".")[0] or name
    for file in engine.workspace.python_files()[: 10 * MAX_FILES]:
        text = engine.workspace.text(file) or ""
        if stem not in text or not any(word in text for word in WORDS):
            continue
        module = engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            for call in scope.calls:
                node = _written_by(engine, scope, call, name)
                if node is not None:
                    nodes.append(node)
        if len(nodes) >= MAX_FOUND:
            break
    return nodes[:MAX_FOUND]


def _written_by(engine: Engine, scope: Scope, call: ast.Call, name: str) -> Node | None:
    """Return what a call writes where it writes a file of that name."""
    func = call.func
    last = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    if last not in WRITERS:
        return None
    value_at, path_at = WRITERS[last]
    if last == "save" and (dotted_name(func) or "").startswith(("np.", "numpy.", "jnp.")):
        value_at, path_at = 1, 0
    receiver = func.value if isinstance(func, ast.Attribute) else None
    arguments = [a for a in call.args if not isinstance(a, ast.Starred)]
    path = receiver if path_at is None else arguments[path_at] if path_at < len(arguments) else None
    value = (
        receiver if value_at is None else arguments[value_at] if value_at < len(arguments) else None
    )
    if path is None or value is None:
        return None
    context = engine.open_context(scope)
    if last_name(engine, engine.node(path, context)) != name:
        return None
    return engine.node(value, context)


# --- copies of config files -----------------------------------------------------------------------

FEW_LINES = 3
"""Lines that a config file must have to be recognized in another."""


@dataclass(frozen=True, slots=True)
class Original:
    """The listed file that a hidden one begins with; ``rest`` is what follows in the hidden one."""

    file: str
    lines: int
    rest: str


_ORIGINALS: WeakKeyDictionary[Workspace, dict[str, Original | None]] = WeakKeyDictionary()


def original_of(workspace: Workspace, file: str) -> Original | None:
    """Return the config file that a hidden one was copied from.

    Only a file that an ignore rule hides, as results of runs are, is taken for a copy; None where
    it begins with no listed file, or with several alike.
    """
    base = workspace.base if isinstance(workspace, EditedWorkspace) else workspace
    known = _ORIGINALS.setdefault(base, {})
    if file not in known:
        known[file] = None if file in base.files() else _original(base, file)
    return known[file]


def _original(workspace: Workspace, file: str) -> Original | None:
    text = workspace.text(file)
    ending = file.rpartition(".")[2]
    if text is None or "/" in ending:
        return None
    found: list[Original] = []
    same = [other for other in workspace.files() if other.endswith(f".{ending}")]
    for other in same[:MAX_FILES]:
        own = (workspace.text(other) or "").rstrip()
        lines, rest = own.count("\n") + 1, text[len(own) :]
        if lines >= FEW_LINES and text.startswith(own) and rest[:1] in ("", "\n", "\r"):
            found.append(Original(other, lines, rest))
    longest = max((original.lines for original in found), default=0)
    alike = [original for original in found if original.lines == longest]
    return alike[0] if len(alike) == 1 else None


def from_originals(workspace: Workspace, entries: Sequence[ConfigEntry]) -> list[ConfigEntry]:
    """Return entries of a file with the places of the file that it was copied from."""
    original = original_of(workspace, entries[0].file) if entries else None
    if original is None:
        return list(entries)
    return [replace(e, file=original.file) if e.end_line <= original.lines else e for e in entries]

"""Files that one script of the workspace writes and another reads: what was put into them.

``json.dump(meta, open("meta.json", "w"))`` here is where ``json.load(open(path))["vocab"]`` there
comes from, also where the file itself is not kept with the code. A config file that a run has
copied to the folder of its results leads back to the one that the user wrote.
"""

from __future__ import annotations

import ast
import fnmatch
import posixpath
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from dl_bug_lsp.provenance import names
from dl_bug_lsp.provenance.nodes import Library, Node
from dl_bug_lsp.provenance.scopes import Entered, Scope, called_name, dotted_name
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
WRITERS: dict[str, tuple[int | None, int | str | None]] = {
    "dump": (0, 1), "save": (0, 1), "savez": (1, 0), "savez_compressed": (1, 0), "savetxt": (1, 0),
    "save_file": (0, 1), "tofile": (None, 0), "to_csv": (None, 0), "to_json": (None, 0),
    "to_parquet": (None, 0), "to_pickle": (None, 0), "write_text": (0, None),
    "write_bytes": (0, None), "write": (0, None), "writelines": (0, None),
    "to_feather": (None, 0), "to_excel": (None, 0), "writerow": (0, None), "writerows": (0, None),
    "save_npz": (1, 0), "print": (0, "file"),
}  # fmt: skip
"""Last names of writing calls: which argument is written, and which is the file (or its path).

None stands for what the method is called on, a text for a keyword; ``numpy.save`` takes them the
other way round.
"""
PATHS = frozenset(("fname", "file", "path_or_buf", "path", "fp", "f", "filename", "excel_writer"))
"""Keywords under which these calls take the file."""
WORDS = (
    *("dump", "save", "tofile", "to_csv", "to_json", "to_parquet", "to_pickle", "write"),
    *("to_feather", "to_excel", "file="),
)
MAX_FILES = 400
MAX_FOUND = 3
MAX_PATH_STEPS = 40
MAX_PATTERNS = 8
MAX_PATTERN_DEPTH = 10


@dataclass(frozen=True, slots=True)
class Writing:
    """A call that writes a file of the workspace, with the node of what it writes.

    ``sure`` says that the folder is known as well, not the name of the file alone.
    """

    file: str
    line: int
    value: Node
    sure: bool


def writings(engine: Engine, file: str, scripts: Collection[str] = ()) -> list[Writing]:
    """Return the calls of scripts that write a workspace file, those of a known folder alone.

    Where no folder is known, those that write a file of that name into some folder. ``scripts`` are
    known to have written the file: what a command gave them as a folder is not in their text.
    """
    found: list[Writing] = []
    name = posixpath.basename(file)
    stem, extension = posixpath.splitext(name)
    for script in scripts or _writing_scripts(engine):
        text = engine.workspace.text(script) or ""
        if stem not in text and (not extension or extension not in text):
            continue
        module = engine.program.module(script)
        for scope in module.walk() if module is not None else ():
            found.extend(_writings_in(engine, scope, file, is_known=script in scripts))
        if len(found) >= MAX_FILES:
            break
    sure = [writing for writing in found if writing.sure]
    return (sure or found)[: 2 * MAX_FOUND]


_WRITING: WeakKeyDictionary[Engine, list[str]] = WeakKeyDictionary()


def _writing_scripts(engine: Engine) -> list[str]:
    """Return the Python files of a workspace that write files, looked for once."""
    if engine not in _WRITING:
        files = engine.workspace.python_files()[: 10 * MAX_FILES]
        texts = ((file, engine.workspace.text(file) or "") for file in files)
        found = (file for file, text in texts if any(word in text for word in WORDS))
        _WRITING[engine] = list(found)[:MAX_FILES]
    return _WRITING[engine]


def _writings_in(
    engine: Engine, scope: Scope, file: str, *, is_known: bool = False
) -> Iterator[Writing]:
    """Yield the calls of a scope that write a file of the workspace.

    Where the script is known to have written it, the name of the file is enough.
    """
    name = posixpath.basename(file)
    for call in scope.calls:
        parts = parts_written(scope, call)
        if parts is None:
            continue
        value, path = parts
        context = engine.open_context(scope)
        options = patterns(engine, engine.node(path, context))
        if is_known:
            options, wanted = [posixpath.basename(option) for option in options], name
        else:
            wanted = file
        fitting = [fit for option in options if (fit := fits(option, wanted)) is not None]
        if fitting:
            node = engine.node(value, context)
            yield Writing(scope.file, call.lineno, node, is_known or any(fitting))


@dataclass(frozen=True, slots=True)
class Dump:
    """A call that writes an object with a library: what is written, and the file or its path.

    ``argument`` is the argument that is written, ``value`` what a reader gets: for archives of
    arrays a dictionary of all arguments.
    """

    file: str
    line: int
    argument: Node
    value: Node
    path: Node


SAME_FORMAT = {"cloudpickle": "pickle", "_pickle": "pickle", "cPickle": "pickle", "jax": "numpy"}
"""Libraries that write what another one reads."""


def format_of(function: str) -> str:
    """Return the library whose format a function of a dotted name reads or writes."""
    library = function.partition(".")[0]
    return SAME_FORMAT.get(library, library)


def dumps(engine: Engine, library: str) -> list[Dump]:
    """Return the calls of the workspace that write objects with a library, into whatever file."""
    found: list[Dump] = []
    for script in _writing_scripts(engine):
        module = engine.program.module(script)
        for scope in module.walk() if module is not None else ():
            for call in scope.calls:
                parts = parts_written(scope, call)
                if parts is None:
                    continue
                context = engine.open_context(scope)
                callees = engine.node(call.func, context).values
                if any(isinstance(c, Library) and format_of(c.name) == library for c in callees):
                    argument, path = (engine.node(part, context) for part in parts)
                    value = _archived(engine, call, argument)
                    found.append(Dump(script, call.lineno, argument, value, path))
        if len(found) >= MAX_FILES:
            break
    return found


def _archived(engine: Engine, call: ast.Call, argument: Node) -> Node:
    """Return what a call writes; of ``numpy.savez`` the arrays by their names in the archive."""
    if called_name(call) not in ("savez", "savez_compressed"):
        return argument

    def make() -> ast.expr:
        keys: list[ast.expr | None] = [ast.Constant(f"arr_{n}") for n in range(len(call.args) - 1)]
        keys.extend(ast.Constant(k.arg) if k.arg else None for k in call.keywords)
        values = [*call.args[1:], *(k.value for k in call.keywords)]
        for key, value in zip(keys, values, strict=True):
            if key is not None:
                ast.copy_location(key, value)
        return ast.copy_location(ast.Dict(keys, values), call)

    if any(isinstance(a, ast.Starred) for a in call.args) or not call.args:
        return argument
    return engine.node(engine.made(("archive", id(call)), make), argument.context)


def patterns(engine: Engine, path: Node, depth: int = 0) -> list[str]:
    """Return what a path may be, with ``*`` for parts that are not known."""
    texts = [c.value for c in path.constants if isinstance(c.value, str)]
    if isinstance(path.expr, ast.JoinedStr) and not texts:
        parts = (
            str(part.value) if isinstance(part, ast.Constant) else "*" for part in path.expr.values
        )
        return ["".join(parts)]
    if depth > MAX_PATTERN_DEPTH or path.entry is not None:
        return texts
    expr = path.expr
    joined: list[list[str]] = []
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, (ast.Add, ast.Div)):
        mark = "/" if isinstance(expr.op, ast.Div) else ""
        sides = [engine.node(side, path.context) for side in (expr.left, expr.right)]
        joined = [patterns(engine, side, depth + 1) or ["*"] for side in sides]
    elif isinstance(expr, ast.Call) and (dotted_name(expr.func) or "").endswith("path.join"):
        mark = "/"
        nodes = [engine.node(argument, path.context) for argument in expr.args]
        joined = [patterns(engine, node, depth + 1) or ["*"] for node in nodes]
    elif isinstance(expr, ast.Call) and (dotted_name(expr.func) or "").endswith("path.basename"):
        whole = [
            p for a in expr.args for p in patterns(engine, engine.node(a, path.context), depth + 1)
        ]
        return list(dict.fromkeys(text.rpartition("/")[2] for text in whole))
    if joined:
        made = [""]
        for number, options in enumerate(joined):
            between = mark if number else ""
            made = [f"{first}{between}{then}" for first in made for then in options][:MAX_PATTERNS]
        return list(dict.fromkeys([*texts, *made]))[:MAX_PATTERNS]
    if texts:
        return texts
    found: list[str] = []
    for child in _parts(engine, path):
        found.extend(patterns(engine, child, depth + 1))
        if len(found) >= MAX_PATTERNS:
            break
    return list(dict.fromkeys(found))[:MAX_PATTERNS]


NAMING = {
    **dict.fromkeys(("imwrite", "imsave"), 0),
    **dict.fromkeys(("copy", "copy2", "copyfile", "move", "symlink"), 1),
}
"""Last names of calls that make a file of a name, beside `WRITERS`: which argument is its path."""


@dataclass(frozen=True, slots=True)
class Named:
    """A call that makes files in a folder; ``pattern`` is what they are called."""

    file: str
    line: int
    pattern: str


def named_otherwise(engine: Engine, path: str) -> list[Named]:
    """Return the calls that write files into a path's folder, none where one may write the path.

    The last folder must be written out in both, and a part of the name in front of its ending.
    """
    folder, _, name = path.replace("\\", "/").rpartition("/")
    parts = folder.split("/")
    last = parts[-1]
    found: dict[tuple[str, int], Named] = {}
    for script in _writing_scripts(engine) if last.strip(".") else ():
        if last not in (engine.workspace.text(script) or ""):
            continue
        module = engine.program.module(script)
        for scope in module.walk() if module is not None else ():
            for call in scope.calls:
                target = _target(scope, call)
                if target is None:
                    continue
                for text in patterns(engine, engine.node(target, engine.open_context(scope))):
                    where, _, pattern = text.rpartition("/")
                    own = where.split("/")
                    pairs = zip(reversed(parts), reversed(own), strict=False)
                    if own[-1] != last or not all(fnmatch.fnmatchcase(a, b) for a, b in pairs):
                        continue
                    if fnmatch.fnmatchcase(name, pattern):
                        return []
                    if posixpath.splitext(pattern)[0].strip("*"):
                        place = (script, call.lineno)
                        found.setdefault(place, Named(*place, pattern))
    return list(found.values())


def _target(scope: Scope, call: ast.Call) -> ast.expr | None:
    """Return the path of the file that a call makes, None where it makes none."""
    at = NAMING.get(called_name(call) or "")
    if at is not None:
        return call.args[at] if at < len(call.args) else None
    parts = parts_written(scope, call)
    return None if parts is None else parts[1]


def fits(pattern: str, file: str) -> bool | None:
    """Whether a pattern's folder is that of a file; None where the pattern cannot mean the file."""
    wanted = [part for part in pattern.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    own = file.split("/")
    if not wanted or "." not in wanted[-1] or not wanted[-1].strip("*").strip("."):
        return None
    if wanted[-1].startswith("*."):
        # The extension alone says little.
        return None
    if not fnmatch.fnmatchcase(own[-1], wanted[-1]):
        return None
    for mine, part in zip(reversed(own[:-1]), reversed(wanted[:-1]), strict=False):
        if "*" in part:
            return False
        if mine != part:
            return None
    return len(wanted) >= min(len(own), 2)


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
    parts = parts_written(scope, call)
    if parts is None:
        return None
    value, path = parts
    context = engine.open_context(scope)
    if last_name(engine, engine.node(path, context)) != name:
        return None
    return engine.node(value, context)


def parts_written(scope: Scope, call: ast.Call) -> tuple[ast.expr, ast.expr] | None:
    """Return what a call writes and the file that it writes it to, None where it writes none."""
    func = call.func
    last = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    if last not in WRITERS:
        return None
    value_at, path_at = WRITERS[last]
    if last == "save" and (dotted_name(func) or "").startswith(("np.", "numpy.", "jnp.")):
        value_at, path_at = 1, 0
    receiver = func.value if isinstance(func, ast.Attribute) else None
    arguments = [a for a in call.args if not isinstance(a, ast.Starred)]
    named = {k.arg: k.value for k in call.keywords if k.arg}
    paths = [named[word] for word in named if word in PATHS and path_at is not None]
    path = (
        receiver
        if path_at is None
        else arguments[path_at]
        if isinstance(path_at, int) and path_at < len(arguments)
        else next(iter(paths), None)
    )
    value = (
        receiver if value_at is None else arguments[value_at] if value_at < len(arguments) else None
    )
    if last.startswith("writerow") and path is not None:
        path = _opened_by(scope)
    if last in ("savez", "savez_compressed"):
        value = value or next((named[word] for word in named if word not in PATHS), None)
    return None if path is None or value is None else (value, path)


def _opened_by(scope: Scope) -> ast.expr | None:
    """Return the open file that ``csv.writer`` or ``csv.DictWriter`` was given in a scope."""
    for call in scope.calls:
        if (dotted_name(call.func) or "").endswith(("csv.writer", "DictWriter")) and call.args:
            return call.args[0]
    return None


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

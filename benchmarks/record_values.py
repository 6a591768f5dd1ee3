"""Run a program and record what its expressions come to; needs nothing but the standard library.

    python recording_values.py OUT.json ROOT SCRIPT [ARGUMENT ...]

Run by `followed_values.py` with the interpreter of the program, in the folder of its command. Each
expression of the files below ROOT is wrapped in a call that notes its value, the first few times.
The sources on disk stay as they are. OUT maps ``file:line:column:line:column`` to descriptions,
and ``stacks`` to one stack for each function that ran: the places (file, line) of ROOT, outermost
first.
"""

from __future__ import annotations

import ast
import atexit
import builtins
import importlib.machinery
import json
import os
import runpy
import sys
import zlib
from pathlib import Path
from types import FrameType

MOST_TIMES = 4
"""How many values of one expression are noted."""
MOST_ENTRIES = 60_000
STACKS = "stacks"
SKIPPED = 5
"""One of so many expressions is where the stack of its function may be noted."""
WRAPPED = (
    *(ast.Call, ast.BinOp, ast.Subscript, ast.Attribute, ast.Compare, ast.UnaryOp, ast.BoolOp),
    *(ast.Name, ast.IfExp, ast.ListComp, ast.DictComp, ast.SetComp),
)
NOTE = "__note_value__"


def described(value: object, depth: int = 0) -> object:
    """Return what is compared of a value: plain values, shapes, lengths, names of classes."""
    cls = type(value)
    if value is None or cls in (bool, int, float, str):
        text = value if not isinstance(value, (str, float)) else repr(value)[:200]
        return {"kind": "plain", "type": cls.__name__, "value": text}
    if cls in (list, tuple, set, frozenset, dict):
        items = [described(one, depth + 1) for one in list(value)[:8]] if depth < 1 else None
        return {"kind": cls.__name__, "length": len(value), "items": items}  # type: ignore[arg-type]
    name = f"{cls.__module__}.{cls.__qualname__}"
    try:
        if name.startswith("pandas.") and hasattr(value, "columns"):
            columns = [str(one) for one in value.columns]
            return {"kind": "table", "columns": columns, "rows": len(value)}  # type: ignore[arg-type]
        if hasattr(value, "dtype") and hasattr(value, "shape") and not isinstance(value, type):
            shape = [int(one) if isinstance(one, int) else None for one in tuple(value.shape)]
            return {"kind": "array", "shape": shape, "dtype": str(value.dtype), "class": name}
    except Exception:
        return {"kind": "object", "class": name}
    return {"kind": "object", "class": name}


class Notes:
    """What was noted so far, written when the process ends."""

    def __init__(self, out: str, root: str) -> None:
        self.out = out
        self.root = root
        self.entries: dict[str, list[object]] = {}
        self.stacks: dict[object, list[tuple[str, int]]] = {}
        self.process = os.getpid()
        atexit.register(self.write)

    def note(self, key: str, value: object) -> object:
        """Note a value and return it."""
        entries = self.entries.get(key)
        if entries is None:
            if len(self.entries) >= MOST_ENTRIES:
                return value
            entries = self.entries[key] = []
            if zlib.crc32(key.encode()) % SKIPPED == 0:
                self.note_stack(sys._getframe(1))
        if len(entries) < MOST_TIMES:
            try:
                entries.append(described(value))
            except Exception:
                entries.append({"kind": "object", "class": type(value).__name__})
        return value

    def note_stack(self, innermost: FrameType) -> None:
        """Note the program's places on the stack, once for each function that is innermost."""
        if innermost.f_code in self.stacks:
            return
        places: list[tuple[str, int]] = []
        frame: FrameType | None = innermost
        while frame is not None:
            path = frame.f_code.co_filename
            if path.startswith(self.root + os.sep):
                places.append((os.path.relpath(path, self.root), frame.f_lineno))
            frame = frame.f_back
        self.stacks[innermost.f_code] = places[::-1]

    def write(self) -> None:
        """Write all notes, only in the process that was started."""
        if os.getpid() == self.process:
            entries = {**self.entries, STACKS: list(self.stacks.values())}
            Path(self.out).write_text(json.dumps(entries))


class Wrapping(ast.NodeTransformer):
    """Wraps expressions in calls of `Notes.note`."""

    def __init__(self, file: str) -> None:
        self.file = file

    def visit(self, node: ast.AST) -> ast.AST:
        """Wrap an expression that is loaded, and all within it."""
        if isinstance(node, (ast.JoinedStr, ast.MatchValue, ast.Delete, ast.Global)):
            return node
        wraps = isinstance(node, WRAPPED) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "super":
            return node
        if isinstance(node, ast.AnnAssign):
            node.value = self.visit(node.value) if node.value is not None else None  # type: ignore[assignment]
            return node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = [self.visit(one) for one in node.body]  # type: ignore[misc]
            return node
        if isinstance(node, ast.ClassDef):
            node.body = [self.visit(one) for one in node.body]  # type: ignore[misc]
            return node
        self.generic_visit(node)
        if not wraps:
            return node
        assert isinstance(node, ast.expr)
        key = f"{self.file}:{node.lineno}:{node.col_offset}:{node.end_lineno}:{node.end_col_offset}"
        call = ast.Call(ast.Name(NOTE, ast.Load()), [ast.Constant(key), node], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


def wrapped(source: bytes, path: str, root: str) -> object:
    """Return the code of a file of the program with its expressions wrapped."""
    tree = ast.parse(source, path)
    file = os.path.relpath(path, root)
    return compile(Wrapping(file).visit(tree), path, "exec", dont_inherit=True)


def main() -> None:
    """Run the script of the command line."""
    out, root, script, *arguments = sys.argv[1:]
    root = os.path.realpath(root)
    setattr(builtins, NOTE, Notes(out, root).note)
    original = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: importlib.machinery.SourceFileLoader, fullname: str) -> object:
        path = os.path.realpath(self.get_filename(fullname))
        if path.startswith(root + os.sep):
            return wrapped(self.get_data(path), path, root)
        return original(self, fullname)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
    if script == "-m":
        module, *arguments = arguments
        sys.argv = [module, *arguments]
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        return
    path = os.path.realpath(script)
    sys.argv = [script, *arguments]
    sys.path.insert(0, str(Path(path).parent))
    code = wrapped(Path(path).read_bytes(), path, root)
    main_module = type(sys)("__main__")
    main_module.__dict__.update(__file__=script, __builtins__=builtins)
    sys.modules["__main__"] = main_module
    exec(code, main_module.__dict__)


if __name__ == "__main__":
    main()

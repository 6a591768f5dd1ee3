"""Following small programs in a folder of their own, for the tests of this package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Lazy,
    LibraryObject,
    ModuleValue,
    Table,
    Value,
)
from dl_bug_lsp.workspace import Workspace


def shown(value: Value) -> object:
    """Return a value as plain Python: an array as (shape, dtype), a table as (columns, rows)."""
    data = value.data
    if data is UNKNOWN:
        return "unknown"
    if isinstance(data, Array):
        return (data.sizes, data.dtype)
    if isinstance(data, Table):
        return (dict(data.columns), shown(data.rows))
    if isinstance(data, list):
        return [shown(item) for item in data]
    if isinstance(data, tuple):
        return tuple(shown(item) for item in data)
    if isinstance(data, dict):
        return {key: shown(item) for key, item in data.items()}
    if isinstance(data, Lazy):
        return ("lazy", shown(data.item), shown(data.length))
    if isinstance(data, LibraryObject):
        return data.short if "path" not in data.state else shown(data.state["path"])
    return data


def followed(
    folder: Path, program: str, files: Mapping[str, str], words: Sequence[str] = ()
) -> tuple[Interpreter, dict[str, Value]]:
    """Follow a program of one file; return what its names stand for at the end."""
    for name, text in {**files, "main.py": f"{program}\nraise SystemExit\n"}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    given = [Value(word, frozenset({("run.sh", 1)})) for word in words]
    target = ("main.py", program.count("\n") + 2)
    interpreter = Interpreter(Workspace(folder, cache=False), "main.py", target, given)
    interpreter.run()
    module = interpreter.modules["main.py"].data
    assert isinstance(module, ModuleValue)
    return interpreter, module.environment.names

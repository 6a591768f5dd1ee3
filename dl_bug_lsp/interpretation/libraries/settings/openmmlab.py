"""Configs of OpenMMLab (``mmengine``, ``mmcv``): Python files that inherit from one another.

``_base_`` names the files that a config builds on. A table of the config is laid over the table of
the same name in the base; ``_delete_=True`` replaces it. ``{{_base_.name}}`` stands for what a base
holds. The package's own sources read these files through copies, patterns and ``compile``, which
cannot be followed; the models stand in for them there, too.

Source: MMEngine's tutorial "Config" (inheritance, ``_delete_``, predefined variables, pure Python
style with ``read_base``).
"""

from __future__ import annotations

import ast
import copy
import posixpath
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.libraries.python.files import file_of
from dl_bug_lsp.interpretation.libraries.settings.documents import config_of, settings
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    BoundMethod,
    ClassValue,
    Environment,
    FunctionValue,
    Library,
    ModuleValue,
    Raised,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

BASES, DELETED = "_base_", "_delete_"
MOST_BASES = 12
MOST_DEPTH = 20
SETTINGS = (".yaml", ".yml", ".json")
"""What ``Config.fromfile`` of mmengine reads beside Python."""
NO_SETTINGS = (FunctionValue, BoundMethod, ClassValue, ModuleValue, Library)
"""What a config defines or imports that is no setting."""


class _References(ast.NodeTransformer):
    """Turns ``{{_base_.name}}`` into ``_base_.name``."""

    def visit_Set(self, node: ast.Set) -> ast.expr:
        inner = node.elts[0] if len(node.elts) == 1 else None
        if isinstance(inner, ast.Set) and len(inner.elts) == 1:
            part = inner.elts[0]
            if isinstance(part, ast.Attribute) and ast.unparse(part).startswith(f"{BASES}."):
                return part
        return node


def python_config(interpreter: Interpreter, file: str, depth: int = 0) -> Value:
    """Return the settings of a config file with those of its bases, each with its place."""
    if not file.endswith(".py"):
        return settings(interpreter, file)
    tree = interpreter.workspace.tree(file)
    if tree is None or depth > MOST_BASES:
        return Value(UNKNOWN)
    interpreter.note_read(file)
    base = _of_bases(interpreter, file, tree, depth)
    held: dict[object, Value] = base.data if isinstance(base.data, dict) else {}
    names = {BASES: config_of(base, Call("", (), {}, (file, 1)))}
    env = Environment(names, None, file)
    for node in tree.body:
        if isinstance(node, ast.Assign) and _names_bases(node):
            continue
        if isinstance(node, ast.Assign) and f"{{{{{BASES}." in ast.unparse(node):
            _assign_reference(interpreter, node, env)
        else:
            interpreter.follow_part([node], env)
    own: dict[object, Value] = {
        name: value
        for name, value in names.items()
        if not name.startswith("__") and name != BASES and not isinstance(value.data, NO_SETTINGS)
    }
    return laid_over(Value(own), Value(dict(held), base.origins))


def _assign_reference(interpreter: Interpreter, node: ast.Assign, env: Environment) -> None:
    """Assign what refers to the bases; the statement of the file itself stays as it is."""
    interpreter.stack.append((env.file, node.lineno))
    try:
        value = interpreter.value(_References().visit(copy.deepcopy(node.value)), env)
        for target in node.targets:
            interpreter.assign(target, value, env)
    except Raised:
        pass
    finally:
        interpreter.stack.pop()


def _names_bases(node: ast.Assign) -> bool:
    return any(isinstance(t, ast.Name) and t.id == BASES for t in node.targets)


def _of_bases(interpreter: Interpreter, file: str, tree: ast.Module, depth: int) -> Value:
    """Return the settings of all files that a config names as its bases."""
    folder = posixpath.dirname(file)
    together: dict[object, Value] = {}
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not _names_bases(node):
            continue
        words = [n.value for n in ast.walk(node.value) if isinstance(n, ast.Constant)]
        for word in words[:MOST_BASES]:
            path = posixpath.normpath(posixpath.join(folder, str(word)))
            if interpreter.workspace.tree(path) is None and not path.endswith(SETTINGS):
                continue
            part = python_config(interpreter, path, depth + 1)
            if isinstance(part.data, dict):
                together.update(part.data)
    return Value(together)


def laid_over(over: Value, under: Value, depth: int = MOST_DEPTH) -> Value:
    """Return a table with another one laid over it, as MMEngine merges a config into its base."""
    if not isinstance(over.data, dict) or not isinstance(under.data, dict) or not depth:
        return over
    result = dict(under.data)
    for key, value in over.data.items():
        below = result.get(key)
        if isinstance(value.data, dict):
            deleted = value.data.get(DELETED)
            rest = {k: v for k, v in value.data.items() if k != DELETED}
            fresh = Value(rest, value.origins)
            is_new = below is None or (deleted is not None and deleted.data is True)
            result[key] = fresh if is_new or below is None else laid_over(fresh, below, depth - 1)
        else:
            result[key] = value
    return Value(result, merged(over, under))


@MODELS.function("mmengine.Config.fromfile", "mmengine.config.Config.fromfile")
@MODELS.function("mmcv.Config.fromfile", "mmcv.utils.Config.fromfile")
def _from_file(interpreter: Interpreter, call: Call) -> Value:
    """Return the config of a file, whose settings are attributes and items."""
    file = _file(interpreter, call)
    config = Value(UNKNOWN) if file is None else python_config(interpreter, file)
    return config_of(config, call) if isinstance(config.data, dict) else call.unknown()


def _file(interpreter: Interpreter, call: Call) -> str | None:
    path = call.given(0, "filename")
    if path is not None and path.data is UNKNOWN:
        return interpreter.settings
    return file_of(interpreter, path)


@MODELS.stand_in("Config._file2dict")
def _file_to_dict(interpreter: Interpreter, call: Call) -> Value | None:
    """Return what the package's own reader gives: the settings, their text, variables."""
    file = _file(interpreter, call)
    config = Value(UNKNOWN) if file is None else python_config(interpreter, file)
    if file is None or not isinstance(config.data, dict):
        return None
    text = Value(interpreter.workspace.text(file) or "")
    return Value((config, text, Value({})))


@MODELS.stand_in("Config._is_lazy_import")
def _is_lazy(interpreter: Interpreter, call: Call) -> Value | None:
    """Return whether a config is in the pure Python style."""
    file = _file(interpreter, call)
    tree = None if file is None else interpreter.workspace.tree(file)
    if tree is None:
        return None
    return Value(any(isinstance(node, ast.With) for node in tree.body))

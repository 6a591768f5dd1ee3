"""Callbacks: what a function is given that test runners and command lines call.

Sources: pytest's documentation ("How to use fixtures", "Parametrizing tests"), Click's and Typer's
("Options").
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    FunctionValue,
    LibraryObject,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

MAX_DEPTH = 6
CONFTEST = "conftest.py"


def arguments_of(
    interpreter: Interpreter,
    function: FunctionValue,
    skipped: int,
    asking: str | None = None,
    depth: int = 0,
) -> tuple[Value, ...]:
    """Return a value for each positional parameter after the first ``skipped`` ones.

    A test's parameter is what the fixture of its name gives, or the first of its ``parametrize``;
    a command's is the word of its option, or the option's default. Others keep their own default
    or are unknown. ``asking`` is the file of the test for which a fixture is made.
    """
    arguments = function.node.args
    names = [p.arg for p in (*arguments.posonlyargs, *arguments.args)][skipped:]
    values = []
    arguments_by_name = {**_parametrized(interpreter, function), **_options(interpreter, function)}
    for name in names:
        value = arguments_by_name.get(name)
        if value is None and depth < MAX_DEPTH:
            fixture = _fixture(interpreter, asking or function.file, name)
            if fixture is not None and fixture.node is not function.node:
                given = arguments_of(interpreter, fixture, 0, asking or function.file, depth + 1)
                value = interpreter.call(Value(fixture), given, {}, _place(fixture))
                if isinstance(value.data, list) and _is_generator(fixture):
                    value = value.data[0] if value.data else Value(UNKNOWN)
        if value is None:
            value = declared(function.defaults.get(name, Value(UNKNOWN)))
        values.append(value)
    return tuple(values)


def declared(value: Value) -> Value:
    """Return the default that a parameter's declaration holds (``typer.Option(3)``)."""
    data = value.data
    if isinstance(data, LibraryObject) and data.short in ("Option", "Argument"):
        first = data.args[0] if data.args else data.keywords.get("default")
        if first is None or first.data is Ellipsis:
            return Value(UNKNOWN, value.origins)
        return first
    return value


def _place(function: FunctionValue) -> tuple[str, int]:
    return function.file, function.node.lineno


def _is_generator(function: FunctionValue) -> bool:
    return any(isinstance(n, ast.Yield) for n in ast.walk(function.node))


def _decorators(function: FunctionValue) -> list[ast.expr]:
    return list(getattr(function.node, "decorator_list", ()))


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _fixture(interpreter: Interpreter, asking: str, name: str) -> FunctionValue | None:
    """Return the fixture of a name: of the same file, or of a ``conftest.py`` above it."""
    folder = asking
    files = [asking]
    while folder:
        folder = folder.rpartition("/")[0]
        files.append(f"{folder}/{CONFTEST}" if folder else CONFTEST)
    for file in files[: 2 * MAX_DEPTH]:
        if file != asking:
            if interpreter.workspace.tree(file) is None:
                continue
            interpreter.module(file, "conftest")
        for function in interpreter.functions_in(file):
            if getattr(function.node, "name", "") == name and any(
                _last_name(d) == "fixture" for d in _decorators(function)
            ):
                return function
    return None


def _parametrized(interpreter: Interpreter, function: FunctionValue) -> dict[str, Value]:
    """Return what the first set of a test's parameters holds."""
    arguments: dict[str, Value] = {}
    for decorator in _decorators(function):
        if not isinstance(decorator, ast.Call) or _last_name(decorator) != "parametrize":
            continue
        if len(decorator.args) < 2:
            continue
        names = interpreter.value(decorator.args[0], function.closure).data
        sets = interpreter.iterate(interpreter.value(decorator.args[1], function.closure))
        if not isinstance(names, str) or not isinstance(sets, list) or not sets:
            continue
        split = [part.strip() for part in names.split(",")]
        values = [sets[0]] if len(split) == 1 else sets[0].data
        if isinstance(values, (list, tuple)) and len(values) == len(split):
            arguments.update(zip(split, values, strict=True))
    return arguments


def _options(interpreter: Interpreter, function: FunctionValue) -> dict[str, Value]:
    """Return what the options of a Click command are: words of the command line, or defaults."""
    options: dict[str, Value] = {}
    for decorator in _decorators(function):
        if not isinstance(decorator, ast.Call) or _last_name(decorator) != "option":
            continue
        words = [a.value for a in decorator.args if isinstance(a, ast.Constant)]
        flags = [w for w in words if isinstance(w, str) and w.startswith("-")]
        own = [w for w in words if isinstance(w, str) and not w.startswith("-")]
        if not flags:
            continue
        name = own[0] if own else max(flags, key=len).lstrip("-").replace("-", "_")
        keywords = {
            k.arg: interpreter.value(k.value, function.closure)
            for k in decorator.keywords
            if k.arg is not None
        }
        value = keywords.get("default")
        word = _word(interpreter, flags)
        if word is not None:
            value = _converted(word, value, keywords.get("type"))
        if value is not None:
            options[name] = value
    return options


def _word(interpreter: Interpreter, flags: list[str]) -> Value | None:
    words = interpreter.arguments or ()
    for at, word in enumerate(words[:-1]):
        if word.data in flags:
            return words[at + 1]
    return None


def _converted(word: Value, default: Value | None, kind: Value | None) -> Value:
    """Return a word as the type of its option's default."""
    if not isinstance(word.data, str):
        return word
    like = None if default is None else default.data
    name = getattr(kind.data, "name", "") if kind is not None else ""
    for type_, short in ((int, "builtins.int"), (float, "builtins.float")):
        if name == short or (not name and type(like) is type_):
            try:
                return Value(type_(word.data), word.origins)
            except ValueError:
                return Value(UNKNOWN, merged(word))
    return word

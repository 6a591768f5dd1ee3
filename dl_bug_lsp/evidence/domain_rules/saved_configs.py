"""Rules for what is rebuilt from a saved config: objects of Keras that leave out an argument."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data_files import numbers_of
from dl_bug_lsp.evidence.domain_rules.syntax import near_files, source
from dl_bug_lsp.provenance.scopes import called_name

MOST_FILES = 30
REBUILDING = {
    *("load_model", "from_config", "clone_model", "model_from_json", "deserialize"),
    *("deserialize_keras_object", "load_learner", "custom_object_scope"),
}
SAID = ("could not be loaded", "could not be deserialized", "from_config", "get_config")
"""What messages say where an object is rebuilt from its config."""


def find_saved_configs(case: Case) -> Iterator[Clue]:
    """Yield what a ``get_config`` gives, where it leaves out an argument of the constructor.

    An object is rebuilt with what ``get_config`` gives (Keras, "Save, serialize, and export
    models"): an argument that is left out gets its default, or is missing.
    """
    message = case.message.lower()
    if not any(words in message for words in SAID) and not _rebuilds(case):
        return
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.ClassDef):
                yield from _left_out(case, file, node)


def _rebuilds(case: Case) -> bool:
    heads = (head for site in case.sites[-1:] for head in site.nodes)
    calls = (n for head in heads for n in ast.walk(head.expr) if isinstance(n, ast.Call))
    return any(called_name(call) in REBUILDING for call in calls)


def _left_out(case: Case, file: str, cls: ast.ClassDef) -> Iterator[Clue]:
    methods = {s.name: s for s in cls.body if isinstance(s, ast.FunctionDef)}
    start, config = methods.get("__init__"), methods.get("get_config")
    if start is None or config is None:
        return
    arguments = [*start.args.args[1:], *start.args.kwonlyargs]
    given = _keys(config)
    if given is None:
        return
    names = [argument.arg for argument in arguments]
    defaults = _defaults(start)
    for index, name in enumerate(names):
        if name in given or name in ("name", "dtype", "trainable"):
            continue
        beside = [*reversed(names[:index]), *names[index + 1 :]]
        line = next((given[other] for other in beside if other in given), config.lineno)
        default = defaults.get(name)
        held = default.value if isinstance(default, ast.Constant) else None
        told = default is None or (type(held) is int and held in numbers_of(case))
        why = f"`get_config` leaves out `{name}`"
        if default is not None:
            why += f": when `{cls.name}` is rebuilt it gets its default, `{source(default)}`"
        yield Clue("missing.key", file, line, 1.0 if told else 0.6, why)


def _defaults(function: ast.FunctionDef) -> dict[str, ast.expr]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    late = positional[len(positional) - len(arguments.defaults) :]
    found = {a.arg: d for a, d in zip(late, arguments.defaults, strict=True)}
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return found | {a.arg: d for a, d in pairs if d is not None}


def _keys(function: ast.FunctionDef) -> dict[str, int] | None:
    """Return the keys that a function puts into a table, with their lines.

    None where a table is put together of what is not written there.
    """
    found: dict[str, int] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    found.setdefault(key.value, key.lineno)
                elif not _is_of_base(value) if key is None else True:
                    return None
        elif isinstance(node, ast.Call) and called_name(node) in ("update", "dict"):
            for word in node.keywords:
                if word.arg is not None:
                    found.setdefault(word.arg, word.value.lineno)
                elif not _is_of_base(word.value):
                    return None
            if any(not isinstance(a, (ast.Dict, ast.Call)) for a in node.args):
                return None
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
                    found.setdefault(str(target.slice.value), target.lineno)
        elif isinstance(node, ast.For) or (
            isinstance(node, ast.Attribute) and node.attr in ("__dict__", "_config", "config")
        ):
            return None
    return found


def _is_of_base(value: ast.expr) -> bool:
    """Whether a table that is unpacked is the config of the base class."""
    if isinstance(value, ast.Name):
        return "config" in value.id
    return "super()" in source(value) or "get_config" in source(value)

"""Objects that a library makes again from a config, and models made unlike the saved one.

Keras stores of a layer what its ``get_config`` returns and calls the class with that; Lightning
does so with what ``save_hyperparameters`` kept;
scikit-learn reads the attributes that bear the names of the constructor's parameters. The
constructor then raises in the library, where no frame leads to the cause.
Sources: keras.io ("Customizing saving and serialization"),
Lightning ("Saving and loading checkpoints"), scikit-learn ("Developing scikit-learn estimators").

A state fits a model that is made as the saved one was (PyTorch, "Saving and Loading Models"; Keras,
`Model.load_weights`). Where a program makes the same model in two places, what the calls give it
should be the same; an argument that one of them leaves out has its default there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data.data_files import numbers_of
from dl_bug_lsp.evidence.domain_rules.syntax import (
    calls_in,
    defaults_of,
    near_files,
    own_nodes,
    source,
)
from dl_bug_lsp.evidence.domain_rules.tensor_mismatch import LAYERS
from dl_bug_lsp.evidence.repairs.arguments import name_of
from dl_bug_lsp.messages import readable
from dl_bug_lsp.provenance.nodes import StepKind
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.slices import backward_slice
from dl_bug_lsp.tracebacks import Cause

MISSING = re.compile(
    r"(?:(?P<owner>\w+)\.)?__init__\(\) missing \d+ required [\w -]+?arguments?: (?P<names>[^\n]+)"
)
UNEXPECTED = re.compile(
    r"(?:(?P<owner>\w+)\.)?__init__\(\) got an unexpected keyword argument '(?P<names>\w+)'"
)
NAMED = re.compile(r"Error when deserializing class '(?P<owner>\w+)'|class_name': '(?P<other>\w+)'")
"""How Keras names the class where Python's message (before 3.10) does not."""
NOT_KEPT = re.compile(
    r"constructor (?:either )?(?:does not set|seems to set|modifies)[^\n]*?parameter (?P<names>\w+)"
)
NO_ATTRIBUTE = re.compile(r"'(?P<owner>\w+)' object has no attribute '(?P<names>\w+)'")
CLONED = re.compile(r"Cannot clone object '?(?P<owner>\w+)\(")
REBUILDING = {
    *("from_config", "deserialize_keras_object", "deserialize", "class_and_config_for_serialized"),
    *("load_from_checkpoint", "_load_from_checkpoint", "_load_state", "clone", "_clone"),
    *("_clone_parametrized", "get_params", "revive_custom_object", "_instantiate"),
}
"""Functions of libraries that make an object again, or read what is needed for it."""
LIGHTNING = {"load_from_checkpoint", "_load_from_checkpoint", "_load_state"}
QUOTED = re.compile(r"'(\w+)'")


def find_rebuilt(case: Case) -> Iterator[Clue]:
    """Yield what keeps an object from being made again: a method or a constructor of its class."""
    for cause in case.failure.causes:
        rebuilding = {frame.own_name for frame in cause.frames} & REBUILDING
        if not rebuilding:
            continue
        yield from _of_arguments(case, cause, is_lightning=bool(rebuilding & LIGHTNING))
        yield from _of_attributes(case, cause)


def _of_arguments(case: Case, cause: Cause, *, is_lightning: bool) -> Iterator[Clue]:
    """Yield where arguments of a constructor are left out, or given that it does not have."""
    for pattern in (MISSING, UNEXPECTED):
        match = pattern.search(readable(cause.message))
        if match is None:
            continue
        names = QUOTED.findall(match["names"]) or [match["names"]]
        for file, defined in _classes(case, match["owner"] or _named(cause), names):
            if is_lightning:
                yield from _of_checkpoint(case, file, defined, names)
            elif pattern is UNEXPECTED:
                yield from _not_taken(file, defined, names[0])


def _named(cause: Cause) -> str | None:
    match = NAMED.search(readable(cause.message))
    return None if match is None else match["owner"] or match["other"]


def _classes(
    case: Case, name: str | None, parameters: list[str]
) -> Iterator[tuple[str, ast.ClassDef]]:
    """Yield the classes of a name, without one those whose constructors have the parameters."""
    for file in case.code_files:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.ClassDef):
                continue
            start = _method(node, "__init__")
            if node.name == name or (
                name is None and start is not None and set(parameters) <= _parameters(start)
            ):
                yield file, node


def _method(defined: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    methods = (node for node in defined.body if isinstance(node, ast.FunctionDef))
    return next((node for node in methods if node.name == name), None)


def _parameters(function: ast.FunctionDef) -> set[str]:
    arguments = function.args
    return {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def _not_taken(file: str, defined: ast.ClassDef, name: str) -> Iterator[Clue]:
    """Yield what gives a constructor an argument that it does not have."""
    start, method = _method(defined, "__init__"), _method(defined, "get_config")
    keys = [
        node
        for node in (ast.walk(method) if method is not None else ())
        if (isinstance(node, ast.Constant) and node.value == name)
        or (isinstance(node, ast.keyword) and node.arg == name)
    ]
    for key in keys[:1]:
        why = f"`get_config` of `{defined.name}` tells `{name}`, which its constructor lacks"
        yield Clue("rules.strong", file, key.lineno, 1.0, why)
    if start is not None and start.args.kwarg is None and name not in _parameters(start):
        share = 0.5 if keys else 1.0
        why = f"the constructor of `{defined.name}` takes neither `{name}` nor `**kwargs`"
        yield Clue("rules.strong", file, start.lineno, share, why)


def _of_checkpoint(
    case: Case, file: str, defined: ast.ClassDef, names: list[str]
) -> Iterator[Clue]:
    """Yield why a checkpoint of Lightning does not hold the arguments of its class."""
    start = _method(defined, "__init__")
    if start is None:
        return
    saving = [c for c in calls_in(start) if called_name(c) == "save_hyperparameters"]
    if not saving:
        why = f"`{defined.name}` does not call `save_hyperparameters()`, so checkpoints lack "
        first = next((s for s in start.body if "super()" in source(s)), start)
        yield Clue("rules.strong", file, first.lineno, 1.0, why + _listed(names))
    for call in saving:
        if call.args or call.keywords:
            why = f"`{source(call)}` does not keep {_listed(names)}"
            yield Clue("rules.strong", file, call.lineno, 1.0, why)
    for place in case.places[-1:]:
        why = f"the checkpoint is loaded without {_listed(names)}"
        yield Clue("rules.weak", place.file, place.line, 1.0, why)


def _of_attributes(case: Case, cause: Cause) -> Iterator[Clue]:
    """Yield what a constructor keeps under another name than its parameter's, or changes."""
    message = readable(cause.message)
    kept, lacking, owner = (p.search(message) for p in (NOT_KEPT, NO_ATTRIBUTE, CLONED))
    match = kept or lacking
    if match is None:
        return
    name = match["names"]
    for file, defined in _classes(case, lacking["owner"] if lacking else _of(owner), [name]):
        start = _method(defined, "__init__")
        if start is None or name not in _parameters(start):
            continue
        stored = [s for s in start.body if isinstance(s, ast.Assign) and _reads(s.value, name)]
        for statement in stored:
            why = f"`{source(statement)}` does not keep `{name}` as it was given"
            yield Clue("rules.strong", file, statement.lineno, 1.0 / len(stored), why)
        if not stored:
            why = f"the constructor of `{defined.name}` does not keep `{name}`"
            yield Clue("rules.strong", file, start.lineno, 1.0, why)


def _of(match: re.Match[str] | None) -> str | None:
    return None if match is None else match["owner"]


def _reads(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


MOST_FILES = 30
REBUILDING_CALLS = {
    *("load_model", "from_config", "clone_model", "model_from_json", "deserialize"),
    *("deserialize_keras_object", "load_learner", "custom_object_scope"),
}
"""Calls of a program that make an object again from a config."""
REBUILT_FROM_CONFIG = {"deserialize_keras_object", "from_config", "functional_from_config"}
"""Functions of Keras by which a failing call came from an object that was being made again."""
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
    frames = {frame.own_name for cause in case.failure.causes for frame in cause.frames}
    if frames & REBUILT_FROM_CONFIG:
        return True
    heads = (head for site in case.sites[-1:] for head in site.nodes)
    calls = (n for head in heads for n in ast.walk(head.expr) if isinstance(n, ast.Call))
    return any(called_name(call) in REBUILDING_CALLS for call in calls)


def _left_out(case: Case, file: str, cls: ast.ClassDef) -> Iterator[Clue]:
    start, config = _method(cls, "__init__"), _method(cls, "get_config")
    if start is None or config is None:
        return
    arguments = [*start.args.args[1:], *start.args.kwonlyargs]
    given = _keys(config)
    if given is None:
        return
    names = [argument.arg for argument in arguments]
    defaults = defaults_of(start)
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


MOST_MAKING_FILES = 40
MOST_CALLS = 12
MOST_STEPS = 40
LOADING = {"load_state_dict", "load_weights", "set_weights", "load_checkpoint", "restore"}
WORDS = ("state_dict", "checkpoint", "weights", "restore")
"""What messages say where a state does not fit."""
TRAINING_OR_SAVING = {
    "Adam",
    "AdamW",
    "SGD",
    "fit",
    "save",
    "state_dict",
    "save_weights",
    "save_checkpoint",
    "save_pretrained",
    "dump",
}
"""Calls of modules in which a model is the one that was trained, and not only made again."""
PLAIN = {"Sequential", "Model", "ModuleList", "DataParallel", "DistributedDataParallel", "compile"}
"""Classes whose objects have nothing in common but the class."""
HARMLESS = re.compile(r"drop|device|seed|verbose|pretrain|^weights$|^name$|act|momentum|eps|debug")
"""Parameters that mostly leave the shapes and names of a state as they are."""
OF_SAVED = 0.3
"""What the place counts where the saved model was made: mostly the one that loads is forgotten."""
DIFFERING = 0.8
"""What a call counts that gives another value than the other one."""


@dataclass(frozen=True)
class Making:
    """A call that makes a model, by file, with its arguments under the names of parameters."""

    file: str
    call: ast.Call
    given: dict[str, ast.expr]


def find_unlike_makings(case: Case) -> Iterator[Clue]:
    """Yield the call that makes a model which a state is loaded into, where others differ."""
    if case.category.id not in ("tensor_mismatch", "key_not_found", "illegal_argument"):
        return
    if not any(word in case.message for word in WORDS):
        return
    loading = _loading(case)
    name = _class_made(case, *loading) if loading is not None else ""
    if loading is None or not name or name in PLAIN | LAYERS:
        return
    made = [m for m in _makings(case, name) if m.call is not loading[1]]
    own = _making(case, *loading, name)
    trained = [m for m in made if _is_saved(case, m)] or made
    for other in trained[:MOST_CALLS]:
        yield from _unlike(case, own, other)


def _loading(case: Case) -> tuple[str, ast.Call] | None:
    """Return the call that made what the innermost loading line loads a state into."""
    for place in reversed(case.places):
        scope = case.engine.program.scope_at(place.file, place.line)
        tree = case.workspace.tree(place.file)
        if scope is None or tree is None:
            continue
        for node in own_nodes(scope.node):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if not node.lineno <= place.line <= (node.end_lineno or node.lineno):
                continue
            if node.func.attr in LOADING:
                return _maker(tree, scope.node, node.func.value, place.file)
    return None


OWN_CLASS = ("cls", "self.__class__", "type(self)", "__class__")


def _class_made(case: Case, file: str, call: ast.Call) -> str:
    """Return the name of what a call makes an object of: of ``cls`` that of the class around."""
    if source(call.func) not in OWN_CLASS:
        return called_name(call) or ""
    tree = case.workspace.tree(file)
    classes = (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)) if tree is not None else ()
    around = [c for c in classes if c.lineno <= call.lineno <= (c.end_lineno or 0)]
    return max(around, key=lambda c: c.lineno).name if around else ""


def _maker(
    tree: ast.AST, scope: ast.AST, receiver: ast.expr, file: str
) -> tuple[str, ast.Call] | None:
    """Return the call that a name or attribute was bound to, in its scope or anywhere in a file."""
    while isinstance(receiver, ast.Attribute) and receiver.attr in ("module", "model"):
        if isinstance(receiver.value, ast.Name) and receiver.value.id == "self":
            break
        receiver = receiver.value
    wanted = ast.unparse(receiver)
    for nodes in (own_nodes(scope), ast.walk(tree)):
        for node in nodes:
            value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AnnAssign):
                targets = [node.target]
            if not any(ast.unparse(target) == wanted for target in targets):
                continue
            call = _plain_call(value)
            if call is not None:
                return file, call
    return None


def _plain_call(value: ast.expr | None) -> ast.Call | None:
    """Return the call that makes a model: that of ``Net(3).to(device)`` is ``Net(3)``."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in ("to", "cuda", "cpu", "eval", "train", "float", "half", "double"):
            return value
        value = value.func.value
    return value if isinstance(value, ast.Call) else None


def _makings(case: Case, name: str) -> Iterator[Making]:
    """Yield the calls of a class or function of a name, those of its own body left out."""
    making = [f for f in near_files(case) if f"{name}(" in (case.workspace.text(f) or "")]
    for file in making[:MOST_MAKING_FILES]:
        tree = case.workspace.tree(file)
        shown = [] if tree is None or file == case.engine.run.script else _demonstrations(tree)
        for node in ast.walk(tree) if tree is not None else ():
            if (
                isinstance(node, ast.Call)
                and called_name(node) == name
                and not any(first <= node.lineno <= last for first, last in shown)
            ):
                yield _making(case, file, node, name)


def _demonstrations(tree: ast.Module) -> list[tuple[int, int]]:
    """Return the lines of a module that defines classes which run where it is started itself."""
    if not any(isinstance(node, ast.ClassDef) for node in tree.body):
        return []
    tests = (n for n in tree.body if isinstance(n, ast.If) and "__main__" in source(n.test))
    return [(node.lineno, node.end_lineno or node.lineno) for node in tests]


def _making(case: Case, file: str, call: ast.Call, name: str) -> Making:
    parameters = _parameters_made(case, name)
    given: dict[str, ast.expr] = {}
    for at, argument in enumerate(call.args):
        given[parameters[at] if at < len(parameters) else str(at)] = argument
    given.update({k.arg: k.value for k in call.keywords if k.arg is not None})
    return Making(file, call, given)


def _parameters_made(case: Case, name: str) -> list[str]:
    """Return the names of the positional parameters of a class or function of the workspace."""
    for file in case.code_files:
        if name not in (case.workspace.text(file) or ""):
            continue
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.ClassDef) and node.name == name:
                starts = (n for n in node.body if isinstance(n, ast.FunctionDef))
                start = next((n for n in starts if n.name == "__init__"), None)
                return [a.arg for a in start.args.args[1:]] if start is not None else []
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return [a.arg for a in node.args.args if a.arg != "self"]
    return []


def _is_open(call: ast.Call) -> bool:
    """Whether some arguments of a call are not written in it (``Net(**config)``)."""
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return starred or any(keyword.arg is None for keyword in call.keywords)


def _is_saved(case: Case, making: Making) -> bool:
    """Whether the module in which a model is made trains or saves something."""
    tree = case.workspace.tree(making.file)
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call)) if tree is not None else ()
    return any(called_name(call) in TRAINING_OR_SAVING for call in calls)


def _argument(name: str) -> str:
    """Return an argument as a sentence has it: by its name, else by its position from 1."""
    return f"argument {int(name) + 1}" if name.isdigit() else f"`{name}`"


def _unlike(case: Case, own: Making, other: Making) -> Iterator[Clue]:
    """Yield what one call gives and the other does not, and what they give differently."""
    if _is_open(own.call) or _is_open(other.call):
        return
    functions = [source(making.call.func).rpartition(".")[0] for making in (own, other)]
    if all(functions) and functions[0] != functions[1]:
        return  # Functions of two modules share a name (``torch.load``, ``torch.hub.load``).
    place = f"{other.file}:{other.call.lineno}"
    left_out = [name for name in other.given if name not in own.given]
    added = [name for name in own.given if name not in other.given]
    left_out, added = (
        [name for name in names if not HARMLESS.search(name)] for names in (left_out, added)
    )
    text, like = source(own.call), source(other.call)
    if left_out:
        names = ", ".join(map(_argument, left_out))
        why = f"`{text}` leaves out {names}, which `{like}` in {place} gives"
        yield Clue("rules.strong", own.file, own.call.lineno, 1.0, why)
        last = max((expr.lineno for expr in own.given.values()), default=own.call.lineno)
        if last != own.call.lineno:
            yield Clue("rules.strong", own.file, last, OF_LAST, why)
        yield from _not_stored(case, own, left_out)
        return
    if added:
        names = ", ".join(map(_argument, added))
        why = f"`{text}` gives {names}, which `{like}` in {place} leaves out"
        yield Clue("rules.strong", own.file, own.call.lineno, DIFFERING, why)
        yield Clue("rules.strong", other.file, other.call.lineno, OF_SAVED, why)
        return
    for name, expr in own.given.items():
        if name not in other.given:
            continue
        there = other.given[name]
        if {name_of(expr), name_of(there)} & (own.given.keys() - {name}):
            # One of them is named as another parameter: a right value stands in the wrong place.
            why = (
                f"`{name}` gets `{source(expr)}` in `{text}` and `{source(there)}` in `{like}` in "
                f"{place}"
            )
            yield Clue("rules.strong", own.file, own.call.lineno, DIFFERING, why)
            continue
        first = _constant(case, own.file, expr)
        second = _constant(case, other.file, other.given[name])
        if first is None or second is None or first.value == second.value:
            continue
        values = first.value, second.value
        what = _argument(name)
        why = f"{what} is {values[0]!r} in `{text}` and {values[1]!r} in `{like}` in {place}"
        if text == like:
            here = f"{own.file}:{own.call.lineno}"
            why = f"{what} is {values[0]!r} for `{text}` in {here}, and {values[1]!r} in {place}"
        for score, constant in ((DIFFERING, first), (OF_SAVED, second)):
            yield Clue("rules.strong", constant.file, constant.line, score, why)


OF_LAST = 0.8
"""What the last line of a call counts, behind which an argument is missing."""
FEWEST_STORED = 3
"""Keys of a table that a call reads, from which on a table with the same keys is the one stored."""


def _not_stored(case: Case, own: Making, left_out: list[str]) -> Iterator[Clue]:
    """Yield where a table is filled from which a call takes its arguments, and lacks some of them.

    What a checkpoint does not hold can not be given to the model that is made again.
    """
    read = {
        expr.slice.value: name
        for name, expr in own.given.items()
        if isinstance(expr, ast.Subscript) and isinstance(expr.slice, ast.Constant)
    }
    if len(read) < FEWEST_STORED:
        return
    for file in near_files(case)[:MOST_MAKING_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.Dict):
                continue
            lines = {k.value: k.lineno for k in node.keys if isinstance(k, ast.Constant)}
            if not read.keys() <= lines.keys() or any(name in lines for name in left_out):
                continue
            why = f"what is stored here lacks `{left_out[0]}`, which the model was made with"
            line = max(lines[key] for key in read)
            yield Clue("rules.strong", file, line, OF_LAST, why)


@dataclass(frozen=True)
class Written:
    """A constant and where it is written."""

    value: object
    file: str
    line: int


def _constant(case: Case, file: str, expr: ast.expr) -> Written | None:
    """Return the only number or word that an expression stands for."""
    if isinstance(expr, ast.Constant):
        return Written(expr.value, file, expr.lineno)
    scope = case.engine.program.scope_at(file, expr.lineno)
    if scope is None:
        return None
    node = case.engine.node(expr, case.engine.open_context(scope))
    constant = node.constant
    if constant is None:
        return None
    steps = backward_slice([node], MOST_STEPS)
    written = (s.node for s in steps if s.node.kind in (StepKind.LITERAL, StepKind.CONFIG))
    for origin in written:
        own = origin.constant
        if own is not None and own.value == constant.value and origin.line > 0:
            return Written(constant.value, origin.file, origin.line)
    return None

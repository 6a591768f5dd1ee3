"""gin-config: parameters that functions get from bindings, macros, references and scopes.

What a call gives wins over a binding, a binding over a default; the binding that was read last
counts, and that of an inner scope wins over that of an outer one.

Sources: the documentation of gin-config ("Gin User Guide") and the docstrings of
``gin/config.py``.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from dl_bug_lsp.interpretation.libraries.python.files import file_of, lines_kept, text_in
from dl_bug_lsp.interpretation.model_helpers import (
    listed,
    nothing,
    state_of,
    text_of,
    thing,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import PLAIN, NotPlain, plain
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    BoundMethod,
    ClassValue,
    FunctionValue,
    Instance,
    Library,
    LibraryObject,
    Origin,
    Origins,
    Raised,
    Value,
    merged,
)
from dl_bug_lsp.provenance.written_files import original_of
from dl_bug_lsp.workspace.configs.gin_files import MACRO, REFERENCE, gin_statements

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

REQUIRED = ("gin.REQUIRED", "gin.config.REQUIRED")
WRAPPED = "gin.Configurable"
MAIN = "__main__."
MOST_FILES = 40
MOST_BINDINGS = 4_000
MOST_NESTED = 20
LIBRARIES = {"tf": "tensorflow", "torch": "torch", "tensorflow": "tensorflow", "jax": "jax"}
"""How references begin that gin's modules for these libraries register."""


@dataclass(frozen=True, slots=True)
class _Bound:
    """What is bound: a value, or the syntax tree of one, which is worked out at every call.

    A tree of ``file`` has lines of its own; without a file all of it comes from ``origins``.
    """

    value: Value | ast.expr
    file: str = ""
    origins: Origins = NOWHERE

    @property
    def places(self) -> Origins:
        """Where the binding stands."""
        if isinstance(self.value, Value):
            return self.value.origins
        return frozenset({(self.file, self.value.lineno)}) if self.file else self.origins


_Key = tuple[str, str, str]
"""Scope, name of the function, name of its parameter."""


@dataclass(slots=True)
class _Gin:
    """What a program has registered and bound so far."""

    registered: dict[str, Value] = field(default_factory=dict)
    bindings: dict[_Key, _Bound] = field(default_factory=dict)
    macros: dict[str, _Bound] = field(default_factory=dict)
    constants: dict[str, Value] = field(default_factory=dict)
    singletons: dict[str, Value] = field(default_factory=dict)
    scopes: list[tuple[str, ...]] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    files: int = 0

    def bound_for(self, name: str) -> dict[str, _Bound]:
        """Return the bindings of a function in the scope that is open, by parameter."""
        scope = self.scopes[-1] if self.scopes else ()
        found: dict[str, _Bound] = {}
        for end in range(len(scope) + 1):
            around = "/".join(scope[:end])
            for (given, selector, parameter), bound in self.bindings.items():
                if given == around and _means(selector, name):
                    found[parameter] = bound
        return found

    def named(self, selector: str) -> tuple[str, Value] | None:
        """Return what is registered under a name or its end, None for nothing and for several."""
        if selector in self.registered:
            return selector, self.registered[selector]
        fitting = [item for item in self.registered.items() if _means(selector, item[0])]
        return fitting[0] if len(fitting) == 1 else None


_STATES: WeakKeyDictionary[Interpreter, _Gin] = WeakKeyDictionary()


def _gin(interpreter: Interpreter) -> _Gin:
    return _STATES.setdefault(interpreter, _Gin())


def _means(selector: str, name: str) -> bool:
    """Whether a selector is a name or its end."""
    selector = selector.removeprefix(MAIN)
    return name == selector or name.endswith(f".{selector}")


# --- functions and classes that are configurable --------------------------------------------------


@MODELS.function("gin.configurable", "gin.register")
def _configurable(interpreter: Interpreter, call: Call) -> Value:
    """Register a function or class; with a name or options return a decorator."""
    made = call.args[0] if call.args else None
    if made is None or isinstance(made.data, str):
        return thing(call.name.replace(".config.", "."), call)
    return _registered(interpreter, call, made, {})


@MODELS.object("gin.configurable", "gin.register")
def _decorator(interpreter: Interpreter, call: Call) -> Value:
    held = call.held
    if held is None or not call.args:
        return call.unknown()
    options = dict(held.keywords)
    if held.args:
        options["name_or_fn"] = held.args[0]
    return _registered(interpreter, call, call.args[0], options)


def _registered(
    interpreter: Interpreter, call: Call, made: Value, options: Mapping[str, Value]
) -> Value:
    name = _full_name(made, text_of(options.get("name_or_fn") or options.get("name")), options)
    if not name:
        return made
    if call.name.endswith("register"):
        _gin(interpreter).registered[name] = _wrapped(made, name, call.place)
        return made
    data = made.data
    if isinstance(data, FunctionValue):
        data.configurable = name
    elif isinstance(data, ClassValue):
        _configure_class(interpreter, data, name)
    _gin(interpreter).registered[name] = made
    return made


def _configure_class(interpreter: Interpreter, cls: ClassValue, name: str) -> None:
    """Let the constructor of a class get its parameters from bindings."""
    start = interpreter.constructor_of(cls)
    if start is None:
        cls.configurable = name
    elif "__init__" in cls.members:
        start.configurable = name
    else:
        cls.members["__init__"] = Value(replace(start, configurable=name))


def _full_name(made: Value, given: str | None, options: Mapping[str, Value]) -> str:
    """Return the dotted name under which something is registered, empty where it is not known."""
    data = made.data
    if isinstance(data, BoundMethod):
        data = data.function
    own, module = "", ""
    if isinstance(data, (FunctionValue, ClassValue)):
        own = data.name if isinstance(data, ClassValue) else getattr(data.node, "name", "")
        module = data.file.rpartition(".")[0].replace("/", ".")
        if isinstance(data, FunctionValue) and data.owner is not None:
            module = f"{module}.{data.owner.name}"
    elif isinstance(data, (Library, LibraryObject)):
        module, _, own = data.name.rpartition(".")
    module = text_of(options.get("module")) or module
    name = given or own
    return f"{module}.{name}" if module and name else name


@MODELS.function("gin.external_configurable")
def _external(interpreter: Interpreter, call: Call) -> Value:
    made = call.given(0, "fn_or_cls")
    if made is None:
        return call.unknown()
    name = _full_name(made, text_of(call.given(1, "name")), call.keywords)
    wrapped = _wrapped(made, name, call.place)
    _gin(interpreter).registered[name] = wrapped
    return wrapped


def _wrapped(made: Value, name: str, place: Origin, scope: str = "") -> Value:
    """Return what calls something with the bindings of its name, perhaps in a scope."""
    state = {"wrapped": made, "name": Value(name), "scope": Value(scope)}
    return Value(LibraryObject(WRAPPED, (), {}, place, state), made.origins)


@MODELS.object(WRAPPED)
def _called(interpreter: Interpreter, call: Call) -> Value:
    made, name = call.state["wrapped"], str(call.state["name"].data)
    scope = str(call.state["scope"].data)
    gin = _gin(interpreter)
    if scope:
        gin.scopes.append(tuple(scope.split("/")))
    try:
        args, keywords = call.args, call.keywords
        if not _configures_itself(interpreter, made):
            parameters = _parameters(interpreter, made)
            args, keywords = _with_bindings(
                interpreter, name, parameters, args, keywords, call.place
            )
        return interpreter.call(made, args, keywords, call.place)
    finally:
        if scope:
            gin.scopes.pop()


def _configures_itself(interpreter: Interpreter, made: Value) -> bool:
    """Whether the bindings are looked up where the body of a function is entered."""
    data = made.data
    if isinstance(data, LibraryObject):
        return data.name == WRAPPED
    if isinstance(data, ClassValue):
        start = interpreter.constructor_of(data)
        return bool(data.configurable or (start is not None and start.configurable))
    return isinstance(data, FunctionValue) and bool(data.configurable)


def _parameters(interpreter: Interpreter, made: Value) -> list[str] | None:
    """Return the names of the positional parameters of what is called, None where not known."""
    data, receivers = made.data, 0
    if isinstance(data, BoundMethod):
        data, receivers = data.function, 1
    if isinstance(data, ClassValue):
        start = interpreter.constructor_of(data)
        if start is None:
            return list(interpreter.fields_of(data)) or None
        data, receivers = start, 1
    if not isinstance(data, FunctionValue):
        return None
    arguments = data.node.args
    return [p.arg for p in (*arguments.posonlyargs, *arguments.args)][receivers:]


def with_bindings(
    interpreter: Interpreter,
    function: FunctionValue,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
) -> tuple[tuple[Value, ...], Mapping[str, Value]]:
    """Return the arguments of a configurable function with those that bindings give it.

    Raises `Raised` ("arguments") where a parameter is left without a value.
    """
    arguments = function.node.args
    names = [p.arg for p in (*arguments.posonlyargs, *arguments.args)]
    place = interpreter.stack[-1] if interpreter.stack else (function.file, function.node.lineno)
    given = dict(function.defaults)
    args, keywords = _with_bindings(
        interpreter, function.configurable, names, args, keywords, place, given
    )
    for name in names[len(args) :]:
        if name not in keywords and name not in function.defaults:
            near = _near(_gin(interpreter), function.configurable, name)
            raise Raised("arguments", f"missing argument '{name}'", Value(name, near))
    return args, keywords


def fields_with_bindings(
    interpreter: Interpreter,
    cls: ClassValue,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    place: Origin,
) -> tuple[tuple[Value, ...], Mapping[str, Value]]:
    """Return the arguments of a configurable class without a constructor of its own."""
    names = list(interpreter.fields_of(cls)) or None
    return _with_bindings(interpreter, cls.configurable, names, args, keywords, place)


def _with_bindings(
    interpreter: Interpreter,
    name: str,
    parameters: Sequence[str] | None,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    place: Origin,
    defaults: Mapping[str, Value] | None = None,
) -> tuple[tuple[Value, ...], Mapping[str, Value]]:
    gin = _gin(interpreter)
    bound = gin.bound_for(name)
    given = list(args)
    for at, parameter in enumerate((parameters or ())[: len(args)]):
        binding = bound.pop(parameter, None)
        if _is_required(args[at]):
            given[at] = _bound_value(interpreter, gin, name, parameter, binding, place)
    filled = {
        parameter: _worked_out(interpreter, binding, place)
        for parameter, binding in bound.items()
        if parameter not in keywords or _is_required(keywords[parameter])
    }
    for parameter, value in {**(defaults or {}), **keywords}.items():
        is_given = parameter in filled or parameter in (parameters or ())[: len(args)]
        if _is_required(value) and not is_given:
            _bound_value(interpreter, gin, name, parameter, None, place)
    own = {p: value for p, value in keywords.items() if not _is_required(value)}
    return tuple(given), {**filled, **own}


def _is_required(value: Value) -> bool:
    return isinstance(value.data, Library) and value.data.name in REQUIRED


def _bound_value(
    interpreter: Interpreter,
    gin: _Gin,
    name: str,
    parameter: str,
    bound: _Bound | None,
    place: Origin,
) -> Value:
    """Return what is bound to a parameter that must be bound."""
    if bound is not None:
        return _worked_out(interpreter, bound, place)
    last = name.rpartition(".")[2]
    refusal = f"Required bindings for `{last}` not provided in config: ['{parameter}']"
    raise Raised("arguments", refusal, Value(parameter, _near(gin, name, parameter)))


def _near(gin: _Gin, name: str, parameter: str) -> Origins:
    """Return where a parameter may have been meant to be bound: a slip in a name or a scope."""
    found: set[Origin] = set()
    for (_, selector, other), bound in gin.bindings.items():
        is_own = _means(selector, name)
        if other == parameter or (is_own and difflib.get_close_matches(other, [parameter])):
            found |= bound.places
    return frozenset(found)


# --- values ---------------------------------------------------------------------------------------


def _worked_out(interpreter: Interpreter, bound: _Bound, place: Origin) -> Value:
    """Return what a binding gives at a call."""
    if isinstance(bound.value, Value):
        return bound.value
    return _value(interpreter, bound.value, bound, place, MOST_NESTED)


def _value(
    interpreter: Interpreter, node: ast.expr, bound: _Bound, place: Origin, depth: int
) -> Value:
    at = frozenset({(bound.file, node.lineno)}) if bound.file else bound.origins
    if not depth:
        return Value(UNKNOWN, at)
    if isinstance(node, ast.Call):
        return _referred(interpreter, node, at, place, depth)
    if isinstance(node, (ast.List, ast.Tuple)):
        items = [_value(interpreter, item, bound, place, depth - 1) for item in node.elts]
        return Value(items if isinstance(node, ast.List) else tuple(items), at)
    if isinstance(node, ast.Dict):
        entries: dict[object, Value] = {}
        for key, item in zip(node.keys, node.values, strict=True):
            with suppress(NotPlain, TypeError):
                named = None if key is None else _value(interpreter, key, bound, place, depth - 1)
                if named is not None:
                    entries[plain(named)] = _value(interpreter, item, bound, place, depth - 1)
        return Value(entries, at)
    with suppress(ValueError, TypeError):
        literal = ast.literal_eval(node)
        if isinstance(literal, PLAIN):
            return Value(literal, at)
    return Value(UNKNOWN, at)


def _referred(
    interpreter: Interpreter, node: ast.Call, at: Origins, place: Origin, depth: int
) -> Value:
    """Return what ``%name``, ``@name`` or ``@name()`` gives."""
    inner = node.func if isinstance(node.func, ast.Call) else node
    name = inner.args[0].value if inner.args and isinstance(inner.args[0], ast.Constant) else None
    called = inner.func.id if isinstance(inner.func, ast.Name) else ""
    if not isinstance(name, str) or called not in (MACRO, REFERENCE):
        return Value(UNKNOWN, at)
    if called == MACRO:
        return _macro(interpreter, name, at, place, depth)
    if name.rpartition("/")[2] in ("singleton", "gin.singleton") and inner is not node:
        return _singleton(interpreter, name.rpartition("/")[0], at, place)
    target = _reference(interpreter, name, at, place)
    if inner is node or not target.known:
        return target
    result = interpreter.call(target, (), {}, place)
    return Value(result.data, result.origins | at)


def _macro(interpreter: Interpreter, name: str, at: Origins, place: Origin, depth: int) -> Value:
    gin = _gin(interpreter)
    bound = gin.macros.get(name)
    if bound is not None:
        if isinstance(bound.value, Value):
            return Value(bound.value.data, bound.value.origins | at)
        value = _value(interpreter, bound.value, bound, place, depth - 1)
        return Value(value.data, value.origins | at)
    fitting = [v for constant, v in gin.constants.items() if _means(name, constant)]
    if len(fitting) == 1:
        return Value(fitting[0].data, fitting[0].origins | at)
    if interpreter.is_failing() and not fitting:
        near = difflib.get_close_matches(name, gin.macros, n=1)
        origins = at.union(*(gin.macros[n].places for n in near))
        raise Raised("arguments", f"No value for macro `{name}`", Value(name, origins))
    return Value(UNKNOWN, at)


def _reference(interpreter: Interpreter, name: str, at: Origins, place: Origin) -> Value:
    scope, _, selector = name.rpartition("/")
    found = _gin(interpreter).named(selector)
    if found is None:
        root, _, rest = selector.partition(".")
        if rest and root in LIBRARIES:
            made = Value(Library(f"{LIBRARIES[root]}.{rest}"), at)
            return _wrapped(made, selector, place, scope)
        if interpreter.is_failing():
            refusal = f"No configurable matching reference '@{name}'."
            raise Raised("value", refusal, Value(name, at))
        return Value(UNKNOWN, at)
    full, made = found
    if scope:
        made = _wrapped(made, full, place, scope)
    return Value(made.data, made.origins | at)


def _singleton(interpreter: Interpreter, scope: str, at: Origins, place: Origin) -> Value:
    """Return the one object of a scope that ``singleton.constructor`` makes."""
    gin = _gin(interpreter)
    if scope not in gin.singletons:
        bound = gin.bindings.get((scope, "singleton", "constructor"))
        bound = bound or gin.bindings.get((scope, "gin.singleton", "constructor"))
        if bound is None:
            return Value(UNKNOWN, at)
        made = _worked_out(interpreter, bound, place)
        gin.singletons[scope] = interpreter.call(made, (), {}, place)
    return gin.singletons[scope]


# --- reading bindings -----------------------------------------------------------------------------


@MODELS.function("gin.parse_config_file")
def _parse_file(interpreter: Interpreter, call: Call) -> Value:
    refusals: list[Raised] = []
    _read_file(interpreter, call.given(0, "config_file"), refusals)
    if refusals:
        raise refusals[0]
    return call.unknown()


@MODELS.function("gin.parse_config")
def _parse(interpreter: Interpreter, call: Call) -> Value:
    refusals: list[Raised] = []
    _read_bindings(interpreter, call.given(0, "bindings"), refusals)
    if refusals:
        raise refusals[0]
    return call.unknown()


@MODELS.function("gin.parse_config_files_and_bindings")
def _parse_files(interpreter: Interpreter, call: Call) -> Value:
    refusals: list[Raised] = []
    files, bindings = call.given(0, "config_files"), call.given(1, "bindings")
    paths = listed(interpreter, files) if files is not None and files.data is not None else []
    if files is not None and (paths is None or isinstance(files.data, str)):
        paths = [files if isinstance(files.data, str) else Value(UNKNOWN, files.origins)]
    for path in paths or ():
        _read_file(interpreter, path, refusals)
    if bindings is not None and bindings.data is not None:
        _read_bindings(interpreter, bindings, refusals)
    if refusals:
        raise refusals[0]
    return call.unknown()


def _read_file(interpreter: Interpreter, path: Value | None, refusals: list[Raised]) -> None:
    """Read the bindings of a file; of one that is not known those of the run's settings."""
    file: str | None = None
    gin = _gin(interpreter)
    written = text_of(path)
    try:
        file = file_of(interpreter, path, (".gin",))
    except Raised as raised:
        joined = (f"{folder}/{written}" for folder in gin.folders)
        file = next((f for j in joined if (f := interpreter.workspace.file_named(j))), None)
        if file is None:
            refusals.append(raised)
    if file is None and path is not None and (not path.known or "$" in (written or "")):
        file = interpreter.settings
    text = text_in(interpreter, file)
    lines = lines_kept(interpreter, path) if file is None else None
    if lines is not None and isinstance(lines.data, list) and gin.files < MOST_FILES:
        gin.files += 1
        whole = "".join(str(line.data) for line in lines.data)
        _read(interpreter, whole, "", [line.origins for line in lines.data], refusals)
    if text is None or file is None or gin.files >= MOST_FILES:
        return
    gin.files += 1
    _read(interpreter, text, file, NOWHERE, refusals)


def _read_bindings(interpreter: Interpreter, given: Value | None, refusals: list[Raised]) -> None:
    """Read what is given as a text, as a list of texts, or as an open file."""
    file = state_of(given, "file").data
    if isinstance(file, str):
        _read(interpreter, text_in(interpreter, file) or "", file, NOWHERE, refusals)
        return
    is_text = given is not None and isinstance(given.data, str)
    parts = [given] if is_text else listed(interpreter, given)
    for part in parts or ():
        if part is None or not isinstance(part.data, str):
            continue
        whole = min(part.origins, default=("", 0))
        if whole[1] == 1 and interpreter.workspace.text(whole[0]) == part.data:
            _read(interpreter, part.data, whole[0], NOWHERE, refusals)
        else:
            _read(interpreter, part.data, "", part.origins, refusals)


def _read(
    interpreter: Interpreter,
    text: str,
    file: str,
    origins: Origins | Sequence[Origins],
    refusals: list[Raised],
) -> None:
    """Keep the bindings of a text; the first refusal is raised when all of them are kept.

    ``origins`` are those of a text of no file, or of each of its lines.
    """
    gin = _gin(interpreter)
    original = original_of(interpreter.workspace, file) if file else None
    copied = text_in(interpreter, original.file) if original is not None else None
    own = (copied or "").rstrip()
    if original is not None:
        text = own + original.rest
    for statement in gin_statements(text):
        is_copied = statement.end_line <= own.count("\n") + 1
        source = original.file if is_copied and original is not None else file
        if file:
            at: Origins = frozenset({(source, statement.line)})
        else:
            at = origins if isinstance(origins, frozenset) else origins[statement.line - 1]
        if statement.kind == "include":
            _read_file(interpreter, Value(statement.name, at), refusals)
        elif statement.kind == "import":
            module = interpreter.workspace.module_file(statement.name, interpreter.script)
            if module is not None:
                interpreter.module(module, statement.name)
        elif statement.kind == "problem":
            refusals.append(Raised("value", "Unable to parse value.", Value(UNKNOWN, at)))
        elif statement.value is not None and len(gin.bindings) < MOST_BINDINGS:
            _bind(interpreter, statement.name, _Bound(statement.value, source, at), refusals)


def _bind(interpreter: Interpreter, name: str, bound: _Bound, refusals: list[Raised]) -> None:
    gin = _gin(interpreter)
    scope, _, rest = name.rpartition("/")
    selector, _, parameter = rest.rpartition(".")
    if not selector or (selector in ("macro", "gin.macro") and parameter == "value"):
        macro = name if not selector else scope
        gin.macros[macro] = bound
        return
    found = gin.named(selector)
    if found is not None and not _takes(interpreter, found[1], parameter):
        refusal = f"Configurable '{selector}' doesn't have a parameter named '{parameter}'."
        made = Value(UNKNOWN, _place_of(found[1]))
        refusals.append(Raised("value", refusal, Value(parameter, bound.places), made))
        return
    if found is None and interpreter.is_failing() and "singleton" not in selector:
        refusal = f"No configurable matching '{selector}'."
        refusals.append(Raised("value", refusal, Value(selector, bound.places)))
    key = (scope, selector if found is None else found[0], parameter)
    gin.bindings.pop(key, None)
    gin.bindings[key] = bound


def _takes(interpreter: Interpreter, made: Value, parameter: str) -> bool:
    """Whether something may have a parameter."""
    data = made.data
    if isinstance(data, LibraryObject) and data.name == WRAPPED:
        data = data.state["wrapped"].data
    if isinstance(data, ClassValue):
        start = interpreter.constructor_of(data)
        if start is None:
            fields = interpreter.fields_of(data)
            return parameter in fields or not data.is_dataclass
        data = start
    if not isinstance(data, FunctionValue):
        return True
    arguments = data.node.args
    names = {p.arg for p in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    return arguments.kwarg is not None or parameter in names


def _place_of(made: Value) -> Origins:
    data = made.data
    if isinstance(data, (FunctionValue, ClassValue)):
        return frozenset({(data.file, data.node.lineno)})
    return made.origins


@MODELS.function("gin.bind_parameter")
def _bind_parameter(interpreter: Interpreter, call: Call) -> Value:
    name, value = call.given(0, "binding_key"), call.given(1, "value")
    refusals: list[Raised] = []
    if name is not None and isinstance(name.data, str) and value is not None:
        place = value.origins | {call.place}
        _bind(interpreter, name.data, _Bound(Value(value.data, place)), refusals)
    if refusals:
        raise refusals[0]
    return Value(None)


@MODELS.function("gin.query_parameter")
def _query(interpreter: Interpreter, call: Call) -> Value:
    """Return what is bound to a parameter; defaults do not count."""
    name, gin = call.given(0, "binding_key"), _gin(interpreter)
    if name is None or not isinstance(name.data, str):
        return call.unknown()
    scope, _, rest = name.data.rpartition("/")
    selector, _, parameter = rest.rpartition(".")
    bound: _Bound | None = None
    if not selector or name.data.startswith("%"):
        bound = gin.macros.get(name.data.lstrip("%"))
    for (around, own, other), held in gin.bindings.items():
        if (around, other) == (scope, parameter) and (_means(selector, own) or own == selector):
            bound = held
    if bound is not None:
        return _worked_out(interpreter, bound, call.place)
    if not gin.bindings:
        return call.unknown()
    refusal = f"Configurable '{selector}' has no value bound for parameter '{parameter}'."
    raise Raised("value", refusal, name, Value(UNKNOWN, _near(gin, selector, parameter)))


@MODELS.function("gin.get_bindings")
def _get_bindings(interpreter: Interpreter, call: Call) -> Value:
    asked = call.given(0, "fn_or_cls_or_selector")
    if asked is None:
        return call.unknown()
    name = asked.data if isinstance(asked.data, str) else _full_name(asked, None, {})
    gin = _gin(interpreter)
    found = gin.named(name) if name else None
    if found is None:
        return call.unknown()
    bound = gin.bound_for(found[0])
    return Value({key: _worked_out(interpreter, b, call.place) for key, b in bound.items()})


# --- scopes, constants and the rest ---------------------------------------------------------------


@MODELS.function("gin.config_scope")
def _scope(_: Interpreter, call: Call) -> Value:
    return thing("gin.config_scope", call, scope=call.given(0, "name_or_scope") or Value(None))


@MODELS.method("config_scope", "__enter__")
def _scope_entered(interpreter: Interpreter, call: Call) -> Value:
    gin, given = _gin(interpreter), call.state["scope"].data
    around = gin.scopes[-1] if gin.scopes else ()
    parts = tuple(given.split("/")) if isinstance(given, str) and given else ()
    gin.scopes.append((*around, *parts) if parts else ())
    return Value([Value(part) for part in gin.scopes[-1]])


@MODELS.method("config_scope", "__exit__")
def _scope_left(interpreter: Interpreter, call: Call) -> Value:
    del call
    if _gin(interpreter).scopes:
        _gin(interpreter).scopes.pop()
    return Value(None)


@MODELS.function("gin.constant")
def _constant(interpreter: Interpreter, call: Call) -> Value:
    name, value = call.given(0, "name"), call.given(1, "value")
    if name is None or value is None or not isinstance(name.data, str):
        return call.unknown()
    _gin(interpreter).constants[name.data] = value
    return value


@MODELS.function("gin.constants_from_enum")
@MODELS.object("gin.constants_from_enum")
def _constants(interpreter: Interpreter, call: Call) -> Value:
    """Make the members of an enumeration constants."""
    made = call.args[0] if call.args else None
    if made is None:
        return thing("gin.constants_from_enum", call)
    members = interpreter.iterate(made) if isinstance(made.data, ClassValue) else ()
    module = _full_name(made, None, {} if call.held is None else call.held.keywords)
    for member in members if isinstance(members, list) else ():
        if isinstance(member.data, Instance) and "name" in member.data.attributes:
            name = member.data.attributes["name"].data
            _gin(interpreter).constants[f"{module}.{name}"] = member
    return made


@MODELS.function("gin.clear_config")
def _cleared(interpreter: Interpreter, call: Call) -> Value:
    gin = _gin(interpreter)
    gin.bindings.clear()
    gin.macros.clear()
    gin.singletons.clear()
    keeps = call.given(0, "clear_constants")
    if keeps is not None and keeps.data is True:
        gin.constants.clear()
    return Value(None)


@MODELS.function("gin.add_config_file_search_path")
def _searched(interpreter: Interpreter, call: Call) -> Value:
    folder = text_of(call.given(0, "location_prefix"))
    if folder is not None:
        _gin(interpreter).folders.append(folder.rstrip("/"))
    return Value(None)


@MODELS.function("gin.current_scope")
def _current_scope(interpreter: Interpreter, call: Call) -> Value:
    del call
    gin = _gin(interpreter)
    return Value([Value(part) for part in (gin.scopes[-1] if gin.scopes else ())])


MODELS.function("gin.finalize", "gin.enter_interactive_mode", "gin.exit_interactive_mode")(nothing)


@MODELS.function("gin.config_str", "gin.operative_config_str", "gin.markdown")
def _shown(interpreter: Interpreter, call: Call) -> Value:
    del call
    places = (bound.places for bound in _gin(interpreter).bindings.values())
    return Value(UNKNOWN, merged(*(Value(None, place) for place in places)))

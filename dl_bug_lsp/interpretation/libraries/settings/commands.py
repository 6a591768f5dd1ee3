"""Command lines that libraries make of functions: Click, Typer, Fire, tyro, jsonargparse, absl.

The parameters of a command become arguments of ``argparse``, whose models read the words.

Sources: Click's documentation ("Options", "Arguments", "Commands and Groups"), Typer's ("CLI
Options"), Fire's ("The Python Fire Guide"), tyro's, jsonargparse's, and those of ``absl.flags`` and
``absl.app``.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from dl_bug_lsp.interpretation.callbacks import declared
from dl_bug_lsp.interpretation.libraries.python.command_lines import ACTIONS, DEFAULTS, parse
from dl_bug_lsp.interpretation.model_helpers import thing, with_origins
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import PLAIN
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    BoundMethod,
    ClassValue,
    FunctionValue,
    Instance,
    Library,
    LibraryObject,
    Origin,
    Raised,
    Value,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

CONTEXT = "click.core.Context"
TYPES = {
    **dict.fromkeys(("INT", "IntRange", "int"), "int"),
    **dict.fromkeys(("FLOAT", "FloatRange", "float"), "float"),
    **dict.fromkeys(("STRING", "str", "Choice"), "str"),
}
"""Python's types by the types of Click, whose checks of ranges are left out."""
COMMANDS: WeakKeyDictionary[Interpreter, dict[ast.AST, dict[str, Value]]] = WeakKeyDictionary()
"""The commands below each Click group of an interpreted program, by their names."""
FLAGS: WeakKeyDictionary[Interpreter, dict[str, Value]] = WeakKeyDictionary()
"""The flags that an interpreted program has defined with absl."""
LIKE = {int: "int", float: "float", str: "str"}


def _action(place: Origin, flags: Sequence[str], **keywords: Value) -> Value:
    names = tuple(Value(flag) for flag in flags)
    return Value(LibraryObject("argparse.Action", names, keywords, place))


def _read(
    interpreter: Interpreter, actions: list[Value], words: Sequence[Value] | None, place: Origin
) -> dict[str, Value]:
    """Return the values of arguments by their names."""
    call = Call("argparse.ArgumentParser", (), {}, place)
    parser = thing(call.name, call, **{ACTIONS: Value(actions), DEFAULTS: Value({})})
    names, _ = parse(interpreter, call, parser, words, True)
    return names


def _called(function: FunctionValue, *names: str) -> list[ast.Call]:
    """Return the decorators of a function that are calls of one of some names."""
    values = []
    for decorator in getattr(function.node, "decorator_list", ()):
        if isinstance(decorator, ast.Call):
            func = decorator.func
            last = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
            if last in names:
                values.append(decorator)
    return values


# --- Click ----------------------------------------------------------------------------------------


@MODELS.function("click.command", "click.group", "rich_click.command", "rich_click.group")
def _click_command(interpreter: Interpreter, call: Call) -> Value:
    if call.args and isinstance(call.args[0].data, FunctionValue):
        call.args[0].data.kind = "command"
        return call.args[0]
    return thing("click.registrar", call)


@MODELS.method("FunctionValue", "command", "group")
def _click_subcommand(_: Interpreter, call: Call) -> Value:
    group = call.receiver if call.receiver is not None else Value(UNKNOWN)
    return thing("click.registrar", call, group=group)


@MODELS.object("click.registrar")
def _click_registered(interpreter: Interpreter, call: Call) -> Value:
    made, registrar = call.given(0), None if call.receiver is None else call.receiver.data
    if made is None or not isinstance(made.data, FunctionValue):
        return call.unknown()
    made.data.kind = "command"
    if isinstance(registrar, LibraryObject):
        group, name = registrar.state.get("group"), registrar.args[:1]
        if group is not None and isinstance(group.data, FunctionValue):
            _keep(
                interpreter, group.data, made, name[0] if name else registrar.keywords.get("name")
            )
    return made


def _keep(interpreter: Interpreter, group: FunctionValue, made: Value, name: Value | None) -> None:
    called = getattr(made.data.node, "name", "") if isinstance(made.data, FunctionValue) else ""
    text = name.data if name is not None and isinstance(name.data, str) else called
    COMMANDS.setdefault(interpreter, {}).setdefault(group.node, {})[text.replace("_", "-")] = made


@MODELS.method("FunctionValue", "add_command")
def _click_added(interpreter: Interpreter, call: Call) -> Value:
    group, made = call.receiver, call.given(0, "cmd")
    if group is not None and isinstance(group.data, FunctionValue) and made is not None:
        _keep(interpreter, group.data, made, call.given(1, "name"))
    return Value(None)


@MODELS.method("FunctionValue", "main")
def _click_main(interpreter: Interpreter, call: Call) -> Value:
    if call.receiver is None:
        return call.unknown()
    return interpreter.call(call.receiver, call.args, call.keywords, call.place)


def run_command(
    interpreter: Interpreter, function: FunctionValue, call: Call, context: Value | None = None
) -> Value:
    """Call a Click command as its words, or those of the program's command line, say."""
    given = call.given(0, "args")
    words: Sequence[Value] | None = interpreter.arguments
    if given is not None and isinstance(given.data, (list, tuple)):
        words = given.data
    below = COMMANDS.get(interpreter, {}).get(function.node, {})
    at = next((i for i, w in enumerate(words or ()) if str(w.data) in below), None)
    own = words if words is None or at is None else words[:at]
    names = _read(interpreter, _click_actions(interpreter, function, call.place), own, call.place)
    held = call.keywords.get("obj", Value({}))
    state = {"obj": held, "params": Value(dict(names))}
    context_value = context or Value(LibraryObject(CONTEXT, (), {}, call.place, state))
    parameters = [p.arg for p in (*function.node.args.posonlyargs, *function.node.args.args)]
    passed = {name: value for name, value in names.items() if name in parameters}
    missing = [name for name in parameters if name not in passed]
    handed = state["obj"] if context is None else _object_of(context)
    first = handed if _decorated(function, "pass_obj") else context_value
    passed.update({name: first for name in missing if name not in function.defaults})
    if function.node.args.kwarg is not None:
        passed.update(names)
    result = interpreter.enter(function, (), passed)
    if words is not None and at is not None:
        made_below = below[str(words[at].data)].data
        if isinstance(made_below, FunctionValue):
            rest = Call(call.name, (Value(list(words[at + 1 :])),), {}, call.place)
            return run_command(interpreter, made_below, rest, context_value)
    return result


def _object_of(context: Value) -> Value:
    data = context.data
    return data.state["obj"] if isinstance(data, LibraryObject) else Value(UNKNOWN)


def _decorated(function: FunctionValue, name: str) -> bool:
    decorators = getattr(function.node, "decorator_list", ())
    return any(ast.unparse(decorator).rpartition(".")[2] == name for decorator in decorators)


def _click_actions(interpreter: Interpreter, function: FunctionValue, place: Origin) -> list[Value]:
    """Return the options and arguments of a Click command as those of a parser."""
    actions: list[Value] = []
    # The decorator that is written last is applied first; arguments are listed as written.
    for decorator in _called(function, "option", "argument"):
        env, own_place = function.closure, (function.file, decorator.lineno)
        texts = [interpreter.value(arg, env).data for arg in decorator.args]
        keywords = {k.arg: interpreter.value(k.value, env) for k in decorator.keywords if k.arg}
        names = [text for text in texts if isinstance(text, str)]
        flags = [name for name in names if name.startswith("-")]
        if names and not flags:
            actions.append(_click_argument(own_place, names[0], keywords))
        elif flags:
            own = [name for name in names if not name.startswith("-")]
            actions.extend(_click_option(own_place, flags, own, keywords))
    del place
    return actions


def _type_of(given: Value | None, default: Value | None) -> dict[str, Value]:
    """Return the type of an argument: Click's or Python's, else that of the default."""
    data = None if given is None else given.data
    name = data.name if isinstance(data, (Library, LibraryObject)) else ""
    short = TYPES.get(name.rpartition(".")[2])
    if isinstance(data, LibraryObject) and "path_type" in data.keywords:
        return {"type": data.keywords["path_type"]}
    if short is None and given is None and default is not None:
        short = LIKE.get(type(default.data))
    if short is not None:
        return {"type": Value(Library(f"builtins.{short}"))}
    is_called = given is not None and isinstance(data, (FunctionValue, Library))
    return {"type": given} if is_called and given is not None else {}


def _click_argument(place: Origin, name: str, keywords: Mapping[str, Value]) -> Value:
    default, nargs = keywords.get("default"), keywords.get("nargs")
    options = _type_of(keywords.get("type"), default)
    if nargs is not None and isinstance(nargs.data, int) and nargs.data != 1:
        options["nargs"] = Value("*") if nargs.data < 0 else nargs
    elif default is not None or ((required := keywords.get("required")) and required.data is False):
        options["nargs"] = Value("?")
    if default is not None:
        options["default"] = default
    return _action(place, [name.replace("-", "_").lower()], **options)


def _click_option(
    place: Origin, flags: Sequence[str], own: Sequence[str], keywords: Mapping[str, Value]
) -> list[Value]:
    pairs = [flag.partition("/") for flag in flags]
    on = [first.strip() for first, _, _ in pairs]
    off = [second.strip() for _, _, second in pairs if second.strip()]
    long = next((flag for flag in on if flag.startswith("--")), on[0])
    name = own[0] if own else long.lstrip("-").replace("-", "_").lower()
    dest, default = Value(name), keywords.get("default")
    is_flag, multiple = keywords.get("is_flag"), keywords.get("multiple")
    if off or (is_flag is not None and is_flag.data is True):
        value = default if default is not None else Value(False, frozenset({place}))
        flag_value = keywords.get("flag_value", Value(True))
        options = {"dest": dest, "default": value}
        actions = [_action(place, on, action=Value("store_const"), const=flag_value, **options)]
        if flag_value.data is True:
            actions = [_action(place, on, action=Value("store_true"), **options)]
        return actions + [_action(place, [f], action=Value("store_false"), **options) for f in off]
    options = {"dest": dest, **_type_of(keywords.get("type"), default)}
    if keywords.get("count", dest).data is True:
        return [_action(place, on, dest=dest, action=Value("count"), default=default or Value(0))]
    if multiple is not None and multiple.data is True:
        options["action"] = Value("append")
        default = default if default is not None else Value((), frozenset({place}))
    nargs = keywords.get("nargs")
    if nargs is not None:
        options["nargs"] = nargs
    if default is not None:
        options["default"] = default
    return [_action(place, on, **options)]


# --- Typer ----------------------------------------------------------------------------------------


@MODELS.method("Typer", "command", "callback")
def _typer_command(_: Interpreter, call: Call) -> Value:
    app = call.receiver if call.receiver is not None else Value(UNKNOWN)
    return thing("typer.registrar", call, app=app, callback=Value(call.name == "callback"))


@MODELS.object("typer.registrar")
def _typer_registered(_: Interpreter, call: Call) -> Value:
    made, registrar = call.given(0), None if call.receiver is None else call.receiver.data
    if made is None or not isinstance(made.data, FunctionValue):
        return call.unknown()
    if isinstance(registrar, LibraryObject) and isinstance(
        app := registrar.state["app"].data, LibraryObject
    ):
        if registrar.state["callback"].data:
            app.state["callback"] = made
            return made
        name = registrar.args[0] if registrar.args else registrar.keywords.get("name")
        text = getattr(made.data.node, "name", "").replace("_", "-")
        text = name.data if name is not None and isinstance(name.data, str) else text
        commands = app.state.setdefault("commands", Value({})).data
        if isinstance(commands, dict):
            commands[text] = made
    return made


@MODELS.method("Typer", "add_typer")
def _typer_added(_: Interpreter, call: Call) -> Value:
    app, other = None if call.receiver is None else call.receiver.data, call.given(0)
    name = call.keywords.get("name")
    if isinstance(app, LibraryObject) and other is not None and name is not None:
        commands = app.state.setdefault("commands", Value({})).data
        if isinstance(commands, dict) and isinstance(name.data, str):
            commands[name.data] = other
    return Value(None)


@MODELS.object("typer.Typer", "typer.main.Typer")
def _typer_app(interpreter: Interpreter, call: Call) -> Value:
    return _typer_run(interpreter, call.receiver, interpreter.arguments, call.place)


def _typer_run(
    interpreter: Interpreter, app: Value | None, words: Sequence[Value] | None, place: Origin
) -> Value:
    data = None if app is None else app.data
    commands = data.state.get("commands", Value({})).data if isinstance(data, LibraryObject) else {}
    if not isinstance(data, LibraryObject) or not isinstance(commands, dict) or not commands:
        return Value(UNKNOWN)
    callback, chosen = data.state.get("callback"), None
    if len(commands) == 1 and callback is None:
        chosen = next(iter(commands.values()))
    elif words is not None:
        at = next((i for i, word in enumerate(words) if word.data in commands), None)
        if callback is not None:
            _run_function(interpreter, callback, words[:at], place)
        if at is not None:
            chosen, words = commands[words[at].data], words[at + 1 :]
    if chosen is None:
        return Value(UNKNOWN)
    if isinstance(chosen.data, LibraryObject):
        return _typer_run(interpreter, chosen, words, place)
    return _run_function(interpreter, chosen, words, place)


@MODELS.function("typer.run", "typer.main.run")
def _typer_once(interpreter: Interpreter, call: Call) -> Value:
    if not call.args:
        return call.unknown()
    return _run_function(interpreter, call.args[0], interpreter.arguments, call.place)


@MODELS.function("typer.echo", "typer.secho", "click.echo", "click.secho")
def _echoed(_: Interpreter, call: Call) -> Value:
    return Value(None)


@MODELS.function("typer.style", "click.style")
def _styled(_: Interpreter, call: Call) -> Value:
    return call.unknown()


def _run_function(
    interpreter: Interpreter, value: Value, words: Sequence[Value] | None, place: Origin
) -> Value:
    """Call a function whose parameters without a default are arguments, the others options."""
    function = value.data
    if not isinstance(function, FunctionValue):
        return Value(UNKNOWN)
    actions = _parameters(interpreter, function)
    return interpreter.call(value, (), _read(interpreter, actions, words, place), place)


def _parameters(interpreter: Interpreter, function: FunctionValue) -> list[Value]:
    given = function.node.args
    parameters = []
    for parameter in (*given.posonlyargs, *given.args, *given.kwonlyargs):
        default = function.defaults.get(parameter.arg)
        declaration = None if default is None else default.data
        annotation, about = _annotated(parameter.annotation)
        if about is not None:
            with suppress(Raised):
                declaration = interpreter.value(about, function.closure).data
        place = (function.file, parameter.lineno)
        parameters.extend(
            _typer_parameter(
                interpreter, function, parameter.arg, default, declaration, annotation, place
            )
        )
    return parameters


def _annotated(node: ast.expr | None) -> tuple[ast.expr | None, ast.expr | None]:
    """Return the type in an ``Annotated``, and what is said of it."""
    if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("Annotated"):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
        if len(parts) > 1:
            return parts[0], parts[1]
    return node, None


def _typer_parameter(
    interpreter: Interpreter,
    function: FunctionValue,
    name: str,
    default: Value | None,
    declaration: object,
    annotation: ast.expr | None,
    place: Origin,
) -> list[Value]:
    flags = [f"--{name.replace('_', '-')}"]
    is_argument = default is None
    if isinstance(declaration, LibraryObject) and declaration.short in ("Option", "Argument"):
        is_argument = declaration.short == "Argument"
        names = [a.data for a in declaration.args]
        flags = [t for t in names if isinstance(t, str) and t.startswith("-")] or flags
        if default is not None and default.data is declaration:
            default = declared(default)
            default = default if default.known else None
    kind = _kind(interpreter, function, annotation)
    keywords: dict[str, Value] = {} if default is None else {"default": default}
    is_list = isinstance(kind, ast.Subscript)
    if is_argument:
        if is_list:
            keywords["nargs"] = Value("*")
        elif default is not None:
            keywords["nargs"] = Value("?")
        return [_action(place, [name], **keywords, **_typed(interpreter, function, kind))]
    keywords["dest"] = Value(name)
    if isinstance(kind, ast.Name) and kind.id == "bool":
        pairs = [flag.partition("/") for flag in flags]
        on = [first for first, _, _ in pairs]
        off = [second for _, _, second in pairs if second] or [
            f"--no-{f[2:]}" for f in on if f.startswith("--")
        ]
        keywords.setdefault("default", Value(False, frozenset({place})))
        yes = _action(place, on, action=Value("store_true"), **keywords)
        return [yes, *(_action(place, [f], action=Value("store_false"), **keywords) for f in off)]
    if is_list:
        keywords["action"] = Value("append")
    return [_action(place, flags, **keywords, **_typed(interpreter, function, kind))]


def _kind(
    interpreter: Interpreter, function: FunctionValue, annotation: ast.expr | None
) -> ast.expr | None:
    """Return an annotation without ``Optional`` and ``| None``."""
    del interpreter, function
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return annotation.left
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value).endswith("Optional"):
        return annotation.slice
    return annotation


def _typed(
    interpreter: Interpreter, function: FunctionValue, kind: ast.expr | None
) -> dict[str, Value]:
    if isinstance(kind, ast.Subscript):
        kind = kind.slice
    if kind is None:
        return {}
    try:
        annotated = interpreter.value(kind, function.closure)
    except Raised:
        return {}
    return {"type": annotated} if isinstance(annotated.data, (Library, ClassValue)) else {}


# --- functions and classes as they are ------------------------------------------------------------


def _literal(word: Value, like: Value | None = None) -> Value:
    """Return a word as the literal that it is, else as text; a text stays one."""
    if not isinstance(word.data, str) or (like is not None and isinstance(like.data, str)):
        return word
    with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
        literal = ast.literal_eval(word.data)
        if like is not None and isinstance(like.data, float) and isinstance(literal, int):
            literal = float(literal)
        return with_origins(literal, word.origins)
    return word


def _flags(words: Sequence[Value]) -> tuple[list[Value], dict[str, Value]]:
    """Split words into those without a flag, and the flags with what they are set to."""
    plain: list[Value] = []
    named: dict[str, Value] = {}
    at = 0
    while at < len(words):
        word = words[at]
        text = str(word.data)
        at += 1
        if not text.startswith("--") or text == "--":
            plain.append(word)
            continue
        name, mark, tail = text[2:].partition("=")
        name = name.replace("-", "_")
        if mark:
            named[name] = Value(tail, word.origins)
        elif at < len(words) and not str(words[at].data).startswith("--"):
            named[name] = words[at]
            at += 1
        elif name.startswith("no_"):
            named[name.removeprefix("no_")] = Value(False, word.origins)
        else:
            named[name] = Value(True, word.origins)
    return plain, named


def _arguments(value: Value, named: Mapping[str, Value]) -> dict[str, Value]:
    """Return flags as the keywords of a function or class, by the types of its defaults."""
    data = value.data
    defaults: Mapping[str, Value] = {}
    if isinstance(data, BoundMethod):
        data = data.function
    if isinstance(data, FunctionValue):
        defaults = data.defaults
    elif isinstance(data, ClassValue):
        start = data.members.get("__init__")
        is_function = start is not None and isinstance(start.data, FunctionValue)
        defaults = start.data.defaults if is_function else data.members  # type: ignore[union-attr]
    arguments = {}
    for name, word in named.items():
        if name not in defaults and name.startswith("no") and name[2:] in defaults:
            arguments[name[2:]] = Value(False, word.origins)
        elif "." not in name:
            arguments[name] = _literal(word, defaults.get(name))
    return arguments


def _words(interpreter: Interpreter, given: Value | None) -> Sequence[Value]:
    """Return the words that are given to a parser, else those of the command."""
    if given is not None and isinstance(given.data, (list, tuple)):
        return given.data
    return interpreter.arguments or ()


@MODELS.function("fire.Fire", "jsonargparse.CLI", "jsonargparse.auto_cli", "defopt.run")
def _fire(interpreter: Interpreter, call: Call) -> Value:
    """Call what the words say: a function, a class and its method, a member of a module."""
    component = call.given(0, "component")
    given = call.given(1, "command") if call.name == "fire.Fire" else None
    plain, named = _flags(_words(interpreter, given))
    target = component
    if component is None or component.data is None:
        module = interpreter.modules.get(interpreter.script)
        names = getattr(getattr(module, "data", None), "environment", None)
        target = Value(names.names) if names is not None else None
    for _ in range(len(plain) + 2):
        if target is None:
            return call.unknown()
        data = target.data
        if isinstance(data, dict) and plain and plain[0].data in data:
            target = data[plain.pop(0).data]
        elif isinstance(data, ClassValue):
            start = interpreter.constructor_of(data)
            args = None if start is None else start.node
            wanted = {p.arg for p in (*args.args.args, *args.args.kwonlyargs)} if args else set()
            own = {name: word for name, word in named.items() if name in wanted}
            named = {name: word for name, word in named.items() if name not in wanted}
            target = interpreter.call(target, (), _arguments(target, own), call.place)
        elif isinstance(data, Instance) and plain:
            name = str(plain.pop(0).data).replace("-", "_")
            method = interpreter.method_of(target, name)
            if method is None:
                return call.unknown()
            positional = tuple(map(_literal, plain))
            keywords = _arguments(method, named)
            return interpreter.call(method, positional, keywords, call.place)
        elif isinstance(data, FunctionValue):
            keywords = _arguments(target, named)
            return interpreter.call(target, tuple(map(_literal, plain)), keywords, call.place)
        else:
            return target
    return call.unknown()


@MODELS.function("tyro.cli", "simple_parsing.parse", "chz.entrypoint")
def _tyro(interpreter: Interpreter, call: Call) -> Value:
    """Call a function or make an object of a dataclass; ``--a.b`` sets a field of a field."""
    made = call.given(0, "f")
    if made is None or not isinstance(made.data, (FunctionValue, ClassValue)):
        return call.unknown()
    given = call.keywords.get("args")
    plain, named = _flags(_words(interpreter, given))
    del plain
    keywords = _arguments(made, named)
    default = call.keywords.get("default")
    if default is not None and isinstance(default.data, Instance):
        held = {**default.data.attributes, **keywords}
        keywords = {name: value for name, value in held.items() if not name.startswith("_")}
    output = interpreter.call(made, (), keywords, call.place)
    for name, word in named.items():
        *path, last = name.split(".")
        inner: Value | None = output if path else None
        for part in path:
            attributes = inner.data.attributes if inner and isinstance(inner.data, Instance) else {}
            inner = attributes.get(part)
        if inner is not None and isinstance(inner.data, Instance):
            inner.data.attributes[last] = _literal(word, inner.data.attributes.get(last))
    return output


# --- absl -----------------------------------------------------------------------------------------

FLAG_TYPES = {
    "integer": "int",
    "float": "float",
    "string": "str",
    "enum": "str",
    "bool": "bool",
    "boolean": "bool",
    "list": "list",
    "spaceseplist": "list",
    "multi_integer": "int",
    "multi_float": "float",
    "multi_string": "str",
    "multi_enum": "str",
}


@MODELS.function(*(f"absl.flags.DEFINE_{kind}" for kind in FLAG_TYPES))
def _flag(interpreter: Interpreter, call: Call) -> Value:
    name, default = call.given(0, "name"), call.given(1, "default")
    if name is None or not isinstance(name.data, str) or default is None:
        return call.unknown()
    kind = call.name.rpartition("DEFINE_")[2]
    value = default
    if kind == "list" and isinstance(default.data, str):
        value = with_origins(default.data.split(","), default.origins)
    elif kind == "float" and isinstance(default.data, int):
        value = Value(float(default.data), default.origins)
    _, named = _flags(interpreter.arguments or ())
    word = named.get(name.data) or named.get(f"no{name.data}")
    if word is not None:
        value = _flag_value(kind, word, f"no{name.data}" in named)
    FLAGS.setdefault(interpreter, {})[name.data] = value
    return thing("absl.flags.FlagHolder", call, value=value, default=default)


def words_of_flags(interpreter: Interpreter) -> dict[str, Value]:
    """Return the flags of the run's command, with what they are set to."""
    return _flags(interpreter.arguments or ())[1]


def _flag_value(kind: str, word: Value, is_off: bool) -> Value:
    if FLAG_TYPES[kind] == "bool":
        text = str(word.data).lower()
        return Value(False if is_off else text in ("true", "1", "t", "yes", "y"), word.origins)
    if kind == "list":
        return with_origins(str(word.data).split(","), word.origins)
    like = {"int": Value(0), "float": Value(0.0)}.get(FLAG_TYPES[kind], Value(""))
    literal = _literal(word, like)
    is_plain = isinstance(literal.data, PLAIN)
    if kind.startswith("multi") and is_plain:
        return Value([literal], literal.origins)
    return literal if is_plain else Value(UNKNOWN, word.origins)


def flag_of(interpreter: Interpreter, name: str) -> Value | None:
    """Return what ``absl.flags.FLAGS`` holds under a name, None where it is not defined."""
    return FLAGS.get(interpreter, {}).get(name)


@MODELS.function("absl.app.run", "app.run")
def _absl(interpreter: Interpreter, call: Call) -> Value:
    main = call.given(0, "main")
    if main is None:
        return call.unknown()
    given: Sequence[Value] = (Value(UNKNOWN),)
    return interpreter.call(main, tuple(given[: interpreter.most_arguments(main)]), {}, call.place)

"""pydantic: fields that are converted and checked, validators, settings from the environment.

Sources: pydantic's documentation ("Models", "Fields", "Conversion Table", "Validators",
"Configuration") and that of pydantic-settings.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.libraries.python.environment import variables_in, variables_of
from dl_bug_lsp.interpretation.model_helpers import text_of
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import as_table, value_of
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    ClassValue,
    FunctionValue,
    Instance,
    Library,
    LibraryObject,
    Origins,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

BASES = ("BaseModel", "BaseSettings")
ROOTS = ("pydantic", "pydantic_settings")
FIELD_VALIDATORS = ("field_validator", "validator")
LIMITS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
TRUE, FALSE = ("1", "on", "t", "true", "y", "yes"), ("0", "off", "f", "false", "n", "no")
NUMBER = re.compile(r"\s*[-+]?(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*")
MOST_DEPTH = 12


def is_validated(interpreter: Interpreter, cls: ClassValue) -> bool:
    """Whether a class is derived from one of pydantic's, which makes its constructor."""
    bases = (base.rpartition(".") for base in interpreter.library_bases(cls))
    return any(last in BASES and root.partition(".")[0] in ROOTS for root, _, last in bases)


def fill(
    interpreter: Interpreter, made: Value, cls: ClassValue, given: Mapping[str, Value]
) -> None:
    """Set the fields of a model; raise for what is missing, not allowed or of another type."""
    assert isinstance(made.data, Instance)
    fields = _annotations(interpreter, cls)
    settings = _settings_of(interpreter, cls)
    held = _before_all(interpreter, cls, dict(given))
    if any(base.endswith("BaseSettings") for base in interpreter.library_bases(cls)):
        held = {**_from_environment(interpreter, fields, settings), **held}
    extra = text_of(settings.get("extra")) or ""
    names = {_alias(interpreter, cls, name) or name: name for name in fields}
    for key, value in held.items():
        if key in names or key in fields:
            continue
        if extra == "allow":
            made.data.attributes[key] = value
        elif extra == "forbid":
            near = difflib.get_close_matches(key, fields, n=1)
            at = frozenset((cls.file, fields[n].lineno) for n in near)
            _refuse(cls, key, "Extra inputs are not permitted", Value(key, value.origins | at))
    for name, annotation in fields.items():
        default = interpreter.member_of(cls, name)
        handed = held.get(_alias(interpreter, cls, name) or name, held.get(name))
        if handed is None:
            made.data.attributes[name] = _default(interpreter, cls, name, default, held)
            continue
        value = _validated(interpreter, cls, name, handed, "before")
        value = _converted(interpreter, cls, name, value, annotation)
        _check_limits(cls, name, value, default)
        made.data.attributes[name] = _validated(interpreter, cls, name, value, "after")
    _after_all(interpreter, cls, made)


def _annotations(interpreter: Interpreter, cls: ClassValue) -> dict[str, ast.expr]:
    """Return the fields of a model with what they are said to be, in their order."""
    return {
        statement.target.id: statement.annotation
        for base in reversed(interpreter.lineage(cls))
        for statement in base.node.body
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and not statement.target.id.startswith("_")
        # Pydantic 2 has its settings there; a field of this name is one of pydantic 1.
        and (statement.target.id != "model_config" or statement.value is None)
        and "ClassVar" not in ast.unparse(statement.annotation)
    }


def _settings_of(interpreter: Interpreter, cls: ClassValue) -> Mapping[str, Value]:
    """Return the configuration of a model: ``model_config`` or the class ``Config`` in it."""
    config = interpreter.member_of(cls, "model_config")
    if config is not None and isinstance(config.data, LibraryObject):
        return config.data.keywords
    if config is not None and isinstance(config.data, dict):
        return config.data
    inner = interpreter.member_of(cls, "Config")
    return inner.data.members if inner is not None and isinstance(inner.data, ClassValue) else {}


def _refuse(cls: ClassValue, name: str, why: str, *sides: Value) -> None:
    raise Raised("value", f"1 validation error for {cls.name}\n{name}\n  {why}", *sides)


def _field(default: Value | None) -> LibraryObject | None:
    data = None if default is None else default.data
    return data if isinstance(data, LibraryObject) and data.short == "Field" else None


def _alias(interpreter: Interpreter, cls: ClassValue, name: str) -> str | None:
    field = _field(interpreter.member_of(cls, name))
    keywords = {} if field is None else field.keywords
    return text_of(keywords.get("validation_alias") or keywords.get("alias"))


def _default(
    interpreter: Interpreter,
    cls: ClassValue,
    name: str,
    default: Value | None,
    held: Mapping[str, Value],
) -> Value:
    """Return what a field is without a value; defaults are not checked."""
    field = _field(default)
    value = default
    if field is not None:
        value = field.args[0] if field.args else field.keywords.get("default")
        factory = field.keywords.get("default_factory")
        if factory is not None:
            return interpreter.call(factory, (), {}, field.made)
    if value is None or value.data is Ellipsis:
        near = [held[n] for n in difflib.get_close_matches(name, held, n=1)]
        _refuse(cls, name, "Field required", Value(name, merged(*near)))
    return value or Value(UNKNOWN)


def _check_limits(cls: ClassValue, name: str, value: Value, default: Value | None) -> None:
    field = _field(default)
    number = value.data
    for word, sign in LIMITS.items() if field is not None else ():
        limit = field.keywords.get(word) if field is not None else None
        if limit is None or not isinstance(limit.data, (int, float)):
            continue
        if not isinstance(number, (int, float)):
            continue
        fits = {
            "gt": number > limit.data,
            "ge": number >= limit.data,
            "lt": number < limit.data,
            "le": number <= limit.data,
        }
        if not fits[word]:
            _refuse(cls, name, f"Input should be {sign} {limit.data}", value, limit)


# --- conversion -----------------------------------------------------------------------------------


def _converted(
    interpreter: Interpreter,
    cls: ClassValue,
    name: str,
    value: Value,
    annotation: ast.expr,
    depth: int = MOST_DEPTH,
) -> Value:
    """Return a value as its field has it; raise where it cannot be one of that type."""
    if not depth or not value.known:
        return value
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError):
            return value
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return _of_union(interpreter, cls, name, value, [annotation.left, annotation.right], depth)
    if isinstance(annotation, ast.Subscript):
        return _of_generic(interpreter, cls, name, value, annotation, depth)
    if isinstance(annotation, ast.Constant) and annotation.value is None:
        return value
    word = annotation.id if isinstance(annotation, ast.Name) else ""
    if word in ("int", "float", "bool", "str"):
        if word == "str" and isinstance(value.data, (int, float)) and not interpreter.GUESSES:
            return Value(UNKNOWN, value.origins)  # Version 1 takes numbers for texts.
        return _scalar(cls, name, value, word)
    entries = as_table(value).data
    if isinstance(entries, dict):
        model = interpreter.value_of_annotation(annotation, cls)
        if isinstance(model.data, ClassValue) and is_validated(interpreter, model.data):
            named = {str(k): v for k, v in entries.items()}
            made = interpreter.call(model, (), named, _place(cls, value))
            return Value(made.data, made.origins | value.origins)
    return value


def _place(cls: ClassValue, value: Value) -> tuple[str, int]:
    return min(value.origins, default=(cls.file, cls.node.lineno))


def _of_union(
    interpreter: Interpreter,
    cls: ClassValue,
    name: str,
    value: Value,
    options: list[ast.expr],
    depth: int,
) -> Value:
    """Return a value of one of several types; what is only optional is converted."""
    others = [o for o in options if not (isinstance(o, ast.Constant) and o.value is None)]
    if value.data is None or len(others) != 1:
        return value
    return _converted(interpreter, cls, name, value, others[0], depth - 1)


def _of_generic(
    interpreter: Interpreter,
    cls: ClassValue,
    name: str,
    value: Value,
    annotation: ast.Subscript,
    depth: int,
) -> Value:
    word = ast.unparse(annotation.value).rpartition(".")[2]
    inner = annotation.slice
    parts = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
    data = value.data
    if word in ("Optional", "Union"):
        return _of_union(interpreter, cls, name, value, parts, depth)
    if word == "Annotated":
        return _converted(interpreter, cls, name, value, parts[0], depth - 1)
    if word == "Literal":
        allowed = [part.value for part in parts if isinstance(part, ast.Constant)]
        if len(allowed) == len(parts) and data not in allowed:
            _refuse(cls, name, f"Input should be {' or '.join(map(repr, allowed))}", value)
    if word in ("List", "list", "Sequence"):
        if isinstance(data, (list, tuple)):
            items = [_converted(interpreter, cls, name, v, parts[0], depth - 1) for v in data]
            return Value(items, value.origins)
        if isinstance(data, (str, int, float, bool, dict)):
            _refuse(cls, name, "Input should be a valid list", value)
    if word in ("Dict", "dict", "Mapping") and len(parts) == 2:
        entries = as_table(value).data
        if isinstance(entries, dict):
            made = {
                k: _converted(interpreter, cls, name, v, parts[1], depth - 1)
                for k, v in entries.items()
            }
            return Value(made, value.origins)
    return value


def _scalar(cls: ClassValue, name: str, value: Value, word: str) -> Value:
    """Return a value as ``int``, ``float``, ``bool`` or ``str``, as the conversion table has it."""
    data = value.data
    if not isinstance(data, (bool, int, float, str, list, dict, tuple, type(None))):
        return value
    made: object = None
    if word == "str":
        made = data if isinstance(data, str) else None
    elif word == "bool":
        text = str(data).strip().lower()
        is_one = isinstance(data, (bool, str)) or data in (0, 1)
        made = True if is_one and text in TRUE else False if is_one and text in FALSE else None
        made = bool(data) if is_one and isinstance(data, float) else made
    elif isinstance(data, (int, float)):
        number = float(data)
        made = number if word == "float" else int(data) if number.is_integer() else None
    elif isinstance(data, str) and NUMBER.fullmatch(data) and len(data) < 40:
        number = float(data)
        is_whole = number.is_integer()
        made = number if word == "float" else int(number) if is_whole else None
    if made is None:
        shown = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}[word]
        _refuse(cls, name, f"Input should be a valid {shown}", value)
    return Value(made, value.origins)


# --- validators -----------------------------------------------------------------------------------


def _functions(
    interpreter: Interpreter, cls: ClassValue, *names: str
) -> list[tuple[FunctionValue, ast.Call | None]]:
    """Return the functions of a class below decorators, with the calls of these."""
    found: list[tuple[FunctionValue, ast.Call | None]] = []
    for base in reversed(interpreter.lineage(cls)):
        for member in base.members.values():
            function = member.data
            if not isinstance(function, FunctionValue):
                continue
            for decorator in getattr(function.node, "decorator_list", ()):
                called = decorator if isinstance(decorator, ast.Call) else None
                func = decorator.func if isinstance(decorator, ast.Call) else decorator
                if ast.unparse(func).rpartition(".")[2] in names:
                    found.append((function, called))
    return found


def _mode(called: ast.Call | None) -> str:
    """Return when a validator runs: before or after a value is converted."""
    for keyword in called.keywords if called is not None else ():
        if keyword.arg == "mode" and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value)
        if keyword.arg == "pre" and isinstance(keyword.value, ast.Constant) and keyword.value.value:
            return "before"
    return "after"


def _validated(
    interpreter: Interpreter, cls: ClassValue, name: str, value: Value, mode: str
) -> Value:
    """Return what the validators of a field make of a value; raise where they do."""
    for function, called in _functions(interpreter, cls, *FIELD_VALIDATORS):
        fields = [a.value for a in (called.args if called else ()) if isinstance(a, ast.Constant)]
        if _mode(called) != mode or not ({name, "*"} & set(fields)):
            continue
        arguments: tuple[Value, ...] = (Value(cls), value)
        if len(function.node.args.args) > 2:
            arguments = (*arguments, Value(UNKNOWN))
        if function.kind == "staticmethod":
            arguments = arguments[1:]
        made = _asked(interpreter, cls, name, function, arguments)
        value = Value(made.data, made.origins | value.origins)
    return value


def _asked(
    interpreter: Interpreter,
    cls: ClassValue,
    name: str,
    function: FunctionValue,
    arguments: tuple[Value, ...],
) -> Value:
    """Return what a validator gives; what it raises is an error of its field."""
    made, raised = interpreter.caught(function, arguments)
    if raised is not None:
        value = next((a for a in arguments if not isinstance(a.data, ClassValue)), Value(UNKNOWN))
        held = value.data.attributes.values() if isinstance(value.data, Instance) else ()
        at: Origins = frozenset() if raised.place is None else frozenset({raised.place})
        side = Value(value.data, merged(value, *held)) if held else value
        _refuse(cls, name, f"Value error, {raised.message}", side, Value(UNKNOWN, at))
    return made


def _before_all(
    interpreter: Interpreter, cls: ClassValue, given: dict[str, Value]
) -> dict[str, Value]:
    for function, called in _functions(interpreter, cls, "model_validator", "root_validator"):
        if _mode(called) != "before":
            continue
        made = _asked(interpreter, cls, "", function, (Value(cls), Value(given)))
        if isinstance(made.data, dict):
            given = {str(key): value for key, value in made.data.items()}
    return given


def _after_all(interpreter: Interpreter, cls: ClassValue, made: Value) -> None:
    for function, called in _functions(interpreter, cls, "model_validator"):
        if _mode(called) == "after":
            _asked(interpreter, cls, "", function, (made,))
    hook = interpreter.member_of(cls, "model_post_init")
    if hook is not None and isinstance(hook.data, FunctionValue):
        interpreter.enter(hook.data, (made, Value(None)), {})


def _from_environment(
    interpreter: Interpreter, fields: Mapping[str, ast.expr], settings: Mapping[str, Value]
) -> dict[str, Value]:
    """Return the fields that variables set: those of the run win over those of a file."""
    prefix = (text_of(settings.get("env_prefix")) or "").lower()
    path = settings.get("env_file")
    held = variables_in(interpreter, path) if path is not None and path.data is not None else {}
    held = {**held, **(variables_of(interpreter) or {})}
    lower = {name.lower(): value for name, value in held.items()}
    return {name: lower[prefix + name.lower()] for name in fields if prefix + name.lower() in lower}


# --- methods of models ----------------------------------------------------------------------------


@MODELS.method("BaseModel", "model_validate", "parse_obj", "model_construct", "construct")
def _from_table(interpreter: Interpreter, call: Call) -> Value:
    given = call.args[0] if call.args else None
    entries = None if given is None else as_table(given).data
    if call.receiver is None or not isinstance(call.receiver.data, ClassValue):
        return call.unknown()
    if given is None:
        return interpreter.call(call.receiver, (), call.keywords, call.place)
    if not isinstance(entries, dict):
        return call.unknown()
    named = {str(key): value for key, value in entries.items()}
    return interpreter.call(call.receiver, (), named, call.place)


@MODELS.method("BaseModel", "model_validate_json", "parse_raw")
def _from_json(interpreter: Interpreter, call: Call) -> Value:
    given = call.args[0] if call.args else Value(UNKNOWN)
    loads = Value(Library("json.loads"))
    document = interpreter.call(loads, (given,), {}, call.place)
    return _from_table(
        interpreter, Call("model_validate", (document,), {}, call.place, call.receiver)
    )


@MODELS.method("BaseModel", "model_dump", "dict")
def _dumped(interpreter: Interpreter, call: Call) -> Value:
    return call.unknown() if call.receiver is None else _plain(interpreter, call.receiver)


def _plain(interpreter: Interpreter, value: Value, depth: int = MOST_DEPTH) -> Value:
    data = value.data
    if isinstance(data, Instance) and is_validated(interpreter, data.cls) and depth:
        fields = data.attributes.items()
        entries = {k: _plain(interpreter, v, depth - 1) for k, v in fields if k[0] != "_"}
        return Value(entries, value.origins)
    if isinstance(data, (list, tuple)) and depth:
        return Value(type(data)(_plain(interpreter, v, depth - 1) for v in data), value.origins)
    return value


@MODELS.method("BaseModel", "model_copy", "copy")
def _copied(_: Interpreter, call: Call) -> Value:
    receiver, update = call.receiver, call.keywords.get("update")
    if receiver is None or not isinstance(receiver.data, Instance):
        return call.unknown()
    held = dict(receiver.data.attributes)
    if update is not None and isinstance(update.data, dict):
        held.update({str(key): value for key, value in update.data.items()})
    return Value(Instance(receiver.data.cls, held, receiver.data.made), receiver.origins)


@MODELS.method("BaseModel", "model_dump_json", "json", "model_json_schema")
def _as_text(_: Interpreter, call: Call) -> Value:
    return call.unknown()


@MODELS.method("BaseModel", "__init__")
def _init(interpreter: Interpreter, call: Call) -> Value:
    """Fill a model whose class calls the constructor of its base."""
    made = call.receiver
    if made is not None and isinstance(made.data, Instance):
        fill(interpreter, made, made.data.cls, call.keywords)
    return Value(None)


@MODELS.method("BaseModel", "__iter__")
def _iterated(interpreter: Interpreter, call: Call) -> Value:
    table = call.unknown() if call.receiver is None else _plain(interpreter, call.receiver)
    if not isinstance(table.data, dict):
        return unknown(table)
    pairs = [(value_of(key, value.origins), value) for key, value in table.data.items()]
    return Value([Value(pair, merged(*pair)) for pair in pairs], table.origins)


for (_kind, _name), _model in list(MODELS.methods.items()):
    if _kind == "BaseModel":
        MODELS.methods.setdefault(("BaseSettings", _name), _model)

"""Models of command lines: argparse, ConfigArgParse and parsers that a program derives.

Sources: the Python library reference (``argparse``), the documentation of ConfigArgParse.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

# The models of builtins below take the place of its, or call them.
import dl_bug_lsp.interpretation.libraries.python.builtins  # noqa: F401
from dl_bug_lsp.interpretation.libraries.python.files import make_path
from dl_bug_lsp.interpretation.model_helpers import (
    is_true,
    listed,
    state_of,
    thing,
    with_origins,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import (
    PLAIN,
)
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    ClassValue,
    Instance,
    Library,
    LibraryObject,
    Origins,
    Raised,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


# Command lines.


class _Word(str):
    """A word of the command line that knows its value."""

    __slots__ = ("value",)
    value: Value


class _UsageError(Exception):
    """What a command line does not fit."""


class _Parser(argparse.ArgumentParser):
    """The standard parser, which neither prints nor ends the process."""

    def error(self, message: str) -> NoReturn:
        """Raise what the standard parser would end the process with."""
        raise _UsageError(message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Raise what the standard parser would end the process with."""
        raise _UsageError(message or str(status))


_CONFIGURED = ("configargparse.ArgumentParser", "configargparse.ArgParser", "configargparse.Parser")
"""Parsers whose options may stand in a config file (ConfigArgParse's documentation)."""


@MODELS.function("argparse.ArgumentParser", *_CONFIGURED)
def _argument_parser(interpreter: Interpreter, call: Call) -> Value:
    parents = listed(interpreter, call.keywords.get("parents")) or []
    inherited: list[Value] = []
    for parent in parents:
        actions = state_of(parent, "actions").data
        inherited.extend(actions if isinstance(actions, list) else [])
    held = {"actions": Value(inherited), "groups": Value([]), "defaults": Value({})}
    return thing("argparse.ArgumentParser", call, **held)


@MODELS.method("ArgumentParser", "__init__")
@MODELS.method("ArgParser", "__init__")
def _own_parser(interpreter: Interpreter, call: Call) -> Value:
    """Make an object of a workspace class a parser."""
    receiver = call.receiver.data if call.receiver is not None else None
    made = _argument_parser(interpreter, call).data
    if isinstance(receiver, Instance) and isinstance(made, LibraryObject):
        receiver.attributes.update(made.state)
        files = call.keywords.get("default_config_files")
        if files is not None:
            receiver.attributes["default_config_files"] = files
    return Value(None)


@MODELS.method("ArgumentParser", "add_argument_group", "add_mutually_exclusive_group")
@MODELS.method("ArgParser", "add_argument_group", "add_mutually_exclusive_group")
@MODELS.method("_ArgumentGroup", "add_mutually_exclusive_group")
def _argument_group(_: Interpreter, call: Call) -> Value:
    actions, own = state_of(call.receiver, "actions"), Value([])
    title = call.given(0, "title") or Value(None)
    made = thing("argparse._ArgumentGroup", call, actions=actions, own=own, title=title)
    groups = state_of(call.receiver, "groups").data
    if call.name == "add_argument_group" and isinstance(groups, list):
        groups.append(made)
    return made


@MODELS.method("ArgumentParser", "add_argument", "add", "add_arg")
@MODELS.method("ArgParser", "add_argument", "add", "add_arg")
@MODELS.method("_ArgumentGroup", "add_argument", "add", "add_arg")
def _add_argument(_: Interpreter, call: Call) -> Value:
    actions = state_of(call.receiver, "actions").data
    made = thing("argparse.Action", call)
    own = state_of(call.receiver, "own").data
    for held in (actions, own):
        if isinstance(held, list):
            held.append(made)
    return made


@MODELS.attribute("ArgumentParser", "_actions")
@MODELS.attribute("ArgParser", "_actions")
def _all_actions(_: Interpreter, call: Call) -> Value:
    actions = state_of(call.receiver, "actions").data
    return Value([_help_action(call), *actions]) if isinstance(actions, list) else call.unknown()


@MODELS.attribute("ArgumentParser", "_action_groups")
@MODELS.attribute("ArgParser", "_action_groups")
def _action_groups(_: Interpreter, call: Call) -> Value:
    """Return the groups of a parser: its own two, which have what was added to it, come first."""
    actions, groups = (state_of(call.receiver, name).data for name in ("actions", "groups"))
    if not isinstance(actions, list) or not isinstance(groups, list):
        return call.unknown()
    grouped: set[int] = set()
    for group in groups:
        held = state_of(group, "own").data
        grouped.update(id(action) for action in (held if isinstance(held, list) else []))
    rest = [action for action in actions if id(action) not in grouped]
    named = [bool(_flags(action)) for action in rest]
    positional = [action for action, flag in zip(rest, named, strict=True) if not flag]
    optional = [action for action, flag in zip(rest, named, strict=True) if flag]
    first = _group(call, "positional arguments", positional)
    return Value([first, _group(call, "options", [_help_action(call), *optional]), *groups])


def _group(call: Call, title: str, own: list[Value]) -> Value:
    return thing("argparse._ArgumentGroup", call, title=Value(title), own=Value(own))


def _help_action(call: Call) -> Value:
    words = (Value("-h"), Value("--help"))
    made = LibraryObject("argparse.Action", words, {"action": Value("help")}, call.place, {})
    return Value(made)


def _flags(action: Value) -> list[Value]:
    """Return the names of an option as the command line has them, none of a positional one."""
    names = action.data.args if isinstance(action.data, LibraryObject) else ()
    return [name for name in names if str(name.data).startswith("-")]


@MODELS.attribute("_ArgumentGroup", "_group_actions", "_actions")
def _group_actions(_: Interpreter, call: Call) -> Value:
    own = state_of(call.receiver, "own" if call.name == "_group_actions" else "actions").data
    return Value(list(own)) if isinstance(own, list) else call.unknown()


@MODELS.attribute(
    "Action", "dest", "option_strings", "default", "type", "choices", "help", "nargs", "required"
)
def _part_of_action(_: Interpreter, call: Call) -> Value:
    option = None if call.receiver is None else _option(call.receiver)
    if option is None or call.receiver is None:
        return call.unknown()
    if call.name == "dest":
        return Value(option.dest, option.place)
    if call.name == "option_strings":
        return Value(_flags(call.receiver), option.place)
    if call.name == "default":
        return _default(option)
    return option.keywords.get(call.name, Value(False if call.name == "required" else None))


@MODELS.method("ArgumentParser", "set_defaults")
@MODELS.method("ArgParser", "set_defaults")
def _set_defaults(_: Interpreter, call: Call) -> Value:
    defaults = state_of(call.receiver, "defaults").data
    if isinstance(defaults, dict):
        defaults.update(call.keywords)
    return Value(None)


@MODELS.method("ArgumentParser", "add_subparsers")
def _add_subparsers(_: Interpreter, call: Call) -> Value:
    made = thing("argparse._SubParsersAction", call, parsers=Value({}))
    if call.receiver is not None and isinstance(call.receiver.data, LibraryObject):
        call.receiver.data.state["subparsers"] = made
    return made


@MODELS.method("_SubParsersAction", "add_parser")
def _add_parser(interpreter: Interpreter, call: Call) -> Value:
    name = call.given(0, "name")
    made = _argument_parser(interpreter, call)
    parsers = state_of(call.receiver, "parsers").data
    if isinstance(parsers, dict) and name is not None and isinstance(name.data, str):
        parsers[name.data] = made
    return made


@dataclass(slots=True)
class _Option:
    """An argument of a parser, with what the command line gave for it."""

    action: LibraryObject
    dest: str
    kind: str
    keywords: dict[str, Value]
    place: Origins = field(default=NOWHERE)


_GIVES_CONSTANT = {"store_true": True, "store_false": False}
_OF_FILE = ("is_config_file", "is_config_file_arg")
"""Keywords of an option whose value is a config file (ConfigArgParse's documentation)."""


@MODELS.method("ArgumentParser", "parse_args", "parse_known_args")
@MODELS.method("ArgParser", "parse_args", "parse_known_args", "parse")
def _parse_args(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0, "args")
    words: Sequence[Value] | None
    if given is None or given.data is None:
        words = interpreter.arguments
    else:
        words = listed(interpreter, given)
    known = call.name == "parse_known_args"
    try:
        names, rest = parse(interpreter, call, call.receiver, words, known)
    except Raised as raised:
        if not interpreter.GUESSES or interpreter.is_failing():
            raise
        # The run came past here: these are not quite its words.
        interpreter.elsewhere.add((call.place, raised.what))
        names, rest = parse(interpreter, call, call.receiver, None, known)
    space = thing("argparse.Namespace", call, **names)
    return Value((space, rest)) if known else space


def parse(
    interpreter: Interpreter,
    call: Call,
    receiver: Value | None,
    words: Sequence[Value] | None,
    known: bool,
) -> tuple[dict[str, Value], Value]:
    """Return the attributes that a parser makes of words, and the words left over.

    Words that are None are not known, and so are then all values. Raises `Raised` ("arguments")
    where the program would end with a usage message.
    """
    actions = state_of(receiver, "actions").data
    options = [_option(a) for a in actions] if isinstance(actions, list) else []
    read = [option for option in options if option is not None]
    defaults = state_of(receiver, "defaults").data
    parsed: dict[str, Value] = dict(defaults) if isinstance(defaults, dict) else {}
    for option in read:
        default = parsed.get(option.dest) or _default(option)
        if option.keywords.get("default", default).data != "==SUPPRESS==":
            parsed[option.dest] = default
    parsers = state_of(receiver, "subparsers")
    if words is None or len(read) != len(options) or not all(_is_word(w) for w in words):
        # Most runs leave most options as they are: a default stands where there is one.
        names = {
            name: value if value.data is not None else Value(UNKNOWN, value.origins)
            for name, value in parsed.items()
        }
        names.update(_printed(interpreter, call, read))
        return names, Value(UNKNOWN)
    held = list(words)
    below: list[Value] | None = None
    if isinstance(parsers.data, LibraryObject):
        held, below, chosen = _at_subparser(read, held, parsers)
        dest = parsers.data.keywords.get("dest")
        if dest is not None and isinstance(dest.data, str):
            parsed[dest.data] = chosen
    try:
        given, rest = _given(read, held, known)
    except Raised:
        if held:
            raise
        # Without a single word it is likelier that the command line is not known.
        given, rest = {}, Value(UNKNOWN)
        for option in read:
            positional = not str(option.action.args[0].data).startswith("-")
            if positional or is_true(option.keywords.get("required")):
                parsed[option.dest] = Value(UNKNOWN, option.place)
    for option in read:
        given_value = given.get(option.dest)
        if isinstance(given_value, _Option) and given_value is not option:
            continue  # Another argument sets the same name.
        if option.dest in given:
            parsed[option.dest] = _converted(interpreter, call, option, given[option.dest])
        elif option.dest in parsed and isinstance(parsed[option.dest].data, str):
            parsed[option.dest] = _typed(interpreter, call, option, parsed[option.dest])
    parsed.update(_configured(interpreter, call, receiver, read, parsed, given))
    if below is not None:
        inner = state_of(parsers, "parsers").data
        parser = inner.get(str(below[0].data)) if isinstance(inner, dict) else None
        names, rest = parse(interpreter, call, parser, below[1:], known)
        parsed.update(names)
    return parsed, rest


def _configured(
    interpreter: Interpreter,
    call: Call,
    receiver: Value | None,
    read: Sequence[_Option],
    parsed: Mapping[str, Value],
    given: Mapping[str, object],
) -> dict[str, Value]:
    """Return what the config files of a parser set of the options that no word sets.

    Keys are the long names of options (ConfigArgParse's documentation, "Config file syntax").
    """
    files = listed(interpreter, state_of(receiver, "default_config_files")) or []
    for option in read:
        if any(is_true(option.keywords.get(word)) for word in _OF_FILE) and option.dest in parsed:
            files = [*files, parsed[option.dest]]
    names = {}
    for option in read:
        texts = [str(name.data).lstrip("-") for name in option.action.args]
        names.update(dict.fromkeys((*texts, option.dest), option))
    configured: dict[str, Value] = {}
    for path in files:
        file = interpreter.workspace.file_named(path.data) if isinstance(path.data, str) else None
        for entry in interpreter.workspace.config_entries(file) if file is not None else ():
            option_of = names.get(entry.key.replace("-", "_")) or names.get(entry.key)
            if len(entry.path) > 1 or option_of is None or option_of.dest in given:
                continue
            origins = frozenset({(entry.file, entry.line)})
            if entry.length is not None or not isinstance(entry.value, PLAIN):
                configured[option_of.dest] = Value(UNKNOWN, origins)
            elif option_of.kind in _GIVES_CONSTANT:
                chosen = _GIVES_CONSTANT[option_of.kind] == (entry.value is True)
                configured[option_of.dest] = Value(chosen, origins)
            else:
                word = Value(entry.text, origins)
                configured[option_of.dest] = _typed(interpreter, call, option_of, word)
    return configured


def _printed(interpreter: Interpreter, call: Call, read: Sequence[_Option]) -> dict[str, Value]:
    """Return what the log shows that options were set to, where it is not their default."""
    parsed: dict[str, Value] = {}
    for option in read:
        text = interpreter.printed.get(option.dest)
        if text is None or option.kind not in ("store", *_GIVES_CONSTANT, "boolean"):
            continue
        if text in ("True", "False", "None"):
            value = Value({"True": True, "False": False, "None": None}[text], option.place)
        elif option.kind != "store":
            continue
        else:
            try:
                value = _typed(interpreter, call, option, Value(text))
            except Raised:
                continue
        if value.data != _default(option).data:
            parsed[option.dest] = value
    return parsed


def _is_word(value: Value) -> bool:
    return isinstance(value.data, str)


def _at_subparser(
    read: Sequence[_Option], words: list[Value], parsers: Value
) -> tuple[list[Value], list[Value] | None, Value]:
    """Split a command line at the word that names a subparser."""
    inner = state_of(parsers, "parsers").data
    for index, word in enumerate(words):
        if isinstance(inner, dict) and word.data in inner:
            return words[:index], words[index:], word
    required = (
        parsers.data.keywords.get("required") if isinstance(parsers.data, LibraryObject) else None
    )
    if is_true(required):
        raise Raised("arguments", "a subcommand is required", *words)
    del read
    return words, None, Value(None)


def _option(action: Value) -> _Option | None:
    """Return an argument by its call of ``add_argument``, None where that is not known."""
    made = action.data
    if not isinstance(made, LibraryObject):
        return None
    names = [arg.data for arg in made.args]
    if not names or not all(isinstance(name, str) for name in names):
        return None
    texts = [name for name in names if isinstance(name, str)]
    kind = made.keywords.get("action", Value("store")).data
    keywords = dict(made.keywords)
    if isinstance(kind, Library) and kind.name.endswith("BooleanOptionalAction"):
        kind = "boolean"
    elif isinstance(kind, ClassValue):
        # What an action of the program makes of a word is not known.
        kind, keywords["type"] = "store", Value(UNKNOWN)
    if not isinstance(kind, str):
        return None
    dest = made.keywords.get("dest")
    if dest is not None and isinstance(dest.data, str):
        name = dest.data
    else:
        long = next((t for t in texts if t.startswith("--")), texts[0])
        name = long.lstrip("-").replace("-", "_") if texts[0].startswith("-") else texts[0]
    return _Option(made, name, kind, keywords, frozenset({made.made}))


def _default(option: _Option) -> Value:
    given = option.keywords.get("default")
    if given is not None:
        return given
    nargs, names = option.keywords.get("nargs"), option.action.args
    if nargs is not None and nargs.data == "*" and not str(names[0].data).startswith("-"):
        return Value([], option.place)
    if option.kind in _GIVES_CONSTANT:
        return Value(not _GIVES_CONSTANT[option.kind], option.place)
    return Value(None, option.place)


def _given(
    read: Sequence[_Option], words: Sequence[Value], known: bool
) -> tuple[dict[str, object], Value]:
    """Let the standard parser assign the words to the arguments."""
    from_file = any(is_true(option.keywords.get(word)) for option in read for word in _OF_FILE)
    # An option that is added twice fails where it is added: here a branch was not known.
    parser = _Parser(prog="program", add_help=True, conflict_handler="resolve")
    for option in read:
        names = [str(arg.data) for arg in option.action.args]
        keywords: dict[str, object] = {"default": argparse.SUPPRESS}
        positional = not names[0].startswith("-")
        if not positional:
            keywords["dest"] = option.dest
            keywords["required"] = is_true(option.keywords.get("required")) and not from_file
        nargs = option.keywords.get("nargs")
        if nargs is not None and nargs.data is not None:
            keywords["nargs"] = nargs.data
        kind = option.kind
        if kind in ("store_true", "store_false", "store_const", "append_const", "count"):
            keywords.pop("nargs", None)
            keywords["action"] = "store_const" if kind != "count" else "append_const"
            keywords["const"] = option
        elif kind in ("append", "extend"):
            keywords["action"] = kind
        elif kind == "boolean":
            keywords["action"] = argparse.BooleanOptionalAction
        elif kind in ("help", "version"):
            continue
        if keywords.get("nargs") == "?":
            keywords["const"] = option
        try:
            parser.add_argument(*names, **keywords)  # type: ignore[arg-type]
        except (ValueError, TypeError, argparse.ArgumentError) as error:
            place = Value(UNKNOWN, option.place)
            raise Raised("arguments", str(error)[:200], place) from None
    try:
        space, rest = parser.parse_known_args(_split_words(_with_one_dash(read, words)))
    except _UsageError as stop:
        raise Raised("arguments", str(stop)[:200], *words) from None
    except (ValueError, TypeError, argparse.ArgumentError):
        return {}, Value(UNKNOWN)
    left = [_value_of(word) for word in rest]
    if left and not known:
        raise Raised("arguments", f"unrecognized arguments: {' '.join(rest)}"[:200], *left)
    return vars(space), Value(left)


def _with_one_dash(read: Sequence[_Option], words: Sequence[Value]) -> list[Value]:
    """Return the words with the options that are declared with one dash only written so.

    Readers of commands keep the names of options without their dashes.
    """
    flags = {str(arg.data) for option in read for arg in option.action.args}
    written: list[Value] = []
    for word in words:
        text = str(word.data)
        name = text.partition("=")[0]
        if name.startswith("--") and name not in flags and name[1:] in flags:
            word = Value(text[1:], word.origins)
        written.append(word)
    return written


def _split_words(words: Sequence[Value]) -> list[str]:
    words_found: list[str] = []
    for value in words:
        text = str(value.data)
        head, mark, tail = text.partition("=")
        # The standard parser would cut it itself, and lose where it comes from.
        split = mark and text.startswith("--") and tail and not tail.startswith("-")
        for part in (head, tail) if split else (text,):
            word = _Word(part)
            word.value = Value(part, value.origins)
            words_found.append(word)
    return words_found


def _value_of(word: object) -> Value:
    return word.value if isinstance(word, _Word) else with_origins(word, NOWHERE)


def _converted(interpreter: Interpreter, call: Call, option: _Option, given: object) -> Value:
    if option.kind in _GIVES_CONSTANT:
        return Value(_GIVES_CONSTANT[option.kind], option.place)
    if given is option:
        return option.keywords.get("const", Value(None, option.place))
    if option.kind == "count" and isinstance(given, list):
        default = option.keywords.get("default")
        start = default.data if default is not None and isinstance(default.data, int) else 0
        return Value(start + len(given), option.place)
    if isinstance(given, bool):
        return Value(given, option.place)
    if isinstance(given, list):
        items = [_converted(interpreter, call, option, item) for item in given]
        default = option.keywords.get("default")
        if option.kind in ("append", "extend") and default is not None:
            items = [*(listed(interpreter, default) or []), *items]
        return Value(items, merged(*items) or option.place)
    return _typed(interpreter, call, option, _value_of(given))


def _typed(interpreter: Interpreter, call: Call, option: _Option, word: Value) -> Value:
    kind = option.keywords.get("type")
    typed = word
    if kind is not None and isinstance(kind.data, Library):
        convert = _TYPES.get(kind.data.name.rpartition(".")[2])
        if convert is None:
            return (
                make_path(interpreter, Call("Path", (word,), {}, call.place))
                if (kind.data.name == "pathlib.Path")
                else interpreter.call(kind, (word,), {}, call.place)
            )
        try:
            # What only the log shows to be typed was decided in no file.
            typed = Value(convert(word.data), word.origins)
        except (ValueError, TypeError):
            message = f"argument {option.dest}: invalid {kind.data.name} value: {word.data!r}"
            raise Raised("arguments", message, word, Value(UNKNOWN, option.place)) from None
    elif kind is not None and kind.data is not None:
        typed = interpreter.call(kind, (word,), {}, call.place)
    choices = listed(interpreter, option.keywords.get("choices"))
    known = choices and isinstance(typed.data, PLAIN)
    plain_ = all(isinstance(c.data, PLAIN) for c in choices or ())
    if known and plain_ and typed.data not in [c.data for c in choices or ()]:
        message = f"argument {option.dest}: invalid choice: {typed.data!r}"
        raise Raised("arguments", message, typed, option.keywords["choices"])
    return typed


_TYPES: dict[str, Callable[..., object]] = {"int": int, "float": float, "str": str, "bool": bool}


@MODELS.function("types.SimpleNamespace", "argparse.Namespace")
def _namespace(_: Interpreter, call: Call) -> Value:
    return thing(call.name, call, **call.keywords)


@MODELS.function("vars", "builtins.vars")
def _vars(_: Interpreter, call: Call) -> Value:
    given = call.given(0)
    if given is not None and isinstance(given.data, LibraryObject):
        if given.data.short in ("Namespace", "SimpleNamespace"):
            return Value(given.data.state, given.origins)
    elif given is not None and isinstance(given.data, Instance):
        return Value(given.data.attributes, given.origins)
    return call.unknown()

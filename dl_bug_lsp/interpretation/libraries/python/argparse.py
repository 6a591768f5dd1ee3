"""Models of command lines: argparse, ConfigArgParse, optparse and parsers that a program derives.

Sources: the Python library reference (``argparse``, ``optparse``), the documentation of
ConfigArgParse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

# The models of builtins below take the place of its, or call them.
import dl_bug_lsp.interpretation.libraries.python.builtins  # noqa: F401
from dl_bug_lsp.interpretation.libraries.python.command_lines import (
    ACTIONS,
    DEFAULT,
    DEFAULTS,
    EXCLUSIVE,
    GIVEN,
    GROUPS,
    OWN,
    PARSERS,
    Option,
    default_of,
    option_of,
    parse,
)
from dl_bug_lsp.interpretation.model_helpers import (
    is_true,
    listed,
    nothing,
    state_of,
    thing,
)
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.models import state_of as all_state_of
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    ClassValue,
    Instance,
    Library,
    LibraryObject,
    Raised,
    Value,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


_CONFIGURED = ("configargparse.ArgumentParser", "configargparse.ArgParser", "configargparse.Parser")
"""Parsers whose options may stand in a config file (ConfigArgParse's documentation)."""
_PARSERS = ("ArgumentParser", "ArgParser")
_ACTIONS = (
    *("Action", "_StoreAction", "_StoreConstAction", "_StoreTrueAction", "_StoreFalseAction"),
    *("_AppendAction", "_AppendConstAction", "_ExtendAction", "_CountAction"),
)
_OF_ACTIONS = (
    *("option_strings", "dest", "nargs", "const", "default", "type", "choices", "required"),
    *("help", "metavar"),
)
"""What an action is made with, in this order."""


def _of_parsers(*names: str) -> Callable[[Model], Model]:
    """Register a model of methods of parsers, those of ConfigArgParse among them."""

    def keep(model: Model) -> Model:
        for kind in _PARSERS:
            MODELS.method(kind, *names)(model)
        return model

    return keep


@MODELS.function("argparse.ArgumentParser", *_CONFIGURED)
def _argument_parser(interpreter: Interpreter, call: Call) -> Value:
    parents = listed(interpreter, call.keywords.get("parents")) or []
    inherited: list[Value] = []
    defaults: dict[str, Value] = {}
    for parent in parents:
        actions, own = state_of(parent, ACTIONS).data, state_of(parent, DEFAULTS).data
        inherited.extend(actions if isinstance(actions, list) else [])
        defaults.update(own if isinstance(own, dict) else {})
    held = {ACTIONS: Value(inherited), GROUPS: Value([]), DEFAULTS: Value(defaults)}
    held[GIVEN] = Value(dict(call.keywords))
    return thing("argparse.ArgumentParser", call, **held)


@_of_parsers("__init__")
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


@_of_parsers("add_argument_group", "add_mutually_exclusive_group")
@MODELS.method("_ArgumentGroup", "add_argument_group", "add_mutually_exclusive_group")
def _argument_group(_: Interpreter, call: Call) -> Value:
    title = call.given(0, "title") or Value(None)
    shared = {name: state_of(call.receiver, name) for name in (ACTIONS, DEFAULTS, GIVEN)}
    made = thing("argparse._ArgumentGroup", call, **shared, own=Value([]), title=title)
    if call.name == "add_mutually_exclusive_group" and isinstance(made.data, LibraryObject):
        made.data.state[EXCLUSIVE] = Value(True)
    groups = state_of(call.receiver, GROUPS).data
    if call.name == "add_argument_group" and isinstance(groups, list):
        groups.append(made)
    return made


@_of_parsers("add_argument", "add", "add_arg")
@MODELS.method("_ArgumentGroup", "add_argument", "add", "add_arg")
def _add_argument(interpreter: Interpreter, call: Call) -> Value:
    parser = call.receiver
    state = {}
    given = state_of(parser, GIVEN).data
    if isinstance(given, dict) and "prefix_chars" in given:
        state["prefixes_"] = given["prefix_chars"]
    if parser is not None and is_true(state_of(parser, EXCLUSIVE)):
        state[EXCLUSIVE] = parser
    made = thing("argparse.Action", call, **state)
    option = option_of(made)
    if option is not None and isinstance(made.data, LibraryObject):
        defaults = state_of(parser, DEFAULTS).data
        default = defaults.get(option.dest) if isinstance(defaults, dict) else None
        if default is None and isinstance(given, dict):
            default = given.get("argument_default")
        if default is not None and default.data is not None and "default" not in call.keywords:
            made.data.state[DEFAULT] = default
        _make_own(interpreter, call, made, option.dest)
    for held in (state_of(parser, ACTIONS).data, state_of(parser, "own").data):
        if isinstance(held, list):
            held.append(made)
    return made


def _make_own(interpreter: Interpreter, call: Call, made: Value, dest: str) -> None:
    """Make the object of a class of the program that an argument has as its action."""
    action = call.keywords.get("action")
    if action is None or not isinstance(action.data, ClassValue):
        return
    given = {name: value for name, value in call.keywords.items() if name != "action"}
    given["option_strings"] = Value(_flags(made))
    given.setdefault("dest", Value(dest))
    own = interpreter.call(action, (), given, call.place)
    if isinstance(own.data, Instance) and isinstance(made.data, LibraryObject):
        made.data.state[OWN] = own


@MODELS.function(*(f"argparse.{name}" for name in _ACTIONS))
@MODELS.function("argparse.BooleanOptionalAction")
def _action(_: Interpreter, call: Call) -> Value:
    held = dict(zip(_OF_ACTIONS, call.args, strict=False))
    held.update(call.keywords)
    state = {name: held.get(name, Value(None)) for name in _OF_ACTIONS}
    return thing("argparse.Action", call, **state)


for _name in (*_ACTIONS, "BooleanOptionalAction"):

    @MODELS.method(_name, "__init__")
    def _own_action(interpreter: Interpreter, call: Call) -> Value:
        """Make an object of a workspace class an action."""
        state, made = all_state_of(call.receiver), _action(interpreter, call).data
        if state is not None and isinstance(made, LibraryObject):
            state.update(made.state)
        return Value(None)


@MODELS.method("_StoreAction", "__call__")
def _store(_: Interpreter, call: Call) -> Value:
    space, values = all_state_of(call.given(1, "namespace")), call.given(2, "values")
    dest = state_of(call.receiver, "dest").data
    if space is not None and values is not None and isinstance(dest, str):
        space[dest] = values
    return Value(None)


@MODELS.attribute("ArgumentParser", "_actions")
@MODELS.attribute("ArgParser", "_actions")
def _all_actions(_: Interpreter, call: Call) -> Value:
    actions = state_of(call.receiver, ACTIONS).data
    return Value([_help_action(call), *actions]) if isinstance(actions, list) else call.unknown()


@MODELS.attribute("ArgumentParser", "_action_groups")
@MODELS.attribute("ArgParser", "_action_groups")
def _action_groups(_: Interpreter, call: Call) -> Value:
    """Return the groups of a parser: its own two, which have what was added to it, come first."""
    actions, groups = (state_of(call.receiver, name).data for name in (ACTIONS, GROUPS))
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
    own = state_of(call.receiver, "own" if call.name == "_group_actions" else ACTIONS).data
    return Value(list(own)) if isinstance(own, list) else call.unknown()


@MODELS.attribute("_SubParsersAction", "choices", "_name_parser_map")
def _subcommands(_: Interpreter, call: Call) -> Value:
    return state_of(call.receiver, PARSERS)


@MODELS.attribute(
    "Action", "dest", "option_strings", "default", "type", "choices", "help", "nargs", "required"
)
def _part_of_action(_: Interpreter, call: Call) -> Value:
    option = None if call.receiver is None else option_of(call.receiver)
    if option is None or call.receiver is None:
        return call.unknown()
    if call.name == "dest":
        return Value(option.dest, option.place)
    if call.name == "option_strings":
        return Value(_flags(call.receiver), option.place)
    if call.name == "default":
        return default_of(option)
    return option.keywords.get(call.name, Value(False if call.name == "required" else None))


@_of_parsers("set_defaults")
def _set_defaults(_: Interpreter, call: Call) -> Value:
    defaults, actions = (state_of(call.receiver, name).data for name in (DEFAULTS, ACTIONS))
    if isinstance(defaults, dict):
        defaults.update(call.keywords)
    for action in actions if isinstance(actions, list) else ():
        option = option_of(action)
        if option is not None and option.dest in call.keywords:
            option.action.state[DEFAULT] = call.keywords[option.dest]
    return Value(None)


@_of_parsers("get_default")
def _get_default(_: Interpreter, call: Call) -> Value:
    dest = call.given(0, "dest")
    defaults, actions = (state_of(call.receiver, name).data for name in (DEFAULTS, ACTIONS))
    if dest is None or not isinstance(defaults, dict) or not isinstance(actions, list):
        return call.unknown()
    for option in map(option_of, actions):
        if option is not None and option.dest == dest.data:
            return default_of(option)
    return defaults.get(dest.data, Value(None)) if isinstance(dest.data, str) else call.unknown()


_of_parsers("print_help", "print_usage", "register")(nothing)


@_of_parsers("add_subparsers")
def _add_subparsers(_: Interpreter, call: Call) -> Value:
    made = thing("argparse._SubParsersAction", call, **{PARSERS: Value({})})
    actions = state_of(call.receiver, ACTIONS).data
    if isinstance(actions, list):
        actions.append(made)
    return made


@MODELS.method("_SubParsersAction", "add_parser")
def _add_parser(interpreter: Interpreter, call: Call) -> Value:
    name, made_by = call.given(0, "name"), state_of(call.receiver, "parser_class")
    if call.held is not None and isinstance(call.held.keywords.get("parser_class"), Value):
        made_by = call.held.keywords["parser_class"]
    keywords = {n: v for n, v in call.keywords.items() if n not in ("name", "aliases", "help")}
    if isinstance(made_by.data, ClassValue):
        made = interpreter.call(made_by, (), keywords, call.place)
    else:
        made = _argument_parser(interpreter, Call(call.name, (), keywords, call.place))
    parsers = state_of(call.receiver, PARSERS).data
    aliases = listed(interpreter, call.keywords.get("aliases")) or []
    for word in [] if name is None else [name, *aliases]:
        if isinstance(parsers, dict) and isinstance(word.data, str):
            parsers[word.data] = made
    return made


@_of_parsers(
    *("parse_args", "parse_known_args", "parse"),
    *("parse_intermixed_args", "parse_known_intermixed_args"),
)
def _parse_args(interpreter: Interpreter, call: Call) -> Value:
    space = call.given(1, "namespace")
    known = "known" in call.name
    held = None if space is None else all_state_of(space)
    names, rest = _parsed(interpreter, call, known, held or {})
    if held is not None and space is not None:
        held.update(names)
    else:
        space = thing("argparse.Namespace", call, **names)
    return Value((space, rest)) if known else space


def _parsed(
    interpreter: Interpreter, call: Call, known: bool, before: dict[str, Value]
) -> tuple[dict[str, Value], Value]:
    """Return what the words of a command line make of the attributes, and the words left over."""
    given = call.given(0, "args")
    words: Sequence[Value] | None
    if given is None or given.data is None:
        words = interpreter.arguments
    else:
        words = listed(interpreter, given)
    try:
        return parse(interpreter, call, call.receiver, words, known, dict(before))
    except Raised as raised:
        if not interpreter.GUESSES or interpreter.is_failing():
            raise
        # The run came past here: these are not quite its words.
        interpreter.elsewhere.add((call.place, raised.what))
        return parse(interpreter, call, call.receiver, None, known, dict(before))


# --- optparse -------------------------------------------------------------------------------------

_TYPES_BY_NAME = {"int": "int", "long": "int", "float": "float", "complex": "complex"}
"""The types of options that have names; those of "string" and "choice" stay texts."""
_OPTION = re.compile(r"--?[A-Za-z]")


@MODELS.function("optparse.OptionParser", "optparse.OptionGroup")
def _option_parser(interpreter: Interpreter, call: Call) -> Value:
    """Make a parser, or a group, whose options are those of its parser."""
    parser = call.given(0, "parser") if call.name.endswith("Group") else None
    held = {ACTIONS: Value([]), DEFAULTS: Value({}), GIVEN: Value({"allow_abbrev": Value(True)})}
    if parser is not None:
        held = {name: state_of(parser, name) for name in (ACTIONS, DEFAULTS, GIVEN)}
    made = thing(call.name, call, **held)
    options = None if parser is not None else call.given(1, "option_list")
    actions = held[ACTIONS].data
    for option in listed(interpreter, options) or []:
        if isinstance(actions, list) and isinstance(option.data, LibraryObject):
            actions.append(option)
    return made


@MODELS.function("optparse.make_option", "optparse.Option")
def _make_option(_: Interpreter, call: Call) -> Value:
    """Make an option as ``argparse`` would be given it."""
    keywords = dict(call.keywords)
    kind, nargs = keywords.get("type"), keywords.get("nargs")
    if kind is not None and isinstance(kind.data, str):
        named = _TYPES_BY_NAME.get(kind.data)
        keywords["type"] = Value(Library(f"builtins.{named}") if named else None, kind.origins)
    if nargs is not None and nargs.data == 1:
        del keywords["nargs"]
    action = keywords.get("action")
    if action is not None and action.data == "callback":
        keywords["action"] = Value(Library("optparse.callback"), action.origins)
        if kind is None:
            keywords["nargs"] = Value(0)
    made = LibraryObject("argparse.Action", call.args, keywords, call.place, {})
    if "default" not in keywords:
        # Here a switch without a default is None, too.
        made.state[DEFAULT] = Value(None, frozenset({call.place}))
    return Value(made)


@MODELS.method("OptionParser", "add_option")
@MODELS.method("OptionGroup", "add_option")
def _add_option(interpreter: Interpreter, call: Call) -> Value:
    actions, defaults = (state_of(call.receiver, name).data for name in (ACTIONS, DEFAULTS))
    whole = call.given(0)
    is_made = whole is not None and isinstance(whole.data, LibraryObject)
    made = whole if is_made and whole is not None else _make_option(interpreter, call)
    option = option_of(made)
    if option is not None and isinstance(defaults, dict) and option.dest in defaults:
        option.action.state[DEFAULT] = defaults[option.dest]
    if isinstance(actions, list):
        actions.append(made)
    return made


MODELS.method("OptionParser", "set_defaults")(_set_defaults)


@MODELS.method("OptionParser", "set_default")
def _set_default(interpreter: Interpreter, call: Call) -> Value:
    dest, value = call.given(0, "dest"), call.given(1, "value")
    if dest is None or value is None or not isinstance(dest.data, str):
        return Value(None)
    named = Call(call.name, (), {dest.data: value}, call.place, receiver=call.receiver)
    return _set_defaults(interpreter, named)


MODELS.method("OptionParser", "print_help", "print_usage", "set_usage", "add_option_group")(nothing)
MODELS.method("OptionParser", "disable_interspersed_args", "enable_interspersed_args")(nothing)


@MODELS.method("OptionParser", "parse_args")
def _parse_options(interpreter: Interpreter, call: Call) -> Value:
    """Return the options, and the words that belong to none."""
    options, rest = _parsed(interpreter, call, True, {})
    for option in _options(call.receiver):
        held = options.get(option.dest)
        if held is None:
            continue
        if not held.known and option.kind in ("store_true", "store_false"):
            # Most runs leave most switches as they are.
            options[option.dest] = default_of(option)
        elif isinstance(held.data, list) and option.kind == "store":
            options[option.dest] = Value(tuple(held.data), held.origins)
    left = [word for word in listed(interpreter, rest) or [] if word.data != "--"]
    wrong = [word for word in left if _OPTION.match(str(word.data))]
    if wrong and (not interpreter.GUESSES or interpreter.is_failing()):
        raise Raised("arguments", f"no such option: {wrong[0].data}"[:200], *wrong)
    rest = Value(left, rest.origins) if rest.known else rest
    return Value((thing("argparse.Namespace", call, **options), rest))


def _options(parser: Value | None) -> list[Option]:
    actions = state_of(parser, ACTIONS).data
    found = map(option_of, actions if isinstance(actions, list) else ())
    return [option for option in found if option is not None]


# --- namespaces -----------------------------------------------------------------------------------


@MODELS.function("types.SimpleNamespace", "argparse.Namespace")
def _namespace(_: Interpreter, call: Call) -> Value:
    given = call.args[0].data if call.args else {}
    entries = given if isinstance(given, dict) else {}
    state = {str(key): value for key, value in entries.items()}
    return thing(call.name, call, **state, **call.keywords)


for _kind in ("Namespace", "SimpleNamespace"):

    @MODELS.attribute(_kind, "__dict__")
    def _attributes(_: Interpreter, call: Call) -> Value:
        """Return the attributes themselves: what changes them changes the object."""
        return Value(call.state, NOWHERE if call.receiver is None else call.receiver.origins)

    @MODELS.method(_kind, "_get_kwargs")
    def _pairs(_: Interpreter, call: Call) -> Value:
        pairs = [Value((Value(name), value), value.origins) for name, value in call.state.items()]
        return Value(pairs)

    @MODELS.method(_kind, "__contains__")
    def _has(_: Interpreter, call: Call) -> Value:
        name = call.given(0)
        if name is None or not isinstance(name.data, str):
            return call.unknown()
        return Value(name.data in call.state, name.origins)

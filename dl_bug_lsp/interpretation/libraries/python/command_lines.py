"""How parsers of ``argparse`` read a command line.

The standard parser, built anew of the arguments that a program adds, assigns the words; what its
actions do is then done in their order with the program's own values, types and classes.

Sources: the Python library reference (``argparse``), the documentation of ConfigArgParse, and
MMEngine's reference (``DictAction``).
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex

# The models of builtins below take the place of its, or call them.
import dl_bug_lsp.interpretation.libraries.python.builtins  # noqa: F401
from dl_bug_lsp.interpretation.libraries.python.files import make_path, text_in
from dl_bug_lsp.interpretation.model_helpers import is_true, listed, state_of, with_origins
from dl_bug_lsp.interpretation.models import Call
from dl_bug_lsp.interpretation.operators import PLAIN
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    ClassValue,
    Instance,
    Library,
    LibraryObject,
    Origin,
    Origins,
    Raised,
    Value,
    merged,
    read_as_text,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

ACTIONS, GROUPS, DEFAULTS, GIVEN = "actions_", "groups_", "defaults_", "keywords_"
"""Under which names a parser keeps its arguments, groups, defaults, and what it was made with."""
OWN, EXCLUSIVE, DEFAULT = "own_", "exclusive_", "default_"
"""Under which names an argument keeps its action's object, the group that it excludes the others
of, and the default that the parser gave it."""
PARSERS = "parsers_"
"""Under which name an argument of subcommands keeps their parsers."""
SUPPRESSED = argparse.SUPPRESS
MOST_FILES = 8
MOST_WORDS = 2_000
_CONSTANT: Any = object()
"""Stands for the ``const`` of an argument."""
_UNNAMED = "unknown"
"""Stands for a word that is not known."""
GIVES_CONSTANT = {"store_true": True, "store_false": False}
NO_WORDS = (*GIVES_CONSTANT, "store_const", "append_const", "count")
"""Actions that take no words."""
_OF_FILE = ("is_config_file", "is_config_file_arg")
"""Keywords of an option whose value is a config file (ConfigArgParse's documentation)."""
_KINDS = {
    **dict.fromkeys(("_StoreAction", "Action"), "store"),
    "_StoreTrueAction": "store_true",
    "_StoreFalseAction": "store_false",
    "_StoreConstAction": "store_const",
    "_AppendConstAction": "append_const",
    "_AppendAction": "append",
    "_ExtendAction": "extend",
    "_CountAction": "count",
    "BooleanOptionalAction": "boolean",
    "DictAction": "settings",
}
"""What the classes of actions of libraries do, by the last part of their names."""


class _Word(str):
    """A word of the command line, or a part of one, that knows where it comes from."""

    __slots__ = ("value",)
    value: Value

    def _part(self, text: str) -> _Word:
        part = _Word(text)
        part.value = Value(text if self.value.known else UNKNOWN, self.value.origins)
        return part

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        return self._part(str.__getitem__(self, key))

    def partition(self, sep: str) -> tuple[str, str, str]:
        """Cut the word as a text is cut; its parts come from the same place."""
        head, mark, tail = str.partition(self, sep)
        return self._part(head), mark, self._part(tail)

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        """Cut the word as a text is cut; its parts come from the same place."""
        return [self._part(part) for part in str.split(self, sep, maxsplit)]


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


@dataclass(slots=True)
class Option:
    """An argument of a parser as the program adds it."""

    action: LibraryObject
    dest: str
    kind: str
    keywords: dict[str, Value]
    place: Origins = field(default=NOWHERE)

    @property
    def names(self) -> list[str]:
        """The names of an option, or the only one of a positional argument."""
        names = [arg.data for arg in self.action.args if isinstance(arg.data, str)]
        return names or [self.dest]

    @property
    def prefixes(self) -> str:
        """The characters with which options begin."""
        given = self.action.state.get("prefixes_")
        return given.data if given is not None and isinstance(given.data, str) else "-"

    @property
    def is_positional(self) -> bool:
        """Whether words are assigned by their position."""
        return self.names[0][:1] not in self.prefixes


@dataclass(slots=True)
class _Taken:
    """Words that the standard parser gives an argument."""

    option: Option
    values: object
    flag: str | None


@dataclass(slots=True)
class _Below:
    """Where the words of a subcommand begin."""

    parser: Value
    dest: str | None
    name: str


@dataclass(slots=True)
class _End:
    """Where the words of a subcommand end."""


_Event = _Taken | _Below | _End


def option_of(action: Value) -> Option | None:
    """Return an argument by its call of ``add_argument``, None where that is not known."""
    made = action.data
    if not isinstance(made, LibraryObject):
        return None
    names = [arg.data for arg in made.args]
    dest = made.keywords.get("dest")
    named = dest.data if dest is not None and isinstance(dest.data, str) else None
    texts = [name for name in names if isinstance(name, str)] or ([named] if named else [])
    if not texts or len(texts) < len(names):
        return None
    kind = _kind(made)
    if kind is None:
        return None
    option = Option(made, "", kind, dict(made.keywords), frozenset({made.made}))
    if named is None:
        prefixes = option.prefixes
        is_long = (t for t in texts if t[:1] in prefixes and t[1:2] in [*prefixes])
        long = next(is_long, texts[0])
        named = texts[0] if option.is_positional else long.lstrip(prefixes).replace("-", "_")
    option.dest = named
    return option


def _kind(made: LibraryObject) -> str | None:
    """Return what an argument does with its words, ``"own"`` where a class of the program does."""
    given = made.keywords.get("action")
    if given is None or given.data is None:
        return "store"
    kind = given.data
    if isinstance(kind, Library):
        return _KINDS.get(kind.short, "other")
    if isinstance(kind, ClassValue):
        return "own" if OWN in made.state else "other"
    return kind if isinstance(kind, str) else None


def default_of(option: Option) -> Value:
    """Return what an argument is without words, which is None where nothing says otherwise."""
    given = option.action.state.get(DEFAULT, option.keywords.get("default"))
    if given is not None:
        return given
    own = option.action.state.get(OWN)
    if own is not None and isinstance(own.data, Instance) and "default" in own.data.attributes:
        return own.data.attributes["default"]
    nargs = option.keywords.get("nargs")
    if nargs is not None and nargs.data == "*" and option.is_positional:
        return Value([], option.place)
    if option.kind in GIVES_CONSTANT:
        return Value(not GIVES_CONSTANT[option.kind], option.place)
    return Value(None, option.place)


def parse(
    interpreter: Interpreter,
    call: Call,
    receiver: Value | None,
    words: Sequence[Value] | None,
    known: bool,
    names: dict[str, Value] | None = None,
) -> tuple[dict[str, Value], Value]:
    """Return the attributes that a parser makes of words, and the words left over.

    Words that are None are not known, and so are then all values without a default. ``names`` are
    the attributes that are there before. Raises `Raised` ("arguments") where the program would end
    with a usage message.
    """
    names = {} if names is None else names
    read, complete = _options_of(receiver)
    _fill(receiver, names)
    if words is None:
        # Most runs leave most options as they are: a default stands where there is one.
        _convert_defaults(interpreter, call, receiver, names)
        for name, value in list(names.items()):
            names[name] = value if value.data is not None else Value(UNKNOWN, value.origins)
        names.update(_printed(interpreter, call, read))
        return names, Value(UNKNOWN)
    written = _of_files(interpreter, receiver, words)
    events: list[_Event] = []
    rest = Value(UNKNOWN)
    try:
        if isinstance(receiver, Value):
            rest = _assign(receiver, written, events, known=known or not complete)
    except Raised:
        if written:
            raise
        # Without a single word it is likelier that the command line is not known.
        for option in read:
            if option.is_positional or is_true(option.keywords.get("required")):
                names[option.dest] = Value(UNKNOWN, option.place)
        events = []
    if not complete:
        # Words that are left over may belong to the arguments that are not known, and so may those
        # that were assigned by their position.
        rest = Value(UNKNOWN)
        for option in read:
            if option.is_positional:
                names[option.dest] = Value(UNKNOWN, option.place)
        events = [e for e in events if not (isinstance(e, _Taken) and e.option.is_positional)]
    _replay(interpreter, call, receiver, events, names)
    given = {event.option.dest for event in events if isinstance(event, _Taken)}
    names.update(_configured(interpreter, call, receiver, read, names, given))
    return names, rest


def _options_of(receiver: Value | None) -> tuple[list[Option], bool]:
    """Return the arguments of a parser without its subcommands, and whether all are known."""
    actions = state_of(receiver, ACTIONS).data
    if not isinstance(actions, list):
        return [], False
    held = [action for action in actions if not _is_of_subcommands(action)]
    options = [option_of(action) for action in held]
    return [o for o in options if o is not None], None not in options


def _is_of_subcommands(action: Value) -> bool:
    return isinstance(action.data, LibraryObject) and PARSERS in action.data.state


def _fill(receiver: Value | None, names: dict[str, Value]) -> None:
    """Set what a parser sets before it reads words; what is there already stays."""
    for option in _options_of(receiver)[0]:
        default = default_of(option)
        is_kept = option.dest in names or option.dest == SUPPRESSED
        if not is_kept and default.data != SUPPRESSED and option.kind not in ("help", "version"):
            names[option.dest] = default
    actions = state_of(receiver, ACTIONS).data
    for action in actions if isinstance(actions, list) else ():
        dest = _dest_of_subcommands(action)
        if dest is not None:
            names.setdefault(dest, Value(None))
    defaults = state_of(receiver, DEFAULTS).data
    for name, value in (defaults if isinstance(defaults, dict) else {}).items():
        names.setdefault(name, value)


def _dest_of_subcommands(action: Value) -> str | None:
    if not _is_of_subcommands(action) or not isinstance(action.data, LibraryObject):
        return None
    dest = action.data.keywords.get("dest")
    return dest.data if dest is not None and isinstance(dest.data, str) else None


def _convert_defaults(
    interpreter: Interpreter, call: Call, receiver: Value | None, names: dict[str, Value]
) -> None:
    """Give the defaults that are texts and still stand the types of their arguments."""
    for option in _options_of(receiver)[0]:
        held = names.get(option.dest)
        if held is not None and isinstance(held.data, str) and held is default_of(option):
            names[option.dest] = _converted(interpreter, call, option, held)


# --- words ----------------------------------------------------------------------------------------


def _of_files(
    interpreter: Interpreter, receiver: Value | None, words: Sequence[Value]
) -> list[Value]:
    """Return the words with those of the files that some of them name (`fromfile_prefix_chars`)."""
    prefixes = _given(receiver, "fromfile_prefix_chars").data
    if not isinstance(prefixes, str):
        return list(words)
    written: list[Value] = []
    left = MOST_FILES
    queue = list(reversed(words))
    while queue and len(written) < MOST_WORDS:
        word = queue.pop()
        text = word.data if isinstance(word.data, str) else ""
        file = interpreter.workspace.file_named(text[1:]) if text[:1] in [*prefixes] else None
        content = text_in(interpreter, file) if file is not None else None
        if file is None or content is None or not left:
            written.append(word)
            continue
        left -= 1
        lines = content.splitlines()[:MOST_WORDS]
        found: list[Value] = []
        for number, line in enumerate(lines, 1):
            found.extend(_of_line(interpreter, receiver, line, (file, number)))
        queue.extend(reversed(found))
    return written


def _of_line(
    interpreter: Interpreter, receiver: Value | None, line: str, place: Origin
) -> list[Value]:
    """Return the words of a line of a file, as a method of the program's parser splits it."""
    word = Value(line, frozenset({place}))
    own = None if receiver is None else interpreter.method_of(receiver, "convert_arg_line_to_args")
    if own is None:
        return [word]
    made = interpreter.call(own, (word,), {}, place)
    return listed(interpreter, made) or []


def _given(receiver: Value | None, name: str) -> Value:
    """Return an argument with which a parser was made, unknown where there was none."""
    given = state_of(receiver, GIVEN).data
    return given.get(name, Value(UNKNOWN)) if isinstance(given, dict) else Value(UNKNOWN)


def _words(read: Iterable[str], words: Sequence[Value]) -> list[str]:
    """Return the words as the standard parser gets them.

    Options that are declared with one dash only are written so: readers of commands keep the names
    of options without their dashes.
    """
    flags = set(read)
    written: list[str] = []
    for value in words:
        text = value.data if isinstance(value.data, str) else _UNNAMED
        name = text.partition("=")[0]
        if name.startswith("--") and name not in flags and name[1:] in flags:
            text = text[1:]
        word = _Word(text)
        word.value = Value(text if isinstance(value.data, str) else UNKNOWN, value.origins)
        written.append(word)
    return written


def _value_of(word: object) -> Value:
    return word.value if isinstance(word, _Word) else with_origins(word, NOWHERE)


# --- the standard parser --------------------------------------------------------------------------


class _Recording(argparse.Action):
    """Notes the words that an argument is given."""

    def __init__(self, *args: Any, noted: list[_Event], option: Option, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self.noted, self.option = noted, option

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Note the words."""
        self.noted.append(_Taken(self.option, values, option_string))


class _Switch(_Recording, argparse.BooleanOptionalAction):
    """Notes whether an option was given as it is or with ``--no-``."""


class _Commands(argparse._SubParsersAction):  # type: ignore[type-arg]
    """Notes which subcommand is chosen, around what its parser notes."""

    noted: list[_Event]
    below: dict[str, Value]
    chosen: str | None

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Let the parser of the subcommand read the words that are left."""
        self.noted.append(_Below(self.below[str(values[0])], self.chosen, values[0]))
        super().__call__(parser, namespace, values, option_string)
        self.noted.append(_End())


def _assign(receiver: Value, words: Sequence[Value], noted: list[_Event], *, known: bool) -> Value:
    """Let the standard parser assign the words to the arguments; return those left over."""
    flags: set[str] = set()
    parser = _Parser(prog="program", **_how(receiver))
    parser.fromfile_prefix_chars = None
    _build(parser, receiver, noted, flags)
    try:
        space, rest = parser.parse_known_args(_words(flags, words))
    except _UsageError as stop:
        raise Raised("arguments", str(stop)[:200], *words) from None
    except (ValueError, TypeError, argparse.ArgumentError):
        noted.clear()
        return Value(UNKNOWN)
    del space
    left = [_value_of(word) for word in rest]
    if left and not known:
        raise Raised("arguments", f"unrecognized arguments: {' '.join(rest)}"[:200], *left)
    return Value(left)


def _how(receiver: Value) -> dict[str, Any]:
    """Return the arguments with which the standard parser is made like the program's."""
    keywords: dict[str, Any] = {"add_help": True}
    for name, kind in (("add_help", bool), ("allow_abbrev", bool), ("prefix_chars", str)):
        value = _given(receiver, name).data
        if isinstance(value, kind):
            keywords[name] = value
    # An option that is added twice fails where it is added: here a branch was not known.
    return {**keywords, "conflict_handler": "resolve"}


def _build(parser: _Parser, receiver: Value, noted: list[_Event], flags: set[str]) -> None:
    """Add the arguments of the program's parser to the standard one."""
    actions = state_of(receiver, ACTIONS).data
    read = _options_of(receiver)[0]
    from_file = any(is_true(o.keywords.get(word)) for o in read for word in _OF_FILE)
    exclusive: dict[int, Any] = {}
    for action in actions if isinstance(actions, list) else ():
        if _is_of_subcommands(action):
            _build_subcommands(parser, action, noted, flags)
            continue
        option = option_of(action)
        if option is None or option.kind in ("help", "version"):
            continue
        flags.update(option.names)
        group = option.action.state.get(EXCLUSIVE)
        target: Any = parser
        if group is not None and isinstance(group.data, LibraryObject):
            required = is_true(group.data.keywords.get("required"))
            if id(group.data) not in exclusive:
                made = parser.add_mutually_exclusive_group(required=required)
                exclusive[id(group.data)] = made
            target = exclusive[id(group.data)]
        try:
            target.add_argument(*option.names, **_declared(option, noted, from_file))
        except (ValueError, TypeError, argparse.ArgumentError) as error:
            place = Value(UNKNOWN, option.place)
            raise Raised("arguments", str(error)[:200], place) from None


def _build_subcommands(
    parser: _Parser, action: Value, noted: list[_Event], flags: set[str]
) -> None:
    parsers = state_of(action, PARSERS).data
    if not isinstance(action.data, LibraryObject) or not isinstance(parsers, dict):
        return
    required = is_true(action.data.keywords.get("required"))
    made: Any = parser.add_subparsers(action=_Commands, required=required, parser_class=_Parser)
    made.noted, made.below = noted, parsers
    made.chosen = _dest_of_subcommands(action)
    made.dest = made.chosen or SUPPRESSED
    for name, below in parsers.items():
        _build(made.add_parser(name, **_how(below)), below, noted, flags)


def _declared(option: Option, noted: list[_Event], from_file: bool) -> dict[str, Any]:
    """Return the keywords with which an argument is added to the standard parser."""
    keywords: dict[str, Any] = {"default": SUPPRESSED, "noted": noted, "option": option}
    keywords["action"] = _Switch if option.kind == "boolean" else _Recording
    required = option.keywords.get("required")
    own = option.action.state.get(OWN)
    nargs = option.keywords.get("nargs")
    if own is not None and isinstance(own.data, Instance):
        nargs = own.data.attributes.get("nargs", nargs)
    if nargs is not None and isinstance(nargs.data, (int, str)) and option.kind != "boolean":
        keywords["nargs"] = nargs.data
    if option.kind in NO_WORDS:
        keywords["nargs"] = 0
    if keywords.get("nargs") == "?":
        keywords["const"] = _CONSTANT
    if not option.is_positional:
        keywords["dest"] = option.dest
        keywords["required"] = is_true(required) and not from_file
    return keywords


# --- what the actions do --------------------------------------------------------------------------


def _replay(
    interpreter: Interpreter,
    call: Call,
    receiver: Value | None,
    events: Sequence[_Event],
    names: dict[str, Value],
) -> None:
    """Do what the actions of arguments do with their words, in their order."""
    scopes: list[tuple[Value | None, dict[str, Value]]] = [(receiver, names)]
    for event in events:
        if isinstance(event, _Below):
            if event.dest is not None:
                scopes[-1][1][event.dest] = _value_of(event.name)
            scopes.append((event.parser, {}))
            _fill(event.parser, scopes[-1][1])
        elif isinstance(event, _End):
            parser, inner = scopes.pop()
            _convert_defaults(interpreter, call, parser, inner)
            scopes[-1][1].update(inner)
        elif event.option.kind == "own":
            _act(interpreter, call, scopes[-1][0], event, scopes[-1][1])
        else:
            held = scopes[-1][1]
            held[event.option.dest] = _stored(interpreter, call, event, held)
    _convert_defaults(interpreter, call, receiver, names)


def _act(
    interpreter: Interpreter,
    call: Call,
    parser: Value | None,
    event: _Taken,
    names: dict[str, Value],
) -> None:
    """Call the action of a class of the program, which sets what it likes."""
    own = event.option.action.state[OWN]
    space = Value(LibraryObject("argparse.Namespace", (), {}, call.place, names))
    flag = Value(None) if event.flag is None else _value_of(event.flag)
    taken = Value([]) if event.values == [] else _taken(interpreter, call, event.option, event)
    before = names.get(event.option.dest)
    method = interpreter.method_of(own, "__call__")
    if method is None:
        names[event.option.dest] = taken
        return
    given = (parser or Value(UNKNOWN), space, taken, flag)
    interpreter.call(method, given, {}, call.place)
    held = names.get(event.option.dest)
    if held is not None and held is not before and not held.origins:
        names[event.option.dest] = Value(held.data, taken.origins)


def _taken(interpreter: Interpreter, call: Call, option: Option, event: _Taken) -> Value:
    """Return the words of an argument as its type makes them."""
    values = event.values
    if values is _CONSTANT:
        return option.keywords.get("const", Value(None, option.place))
    if isinstance(values, list):
        items = [_typed(interpreter, call, option, _value_of(item)) for item in values]
        return Value(items, merged(*items) or option.place)
    return _typed(interpreter, call, option, _value_of(values))


def _stored(
    interpreter: Interpreter, call: Call, event: _Taken, names: Mapping[str, Value]
) -> Value:
    """Return what an argument's name stands for after an action of the standard library."""
    option, before = event.option, names.get(event.option.dest)
    flag = event.flag.value if isinstance(event.flag, _Word) else Value(None)
    place = flag.origins or option.place
    constant = option.keywords.get("const", Value(None, option.place))
    if option.kind in GIVES_CONSTANT:
        return Value(GIVES_CONSTANT[option.kind], place)
    if option.kind == "boolean":
        return Value(not str(event.flag).startswith("--no-"), place)
    if option.kind == "store_const":
        return Value(constant.data, flag.origins or constant.origins)
    if option.kind == "count":
        start = before.data if before is not None and isinstance(before.data, int) else 0
        return Value(start + 1, place)
    if option.kind == "other":
        # What an action of another library makes of a word is not known.
        return Value(UNKNOWN, merged(_words_of(event)) or option.place)
    taken = constant if option.kind == "append_const" else _taken(interpreter, call, option, event)
    if option.kind == "settings":
        return _settings(event, before)
    if option.kind not in ("append", "extend", "append_const"):
        return taken
    items = [] if before is None or before.data is None else listed(interpreter, before) or []
    added = taken.data if option.kind == "extend" and isinstance(taken.data, list) else [taken]
    return Value([*items, *added], merged(*items, *added) or option.place)


def _words_of(event: _Taken) -> Value:
    values = event.values if isinstance(event.values, list) else [event.values]
    return Value(UNKNOWN, merged(*map(_value_of, values)))


def _settings(event: _Taken, before: Value | None) -> Value:
    """Return the dictionary of words ``key=value`` (MMEngine's ``DictAction``)."""
    held: dict[str, Value] = {}
    if before is not None and isinstance(before.data, dict):
        held.update(before.data)
    for item in event.values if isinstance(event.values, list) else [event.values]:
        word = _value_of(item)
        key, _, text = str(word.data).partition("=")
        held[key] = with_origins(_literal(text), word.origins)
    return Value(held, merged(*held.values()))


def _literal(text: str, depth: int = 8) -> object:
    """Return a value as ``DictAction`` reads it: numbers, booleans, None, lists, tuples, texts."""
    text = text.strip("'\"").replace(" ", "")
    brackets: Callable[[Iterable[object]], object] | None = None
    if text[:1] + text[-1:] in ("()", "[]") and len(text) > 1:
        brackets = tuple if text[0] == "(" else list
        text = text[1:-1]
    parts = re.split(r",(?![^(\[]*[)\]])", text) if depth else [text]
    if brackets is not None or len(parts) > 1:
        return (brackets or list)(_literal(part, depth - 1) for part in parts if part)
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _typed(interpreter: Interpreter, call: Call, option: Option, word: Value) -> Value:
    """Return a word as the type of its argument makes it, which has to be one of its choices."""
    typed = _converted(interpreter, call, option, word)
    choices = listed(interpreter, option.keywords.get("choices"))
    is_known = choices and isinstance(typed.data, PLAIN)
    plain = all(isinstance(c.data, PLAIN) for c in choices or ())
    if is_known and plain and typed.data not in [c.data for c in choices or ()]:
        message = f"argument {option.dest}: invalid choice: {typed.data!r}"
        raise Raised("arguments", message, typed, option.keywords["choices"])
    return typed


def _converted(interpreter: Interpreter, call: Call, option: Option, word: Value) -> Value:
    """Return a word as the type of its argument makes it."""
    kind = option.keywords.get("type")
    if kind is None or kind.data is None or not word.known:
        # That it stays a text is decided where the argument is added.
        return read_as_text(word, *option.place)
    if not isinstance(kind.data, Library):
        return interpreter.call(kind, (word,), {}, call.place)
    convert = _TYPES.get(kind.data.name)
    if convert is None:
        if kind.data.name == "pathlib.Path":
            return make_path(interpreter, Call("Path", (word,), {}, call.place))
        return interpreter.call(kind, (word,), {}, call.place)
    try:
        # What only the log shows to be typed was decided in no file.
        return Value(convert(word.data), word.origins)
    except (ValueError, TypeError):
        message = f"argument {option.dest}: invalid {kind.data.short} value: {word.data!r}"
        raise Raised("arguments", message, word, Value(UNKNOWN, option.place)) from None


_TYPES: dict[str, Callable[..., object]] = {
    f"builtins.{kind.__name__}": kind for kind in (int, float, str, bool)
}


# --- what else sets options -----------------------------------------------------------------------


def _configured(
    interpreter: Interpreter,
    call: Call,
    receiver: Value | None,
    read: Sequence[Option],
    parsed: Mapping[str, Value],
    given: Iterable[str],
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
            elif option_of.kind in GIVES_CONSTANT:
                chosen = GIVES_CONSTANT[option_of.kind] == (entry.value is True)
                configured[option_of.dest] = Value(chosen, origins)
            else:
                word = Value(entry.text, origins)
                configured[option_of.dest] = _typed(interpreter, call, option_of, word)
    return configured


def _printed(interpreter: Interpreter, call: Call, read: Sequence[Option]) -> dict[str, Value]:
    """Return what the log shows that options were set to, where it is not their default."""
    parsed: dict[str, Value] = {}
    for option in read:
        text = interpreter.printed.get(option.dest)
        if text is None or option.kind not in ("store", *GIVES_CONSTANT, "boolean"):
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
        if value.data != default_of(option).data:
            parsed[option.dest] = value
    return parsed

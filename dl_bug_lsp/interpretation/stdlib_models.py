"""Models of Python's standard library: files, settings, command lines, containers, iteration.

Files are read through the workspace alone; each value keeps the line of the file that it stands on.
Source: the Python 3.13 library reference.
"""

from __future__ import annotations

import argparse
import ast
import configparser
import csv
import fnmatch
import itertools
import logging
import math
import operator
import posixpath
import re
import string
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NoReturn

# The models of builtins below take the place of its, or call them.
import dl_bug_lsp.interpretation.builtin_models  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import (
    MAX_ITEMS,
    PLAIN,
    NotPlain,
    plain,
    representative,
    value_of,
)
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    ClassValue,
    Instance,
    Lazy,
    Library,
    LibraryObject,
    Origin,
    Origins,
    Raised,
    Value,
    merged,
    unknown,
)
from dl_bug_lsp.workspace.configs.json_reader import Node, read_json
from dl_bug_lsp.workspace.configs.reading import plain_scalar
from dl_bug_lsp.workspace.configs.yaml_files import read_yaml_config

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter
    from dl_bug_lsp.workspace.contents import ConfigEntry

MOST_ITEMS = 20_000
"""Items of a list, lines of a file, entries of a document; what is longer is an outline."""
MOST_TEXT = 2_000_000
"""Characters of a file that is looked into."""
_MOST_CALLS = 200
_MOST_TEXT_OF_PATTERN = 2_000
_ALIKE_DEEPEST = 6


# What the models below, and those of other libraries, share.


def text_of(value: Value | None) -> str | None:
    """Return a text, or a path's text; None where it is neither or not known."""
    if value is None:
        return None
    if isinstance(value.data, str):
        return value.data
    if isinstance(value.data, LibraryObject) and "path" in value.data.state:
        return text_of(value.data.state["path"])
    return None


def is_true(value: Value | None) -> bool:
    """Whether a value is known to be the constant True."""
    return value is not None and value.data is True


def listed(interpreter: Interpreter, value: Value | None) -> list[Value] | None:
    """Return the items of what can be iterated over, None where they are not all known."""
    if value is None or not value.known:
        return None
    if isinstance(value.data, (list, tuple)):
        return list(value.data)
    items = interpreter.iterate(value)
    return items if isinstance(items, list) and len(items) <= MOST_ITEMS else None


def with_origins(data: object, origins: Origins, depth: int = 20) -> Value:
    """Return plain lists, tuples, dicts and scalars as values of one origin."""
    if depth and isinstance(data, (list, tuple)):
        return Value(type(data)(with_origins(d, origins, depth - 1) for d in data), origins)
    if depth and isinstance(data, dict):
        entries = {key: with_origins(d, origins, depth - 1) for key, d in data.items()}
        return Value(entries, origins)
    if isinstance(data, (*PLAIN, set)):
        return Value(data, origins)
    return Value(UNKNOWN, origins)


def alike(values: Sequence[Value], depth: int = _ALIKE_DEEPEST) -> Value:
    """Return what all values have in common: an equal part stays, another is unknown."""
    if not values:
        return Value(UNKNOWN)
    first, origins = values[0], merged(*values[:MOST_ITEMS])
    kinds = {type(v.data) for v in values}
    if len(kinds) != 1 or not depth:
        return Value(UNKNOWN, origins)
    if all(v.data is first.data for v in values):
        return Value(first.data, origins)
    if isinstance(first.data, Array):
        return Value(_arrays_alike([v.data for v in values if isinstance(v.data, Array)]), origins)
    if isinstance(first.data, (list, tuple)):
        parts = [v.data for v in values if isinstance(v.data, (list, tuple))]
        if len({len(p) for p in parts}) == 1:
            items = [alike(column, depth - 1) for column in zip(*parts, strict=True)]
            return Value(type(first.data)(items), origins)
    elif isinstance(first.data, dict):
        dicts = [v.data for v in values if isinstance(v.data, dict)]
        if all(d.keys() == first.data.keys() for d in dicts):
            keys = first.data
            return Value({k: alike([d[k] for d in dicts], depth - 1) for k in keys}, origins)
    elif isinstance(first.data, PLAIN) and all(v.data == first.data for v in values):
        return Value(first.data, origins)
    return Value(UNKNOWN, origins)


def _arrays_alike(parts: Sequence[Array]) -> Array:
    """Return an array with the sizes and dtype that all of some arrays have."""
    first = parts[0]
    shape = first.shape
    for other in parts[1:]:
        if shape is None or other.shape is None or len(other.shape) != len(shape):
            shape = None
            break
        pairs = zip(shape, other.shape, strict=True)
        shape = tuple(x if x.data == y.data else Value(UNKNOWN, merged(x, y)) for x, y in pairs)
    dtype = first.dtype if len({a.dtype for a in parts}) == 1 else None
    lows, highs = [a.lowest for a in parts], [a.highest for a in parts]
    low = None if None in lows else min(n for n in lows if n is not None)
    high = None if None in highs else max(n for n in highs if n is not None)
    return Array(shape, dtype, first.library, first.device, low, high)


def thing(name: str, call: Call, **state: Value) -> Value:
    """Return an object of a library's class as it was called, with a state."""
    made = LibraryObject(name, call.args, call.keywords, call.place, dict(state))
    return Value(made, NOWHERE)


def state_of(value: Value | None, name: str) -> Value:
    """Return a part of what a library's object holds, unknown where there is none.

    What an object of a workspace class holds, its attributes are.
    """
    if value is not None and isinstance(value.data, LibraryObject):
        return value.data.state.get(name, Value(UNKNOWN, value.origins))
    if value is not None and isinstance(value.data, Instance):
        return value.data.attributes.get(name, Value(UNKNOWN))
    return Value(UNKNOWN)


def nothing(interpreter: Interpreter, call: Call) -> Value:
    """Model what is called for its effect outside of the program."""
    del interpreter, call
    return Value(None)


def itself(_: Interpreter, call: Call) -> Value:
    """Model a method that returns its receiver, a function that returns its argument."""
    if call.receiver is not None:
        return call.receiver
    return call.args[0] if call.args else call.unknown()


def first_argument(_: Interpreter, call: Call) -> Value:
    """Model a function that gives back its first argument as it is."""
    return call.args[0] if call.args else call.unknown()


# Files.


def written_files(interpreter: Interpreter) -> set[str]:
    """Return the paths that the program has written so far; ``"*"`` is one that is not known."""
    paths: set[str] | None = getattr(interpreter, "written", None)
    if paths is None:
        paths = set()
        setattr(interpreter, "written", paths)  # noqa: B010
    return paths


def note_written(interpreter: Interpreter, path: Value | None) -> None:
    """Take note that the program writes a file or makes a folder."""
    text = text_of(path)
    written_files(interpreter).add("*" if text is None else posixpath.normpath(text))


def is_written(interpreter: Interpreter, path: str) -> bool:
    """Whether the program may have written a file, or a folder around it."""
    written = written_files(interpreter)
    if not written:
        return False
    around = posixpath.normpath(path)
    return "*" in written or any(
        p in written for p in (around, *map(str, PurePosixPath(around).parents)) if p != "."
    )


def file_of(
    interpreter: Interpreter, path: Value | None, suffixes: tuple[str, ...] = ()
) -> str | None:
    """Return the workspace file that a path means.

    One that is not known is the workspace's only file with one of the ``suffixes``.

    Raises `Raised` ("file") where a relative path names no file of the workspace and the program
    did not write it; None where that cannot be told.
    """
    text = text_of(path)
    if path is None or text is None:
        fitting = [file for file in interpreter.workspace.files() if file.endswith(suffixes)]
        is_alone = bool(suffixes) and interpreter.GUESSES and path is not None and len(fitting) == 1
        return fitting[0] if is_alone and path is not None and path.data is UNKNOWN else None
    if is_written(interpreter, text):
        return None
    file = interpreter.workspace.file_named(text)
    if file is not None:
        return file
    if not text or text[0] in "/~$\\" or ":" in text or _is_folder(interpreter, text):
        return None
    # Data that an ignore rule hides is no file of the workspace's list, but it may be there.
    hidden = interpreter.workspace.existing_file(text, interpreter.script)
    if hidden is not None:
        return hidden
    raise Raised("file", f"No such file or directory: {text!r}", path)


def _is_folder(interpreter: Interpreter, path: str) -> bool:
    return any(True for _ in _below(interpreter, path))


def _below(interpreter: Interpreter, path: str) -> Iterator[tuple[str, str]]:
    """Yield (workspace file, its path below a folder) of all files below a folder."""
    wanted = posixpath.normpath(path).lstrip("/") or "."
    around = str(getattr(interpreter, "folder", "") or "")
    files = interpreter.workspace.files()
    names = dict.fromkeys((posixpath.normpath(posixpath.join(around, wanted)), wanted))
    for name in names:
        if name == ".":
            yield from ((file, file) for file in files)
            return
        inside = [file for file in files if file.startswith(f"{name}/")]
        if inside:
            yield from ((file, file[len(name) + 1 :]) for file in inside)
            return


def text_in(interpreter: Interpreter, file: str | None) -> str | None:
    """Return a workspace file's text, None where it is too long, binary or not known."""
    text = None if file is None else interpreter.workspace.text(file)
    if text is None or file is None or len(text) > MOST_TEXT:
        return None
    interpreter.files_read[file] = None
    return text


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def lines_in(interpreter: Interpreter, file: str | None, path: Value) -> Value:
    """Return a file's lines with their ends, each with its place; outlined where they are many."""
    text = text_in(interpreter, file)
    if text is None or file is None:
        return Value(UNKNOWN, path.origins)
    lines = _split(text)
    if len(lines) > MOST_ITEMS:
        origins = frozenset({(file, 1)})
        length = Value(len(lines), path.origins | origins)
        return Value(Lazy(Value(UNKNOWN, origins), length), path.origins)
    made = [Value(line, frozenset({(file, n)})) for n, line in enumerate(lines, 1)]
    return Value(made, path.origins)


@MODELS.function("open", "builtins.open", "io.open", "codecs.open", "gzip.open")
@MODELS.method("Path", "open")
def _open(interpreter: Interpreter, call: Call) -> Value:
    path = call.receiver if call.receiver is not None else call.given(0, "file", "filename")
    mode = call.given(0 if call.receiver is not None else 1, "mode")
    how = "r" if mode is None else mode.data
    name = "io.TextIOWrapper"
    if path is None or not isinstance(how, str):
        return call.unknown()
    if any(letter in how for letter in "wax+"):
        note_written(interpreter, path)
        return thing(name, call, path=path, lines=Value(UNKNOWN, path.origins), at=Value(0))
    file = file_of(interpreter, path)
    lines = lines_in(interpreter, file, path)
    if "b" in how or "gzip" in call.name:
        lines = Value(UNKNOWN, path.origins)
    if file is None and path.data is UNKNOWN:
        # What reads settings from it reads those of the run.
        file = interpreter.settings
    return thing(name, call, path=path, file=Value(file), lines=lines, at=Value(0))


def _rest(call: Call, take: bool = True) -> list[Value] | None:
    """Return the lines of an open file that were not read yet, and count them as read."""
    lines, at = state_of(call.receiver, "lines").data, state_of(call.receiver, "at").data
    if not isinstance(lines, list) or not isinstance(at, int):
        return None
    if take and call.receiver is not None and isinstance(call.receiver.data, LibraryObject):
        call.receiver.data.state["at"] = Value(len(lines))
    return lines[at:]


@MODELS.method("TextIOWrapper", "__iter__", "readlines")
def _read_lines(_: Interpreter, call: Call) -> Value:
    rest = _rest(call)
    return state_of(call.receiver, "lines") if rest is None else Value(rest)


@MODELS.method("TextIOWrapper", "readline", "__next__")
def _read_line(_: Interpreter, call: Call) -> Value:
    rest = _rest(call, take=False)
    if rest is None or call.receiver is None or not isinstance(call.receiver.data, LibraryObject):
        return call.unknown()
    if not rest:
        return Value("") if call.name == "readline" else call.unknown()
    at = call.receiver.data.state["at"].data
    call.receiver.data.state["at"] = Value(at + 1 if isinstance(at, int) else UNKNOWN)
    return rest[0]


@MODELS.method("TextIOWrapper", "read")
def _read(_: Interpreter, call: Call) -> Value:
    rest = None if call.args else _rest(call)
    if rest is None:
        return unknown(state_of(call.receiver, "lines"))
    text = "".join(line.data for line in rest if isinstance(line.data, str))
    return Value(text, rest[0].origins if rest else NOWHERE)


MODELS.method("TextIOWrapper", "__enter__")(itself)
MODELS.method(
    "TextIOWrapper", "__exit__", "close", "write", "writelines", "flush", "truncate", "fileno"
)(nothing)


@MODELS.method("TextIOWrapper", "seek")
def _seek(_: Interpreter, call: Call) -> Value:
    to = call.given(0, "offset")
    if call.receiver is not None and isinstance(call.receiver.data, LibraryObject):
        known = to is not None and to.data == 0
        call.receiver.data.state["at"] = Value(0 if known else UNKNOWN)
    return unknown() if to is None else to


# JSON, YAML, TOML and INI documents.


def json_value(node: Node, file: str, line: int, budget: list[int]) -> Value:
    """Return a JSON document as nested values, each with its key's line."""
    origins = frozenset({(file, line)})
    budget[0] -= 1
    if budget[0] < 0:
        return Value(UNKNOWN, origins)
    if not node.is_container:
        return Value(node.value, origins)
    if node.keys is None:
        return Value([json_value(item, file, item.line, budget) for item in node.items], origins)
    pairs = zip(node.keys, node.items, strict=False)
    return Value({key: json_value(n, file, at, budget) for (key, at), n in pairs}, origins)


def _json_text(text: str, origins: Origins) -> Value:
    """Return a JSON text that starts at the place it is known to come from."""
    file, line = min(origins) if len(origins) == 1 else ("", 1)
    if len(text) > MOST_TEXT:
        return Value(UNKNOWN, origins)
    reading = read_json(text, line)
    if reading.problem is not None or reading.root is None:
        at = reading.problem_line or line
        place = frozenset({(file, at)}) if file else origins
        raise Raised("value", reading.problem or "no value", Value(text[:200], place))
    document = json_value(reading.root, file, reading.root.line, [MOST_ITEMS])
    return document if file else with_origins(_stripped(document), origins)


def _stripped(value: Value) -> object:
    try:
        return plain(value, 200)
    except ValueError:
        return UNKNOWN


@MODELS.function("json.load")
def _json_load(interpreter: Interpreter, call: Call) -> Value:
    handle = call.given(0, "fp")
    file = state_of(handle, "file").data
    text = text_in(interpreter, file) if isinstance(file, str) else None
    if text is None or not isinstance(file, str):
        return Value(UNKNOWN, merged(state_of(handle, "path")))
    return _json_text(text, frozenset({(file, 1)}))


@MODELS.function("json.loads", "orjson.loads", "ujson.loads")
def _json_loads(_: Interpreter, call: Call) -> Value:
    text = call.given(0, "s")
    if text is None or not isinstance(text.data, str):
        return call.unknown()
    return _json_text(text.data, text.origins)


MODELS.function("json.dump", "yaml.dump", "yaml.safe_dump", "toml.dump")(nothing)


def settings(interpreter: Interpreter, file: str) -> Value:
    """Return a YAML or TOML document as nested values, each with its line.

    Unknown where the file has more than one document, could not be read, or is too long.
    """
    workspace = interpreter.workspace
    origins = frozenset({(file, 1)})
    text = text_in(interpreter, file)
    entries = workspace.config_entries(file)
    if text is None or not entries or len(entries) >= MOST_ITEMS:
        return Value(UNKNOWN, origins)
    problem = workspace.elements(file).problem
    if problem is not None:
        at = frozenset({(file, workspace.elements(file).problem_line or 1)})
        raise Raised("value", problem, Value(UNKNOWN, at))
    if file.endswith((".yaml", ".yml")) and re.search(r"\n---[ \t]*(?:\n|$)", text.lstrip()):
        return Value(UNKNOWN, origins)
    return nested(interpreter, entries, (file, 1))


def nested(interpreter: Interpreter, entries: Sequence[ConfigEntry], start: Origin) -> Value:
    """Return settings as nested tables and lists of values, each with its place."""
    parents = {entry.path[:-1]: isinstance(entry.path[-1], int) for entry in entries if entry.path}
    root = Value([] if parents.get((), False) else {}, frozenset({start}))
    made: dict[tuple[str | int, ...], Value] = {(): root}

    def holder(path: tuple[str | int, ...], place: Origin) -> Value:
        if path not in made:
            inner: object = [] if parents.get(path, False) else {}
            made[path] = Value(inner, frozenset({place}))
            put(path, made[path], place)
        return made[path]

    def put(path: tuple[str | int, ...], value: Value, place: Origin) -> None:
        around = holder(path[:-1], place).data
        if isinstance(around, dict):
            is_yaml = place[0].endswith((".yaml", ".yml"))
            source = interpreter.workspace.source_line(*place) if is_yaml else ""
            around[_yaml_key(path[-1], source)] = value
        elif isinstance(around, list):
            around.append(value)

    for entry in entries:
        file = entry.file
        if entry.path in parents:
            holder(entry.path, (file, entry.line))
            continue
        origins = frozenset({(file, entry.line)})
        data: object = entry.value
        if entry.length is not None or entry.text.startswith("!"):
            source = interpreter.workspace.source_line(file, entry.line)
            brackets = {"[]": list, "{}": dict}
            empty = [make for mark, make in brackets.items() if mark in source.replace(" ", "")]
            is_table = entry.text.startswith("[")
            data = empty[0]() if len(empty) == 1 else {} if is_table else UNKNOWN
        elif isinstance(data, str) and (len(data) >= 400 or re.match(r"\d{4}-\d\d?-\d\d?", data)):
            data = UNKNOWN
        put(entry.path, Value(data, origins), (file, entry.line))
    return root


def _yaml_key(key: str | int, source: str) -> object:
    """Return a key as PyYAML resolves it: an unquoted whole number is one."""
    if isinstance(key, str) and re.fullmatch(r"-?(?:0|[1-9]\d*)", key):
        quoted = f'"{key}"' in source or f"'{key}'" in source
        return key if quoted or not source else int(key)
    return key


def _document(interpreter: Interpreter, given: Value | None) -> Value:
    """Return the settings of an open file, or of a file's whole text."""
    file = state_of(given, "file").data
    if isinstance(file, str):
        return settings(interpreter, file)
    if given is not None and isinstance(given.data, str) and len(given.origins) == 1:
        (name, line), *_ = given.origins
        if line == 1 and interpreter.workspace.text(name) == given.data:
            return settings(interpreter, name)
    if given is not None and isinstance(given.data, str):
        return _yaml_text(interpreter, given, given.data)
    return unknown(*([] if given is None else [given, state_of(given, "path")]))


def _yaml_text(interpreter: Interpreter, given: Value, text: str) -> Value:
    """Return a YAML document that a program holds as a text."""
    if not text.strip() or len(text) > _MOST_TEXT_OF_PATTERN or re.search(r"^---", text, re.M):
        return unknown(given)
    if re.fullmatch(r"[\w.+-]+", text.strip()):
        return Value(plain_scalar(text), given.origins)
    reading = read_yaml_config("", text)
    if reading.problem is not None or not reading.entries:
        return unknown(given)
    if not all(entry.path for entry in reading.entries):
        alone = reading.entries[0]
        is_scalar = len(reading.entries) == 1 and alone.length is None
        return Value(alone.value, given.origins) if is_scalar else unknown(given)
    try:
        return with_origins(plain(nested(interpreter, reading.entries, ("", 1))), given.origins)
    except NotPlain:
        return unknown(given)


@MODELS.function(
    *("yaml.safe_load", "yaml.load", "yaml.full_load", "yaml.unsafe_load", "tomllib.load"),
    *("tomllib.loads", "tomli.load", "tomli.loads", "toml.loads"),
)
def _settings_of_document(interpreter: Interpreter, call: Call) -> Value:
    return _document(interpreter, call.given(0, "stream", "fp", "s"))


@MODELS.function("toml.load", "OmegaConf.load", "omegaconf.OmegaConf.load")
def _settings_of_path(interpreter: Interpreter, call: Call) -> Value:
    path = call.given(0, "f", "file_")
    if text_of(path) is None or (path is not None and state_of(path, "file").known):
        document = _document(interpreter, path)
    else:
        file = file_of(interpreter, path)
        if file is None and path is not None and path.data is UNKNOWN:
            file = interpreter.settings
        document = call.unknown() if file is None else settings(interpreter, file)
    return config_of(document, call) if call.name.startswith("omega") else document


@MODELS.function("configparser.ConfigParser", "configparser.RawConfigParser")
def _config_parser(_: Interpreter, call: Call) -> Value:
    return thing("configparser.ConfigParser", call, sections_=Value({}))


@MODELS.method("ConfigParser", "read", "read_file", "read_string")
def _read_ini(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0, "filenames", "f")
    sections = state_of(call.receiver, "sections_").data
    file = state_of(given, "file").data
    if call.name == "read" and text_of(given) is not None:
        file = interpreter.workspace.file_named(text_of(given) or "")
        if file is None:
            return Value([], NOWHERE if given is None else given.origins)
    text = text_in(interpreter, file) if isinstance(file, str) else None
    if text is None or not isinstance(file, str) or not isinstance(sections, dict):
        _forget(call.receiver)
        return call.unknown()
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
    except configparser.Error as error:
        line = getattr(error, "lineno", None)
        at = frozenset({(file, line if isinstance(line, int) else 1)})
        raise Raised("value", str(error)[:200], Value(UNKNOWN, at)) from None
    lines: dict[tuple[str, ...], int] = {}
    for entry in interpreter.workspace.config_entries(file):
        names = tuple(str(part) for part in entry.path)
        key = (*names[:1], *(name.lower() for name in names[1:]))
        lines[key] = entry.line
    for section in [*parser.sections(), *(["DEFAULT"] if parser.defaults() else [])]:
        start = frozenset({(file, lines.get((section,), 1))})
        held = sections.setdefault(section, Value({}, start)).data
        for option, text in parser.items(section):
            line = lines.get((section, option)) or lines.get(("DEFAULT", option)) or 1
            known: object = UNKNOWN if "%(" in text or "${" in text else text
            held[option] = Value(known, frozenset({(file, line)}))
    return Value([Value(file)])


def _forget(value: Value | None) -> None:
    if value is not None and isinstance(value.data, LibraryObject):
        for name in value.data.state:
            value.data.state[name] = Value(UNKNOWN)


_INI_TYPES: dict[str, Callable[[str], object]] = {
    "get": str,
    "getint": int,
    "getfloat": float,
    "getboolean": lambda text: configparser.RawConfigParser.BOOLEAN_STATES[text.lower()],
}


@MODELS.method("ConfigParser", *_INI_TYPES)
@MODELS.method("SectionProxy", *_INI_TYPES)
def _ini_get(_: Interpreter, call: Call) -> Value:
    if call.receiver is None:
        return call.unknown()
    items, at = state_of(call.receiver, "read_"), 0
    if isinstance(state_of(call.receiver, "sections_").data, dict):
        items, at = _ini_section(call.receiver, call.given(0, "section")), 1
    option, fallback = call.given(at, "option"), call.keywords.get("fallback")
    if fallback is None and at == 0:
        fallback = call.given(1, "fallback") or Value(None)
    if not isinstance(items.data, dict) or option is None or not isinstance(option.data, str):
        return call.unknown()
    option_value = items.data.get(option.data.lower())
    if option_value is None:
        if fallback is None:
            raise Raised("key", f"No option {option.data!r}", option, items)
        return fallback
    if not isinstance(option_value.data, str):
        return Value(UNKNOWN, option_value.origins)
    try:
        return Value(_INI_TYPES[call.name](option_value.data), option_value.origins)
    except (ValueError, KeyError):
        raise Raised(
            "value", f"not a value for {call.name}: {option_value.data!r}", option_value
        ) from None


def _ini_section(parser: Value, name: Value | None) -> Value:
    sections = state_of(parser, "sections_")
    if not isinstance(sections.data, dict) or name is None or not isinstance(name.data, str):
        return unknown(sections)
    if name.data not in sections.data:
        raise Raised("key", f"No section: {name.data!r}", name, sections)
    section = sections.data[name.data]
    return section if isinstance(section, Value) else unknown(sections)


@MODELS.method("ConfigParser", "__getitem__")
def _ini_proxy(_: Interpreter, call: Call) -> Value:
    assert call.receiver is not None
    items = _ini_section(call.receiver, call.given(0))
    return thing("configparser.SectionProxy", call, read_=items) if items.known else items


@MODELS.method("SectionProxy", "__getitem__")
def _ini_item(_: Interpreter, call: Call) -> Value:
    items, option = state_of(call.receiver, "read_"), call.given(0)
    if isinstance(items.data, dict) and option is not None and isinstance(option.data, str):
        entry = items.data.get(option.data.lower())
        if entry is None:
            raise Raised("key", f"no option {option.data!r}", option, items)
        return entry if isinstance(entry, Value) else unknown(items)
    return call.unknown()


@MODELS.method("ConfigParser", "sections")
def _ini_sections(_: Interpreter, call: Call) -> Value:
    sections = state_of(call.receiver, "sections_")
    if not isinstance(sections.data, dict):
        return unknown(sections)
    names = [Value(n, v.origins) for n, v in sections.data.items() if n != "DEFAULT"]
    return Value(names, sections.origins)


@MODELS.method("ConfigParser", "items", "options")
@MODELS.method("SectionProxy", "items", "keys", "values")
def _ini_items(_: Interpreter, call: Call) -> Value:
    assert call.receiver is not None
    items = state_of(call.receiver, "read_")
    if not items.known and call.args:
        items = _ini_section(call.receiver, call.args[0])
    if not isinstance(items.data, dict):
        return call.unknown()
    pairs = [(value_of(key, value.origins), value) for key, value in items.data.items()]
    if call.name == "items":
        return Value([Value(pair, merged(*pair)) for pair in pairs], items.origins)
    return Value([pair[call.name == "values"] for pair in pairs], items.origins)


@MODELS.method("ConfigParser", "has_section", "has_option", "__contains__")
@MODELS.method("SectionProxy", "__contains__")
def _ini_has(_: Interpreter, call: Call) -> Value:
    held = state_of(call.receiver, "sections_")
    held = held if held.known else state_of(call.receiver, "read_")
    for name in call.args:
        if not isinstance(held.data, dict) or not isinstance(name.data, str):
            return call.unknown()
        entry = held.data.get(name.data, held.data.get(name.data.lower()))
        if entry is None:
            return Value(False, merged(name, held))
        held = entry
    return Value(True, merged(*call.args, held))


# Delimited text.


@MODELS.function("csv.reader", "csv.DictReader")
def _csv_reader(interpreter: Interpreter, call: Call) -> Value:
    source = call.given(0, "f", "csvfile", "iterable")
    handle = Call("readlines", (), {}, call.place, source)
    of_file = source is not None and isinstance(source.data, LibraryObject)
    lines = _rest(handle) if of_file else listed(interpreter, source)
    origins = merged(*([source] if source is not None else []), state_of(source, "path"))
    options: dict[str, str] = {}
    for name in ("delimiter", "quotechar"):
        mark = call.keywords.get(name)
        if mark is not None and not (isinstance(mark.data, str) and len(mark.data) == 1):
            return Value(UNKNOWN, origins)
        if mark is not None and isinstance(mark.data, str):
            options[name] = mark.data
    if lines is None or not all(isinstance(line.data, str) for line in lines):
        return Value(UNKNOWN, origins)
    rows = _csv_rows(lines, options)
    if call.name.endswith("reader"):
        return thing("csv.reader", call, rows=Value(rows, origins))
    named = call.given(1, "fieldnames")
    names = None if named is None else listed(interpreter, named)
    if named is not None and names is None:
        return Value(UNKNOWN, origins)
    if names is None:
        first = rows.pop(0).data if rows else []
        names = first if isinstance(first, list) else []
    records = [_record(names, row) for row in rows]
    return thing("csv.DictReader", call, rows=Value(records, origins), fieldnames=Value(names))


def _csv_rows(lines: Sequence[Value], options: dict[str, str]) -> list[Value]:
    reader = csv.reader((str(line.data) for line in lines), **options)  # type: ignore[arg-type]
    rows: list[Value] = []
    start = 0
    try:
        for row in reader:
            origins = lines[start].origins
            rows.append(Value([Value(cell, origins) for cell in row], origins))
            start = min(reader.line_num, len(lines) - 1)
    except csv.Error as error:
        raise Raised("value", str(error), lines[start]) from None
    return [row for row in rows if row.data]


def _record(names: Sequence[Value], row: Value) -> Value:
    cells = row.data if isinstance(row.data, list) else []
    record: dict[object, Value] = {}
    for index, name in enumerate(names):
        cell = cells[index] if index < len(cells) else Value(None, row.origins)
        record[name.data] = cell
    if len(cells) > len(names):
        record[None] = Value(cells[len(names) :], row.origins)
    return Value(record, row.origins)


@MODELS.method("reader", "__iter__")
@MODELS.method("DictReader", "__iter__")
def _csv_iter(_: Interpreter, call: Call) -> Value:
    rows = state_of(call.receiver, "rows")
    if isinstance(rows.data, list):
        held = Value(list(rows.data), rows.origins)
        rows.data.clear()
        return held
    return rows


@MODELS.method("reader", "__next__")
@MODELS.method("DictReader", "__next__")
def _csv_next(_: Interpreter, call: Call) -> Value:
    rows = state_of(call.receiver, "rows").data
    if isinstance(rows, list) and rows:
        first = rows.pop(0)
        return first if isinstance(first, Value) else call.unknown()
    return call.unknown()


MODELS.function("csv.writer", "csv.DictWriter")(lambda interpreter, call: thing("csv.writer", call))
MODELS.method("writer", "writerow", "writerows", "writeheader")(nothing)


# Paths.


def path_value(text: str, call: Call, *parts: Value) -> Value:
    """Return a `pathlib.Path` of a text."""
    origins = merged(*parts)
    made = LibraryObject("pathlib.Path", (), {}, call.place, {"path": Value(text, origins)})
    return Value(made, origins)


@MODELS.function("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "pathlib.PurePosixPath")
@MODELS.method("Path", "joinpath", "/", "__truediv__")
def _path(_: Interpreter, call: Call) -> Value:
    parts = [*([call.receiver] if call.receiver is not None else []), *call.args]
    texts = [text_of(part) for part in parts]
    if any(text is None for text in texts):
        return unknown(*parts)
    return path_value(str(PurePosixPath(*(t for t in texts if t is not None))), call, *parts)


@MODELS.method("Path", "__rtruediv__")
def _path_after(interpreter: Interpreter, call: Call) -> Value:
    assert call.receiver is not None
    turned = Call("joinpath", (*call.args, call.receiver), {}, call.place)
    return _path(interpreter, turned)


@MODELS.function("pathlib.Path.cwd", "os.getcwd", "os.getcwdb")
def _here(_: Interpreter, call: Call) -> Value:
    return (
        path_value(".", call) if call.name.endswith("cwd") and "Path" in call.name else Value(".")
    )


_PATH_TEXTS: dict[str, Callable[[PurePosixPath], str]] = {
    "name": lambda path: path.name,
    "stem": lambda path: path.stem,
    "suffix": lambda path: path.suffix,
    "as_posix": str,
    "__str__": str,
    "__fspath__": str,
}
_PATH_PATHS: dict[str, Callable[..., PurePosixPath]] = {
    "parent": lambda path: path.parent,
    "with_suffix": lambda path, suffix: path.with_suffix(suffix),
    "with_name": lambda path, name: path.with_name(name),
    "with_stem": lambda path, stem: path.with_stem(stem),
    "relative_to": lambda path, other: path.relative_to(other),
    "resolve": lambda path, *_: path,
    "absolute": lambda path: path,
    "expanduser": lambda path: path,
}


@MODELS.attribute("Path", "name", "stem", "suffix")
@MODELS.method("Path", "as_posix", "__str__", "__fspath__")
def _path_text(_: Interpreter, call: Call) -> Value:
    text = text_of(call.receiver)
    if text is None or call.receiver is None:
        return call.unknown()
    return Value(_PATH_TEXTS[call.name](PurePosixPath(text)), call.receiver.origins)


@MODELS.attribute("Path", "parent")
@MODELS.method("Path", *(name for name in _PATH_PATHS if name != "parent"))
def _path_path(_: Interpreter, call: Call) -> Value:
    text, given = text_of(call.receiver), [text_of(arg) for arg in call.args]
    if text is None or call.receiver is None or None in given:
        return call.unknown()
    try:
        made = _PATH_PATHS[call.name](PurePosixPath(text), *given)
    except (ValueError, TypeError) as error:
        raise Raised("value", str(error), call.receiver, *call.args) from None
    return path_value(str(made), call, call.receiver, *call.args)


@MODELS.attribute("Path", "parents", "parts", "suffixes")
def _path_parts(_: Interpreter, call: Call) -> Value:
    text = text_of(call.receiver)
    if text is None or call.receiver is None:
        return call.unknown()
    path, origins = PurePosixPath(text), call.receiver.origins
    if call.name == "parents":
        return Value([path_value(str(p), call, call.receiver) for p in path.parents], origins)
    if call.name == "suffixes":
        return with_origins(path.suffixes, origins)
    return with_origins(path.parts, origins)


@MODELS.function("os.path.exists", "os.path.isfile", "os.path.isdir", "os.path.lexists")
@MODELS.method("Path", "exists", "is_file", "is_dir")
def _exists(interpreter: Interpreter, call: Call) -> Value:
    path = call.receiver if call.receiver is not None else call.given(0, "path", "s")
    text = text_of(path)
    if path is None or text is None:
        return call.unknown()
    file = interpreter.workspace.file_named(text)
    if file is None:
        file = interpreter.workspace.existing_file(text, interpreter.script)
    folder = file is None and _is_folder(interpreter, text)
    wants = call.name.rpartition(".")[2].replace("_", "")
    if file is not None or folder:
        is_there = wants in ("exists", "lexists") or (wants == "isdir") == folder
        return Value(is_there, path.origins)
    return Value(UNKNOWN, path.origins)


@MODELS.method("Path", "read_text")
def _read_text(interpreter: Interpreter, call: Call) -> Value:
    file = file_of(interpreter, call.receiver)
    if file is None and call.receiver is not None and call.receiver.data is UNKNOWN:
        file = interpreter.settings
    text = text_in(interpreter, file)
    if text is None or file is None:
        return call.unknown()
    return Value(text, frozenset({(file, 1)}))


@MODELS.method("Path", "mkdir", "write_text", "write_bytes", "touch", "unlink", "rmdir", "rename")
@MODELS.function(
    *("os.makedirs", "os.mkdir", "os.remove", "shutil.rmtree", "shutil.copy", "shutil.copyfile"),
    *("os.rename", "os.replace", "shutil.move", "os.symlink", "os.chmod"),
)
def _change_files(interpreter: Interpreter, call: Call) -> Value:
    whole = "shutil" in call.name or "rename" in call.name or "remove" in call.name
    target = call.receiver if call.receiver is not None else call.given(0, "name", "path")
    if not call.name.endswith(("mkdir", "makedirs")) or whole:
        note_written(interpreter, None if whole else target)
    elif not is_true(call.keywords.get("exist_ok")) or not _is_folder(
        interpreter, text_of(target) or "."
    ):
        note_written(interpreter, target)
    return Value(None)


@MODELS.method("Path", "glob", "rglob", "iterdir")
@MODELS.function("os.listdir", "glob.glob", "glob.iglob")
def _list_files(interpreter: Interpreter, call: Call) -> Value:
    """List what the workspace has of a folder; unknown where it has nothing of it."""
    of_path, name = call.receiver is not None, call.name.rpartition(".")[2]
    folder = call.receiver if of_path else call.given(0, "path", "pathname")
    pattern = call.given(0, "pattern") if name in ("glob", "rglob") and of_path else None
    text, wanted = text_of(folder), None if pattern is None else text_of(pattern)
    if name == "listdir" and folder is None:
        text = "."
    if text is None or (pattern is not None and wanted is None):
        return call.unknown()
    if name in ("glob", "iglob") and not of_path:
        head = list(itertools.takewhile(lambda part: not _MAGIC.search(part), text.split("/")))
        wanted = text[len("/".join(head)) :].lstrip("/")
        text = "/".join(head) or "."
        if not wanted or text.startswith("~"):
            return call.unknown()
    if name == "rglob":
        wanted = f"**/{wanted}"
    files = _matching(interpreter, text, wanted)
    if not files or len(files) > MOST_ITEMS:
        return call.unknown()
    parts = [part for part in (folder, pattern) if part is not None]
    if name == "listdir":
        return Value([Value(each, merged(*parts)) for each in files], merged(*parts))
    joined = [posixpath.normpath(posixpath.join(text, each)) for each in files]
    if of_path:
        return Value([path_value(each, call, *parts) for each in joined], merged(*parts))
    return Value([Value(each, merged(*parts)) for each in joined], merged(*parts))


_MAGIC = re.compile(r"[*?\[]")


def _matching(interpreter: Interpreter, folder: str, pattern: str | None) -> list[str]:
    below = [rest for _, rest in _below(interpreter, folder)]
    if pattern is None:
        return sorted({rest.partition("/")[0] for rest in below})
    names = set(below)
    names.update(str(p) for rest in below for p in PurePosixPath(rest).parents if str(p) != ".")
    wanted = tuple(part for part in pattern.split("/") if part)
    return sorted(name for name in names if _fits(tuple(name.split("/")), wanted))


def _fits(parts: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    if not wanted:
        return not parts
    if wanted[0] == "**":
        return any(_fits(parts[i:], wanted[1:]) for i in range(len(parts)))
    return bool(parts) and fnmatch.fnmatchcase(parts[0], wanted[0]) and _fits(parts[1:], wanted[1:])


_OS_PATH: dict[str, Callable[..., object]] = {
    "join": posixpath.join,
    "basename": posixpath.basename,
    "dirname": posixpath.dirname,
    "split": posixpath.split,
    "splitext": posixpath.splitext,
    "normpath": posixpath.normpath,
    "isabs": posixpath.isabs,
    "abspath": posixpath.normpath,
    "realpath": posixpath.normpath,
    "expanduser": str,
}


@MODELS.function(*(f"os.path.{name}" for name in _OS_PATH), "os.fspath")
def _os_path(_: Interpreter, call: Call) -> Value:
    texts = [text_of(arg) for arg in call.args]
    if None in texts or not texts:
        if any(arg.data is None for arg in call.args):
            message = "expected str, bytes or os.PathLike object, not NoneType"
            raise Raised("type", message, *(arg for arg in call.args if arg.data is None))
        return call.unknown()
    function = _OS_PATH.get(call.name.rpartition(".")[2], str)
    return with_origins(function(*texts), merged(*call.args))


@MODELS.function("PIL.Image.open")
def _image_open(interpreter: Interpreter, call: Call) -> Value:
    path = call.given(0, "fp")
    file_of(interpreter, path)
    return thing("PIL.Image.Image", call)


MODELS.method("Image", "convert", "copy", "rotate", "crop", "__enter__", "transpose")(itself)


@MODELS.method("Image", "resize")
def _image_resize(interpreter: Interpreter, call: Call) -> Value:
    sizes = listed(interpreter, call.given(0, "size"))
    state = {} if sizes is None or len(sizes) != 2 else {"size": Value(tuple(sizes))}
    return thing("PIL.Image.Image", call, **state)


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
        held = state_of(parent, "actions").data
        inherited.extend(held if isinstance(held, list) else [])
    return thing("argparse.ArgumentParser", call, actions=Value(inherited), defaults=Value({}))


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
    return thing("argparse._ArgumentGroup", call, actions=state_of(call.receiver, "actions"))


@MODELS.method("ArgumentParser", "add_argument", "add", "add_arg")
@MODELS.method("ArgParser", "add_argument", "add", "add_arg")
@MODELS.method("_ArgumentGroup", "add_argument", "add", "add_arg")
def _add_argument(_: Interpreter, call: Call) -> Value:
    actions = state_of(call.receiver, "actions").data
    made = thing("argparse.Action", call)
    if isinstance(actions, list):
        actions.append(made)
    return made


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
    names, rest = parse(interpreter, call, call.receiver, words, known)
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
        space, rest = parser.parse_known_args(_split_words(words))
    except _UsageError as stop:
        raise Raised("arguments", str(stop)[:200], *words) from None
    except (ValueError, TypeError, argparse.ArgumentError):
        return {}, Value(UNKNOWN)
    left = [_value_of(word) for word in rest]
    if left and not known:
        raise Raised("arguments", f"unrecognized arguments: {' '.join(rest)}"[:200], *left)
    return vars(space), Value(left)


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
                _path(interpreter, Call("Path", (word,), {}, call.place))
                if (kind.data.name == "pathlib.Path")
                else interpreter.call(kind, (word,), {}, call.place)
            )
        try:
            typed = Value(convert(word.data), word.origins or option.place)
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


# Containers.


class Deque(list[Value]):
    """A `collections.deque`; the models of its own methods stand below.

    ``longest`` is the most items that it holds, None without a limit, 0 where that is not known.
    """

    popleft = appendleft = rotate = extendleft = None
    longest: int | None = None

    def shorten(self) -> None:
        """Drop the first items where there are more than the limit."""
        if self.longest and len(self) > self.longest:
            del self[: len(self) - self.longest]


class DefaultDict(dict[object, Value]):
    """A dict that makes what it lacks."""

    def __init__(self, make: Callable[[], Value], held: dict[object, Value] | None = None) -> None:
        super().__init__(held or {})
        self.make = make

    # `collections.Counter`'s; their models stand below.
    most_common = elements = total = subtract = None

    def __missing__(self, key: object) -> Value:
        """Make, keep and return the value of a key."""
        made = self[key] = self.make()
        return made


@MODELS.function("collections.defaultdict")
def _defaultdict(interpreter: Interpreter, call: Call) -> Value:
    factory = call.given(0, "default_factory")
    held = call.args[1].data if len(call.args) > 1 else {}
    if factory is None or factory.data is None or not isinstance(held, dict):
        return Value(dict(held), merged(*call.args)) if isinstance(held, dict) else call.unknown()

    def make() -> Value:
        simple = {"int": 0, "float": 0.0, "str": "", "bool": False}
        if isinstance(factory.data, Library):
            name = factory.data.name.rpartition(".")[2]
            if name in simple:
                return Value(simple[name])
            fresh: dict[str, Callable[[], object]] = {"list": list, "dict": dict, "set": set}
            if name in fresh:
                return Value(fresh[name]())
        return interpreter.call(factory, (), {}, call.place)

    return Value(DefaultDict(make, held))


def _counted(interpreter: Interpreter, call: Call) -> dict[object, int] | None:
    counts: dict[object, int] = {}
    given = call.given(0, "iterable")
    if given is not None and isinstance(given.data, dict):
        for key, value in given.data.items():
            if not isinstance(value.data, int):
                return None
            counts[key] = value.data
        return counts
    items = [] if given is None else listed(interpreter, given)
    if given is not None and isinstance(given.data, str):
        items = [Value(letter, given.origins) for letter in given.data[:MOST_ITEMS]]
    try:
        for item in items if items is not None else [Value(UNKNOWN)]:
            key = plain(item)
            counts[key] = counts.get(key, 0) + 1
    except (ValueError, TypeError):
        return None
    return counts


@MODELS.function("collections.Counter")
def _counter(interpreter: Interpreter, call: Call) -> Value:
    counts = _counted(interpreter, call)
    if counts is None:
        return call.unknown()
    origins = merged(*call.args)
    return Value(
        DefaultDict(lambda: Value(0), {k: Value(n, origins) for k, n in counts.items()}), origins
    )


@MODELS.method("dict", "update")
@MODELS.method("OrderedDict", "update")
@MODELS.method("DefaultDict", "update", "subtract")
def _dict_update(interpreter: Interpreter, call: Call) -> Value:
    """Update a dict; a counter adds what it is given (`collections.Counter`)."""
    held, given = call.receiver, call.given(0)
    if held is None or not isinstance(held.data, dict):
        return call.unknown()
    if isinstance(held.data, DefaultDict) and not isinstance(given and given.data, dict):
        counts = _counted(interpreter, Call("Counter", call.args, {}, call.place))
        for key, number in (counts or {}).items():
            before = held.data.get(key, Value(0))
            total = before.data + number if isinstance(before.data, int) else UNKNOWN
            held.data[key] = Value(total, merged(before, *call.args))
        if counts is None:
            held.data = UNKNOWN
        return Value(None)
    held.data.update(call.keywords)
    if given is not None and isinstance(given.data, dict):
        held.data.update(given.data)
    elif given is not None:
        for pair in listed(interpreter, given) or [Value(UNKNOWN)]:
            parts = listed(interpreter, pair)
            if parts is None or len(parts) != 2 or not isinstance(parts[0].data, PLAIN):
                held.data = UNKNOWN
                break
            held.data[parts[0].data] = parts[1]
    return Value(None)


@MODELS.method("dict", "most_common")
@MODELS.method("DefaultDict", "most_common")
def _most_common(_: Interpreter, call: Call) -> Value:
    held, count = call.receiver, call.given(0, "n")
    if held is None or not isinstance(held.data, dict):
        return call.unknown()
    if not all(isinstance(v.data, (int, float)) for v in held.data.values()):
        return call.unknown()
    if count is not None and count.data is not None and not isinstance(count.data, int):
        return call.unknown()
    ranked = sorted(held.data.items(), key=lambda item: item[1].data, reverse=True)
    most = count.data if count is not None else None
    top = ranked[:most] if isinstance(most, int) else ranked
    origins = merged(held, *call.args)
    return Value([Value((with_origins(k, origins), v), origins) for k, v in top], origins)


@MODELS.method("DefaultDict", "elements", "total")
@MODELS.method("OrderedDict", "move_to_end")
def _counter_rest(_: Interpreter, call: Call) -> Value:
    return call.unknown()


@MODELS.function("collections.OrderedDict")
def _ordered_dict(interpreter: Interpreter, call: Call) -> Value:
    held = Value(OrderedDict(), merged(*call.args))
    if call.args or call.keywords:
        _dict_update(interpreter, Call("update", call.args, call.keywords, call.place, held))
    return held


@MODELS.function("collections.deque")
def _deque(interpreter: Interpreter, call: Call) -> Value:
    longest = call.given(1, "maxlen")
    items = listed(interpreter, call.given(0, "iterable")) if call.given(0, "iterable") else []
    if items is None:
        return call.unknown()
    made = Deque(items)
    if longest is not None and longest.data is not None:
        made.longest = longest.data if isinstance(longest.data, int) else 0
        made.shorten()
    return Value(made, merged(*call.args))


@MODELS.function("collections.namedtuple", "typing.NamedTuple")
def _namedtuple(interpreter: Interpreter, call: Call) -> Value:
    """Return the class with its fields as annotations, as `typing.NamedTuple` has them."""
    name, fields = call.given(0, "typename"), call.given(1, "field_names", "fields")
    if call.name == "typing.NamedTuple":
        # Its fields are pairs of a name and a type.
        pairs = [listed(interpreter, pair) for pair in listed(interpreter, fields) or ()]
        fields = Value([pair[0] for pair in pairs if pair])
    try:
        words = plain(fields) if fields is not None else None
    except NotPlain:
        return call.unknown()
    names = words.replace(",", " ").split() if isinstance(words, str) else words
    if name is None or not isinstance(name.data, str) or not isinstance(names, (list, tuple)):
        return call.unknown()
    if not all(isinstance(n, str) and n.isidentifier() for n in (name.data, *names)):
        return call.unknown()
    node = ast.ClassDef(name.data, [], [], [], [])
    node.lineno = node.end_lineno = call.place[1]
    for field_name in names:
        target = ast.Name(field_name, ast.Store())
        node.body.append(ast.AnnAssign(target, ast.Name("object", ast.Load()), None, 1))
    defaults = call.keywords.get("defaults")
    given = listed(interpreter, defaults) if defaults is not None else []
    members = dict(zip(reversed(names), reversed(given or []), strict=False))
    base = Value(Library("typing.NamedTuple"))
    return Value(ClassValue(name.data, node, call.place[0], (base,), members))


@MODELS.method("Deque", "append")
def _deque_append(_: Interpreter, call: Call) -> Value:
    held = call.receiver.data if call.receiver is not None else None
    if not isinstance(held, Deque) or not call.args:
        return call.unknown()
    if len(held) < MAX_ITEMS:
        held.append(call.args[0])
        held.shorten()
    return Value(None)


@MODELS.method("Deque", "popleft", "appendleft", "rotate", "extendleft")
def _deque_method(_: Interpreter, call: Call) -> Value:
    held = call.receiver.data if call.receiver is not None else None
    if not isinstance(held, list):
        return call.unknown()
    if call.name == "appendleft" and call.args:
        held.insert(0, call.args[0])
        return Value(None)
    if call.name == "popleft" and call.receiver is not None:
        if not held:
            raise Raised("index", "pop from an empty deque", call.receiver)
        first = held.pop(0)
        return first if isinstance(first, Value) else call.unknown()
    return call.unknown()


# Numbers and chance.


_MATH = (
    *(
        "ceil",
        "floor",
        "sqrt",
        "log",
        "log2",
        "log10",
        "log1p",
        "exp",
        "expm1",
        "sin",
        "cos",
        "tan",
    ),
    *("asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "pow", "fabs", "fmod", "gcd", "lcm"),
    *("hypot", "isnan", "isinf", "isfinite", "isclose", "radians", "degrees", "trunc", "copysign"),
    *("isqrt", "erf", "prod", "factorial", "comb", "perm", "cbrt", "exp2", "dist", "fsum"),
)
_LARGEST = {"factorial": 1000, "comb": 1000, "perm": 1000}


_GIVES = {
    **dict.fromkeys(_MATH, "float64"),
    **dict.fromkeys(("ceil", "floor", "trunc", "gcd", "lcm", "isqrt", "factorial"), "int64"),
    **dict.fromkeys(("comb", "perm"), "int64"),
    **dict.fromkeys(("isnan", "isinf", "isfinite", "isclose"), "bool"),
}
"""The types of what functions of ``math`` give for a number that is not known."""
del _GIVES["prod"], _GIVES["dist"], _GIVES["fsum"]


@MODELS.numbers
@MODELS.function(*(f"math.{name}" for name in _MATH))
def _math(_: Interpreter, call: Call) -> Value:
    function = getattr(math, call.name.rpartition(".")[2], None)
    largest = _LARGEST.get(call.name.rpartition(".")[2])
    if function is None:
        return call.unknown()
    if any(map(arrays.is_number, call.args)):
        name = call.name.rpartition(".")[2]
        known = name in _GIVES and all(arrays.number_of(arg) is not None for arg in call.args)
        return arrays.number(_GIVES[name], *call.args) if known else call.unknown()
    try:
        numbers = [plain(arg) for arg in call.args]
        named = {name: plain(value) for name, value in call.keywords.items()}
    except ValueError:
        return call.unknown()
    if largest is not None and not all(isinstance(n, int) and n <= largest for n in numbers):
        return call.unknown()
    try:
        return Value(function(*numbers, **named), merged(*call.args))
    except TypeError as error:
        raise Raised("type", str(error), *call.args) from None
    except (ValueError, OverflowError) as error:
        raise Raised("value", str(error), *call.args) from None


_LEVELS = ("NOTSET", "DEBUG", "INFO", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL")
_FLOATING = ("float16", "bfloat16", "float32", "float64", "float", "double", "half")
_WHOLE = ("bool", "uint8", "int8", "int16", "int32", "int64", "long", "int", "short")
CONSTANTS: dict[str, object] = {
    "typing_extensions.TYPE_CHECKING": False,
    **{f"math.{name}": getattr(math, name) for name in ("pi", "e", "inf", "nan", "tau")},
    **{f"numpy.{name}": getattr(math, name) for name in ("pi", "e", "inf", "nan")},
    **{f"torch.{name}": getattr(math, name) for name in ("pi", "e", "inf", "nan")},
    **{f"jax.numpy.{name}": getattr(math, name) for name in ("pi", "e", "inf", "nan")},
    **{f"string.{name}": getattr(string, name) for name in string.__all__ if name.islower()},
    "numpy.newaxis": None,
    "tensorflow.newaxis": None,
    "jax.numpy.newaxis": None,
    "os.sep": "/",
    "os.pathsep": ":",
    "os.linesep": "\n",
    "csv.QUOTE_NONE": csv.QUOTE_NONE,
    "argparse.SUPPRESS": argparse.SUPPRESS,
    "sys.maxsize": 2**63 - 1,
    "sys.version_info.major": 3,
    **{f"torch.{name}.is_floating_point": True for name in _FLOATING},
    **{f"torch.{name}.is_floating_point": False for name in _WHOLE},
    **{f"torch.{name}.is_complex": False for name in (*_FLOATING, *_WHOLE)},
    **{f"logging.{name}": getattr(logging, name) for name in _LEVELS},
    "typing.TYPE_CHECKING": False,
}
"""Constants of libraries by their dotted name."""


@MODELS.function("random.choice", "secrets.choice")
def _choice(interpreter: Interpreter, call: Call) -> Value:
    items = listed(interpreter, call.given(0, "seq"))
    if items == []:
        raise Raised("index", "Cannot choose from an empty sequence", *call.args)
    return call.unknown() if items is None else representative(items)


@MODELS.function("random.choices", "random.sample")
def _sample(interpreter: Interpreter, call: Call) -> Value:
    items = listed(interpreter, call.given(0, "population"))
    count = call.given(2, "k") if call.name.endswith("choices") else call.given(1, "k")
    if count is None:
        count = Value(1) if call.name.endswith("choices") else Value(UNKNOWN)
    once = call.name.endswith("sample")
    if once and items and isinstance(count.data, int) and count.data > len(items):
        length = Value(len(items), merged(*call.args[:1]))
        raise Raised("value", "Sample larger than population", count, length)
    item = representative(items) if items else Value(UNKNOWN, merged(*call.args))
    if isinstance(count.data, int) and 0 <= count.data <= MOST_ITEMS:
        return Value(
            [Value(item.data, item.origins) for _ in range(count.data)], merged(*call.args)
        )
    return Value(Lazy(item, count), merged(*call.args))


@MODELS.function("random.shuffle")
def _shuffle(interpreter: Interpreter, call: Call) -> Value:
    """Leave the items in their order: it is one that chance may give."""
    del interpreter, call
    return Value(None)


MODELS.function("random.seed", "random.setstate")(nothing)
MODELS.method("Random", "seed", "setstate")(nothing)
_FRACTIONS = (
    *("random", "uniform", "gauss", "normalvariate", "expovariate", "betavariate", "triangular"),
    *("gammavariate", "lognormvariate", "vonmisesvariate", "paretovariate", "weibullvariate"),
)


@MODELS.function(*(f"random.{name}" for name in _FRACTIONS))
@MODELS.method("Random", *_FRACTIONS)
@MODELS.method("SystemRandom", *_FRACTIONS)
def _fraction(_: Interpreter, call: Call) -> Value:
    return arrays.number("float64", *call.args)


@MODELS.function("random.randint", "random.randrange", "random.getrandbits", "secrets.randbelow")
@MODELS.method("Random", "randint", "randrange", "getrandbits")
@MODELS.method("SystemRandom", "randint", "randrange", "getrandbits")
def _whole_number(_: Interpreter, call: Call) -> Value:
    name, given = call.name.rpartition(".")[2], [*call.args, *call.keywords.values()]
    low, high = Value(0), given[0] if given else None
    if name != "getrandbits" and len(given) > 1:
        low, high = given[0], given[1]
    first, last = arrays.size(low), arrays.size(high)
    if name == "getrandbits" or first is None or last is None:
        return arrays.number("int64", *given)
    last -= name != "randint"
    if last < first:
        raise Raised("value", "empty range in randrange", *given)
    if first == last:
        return Value(first, merged(*given))
    return arrays.number("int64", *given, lowest=first, highest=last)


for _name in ("choice", "choices", "sample", "shuffle"):
    for _kind in ("Random", "SystemRandom"):
        MODELS.method(_kind, _name)(MODELS.functions[f"random.{_name}"])

_CLOCKS = ("time", "perf_counter", "monotonic", "process_time", "thread_time")
MODELS.function(*(f"time.{name}" for name in _CLOCKS), "timeit.default_timer")(
    lambda interpreter, call: arrays.number("float64")
)
MODELS.function("time.time_ns", "time.perf_counter_ns", "os.getpid", "os.cpu_count")(
    lambda interpreter, call: arrays.number("int64")
)


# Iteration and functions.


@MODELS.function("itertools.chain", "itertools.chain.from_iterable")
def _chain(interpreter: Interpreter, call: Call) -> Value:
    parts: Sequence[Value] | None = call.args
    if call.name.endswith("from_iterable"):
        parts = listed(interpreter, call.given(0))
    chained: list[Value] = []
    for part in parts or ():
        items = listed(interpreter, part)
        if items is None or len(chained) + len(items) > MOST_ITEMS:
            return call.unknown()
        chained.extend(items)
    return call.unknown() if parts is None else Value(chained, merged(*parts))


_COMBINING: dict[str, Callable[..., Iterable[tuple[Value, ...]]]] = {
    "product": itertools.product,
    "permutations": itertools.permutations,
    "combinations": itertools.combinations,
    "combinations_with_replacement": itertools.combinations_with_replacement,
    "pairwise": itertools.pairwise,
}


@MODELS.function(*(f"itertools.{name}" for name in _COMBINING))
def _combining(interpreter: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    parts = call.args if name == "product" else call.args[:1]
    lists = [listed(interpreter, part) for part in parts]
    extra = [arg.data for arg in call.args[len(parts) :]]
    repeat = call.given(1, "repeat" if name == "product" else "r")
    if name != "product" and not extra and repeat is not None:
        extra = [repeat.data]
    known = [items for items in lists if items is not None]
    if len(known) != len(lists) or not all(isinstance(e, int) for e in extra):
        return call.unknown()
    named = {}
    if name == "product" and "repeat" in call.keywords:
        if not isinstance(call.keywords["repeat"].data, int):
            return call.unknown()
        named = {"repeat": call.keywords["repeat"].data}
        if len(known[0]) ** min(named["repeat"], 60) > MOST_ITEMS:
            return call.unknown()
    if math.prod(map(len, known)) > MOST_ITEMS:
        return call.unknown()
    made = itertools.islice(_COMBINING[name](*known, *extra, **named), MOST_ITEMS + 1)
    tuples = [Value(group, merged(*group)) for group in made]
    return call.unknown() if len(tuples) > MOST_ITEMS else Value(tuples, merged(*call.args))


@MODELS.function("itertools.islice")
def _islice(interpreter: Interpreter, call: Call) -> Value:
    items = listed(interpreter, call.given(0))
    bounds = [arg.data for arg in call.args[1:]]
    known = [b for b in bounds if b is None or isinstance(b, int)]
    if items is None or len(known) != len(bounds) or not known:
        return call.unknown()
    try:
        return Value(items[slice(*known)], merged(*call.args))
    except (ValueError, TypeError):
        return call.unknown()


@MODELS.function("itertools.repeat", "itertools.cycle", "itertools.count")
def _endless(interpreter: Interpreter, call: Call) -> Value:
    first, times = call.given(0, "object", "iterable"), call.given(1, "times")
    if call.name.endswith("repeat") and first is not None:
        length = Value(UNKNOWN) if times is None else times
        return Value(Lazy(first, length), merged(first, length))
    if call.name.endswith("cycle"):
        items = listed(interpreter, first)
        return call.unknown() if not items else Value(Lazy(alike(items), Value(UNKNOWN)))
    return Value(Lazy(call.unknown(), Value(UNKNOWN)))


@MODELS.function("functools.partial")
def _partial(_: Interpreter, call: Call) -> Value:
    return thing("functools.partial", call)


@MODELS.object("functools.partial")
def _call_partial(interpreter: Interpreter, call: Call) -> Value:
    held = call.receiver.data if call.receiver is not None else None
    if not isinstance(held, LibraryObject) or not held.args:
        return call.unknown()
    given = {**held.keywords, **call.keywords}
    return interpreter.call(held.args[0], (*held.args[1:], *call.args), given, call.place)


_OPERATORS: dict[str, Callable[..., object]] = {
    name: getattr(operator, name) for name in ("add", "mul", "sub", "or_", "and_")
}


@MODELS.function("functools.reduce")
def _reduce(interpreter: Interpreter, call: Call) -> Value:
    items = listed(interpreter, call.given(1))
    function, start = call.given(0), call.given(2, "initial")
    if items is None or function is None or len(items) > _MOST_CALLS:
        return call.unknown()
    rest = items if start is None else [start, *items]
    if not rest:
        raise Raised("type", "reduce() of empty iterable with no initial value", *call.args)
    total, *others = rest
    known = _OPERATORS.get(
        function.data.name.rpartition(".")[2] if isinstance(function.data, Library) else ""
    )
    for item in others:
        if known is not None:
            if not isinstance(total.data, (int, float)) or not isinstance(item.data, (int, float)):
                return call.unknown()
            total = Value(known(total.data, item.data), merged(total, item))
        else:
            total = interpreter.call(function, (total, item), {}, call.place)
    return total


@MODELS.function("functools.lru_cache", "functools.cache", "functools.wraps", "contextlib.suppress")
def _decorator(_: Interpreter, call: Call) -> Value:
    given = call.given(0)
    if given is not None and not call.name.endswith("wraps") and not isinstance(given.data, int):
        return given
    return thing("functools.decorator", call)


MODELS.object("functools.decorator")(first_argument)


@MODELS.function("contextlib.nullcontext", "contextlib.closing", "contextlib.aclosing")
def _null_context(_: Interpreter, call: Call) -> Value:
    held = call.given(0, "enter_result", "thing")
    return thing("contextlib.nullcontext", call, held=Value(None) if held is None else held)


@MODELS.method("nullcontext", "__enter__")
def _null_entered(_: Interpreter, call: Call) -> Value:
    return state_of(call.receiver, "held")


@MODELS.function("contextlib.ExitStack", "contextlib.redirect_stdout", "contextlib.redirect_stderr")
def _context(_: Interpreter, call: Call) -> Value:
    return thing(call.name, call)


@MODELS.method("ExitStack", "enter_context")
def _enter_context(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0, "cm")
    return call.unknown() if given is None else interpreter.entered_by_with(given)


MODELS.method("ExitStack", "callback", "close", "push")(nothing)


@MODELS.function("operator.itemgetter", "operator.attrgetter")
def _getter(_: Interpreter, call: Call) -> Value:
    return thing(call.name, call)


@MODELS.object("operator.itemgetter")
def _call_itemgetter(_: Interpreter, call: Call) -> Value:
    held = call.receiver.data if call.receiver is not None else None
    given = call.given(0)
    if not isinstance(held, LibraryObject) or len(held.args) != 1 or given is None:
        return call.unknown()
    key = held.args[0].data
    if isinstance(given.data, dict) and isinstance(key, PLAIN):
        if key in given.data:
            return _as_value(given.data[key])
        if not isinstance(given.data, DefaultDict):
            raise Raised("key", repr(key), held.args[0], given)
    if isinstance(given.data, (list, tuple)) and isinstance(key, int):
        if not -len(given.data) <= key < len(given.data):
            raise Raised("index", "index out of range", held.args[0], given)
        return _as_value(given.data[key])
    return call.unknown()


def _as_value(data: object) -> Value:
    return data if isinstance(data, Value) else Value(UNKNOWN)


@MODELS.function("re.findall", "re.split", "re.sub")
def _regular(_: Interpreter, call: Call) -> Value:
    """Apply a pattern that takes little time on any text: no group, one repetition at most."""
    given = [arg.data for arg in call.args]
    at = 2 if call.name.endswith("sub") else 1
    if len(given) != at + 1 or call.keywords or not all(isinstance(g, str) for g in given):
        return call.unknown()
    texts = [g for g in given if isinstance(g, str)]
    repeated = sum(texts[0].count(mark) for mark in "*+{?")
    if "(" in texts[0] or repeated > 1 or len(texts[at]) > _MOST_TEXT_OF_PATTERN:
        return call.unknown()
    function: Callable[..., object] = getattr(re, call.name.rpartition(".")[2])
    try:
        return with_origins(function(*texts), merged(*call.args))
    except re.error as error:
        raise Raised("value", str(error), call.args[0]) from None


# Copies and data classes.


def copied(value: Value, deep: bool, memo: dict[int, Value] | None = None) -> Value:
    """Return a copy of a value (module ``copy``); what was shared inside of it stays shared."""
    memo = {} if memo is None else memo
    data = value.data
    if id(data) in memo:
        return Value(memo[id(data)].data, value.origins)
    copy_made = Value(data, value.origins)

    def inner(part: Value) -> Value:
        return copied(part, True, memo) if deep else part

    if isinstance(data, list):
        made: list[Value] = []
        copy_made.data = made
        memo[id(data)] = copy_made
        made.extend(inner(part) for part in data)
    elif isinstance(data, DefaultDict):
        copy_made.data = DefaultDict(data.make, {k: inner(v) for k, v in data.items()})
        memo[id(data)] = copy_made
    elif isinstance(data, dict):
        held: dict[object, Value] = {}
        copy_made.data = held
        memo[id(data)] = copy_made
        held.update((key, inner(part)) for key, part in data.items())
    elif isinstance(data, tuple):
        copy_made.data = tuple(inner(part) for part in data)
    elif isinstance(data, set):
        copy_made.data = set(data)
    elif isinstance(data, Instance):
        instance = Instance(data.cls, {})
        copy_made.data = instance
        memo[id(data)] = copy_made
        instance.attributes.update((name, inner(v)) for name, v in data.attributes.items())
    elif isinstance(data, LibraryObject):
        thing_ = LibraryObject(data.name, data.args, data.keywords, data.made)
        copy_made.data = thing_
        memo[id(data)] = copy_made
        thing_.state.update((name, inner(v)) for name, v in data.state.items())
    elif isinstance(data, Array):
        copy_made.data = replace(data)
    return copy_made


@MODELS.function("copy.deepcopy", "copy.copy")
def _copy(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "x")
    if given is None:
        return call.unknown()
    try:
        return copied(given, call.name.endswith("deepcopy"))
    except RecursionError:
        return call.unknown()


@MODELS.function("dataclasses.asdict")
def _asdict(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "obj")

    def inner(value: Value, depth: int) -> Value:
        data = value.data
        if isinstance(data, Instance) and data.cls.is_dataclass and depth:
            parts = {name: inner(v, depth - 1) for name, v in data.attributes.items()}
            return Value(parts, value.origins)
        if isinstance(data, (list, tuple)) and depth:
            return Value(type(data)(inner(v, depth - 1) for v in data), value.origins)
        if isinstance(data, dict) and depth:
            return Value({k: inner(v, depth - 1) for k, v in data.items()}, value.origins)
        return value

    return call.unknown() if given is None else inner(given, 10)


@MODELS.function("dataclasses.replace")
def _replaced(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "obj")
    if given is None or not isinstance(given.data, Instance):
        return call.unknown()
    made = Instance(given.data.cls, {**given.data.attributes, **call.keywords})
    return Value(made, merged(given, *call.keywords.values()))


@MODELS.function("dataclasses.field")
def _field(_: Interpreter, call: Call) -> Value:
    return thing("dataclasses.field", call)


@MODELS.function("dataclasses.is_dataclass")
def _is_dataclass(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "obj")
    cls = given.data if given is not None else None
    cls = cls.cls if isinstance(cls, Instance) else cls
    return Value(cls.is_dataclass) if isinstance(cls, ClassValue) else call.unknown()


# Settings of OmegaConf and Hydra.


def config_of(value: Value, call: Call, depth: int = 20) -> Value:
    """Return nested dicts as OmegaConf gives them: keys are attributes, too."""
    if isinstance(value.data, dict) and depth:
        held = {str(k): config_of(v, call, depth - 1) for k, v in value.data.items()}
        made = LibraryObject("omegaconf.DictConfig", (), {}, call.place, held)
        return Value(made, value.origins)
    if isinstance(value.data, list) and depth:
        return Value([config_of(v, call, depth - 1) for v in value.data], value.origins)
    if isinstance(value.data, str) and "${" in value.data:
        return Value(UNKNOWN, value.origins)
    return value


def _container(value: Value, depth: int = 20) -> Value:
    data = value.data
    if isinstance(data, LibraryObject) and data.short == "DictConfig" and depth:
        return Value({k: _container(v, depth - 1) for k, v in data.state.items()}, value.origins)
    if isinstance(data, list) and depth:
        return Value([_container(v, depth - 1) for v in data], value.origins)
    return value


@MODELS.function("omegaconf.OmegaConf.create", "OmegaConf.create")
@MODELS.function("easydict.EasyDict", "box.Box", "munch.munchify", "ml_collections.ConfigDict")
def _config_create(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "obj")
    held = given if given is not None else Value(dict(call.keywords))
    return config_of(held, call) if isinstance(held.data, (dict, list)) else call.unknown()


@MODELS.function("omegaconf.OmegaConf.to_container", "OmegaConf.to_container")
def _to_container(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "cfg")
    return call.unknown() if given is None else _container(given)


@MODELS.function("omegaconf.OmegaConf.merge", "OmegaConf.merge")
def _config_merge(_: Interpreter, call: Call) -> Value:
    parts = [_container(part) for part in call.args]
    # What words of a command line set is mostly little beside the file.
    parts = [*parts[:1], *(part for part in parts[1:] if part.known)]
    if not parts or not all(isinstance(part.data, dict) for part in parts):
        return call.unknown()
    merged_config = parts[0]
    for part in parts[1:]:
        merged_config = _overlaid(merged_config, part)
    return config_of(merged_config, call)


def _overlaid(under: Value, over: Value, depth: int = 20) -> Value:
    if not isinstance(under.data, dict) or not isinstance(over.data, dict) or not depth:
        return over
    entries = dict(under.data)
    for key, value in over.data.items():
        entries[key] = _overlaid(entries[key], value, depth - 1) if key in entries else value
    return Value(entries, merged(under, over))


@MODELS.method("DictConfig", "get", "__getitem__", "pop")
def _config_get(_: Interpreter, call: Call) -> Value:
    held = call.receiver.data if call.receiver is not None else None
    key = call.given(0, "key")
    if not isinstance(held, LibraryObject) or key is None or not isinstance(key.data, str):
        return call.unknown()
    if key.data in held.state:
        return held.state[key.data]
    if call.name == "get":
        return call.given(1, "default_value") or Value(None, merged(key))
    assert call.receiver is not None
    raise Raised("key", f"Key {key.data!r} is not in struct", key, call.receiver)


@MODELS.method("DictConfig", "__setitem__")
def _config_set(_: Interpreter, call: Call) -> Value:
    held = call.receiver.data if call.receiver is not None else None
    key, value = call.given(0), call.given(1)
    if isinstance(held, LibraryObject) and key is not None and value is not None:
        held.state[str(key.data)] = value
    return Value(None)


@MODELS.method("DictConfig", "keys", "values", "items", "__iter__", "__len__", "__contains__")
def _config_items(_: Interpreter, call: Call) -> Value:
    held = call.receiver.data if call.receiver is not None else None
    if not isinstance(held, LibraryObject) or call.receiver is None:
        return call.unknown()
    origins = call.receiver.origins
    if call.name == "__len__":
        return Value(len(held.state), origins)
    if call.name == "__contains__":
        key = call.args[0].data if call.args else UNKNOWN
        return Value(key in held.state if isinstance(key, str) else UNKNOWN, origins)
    pairs = [(Value(key, value.origins), value) for key, value in held.state.items()]
    if call.name == "items":
        return Value([Value(pair, merged(*pair)) for pair in pairs], origins)
    return Value([pair[call.name == "values"] for pair in pairs], origins)


# Time, logs, progress bars.


MODELS.function(
    *("time.sleep", "logging.basicConfig", "logging.info", "logging.warning", "logging.error"),
    *("logging.debug", "warnings.filterwarnings", "warnings.simplefilter", "warnings.warn"),
    *("sys.path.append", "sys.path.insert", "tqdm.write", "tqdm.tqdm.write"),
    *("faulthandler.enable", "logging.disable", "pprint.pprint", "traceback.print_exc"),
)(nothing)
MODELS.function("logging.getLogger")(lambda interpreter, call: thing("logging.Logger", call))
MODELS.method(
    "Logger",
    *("debug", "info", "warning", "warn", "error", "exception", "critical", "log", "setLevel"),
    *("addHandler", "removeHandler"),
)(nothing)

_TQDM = (
    "tqdm.tqdm",
    "tqdm.auto.tqdm",
    "tqdm.notebook.tqdm",
    "tqdm.std.tqdm",
    "rich.progress.track",
)


@MODELS.function(*_TQDM, "tqdm.trange", "tqdm.auto.trange")
def _tqdm(interpreter: Interpreter, call: Call) -> Value:
    """Return a progress bar, which is iterated over as what it was given."""
    given = call.given(0, "iterable", "sequence")
    if call.name.endswith("trange"):
        given = interpreter.call(Value(Library("builtins.range")), call.args, {}, call.place)
    state = {} if given is None else {"iterable": given}
    return thing("tqdm.tqdm", call, **state)


@MODELS.method("tqdm", "__iter__", "__len__")
def _tqdm_iter(interpreter: Interpreter, call: Call) -> Value:
    inner = state_of(call.receiver, "iterable")
    if not inner.known:
        return unknown(inner)
    if call.name == "__len__":
        return interpreter.call(Value(Library("builtins.len")), (inner,), {}, call.place)
    return inner


MODELS.method("tqdm", "__enter__")(itself)
MODELS.method(
    "tqdm",
    *("set_postfix", "set_description", "set_postfix_str", "update", "close", "write", "refresh"),
    *("__exit__", "reset", "clear", "set_description_str"),
)(nothing)


# ``next`` of a reader takes a row away; of all else it is the builtin's.

_next_of_all = MODELS.functions["builtins.next"]


@MODELS.function("builtins.next")
def _next(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0)
    if given is not None and isinstance(given.data, LibraryObject):
        model = MODELS.methods.get((given.data.short, "__next__"))
        if model is not None:
            return model(interpreter, Call("__next__", (), {}, call.place, given))
    return _next_of_all(interpreter, call)

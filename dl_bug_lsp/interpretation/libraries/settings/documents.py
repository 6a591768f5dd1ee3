"""Models of documents of settings: JSON, YAML, TOML, INI, OmegaConf and its like.

Sources: the Python library reference (``json``, ``configparser``), the documentation of PyYAML
and OmegaConf.
"""

from __future__ import annotations

import ast
import configparser
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

# The models of builtins below take the place of its, or call them.
import dl_bug_lsp.interpretation.libraries.python.builtins  # noqa: F401
from dl_bug_lsp.interpretation.libraries.python.files import (
    MOST_NESTED,
    explained_by_writer,
    file_of,
    keep,
    kept_in,
    note_written,
    snapshot,
    text_in,
    write_to,
)
from dl_bug_lsp.interpretation.libraries.python.functions import pure
from dl_bug_lsp.interpretation.model_helpers import (
    MOST_ITEMS,
    MOST_TEXT,
    is_true,
    state_of,
    text_of,
    thing,
    with_origins,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import (
    MAX_TEXT,
    NotPlain,
    indexed,
    plain,
    value_of,
)
from dl_bug_lsp.interpretation.values import (
    GUESSED,
    NOWHERE,
    OF_CODE,
    UNKNOWN,
    JsonText,
    Library,
    LibraryObject,
    Origin,
    Origins,
    Raised,
    Unknown,
    Value,
    merged,
    read_as_text,
    unknown,
)
from dl_bug_lsp.provenance.written_files import from_originals, original_of
from dl_bug_lsp.workspace.configs import reader_for
from dl_bug_lsp.workspace.configs.ini_files import read_ini_config
from dl_bug_lsp.workspace.configs.json_reader import JsonReading, Node, read_json
from dl_bug_lsp.workspace.configs.reading import ConfigReading, plain_scalar
from dl_bug_lsp.workspace.configs.toml_files import read_toml_config
from dl_bug_lsp.workspace.configs.yaml_files import OMEGACONF_NUMBER, read_yaml_config
from dl_bug_lsp.workspace.elements import expression_of

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter
    from dl_bug_lsp.workspace.contents import ConfigEntry


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


LENIENT = ("json5", "commentjson", "jstyleson", "hjson", "pyjson5")
"""Packages that read JSON with comments, trailing commas and keys without quotes."""


@lru_cache(maxsize=4)
def _json_reading(text: str, line: int) -> JsonReading:
    """Read a document that may be large: a run that is followed again reads the same file."""
    return read_json(text, line)


def _json_text(
    text: str, origins: Origins, *, starts_there: bool = True, is_lenient: bool = False
) -> Value:
    """Return a JSON text that starts at the place it is known to come from, if it does."""
    file, line = min(origins) if starts_there and len(origins) == 1 else ("", 1)
    if len(text) > MOST_TEXT:
        return Value(UNKNOWN, origins)
    reading = _json_reading(text, line)
    is_refused = reading.problem is not None and not is_lenient
    if is_refused or reading.root is None:
        at = reading.problem_line or line
        place = frozenset({(file, at)}) if file else origins
        raise Raised("value", reading.problem or "no value", Value(text[:200], place))
    document = json_value(reading.root, file, reading.root.line, [MOST_ITEMS])
    return document if file else with_origins(_stripped(document), origins)


MOST_PLACED = 200
"""How deep a document is looked through for the entries of the file that it was made of."""
ReadAs = Callable[["Interpreter", str, str], "Value | None"]
"""Reads the text of a file, given after its name, as a document; None where it is none."""


def _as_in_file(interpreter: Interpreter, text: Value, document: Value, read: ReadAs) -> Value:
    """Return a document with the lines of the file whose lines its text was made of."""
    file, whole = _source_of(interpreter, text)
    if len(whole) > MOST_SHORTER * len(str(text.data)):
        return document
    written = read(interpreter, file, whole) if whole else None
    return document if written is None else _placed(document, written)


MOST_SHORTER = 8
"""How many times as long as a text its file may be; a shorter one is a part, as one record is."""


def _source_of(interpreter: Interpreter, text: Value) -> tuple[str, str]:
    """Return the only file of data or settings that a text was made of, and the file's text."""
    files = {f for f, line in text.origins if f and line > 0 and not f.endswith(OF_CODE)}
    file = next(iter(files)) if len(files) == 1 else None
    return file or "", text_in(interpreter, file) or ""


_FILLED = re.compile(r"[$]|{{|{%|%\(|<<")
"""What programs replace in texts of settings."""


def _likely(interpreter: Interpreter, text: Value, read: ReadAs) -> Value:
    """Return the document of a file whose text was changed in a way that is not followed.

    Mostly comments were taken out, or variables replaced. It is marked as only likely.
    """
    file, whole = _source_of(interpreter, text)
    lines = {line for name, line in text.origins if name == file}
    # A whole text comes from line 1, one that was put together from many; a path, from its setting.
    is_text = lines == {1} or (1 in lines and len(lines) >= LEAST_LINES)
    if not whole or not is_text or reader_for(file) is None:
        return unknown(text)
    written = read(interpreter, file, whole)
    return unknown(text) if written is None else _marked(written)


LEAST_LINES = 4


def _marked(value: Value, depth: int = MOST_PLACED) -> Value:
    data, origins = value.data, value.origins | {GUESSED}
    if depth and isinstance(data, dict):
        return Value({key: _marked(item, depth - 1) for key, item in data.items()}, origins)
    if depth and isinstance(data, list):
        return Value([_marked(item, depth - 1) for item in data], origins)
    is_filled = isinstance(data, str) and _FILLED.search(data) is not None
    return Value(UNKNOWN if is_filled else data, origins)


def _placed(made: Value, written: Value, depth: int = MOST_PLACED) -> Value:
    """Return a document with the places at which a file has the entries of the same paths.

    What the file says otherwise keeps the places of code that made it so. Where the file does not
    have a path, the entry keeps all its places.
    """
    own, other = made.data, written.data
    if depth and isinstance(own, dict) and isinstance(other, dict):
        entries = {k: _placed(v, other[k], depth - 1) if k in other else v for k, v in own.items()}
        return Value(entries, written.origins)
    if depth and isinstance(own, (list, tuple)) and isinstance(other, (list, tuple)):
        if len(own) != len(other):
            return made
        pairs = zip(own, other, strict=True)
        items = [_placed(item, place, depth - 1) for item, place in pairs]
        return Value(items if isinstance(own, list) else tuple(items), written.origins)
    if isinstance(own, (dict, list, tuple)) or isinstance(other, (dict, list, tuple)):
        return made
    if type(own) is type(other) and own == other:
        return Value(own, written.origins)
    files = {file for file, _ in written.origins}
    return Value(own, written.origins.union(o for o in made.origins if o[0] not in files))


def _read_as_json(_: Interpreter, file: str, text: str) -> Value | None:
    root = read_json(text).root
    if root is None or any(map(_is_json, text.split("\n")[root.end_line :])):
        # What follows makes it a file of several documents.
        return None
    return json_value(root, file, root.line, [MOST_ITEMS])


def _is_json(line: str) -> bool:
    """Whether a line behind a document is more than a comment."""
    return line.strip() != "" and not line.lstrip().startswith(("//", "#", "/*", "*"))


_SEVERAL = re.compile(r"\n---[ \t]*(?:\n|$)")
"""Where a file of YAML begins another document."""


def _read_as(read: Callable[[str, str], ConfigReading]) -> ReadAs:
    """Return what reads a file by the reader of a format of settings."""

    def document(interpreter: Interpreter, file: str, text: str) -> Value | None:
        if _SEVERAL.search(text.lstrip()):
            return None
        entries = read(file, text).entries
        if not entries or not all(entry.path for entry in entries):
            return None
        return nested(interpreter, entries, (file, entries[0].line))

    return document


def _read_as_literal(_: Interpreter, file: str, text: str) -> Value | None:
    try:
        tree = expression_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    skipped = text[: len(text) - len(text.lstrip())].count("\n")
    return _literal_value(tree, file, skipped)


def _literal_value(node: ast.expr, file: str, skipped: int, line: int = 0) -> Value:
    """Return a literal of a file as nested values, each with the line of its key or its own."""
    origins = frozenset({(file, (line or node.lineno) + skipped)})
    if isinstance(node, ast.Dict):
        keys = [k.value if isinstance(k, ast.Constant) else None for k in node.keys]
        entries = {
            key: _literal_value(item, file, skipped, at.lineno)
            for key, at, item in zip(keys, node.keys, node.values, strict=True)
            if at is not None and isinstance(at, ast.Constant)
        }
        return Value(entries, origins)
    if isinstance(node, (ast.List, ast.Tuple)):
        items = [_literal_value(item, file, skipped) for item in node.elts]
        return Value(items if isinstance(node, ast.List) else tuple(items), origins)
    try:
        return Value(ast.literal_eval(node), origins)
    except (ValueError, TypeError, SyntaxError):
        return Value(UNKNOWN, origins)


@MODELS.function("ast.literal_eval")
def _literal(interpreter: Interpreter, call: Call) -> Value:
    """Read a literal; where a file has it, with the lines of its entries there."""
    document = pure(interpreter, call)
    text = call.given(0, "node_or_string")
    if text is None or not isinstance(text.data, str):
        return document
    return _as_in_file(interpreter, text, document, _read_as_literal)


def _stripped(value: Value) -> object:
    try:
        return plain(value, 200)
    except ValueError:
        return UNKNOWN


@MODELS.function("json.load", "simplejson.load", *(f"{name}.load" for name in LENIENT))
def _json_load(interpreter: Interpreter, call: Call) -> Value:
    handle = call.given(0, "fp")
    file = state_of(handle, "file").data
    text = text_in(interpreter, file) if isinstance(file, str) else None
    if text is None or not isinstance(file, str):
        saved = kept_in(interpreter, handle, "json")
        return Value(UNKNOWN, merged(state_of(handle, "path"))) if saved is None else saved
    document = _json_text(text, frozenset({(file, 1)}), is_lenient=call.name.startswith(LENIENT))
    hook, takes_pairs = _hook_of(call)
    if hook is not None:
        return _hooked(interpreter, document, hook, call.place, takes_pairs=takes_pairs)
    return explained_by_writer(interpreter, handle, "json", document)


def _hook_of(call: Call) -> tuple[Value | None, bool]:
    """Return the function that makes objects of a document, and whether it takes pairs.

    ``object_pairs_hook`` takes priority (Python library reference, ``json.load``); classes of
    dictionaries of the standard library give what is read anyway.
    """
    for name in ("object_pairs_hook", "object_hook"):
        hook = call.keywords.get(name)
        if hook is None or hook.data is None:
            continue
        is_dict = isinstance(hook.data, Library) and hook.data.name in DICTIONARIES
        return (None if is_dict else hook), name == "object_pairs_hook"
    return None, False


DICTIONARIES = {"builtins.dict", "collections.OrderedDict"}


def _hooked(
    interpreter: Interpreter,
    value: Value,
    hook: Value,
    place: Origin,
    depth: int = 20,
    *,
    takes_pairs: bool = False,
) -> Value:
    """Return a document whose objects a function has made of their dictionaries, inner ones first.

    Source: the Python library reference, ``json.load`` (``object_hook``, ``object_pairs_hook``).
    """
    data = value.data

    def inner(item: Value) -> Value:
        return _hooked(interpreter, item, hook, place, depth - 1, takes_pairs=takes_pairs)

    if isinstance(data, list) and depth:
        return Value([inner(item) for item in data], value.origins)
    if not isinstance(data, dict) or not depth:
        return value
    given = Value({key: inner(item) for key, item in data.items()}, value.origins)
    if takes_pairs and isinstance(given.data, dict):
        pairs = [(Value(key, item.origins), item) for key, item in given.data.items()]
        given = Value([Value(pair, pair[1].origins) for pair in pairs], value.origins)
    made = interpreter.call(hook, (given,), {}, place)
    return Value(made.data, made.origins | value.origins)


@MODELS.function(
    *("json.loads", "orjson.loads", "ujson.loads", "simplejson.loads"),
    *(f"{name}.loads" for name in LENIENT),
)
def _json_loads(interpreter: Interpreter, call: Call) -> Value:
    text = call.given(0, "s")
    if isinstance(text, JsonText):
        return text.document
    if text is not None and isinstance(text.data, bytes):
        with suppress(UnicodeDecodeError):
            text = Value(text.data.decode(), text.origins)
    if text is None or not isinstance(text.data, (str, Unknown)):
        return call.unknown()
    document = _document_of_text(interpreter, text, is_lenient=call.name.startswith(LENIENT))
    hook, takes_pairs = _hook_of(call)
    if hook is not None:
        return _hooked(interpreter, document, hook, call.place, takes_pairs=takes_pairs)
    whole = [file for file, line in text.origins if line == 1]
    if (
        not text.known
        or len(text.origins) != 1
        or not whole
        or text_in(interpreter, whole[0]) != text.data
    ):
        return document
    return explained_by_writer(interpreter, Value(whole[0]), "json", document)


def _stands_at(interpreter: Interpreter, text: str, place: Origin) -> bool:
    """Whether a text stands in a file as it is, so that its lines can be counted there."""
    if "\n" not in text:
        return text in interpreter.workspace.source_line(*place)
    return text in (interpreter.workspace.text(place[0]) or "")


def _document_of_text(interpreter: Interpreter, text: Value, *, is_lenient: bool) -> Value:
    """Return the JSON document of a text, with the lines of a file as far as it stands there."""
    if not isinstance(text.data, str):
        return _likely(interpreter, text, _read_as_json)
    origins = text.origins
    starts_there = len(origins) == 1 and _stands_at(interpreter, text.data.strip(), min(origins))
    made = _json_text(text.data, origins, starts_there=starts_there, is_lenient=is_lenient)
    return made if starts_there else _as_in_file(interpreter, text, made, _read_as_json)


@MODELS.function("json.dumps", "orjson.dumps", "ujson.dumps")
@MODELS.numbers
def _json_dumps(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "obj")
    if given is None:
        return call.unknown()
    options = {"indent", "sort_keys", "ensure_ascii", "separators", "allow_nan"}
    if call.name != "json.dumps" or len(call.args) != 1 or call.keywords.keys() - options:
        return JsonText(_as_json(given))
    try:
        named = {name: plain(value) for name, value in call.keywords.items()}
        text = json.dumps(plain(given), **named)
    except (NotPlain, TypeError, ValueError):
        return JsonText(_as_json(given))
    return JsonText(_as_json(given), text if len(text) <= MAX_TEXT else UNKNOWN)


@MODELS.function("json.dump")
@MODELS.numbers
def _json_dump(interpreter: Interpreter, call: Call) -> Value:
    given, file = call.given(0, "obj"), call.given(1, "fp")
    document = call.unknown() if given is None else _as_json(given)
    if not write_to(interpreter, file, JsonText(document), place=call.place):
        keep(interpreter, file, "json", document)
    return Value(None)


def _as_json(value: Value, depth: int = 0) -> Value:
    """Return a value as JSON gives it back: keys are texts, and tuples are lists."""
    data = value.data
    if depth > MOST_NESTED and isinstance(data, (dict, list, tuple)):
        return Value(UNKNOWN, value.origins)
    if isinstance(data, dict):
        made = {str(key): _as_json(item, depth + 1) for key, item in data.items()}
        return Value(made, value.origins)
    if isinstance(data, (list, tuple)):
        return Value([_as_json(item, depth + 1) for item in data], value.origins)
    return value


@MODELS.function("yaml.dump", "yaml.safe_dump", "toml.dump", "tomli_w.dump")
@MODELS.numbers
def _yaml_dump(interpreter: Interpreter, call: Call) -> Value:
    """Write a document to a file; return its text where none is given."""
    given, file = call.given(0, "data", "o", "obj") or call.unknown(), call.given(1, "stream", "f")
    document = JsonText(snapshot(given))
    if file is None or file.data is None:
        return document
    if not write_to(interpreter, file, document, place=call.place):
        note_written(interpreter, file)
    return Value(None)


def settings(interpreter: Interpreter, file: str, *, is_omegaconf: bool = False) -> Value:
    """Return a YAML or TOML document as nested values, each with its line.

    With ``is_omegaconf``, numbers are those of OmegaConf's reader. Unknown where the file has more
    than one document, could not be read, or is too long.
    """
    workspace = interpreter.workspace
    original = original_of(workspace, file)
    if original is not None and not original.rest.strip():
        file = original.file
    origins = frozenset({(file, 1)})
    text = text_in(interpreter, file)
    entries = workspace.config_entries(file)
    if text is None or not entries or len(entries) >= MOST_ITEMS:
        return Value(UNKNOWN, origins)
    problem = workspace.elements(file).problem
    if problem is not None:
        at = frozenset({(file, workspace.elements(file).problem_line or 1)})
        raise Raised("value", problem, Value(UNKNOWN, at))
    if file.endswith((".yaml", ".yml")) and _SEVERAL.search(text.lstrip()):
        return Value(UNKNOWN, origins)
    found = from_originals(workspace, entries)
    if is_omegaconf:
        found = [as_omegaconf(interpreter, entry) for entry in found]
    return nested(interpreter, found, (file, 1))


def as_omegaconf(interpreter: Interpreter, entry: ConfigEntry) -> ConfigEntry:
    """Return a setting as OmegaConf reads it: ``3e-3`` is a number, unless it is in quotes."""
    if not isinstance(entry.value, str) or OMEGACONF_NUMBER.fullmatch(entry.value) is None:
        return entry
    source = interpreter.workspace.source_line(entry.file, entry.line)
    quoted = any(f"{mark}{entry.value}{mark}" in source for mark in "'\"")
    return entry if quoted else replace(entry, value=float(entry.value))


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


def document_of(interpreter: Interpreter, given: Value | None, *, is_toml: bool = False) -> Value:
    """Return the settings of an open file, or of a text."""
    file = state_of(given, "file").data
    if isinstance(file, str):
        return settings(interpreter, file)
    if isinstance(given, JsonText):
        return given.document
    of_file = given is not None and isinstance(given.data, LibraryObject)
    saved = kept_in(interpreter, given, "json") if of_file else None
    if saved is not None:
        return saved
    if given is not None and isinstance(given.data, str) and len(given.origins) == 1:
        (name, line), *_ = given.origins
        if line == 1 and interpreter.workspace.text(name) == given.data:
            return settings(interpreter, name)
    read_as = _read_as(read_toml_config if is_toml else read_yaml_config)
    if given is not None and isinstance(given.data, str):
        read = _toml_text if is_toml else _yaml_text
        document = read(interpreter, given, given.data)
        return _as_in_file(interpreter, given, document, read_as)
    if given is not None and not given.known and not state_of(given, "path").known:
        return _likely(interpreter, given, read_as)
    return unknown(*([] if given is None else [given, state_of(given, "path")]))


def _toml_text(interpreter: Interpreter, given: Value, text: str) -> Value:
    """Return a TOML document that a program holds as a text."""
    if len(text) > MAX_TEXT:
        return unknown(given)
    reading = read_toml_config("", text)
    if reading.problem is not None or not reading.entries:
        return unknown(given)
    try:
        return with_origins(plain(nested(interpreter, reading.entries, ("", 1))), given.origins)
    except NotPlain:
        return unknown(given)


def _yaml_text(interpreter: Interpreter, given: Value, text: str) -> Value:
    """Return a YAML document that a program holds as a text."""
    if not text.strip() or len(text) > MAX_TEXT or re.search(r"^---", text, re.M):
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
def _settings_ofdocument_of(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0, "stream", "fp", "s")
    return document_of(interpreter, given, is_toml=call.name.startswith("tom"))


STRICT = "strictyaml.YAML"


@MODELS.function("strictyaml.load")
def _strict_document(interpreter: Interpreter, call: Call) -> Value:
    """Return a document of StrictYAML: without a schema all scalars are texts."""
    given, schema = call.given(0, "yaml_string"), call.given(1, "schema")
    document = document_of(interpreter, given)
    is_free = schema is None or schema.data is None
    return _strict(_all_texts(document) if is_free else document, call)


def _all_texts(value: Value) -> Value:
    data = value.data
    if isinstance(data, dict):
        return Value({str(key): _all_texts(item) for key, item in data.items()}, value.origins)
    if isinstance(data, list):
        return Value([_all_texts(item) for item in data], value.origins)
    if isinstance(data, (int, float)) and not isinstance(data, bool):
        return Value(str(data), value.origins)
    # How a truth value or nothing was written is not known any more.
    return value if isinstance(data, str) else Value(UNKNOWN, value.origins)


def _strict(document: Value, call: Call) -> Value:
    made = LibraryObject(STRICT, (), {}, call.place, {"data": document})
    return Value(made, document.origins)


MODELS.attribute("YAML", "data", "value", "text")(lambda _, call: state_of(call.receiver, "data"))


@MODELS.method("YAML", "__getitem__")
def _strict_item(_: Interpreter, call: Call) -> Value:
    held, key = state_of(call.receiver, "data"), call.given(0)
    if key is None or not isinstance(held.data, (dict, list)):
        return call.unknown()
    return _strict(indexed(held, (key,), (None,)), call)


@MODELS.function("yaml.safe_load_all", "yaml.load_all", "yaml.full_load_all")
def _documents(interpreter: Interpreter, call: Call) -> Value:
    """Return the documents of a file, which lines of three dashes part."""
    given = call.given(0, "stream")
    file = state_of(given, "file").data
    text = text_in(interpreter, file) if isinstance(file, str) else None
    if text is None or not isinstance(file, str):
        return call.unknown()
    documents: list[Value] = []
    line = 1
    for number, part in enumerate(re.split(r"(?m)^---[^\n]*\n?", text)[: MOST_ITEMS + 1]):
        if part.strip() or number:
            reading = read_yaml_config(file, "\n" * (line - 1) + part)
            if reading.problem is not None or not all(e.path for e in reading.entries):
                return call.unknown()
            if reading.entries:
                documents.append(nested(interpreter, reading.entries, (file, line)))
        line += part.count("\n") + 1
    return Value(documents, frozenset({(file, 1)}))


@MODELS.function("toml.load", "OmegaConf.load", "omegaconf.OmegaConf.load")
def _settings_of_path(interpreter: Interpreter, call: Call) -> Value:
    path = call.given(0, "f", "file_")
    if text_of(path) is None or (path is not None and state_of(path, "file").known):
        document = document_of(interpreter, path)
    else:
        file = file_of(interpreter, path)
        if file is None and path is not None and path.data is UNKNOWN:
            file = interpreter.settings
        saved = kept_in(interpreter, path, "json") if file is None else None
        document = saved or call.unknown()
        if file is not None:
            is_omegaconf = "OmegaConf" in call.name
            document = settings(interpreter, file, is_omegaconf=is_omegaconf)
    return config_of(document, call) if call.name.startswith("omega") else document


@MODELS.function(
    *("configparser.ConfigParser", "configparser.RawConfigParser", "configparser.SafeConfigParser"),
)
def _config_parser(_: Interpreter, call: Call) -> Value:
    """Make a parser; ``interpolation_`` is the mark of the references that it follows."""
    given = call.keywords.get("interpolation")
    name = given.data.short if given is not None and isinstance(given.data, LibraryObject) else ""
    mark: object = "$" if name == "ExtendedInterpolation" else "%"
    if call.name.endswith("RawConfigParser") or (given is not None and given.data is None):
        mark = ""
    elif given is not None and name not in ("BasicInterpolation", "ExtendedInterpolation"):
        mark = UNKNOWN
    state = {"sections_": Value({}), "interpolation_": Value(mark)}
    return thing("configparser.ConfigParser", call, **state)


_REFERENCES = {
    "%": re.compile(r"%\((?P<option>[^()\n]+)\)s|(?P<mark>%%)"),
    "$": re.compile(r"\$\{(?:(?P<section>[^${}:\n]+):)?(?P<option>[^${}:\n]+)\}|(?P<mark>\$\$)"),
}
MOST_REFERENCES = 10


def _interpolated(parser: Value | None, section: Value, option: Value, depth: int = 0) -> Value:
    """Return an option with its references followed, as ``configparser`` follows them.

    Source: the Python library reference, ``configparser`` ("Interpolation of values").
    """
    mark, text = state_of(parser, "interpolation_").data, option.data
    if not isinstance(text, str) or mark == "" or not any(m in text for m in "%$"):
        return option
    if not isinstance(mark, str) or depth >= MOST_REFERENCES:
        return Value(UNKNOWN, option.origins)
    sections, parts = state_of(parser, "sections_").data, [option]
    pieces: list[str] = []
    end = 0
    for match in _REFERENCES[mark].finditer(text):
        pieces.append(text[end : match.start()])
        end = match.end()
        if match["mark"]:
            pieces.append(mark)
            continue
        named = match.groupdict().get("section")
        held = section
        if named is not None and isinstance(sections, dict):
            held = sections.get(named, Value({}))
        other = held.data.get(match["option"].lower()) if isinstance(held.data, dict) else None
        if other is None:
            refusal = f"bad interpolation variable reference {match[0]!r}"
            raise Raised("key", refusal, Value(match["option"], option.origins), held)
        value = _interpolated(parser, held, other, depth + 1)
        if not isinstance(value.data, str):
            return Value(UNKNOWN, merged(option, value))
        parts.append(value)
        pieces.append(value.data)
    return Value("".join([*pieces, text[end:]]), merged(*parts))


@MODELS.method("ConfigParser", "read", "read_file", "read_string")
def _read_ini(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0, "filenames", "f")
    sections = state_of(call.receiver, "sections_").data
    file = state_of(given, "file").data
    if call.name == "read" and text_of(given) is not None:
        file = interpreter.workspace.file_named(text_of(given) or "")
        if file is None:
            return Value([], NOWHERE if given is None else given.origins)
    if call.name == "read" and given is not None and given.data is UNKNOWN:
        file = interpreter.settings
    text = text_in(interpreter, file) if isinstance(file, str) else None
    if call.name == "read_string":
        given = call.given(0, "string")
        if given is not None and isinstance(given.data, str) and isinstance(sections, dict):
            return _read_ini_text(interpreter, given, given.data, sections)
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
    _keep_sections(parser, sections, _ini_places(file, text))
    return Value([Value(file)])


def _ini_places(file: str, text: str) -> dict[tuple[str, ...], Origins]:
    """Return where a file has each section, and each option under its name in lower case."""
    places: dict[tuple[str, ...], Origins] = {}
    for entry in read_ini_config(file, text).entries:
        names = tuple(str(part) for part in entry.path)
        key = (*names[:1], *(name.lower() for name in names[1:]))
        places[key] = frozenset({(file, entry.line)})
        places.setdefault(key[:1], places[key])
    places[()] = frozenset({(file, 1)})
    return places


def _keep_sections(
    parser: configparser.RawConfigParser,
    sections: dict[str, Value],
    places: Mapping[tuple[str, ...], Origins],
) -> None:
    """Put what was read into the sections of the followed parser, each with its place."""
    for section in [*parser.sections(), *(["DEFAULT"] if parser.defaults() else [])]:
        start = places.get((section,), places[()])
        held = sections.setdefault(section, Value({}, start)).data
        if not isinstance(held, dict):
            continue
        for option, text in parser.items(section):
            place = places.get((section, option)) or places.get(("DEFAULT", option)) or places[()]
            held[option] = Value(text, place)


def _read_ini_text(
    interpreter: Interpreter, given: Value, text: str, sections: dict[str, Value]
) -> Value:
    """Read sections of a text, with the lines of the file that it was made of."""
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise Raised("value", str(error)[:200], given) from None
    file, whole = _source_of(interpreter, given)
    places = _ini_places(file, whole) if whole else {}
    places[()] = given.origins
    _keep_sections(parser, sections, places)
    return Value(None)


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
    if not is_true(call.keywords.get("raw")):
        option_value = _interpolated(_parser_of(call.receiver), items, option_value)
    if not isinstance(option_value.data, str):
        return Value(UNKNOWN, option_value.origins)
    try:
        typed = Value(_INI_TYPES[call.name](option_value.data), option_value.origins)
        return read_as_text(typed, call.place)
    except (ValueError, KeyError):
        raise Raised(
            "value", f"not a value for {call.name}: {option_value.data!r}", option_value
        ) from None


def _parser_of(receiver: Value) -> Value:
    """Return the parser that a section is of, of a parser itself."""
    return receiver if "parser_" not in _state(receiver) else state_of(receiver, "parser_")


def _state(value: Value) -> dict[str, Value]:
    return value.data.state if isinstance(value.data, LibraryObject) else {}


@MODELS.method("ConfigParser", "set", "add_section")
def _ini_set(_: Interpreter, call: Call) -> Value:
    sections = state_of(call.receiver, "sections_").data
    section, option, value = (
        call.given(0, "section"),
        call.given(1, "option"),
        call.given(2, "value"),
    )
    if isinstance(sections, dict) and section is not None and isinstance(section.data, str):
        if call.name == "add_section":
            sections[section.data] = Value({}, frozenset({call.place}))
        elif option is not None and value is not None and section.data in sections:
            sections[section.data].data[str(option.data).lower()] = value
    return Value(None)


@MODELS.method("SectionProxy", "__setitem__")
def _ini_put(_: Interpreter, call: Call) -> Value:
    items, option, value = state_of(call.receiver, "read_"), call.given(0), call.given(1)
    if isinstance(items.data, dict) and option is not None and value is not None:
        items.data[str(option.data).lower()] = value
    return Value(None)


@MODELS.method("ConfigParser", "__setitem__", "read_dict")
def _ini_dict(_: Interpreter, call: Call) -> Value:
    """Take sections from dictionaries, whose values become texts."""
    sections = state_of(call.receiver, "sections_").data
    given = call.args[-1] if call.args else Value(UNKNOWN)
    tables = given.data
    if call.name == "__setitem__":
        tables = {str(call.args[0].data): given}
    if not isinstance(sections, dict) or not isinstance(tables, dict):
        _forget(call.receiver)
        return Value(None)
    for name, table in tables.items():
        held = sections.setdefault(str(name), Value({}, table.origins)).data
        for option, value in table.data.items() if isinstance(table.data, dict) else ():
            plain_text = isinstance(value.data, (str, int, float))
            text: object = str(value.data) if plain_text else UNKNOWN
            held[str(option).lower()] = Value(text, value.origins)
    return Value(None)


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
    if not items.known:
        return items
    return thing("configparser.SectionProxy", call, read_=items, parser_=call.receiver)


@MODELS.method("SectionProxy", "__getitem__")
def _ini_item(_: Interpreter, call: Call) -> Value:
    items, option = state_of(call.receiver, "read_"), call.given(0)
    if isinstance(items.data, dict) and option is not None and isinstance(option.data, str):
        entry = items.data.get(option.data.lower())
        if entry is None:
            raise Raised("key", f"no option {option.data!r}", option, items)
        assert call.receiver is not None
        return _interpolated(_parser_of(call.receiver), items, entry)
    return call.unknown()


@MODELS.method("ConfigParser", "sections", "__iter__", "keys")
def _ini_sections(_: Interpreter, call: Call) -> Value:
    """Return the names of sections; iterating over a parser gives that of the defaults, too."""
    sections = state_of(call.receiver, "sections_")
    if not isinstance(sections.data, dict):
        return unknown(sections)
    named = [Value(n, v.origins) for n, v in sections.data.items() if n != "DEFAULT"]
    defaults = [] if call.name == "sections" else [Value("DEFAULT")]
    return Value([*defaults, *named], sections.origins)


@MODELS.method("ConfigParser", "items", "options")
@MODELS.method("SectionProxy", "items", "keys", "values", "__iter__")
def _ini_items(_: Interpreter, call: Call) -> Value:
    assert call.receiver is not None
    items = state_of(call.receiver, "read_")
    if not items.known and call.args:
        items = _ini_section(call.receiver, call.args[0])
    if not isinstance(items.data, dict):
        return call.unknown()
    parser = _parser_of(call.receiver)
    pairs = [
        (value_of(key, value.origins), _interpolated(parser, items, value))
        for key, value in items.data.items()
    ]
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
    held = call.held
    key = call.given(0, "key")
    if held is None or key is None or not isinstance(key.data, str):
        return call.unknown()
    if key.data in held.state:
        return held.state[key.data]
    if call.name == "get":
        return call.given(1, "default_value") or Value(None, merged(key))
    assert call.receiver is not None
    raise Raised("key", f"Key {key.data!r} is not in struct", key, call.receiver)


@MODELS.method("DictConfig", "__setitem__")
def _config_set(_: Interpreter, call: Call) -> Value:
    held = call.held
    key, value = call.given(0), call.given(1)
    if held is not None and key is not None and value is not None:
        held.state[str(key.data)] = value
    return Value(None)


@MODELS.method("DictConfig", "keys", "values", "items", "__iter__", "__len__", "__contains__")
def _config_items(_: Interpreter, call: Call) -> Value:
    held = call.held
    if held is None or call.receiver is None:
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

"""The form of what a program loads: that in which a script of the workspace dumped it.

Keys that are never the one that is looked up, a dictionary where a tuple is unpacked, names with an
extension that are compared with names without: nothing is lost, but writer and reader mean
different forms. A writer whose form explains the message leads, one whose form fits is acquitted.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data.data_files import files_read
from dl_bug_lsp.evidence.data.written_data import statements_of, writers_of
from dl_bug_lsp.evidence.domain_rules.syntax import source
from dl_bug_lsp.evidence.domain_rules.tables import FEW_ERRORS, TOO_FEW, condition_on
from dl_bug_lsp.evidence.followed_run import earlier_runs, follow
from dl_bug_lsp.evidence.word_index import parts_of
from dl_bug_lsp.provenance.nodes import DataFile, Instance, Library, Node
from dl_bug_lsp.provenance.scopes import ElementOf, Scope, called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice
from dl_bug_lsp.provenance.text_patterns import TextPattern, pattern_of
from dl_bug_lsp.provenance.written_files import (
    READERS,
    Dump,
    dumps,
    format_of,
    last_name,
)
from dl_bug_lsp.provenance.written_keys import HANDING_ON, keys_of
from dl_bug_lsp.spectrum.failing_runs import is_test_file

MOST_WAYS = 80
"""Expressions on the way from what fails to what loads it."""
MOST_CLUES = 4
MOST_PATH_STEPS = 30
OF_INCOMPLETE = 0.6
"""What keys count that cannot be the missing one where others are not known."""
OF_MAKERS = 0.5
"""What the statement counts that makes a value, beside the one that dumps it."""
OF_CONSTANT_KEYS = 0.4
"""What a dictionary counts whose keys are written down: the reader may as well name another one."""
OF_UNKNOWN_KEYS = 0.3
"""What the statements count that put keys of which nothing is known."""
OF_SHARED_WORDS = 0.8
OF_SAME_SUFFIX = 0.5
OF_SAME_LIBRARY = 0.3
"""What a script counts of which no more is known than that it writes the same format."""
BESIDE_FITTING = 0.5
"""What a writer counts beside another of the same file that writes what is asked for."""
OF_PATHS = {"path", "file", "dir", "folder", "name", "fn", "data", "args", "out", "output", "save"}
"""Words that the names of all paths have."""

NO_ATTRIBUTE = re.compile(r"^'(?P<type>[\w.]+)' object has no attribute '(?P<name>\w+)'")
NOT_CALLABLE = re.compile(r"^'(?P<type>[\w.]+)' object is not callable")
NOT_INDEXED = re.compile(
    r"^(?:(?P<type>list|tuple|string) ind(?:ices|ex) must be|only integers, slices \(`:`\)"
    r"|'(?P<other>[\w.]+)' object is not subscriptable)"
)
NOT_LIKE_DICT = re.compile(r"Expected state_dict to be dict-like, got <class '(?P<type>[\w.]+)'>")
UNPACKED = re.compile(
    r"(?:too many|not enough) values to unpack \(expected (?:at least )?(?P<wanted>\d+)"
    r"(?:, got (?P<got>\d+))?\)"
)
IN_ARCHIVE = " is not a file in the archive"
"""How NumPy says that an ``.npz`` has no array of a name."""
ARRAYS = {"array", "asarray", "stack", "hstack", "vstack", "concatenate", "zeros", "ones", "full"}
TENSORS = {"tensor", "zeros", "ones", "stack", "cat", "as_tensor", "from_numpy", "full"}
TYPES_OF_CALLS = {
    **dict.fromkeys(("sorted", "tolist", "list", "listdir", "readlines", "split"), "list"),
    **dict.fromkeys(("dict", "asdict", "vars", "to_dict"), "dict"),
    **{name: name for name in ("tuple", "set", "str", "OrderedDict", "defaultdict", "Counter")},
    "state_dict": "OrderedDict",
}
"""Types of what calls give whose names say it (torch: `state_dict` gives an ``OrderedDict``)."""
OF_DICTS = {"dict", "OrderedDict", "defaultdict", "Counter"}

OF_TEXTS = (".txt", ".lst", ".list", ".json", ".csv", ".tsv")
OPENING = {"open", "read_text", "readlines", "loadtxt", "load", "loads", "read_csv", "genfromtxt"}
MOST_SIDE_STEPS = 60
"""Steps of the slice from one side of a comparison."""
MOST_TEXTS = 2_000
ON_TEXTS = {
    *("definition", "attribute", "return", "part", "base", "item", "argument 0", "receiver"),
    "callee",
}
"""Roles in which a text goes on as it is, or as what an expression does with it."""
OF_NAMES = frozenset(("name", "basename", "listdir", "glob", "rglob", "scandir", "walk"))
OF_STEMS = frozenset(("stem", "splitext", "with_suffix", "removesuffix", "split", "rsplit"))
OF_FOLDERS = frozenset(("relative_to", "relpath", "glob", "rglob", "as_posix", "join", "str"))
OF_LETTERS = frozenset(("lower", "upper", "title", "capitalize", "name", "stem", "split"))
"""What makes texts with an extension, without, with folders, in capital or small letters."""
FORMS_OF_MEMBERS = {
    "stem": {"no extension", "no folder"},
    "name": {"extension", "no folder"},
    "suffix": {"no folder"},
}
FORMS_OF_CALLS = {
    "basename": {"no folder"},
    "listdir": {"extension", "no folder"},
    "lower": {"lower"},
    "casefold": {"lower"},
    "upper": {"upper"},
}
OF_ONE_TEXT = {
    *("str", "basename", "splitext", "normpath", "abspath", "fspath", "Path", "PurePath", "strip"),
    *("rstrip", "lstrip", "lower", "upper", "casefold", "partition", "split", "rsplit"),
}
"""Calls whose result is the text that they are given, or a part of it."""


@dataclass(frozen=True, slots=True)
class _Unpacking:
    """One of the ``count`` names that a loaded value is unpacked into."""

    index: int
    count: int


_Part = _Unpacking | str | int | None
"""A part of what is loaded: a name of an unpacking, a key, an index, any item (None)."""


@dataclass(frozen=True, slots=True)
class _Message:
    """What the message says of a value: its type, a key that it lacks, or its length."""

    value: Node
    type: str = ""
    key: object = None
    wanted: int = -1
    got: int = -1
    as_text: bool = False
    """Whether the format makes texts of all keys, as JSON does."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A statement of a writer that explains the message."""

    node: Node
    line: int
    strength: float
    says: str


class _Said(TypedDict, total=False):
    """What a message tells of a value."""

    type: str
    key: object
    wanted: int
    got: int


def find(case: Case) -> Iterator[Clue]:
    """Yield what scripts dump in a form that the failing program does not expect."""
    for message in _messages(case):
        for load, way in _loads(message.value):
            yield from _judged(case, message, load, way)
    yield from _compared_texts(case)


def _judged(case: Case, message: _Message, load: Node, way: tuple[_Part, ...]) -> Iterator[Clue]:
    """Yield the statements of the writers of one load that explain the message."""
    message = replace(message, as_text=format_of(_reads(load)) == "json")
    judged = [
        (dump, near, _explained(dump.value, way, message))
        for dump, near in _dumps(case, load)
        if not (message.as_text and isinstance(message.key, int))
    ]
    fitting = max((near for _, near, found in judged if found == []), default=0.0)
    explaining = [(dump, near, found) for dump, near, found in judged if found]
    for dump, near, found in sorted(explaining, key=lambda one: -one[1])[:MOST_CLUES]:
        share = near / len(explaining) ** 0.5 * (BESIDE_FITTING if fitting >= near else 1.0)
        sure = "is" if near == 1.0 else "may be"
        what = f"what `{source(load.expr)}` loads {sure} dumped by {dump.file} (line {dump.line})"
        for one in found[:MOST_CLUES]:
            why, strength = f"{one.says}; {what}", share * one.strength
            if message.key is None and (one.node.file, one.line) != (dump.file, dump.line):
                # What is right in the rest of the script takes its form in the file here.
                yield Clue("data_files.explains", dump.file, dump.line, strength, why)
                strength *= OF_MAKERS
            yield Clue("data_files.explains", one.node.file, one.line, strength, why)


# ---------------------------------------------------------------------- what fails
def _messages(case: Case) -> Iterator[_Message]:
    """Yield the values of the failing statement that the message may speak of."""
    site = case.sites[-1] if case.sites else None
    statement = site.statement if site is not None else None
    if site is None or statement is None:
        return
    message = case.message.strip()
    for part in ast.walk(statement):
        found = _said_of(case, part, message)
        if found is not None:
            value, said = found
            node = case.engine.node(value, site.context)
            yield _Message(node, **said)


def _said_of(case: Case, part: ast.AST, message: str) -> tuple[ast.expr, _Said] | None:
    """Return what a message says of the value that a part of the failing statement works on."""
    if isinstance(part, ast.Attribute):
        match = NO_ATTRIBUTE.match(message)
        is_it = match is not None and part.attr == match["name"]
        return (part.value, {"type": _last(match["type"])}) if match and is_it else None
    if isinstance(part, ast.Call):
        match = NOT_CALLABLE.match(message)
        if match is not None:
            return part.func, {"type": _last(match["type"])}
        match = NOT_LIKE_DICT.match(message)
        is_it = called_name(part) == "load_state_dict" and bool(part.args)
        return (part.args[0], {"type": _last(match["type"])}) if match and is_it else None
    match = UNPACKED.search(message)
    unpacked = _unpacked(part) if match is not None else None
    if match is not None and unpacked is not None:
        return unpacked, {"wanted": int(match["wanted"]), "got": int(match["got"] or -1)}
    if isinstance(part, ast.Subscript):
        return _said_of_index(case, part, message)
    return None


def _unpacked(part: ast.AST) -> ast.expr | None:
    """Return what a statement or a comprehension unpacks into several names."""
    if isinstance(part, ast.Assign) and isinstance(part.targets[0], (ast.Tuple, ast.List)):
        return part.value
    if isinstance(part, (ast.For, ast.comprehension)) and isinstance(part.target, ast.Tuple):
        return ElementOf(part.iter)
    return None


def _said_of_index(case: Case, part: ast.Subscript, message: str) -> tuple[ast.expr, _Said] | None:
    match = NOT_INDEXED.match(message)
    if match is not None:
        named = {"string": "str"}.get(match["type"], match["type"]) or match["other"] or "ndarray"
        return part.value, {"type": _last(named)}
    key = _missing_key(message) if case.class_name == "KeyError" else None
    other = isinstance(part.slice, ast.Constant) and part.slice.value != key
    return (part.value, {"key": key}) if key is not None and not other else None


def _last(name: str) -> str:
    return name.rpartition(".")[2]


BOXED = re.compile(r"(?:\w+\.)*(?:str_?|u?int\d+|intc|int_)\((.+)\)", re.DOTALL)


def _missing_key(message: str) -> str | int | tuple[object, ...] | None:
    """Return the key of the message of a ``KeyError``, with its type."""
    boxed = BOXED.fullmatch(message)
    try:
        key = ast.literal_eval(boxed[1] if boxed else message)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    if isinstance(key, str):
        return key.removesuffix(IN_ARCHIVE)
    return key if isinstance(key, (int, tuple)) and not isinstance(key, bool) else None


def _loads(value: Node) -> Iterator[tuple[Node, tuple[_Part, ...]]]:
    """Yield the calls that load a value, each with which part of what is loaded it is."""
    waiting: list[tuple[Node, tuple[_Part, ...]]] = [(value, ())]
    seen = {id(value)}
    while waiting and len(seen) < MOST_WAYS:
        node, way = waiting.pop(0)
        if node.entry is not None:
            continue
        if _reads(node):
            yield node, way
            continue
        for child, further in _made_of(node, way):
            if id(child) not in seen:
                seen.add(id(child))
                waiting.append((child, further))


def _reads(node: Node) -> str:
    """Return the dotted name of the reading function that an expression calls, if it does."""
    if not isinstance(node.expr, ast.Call):
        return ""
    values = node.engine.node(node.expr.func, node.context).values
    names = (value.name for value in values if isinstance(value, Library))
    return next((name for name in names if name in READERS), "")


def _made_of(node: Node, way: tuple[_Part, ...]) -> Iterator[tuple[Node, tuple[_Part, ...]]]:
    """Yield what an expression hands on, and the part of it."""
    expr, engine = node.expr, node.engine
    if isinstance(expr, ast.Subscript):
        part = _part(node, expr)
        if part is not None:
            yield engine.node(expr.value, node.context), (part, *way)
    elif isinstance(expr, ElementOf):
        yield engine.node(expr.value, node.context), (None, *way)
    elif isinstance(expr, ast.IfExp):
        yield engine.node(expr.body, node.context), way
        yield engine.node(expr.orelse, node.context), way
    elif isinstance(expr, (ast.Name, ast.Attribute, ast.Call)):
        for role, child in node.inputs:
            if role in HANDING_ON:
                yield child, way


def _part(node: Node, expr: ast.Subscript) -> _Part:
    """Return the part of a value that a subscript or a name of an unpacking takes."""
    index = expr.slice
    if not isinstance(index, ast.Constant) or not isinstance(index.value, (int, str)):
        return None
    for statement in ast.walk(node.context.scope.node):
        if isinstance(statement, ast.Assign) and statement.value is expr.value:
            target = statement.targets[0]
            if isinstance(target, (ast.Tuple, ast.List)) and isinstance(index.value, int):
                return _Unpacking(index.value, len(target.elts))
    return index.value


# ---------------------------------------------------------------------- who wrote it
def _dumps(case: Case, load: Node) -> list[tuple[Dump, float]]:
    """Return the calls that may have dumped what is loaded, with how near each is to it."""
    written = dumps(case.engine, format_of(_reads(load)))
    stored = {id(child): child for role, child in load.inputs if role == "stored"}
    if stored:
        found = [(dump, 1.0) for dump in written if id(dump.argument) in stored]
        return _by_commands(case, found)
    if not isinstance(load.expr, ast.Call) or not load.expr.args:
        return []
    path = case.engine.node(load.expr.args[0], load.context)
    words, suffix, names = _words(path), _suffix(case, path), _file_names(path)
    known = [
        (dump, _nearness(case, dump, words, suffix))
        for dump in written
        if not is_test_file(dump.file) and _may_share(names, _file_names(dump.path))
    ]
    return _by_commands(case, known)


def _file_names(path: Node) -> set[str]:
    """Return the names that a path's file can have; empty where that is not known."""
    texts = [c.value for c in path.constants if isinstance(c.value, str)]
    known = path.complete and len(texts) == len(path.values)
    return {text.replace("\\", "/").rpartition("/")[2] for text in texts} if known else set()


def _may_share(names: set[str], others: set[str]) -> bool:
    """Whether two paths may name one file, as far as their files' names are known."""
    return not names or not others or not names.isdisjoint(others)


def _by_commands(case: Case, found: list[tuple[Dump, float]]) -> list[tuple[Dump, float]]:
    """Return the calls of the scripts that ran before, where one of them dumps anything."""
    ran = {script for script, _ in earlier_runs(case).commands} if case.places else set()
    by_them = [(dump, near) for dump, near in found if dump.file in ran]
    return by_them or found


def _nearness(case: Case, dump: Dump, words: set[str], suffix: str) -> float:
    own = _suffix(case, dump.path)
    if suffix and own and suffix != own:
        return OF_SAME_LIBRARY / 2
    if len(words & _words(dump.path)) > 0:
        return OF_SHARED_WORDS
    return OF_SAME_SUFFIX if suffix and own == suffix else OF_SAME_LIBRARY


def _suffix(case: Case, path: Node) -> str:
    name = last_name(case.engine, path)
    return name.rpartition(".")[2] if "." in name else ""


def _words(path: Node) -> set[str]:
    """Return the words of the names and texts that a path is made of."""
    words: set[str] = set()
    for step in backward_slice([path], MOST_PATH_STEPS):
        expr = step.node.expr
        if step.node.entry is not None:
            continue
        if isinstance(expr, ast.Constant) and isinstance(expr.value, str):
            words.update(w for text in re.findall(r"\w+", expr.value) for w in parts_of(text))
        elif isinstance(expr, ast.Attribute):
            words.update(parts_of(expr.attr))
        elif isinstance(expr, ast.Name):
            words.update(parts_of(expr.id))
    return {word for word in words if len(word) > 2} - OF_PATHS


# ---------------------------------------------------------------------- what it wrote
def _explained(value: Node, way: Sequence[_Part], message: _Message) -> list[_Found] | None:
    """Return what explains a message: nothing where the form fits, None where it is unknown."""
    at = _resolved(value)
    for part in way:
        if _type_of(at) in OF_DICTS and (part is None or isinstance(part, _Unpacking)):
            return _keys_taken(at, part, message)
        child = _child(at, part)
        if child is None:
            return None
        at = _resolved(child)
    kind = _type_of(at)
    if message.key is not None:
        return _without_key(at, message) if not kind or kind in OF_DICTS else None
    if message.wanted >= 0:
        return _unlike_length(at, kind, message)
    if not kind:
        return None
    return [_found(at, f"`{source(at.expr)}` is a {kind}")] if kind == message.type else []


def _found(node: Node, says: str, strength: float = 1.0) -> _Found:
    return _Found(node, node.line, strength, says)


def _keys_taken(at: Node, part: _Part, message: _Message) -> list[_Found] | None:
    """Return what explains a text where a dictionary is iterated over: that gives its keys."""
    keys = keys_of(at)
    if isinstance(part, _Unpacking) and keys.complete and len(keys.keys) != part.count:
        return None
    is_unpacked = part is None and message.wanted >= 0
    if message.type != "str" and not is_unpacked:
        return None
    says = f"`{source(at.expr)}` is a dictionary: unpacking it or a loop over it gives its keys"
    return [_found(at, says)]


def _unlike_length(at: Node, kind: str, message: _Message) -> list[_Found] | None:
    """Return what explains that a value has not as many items as names that it is unpacked into."""
    if kind in OF_DICTS:
        keys = keys_of(at)
        constant = all(isinstance(key.expr, ast.Constant) for key, _ in keys.keys)
        size = len(keys.keys) if keys.complete and constant else -1
    else:
        size = _length(at)
    if size < 0:
        return None
    if size == message.wanted or (message.got >= 0 and size != message.got):
        return []
    return [_found(at, f"`{source(at.expr)}` has {size} items, not {message.wanted}")]


def _length(node: Node) -> int:
    expr = node.expr
    if not isinstance(expr, (ast.Tuple, ast.List)):
        return -1
    return -1 if any(isinstance(item, ast.Starred) for item in expr.elts) else len(expr.elts)


def _child(node: Node, part: _Part) -> Node | None:
    """Return the expression of one part of a value that is written down."""
    expr, engine = node.expr, node.engine
    if part is None:
        if isinstance(expr, (ast.ListComp, ast.GeneratorExp)):
            return engine.node(expr.elt, node.context)
        put = [child for role, child in node.inputs if role == "changed"]
        return put[0] if len(put) == 1 else None
    if isinstance(expr, (ast.Tuple, ast.List)):
        index = part.index if isinstance(part, _Unpacking) else part
        if isinstance(part, _Unpacking) and part.count != len(expr.elts):
            return None
        if not isinstance(index, int) or not -len(expr.elts) <= index < len(expr.elts):
            return None
        return engine.node(expr.elts[index], node.context)
    if isinstance(expr, ast.Dict) and isinstance(part, (str, int)):
        for key, value in zip(expr.keys, expr.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == part:
                return engine.node(value, node.context)
    return None


def _resolved(node: Node) -> Node:
    """Return the one expression that a name stands for, else the name, as of what is changed."""
    for _ in range(MOST_CLUES):
        if node.entry is not None or not isinstance(node.expr, (ast.Name, ast.Attribute, ast.Call)):
            break
        made = [child for role, child in node.inputs if role in HANDING_ON]
        is_changed = any(role == "changed" for role, _ in node.inputs)
        if len(made) != 1 or made[0] is node or is_changed:
            break
        node = made[0]
    return node


def _type_of(node: Node) -> str:
    """Return the name of a value's type, empty where it is not known."""
    expr = node.expr
    if node.entry is not None:
        return ""
    if isinstance(expr, ast.Constant):
        return type(expr.value).__name__
    named = _DISPLAYS.get(type(expr), "")
    if named or not isinstance(expr, (ast.Call, ast.Name, ast.Attribute, ast.BinOp)):
        return named
    if isinstance(expr, ast.Call):
        return _type_of_call(node, expr)
    made = [child for role, child in node.inputs if role in ("definition", "attribute")]
    kinds = {_DISPLAYS.get(type(child.expr), "") for child in made}
    return kinds.pop() if len(kinds) == 1 else ""


_DISPLAYS: dict[type[ast.expr], str] = {
    **dict.fromkeys((ast.Dict, ast.DictComp), "dict"),
    **dict.fromkeys((ast.List, ast.ListComp), "list"),
    **dict.fromkeys((ast.Set, ast.SetComp), "set"),
    ast.Tuple: "tuple",
    ast.JoinedStr: "str",
}


def _type_of_call(node: Node, call: ast.Call) -> str:
    name = called_name(call)
    if name in TYPES_OF_CALLS:
        return TYPES_OF_CALLS[name]
    for value in node.values:
        if isinstance(value, Instance):
            return value.cls.name.rpartition(".")[2]
    for value in node.engine.node(call.func, node.context).values:
        if isinstance(value, Library):
            library = value.name.partition(".")[0]
            if library == "numpy" and name in ARRAYS:
                return "ndarray"
            if library == "torch" and name in TENSORS:
                return "Tensor"
    return ""


# ---------------------------------------------------------------------- keys
def _without_key(at: Node, message: _Message) -> list[_Found] | None:
    """Return the statements that put keys of another form into a dictionary."""
    keys, key, as_text = keys_of(at), message.key, message.as_text
    known = [(node, line, pattern_of(node)) for node, line in keys.keys]
    if not known:
        return None
    if any(p.gives(key, as_text=as_text) and p.says_something for _, _, p in known):
        return []
    unlike = [(node, line, p) for node, line, p in known if not p.gives(key, as_text=as_text)]
    if len(unlike) == len(known):
        strength = 1.0 if keys.complete else OF_INCOMPLETE
        if all(isinstance(node.expr, ast.Constant) for node, _, _ in unlike):
            return [_constant_keys(at, [node for node, _, _ in unlike], key, strength)]
        return [_unlike_key(node, line, key, strength) for node, line, _ in unlike]
    says = "puts keys into the dictionary, of which `{}` is none"
    return [
        _Found(node, line, OF_UNKNOWN_KEYS, f"`{source(node.expr)}` {says.format(key)}")
        for node, line, p in known
        if p.gives(key, as_text=as_text)
    ]


MOST_KEYS = 3
"""Keys of a dictionary that are named."""


def _constant_keys(at: Node, keys: Sequence[Node], key: object, strength: float) -> _Found:
    """Return what says that a dictionary has other keys: either side may be the wrong one."""
    first = keys[0]
    named = list(dict.fromkeys(f"`{source(node.expr)}`" for node in keys))
    more = f", and {len(named) - MOST_KEYS} more" if len(named) > MOST_KEYS else ""
    noun = "key" if len(named) == 1 else "keys"
    says = f"the dictionary has the {noun} {_listed(named[:MOST_KEYS], is_cut=bool(more))}{more}"
    line = at.line if isinstance(at.expr, ast.Dict) else first.line
    node = at if line == at.line else first
    return _Found(node, line, strength * OF_CONSTANT_KEYS, f"{says}, but not {key!r}")


def _listed(names: Sequence[str], *, is_cut: bool) -> str:
    if len(names) == 1 or is_cut:
        return ", ".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _unlike_key(node: Node, line: int, key: object, strength: float) -> _Found:
    says = f"the key `{source(node.expr)}` is not of the form of {key!r}"
    like = _sibling(node, key)
    if like is not None:
        says += f", `{source(like)}` in line {like.lineno} is"
    return _Found(node, line, strength, says)


def _sibling(node: Node, key: object) -> ast.expr | None:
    """Return an expression of the same function that makes a text of the same, as the key is."""
    names = {source(part) for part in ast.walk(node.expr) if isinstance(part, ast.Name)}
    for other in ast.walk(node.context.scope.node):
        if not isinstance(other, (ast.JoinedStr, ast.BinOp)) or other is node.expr or not names:
            continue
        own = {source(part) for part in ast.walk(other) if isinstance(part, ast.Name)}
        pattern: TextPattern = pattern_of(node.engine.node(other, node.context))
        if names <= own and pattern.says_something and pattern.gives(key):
            return other
    return None


# ---------------------------------------------------------------------- texts that are compared
def _compared_texts(case: Case) -> Iterator[Clue]:
    """Yield what makes the texts of a file with which a condition found nothing equal."""
    if not TOO_FEW.search(case.message) and case.class_name not in FEW_ERRORS:
        return
    for (file, line), (taken, asked) in follow(case).selected.items():
        test, keeps = condition_on(case, file, line) or (None, True)
        kept = taken if keeps else asked - taken
        if kept or not asked or not isinstance(test, ast.Compare):
            continue
        if len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.NotEq, ast.In, ast.NotIn)):
            yield from _unlike_texts(case, file, test)


def _unlike_texts(case: Case, file: str, test: ast.Compare) -> Iterator[Clue]:
    """Yield what makes the texts of a written file that a comparison's other side never is."""
    scope = _scope_at(case, file, test.lineno)
    if scope is None:
        return
    context = case.context_of(scope)
    sides = [case.engine.node(side, context) for side in (test.left, test.comparators[0])]
    for side, other in (sides, sides[::-1]):
        for read in _files_of(case, side):
            texts = _texts_of(case, read)
            for difference in _differences(texts, side, other):
                yield from _makers(case, read, test, difference)


def _scope_at(case: Case, file: str, line: int) -> Scope | None:
    """Return the innermost function, or the module, that holds a line."""
    module = case.engine.program.module(file)
    holding = [
        scope
        for scope in (module.walk() if module is not None else ())
        if scope.is_module or scope.line <= line <= (getattr(scope.node, "end_lineno", 0) or 0)
    ]
    return max(holding, key=lambda scope: scope.line, default=None)


def _files_of(case: Case, side: Node) -> list[str]:
    """Return the files that one side of a comparison was read from and a script surely wrote."""
    steps = backward_slice([side], MOST_SIDE_STEPS)
    reads = {step.node.context.scope for step in steps if _opens(step.node)}
    if not reads:
        return []
    named = {v.file for step in steps for v in step.node.values if isinstance(v, DataFile)}
    read = [file for file in files_read(case) if file.endswith(OF_TEXTS)]
    sure = [file for file in read if any(w.sure for w in writers_of(case, file))]
    return [file for file in sure if file in named] or sure[:MOST_CLUES]


def _opens(node: Node) -> bool:
    if node.entry is not None or not isinstance(node.expr, ast.Call):
        return False
    return called_name(node.expr) in OPENING


def _texts_of(case: Case, file: str) -> list[str]:
    """Return the texts that a file holds: its lines, or the texts of a document."""
    entries = case.workspace.config_entries(file) if file.endswith(".json") else ()
    values = [str(entry.value) for entry in entries if isinstance(entry.value, str)]
    lines = [line.strip() for line in case.workspace.lines(file)[:MOST_TEXTS]]
    return (values or [line for line in lines if line])[:MOST_TEXTS]


@dataclass(frozen=True, slots=True)
class _Difference:
    """How the texts of a file differ from what they are compared with; ``makers`` write them so."""

    says: str
    makers: frozenset[str]


EXTENSION = re.compile(r"[^/\\]*[^./\\](\.[A-Za-z]\w{0,5}(?:\.gz)?)")


def _differences(texts: Sequence[str], side: Node, other: Node) -> Iterator[_Difference]:
    """Yield how all texts of a file differ from whatever the other side of a comparison gives.

    What the program does with the texts of the file before it compares them may make them equal.
    """
    made = _forms_of(other) - _changed_of(side) if texts else set()
    if not made or {"lower", "upper"} <= made:
        return
    ends = [EXTENSION.fullmatch(text.replace("\\", "/").rpartition("/")[2]) for text in texts]
    shown = source(other.expr)
    if all(ends) and "no extension" in made:
        end = ends[0][1] if ends[0] is not None else ""
        yield _Difference(f"names end in `{end}`, `{shown}` has no extension", OF_NAMES)
    elif not any(ends) and "extension" in made and "no extension" not in made:
        yield _Difference(f"names have no extension, `{shown}` has one", OF_STEMS)
    if all("/" in text or "\\" in text for text in texts) and "no folder" in made:
        yield _Difference(f"paths have folders, `{shown}` is a name alone", OF_FOLDERS)
    letters = [text for text in texts if text.lower() != text.upper()]
    if letters and all(text != text.lower() for text in letters) and "lower" in made:
        yield _Difference(f"texts have capital letters, `{shown}` has none", OF_LETTERS)
    if letters and all(text != text.upper() for text in letters) and "upper" in made:
        yield _Difference(f"texts have small letters, `{shown}` has none", OF_LETTERS)


def _forms_of(node: Node) -> set[str]:
    """Return what is known of a text by the expressions that make it of another."""
    forms: set[str] = set()
    for step in backward_slice([node], MOST_SIDE_STEPS):
        if step.node.entry is None and _is_one_text(step):
            forms |= _form_of(step.node)
    return forms


def _is_one_text(step: Step) -> bool:
    """Whether a step is on the way of one text: nothing is put before, between or behind it."""
    if not all(role in ON_TEXTS for role in step.roles):
        return False
    for before in step.way()[:-1]:
        expr = before.node.expr
        if isinstance(expr, (ast.BinOp, ast.JoinedStr, ast.FormattedValue)):
            return False
        is_other = isinstance(expr, ast.Call) and called_name(expr) not in OF_ONE_TEXT
        if is_other and not any(role == "return" for role, _ in before.node.inputs):
            return False
    return True


def _changed_of(side: Node) -> set[str]:
    """Return the forms that a program gives to texts on the way from the file that holds them."""
    steps = backward_slice([side], MOST_SIDE_STEPS)
    changed = [_form_of(step.node) for step in steps if step.node.entry is None]
    calls = {called_name(s.node.expr) for s in steps if isinstance(s.node.expr, ast.Call)}
    if calls & {"with_suffix", "removesuffix", "splitext", "sub"}:
        changed.append({"no extension", "extension"})
    return set().union(*changed)


def _form_of(node: Node) -> set[str]:
    """Return what an expression makes of a text."""
    expr = node.expr
    if isinstance(expr, ast.Attribute):
        return FORMS_OF_MEMBERS.get(expr.attr, set())
    if isinstance(expr, ast.Call):
        return FORMS_OF_CALLS.get(called_name(expr), set())
    if isinstance(expr, ast.Subscript) and isinstance(expr.value, ast.Call):
        is_first = isinstance(expr.slice, ast.Constant) and expr.slice.value == 0
        return {"no extension"} if is_first and _splits_at_dot(expr.value) else set()
    return set()


def _splits_at_dot(call: ast.Call) -> bool:
    if called_name(call) == "splitext":
        return True
    if called_name(call) not in ("split", "rsplit", "partition", "rpartition"):
        return False
    given = call.args[0] if call.args else None
    return isinstance(given, ast.Constant) and given.value == "."


def _makers(case: Case, file: str, test: ast.Compare, difference: _Difference) -> Iterator[Clue]:
    """Yield the statements of a file's writers that make its texts."""

    def judge(step: Step) -> tuple[float, str] | None:
        expr = step.node.expr
        if step.condition:
            return None
        name = expr.attr if isinstance(expr, ast.Attribute) else ""
        name = called_name(expr) if isinstance(expr, ast.Call) else name
        return (1.0, "makes the texts") if name in difference.makers else None

    for writing, step, strength, does in statements_of(case, file, judge):
        written = f"{file}, which {writing.file} writes (line {writing.line})"
        why = f"`{source(step.node.expr)}` {does} of {written}: {difference.says}"
        why += f" in `{source(test)}`"
        yield Clue("data_files.explains", step.node.file, step.node.line, strength, why)

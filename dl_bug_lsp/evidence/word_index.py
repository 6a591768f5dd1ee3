"""Identifiers, strings, keywords and config keys of a file by line, and similarity of words.

Words are compared by their letters and by the parts of identifiers.
"""

from __future__ import annotations

import ast
import difflib
import re
import zlib
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import compress

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.contents import ConfigEntry

ROLES = (
    "string",
    "keyword",
    "attribute",
    "name",
    "bound",
    "definition",
    "import",
    "dict_key",
    "subscript",
    "config_key",
    "config_value",
)
_NUMBER = {role: number for number, role in enumerate(ROLES)}
HELD_FILES = 400
"""Files whose words a workspace keeps: more than one failure looks through."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word at a 1-based line; ``role`` says what it is there.

    Roles: ``string``, ``keyword`` (of a call), ``attribute``, ``name``, ``bound`` (assigned or a
    parameter), ``definition``, ``import``, ``dict_key``, ``subscript``, ``config_key``,
    ``config_value``.
    """

    text: str
    file: str
    line: int
    role: str


class FileWords:
    """The words of one file in order, packed; ``sketches`` are of all but plain strings.

    Texts of two underscores (``__init__``) are near to nothing and have no sketch. ``tails`` are
    the texts of settings and what stands behind their last dot.
    """

    __slots__ = ("file", "lines", "others", "roles", "sketches", "tails", "texts")

    def __init__(self, file: str, words: Iterable[tuple[str, int, str]]) -> None:
        all_words = list(words)
        self.file = file
        self.texts = tuple(text for text, _, _ in all_words)
        self.lines = array("I", (line for _, line, _ in all_words))
        self.roles = bytes(_NUMBER[role] for _, _, role in all_words)
        names = {t for t, _, role in all_words if role != "string" or t.startswith("--")}
        self.sketches = {t: sketch(t) for t in sorted(names) if not t.startswith("__")}
        self.others = frozenset(self.texts) - self.sketches.keys()
        settings = {text for text, _, role in all_words if role.startswith("config")}
        self.tails = frozenset((*settings, *(text.rpartition(".")[2] for text in settings)))

    def has_any(self, texts: Collection[str]) -> bool:
        """Whether one of the texts stands in the file."""
        wanted = texts if isinstance(texts, (set, frozenset)) else set(texts)
        return not (wanted.isdisjoint(self.others) and self.sketches.keys().isdisjoint(wanted))

    def word(self, index: int) -> Word:
        """Return one word by its place in the order."""
        return Word(self.texts[index], self.file, self.lines[index], ROLES[self.roles[index]])


class Words:
    """The words of some files, in their order."""

    def __init__(self, files: Iterable[FileWords]) -> None:
        self.files = tuple(files)

    def __iter__(self) -> Iterator[Word]:
        """Yield all words; most questions have a cheaper answer."""
        for file in self.files:
            yield from map(file.word, range(len(file.texts)))

    def with_text(self, texts: Collection[str]) -> list[Word]:
        """Return the words whose whole text is one of some, in order."""
        wanted = frozenset(texts)
        return [
            file.word(index)
            for file in self.files
            if file.has_any(wanted)
            for index, text in enumerate(file.texts)
            if text in wanted
        ]

    def of_settings(self, names: Collection[str]) -> set[str]:
        """Return the texts of config files that are one of some names, or end with ``.`` and it."""
        wanted = frozenset(names)
        return {
            text
            for file in self.files
            if not wanted.isdisjoint(file.tails)
            for text in file.texts
            if text in wanted or text.rpartition(".")[2] in wanted
        }

    def texts(self, roles: Collection[str]) -> set[str]:
        """Return the different texts that stand somewhere in one of the roles."""
        wanted = bytes(role in roles for role in ROLES)
        texts: set[str] = set()
        for file in self.files:
            texts.update(compress(file.texts, file.roles.translate(wanted.ljust(256, b"\0"))))
        return texts

    @cached_property
    def sketches(self) -> dict[str, int]:
        """The sketches of all files."""
        sketches: dict[str, int] = {}
        for file in self.files:
            sketches.update(file.sketches)
        return sketches


def words_of(
    workspace: Workspace, files: Iterable[str], configs: Iterable[str] | None = None
) -> Words:
    """Return the words of some Python files and of some config files (all where none are given)."""
    names = workspace.config_files() if configs is None else configs
    files_words: list[FileWords] = []
    for kind, make, these in (
        ("evidence.words", _python_words, files),
        ("evidence.settings", _config_words, names),
    ):
        for file in these:
            checkpoint()
            files_words.append(
                workspace.derived(kind, file, partial(make, workspace, file), HELD_FILES)
            )
    return Words(files_words)


def _python_words(workspace: Workspace, file: str) -> FileWords:
    tree = workspace.tree(file)
    return FileWords(file, _read_words(tree) if tree is not None else ())


def _config_words(workspace: Workspace, file: str) -> FileWords:
    return FileWords(file, _read_settings(workspace.config_entries(file)))


def _read_settings(entries: Iterable[ConfigEntry]) -> Iterator[tuple[str, int, str]]:
    for entry in entries:
        key = entry.key
        if key:
            yield key, entry.line, "config_key"
        if entry.length is None and entry.value is not None:
            for text in dict.fromkeys((str(entry.value), entry.text.strip("\"'"))):
                yield text, entry.line, "config_value"


def _read_words(tree: ast.Module) -> Iterator[tuple[str, int, str]]:
    special: dict[int, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            special.update((id(key), "dict_key") for key in node.keys if key is not None)
        elif isinstance(node, ast.Subscript):
            special[id(node.slice)] = "subscript"
        word = _word(node, special)
        if word is not None:
            yield word


def _word(node: ast.AST, special: dict[int, str]) -> tuple[str, int, str] | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
        return node.value, node.lineno, special.get(id(node), "string")
    if isinstance(node, ast.keyword) and node.arg:
        return node.arg, node.value.lineno, "keyword"
    if isinstance(node, ast.Attribute):
        role = "bound" if isinstance(node.ctx, ast.Store) else "attribute"
        return node.attr, node.end_lineno or node.lineno, role
    if isinstance(node, ast.Name):
        return node.id, node.lineno, "bound" if isinstance(node.ctx, ast.Store) else "name"
    if isinstance(node, ast.arg):
        return node.arg, node.lineno, "bound"
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return node.name, node.lineno, "definition"
    if isinstance(node, ast.alias):
        return node.asname or node.name, node.lineno, "import"
    return None


MIN_RATIO = 0.74
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_UNKNOWN = -1
_LETTERS = 38
_LETTER_BITS = (1 << _LETTERS) - 1
_BEGIN = 3
"""Two parts that are the same word begin with the same three letters."""


def near_texts(word: str, sketches: Mapping[str, int]) -> dict[str, float]:
    """Return the texts that are near to a word, each with its `nearness`.

    ``sketches`` holds the `sketch` of each text: most are told to be far by these alone.
    """
    own, size = sketch(word), len(word)
    distances: dict[str, float] = {}
    for text, other in sketches.items():
        if own != _UNKNOWN != other and not (own & other) >> _LETTERS:
            own_letters, other_letters = own & _LETTER_BITS, other & _LETTER_BITS
            shared = min(
                size - (own_letters & ~other_letters).bit_count(),
                len(text) - (other_letters & ~own_letters).bit_count(),
            )
            if 2.0 * shared < MIN_RATIO * (size + len(text)) - _ROUNDING:
                continue
        near = nearness(word, text)
        if near > 0:
            distances[text] = near
    return distances


_ROUNDING = 1e-6


def sketch(text: str) -> int:
    """Return which letters a word has and how its parts begin, as bits that may stand for many.

    Words without a common bit of parts have no common part; a letter whose bit the other lacks is
    not in the other.
    """
    if not text.isascii():
        return _UNKNOWN
    bits = 0
    for letter in set(text.lower()):
        code = ord(letter)
        if 97 <= code <= 122:
            bits |= 1 << (code - 97)
        elif 48 <= code <= 57:
            bits |= 1 << (code - 48 + 26)
        else:
            bits |= 1 << (36 + (letter == "_"))
    for part in parts_of(text):
        bits |= 1 << (_LETTERS + zlib.crc32(part[:_BEGIN].encode()) % 61)
    return bits


@lru_cache(maxsize=1 << 14)
def nearness(a: str, b: str) -> float:
    """Return how near two different words are (0 to 1), by letters and by parts; 0 if not."""
    if a == b or not a or not b or len(a) > 80 or len(b) > 80:
        return 0.0
    low, other = a.lower(), b.lower()
    if low == other:
        return 0.95
    shorter, longer = sorted((len(a), len(b)))
    if shorter >= 3 and 2 * shorter / (shorter + longer) >= MIN_RATIO:
        matcher = difflib.SequenceMatcher(None, low, other, autojunk=False)
        if matcher.quick_ratio() >= MIN_RATIO and matcher.ratio() >= MIN_RATIO:
            return matcher.ratio()
    parts, others = parts_of(a), parts_of(b)
    if not parts or not others:
        return 0.0
    shared = sum(any(_same_part(p, q) for q in others) for p in parts)
    whole = shared / max(len(parts), len(others))
    if whole >= 0.5:
        return 0.6 * whole + 0.3
    contained = shared == min(len(parts), len(others)) and shorter >= 4
    return 0.3 + 0.3 * whole if contained else 0.0


def _same_part(a: str, b: str) -> bool:
    """Whether two parts are the same word, one perhaps a shortened form or plural of the other."""
    if a == b:
        return True
    short, long = sorted((a, b), key=len)
    return len(short) >= 3 and len(short) > len(long) / 3 and long.startswith(short)


def parts_of(word: str) -> list[str]:
    """Split an identifier, key or path into its lower-case parts."""
    return [part.lower() for part in PARTS.findall(word)]

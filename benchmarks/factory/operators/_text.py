"""Reading files that are no Python: settings with their values, rows of data, scripts."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeVar

from factory.operators._reading import HARMLESS, short
from factory.values import Edit, Mutation, Target

_Choice = TypeVar("_Choice")

NUMBER = re.compile(r"-?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
WORD = re.compile(r"[A-Za-z][\w\-]{1,40}")
PATH = re.compile(
    r"[\w.\-~]*(/[\w.\-]+)+|[\w\-]+\.(csv|jsonl?|ya?ml|txt|pth?|np[yz]|pkl|tsv|h5|ckpt|toml|parquet|py)"
)
KEYWORDS = frozenset({"true", "false", "null", "none", "yes", "no", "on", "off", "nan", "inf"})

_CONFIG = (".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".conf", ".properties")
_DATA = (".csv", ".tsv", ".jsonl", ".ndjson", ".txt", ".vocab", ".names", ".labels")
_LAUNCH = (".sh", ".bash", ".slurm", ".sbatch", ".mk", ".env", ".zsh")
_LAUNCH_NAMES = {"makefile", "gnumakefile", "dockerfile", "procfile", "justfile", ".env", "launch"}
_REQUIREMENTS = re.compile(
    r"requirements[^/]*(/[^/]+)?\.txt$|(^|/)(environment[^/]*\.ya?ml|pyproject\.toml|setup\.cfg|"
    r"constraints\.txt)$"
)
_MAX_PLACES = 12


def kind_of(path: str, text: str = "") -> str:
    """Return what kind of file this is: one of the words of `Operator.targets`, or "" for none.

    A JSON file counts as data where its text is a list of lists or objects, else as a config.
    """
    name = PurePosixPath(path).name.lower()
    if name.endswith((".py", ".pyw")):
        return "python"
    if _REQUIREMENTS.search(path.lower()):
        return "requirements"
    if name in _LAUNCH_NAMES or name.endswith(_LAUNCH):
        return "launch"
    if name.endswith(".json") and re.match(r"\s*\[\s*[\[{]", text):
        return "data"
    if name.endswith(_CONFIG):
        return "config"
    return "data" if name.endswith(_DATA) else ""


def is_config(target: Target) -> bool:
    """Tell whether a file may hold settings."""
    return target.path.lower().endswith(_CONFIG)


def is_data(target: Target) -> bool:
    """Tell whether a file may hold data: all JSON may."""
    data = target.path.lower().endswith((*_DATA, ".json"))
    return data and not is_requirements(target)


def is_launch(target: Target) -> bool:
    """Tell whether a file starts programs."""
    return kind_of(target.path) == "launch"


def is_requirements(target: Target) -> bool:
    """Tell whether a file lists packages."""
    return kind_of(target.path) == "requirements"


def pick(target: Target, offset: int, options: Sequence[_Choice]) -> _Choice:
    """Return one of the options: always the same one at the same place of the same file."""
    place = f"{target.path}:{offset}".encode("utf-8", "replace")
    return options[zlib.crc32(place) % len(options)]


def lines_of(text: str) -> Iterator[tuple[str, int]]:
    """Yield each line without its end, and its offset."""
    at = 0
    for line in text.split("\n"):
        yield line.removesuffix("\r"), at
        at += len(line) + 1


@dataclass(frozen=True, slots=True)
class Setting:
    """A key with a value on the same line of a file of settings.

    ``start`` and ``end`` are the value's offsets, inside of its quotes where ``quoted``;
    ``key_start`` is the key's. ``depth`` counts blanks before the key. ``nested`` where the value
    stands on further lines.
    """

    key: str
    key_start: int
    value: str
    start: int
    end: int
    quoted: bool
    depth: int
    nested: bool
    line_start: int
    line_end: int

    @property
    def harmless(self) -> bool:
        """Whether the setting changes no result."""
        return self.key.lower() in HARMLESS

    def becomes(self, target: Target, value: str, *, keep_quotes: bool = True) -> Mutation:
        """Return the mutation that gives the setting another value."""
        wider = 1 if self.quoted and not keep_quotes else 0
        edit = Edit(target.path, self.start - wider, self.end + wider, value)
        return Mutation((edit,), f"{self.key} {short(self.value)} became {short(value) or 'empty'}")

    def renamed(self, target: Target, key: str) -> Mutation:
        """Return the mutation that gives the setting another name."""
        edit = Edit(target.path, self.key_start, self.key_start + len(self.key), key)
        return Mutation((edit,), f"the setting {self.key} became {key}")

    def line_dropped(self, target: Target) -> Edit | None:
        """Return the edit that deletes the setting, None where JSON would not stay readable."""
        text = target.text
        start, end = self.line_start, min(self.line_end + 1, len(text))
        if not target.path.endswith(".json"):
            return Edit(target.path, start, end, "")
        behind = text[self.end + self.quoted : self.line_end].strip()
        if text[start : self.key_start - 1].strip() or behind not in {"", ","}:
            return None
        if text[start : self.line_end].rstrip().endswith(","):
            return Edit(target.path, start, end, "")
        comma = len(text[:start].rstrip()) - 1
        if comma >= 0 and text[comma] == "," and not text[self.line_end :].lstrip().startswith(","):
            return Edit(target.path, comma, self.line_end, "")
        return None


_PATTERNS = {
    "json": re.compile(r'"(?P<key>[^"\\\n]+)"[ \t]*:[ \t]*'),
    "yaml": re.compile(r"^[ \t]*(?:- +)?(?P<key>[\w.\-/]+)[ \t]*:(?:[ \t]+|$)"),
    "ini": re.compile(r"^[ \t]*(?P<key>[\w.\-]+)[ \t]*[=:][ \t]*"),
    "toml": re.compile(r"^[ \t]*(?P<key>[\w.\-]+)[ \t]*=[ \t]*"),
}


def settings(target: Target) -> list[Setting]:
    """Return the settings of a config file in order; none for other files."""
    if not is_config(target):
        return []
    suffix = target.path.rpartition(".")[2].lower()
    pattern = _PATTERNS.get({"yml": "yaml"}.get(suffix, suffix), _PATTERNS["ini"])
    found = []
    for line, at in lines_of(target.text):
        if len(line) > 2000 or line.lstrip().startswith(("#", ";", "//")):
            continue
        depth = len(line) - len(line.lstrip())
        for match in pattern.finditer(line):
            raw = line[match.end() :]
            value = _bare(raw, suffix)
            start = at + match.end()
            quoted = len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]
            if quoted:
                value, start = value[1:-1], start + 1
            nested = (not value and not quoted) or raw.strip() in {"{", "[", "|", ">"}
            key = match.group("key")
            place = at + match.start("key")
            end = start + len(value)
            ends = (at, at + len(line))
            found.append(Setting(key, place, value, start, end, quoted, depth, nested, *ends))
    return found


def _bare(raw: str, suffix: str) -> str:
    """Return a value without the comment, comma and brackets behind it."""
    if suffix == "json":
        match = re.match(r'"(?:[^"\\]|\\.)*"|\[[^\[\]]*\]|[^\s,\]}]+', raw)
        return match.group() if match else ""
    if raw[:1] in {'"', "'"}:
        end = raw.find(raw[0], 1)
        return raw[: end + 1] if end > 0 else raw.rstrip()
    return re.split(r"\s[#;]", f" {raw}")[0].strip() if raw.strip() else ""


def rows(target: Target) -> list[tuple[str, int]]:
    """Return the lines of a data file that are not blank, with their offsets; none otherwise."""
    if not is_data(target):
        return []
    return [(line, at) for line, at in lines_of(target.text) if line.strip()]


def some_rows(target: Target) -> list[tuple[str, int]]:
    """Return at most twelve rows of a data file, spread over it, without a table's first line."""
    found = rows(target)
    if target.path.endswith((".csv", ".tsv")):
        found = found[1:]
    step = max(len(found) // _MAX_PLACES, 1)
    return found[step // 2 :: step][:_MAX_PLACES]


def separator(target: Target) -> str:
    """Return what separates the cells of a table's first line: a tab, ``;``, ``|`` or ``,``."""
    line = target.text.partition("\n")[0]
    return max("\t;|,", key=lambda mark: (line.count(mark), mark == ","))


def options(target: Target) -> list[tuple[int, int]]:
    """Return the offsets of the long options in a script, without comments."""
    if not is_launch(target):
        return []
    return [
        match.span(1)
        for match in re.finditer(r"^[ \t]*#.*$|(?<=\s)(--[A-Za-z][\w\-.]+)", target.text, re.M)
        if match.group(1)
    ]


def values(target: Target) -> list[tuple[int, int]]:
    """Return the offsets of the plain values of long options in a script."""
    found = []
    for _, end in options(target):
        match = re.compile(r"(?:=|[ \t]+)([\w.\-/+]+)").match(target.text, end)
        if match and not match.group(1).startswith("-"):
            found.append(match.span(1))
    return found

"""Small edits of config and data files: another setting, a row left out."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from dl_bug_lsp.interpretation.values import Origin
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.contents import ConfigEntry

ROWS = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".data")
MOST_ROWS = 4
FEW_ROWS = 2
MOST_ENTRIES = 12
MOST_LISTS = 4


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A change of a line of a config or data file; ``text`` is what the file then holds."""

    kind: str
    file: str
    line: int
    old: str
    new: str
    text: str


CHOSEN = (ast.Name, ast.Attribute, ast.Lambda, ast.Call)
"""What a table holds from which code chooses by a name."""
MOST_CHOICES = 4
NESTED = (ast.List, ast.Tuple, ast.Set)
PRECISIONS = {
    "float32": ("bfloat16", "float16"),
    "float64": ("float32",),
    "float16": ("float32", "bfloat16"),
    "bfloat16": ("float32", "float16"),
    "fp32": ("bf16", "fp16"),
    "fp16": ("fp32", "bf16"),
    "bf16": ("fp32", "fp16"),
    "torch.float32": ("torch.bfloat16", "torch.float16"),
    "torch.float16": ("torch.float32", "torch.bfloat16"),
    "torch.bfloat16": ("torch.float32", "torch.float16"),
}
"""Names of dtypes in settings, and those that may have been meant."""
MOST_CODE = 30


def choices(workspace: Workspace, files: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the other keys beside each key of the tables from which code chooses by a name.

    Such a table holds classes, functions or what these make (`{"sgd": SGD, "adam": Adam}`).
    """
    found: dict[str, tuple[str, ...]] = {}
    for file in files[:MOST_CODE]:
        tree = workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.Dict) or not 1 < len(node.keys) <= MOST_ENTRIES:
                continue
            keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
            texts = [key for key in keys if isinstance(key, str)]
            if len(texts) == len(keys) and all(isinstance(v, CHOSEN) for v in node.values):
                for text in texts:
                    others = tuple(other for other in texts if other != text)
                    found.setdefault(text, others[:MOST_CHOICES])
    return found


def options(trees: Iterable[ast.Module]) -> dict[str, tuple[str, ...]]:
    """Return the other texts beside each one that code compares with the same name.

    ``if mode == "sum": … elif mode == "mean": …`` makes "mean" another option than "sum". A name is
    the last part of what is compared (``self.mode`` and ``args.mode`` are one).
    """
    groups: dict[str, dict[str, None]] = {}
    for node in chain.from_iterable(map(ast.walk, trees)):
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            continue
        name = _last_name(node.left)
        texts = _compared_texts(node)
        if name is not None:
            groups.setdefault(name, {}).update(dict.fromkeys(texts))
    found: dict[str, tuple[str, ...]] = {}
    for group in groups.values():
        for text in group if len(group) <= MOST_CHOICES + 1 else ():
            found.setdefault(text, tuple(other for other in group if other != text))
    return found


def _last_name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value if isinstance(node.slice.value, str) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        return _last_name(node.func.value)  # mode.lower()
    return node.id if isinstance(node, ast.Name) else None


def _compared_texts(node: ast.Compare) -> list[str]:
    """Return the texts that a comparison allows for: one by `==`, several by `in`."""
    other = node.comparators[0]
    items = [other] if isinstance(node.ops[0], ast.Eq | ast.NotEq) else []
    if isinstance(node.ops[0], ast.In | ast.NotIn) and isinstance(other, NESTED):
        items = list(other.elts)
    texts = [item.value for item in items if isinstance(item, ast.Constant)]
    return [text for text in texts if isinstance(text, str) and text]


def text_edits(
    workspace: Workspace,
    origins: Sequence[Origin],
    files: Sequence[str],
    numbers: Sequence[int],
    chosen: Mapping[str, tuple[str, ...]],
) -> Iterator[TextEdit]:
    """Yield edits of settings and rows: those first that made what failed.

    ``chosen`` holds the names that may stand for each other, as `choices` returns them.
    """
    wanted = set(origins)
    rows = [at for at in origins if at[0].endswith(ROWS) and at[1] > 1]
    for file in dict.fromkeys(f for f, _ in origins if f.endswith(ROWS)):
        for number in numbers:
            holding = workspace.table_rows(file, str(number))
            if len(holding) <= FEW_ROWS:
                rows.extend((file, line) for line, _ in holding)
    for file, line in list(dict.fromkeys(rows))[:MOST_ROWS]:
        lines = list(workspace.lines(file))
        if line <= len(lines):
            old = lines.pop(line - 1)
            yield TextEdit("data.row", file, line, old, "", "\n".join([*lines, ""]))
    made = [f for f, _ in origins]
    for file in dict.fromkeys([f for f in made if f in files] + list(files)):
        entries = [e for e in workspace.config_entries(file) if e.length is None]
        own = [e for e in entries if (file, e.line) in wanted]
        for entry in (own or entries)[:MOST_ENTRIES]:
            for new, kind in _other_settings(entry, entries, numbers, chosen):
                changed = _with_value(workspace.lines(file), entry, new)
                if changed is not None:
                    yield TextEdit(kind, file, entry.line, entry.text, new, changed)
        yield from _shorter_lists(workspace, file)


def _shorter_lists(workspace: Workspace, file: str) -> Iterator[TextEdit]:
    """Yield the lists of numbers of a file without their last items."""
    lists: dict[tuple[str | int, ...], list[ConfigEntry]] = {}
    for entry in workspace.config_entries(file):
        if entry.path and isinstance(entry.path[-1], int) and type(entry.value) is int:
            lists.setdefault(entry.path[:-1], []).append(entry)
    longer = [items for items in lists.values() if len(items) > 1]
    for items in longer[:MOST_LISTS]:
        last, before = items[-1], items[-2]
        lines = list(workspace.lines(file))
        if not 0 < last.line <= len(lines):
            continue
        line = lines[last.line - 1]
        if last.line == before.line:
            shorter, count = re.subn(rf",\s*{re.escape(last.text)}\s*(?=,?\s*\])", "", line)
            if count != 1:
                continue
            lines[last.line - 1] = shorter
        elif re.fullmatch(rf"\s*-\s*{re.escape(last.text)}\s*(#.*)?", line):
            shorter = ""
            del lines[last.line - 1]
        else:
            continue
        text = "\n".join([*lines, ""])
        yield TextEdit("setting.item", file, last.line, line.strip(), shorter.strip(), text)


def _other_settings(
    entry: ConfigEntry,
    entries: Sequence[ConfigEntry],
    numbers: Sequence[int],
    chosen: Mapping[str, tuple[str, ...]],
) -> Iterator[tuple[str, str]]:
    value = entry.value
    if isinstance(value, bool):
        yield ("false" if value else "true"), "setting.boolean"
    elif isinstance(value, int):
        tried = {value}
        for number in (*numbers, value + 1, value - 1, value * 2, value // 2):
            if number not in tried and number >= 0:
                tried.add(number)
                yield str(number), f"setting{distance(number, value, numbers)}"
        for number in _in_other_units(entry.key, value):
            if number not in tried:
                yield str(number), "setting.unit"
        yield f"[{entry.text}]", "setting.list"
    elif isinstance(value, str):
        for other in (*chosen.get(value, ()), *PRECISIONS.get(value, ())):
            quote = entry.text[:1] if entry.text[:1] in ("'", '"') else ""
            yield f"{quote}{other}{quote}", "setting.choice"
        bare = value.strip()
        if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", bare):
            yield (bare if not re.search("[eE]", bare) else repr(float(bare))), "setting.type"
    at = next((i for i, e in enumerate(entries) if e is entry), 0)
    for other_entry in (*entries[max(at - 1, 0) : at], *entries[at + 1 : at + 2]):
        is_other = type(other_entry.value) is type(value) and other_entry.value != value
        if is_other and _ending(other_entry.value) == _ending(value):
            yield other_entry.text, "setting.other"


UNITS = {
    **dict.fromkeys(("ms", "millis", "milliseconds"), (1000,)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), (60, 1000)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), (60,)),
    **dict.fromkeys(("h", "hour", "hours"), (24, 60)),
    **dict.fromkeys(("d", "day", "days"), (24, 7)),
    **dict.fromkeys(("week", "weeks"), (7,)),
}
"""How many of a unit another unit is, by the last word of a setting that says its unit."""


def _in_other_units(key: str, value: int) -> Iterator[int]:
    """Yield what a setting of a time is if its number was given in another unit."""
    for factor in UNITS.get(re.split(r"[_\W]", key.lower())[-1], ()):
        yield value * factor
        if value >= factor and value % factor == 0:
            yield value // factor


def _ending(value: object) -> str:
    """Return the ending of a file's name, empty of what names none.

    A file of another kind cannot be read in its place, and what comes of it is not known.
    """
    return posixpath.splitext(value)[1].lower() if isinstance(value, str) else ""


def distance(number: int, value: int, numbers: Sequence[int]) -> str:
    """Return the end of the kind of an edit of a number: said by the message, near, or a factor."""
    if number in numbers:
        return ""
    return ".near" if abs(number - value) == 1 else ".factor"


def _with_value(lines: Sequence[str], entry: ConfigEntry, new: str) -> str | None:
    if not entry.text or not 0 < entry.line <= len(lines):
        return None
    line = lines[entry.line - 1]
    quoted = next((q for q in (f'"{entry.text}"', f"'{entry.text}'") if q in line), entry.text)
    head, found, tail = line.rpartition(quoted)
    if not found:
        return None
    return "\n".join([*lines[: entry.line - 1], head + new + tail, *lines[entry.line :], ""])

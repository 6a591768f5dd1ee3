"""Settings that a config file lacks and the files or blocks like it have.

Config groups (Hydra, "Config Groups"), experiments and variants of a model are written as files or
blocks with the same names. Where one of them has another name for what is asked for, or leaves it
out, that one is the odd one, and not the place that asks.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.evidence.repairs.spelling import similarity
from dl_bug_lsp.evidence.word_index import parts_of
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.messages.facts import Role
from dl_bug_lsp.workspace.contents import ConfigEntry

MISSING = (
    (FactKind.KEY, Role.ACTUAL),
    (FactKind.ATTRIBUTE, Role.ACTUAL),
    (FactKind.ARGUMENT, Role.EXPECTED),
)
"""Facts that name what is not there: a key, an attribute, an argument that a call lacks."""
CATEGORIES = frozenset(
    ("key_not_found", "attribute_not_found", "illegal_argument", "type_mismatch", "null_reference")
)
MOST_FILES = 40
MOST_ENTRIES = 400
LEAST_COMMON = 2
NEAR = 0.6
OTHER_NAME, ALONE, ABSENT = 1.0, 0.8, 0.7
"""How sure the place is: a name like the one asked for, a name that no like block has, none."""
ACQUITTED = 0.2
"""What evidence of names counts against a line that only asks for what all like blocks have."""
OF_NAMES = ("config.", "names.", "classics.", "repair.spelling", "interpretation.")
OF_CLASSES = ("_target_", "class_path", "_component_", "class_name")
"""Keys whose value is the class that a block makes an object of."""
Path = tuple[str | int, ...]
Block = Mapping[str, ConfigEntry]


@dataclass(frozen=True, slots=True)
class OddBlock:
    """A block of settings that lacks ``name``, which blocks like it have."""

    file: str
    line: int
    name: str
    score: float
    why: str


_FOUND: WeakKeyDictionary[Case, tuple[OddBlock, ...]] = WeakKeyDictionary()


def find(case: Case) -> Iterator[Clue]:
    """Yield where a file or block of the run's settings lacks what those like it have."""
    for odd in odd_blocks(case):
        yield Clue("data_files.lacks_key", odd.file, odd.line, odd.score, odd.why)


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: less where its line asks for what all like blocks have."""
    found = odd_blocks(case)
    if not found or not clue.kind.startswith(OF_NAMES):
        return 1.0
    if any((clue.file, clue.line) == (odd.file, odd.line) for odd in found):
        return 1.0
    line = case.workspace.source_line(clue.file, clue.line)
    return ACQUITTED if any(odd.name in line for odd in found) else 1.0


def odd_blocks(case: Case) -> tuple[OddBlock, ...]:
    """Return the blocks of the run's settings that alone lack a name of the message."""
    if case not in _FOUND:
        names = _missing(case)
        _FOUND[case] = tuple(_odd_blocks(case, names)) if names else ()
    return _FOUND[case]


def _missing(case: Case) -> list[str]:
    """Return the last parts of the names that the message says are not there."""
    if case.category.id not in CATEGORIES:
        return []
    facts = [fact for kind, role in MISSING for fact in case.facts.of(kind, role)]
    texts = (fact.value for fact in facts if isinstance(fact.value, str))
    names = (text.strip("${}").rpartition(".")[2] for text in texts)
    return sorted({name for name in names if len(name) > 1})


def _odd_blocks(case: Case, names: list[str]) -> Iterator[OddBlock]:
    read = {*case.engine.configuration.files, *follow(case).files_read, *case.engine.run.files}
    for file in sorted(read):
        entries = case.workspace.config_entries(file)
        if not file.endswith((".py", ".ipynb")) and 0 < len(entries) <= MOST_ENTRIES:
            yield from _of_file(case, file, names)


def _of_file(case: Case, file: str, names: list[str]) -> Iterator[OddBlock]:
    """Yield the odd blocks of one file, compared with its own others and those of its folder."""
    own = _blocks(case.workspace.config_entries(file))
    folder, extension = posixpath.dirname(file), posixpath.splitext(file)[1]
    beside = [
        other
        for other in case.workspace.config_files()
        if posixpath.dirname(other) == folder and other.endswith(extension) and other != file
    ]
    others = {other: _all(case, other) for other in beside[:MOST_FILES]}
    for path, block in own.items():
        for name in (n for n in names if n not in block):
            like = [
                (o, blocks[path]) for o, blocks in others.items() if name in blocks.get(path, ())
            ]
            like += [
                (file, twin)
                for where, twin in own.items()
                if where[:-1] == path[:-1] and len(where) == len(path) and name in twin
            ]
            like = [(where, twin) for where, twin in like if _are_like(block, twin, name)]
            if like:
                yield _odd(file, block, name, like)


def _all(case: Case, file: str) -> Mapping[Path, Block]:
    entries = case.workspace.config_entries(file)
    return _blocks(entries) if len(entries) <= MOST_ENTRIES else {}


def _blocks(entries: tuple[ConfigEntry, ...]) -> dict[Path, dict[str, ConfigEntry]]:
    """Return the tables of a file by their path: what stands in each, by its name."""
    found: dict[Path, dict[str, ConfigEntry]] = {}
    for entry in entries:
        if entry.path and isinstance(entry.path[-1], str):
            found.setdefault(entry.path[:-1], {}).setdefault(entry.path[-1], entry)
    return found


def _are_like(block: Block, twin: Block, name: str) -> bool:
    """Whether two blocks hold the same things: at least half of the names beside the missing one.

    Blocks that make objects of different classes are not alike.
    """
    for key in OF_CLASSES:
        if key in block and key in twin and block[key].value != twin[key].value:
            return False
    common = block.keys() & twin.keys()
    return len(common) >= max(LEAST_COMMON, len(twin) // 2) and name in twin


def _odd(file: str, block: Block, name: str, like: list[tuple[str, Block]]) -> OddBlock:
    known = {key for _, twin in like for key in twin}
    unknown = [key for key in block if key not in known]
    where, twin = like[0]
    has = f"line {twin[name].line} of {where}"
    near = max(unknown, key=lambda key: _nearness(key, name), default=None)
    if near is not None and _nearness(near, name) >= NEAR:
        why = f"`{near}` stands here, where {has} has `{name}` among the same names"
        return OddBlock(file, block[near].line, name, OTHER_NAME, why)
    if len(unknown) == 1:
        why = f"`{unknown[0]}` stands here, which is not among the names of {has}; it has `{name}`"
        return OddBlock(file, block[unknown[0]].line, name, ALONE, why)
    # What is left out would stand behind what it follows elsewhere.
    order = list(twin)
    before = [key for key in order[: order.index(name)] if key in block]
    line = block[before[-1]].line if before else min(entry.line for entry in block.values())
    why = f"`{name}` is not set beside this, as it is at {has}"
    return OddBlock(file, line, name, ABSENT, why)


def _nearness(name: str, key: str) -> float:
    """Return how likely one name was written for another: by its letters, or by its words."""
    mine, others = set(parts_of(name)), set(parts_of(key))
    shared = len(mine & others) / max(len(mine), len(others), 1)
    return max(similarity(name, key), shared)

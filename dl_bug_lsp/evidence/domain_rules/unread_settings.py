"""Settings of configs that no code reads, where the code reads one of a similar name instead.

A table of defaults that is merged with a user's file, ``.get`` with a default and dataclasses that
ignore what they do not know take a setting of another name in silence: the program runs with its
default, and fails elsewhere. The setting that nothing reads is the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.missing_names import OF_SAVED_MODELS, spread_tables
from dl_bug_lsp.evidence.words import nearness
from dl_bug_lsp.workspace.contents import ConfigEntry

READING = frozenset(("attribute", "subscript", "string", "dict_key", "keyword", "bound", "name"))
"""Roles of a word of the code that may read a setting by its name, or hand it on."""
ASKING = frozenset(("attribute", "subscript", "string", "dict_key"))
"""Roles of a name that asks for a setting: what is near to the unread one is among these."""
LEAST_NEAR = 0.55
"""The least nearness of two names of which one may be meant where the other stands."""
MOST_UNREAD = 3
"""Unread settings of a table: where there are more, another program reads them."""
LEAST_READ = 2 / 3
"""The share of a table's settings that the code must read by their names."""
CONFIGS = (".yaml", ".yml", ".toml", ".json", ".json5", ".ini", ".cfg")
NO_CONFIGS = frozenset(("pyproject.toml", "package.json", "setup.cfg", "tox.ini", "manifest.json"))
OF_LIBRARIES = frozenset(("defaults", "_target_", "name", "description", "version", "comment"))
"""Settings that libraries read, or that are for people."""
MOST_TABLES, MOST_NAMES, MOST_OTHERS = 60, 4_000, 500
ALONE = 0.5
"""What an unread setting counts whose value the message does not have."""


def find_unread_settings(case: Case) -> Iterator[Clue]:
    """Yield the settings of the run's configs that no code reads, though it asks for a like one."""
    files = case.engine.configuration.files or case.config_files
    if not files:
        return
    read, asked = case.code_words.texts(READING), case.code_words.texts(ASKING)
    set_names = {entry.key for entry in case.config_entries}
    names = sorted(n for n in asked if n.isidentifier() and n not in set_names)[:MOST_NAMES]
    numbers = {f.value for f in case.facts.facts if isinstance(f.value, int)}
    handed_over: set[tuple[str, tuple[str | int, ...]]] | None = None
    for (file, path), entries in list(_tables(case).items())[:MOST_TABLES]:
        unread = [e for e in entries if _own_name(e.key) not in read | OF_LIBRARIES]
        is_read = len(entries) - len(unread) >= LEAST_READ * len(entries)
        if not 0 < len(unread) <= MOST_UNREAD or not is_read:
            continue
        for entry in unread:
            if entry.value is None or _stands_elsewhere(case, entry.key):
                continue
            near = _near(entry.key, names)
            if near is None:
                continue
            if handed_over is None:
                handed_over = spread_tables(case)
            if (file, path) in handed_over:
                break
            why = (
                f"no code reads the setting `{entry.key}`; the code reads `{near}`,"
                " which no config sets"
            )
            score = 1.0 if entry.value in numbers else ALONE
            yield Clue("rules.unread_setting", file, entry.line, score / len(unread) ** 0.5, why)


def _own_name(key: str) -> str:
    """Return what a setting is called in the part that it is handed to (``module__hidden``).

    scikit-learn and skorch route parameters so (scikit-learn, "Nested parameters").
    """
    return key.rpartition("__")[2] or key


def _tables(case: Case) -> Mapping[tuple[str, tuple[str | int, ...]], list[ConfigEntry]]:
    """Return the settings of each table with names, without lists and what libraries wrote."""
    tables: dict[tuple[str, tuple[str | int, ...]], list[ConfigEntry]] = {}
    for file in case.engine.configuration.files or case.config_files:
        name = file.rpartition("/")[2]
        if not name.endswith(CONFIGS) or name in NO_CONFIGS or name.startswith("."):
            continue
        entries = case.workspace.config_entries(file)
        if OF_SAVED_MODELS & {entry.key for entry in entries}:
            continue
        for entry in entries:
            if entry.key and not any(isinstance(part, int) for part in entry.path):
                tables.setdefault((file, entry.path[:-1]), []).append(entry)
    return tables


def _stands_elsewhere(case: Case, key: str) -> bool:
    """Whether code that is not near the failure has a word, or there is too much to look."""
    near = set(case.code_files)
    others = [file for file in case.workspace.python_files() if file not in near]
    if len(others) > MOST_OTHERS:
        return True
    word = re.compile(rf"\b{re.escape(key)}\b")
    return any(word.search(case.workspace.text(file) or "") for file in others)


def _near(key: str, names: list[str]) -> str | None:
    """Return the name nearest to a setting's, None where none is near."""
    best = max(names, key=lambda name: (nearness(key, name), name), default=None)
    return best if best is not None and nearness(key, best) >= LEAST_NEAR else None

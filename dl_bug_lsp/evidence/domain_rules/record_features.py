"""Rules for records of TensorFlow: what a reader asks of them, and what their writer puts in.

A record keeps whole numbers, floats and bytes only, and a reader names for each key which of them
it is and how many there are (TensorFlow, "TFRecord and tf.train.Example").
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import source
from dl_bug_lsp.evidence.repairs.spelling import best
from dl_bug_lsp.provenance.scopes import called_name

COMPLAINT = re.compile(
    r"Key: (?P<key>[^\n]{1,200}?)(?:, Index: \d+)?\.  ?"
    r"(?P<what>Data types don't match|Can't parse serialized|Number of \w+ values)"
    r"|Feature: (?P<absent>[^\n]{1,200}?) \(data type: \w+\) is required but could not be found"
)
READ = {
    *("FixedLenFeature", "VarLenFeature", "FixedLenSequenceFeature", "RaggedFeature"),
    *("SparseFeature",),
}
WRITTEN = re.compile(
    r"int64_list|float_list|bytes_list|(?:int(?:64)?|float|bytes)_?(?:list_)?feature", re.I
)
MOST_FILES = 60


@dataclass(frozen=True)
class _Entry:
    """What stands for one key of a record."""

    key: str
    file: str
    line: int
    text: str
    is_read: bool


def find_record_features(case: Case) -> Iterator[Clue]:
    """Yield what reads and what writes the feature of a record that does not fit."""
    match = COMPLAINT.search(case.message)
    if match is None:
        return
    entries = list(_entries(case))
    key = match["key"] or match["absent"]
    reading = [entry for entry in entries if entry.is_read and entry.key == key]
    writing = [entry for entry in entries if not entry.is_read and entry.key == key]
    if match["key"]:
        for entry in reading:
            beside = f", and `{writing[0].text}` writes it" if writing else ""
            why = f"`{entry.text}` says what `{key}` is in the records{beside}"
            yield Clue("rules.strong", entry.file, entry.line, 1.0 / len(reading) ** 0.5, why)
        for entry in writing:
            why = f"`{entry.text}` writes `{key}`, which is read as something else"
            yield Clue("rules.medium", entry.file, entry.line, 1.0 / len(writing) ** 0.5, why)
        return
    written = {entry.key: entry for entry in entries if not entry.is_read}
    near = next((name for name, _ in best(key, written)), None) if not writing else None
    for entry in reading:
        more = f"; `{near}` is what {written[near].file} writes" if near else ""
        why = f"`{key}` is asked of every record here, and one lacks it{more}"
        yield Clue("rules.strong", entry.file, entry.line, 1.0 / len(reading) ** 0.5, why)
    if near:
        entry = written[near]
        why = f"`{near}` is written here, and `{key}` is read"
        yield Clue("rules.medium", entry.file, entry.line, 1.0, why)


def _entries(case: Case) -> Iterator[_Entry]:
    """Yield what dicts and assignments to items say of keys of records."""
    for file in case.code_files[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            pairs: list[tuple[ast.expr | None, ast.expr]] = []
            if isinstance(node, ast.Dict):
                pairs = list(zip(node.keys, node.values, strict=True))
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                pairs = [(node.targets[0].slice, node.value)]
            for key, value in pairs:
                if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                    continue
                text = source(value)
                is_read = isinstance(value, ast.Call) and called_name(value) in READ
                if is_read or (isinstance(value, ast.Call) and WRITTEN.search(text)):
                    yield _Entry(key.value, file, key.lineno, text, is_read)

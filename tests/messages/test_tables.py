"""Recorded messages against the tables: which family knows them, which facts it reads."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from dl_bug_lsp.logs.log import Span
from dl_bug_lsp.messages import Fact, Role, extract_facts
from dl_bug_lsp.tracebacks.failures import Cause, Frame, Relation

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent
LETTERS = {Role.ACTUAL: "A", Role.EXPECTED: "E", Role.OWNER: "O", Role.OTHER: "X"}


def read_cause(row: dict[str, Any]) -> Cause:
    file, _, function = row.get("site", "").rpartition(":")
    frames = (Frame(file, 1, function),) if file else ()
    return Cause(row["type"], row["text"], frames, Relation.ROOT, Span(1, 1))


def written(fact: Fact) -> str:
    return f"{LETTERS[fact.role]}:{fact.kind.value}={fact.value}"


@pytest.mark.parametrize("table", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_each_message_is_read_by_its_family(table: Path) -> None:
    rows = tomllib.loads(table.read_text(encoding="utf-8"))["message"]
    wrong = []
    for row in rows:
        facts = extract_facts(read_cause(row))
        got = {written(fact) for fact in facts.facts}
        if facts.family != row["family"] or not got.issuperset(row["facts"]):
            missing = sorted(set(row["facts"]) - got)
            wrong.append(
                f"{row['text'][:100]!r}: {facts.family}, lacks {missing}, has {sorted(got)}"
            )
    assert rows
    assert not wrong, "\n".join(wrong)

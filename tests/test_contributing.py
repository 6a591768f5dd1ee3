"""What CONTRIBUTING.md says to do to add something is enough: one of each kind is added and works.

Each file of ``contributing/`` names a section, what is inserted where, and a program that sees it
take effect. All are added to one copy of the package; the programs run there, and in a copy
without them, where each must fail.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS = Path(__file__).parent
HEADING = re.compile(
    r"^-- (?P<new>new )?(?P<file>\S+)(?: above: (?P<anchor>.+))? --$", re.MULTILINE
)
BESIDE = (
    *("docs/make_categories.py", "client-vscode/scripts/manifest.py"),
    *("client-vscode/package.json", "client-vscode/src/generated.ts"),
    "benchmarks/ranking_prior.json",
)
"""What is copied beside the package: what the sections say to run or to edit."""
NOT_ADDED = {
    "messages that are overlooked within sentences, or found where there are none": "learned",
    "words of failures that get no category": "learned",
    "a capture source of VS Code (a kind of run that is listened to)": "TypeScript",
    "a source of recorded tests (coverage data, test results)": "no list: a reader beside others",
    "a recorded failure": "needs the frameworks",
    "a fault or a program of the failure factory": "not of the package",
}
"""The sections without an addition, and why."""
LEARNED = {"dl_bug_lsp/ranking/weights.json"}
"""What a training would write that a section ends with."""


@dataclass(frozen=True)
class Part:
    """A new file, or a text that is inserted above the line in which ``anchor`` begins."""

    file: str
    text: str
    anchor: str | None


@dataclass(frozen=True)
class Addition:
    """What one file of ``contributing/`` holds."""

    section: str
    parts: tuple[Part, ...]
    program: str


def read(path: Path) -> Addition:
    text = path.read_text(encoding="utf-8")
    headings = [*HEADING.finditer(text)]
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    bodies = [text[h.end() + 1 : end] for h, end in zip(headings, ends, strict=True)]
    *parts, program = (
        Part(h["file"], body, h["anchor"]) for h, body in zip(headings, bodies, strict=True)
    )
    assert program.file == "sees", path
    return Addition(text.partition("\n")[0], tuple(parts), program.text)


ADDITIONS = {path.stem: read(path) for path in sorted((TESTS / "contributing").glob("*.txt"))}


def sections() -> dict[str, str]:
    """Return what to do by what to add: the sections with a heading of the fourth level."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, *parts = re.split(r"^(#+ .+)\n", text, flags=re.MULTILINE)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return {
        f"{heading[5].lower()}{heading[6:]}": steps
        for heading, steps in pairs
        if heading.startswith("#### ")
    }


def copied(folder: Path) -> Path:
    shutil.copytree(ROOT / "dl_bug_lsp", folder / "dl_bug_lsp")
    for name in BESIDE:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    (folder / "docs" / "categories").mkdir()
    return folder


def add(addition: Addition, folder: Path) -> None:
    for part in addition.parts:
        file = folder / part.file
        if part.anchor is None:
            assert not file.exists(), file
            file.write_text(part.text, encoding="utf-8")
            continue
        text = file.read_text(encoding="utf-8")
        anchor = part.anchor.replace("\\n", "\n")
        assert text.count(anchor) == 1, f"{text.count(anchor)} times in {part.file}: {anchor}"
        at = text.rfind("\n", 0, text.index(anchor)) + 1
        file.write_text(text[:at] + part.text + text[at:], encoding="utf-8")


def run_all(folder: Path) -> dict[str, str]:
    """Run the programs in a process of its own; return what each raised, empty for nothing."""
    programs = {name: addition.program for name, addition in ADDITIONS.items()}
    done = subprocess.run(
        [sys.executable, str(TESTS / "helpers" / "additions_runner.py"), str(folder)],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results: dict[str, str] = json.loads((folder / "results.json").read_text())
    return results


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = copied(tmp_path_factory.mktemp("with"))
    for addition in ADDITIONS.values():
        add(addition, folder)
    return run_all(folder)


@pytest.fixture(scope="module")
def results_without(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return run_all(copied(tmp_path_factory.mktemp("without")))


@pytest.mark.parametrize("name", ADDITIONS)
def test_what_is_added_takes_effect(name: str, results: dict[str, str]) -> None:
    assert results[name] == ""


@pytest.mark.parametrize("name", ADDITIONS)
def test_without_the_addition_it_is_not_there(name: str, results_without: dict[str, str]) -> None:
    assert results_without[name] != ""


def test_every_section_has_an_addition_or_a_reason() -> None:
    added = [addition.section for addition in ADDITIONS.values()]
    assert len(set(added)) == len(added)
    assert sections().keys() == {*added, *NOT_ADDED}


def changes() -> dict[str, str]:
    """Return what to open by what to change: the table at the beginning."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("| I want to change … | open … |\n|---|---|\n")[2].partition("\n\n")[0]
    rows = [row.removeprefix("| ").removesuffix(" |") for row in table.splitlines()]
    return dict(row.split(" | ", 1) for row in rows)


CHANGES = changes()
COMMANDS = ("python ", "grep ", "make ", "dl-bug-lsp ")
DEFINED = r"^\s*(?:def |class |async def )?{}\b(?:: [^=\n]*)?(?: = |\(|:)"
"""How a name is defined in Python or TOML."""


def words_of(text: str) -> list[str]:
    """Return what a text puts in backticks, but commands."""
    return [word for word in re.findall(r"`([^`]+)`", text) if not word.startswith(COMMANDS)]


def is_path(word: str) -> bool:
    return "/" in word or re.search(r"\.(?:py|toml|json|md|tsv|txt|ts)$", word) is not None


def test_the_table_has_rows() -> None:
    assert len(CHANGES) >= 25


@pytest.mark.parametrize("change", CHANGES)
def test_what_to_open_is_there_and_has_what_is_named(change: str) -> None:
    words = words_of(CHANGES[change])
    files = [ROOT / word for word in words if is_path(word)]
    assert files
    assert [file for file in files if not file.exists()] == []
    text = "\n".join(file.read_text(encoding="utf-8") for file in files if file.is_file())
    names = [word for word in words if not is_path(word)]
    assert [n for n in names if not re.search(DEFINED.format(re.escape(n)), text, re.M)] == []


def test_paths_of_the_page_begin_in_the_root() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = {word for word in words_of(text) if is_path(word)}
    # A file of each of several folders.
    assert {path for path in paths if not (ROOT / path).exists()} == {"__init__.py"}


@pytest.mark.parametrize("name", ADDITIONS)
def test_the_section_names_what_is_edited(name: str) -> None:
    addition = ADDITIONS[name]
    named = [
        word
        for word in re.findall(r"`([^`]+)`", sections()[addition.section])
        if "/" in word or "." in word
    ]
    places = {part.file for part in addition.parts} - LEARNED
    unnamed = {place for place in places if not any(word in place for word in named)}
    assert unnamed == set()

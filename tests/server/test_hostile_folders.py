"""One real server in folders that somebody else filled, beside another one, under many changes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sample_reports as samples
from lsprotocol import types
from waiting import wait_for
from wire import Wire

from dl_bug_lsp.report import Report
from dl_bug_lsp.server.diagnostics import Diagnostics
from dl_bug_lsp.server.documents import Folder
from dl_bug_lsp.server.known_failures import MOST, ShownFailures
from dl_bug_lsp.server.position_tracking import spot
from dl_bug_lsp.server.publication import (
    LONGEST_MESSAGE,
    MOST_FAILURES,
    Place,
    Publication,
    bounded,
)
from dl_bug_lsp.settings.reading import Settings

NAME = "a](command:dlBug.dismiss) ![c](d) `b` *i*.py"
UTF16 = types.PositionEncodingKind.Utf16
LINES = ["x = 1"] * 10


KEY = "<script>alert(1)</script> [a](http://evil.example) \u202e"


def outside_of_code(markdown: str) -> str:
    """Return Markdown without its fenced blocks and code spans, in which nothing is markup."""
    text = re.sub(r"(?ms)^(`{3,})text\n.*?\n\1$", "", markdown)
    return re.sub(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", "", text)


def source_of(*keys: str) -> str:
    return "table = {}\n" + "".join(f"print(table[{key!r}])\n" for key in keys)


def log_of(name: str, key: str = KEY, line: int = 2) -> str:
    frame = f'  File "{name}", line {line}, in <module>\n    print(table[{key!r}])\n'
    return f"Traceback (most recent call last):\n{frame}KeyError: {key!r}\n"


@pytest.fixture
def servers() -> Iterator[list[Wire]]:
    made: list[Wire] = []
    yield made
    for one in made:
        one.kill()


def started(servers: list[Wire], folder: Path, *, plain: bool = False) -> Wire:
    one = Wire(plain=plain)
    servers.append(one)
    one.initialize([folder], {"textDocument": {"hover": {"contentFormat": ["markdown"]}}})
    return one


def kept(folder: Path, source: str) -> Callable[[], bool]:
    file = folder / ".dlbug" / "failures.json"
    return lambda: file.exists() and f'"{source}"' in file.read_text()


def listed(server: Wire) -> list[str]:
    return sorted(found["source"] for found in server.command("dlBug.failures"))


def test_two_servers_keep_each_other_s_failures(tmp_path: Path, servers: list[Wire]) -> None:
    (tmp_path / "train.py").write_text(source_of("one", "two", "three"))
    first, second = started(servers, tmp_path), started(servers, tmp_path)
    told = ((first, "one"), (second, "two"), (first, "three"))
    for line, (server, source) in enumerate(told, 2):
        asked = {"text": log_of("train.py", source, line), "source": source}
        assert server.command("dlBug.localize", asked)
        wait_for(kept(tmp_path, source), "the failure to be kept")
    for server in (first, second):
        server.leave()
    third = started(servers, tmp_path)
    wait_for(lambda: listed(third) == ["one", "three", "two"], "all that was kept")


@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows refuses")
def test_hovers_of_hostile_names_hold_no_markup(tmp_path: Path, servers: list[Wire]) -> None:
    (tmp_path / NAME).write_text(source_of(KEY), encoding="utf-8")
    (tmp_path / ".dlbug").symlink_to(tmp_path.parent)
    server = started(servers, tmp_path)
    report = server.command("dlBug.localize", {"text": log_of(NAME), "source": "a"})
    assert report["failures"][0]["suspects"][0]["file"] == NAME
    (place,) = server.command("dlBug.failures")[0]["failures"][0]["places"][:1]
    where = {"textDocument": {"uri": place["uri"]}, "position": place["range"]["start"]}
    text = server.answer(server.ask("textDocument/hover", where))["result"]["contents"]["value"]
    outside = outside_of_code(text)
    assert "script" in text
    assert not re.search(r"(?<!\\)<(?!file:)", outside)
    targets = re.findall(r"(?<!\\)\]\((.*?)\)", outside)
    assert targets
    assert all(target.startswith(("<file:", "https://")) for target in targets)
    page = server.command("dlBug.report", {"format": "markdown"})
    assert not re.search(r"(?<!\\)<[a-z]", outside_of_code(page))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_folders_come_and_go_two_hundred_times(tmp_path: Path, servers: list[Wire]) -> None:
    folders = [tmp_path / f"folder{number}" for number in range(4)]
    for folder in folders:
        folder.mkdir()
        (folder / "train.py").write_text(source_of(KEY), encoding="utf-8")
    server = started(servers, folders[0], plain=True)

    def change(added: list[Path], removed: list[Path]) -> None:
        event: dict[str, Any] = {
            "added": [{"uri": one.as_uri(), "name": one.name} for one in added],
            "removed": [{"uri": one.as_uri(), "name": one.name} for one in removed],
        }
        server.notify("workspace/didChangeWorkspaceFolders", {"event": event})

    before = (0, 0)
    for number in range(200):
        folder = folders[1 + number % 3]
        change([folder], [])
        server.send_command("dlBug.localize", {"text": log_of("train.py", f"{number}")})
        change([], [folder])
        if number % 10 == 0:
            assert server.command("dlBug.failures") is not None
        if number == 20:
            before = server.threads(), server.files()
    assert server.command("dlBug.failures") is not None
    # The pool that reads and writes files may have grown to its own bound since.
    wait_for(lambda: server.threads() <= before[0] + 10, "threads to end")
    wait_for(lambda: server.files() <= before[1] + 3, "files to be closed")
    assert server.command("dlBug.localize", {"text": log_of("train.py"), "source": "a"})


class Counting(Diagnostics):
    """Diagnostics that count for how many places they found words."""

    worded = 0

    def _words_of(self, publication: Publication, place: Place) -> types.Diagnostic:
        self.worded += 1
        return super()._words_of(publication, place)


def put(shown_failures: ShownFailures, folder: Folder, number: int) -> None:
    uri, other = folder.uri_of(f"file{number}.py"), folder.uri_of(f"other{number}.py")
    places = [
        Place(samples.MISMATCH, samples.HEAD, *(spot(one, 5, 5, LINES, UTF16) for _ in "ab"), ())
        for one in (uri, other)
    ]
    name, report = f"id{number}", Report(str(folder.root), (samples.MISMATCH,))
    shown_failures.put(
        Publication(name, folder, report, {}, f"source {number}", Settings(), places)
    )


def test_an_edit_costs_what_stands_in_the_edited_document(tmp_path: Path) -> None:
    folder, shown_failures = Folder(tmp_path.as_uri(), tmp_path), ShownFailures()
    for number in range(200):
        put(shown_failures, folder, number)
    assert len(shown_failures.all()) == MOST
    pushed: dict[str, list[types.Diagnostic]] = {}
    told = Counting(lambda one: pushed.update({one.uri: list(one.diagnostics)}))
    told.show(shown_failures.all())
    assert told.worded == 2 * MOST
    uri = folder.uri_of("file199.py")
    place = types.Range(types.Position(0, 0), types.Position(0, 0))
    for number in range(100):
        told.worded = 0
        after = ["#", *LINES] * (number + 1)
        change = types.TextDocumentContentChangePartial(range=place, text="#\n")
        assert shown_failures.edit(uri, [change], None, after, UTF16)
        told.follow(shown_failures, uri)
        assert told.worded == 2
    assert pushed[uri][0].range.start.line == 104
    # What follows edit by edit is what showing everything anew would push.
    again: dict[str, list[types.Diagnostic]] = {}
    Diagnostics(lambda one: again.update({one.uri: list(one.diagnostics)})).show(
        shown_failures.all()
    )
    assert again == pushed


def test_what_is_held_of_a_report_is_bounded() -> None:
    long = samples.MISMATCH.exception
    assert long is not None
    failure = replace(samples.MISMATCH, exception=replace(long, message="m" * 10**6))
    others = tuple(replace(failure, primary=False, id=f"{n}") for n in range(300))
    found = bounded(Report("/w", (failure, *others)))
    assert len(found.failures) == MOST_FAILURES + 1
    assert found.primary is not None
    assert found.problems == ("240 earlier failures are left out.",)
    assert all(
        len(one.exception.message) <= LONGEST_MESSAGE for one in found.failures if one.exception
    )
    assert bounded(samples.REPORT) == samples.REPORT

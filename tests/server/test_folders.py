"""Folders by URI, and files' URIs spelled as clients spell them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.server.documents import MOST_GUESTS, Folders, path_of


def test_a_file_s_uri_begins_as_its_folder_s(tmp_path: Path) -> None:
    folder = Folders().open(tmp_path.as_uri() + "/")
    assert folder is not None
    uri = folder.uri_of("configs/my base+1 größe.yaml")
    assert uri == f"{tmp_path.as_uri()}/configs/my%20base%2B1%20gr%C3%B6%C3%9Fe.yaml"
    assert path_of(uri) == tmp_path / "configs" / "my base+1 größe.yaml"


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("a.py", "a.py"),
        ("a/b%20c/gr%C3%B6%C3%9Fe.py", "a/b c/größe.py"),
        ("a/..hidden/b...py", "a/..hidden/b...py"),
        ("a%2Fb.py", "a/b.py"),
        ("a%2525.py", "a%25.py"),
        ("a//b.py", "a/b.py"),
        ("./a.py", "a.py"),
        ("a/", "a"),
        ("a.py#L3", "a.py"),
        ("", None),
    ],
)
def test_a_uri_names_a_file_of_the_folder(tmp_path: Path, name: str, file: str | None) -> None:
    folder = Folders().open(tmp_path.as_uri())
    assert folder is not None
    assert folder.file_of(f"{tmp_path.as_uri()}/{name}") == file
    assert folder.file_of(f"{tmp_path.as_uri()}x/{name}") is None


@pytest.mark.parametrize(
    "uri", ["untitled:x", "vscode-vfs://github/a/b", "file:///no/such/folder", "", "http://[", "x"]
)
def test_what_is_no_folder_here_is_left_out(uri: str) -> None:
    folders = Folders()
    assert folders.open(uri) is None
    assert folders.named(uri) is None
    assert folders.close(uri) is None
    assert list(folders) == []


def test_a_folder_is_opened_once_however_it_is_named(tmp_path: Path) -> None:
    folders = Folders()
    first = folders.open(tmp_path.as_uri())
    assert folders.open(tmp_path.as_uri() + "/") is first
    assert folders.named(str(tmp_path)) is first
    assert list(folders) == [first]
    assert folders.close(tmp_path.as_uri()) is first
    assert first is not None
    assert first.closed.is_set()


def test_folders_that_only_commands_name_are_closed_again(tmp_path: Path) -> None:
    folders = Folders()
    paths = [tmp_path / str(number) for number in range(MOST_GUESTS + 2)]
    for path in paths:
        path.mkdir()
    kept = folders.open(paths[0].as_uri())
    assert kept is not None
    found = [folders.named(str(path)) for path in paths]
    assert found[0] is kept
    assert folders.named(paths[1].as_uri()) is found[1]
    assert folders.close_surplus() == [found[2]]
    assert found[2] is not None and found[2].closed.is_set()
    assert not folders.is_open(found[2].key)
    assert folders.open(paths[3].as_uri()) is found[3]
    assert folders.close_surplus() == []
    assert list(folders) == [kept, found[1], *found[3:]]


def test_a_relative_path_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path.parent)
    assert Folders().named(tmp_path.name) is None

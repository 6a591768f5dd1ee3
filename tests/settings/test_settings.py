"""Odd settings are ignored and named."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from types import TracebackType

import pytest

from dl_bug_lsp.report import Options
from dl_bug_lsp.server.folder_settings import sentences
from dl_bug_lsp.server.process import PayloadFreeFormatter
from dl_bug_lsp.settings.reading import Settings, read_given, read_project, settings_of
from dl_bug_lsp.settings.table import SETTINGS, camel
from dl_bug_lsp.workspace import Workspace

PLAIN = Settings()


@pytest.mark.parametrize(
    ("raw", "settings", "problems"),
    [
        (None, PLAIN, 0),
        ({}, PLAIN, 0),
        ({"top": 3, "topFiles": 0}, Settings(Options(3, 0)), 0),
        ({"top-files": 0}, Settings(Options(10, 0)), 0),
        ({"pathMap": {"/mnt": "."}}, Settings(Options(path_map=(("/mnt", "."),))), 0),
        (
            {"maxDiagnostics": 0, "codeLens": False},
            Settings(max_diagnostics=0, code_lens=False),
            0,
        ),
        ({"logs": {"watch": False, "include": []}}, Settings(logs_watch=False, logs_include=()), 0),
        ({"logs.exclude": ["*.out"]}, Settings(logs_exclude=("*.out",)), 0),
        ({"warningFrom": 1, "minScore": 0.5}, Settings(warning_from=1.0, min_score=0.5), 0),
        ({"unknown": 1}, PLAIN, 1),
        ({"logs": {"unknown": 1}}, PLAIN, 1),
        ({"logs": 3}, PLAIN, 1),
        ({"top": None}, PLAIN, 0),
        ({"top": 1e300}, Settings(Options(10_000)), 0),
        ({"top": 2.5}, PLAIN, 1),
        ({"top": 0}, PLAIN, 1),
        ({"top": True}, PLAIN, 1),
        ({"top": "ten", "topFiles": -1, "codeLens": "no", "pathMap": ["/a"]}, PLAIN, 4),
        ({"pathMap": {"/a": 1}}, PLAIN, 1),
        ({"logs": {"include": "*.log"}}, PLAIN, 1),
        ({"warningFrom": 1.5}, PLAIN, 1),
        ({"top": float("nan")}, PLAIN, 1),
        ({"triageFolder": "/shared/triage"}, Settings(triage_folder="/shared/triage"), 0),
        ({"triageFolder": 3}, PLAIN, 1),
        ([1, 2], PLAIN, 1),
        ("text", PLAIN, 1),
    ],
)
def test_read_settings(raw: object, settings: Settings, problems: int) -> None:
    given = read_given(raw)
    assert settings_of(given) == settings
    assert len(sentences(given)) == problems


def test_the_defaults_of_the_table_are_those_of_the_values() -> None:
    written: dict[str, object] = {s.key: s.default for s in SETTINGS if s.default is not None}
    given = read_given(written)
    assert (settings_of(given), given.problems) == (PLAIN, ())
    assert all(camel(setting.project_key) == setting.key for setting in SETTINGS)


def test_the_later_of_several_wins_key_by_key() -> None:
    project, client = read_given({"top": 3, "hover": False}), read_given({"top": 5})
    assert settings_of(project, client) == Settings(Options(5), hover=False)


@pytest.mark.parametrize(
    ("text", "settings", "lines"),
    [
        ("", PLAIN, []),
        ("[tool.other]\ntop = 1\n", PLAIN, []),
        ("[tool.dl-bug-lsp]\ntop = 1\n", Settings(Options(1)), []),
        ("[tool]\ndl-bug-lsp = 3\n", PLAIN, [2]),
        ("[tool.dl-bug-lsp]\ntop = 0\n\nhovver = true\n", PLAIN, [2, 4]),
        (
            '[tool.dl-bug-lsp.logs]\ninclude = ["a", "b"]\nwach = 1\n',
            Settings(logs_include=("a", "b")),
            [3],
        ),
        ('[tool.dl-bug-lsp]\npath-map = { "/a" = 1 }\n', PLAIN, [2]),
        (
            '[tool.dl-bug-lsp]\npath-map = { "/a" = "." }\ntop = 2',
            Settings(Options(2, path_map=(("/a", "."),))),
            [],
        ),
        ("[tool.dl-bug-lsp]\ntop = \n", PLAIN, [2]),
        ('[tool.dl-bug-lsp]\ntop = 1\ntriage-folder = "/x"\n', Settings(Options(1)), [3]),
    ],
)
def test_a_project_s_settings(
    text: str, settings: Settings, lines: list[int], tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    found = read_project(Workspace(tmp_path, cache=False).config_entries("pyproject.toml"))
    assert settings_of(found.given) == settings
    assert [line for line, _ in found.complaints] == lines


def shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def markdown_table() -> str:
    rows = ["| setting | in `pyproject.toml` | default | meaning |", "|---|---|---|---|"]
    for setting in SETTINGS:
        default = "" if setting.default is None else f"`{shown(setting.default)}`"
        shared = "(only in the editor)" if setting.of_user else f"`{setting.project_key}`"
        rows.append(f"| `{setting.key}` | {shared} | {default} | {setting.meaning} |")
    return "\n".join(rows) + "\n"


def test_the_documentation_has_the_table_of_settings() -> None:
    page = Path(__file__).parents[2] / "docs" / "settings.md"
    assert markdown_table() in page.read_text(encoding="utf-8")


def raised() -> tuple[type[BaseException], BaseException, TracebackType | None]:
    text = "".join(("sec", "ret"))
    try:
        raise ValueError(text)
    except ValueError as error:
        return type(error), error, sys.exc_info()[2]


@pytest.mark.parametrize(
    ("name", "message", "arguments", "shown"),
    [
        ("pygls.protocol", "Failed to handle request %s", ("secret",), "Failed to handle request"),
        ("asyncio", "Task exception\nfuture: secret", (), "Task exception"),
        ("dl_bug_lsp.server", "indexed %d files", (3,), "indexed 3 files"),
    ],
)
def test_the_log_holds_no_payload(
    name: str, message: str, arguments: tuple[object, ...], shown: str
) -> None:
    record = logging.LogRecord(name, logging.ERROR, "", 1, message, arguments, raised())
    line = PayloadFreeFormatter().format(record)
    assert shown in line
    assert "secret" not in line
    assert line.endswith("ValueError")
    assert "in raised" in line

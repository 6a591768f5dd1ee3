"""Odd settings are ignored and named."""

from __future__ import annotations

import logging
import sys
from types import TracebackType

import pytest

from dl_bug_lsp.report import Options
from dl_bug_lsp.server.journal import PayloadFreeFormatter
from dl_bug_lsp.server.settings import Settings, read_settings

PLAIN = Settings()


@pytest.mark.parametrize(
    ("raw", "settings", "problems"),
    [
        (None, PLAIN, 0),
        ({}, PLAIN, 0),
        ({"top": 3, "topFiles": 0}, Settings(Options(3, 0)), 0),
        ({"pathMap": {"/mnt": "."}}, Settings(Options(path_map=(("/mnt", "."),))), 0),
        ({"maxDiagnostics": 0, "codeLens": False}, Settings(Options(), 0, False), 0),
        ({"unknown": 1}, PLAIN, 0),
        ({"top": None}, PLAIN, 0),
        ({"top": 1e300}, Settings(Options(10_000)), 0),
        ({"top": 0}, PLAIN, 1),
        ({"top": True}, PLAIN, 1),
        ({"top": "ten", "topFiles": -1, "codeLens": "no", "pathMap": ["/a"]}, PLAIN, 4),
        ({"pathMap": {"/a": 1}}, PLAIN, 1),
        ({"top": float("nan")}, PLAIN, 1),
        ([1, 2], PLAIN, 1),
        ("text", PLAIN, 1),
    ],
)
def test_read_settings(raw: object, settings: Settings, problems: int) -> None:
    got, found = read_settings(raw)
    assert got == settings
    assert len(found) == problems


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

"""Whether another try may help: messages of public issues, recorded logs and real failures."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from made_failures import failure

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.taxonomy.classify import classify
from dl_bug_lsp.taxonomy.retries import retry_may_help
from dl_bug_lsp.tracebacks import FailureKind
from dl_bug_lsp.views import words
from dl_bug_lsp.workspace import Workspace

RECORDED = Path(__file__).with_name("retries")
MESSAGES = [
    line.split("\t")
    for line in (RECORDED / "messages.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
TOLD = {
    True: "The same job may pass when it is tried again.",
    False: "Another try without a change will most likely fail in the same way.",
    None: "Whether another try would help is not known.",
}
ANSWERS = {"may pass": True, "fails again": False, "not known": None}


@pytest.mark.parametrize(("answer", "type", "message"), MESSAGES)
def test_messages(answer: str, type: str, message: str) -> None:
    is_program = type.islower() and "." not in type
    kind = FailureKind.MESSAGE if is_program else FailureKind.EXCEPTION
    found = failure(type, message.replace("\\n", "\n"), kind=kind)
    assert retry_may_help(found, classify(found)) is ANSWERS[answer]


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        ("urllib", None),
        ("requests", None),
        ("transformers", None),
        ("port", True),
        ("store", True),
    ],
)
def test_recorded_logs(log: str, wanted: bool | None, tmp_path: Path) -> None:
    """A name that does not resolve is wrong or passes; nothing tells which of the two."""
    text = (RECORDED / f"{log}.log").read_text(encoding="utf-8")
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.category.id == "communication_failure"
    assert found.retry_may_help is wanted
    assert words.told_of_retry(found) == TOLD[wanted]


def test_an_earlier_exception_says_that_it_passes(tmp_path: Path) -> None:
    text = (RECORDED / "transformers.log").read_text(encoding="utf-8")
    passing = text.replace(
        "[Errno -2] Name or service not known", "[Errno -3] Temporary failure in name resolution"
    )
    assert passing != text
    found = localize(passing, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.retry_may_help is True


class _Refusing(BaseHTTPRequestHandler):
    """Answers each request with the status in its path."""

    def do_GET(self) -> None:
        self.send_error(int(self.path.strip("/")))

    def log_message(self, format: str, *arguments: object) -> None:
        """Print nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Refusing) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def failing(tmp_path: Path, program: str) -> str:
    (tmp_path / "train.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "train.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    return done.stderr


@pytest.mark.parametrize(
    ("status", "wanted"),
    [(404, False), (403, False), (429, True), (500, True), (503, True), (504, True)],
)
def test_statuses_of_a_server(
    status: int, wanted: bool | None, tmp_path: Path, server: str
) -> None:
    asks = f"import urllib.request\n\nurllib.request.urlopen('{server}/{status}')\n"
    found = localize(failing(tmp_path, asks), Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.retry_may_help is wanted


BUSY_PORT = """\
import socket

first, second = socket.socket(), socket.socket()
first.bind(("127.0.0.1", 0))
second.bind(first.getsockname())
"""
LOCKED = """\
import sqlite3

first, second = (sqlite3.connect("runs.db", timeout=0) for _ in range(2))
first.execute("create table runs (id)")
first.execute("begin exclusive")
second.execute("insert into runs values (1)")
"""


@pytest.mark.parametrize("program", [BUSY_PORT, LOCKED])
def test_what_something_else_holds(program: str, tmp_path: Path) -> None:
    found = localize(failing(tmp_path, program), Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.retry_may_help is True


def test_of_segmentation_faults_another_try_is_left_open() -> None:
    found = failure(
        "faulthandler", "Fatal Python error: Segmentation fault", kind=FailureKind.MESSAGE
    )
    assert retry_may_help(found, classify(found)) is None


@pytest.mark.parametrize(("code", "again"), [("-7", None), ("-11", None), ("-9", True)])
def test_exit_codes_of_native_crashes(code: str, again: bool | None) -> None:
    found = failure("log", f"Rank 2 crashed with exit code {code}.", kind=FailureKind.MESSAGE)
    assert retry_may_help(found, classify(found)) is again


@pytest.mark.parametrize(
    ("confidence", "rule", "wanted"),
    [(0.95, "platform.killed", True), (0.6, "platform.killed_word", None), (0.9, "text", None)],
)
def test_weak_categories_promise_no_other_try(
    confidence: float, rule: str, wanted: bool | None
) -> None:
    verdict = CategoryVerdict("process_killed", "platform", confidence, "", rule)
    assert retry_may_help(failure("log", "killed", kind=FailureKind.MESSAGE), verdict) is wanted

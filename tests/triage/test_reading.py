"""What is read quickly is what the full reader reads, and one bug keeps its fingerprint."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from job_logs import FIXTURES, failing, progress

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.logs.decoding import is_binary
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.triage import reading
from dl_bug_lsp.triage.fingerprints import fingerprint, message_template, without_accidents
from dl_bug_lsp.triage.reading import (
    Analysis,
    Reader,
    analysis,
    excerpt_of_stream,
    excerpts,
    primary,
)

CASES = FIXTURES.parent / "tests" / "tracebacks" / "cases"
LOGS = sorted(FIXTURES.glob("*/log.txt")) + sorted(CASES.glob("*.txt"))


def shown(read: Analysis | None) -> tuple[object, ...] | None:
    if read is None:
        return None
    head = read.message.split("\n")[0]
    return read.fingerprint, read.kind, read.exception, head, read.category, read.places


def full(data: bytes) -> Analysis | None:
    log = read_log(data)
    failure = primary(log)
    return None if failure is None else analysis(failure, log)


def test_the_quick_reading_of_recorded_logs_is_that_of_the_full_reader() -> None:
    texts = [path.read_bytes() for path in LOGS]
    texts = [text for text in texts if len(text) < 200_000]
    quick = [Reader(0).read(e, text) for e, text in zip(excerpts(texts), texts, strict=True)]
    wrong = [
        path.name if path.name != "log.txt" else path.parent.name
        for path, text, read in zip(LOGS, texts, quick, strict=False)
        if shown(read) != shown(full(text))
    ]
    assert len(texts) > 250
    assert wrong == []


def test_progress_before_and_after_a_failure_changes_nothing() -> None:
    names = [path for path in LOGS if path.name == "log.txt"][::4]
    before, after = progress(600).encode(), b"\n" + progress(80, seed=1).encode()
    texts = [before + path.read_bytes() + after for path in names]
    reader = Reader(0)
    wrong = [
        path.parent.name
        for path, excerpt, text in zip(names, excerpts(texts), texts, strict=True)
        if shown(reader.read(excerpt)) != shown(full(text))
    ]
    assert wrong == []


def test_what_differs_in_accidents_is_remembered_and_its_line_is_its_own() -> None:
    reader = Reader()
    first, second = (
        (progress(lines, seed=lines) + failing(rows=rows, home=f"/scratch/{rows}/code")).encode()
        for lines, rows in ((50, 32), (400, 64))
    )
    one, two = (reader.read(excerpt) for excerpt in excerpts([first, second]))
    assert one is not None
    assert two is not None
    assert (one.exact, two.exact) == (True, False)
    assert one.fingerprint == two.fingerprint
    assert (one.line, two.line) == (51, 401)


def test_codes_are_no_accidents() -> None:
    reader = Reader()
    texts = [
        f"{progress(5)}slurmstepd: error: task 0: Exited with exit code {code}\n".encode()
        for code in (1, 137)
    ]
    read = [reader.read(excerpt) for excerpt in excerpts(texts)]
    again = [Reader(0).read(excerpt) for excerpt in excerpts(texts)]
    assert [shown(one) for one in read] == [shown(one) for one in again]


def test_ranks_that_print_the_same_are_one_failure() -> None:
    lines = failing().splitlines()
    mixed = "".join(f"[rank{rank}]: {line}\n" for line in lines for rank in range(8))
    read = Reader().read(excerpts([mixed.encode()])[0])
    alone = Reader().read(excerpts([failing().encode()])[0])
    assert read is not None
    assert alone is not None
    assert read.fingerprint == alone.fingerprint


def test_a_stream_gives_the_excerpt_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dl_bug_lsp.logs.reader.CHUNK", 4096)
    data = (progress(300) + failing() + progress(200, seed=5) + failing(rows=4)).encode()
    parts = [data[at : at + 1000] for at in range(0, len(data), 1000)]
    streamed, whole = excerpt_of_stream(parts), excerpts([data])[0]
    assert streamed.total_lines == data.count(b"\n")
    assert streamed.size == whole.size == len(data)
    reader = Reader(0)
    assert shown(reader.read(streamed)) == shown(reader.read(whole)) != None  # noqa: E711


def test_what_is_kept_of_a_log_is_bounded() -> None:
    noisy = b"ERROR: cannot send metrics, connection refused\n" * 60_000
    excerpt = excerpt_of_stream([noisy, failing().encode()])
    assert excerpt.total_lines > 60_000
    assert len(excerpt.lines) < 12_000
    assert excerpt.cut
    read = Reader(0).read(excerpt)
    assert read is not None
    assert read.exception == "RuntimeError"


def test_a_bar_of_megabytes_in_one_line_is_cut() -> None:
    bar = "".join(f"\r{n}%|{'#' * 40}| {n}/100 error=0.1" for n in range(40_000))
    excerpt = excerpts([(bar + "\n" + failing()).encode()])[0]
    assert max(len(line) for _, line in excerpt.lines) < 20_000
    read = Reader(0).read(excerpt)
    assert read is not None
    assert read.exception == "RuntimeError"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "cp1252", "utf-8-sig"])
def test_foreign_encodings(encoding: str) -> None:
    data = (progress(20) + failing() + "Fehler: Größe\n").encode(encoding)
    whole, streamed = Reader(0).read(excerpts([data])[0]), Reader(0).read(excerpt_of_stream([data]))
    assert whole is not None
    assert whole.exception == "RuntimeError"
    assert shown(whole) == shown(streamed)


def test_every_line_that_a_reader_begins_at_is_met() -> None:
    """The expression for RE2 holds what the readers' own expressions hold."""
    for path in LOGS:
        data = path.read_bytes()
        failures = read_failures(read_log(data)).failures
        told = [f for f in failures if f.dialect not in ("last_words", "message") and f.primary]
        if told and not data.startswith(b"{") and not is_binary(data[:4096]):
            assert excerpts([data])[0].begins, path


@settings(max_examples=150, deadline=None)
@given(st.lists(st.binary(max_size=400), max_size=5))
def test_no_bytes_raise(logs: list[bytes]) -> None:
    reader = Reader()
    for excerpt, data in zip(excerpts(logs), logs, strict=True):
        reader.read(excerpt, data)
        assert excerpt.size == len(data)
        assert excerpt_of_stream([data]).size == len(data)


def mark(text: str) -> str:
    failure = next(f for f in read_failures(read_log(text)).failures if f.primary)
    return fingerprint(failure)


@pytest.mark.parametrize(
    "changes",
    [
        {"home": "/scratch/job_88123/code"},
        {"line": 44},
        {"rows": 128},
        {"python": "/home/ann/.venv/lib/python3.12"},
    ],
)
def test_accidents_leave_the_fingerprint(changes: dict[str, object]) -> None:
    assert mark(failing(**changes)) == mark(failing())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("loss = model(batch)", "loss = critic(batch)"),
        ("in main", "in evaluate"),
        ("train.py", "finetune.py"),
        ("RuntimeError", "ValueError"),
        ("shapes cannot be multiplied", "sizes do not agree"),
    ],
)
def test_another_bug_has_another_fingerprint(old: str, new: str) -> None:
    assert mark(failing().replace(old, new)) != mark(failing())


def test_missing_keys_at_one_place_are_one_bug() -> None:
    stack = failing().rsplit("\n", 2)[0]
    assert mark(f"{stack}\nKeyError: 'img_0012.png'\n") == mark(f"{stack}\nKeyError: 'a7'\n")


@pytest.mark.parametrize(
    ("message", "template"),
    [
        ("Target 10 is out of bounds.", "Target # is out of bounds."),
        ("shapes (32, 3, 224, 224) and (4,)", "shapes (#) and (#)"),
        ("[Errno 28] No space left on device: '/scratch/u/run_7/a.pt'",
         "[Errno 28] No space left on device: '…/a.pt'"),
        ("returned non-zero exit status 137.", "returned non-zero exit status 137."),
        ("<Net object at 0x7f2a3c9e1d90>", "<Net object at #>"),
        ("run 3f2504e0-4f89-41d3-9a0c-0305e82c3301 gone", "run # gone"),
    ],
)  # fmt: skip
def test_templates(message: str, template: str) -> None:
    assert message_template(message) == template


@given(st.text(max_size=300))
def test_taking_accidents_away_never_raises(text: str) -> None:
    assert isinstance(without_accidents(text), str)
    message_template(text)


def test_the_search_knows_no_words_in_plain_progress() -> None:
    assert not excerpts([progress(200).encode()])[0].begins
    assert reading.excerpts([]) == []


def test_path_of_a_fixture_is_in_place() -> None:
    assert Path(FIXTURES / "101-leaf-resnet-head" / "log.txt").is_file()

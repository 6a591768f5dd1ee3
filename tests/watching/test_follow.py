"""One followed file, whatever happens to it; times are given, nothing waits."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dl_bug_lsp.watching.failure_detection import SIGNS, failure_in, first_marker
from dl_bug_lsp.watching.followed import (
    CHUNK,
    GOES_ON_LINES,
    GOES_ON_SECONDS,
    LARGEST,
    SETTLE,
    FollowedLog,
    LogFailure,
    Outcome,
    Recovered,
    Tail,
)

FAILURE = """Traceback (most recent call last):
  File "train.py", line {n}, in <module>
    main()
RuntimeError: größe {n} stimmt nicht
"""


def traceback(n: int = 1) -> bytes:
    return FAILURE.format(n=n).encode()


class Case:
    """A log with a clock of its own."""

    def __init__(self, path: Path, *, from_end: bool = False) -> None:
        self.path = path
        self.log = FollowedLog(str(path), path.name, from_end=from_end)
        self.now = 1000.0

    def look(self, seconds: float = 1.0) -> list[Outcome]:
        """Look until nothing is left to read, then judge once it has settled."""
        told: list[Outcome] = []
        more = True
        while more:
            ended, more = self.log.grow(self.now)
            told += [ended] if ended else []
        self.now += seconds
        if self.log.is_settled(self.now):
            found = self.log.judge(self.now)
            told += [found] if found else []
        return told

    def failures(self) -> list[LogFailure]:
        return [one for one in self.look() if isinstance(one, LogFailure)]


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path / "train.log")


def test_a_failure_is_told_once(case: Case) -> None:
    append(case.path, b"epoch 1\n" + traceback())
    (told,) = case.failures()
    assert told.source == "log:train.log"
    assert told.text == "epoch 1\n" + FAILURE.format(n=1)
    assert told.lines_before == 0
    append(case.path, b"wandb: synced\n")
    assert case.look() == []


def test_lines_long_after_a_message_are_no_part_of_it(case: Case) -> None:
    append(case.path, traceback())
    assert len(case.failures()) == 1
    append(case.path, b"  more of the message\n")
    assert len(case.failures()) == 1
    case.now += 60
    append(case.path, b"mean 2.2\n")
    assert case.look() == []


def test_a_traceback_is_not_judged_while_it_is_written(case: Case) -> None:
    lines = traceback().splitlines(keepends=True)
    for line in lines:
        append(case.path, line)
        assert case.look(SETTLE / 2) == []
    assert len(case.failures()) == 1


def test_a_log_that_never_rests_is_judged_all_the_same(case: Case) -> None:
    append(case.path, traceback())
    told = []
    for number in range(20):
        append(case.path, b"[rank1] still at work %d\n" % number)
        told += case.look(SETTLE / 2)
    assert len(told) == 1


def test_a_cause_that_comes_later_replaces_the_failure(case: Case) -> None:
    append(case.path, traceback(1))
    assert len(case.failures()) == 1
    between = b"\nDuring handling of the above exception, another exception occurred:\n\n"
    append(case.path, between + traceback(2))
    (told,) = case.failures()
    assert "größe 1" in told.text
    assert "größe 2" in told.text


def test_what_stood_there_before_is_no_news(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(traceback(1))
    case = Case(path, from_end=True)
    assert case.look() == []
    append(path, b"epoch 1\n")
    assert case.look() == []
    append(path, traceback(2))
    assert len(case.failures()) == 1


def test_a_recalled_log_tells_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(b"x\n" * 100_000 + traceback(1))
    case = Case(path, from_end=True)
    case.log.recall(case.now)
    (told,) = case.failures()
    assert 0 < told.lines_before < 100_000
    assert told.lines_before + told.text.count("\n") == 100_004


EMPTIED = {
    "emptied": lambda path: path.write_bytes(b""),
    "replaced": lambda path: (path.rename(path.with_suffix(".1")), path.write_bytes(b"")),
    "emptied and filled further": lambda path: path.write_bytes(b"new run\n" * 100),
    "replaced by a longer one": lambda path: (path.unlink(), path.write_bytes(b"new\n" * 500)),
}


@pytest.mark.parametrize("way", EMPTIED)
def test_a_new_run_takes_the_failure_back(case: Case, way: str) -> None:
    append(case.path, b"a\n" + traceback())
    assert len(case.failures()) == 1
    EMPTIED[way](case.path)
    assert case.look() == [Recovered("log:train.log")]
    append(case.path, traceback(7))
    (told,) = case.failures()
    assert "größe 7" in told.text
    assert "größe 1" not in told.text


def test_a_job_that_goes_on_and_on_survived(case: Case) -> None:
    append(case.path, traceback())
    assert len(case.failures()) == 1
    append(case.path, b"epoch\n" * (GOES_ON_LINES - 1))
    assert case.look(GOES_ON_SECONDS + 1) == []
    append(case.path, b"epoch\n")
    assert case.look() == [Recovered("log:train.log")]
    append(case.path, traceback(2))
    (told,) = case.failures()
    assert "größe 1" not in told.text


def test_a_deleted_log_s_failure_stands(case: Case) -> None:
    append(case.path, traceback())
    assert len(case.failures()) == 1
    case.path.unlink()
    assert case.look() == []


def test_a_folder_or_a_pipe_in_the_log_s_place_is_not_read(case: Case) -> None:
    append(case.path, b"epoch 1\n")
    assert case.look() == []
    case.path.unlink()
    case.path.mkdir()
    assert case.look() == []
    case.path.rmdir()
    os.mkfifo(case.path)
    assert case.look() == []
    case.path.unlink()
    append(case.path, traceback())
    assert len(case.failures()) == 1


def test_a_link_in_the_log_s_place_is_not_followed(case: Case, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(traceback())
    case.path.symlink_to(elsewhere)
    assert case.look() == []


def test_the_clock_may_move_back(case: Case) -> None:
    append(case.path, b"epoch 1\n")
    case.look()
    append(case.path, traceback())
    os.utime(case.path, (1, 1))
    assert len(case.failures()) == 1


def test_a_hole_is_jumped_over(case: Case) -> None:
    with case.path.open("wb") as file:
        file.seek(200 * CHUNK)
        file.write(b"\n" + traceback())
    (told,) = case.failures()
    assert len(told.text) < LARGEST
    assert told.text.endswith("stimmt nicht\n")


def test_progress_bars_do_not_hide_a_failure(case: Case) -> None:
    bar = b"".join(b"\r %d%%|###   | %d/100" % (n, n) for n in range(100))
    append(case.path, bar + b"\r" + traceback())
    (told,) = case.failures()
    assert "größe 1" in told.text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16"])
def test_logs_of_two_bytes_a_character_are_read(case: Case, encoding: str) -> None:
    text = "epoch\n" * 50_000 + FAILURE.format(n=3)
    case.path.write_bytes(text.encode(encoding))
    (told,) = case.failures()
    assert told.text.endswith("RuntimeError: größe 3 stimmt nicht\n")


def test_a_large_log_is_read_in_bounded_pieces(case: Case) -> None:
    case.path.write_bytes(b"epoch 1 loss 0.1\n" * 300_000 + traceback())
    assert case.path.stat().st_size > 4 * CHUNK
    (told,) = case.failures()
    assert len(told.text.encode()) <= LARGEST
    assert told.lines_before + told.text.count("\n") == 300_004


@pytest.mark.parametrize(
    "line",
    [
        "step 3 MeanSquaredError: 0.12 MeanAbsoluteError: 0.3",
        "2024-01-01 ERROR could not reach the tracking server, trying again",
        "epoch 3: 0 errors, no exception",
        "Killed 3 of 7 zombies",
        "INFO file not found in cache, downloading",
    ],
)
def test_words_of_healthy_logs_are_no_failure(case: Case, line: str) -> None:
    append(case.path, f"epoch 1\n{line}\nepoch 2 loss 0.1\n".encode())
    assert case.look() == []


def test_a_run_that_its_user_broke_off_is_no_failure(case: Case) -> None:
    append(case.path, traceback().replace(b"RuntimeError: ", b"KeyboardInterrupt"))
    assert [one for one in case.look() if "KeyboardInterrupt: " in getattr(one, "text", "")] == []
    append(case.path, b"\n")
    case.look()


@pytest.mark.parametrize("sign", SIGNS)
def test_signs_are_found_wherever_they_are_torn(sign: bytes) -> None:
    text = b"epoch 1\nRuntime" + sign + b" x\n"
    for cut in range(len(text) + 1):
        before, after = text[:cut], text[cut:]
        found = [first_marker(before), first_marker(after, before)]
        assert any(at is not None for at in found), cut


def test_a_binary_file_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "a.out"
    path.write_bytes(b"\x7fELF\x02" + traceback())
    tail = Tail(str(path), from_end=False)
    assert tail.look() is None
    assert tail.is_binary


NOTEBOOK = """{"cells": [{"cell_type": "code", "execution_count": %d, "metadata": {}, "outputs": [
{"output_type": "error", "ename": "ValueError", "evalue": "bad %d", "traceback": [
"---------------------------------------------------------------------------",
"ValueError                                Traceback (most recent call last)",
"Cell In[3], line 1\\n----> 1 raise ValueError('bad %d')", "ValueError: bad %d"]}],
"source": ["raise ValueError('bad %d')"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
"""


def test_a_notebook_s_error_is_told_when_it_is_new_and_taken_back_when_it_is_gone(
    tmp_path: Path,
) -> None:
    case = Case(tmp_path / "a.ipynb")
    case.path.write_text(NOTEBOOK % (1, 1, 1, 1, 1))
    assert len(case.failures()) == 1
    case.path.write_text(NOTEBOOK % (1, 1, 1, 1, 1) + "\n")
    assert case.look() == []
    case.path.write_text(NOTEBOOK % (2, 2, 2, 2, 2))
    assert len(case.failures()) == 1
    case.path.write_text('{"cells": []}')
    assert case.look() == [Recovered("log:a.ipynb")]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["lines", "failure", "bar", "empty", "rotate", "delete", "rewrite"]),
        st.integers(1, 5),
        st.booleans(),
    ),
    max_size=12,
)


@settings(max_examples=150, deadline=None)
@given(STEPS, st.integers(1, 400))
def test_any_way_of_writing_tells_what_reading_the_whole_tells(
    steps: list[tuple[str, int, bool]], piece: int
) -> None:
    """What is told last is the failure that stands in the file, however it came to be there."""
    with tempfile.TemporaryDirectory() as folder:
        case = Case(Path(folder, "train.log"))
        last: Outcome | None = None
        count = 0

        def look() -> None:
            nonlocal last
            last = (case.look() or [last])[-1]

        for kind, times, looks in steps:
            if kind == "empty":
                case.path.write_bytes(b"")
            elif kind == "rotate" and case.path.exists():
                case.path.rename(case.path.with_suffix(".1"))
            elif kind == "delete":
                case.path.unlink(missing_ok=True)
            for _ in range(times):
                count += 1
                data = {
                    "failure": traceback(count) + b"epoch %d\n" % count,
                    "bar": b"\r%d%% \xc3\xa9" % count,
                }.get(kind, b"epoch %d loss 0.%d\n" % (count, count))
                if kind == "rewrite":
                    case.path.write_bytes(data * 3)
                    continue
                for at in range(0, len(data), piece):
                    append(case.path, data[at : at + piece])
                    if looks:
                        look()
        look()
        content = case.path.read_bytes() if case.path.exists() else b""
        expected = failure_in(content)
        told = last if isinstance(last, LogFailure) else None
        assert (told is not None) == (expected is not None)
        if told is not None:
            seen = failure_in(told.text.encode(), told.lines_before)
            assert seen == failure_in(content)


def test_a_failure_that_comes_again_after_another_is_the_newest(tmp_path: Path) -> None:
    case = Case(tmp_path / "train.log")
    told = []
    for n in (1, 2, 1, 1, 2):
        with case.path.open("ab") as file:
            file.write(b"epoch 1\n" + traceback(n))
        told.append([(one.lines_before, one.text.count("Error")) for one in case.failures()])
    # Each but the repeated one; from the third on without the runs before.
    assert told == [[(0, 1)], [(0, 2)], [(10, 1)], [], [(10, 3)]]

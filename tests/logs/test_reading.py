"""Logs in any state become clean, numbered lines of known processes."""

from __future__ import annotations

import json

import pytest

from dl_bug_lsp.logs import Process, read_log, read_log_chunks
from dl_bug_lsp.logs.prefixes import split_record

TRACE = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: ü\n'


def texts(data: bytes | str) -> list[str]:
    return [line.text for line in read_log(data).lines]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"]
)
def test_encodings(encoding: str) -> None:
    assert texts(TRACE.encode(encoding)) == TRACE.splitlines()


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\r\nb\r\n", ["a", "b"]),
        ('File \x1b[35m"/p/a.py"\x1b[0m, line \x1b[35m1\x1b[0m2', ['File "/p/a.py", line 12']),
        ("\x1b]8;;file:///p/a.py\x1b\\a.py\x1b]8;;\x1b\\:3", ["a.py:3"]),
        ("\x1b]0;title\x07text", ["text"]),
        ("  0%| | 0/9\r 50%|█| 5/9\r100%|██| 9/9\n", ["100%|██| 9/9"]),
        ("\r 10%|█| 1/9\rError: lost\r 20%|██| 2/9", ["Error: lost", " 20%|██| 2/9"]),
        ("abX\bc", ["abc"]),
        ("a\x00b\x7fc\td", ["abc\td"]),
        ("\\x1b[31mred\\x1b[0m", ["red"]),
        ("^[[31mred^[[0m \u2190[1mbold\u2190[0m \u241b[4mline\u241b[0m", ["red bold line"]),
        ("[0;31mKeyError[0m: [38;5;241m.[39mx", ["KeyError: .x"]),
        ("[2m[36m(f pid=7)[0m a\n[36m(f pid=7)[0m b", ["a", "b"]),
        (
            "epoch 1 [0m 31s] loss\nepoch 2 [31m 02s] loss\nx = t[0]",
            ["epoch 1 [0m 31s] loss", "epoch 2 [31m 02s] loss", "x = t[0]"],
        ),
        ("only one [31mcode[0m", ["only one [31mcode[0m"]),
        ("", []),
        ("\n\nx", ["", "", "x"]),
    ],
)
def test_terminal(raw: str, clean: list[str]) -> None:
    assert texts(raw) == clean


@pytest.mark.parametrize(
    ("prefix", "process"),
    [
        ("[rank3]: ", Process(3)),
        ("[default1]:[rank5]: ", Process(5)),
        ("[1,2]<stderr>:", Process(2)),
        ("[worker-3]: ", Process(3)),
        ("7: ", Process(7)),
        ("[7]: ", Process(7)),
        ("(trial pid=8, ip=10.0.0.1) ", Process(None, "10.0.0.1", "trial pid=8, ip=10.0.0.1")),
        ("2026-11-21T10:00:00.1Z stderr F ", None),
        ("2026-11-21 10:00:00,123 - trainer - ERROR - ", None),
        ("[2026-11-21 10:00:00] ", None),
        ("Nov 21 10:00:00 node7 python[811]: ", None),
        ("rank 2 | ", Process(2)),
        ("trainer-worker-0 main ", Process(0)),
        ("\x1b[36mtrainer-1  |\x1b[0m ", Process(None, None, "trainer-1")),
    ],
)
def test_prefixes(prefix: str, process: Process | None) -> None:
    log = read_log("".join(f"{prefix}{line}\n" for line in TRACE.splitlines()))
    assert [line.text for line in log.lines] == TRACE.splitlines()
    assert {line.process for line in log.lines} == {process}


def test_prefix_with_changing_times_and_levels() -> None:
    log = read_log(
        "10:00:01 INFO     | epoch 1\n"
        "10:00:02 ERROR    | Traceback (most recent call last):\n"
        '10:00:02 ERROR    |   File "a.py", line 3, in f\n'
        "10:00:03 CRITICAL | ValueError: x\n"
    )
    assert [line.text for line in log.lines][1:] == [
        "Traceback (most recent call last):",
        '  File "a.py", line 3, in f',
        "ValueError: x",
    ]


def test_a_record_before_one_header_is_no_prefix() -> None:
    text = "10:00:00 ERROR Traceback (most recent call last):\n" + '  File "a.py", line 3\nE: x\n'
    assert texts(text)[1] == '  File "a.py", line 3'


@pytest.mark.parametrize("size", [1, 40_000])
def test_docker_lines_are_unwrapped_and_joined(size: int) -> None:
    long = "x" * size
    cut = [long[at : at + 16_384] for at in range(0, size, 16_384)]
    rows = [{"log": part, "stream": "stderr", "time": "t"} for part in cut]
    rows[-1]["log"] += "\n"
    rows.append({"log": "\x1b[31mEnd\x1b[0m\n", "stream": "stderr", "time": "t"})
    log = read_log("\n".join(json.dumps(row) for row in rows))
    assert [line.text for line in log.lines] == [long, "End"]
    assert log.lines[-1].number == len(rows)


def test_json_records_keep_their_level_and_rank() -> None:
    rows = [
        {"message": "epoch 1", "levelname": "INFO", "rank": 1},
        {"message": "failed", "levelname": "ERROR", "rank": 1, "exc_info": TRACE},
    ]
    log = read_log("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n")
    assert [line.text for line in log.lines] == [
        "INFO: epoch 1",
        "ERROR: failed",
        *TRACE.splitlines(),
    ]
    assert {line.process for line in log.lines} == {Process(1)}
    assert [line.number for line in log.lines] == [1, 2, 2, 2, 2]


FRAME = {"filename": "a.py", "lineno": 3, "name": "run"}
CHAINED = [
    {"exc_type": "RuntimeError", "exc_value": "bad row", "is_cause": False, "frames": [FRAME]},
    {"exc_type": "KeyError", "exc_value": "'x'", "is_cause": True, "frames": [FRAME]},
]
WRITTEN = ["Traceback (most recent call last):", '  File "a.py", line 3, in run']


@pytest.mark.parametrize(
    ("record", "shown"),
    [
        ({"msg": "job failed", "exc": TRACE}, ["job failed", *TRACE.splitlines()]),
        ({"body": "no", "attributes": {"exception.stacktrace": TRACE}}, ["no", *TRACE.split("\n")]),
        ({"level": "error", "msg": "left", "err": "no route"}, ["ERROR: left: no route"]),
        ({"level": "info", "msg": "left", "err": "no route"}, ["INFO: left"]),
        ({"msg": "left", "error": "ValueError: ü"}, ["left", "ValueError: ü"]),
        (
            {
                "errorType": "KeyError",
                "errorMessage": "'x'",
                "stackTrace": ['  File "a.py", line 3'],
            },
            [WRITTEN[0], '  File "a.py", line 3', "KeyError: 'x'"],
        ),
        (
            {"event": "no", "exception": CHAINED},
            [
                "no",
                *WRITTEN,
                "KeyError: 'x'",
                "The above exception was the direct cause of the following exception:",
                *WRITTEN,
                "RuntimeError: bad row",
            ],
        ),
        (
            {
                "exception": {
                    "values": [{"type": "E", "value": "v", "stacktrace": {"frames": [FRAME]}}]
                }
            },
            [*WRITTEN, "E: v"],
        ),
        ({"type": "shot", "frames": [{"file": "a.png"}], "msg": "saved"}, ["saved"]),
    ],
    ids=lambda value: str(list(value)) if isinstance(value, dict) else "",
)
def test_errors_in_the_fields_of_json_records(record: dict[str, object], shown: list[str]) -> None:
    lines = json.dumps({"msg": "begun"}) + "\n" + json.dumps(record) + "\n"
    log = read_log(lines)
    found = [line.text for line in log.lines if line.text.strip()]
    assert found == ["begun", *(text for text in shown if text)]
    assert {line.number for line in log.lines[1:]} == {2}
    if WRITTEN[0] in shown:
        alone = read_log(json.dumps(record, indent=1)).lines
        stack = [text for text in shown[shown.index(WRITTEN[0]) :] if text]
        assert [line.text for line in alone if line.text.strip()] == stack


def test_a_rank_within_the_name_of_a_process() -> None:
    log = read_log("(Worker rank=5 pid=22) boom\n(Worker pid=23) boom\n")
    assert [line.process and line.process.rank for line in log.lines] == [5, None]
    assert {line.text for line in log.lines} == {"boom"}


@pytest.mark.parametrize(
    ("line", "level", "rest"),
    [
        ("2026-11-21 10:00:00,123 - root - ERROR - boom", "ERROR", "boom"),
        ("E1121 10:00:00.123456 4242 loop.cc:17] boom", "ERROR", "boom"),
        ("WARNING:root:boom", "WARNING", "boom"),
        ("[2026-11-21 10:00:00,1][train][INFO] - boom", "INFO", "boom"),
        ("ERROR 07-11 02:38:55 [core.py:511]     y = f(x)", "ERROR", "    y = f(x)"),
        ("boom", None, "boom"),
        ("ERROR boom", None, "ERROR boom"),
    ],
)
def test_split_record(line: str, level: str | None, rest: str) -> None:
    assert split_record(line) == (level, rest)


def test_a_large_text_keeps_what_matters_with_its_line_numbers() -> None:
    filler = "2026-11-21 10:00:00,123 step 12 all is well here\n"
    metric = "epoch 3 loss 0.25\n"
    text = filler * 60_000 + TRACE + filler * 60_000 + metric + filler * 30_000
    log = read_log(text.encode())
    kept = {line.number: line.text for line in log.lines}
    assert kept[60_003] == "ValueError: ü"
    assert kept[120_004] == metric.strip()
    assert len(log.lines) < 30_000
    assert log.total_lines == 150_005
    assert "large" in log.problems[0]


def test_a_stream_in_odd_pieces_reads_like_the_whole() -> None:
    data = ("step all is well\n" * 400_000 + TRACE).encode()
    pieces = (data[at : at + 999_983] for at in range(0, len(data), 999_983))
    assert read_log_chunks(pieces).lines[-3:] == read_log(data).lines[-3:]
    assert read_log_chunks(iter([b"a\n", b"b\n"])).lines == read_log("a\nb\n").lines


@pytest.mark.parametrize("head", ["[2026-11-21 18:03:5{},798][INFO] ", "[2026-11-21 18:03][{}] "])
def test_times_in_brackets_are_not_cut_in_the_middle(head: str) -> None:
    lines = [f"{head.format(n)}epoch {n}/6 train_loss={n}.5" for n in range(6)]
    assert all(text.startswith(("[2026", "epoch")) for text in texts("\n".join(lines)))

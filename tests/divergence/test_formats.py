"""Stacks, flight records and words of single ranks, in the forms that tools write."""

from __future__ import annotations

import json
import pickle
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dl_bug_lsp.divergence import joined, read_divergence, transcript
from dl_bug_lsp.divergence.rank_files import NotPlainError, ranks_of, read_plain
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.tracebacks import Failure, read_failures
from dl_bug_lsp.tracebacks.failures import Activity, Divergence

TORCH = "/opt/venv/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py"


def primary(text: str | bytes) -> Failure:
    log = read_log(text)
    reading = read_divergence(log, read_failures(log))
    found = next((failure for failure in reading.failures if failure.primary), None)
    assert found is not None
    return found


def divergence(text: str | bytes) -> Divergence:
    found = primary(text).divergence
    assert found is not None
    return found


def waits(rank: int, line: int, operation: str = "all_reduce") -> str:
    return (
        f"[rank{rank}]: Thread 0x00007f719acadb80 (most recent call first):\n"
        f'[rank{rank}]:   File "{TORCH}", line 3252 in {operation}\n'
        f'[rank{rank}]:   File "/job/train.py", line {line} in step\n'
        f'[rank{rank}]:   File "/job/train.py", line 40 in <module>\n'
    )


def test_the_rank_in_another_line_is_apart() -> None:
    text = "".join(waits(rank, 31) for rank in (0, 1, 3)) + waits(2, 19, "barrier")
    found = divergence(text)
    assert (found.apart, found.is_certain, found.size) == ((2,), True, 4)
    assert {s.operation for s in found.states} == {"all_reduce", "barrier"}
    words = primary(text).evidence
    assert words == (
        "Ranks 0, 1 and 3 wait in all_reduce at train.py:31, in step; "
        "rank 2 waits in barrier at train.py:19, in step"
    )


def test_the_main_thread_of_a_dump_is_the_last() -> None:
    other = (
        "[rank1]: Thread 0x00007f0000000001 (most recent call first):\n"
        '[rank1]:   File "/usr/lib/python3.11/threading.py", line 331 in wait\n'
        '[rank1]:   File "/job/log.py", line 5 in flush\n[rank1]: \n'
    )
    found = divergence(waits(0, 31) + other + waits(1, 31))
    assert {frame.file for state in found.states for frame in state.frames} == {
        TORCH,
        "/job/train.py",
    }
    assert found.apart == ()


def test_a_rank_whose_process_is_gone_is_apart() -> None:
    found = divergence(
        "[dl-bug-lsp] hang: no output and no progress for 9 s; stacks of 2 processes follow\n"
        + "[rank0]: [dl-bug-lsp] stacks of process 11: python train.py\n"
        + waits(0, 31)
        + "[rank1]: [dl-bug-lsp] process 12 has ended\n[dl-bug-lsp] end of the stacks\n"
    )
    assert found.apart == (1,)
    assert [state.doing for state in found.states] == [Activity.WAITS, Activity.ENDED]


SPY = """Process {pid}: python -u main.py
Python v3.11.7 (/opt/venv/bin/python3.11)

Thread {pid} (idle): "MainThread"
{frames}
Thread 99 (idle): "pt_monitor"
    wait (threading.py:331)
"""


def test_py_spy_text_of_two_files_is_one_job() -> None:
    first = SPY.format(
        pid=7,
        frames="    broadcast (torch/distributed/distributed_c10d.py:3151)\n"
        "    <module> (main.py:9)",
    )
    second = SPY.format(pid=8, frames="    wait_for (worker/files.py:9)\n    <module> (main.py:8)")
    found = divergence(joined([("d/rank0.txt", first.encode()), ("d/rank1.txt", second.encode())]))
    assert found.apart == (1,)
    states = {state.rank: (state.doing, state.frames[-1].line) for state in found.states}
    assert states == {0: (Activity.WAITS, 3151), 1: (Activity.RUNS, 9)}


def test_py_spy_json_is_read_as_its_text() -> None:
    frames = [
        {"name": "barrier", "filename": TORCH, "short_filename": "x", "line": 4, "locals": None},
        {"name": "<module>", "filename": "/job/a.py", "line": 3},
    ]
    threads = [{"pid": 5, "thread_id": 140, "thread_name": "MainThread", "frames": frames}]
    text = transcript(json.dumps(threads).encode())
    assert text is not None
    assert b'File "/job/a.py", line 3 in <module>' in text
    assert b"[MainThread] (most recent call first):" in text


def record(name: str, seq: int, sizes: object) -> dict[str, object]:
    entry = {
        "profiling_name": f"nccl:{name}",
        "collective_seq_id": seq,
        "is_p2p": False,
        "state": "started",
        "retired": False,
        "process_group": ("0", "default_pg"),
        "input_sizes": sizes,
        "input_dtypes": ["Float"],
    }
    group = {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2]"}
    return {"version": "2.9", "pg_config": {"0": group}, "entries": [entry]}


@pytest.mark.parametrize("as_pickle", [True, False])
def test_flight_records_name_the_rank_that_called_something_else(as_pickle: bool) -> None:
    files = []
    for rank, name in enumerate(("all_reduce", "all_gather", "all_reduce")):
        document = record(name, 3, [[7]])
        data = pickle.dumps(document, 2) if as_pickle else json.dumps(document).encode()
        files.append((f"nccl_trace_rank_{rank}", data))
    found = divergence(joined(files))
    assert (found.apart, found.differs, found.size) == ((1,), "operation", 3)


def test_flight_records_tell_who_has_begun_fewer_collectives() -> None:
    files = [
        (f"trace_rank_{rank}", json.dumps(record("all_reduce", seq, [[7]])).encode())
        for rank, seq in enumerate((12, 9, 12))
    ]
    assert divergence(joined(files)).apart == (1,)


class Called:
    """What unpickling would call."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (print, ("unpickled",))


@pytest.mark.parametrize("protocol", range(6))
def test_plain_pickles_are_read(protocol: int) -> None:
    value = {"a": [1, 2.5, None, True, (1, 2), "x"], "b": {}, 3: [], "big": 2**70}
    assert read_plain(pickle.dumps(value, protocol)) == value


@pytest.mark.parametrize("protocol", range(6))
def test_pickles_that_call_anything_are_refused(
    protocol: int, capsys: pytest.CaptureFixture[str]
) -> None:
    for value in (Called(), {"entries": [Called()]}, Path("/"), {1, 2}, pytest):
        with pytest.raises((NotPlainError, TypeError)):
            read_plain(pickle.dumps(value, protocol))
        if not isinstance(value, type(pytest)):
            assert transcript(pickle.dumps(value, protocol)) is None
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("cut", range(0, 60, 3))
def test_broken_pickles_are_refused(cut: int) -> None:
    with pytest.raises(NotPlainError):
        read_plain(pickle.dumps({"entries": [{"a": 1}], "x": "y" * 40})[:cut])


def test_ranks_of_file_names() -> None:
    assert ranks_of(["rank1.txt", "rank0.txt"]) == [1, 0]
    assert ranks_of(["attempt_0/2/stderr.log", "attempt_0/10/stderr.log"]) == [2, 10]
    assert ranks_of(["nccl_trace_rank_3", "nccl_trace_rank_4"]) == [3, 4]
    assert ranks_of(["a.log", "b.log"]) == [0, 1]
    assert ranks_of(["x7.log", "y7.log"]) == [0, 1]


DETAIL = (
    "[rank{rank}]: Traceback (most recent call last):\n"
    '[rank{rank}]:   File "/job/sync.py", line 9, in <module>\n'
    "[rank{rank}]:     dist.all_reduce(x)\n"
    "[rank{rank}]: RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running "
    "collective: CollectiveFingerPrint(SequenceNumber=4, OpType=ALLREDUCE, TensorShape=[5], "
    "TensorDtypes=Float, TensorDeviceTypes=x), but Rank 1 is running collective: "
    "CollectiveFingerPrint(SequenceNumber=4, OpType=ALLREDUCE, TensorShape=[6], "
    "TensorDtypes=Float, TensorDeviceTypes=x).\n"
)


def test_detail_says_that_shapes_differ() -> None:
    found = divergence(DETAIL.format(rank=0) + DETAIL.format(rank=1))
    assert (found.differs, found.apart, found.is_certain) == ("shape", (1,), False)
    assert found.states[1].detail == "[6] Float"


WATCHDOG = (
    "[rank{rank}]:[E ProcessGroupNCCL.cpp:629] [Rank {rank}] Watchdog caught collective operation "
    "timeout: WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn=3, NumelOut=3, Timeout(ms)=600000) ran "
    "for 600012 milliseconds before timing out.\n"
)


def test_the_nccl_watchdog_names_the_rank_in_another_collective() -> None:
    ops = ("ALLREDUCE", "ALLREDUCE", "BROADCAST")
    text = "".join(WATCHDOG.format(rank=rank, seq=8, op=op) for rank, op in enumerate(ops))
    found = divergence(text)
    assert found.apart == (2,)
    assert found.states[0].count == 8


def test_monitored_barrier_names_who_is_missing() -> None:
    text = (
        "[rank0]: Traceback (most recent call last):\n"
        '[rank0]:   File "/job/index.py", line 9, in <module>\n[rank0]:     go()\n'
        "[rank0]: RuntimeError: [Rank 0]: Ranks 2, 3 failed to pass monitoredBarrier in 5000 ms\n"
    )
    assert divergence(text).apart == (2, 3)


def test_horovod_names_the_missing_ranks() -> None:
    text = (
        "[1,0]<stderr>:[2026-01-01 10:00:00.0: W stall_inspector.cc:107] One or more tensors were "
        "submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for "
        "remainder of ranks for more than 60 seconds. \n"
        "[1,0]<stderr>:Missing ranks:\n"
        "[1,0]<stderr>:1: [DistributedAllreduce_gradient_0, DistributedAllreduce_gradient_1]\n"
        "[1,0]<stderr>:3: [DistributedAllreduce_gradient_0]\n"
    )
    assert divergence(text).apart == (1, 3)


def test_jax_names_the_tasks_that_did_not_come() -> None:
    text = (
        "jaxlib._jax.XlaRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Id: end::0. This "
        "usually happens because a task triggered the barrier too early or too slowly.\n"
        "# of tasks that reached the barrier: 1/2.\n"
        "The first task at the barrier: /job:jax_worker/replica:0/task:0.\n"
        "Some timed out task names:\n/job:jax_worker/replica:0/task:1\n"
    )
    assert divergence(text).apart == (1,)


def test_an_exception_of_one_rank_stays_the_failure() -> None:
    text = (
        "[rank1]: Traceback (most recent call last):\n"
        '[rank1]:   File "/job/train.py", line 9, in <module>\n[rank1]:     x = table["a"]\n'
        "[rank1]: KeyError: 'a'\n"
        "[rank0]: Traceback (most recent call last):\n"
        '[rank0]:   File "/job/train.py", line 30, in <module>\n[rank0]:     dist.barrier()\n'
        "[rank0]: RuntimeError: [gloo/transport/tcp/pair.cc:538] Connection closed by peer\n"
    )
    found = primary(text)
    assert found.divergence is None
    assert found.evidence == "KeyError: 'a'"


def test_the_crash_of_one_process_is_no_divergence() -> None:
    text = (
        "Fatal Python error: Segmentation fault\n\n"
        "Thread 0x00007f719acadb80 (most recent call first):\n"
        '  File "/usr/lib/python3.11/threading.py", line 331 in wait\n\n'
        "Current thread 0x00007f719acadb81 (most recent call first):\n"
        '  File "/job/train.py", line 3 in <module>\n'
    )
    assert primary(text).divergence is None


WORDS = st.sampled_from(
    [
        "[rank0]: ", "[rank7]: ", "[rank99999]: ", "[dl-bug-lsp] hang: x",
        "[dl-bug-lsp] stacks of process 5", "[dl-bug-lsp] process 6 has ended",
        "Thread 0x00007f719acadb80 (most recent call first):", "Current thread 0x1 [MainThread] ",
        f'  File "{TORCH}", line 3 in all_reduce', '  File "a.py", line 3 in f',
        "Timeout (0:00:01)!",
        "Process 7: python", "Python v3.11", 'Thread 7 (idle): "MainThread"', "    f (a.py:3)",
        "[flight recorder] gloo:barrier seq=3 p2p=False state=x retired=False group=0 sizes=?"
        " dtypes=?",
        "[flight recorder] ranks 0 1 99999", "Missing ranks:", "3: [a, b", "subset of ranks",
        "Rank 3 is running collective: CollectiveFingerPrint(OpType=A, TensorShape=[1])",
        "Ranks 1, 2 failed to pass monitoredBarrier", "Barrier timed out", "/job:w/task:4",
        "RuntimeError: Timed out waiting 3ms for recv", "op.preamble.length <= op.nbytes",
        "Traceback (most recent call last):", '{"entries": [{"frames": 3}]}', "\n", "\x80\x02}",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=30).map("".join) | st.lists(WORDS, max_size=30).map("\n".join))
def test_nothing_that_a_log_says_is_too_much(text: str) -> None:
    data = transcript(text.encode()) or text.encode()
    log = read_log(joined([("rank0", data), ("rank3", data)]))
    for one in (log, read_log(data)):
        reading = read_divergence(one, read_failures(one))
        assert sum(failure.primary for failure in reading.failures) <= 1


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60) | st.binary(max_size=60).map(lambda data: b"\x80\x04" + data))
def test_no_bytes_are_too_much(data: bytes) -> None:
    transcript(data)
    with suppress(NotPlainError):
        read_plain(data)

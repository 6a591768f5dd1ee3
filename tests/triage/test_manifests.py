"""Manifests of jobs in every format, and what is odd in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from job_logs import failing

from dl_bug_lsp.triage import TriageError, triage
from dl_bug_lsp.triage.manifests import (
    Job,
    JobsOfLogs,
    expand_nodes,
    from_table,
    looks_like_manifest,
    merged,
    read_manifest,
    to_table,
)
from dl_bug_lsp.triage.sources import listing

Write = Callable[[str, "str | bytes"], Path]
PARSABLE = """\
JobID|JobName|User|Partition|NodeList|AllocTRES|Start|End|ExitCode|State
4210|unet|ann|gpu|gpu[01-03]|billing=8,cpu=8,gres/gpu=4,gres/gpu:a100=4,mem=64G|2026-11-02T10:00:00|2026-11-02T12:00:00|1:0|FAILED
4210.batch|batch||||cpu=8|2026-11-02T10:00:00|2026-11-02T12:00:00|1:0|FAILED
4210.0|python||||cpu=8|2026-11-02T10:00:00|2026-11-02T12:00:00|1:0|FAILED
4211_3|sweep|ben|gpu|gpu07|cpu=8,gres/gpu=1|2026-11-02T10:00:00|2026-11-02T10:30:00|0:9|OUT_OF_MEMORY
4212|ok|ben|gpu|gpu07|cpu=8|2026-11-02T10:00:00|2026-11-02T10:30:00|0:0|COMPLETED
4213|late|ben|gpu|None assigned||Unknown|Unknown|0:0|PENDING
4214|mine|ben|gpu|gpu07|cpu=8|2026-11-02T10:00:00|2026-11-02T10:30:00|0:0|CANCELLED by 1000
"""
TABLE = """\
JobID           JobName  Partition    Account  AllocCPUS      State ExitCode
------------ ---------- ---------- ---------- ---------- ---------- --------
4210               unet        gpu       ann          8     FAILED      1:0
4210.batch        batch                  ann          8     FAILED      1:0
4212                 ok        gpu       ben          8  COMPLETED      0:0
"""


def jobs(file: Path) -> list[Job]:
    return read_manifest(listing([str(file)]).sources[0]).jobs


def test_sacct_as_it_comes(write: Write) -> None:
    unet, sweep, ok, late, mine = jobs(write("sacct.txt", PARSABLE))
    assert unet.hosts == ("gpu01", "gpu02", "gpu03")
    assert (unet.gpus, unet.exit, unet.failed, unet.gpu_hours) == (4, 1, True, 8.0)
    assert (sweep.id, sweep.exit, sweep.failed) == ("4211_3", 137, True)
    assert (ok.failed, ok.gpus, late.failed, late.hosts) == (False, 0, None, ())
    assert mine.failed is True
    wide = jobs(write("sacct.out", TABLE))
    assert [(job.id, job.user, job.failed) for job in wide] == [
        ("4210", "ann", True),
        ("4212", "ben", False),
    ]


def test_csv_json_lines_and_parquet(write: Write, tmp_path: Path) -> None:
    text = (
        "job id;user;node;gpus;started_at;ended_at;exit_code\n7;ann;h1;2;1790000000;1790003600;1\n"
    )
    lines = (
        '{"job_id": 7, "user": "ann", "hosts": ["h1"], "gpus": 2, "start": 1790000000, '
        '"end": 1790003600.0, "exit": 1}\nno json\n'
    )
    table = pa.table({
        "JobID": [7.0], "owner": ["ann"], "machine": ["h1"], "num_gpus": [2],
        "start_time": pa.array([1_790_000_000_000_000], pa.timestamp("us", "UTC")),
        "end_time": pa.array([1_790_003_600_000_000], pa.timestamp("us", "UTC")), "rc": [1],
    })  # fmt: skip
    pq.write_table(table, tmp_path / "jobs.parquet")
    for file in (write("j.csv", text), write("j.jsonl", lines), tmp_path / "jobs.parquet"):
        (job,) = jobs(file)
        assert (job.id, job.user, job.hosts, job.gpus, job.exit) == ("7", "ann", ("h1",), 2, 1)
        assert (job.start, job.end, job.gpu_hours) == (1.79e9, 1_790_003_600.0, 2.0)
        assert looks_like_manifest(listing([str(file)]).sources[0])


@pytest.mark.parametrize(
    "text", ["", "a,b\n1,2\n", "\0\0\0", "{", "PAR1 no parquet", "job_id\n", '{"x": 1}\n']
)
def test_what_is_no_manifest_is_named(write: Write, text: str) -> None:
    read = read_manifest(listing([str(write("jobs.csv", text))]).sources[0])
    assert read.jobs == []
    assert len(read.problems) == 1


def test_clocks_that_differ(write: Write) -> None:
    text = "job_id,start,end,exit_code,gpus\n1,1790000000,1780000000,1,8\n2,4790000000,,1,8\n"
    read = read_manifest(listing([str(write("jobs.csv", text))]).sources[0])
    assert [job.seconds for job in read.jobs] == [None, None]
    assert any("1 jobs end before they start" in said for said in read.problems)
    assert any("start in the future" in said for said in read.problems)


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("a,b", ("a", "b")),
        ("gpu[1-3,7]", ("gpu1", "gpu2", "gpu3", "gpu7")),
        ("n[08-10].x,m1", ("n08.x", "n09.x", "n10.x", "m1")),
        ("x[1-", ()),
        ("", ()),
    ],
)
def test_short_lists_of_nodes(short: str, long: tuple[str, ...]) -> None:
    assert expand_nodes(short) == long
    assert len(expand_nodes("n[0-999999999]")) == 10_000


def test_logs_find_their_jobs() -> None:
    of = JobsOfLogs([
        Job("4210", end=100.0, start=1.0), Job("4210", end=900.0, start=500.0),
        Job("77", log="out/a/train.log"), Job("sweep-a1"),
    ])  # fmt: skip
    assert (of.of("/x/slurm-4210.out", 890.0) or Job("")).start == 500.0
    assert of.ambiguous == 1
    assert (of.of("/data/out/a/train.log", None) or Job("")).id == "77"
    assert (of.of("/data/sweep-a1/rank0.log", None) or Job("")).id == "sweep-a1"
    assert of.of("/data/other/77.txt", None) == Job("77", log="out/a/train.log")
    assert of.of("/data/step_77/other.log", None) is None


def test_jobs_are_kept_as_a_table() -> None:
    some = [Job("1", hosts=("a", "b"), gpus=2, start=1.0, exit=0), Job("2", state="FAILED")]
    assert from_table(to_table(some)) == some
    assert merged(some, [Job("2", state="COMPLETED")])[1].state == "COMPLETED"
    assert len(merged([Job("1")], [Job("1", start=5.0)])) == 1


def test_a_manifest_among_the_paths(write: Write, tmp_path: Path) -> None:
    write("logs/slurm-4210.out", failing())
    write("logs/slurm-4212.out", failing())
    write("logs/slurm-4211_3.out", "epoch 1\n")
    manifest = write("sacct.txt", PARSABLE)
    result = triage([tmp_path / "logs", manifest])
    assert (result.jobs, result.failed_jobs, result.failures) == (5, 3, 1)
    assert result.failed_silently == 1
    ids = {group.id: group for group in result.groups}
    assert ids["state-out-of-memory"].category == "cpu_out_of_memory"
    group = next(group for group in result.groups if group.exception == "RuntimeError")
    assert (group.users, group.hosts) == (("ann",), ("gpu01", "gpu02", "gpu03"))
    assert group.gpu_hours == 8.0
    assert any("survived" in note for note in result.notes)


def test_a_manifest_that_is_not_there_is_an_error(write: Write, tmp_path: Path) -> None:
    write("logs/slurm-4210.out", failing())
    with pytest.raises(TriageError, match=r"gone\.csv"):
        triage([tmp_path / "logs"], manifests=[tmp_path / "gone.csv"])

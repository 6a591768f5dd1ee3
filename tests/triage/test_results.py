"""Counting: hosts against scipy, retries, hours, what is new."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from scipy.stats import false_discovery_control, hypergeom

from dl_bug_lsp.triage.hosts import HostJob, bad_hosts, can_tell
from dl_bug_lsp.triage.manifests import Job
from dl_bug_lsp.triage.results import Group, TriageResult, result_of, to_json
from dl_bug_lsp.triage.running import SCHEMA


def rows(*logs: dict[str, object]) -> pa.Table:
    known = {
        "source": "s", "token": "t", "size": 1, "lines": 1, "unread": "", "note": "", "group": "",
        "kind": "exception", "exception": "ValueError", "message": "m", "exact": True,
        "category": "illegal_argument", "dimension": "general_code_error", "origin": "intrinsic",
        "retry_may_help": False, "framework": "torch", "places": [], "line": 3, "modified": 0.0,
    }  # fmt: skip
    return pa.Table.from_pylist([{**known, **log} for log in logs], SCHEMA)


def group(result: TriageResult, id: str) -> Group:
    return next(group for group in result.groups if group.id == id)


def test_the_tail_and_its_correction_are_scipys() -> None:
    rng = random.Random(4)
    jobs = [
        HostJob(f"h{n % 40}", "", rng.random() < (0.9 if n % 40 == 7 else 0.2)) for n in range(1200)
    ]
    total, failed = len(jobs), sum(job.failed for job in jobs)
    expected = {}
    for host in {job.host for job in jobs}:
        own = [job.failed for job in jobs if job.host == host]
        expected[host] = float(hypergeom.sf(sum(own) - 1, total, failed, len(own)))
    corrected = dict(zip(expected, false_discovery_control(list(expected.values())), strict=True))
    found = {host.host: host for host in bad_hosts(jobs, 1.0)}
    assert found["h7"].p == pytest.approx(expected["h7"], rel=1e-6)
    for name, host in found.items():
        assert host.q == pytest.approx(corrected[name], rel=1e-6)
    assert [host.host for host in bad_hosts(jobs)] == ["h7"]


def test_queues_are_strata() -> None:
    """A host of a queue in which everything fails is no worse than its neighbours."""
    rng = random.Random(1)
    jobs = [HostJob(f"debug{n % 10}", "debug", rng.random() < 0.8) for n in range(400)]
    jobs += [HostJob(f"gpu{n % 200}", "gpu", rng.random() < 0.05) for n in range(20_000)]
    assert bad_hosts(jobs) == []
    assert bad_hosts([HostJob(j.host, "", j.failed) for j in jobs]) != []


def test_a_broken_program_sent_again_and_again_makes_no_bad_host() -> None:
    rng = random.Random(2)
    jobs = [HostJob(f"h{n % 50}", "", rng.random() < 0.1) for n in range(2500)]
    jobs += [HostJob("h3", "", True, "ann\nabc") for _ in range(60)]
    assert bad_hosts(jobs) == []
    assert [h.host for h in bad_hosts([HostJob(j.host, "", j.failed) for j in jobs])] == ["h3"]


def test_chance_alone_names_hardly_any_host() -> None:
    named = 0
    for seed in range(20):
        rng = random.Random(seed)
        jobs = [HostJob(f"h{rng.randrange(300)}", "", rng.random() < 0.2) for _ in range(6000)]
        named += len(bad_hosts(jobs))
    assert named <= 1


def attempt(id: str, start: float, code: int, **more: object) -> Job:
    known = {"name": "unet", "user": "ann", "gpus": 2, "end": start + 3600, "queue": "q"}
    return Job(id, start=start, exit=code, **{**known, **more})  # type: ignore[arg-type]


def test_retries_hours_and_times() -> None:
    jobs = [
        attempt("1001", 0.0, 1),
        attempt("1002", 4000.0, 1),
        attempt("1003", 8000.0, 0),
        attempt("1004", 20_000.0, 1, user="ben", end=20_030.0),
        attempt("1005", 30_000.0, 1, user="ben"),
        attempt("1006", 9e6, 1, user="ben"),
    ]
    table = rows(
        *({"log": f"job_{id}.log", "group": "aa"} for id in (1001, 1002)),
        {"log": "job_1002.err", "group": "aa"},
        {"log": "job_1003.log"},
        {"log": "job_1004.log", "group": "bb", "category": "cpu_out_of_memory"},
        {"log": "job_1005.log", "group": "bb", "category": "cpu_out_of_memory"},
        {"log": "job_1006.log", "group": "bb", "category": "cpu_out_of_memory"},
        {"log": "lost.log", "unread": "permission denied", "source": "x"},
    )
    result = result_of(table, jobs)
    assert (result.logs, result.failures, len(result.unread)) == (7, 6, 1)
    first, second = group(result, "aa"), group(result, "bb")
    assert (first.jobs, first.logs, first.gpu_hours) == (2, 3, 4.0)
    assert (first.retried, first.helped, first.repeated) == (2, 1, 1)
    assert (second.retried, second.helped, second.repeated) == (1, 0, 1)
    assert not second.only_repeats
    assert (result.retried, result.helped, result.repeated) == (3, 1, 2)
    assert result.gpu_hours == pytest.approx(10 + 60 / 3600, abs=0.01)
    assert result.ends == {"general_code_error": (1, 0, 0, 4, 0, 0)}
    assert (first.first_seen, first.last_seen) == (3600.0, 7600.0)
    assert {row.name: row.jobs for row in result.categories} == {
        "cpu_out_of_memory": 3,
        "illegal_argument": 2,
    }


def test_what_is_new_and_the_document() -> None:
    table = rows({"log": "a", "group": "aa"}, {"log": "b", "group": "bb"}, {"log": "c"})
    assert [g.new for g in result_of(table, []).groups] == [None, None]
    result = result_of(table, [], before={"known": ["aa"], "finished": 5.0})
    assert [g.id for g in result.new_groups] == ["bb"]
    assert result.since == 5.0
    assert to_json(result) == {
        "version": 1,
        "logs": 3,
        "failures": 2,
        "unread": [],
        "categories": {"illegal_argument": 2},
        "groups": [
            {"id": id, "category": "illegal_argument", "exception": "ValueError", "jobs": 1,
             "representative": log}
            for id, log in (("aa", "a"), ("bb", "b"))
        ],
    }  # fmt: skip


def test_the_representative_is_a_log_whose_message_is_its_own() -> None:
    table = rows(
        {"log": "a", "group": "aa", "exact": False, "message": "of another log"},
        {"log": "b", "group": "aa", "exact": True, "message": "its own"},
    )
    (found,) = result_of(table, []).groups
    assert (found.representative, found.message) == ("b", "its own")


def test_few_jobs_tell_nothing_of_their_hosts() -> None:
    few = [HostJob("h1", "", True), HostJob("h2", "", False), HostJob("h2", "", True)]
    assert not can_tell(few) and not can_tell([]) and not can_tell([HostJob("h1", "", True)] * 99)
    many = [HostJob(f"h{n % 8}", "", n % 9 == 0) for n in range(200)]
    assert can_tell(many) and bad_hosts(many) == []
    # What it says is what the test would do: a host all of whose jobs fail is named.
    worst = [HostJob(job.host, "", job.failed or job.host == "h5") for job in many]
    assert [host.host for host in bad_hosts(worst)] == ["h5"]

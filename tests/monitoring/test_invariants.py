"""Relations of clean trainings: learned, kept, and what a later run breaks of them."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from recorded_trainings import recorded

from dl_bug_lsp.monitoring.diagnosis import diagnose
from dl_bug_lsp.monitoring.diagnosis_invariants import (
    invariants_file,
    keep_clean_run,
    learned,
    read_invariants,
    relations,
    violations,
)

CLEAN = "digits_mlp-clean-1"


def test_a_run_breaks_none_of_its_own_relations() -> None:
    run = recorded(CLEAN)
    assert violations(run, relations(run)) == ()


def test_labels_that_come_sorted_break_what_held_before() -> None:
    known = relations(recorded(CLEAN))
    broken = violations(recorded("digits_mlp-sorted_unshuffled"), known)
    assert "data.shuffled" in [v.key for v in broken]
    assert all(v.expected and v.seen for v in broken)


def test_a_rate_far_from_all_before_is_a_deviation_after_two_runs() -> None:
    run = recorded(CLEAN)
    once = relations(run)
    twice = learned([once, relations(run)])
    faulty = recorded("digits_mlp-rate_high")
    assert "rate" not in [v.key for v in violations(faulty, once)]
    assert "rate" in [v.key for v in violations(faulty, twice)]


def test_deviations_are_told_beside_the_diagnosis_and_alone_are_none() -> None:
    known = relations(recorded(CLEAN))
    found = diagnose(recorded("digits_mlp-sorted_unshuffled"), None, known)
    assert found is not None
    assert any(f.rule == "invariant.data.shuffled" for f in found.findings)
    other = {**known, "calls.clip": known["calls.step"]} if "calls.step" in known else known
    assert diagnose(recorded(CLEAN), None, other) is None


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    (tmp_path / ".dlbug").mkdir()
    run = recorded(CLEAN)
    keep_clean_run(tmp_path, run)
    keep_clean_run(tmp_path, run)
    known = read_invariants(tmp_path)
    program = run.process.program or run.process.command
    assert list(known) == [program]
    assert all(r.runs == 2 for r in known[program].values())
    assert violations(run, known[program]) == ()
    faulty = dataclasses.replace(recorded("digits_mlp-sorted_unshuffled"), process=run.process)
    assert violations(faulty, known[program])


def test_a_file_that_is_none_of_ours_is_empty(tmp_path: Path) -> None:
    (tmp_path / ".dlbug").mkdir()
    for text in ("", "[]", "{", '{"schema": 99}', json.dumps({"schema": 1, "programs": [1]}),
                 json.dumps({"schema": 1, "programs": {"a": [{"key": 1}, 2, None]}})):  # fmt: skip
        invariants_file(tmp_path).write_text(text)
        assert not any(read_invariants(tmp_path).values())

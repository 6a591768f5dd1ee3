"""Recorded trainings with a known fault: found, named, led to its line; sound ones left alone."""

from __future__ import annotations

import dataclasses
import json
import math
import tempfile
from pathlib import Path

import pytest
from recorded_trainings import CASES, recorded

from dl_bug_lsp.localize import localize
from dl_bug_lsp.monitoring.diagnosis import (
    HEALTHY,
    KINDS,
    RULES,
    Diagnosis,
    diagnose,
    diagnose_recording,
    features,
    measured,
    shipped_model,
)
from dl_bug_lsp.monitoring.diagnosis_facts import RunFacts
from dl_bug_lsp.monitoring.training_run import Recording, Run
from dl_bug_lsp.report import Confidence, Options, Report
from dl_bug_lsp.taxonomy.categories import category
from dl_bug_lsp.workspace import Workspace

NAMES = sorted(folder.name for folder in CASES.iterdir() if folder.is_dir())
CLEAN = [name for name in NAMES if "-clean-" in name]
FAULTY = [name for name in NAMES if "-clean-" not in name]


def report_of(name: str, text: str = "") -> Report:
    recording = Recording((recorded(name),))
    workspace = Workspace(CASES / name / "workspace", cache=False)
    return localize(text, workspace, Options(top=5), recording=recording)


def truth_of(name: str) -> tuple[str, str, list[int]]:
    truth = json.loads((CASES / name / "truth.json").read_text())
    return truth["kind"], truth["file"], truth["lines"]


@pytest.mark.parametrize("name", CLEAN)
def test_of_a_sound_training_nothing_is_said(name: str) -> None:
    assert diagnose(recorded(name)) is None
    assert report_of(name).failures == ()


@pytest.mark.parametrize("name", FAULTY)
def test_the_kind_of_fault_and_its_line_among_five(name: str) -> None:
    kind, file, lines = truth_of(name)
    failure = report_of(name).primary
    assert failure is not None
    assert failure.category.rule == f"training.{kind}"
    assert failure.category.dimension in ("silent", "deep_learning_specific")
    shown = [s for s in failure.suspects if s.file == file]
    assert any(s.line <= line <= s.end_line for s in shown for line in lines), failure.suspects


@pytest.mark.parametrize("name", FAULTY)
def test_without_the_recording_the_empty_log_tells_nothing(name: str) -> None:
    workspace = Workspace(CASES / name / "workspace", cache=False)
    assert localize("", workspace, Options(top=5)).failures == ()


def test_an_exception_in_the_log_leads() -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "digits_mlp.py", line 45, in <module>\n'
        "    optimizer = torch.optim.SGD(model.parameters(), lr=50)\n"
        "ValueError: nothing of this\n"
    )
    failure = report_of("digits_mlp-rate_high", text).primary
    assert failure is not None
    assert failure.exception is not None


def test_a_learning_rate_is_followed_to_where_it_is_written() -> None:
    failure = report_of("cancer_binary-rate_low").primary
    assert failure is not None
    first = failure.suspects[0]
    line = (CASES / "cancer_binary-rate_low/workspace/cancer_binary.py").read_text().splitlines()
    assert "lr=" in line[first.line - 1]
    assert any("is set here" in e.why for e in first.evidence)


def test_the_symptom_that_came_first_leads_and_the_others_follow() -> None:
    found = diagnose(recorded("digits_mlp-rate_high"))
    assert found is not None
    assert found.findings[0].rule in ("loss.jumps", "rates.high", "gradients.exploding")
    assert found.kind not in [k for k, _ in found.others]


def test_the_same_run_gives_the_same_diagnosis() -> None:
    run = recorded("rings_deep-zeros")
    assert diagnose(run) == diagnose(run)


def test_the_surest_of_several_processes_is_told() -> None:
    runs = (recorded("digits_mlp-clean-1"), recorded("digits_autoencoder-sign"))
    found = diagnose_recording(Recording(runs))
    assert found is not None
    assert found.kind == "loss_sign"


def test_every_rule_has_a_source_and_a_kind_that_is_known() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule.source
        assert rule.kind in KINDS or rule.kind == ""


def test_every_kind_has_a_category() -> None:
    assert {category(row).dimension for _, row in KINDS.values()} <= {
        "silent",
        "deep_learning_specific",
    }


def test_the_shipped_model_fits_the_rules() -> None:
    model = shipped_model()
    assert set(model.thresholds) <= {rule.id for rule in RULES}
    assert HEALTHY in model.classes
    assert set(model.classes) <= {*KINDS, HEALTHY}
    width = len(model.names)
    assert all(len(row) == width for row in model.weights)


def test_probabilities_add_up_to_one() -> None:
    facts = RunFacts(recorded("digits_mlp-clean-1"))
    known = features(facts, measured(facts))
    assert all(math.isfinite(value) for value in known.values())
    assert math.fsum(shipped_model().probabilities(known).values()) == pytest.approx(1.0)


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_that_tells_little_raises_nothing(name: str) -> None:
    run = recorded(name)
    for field in dataclasses.fields(Run):
        if field.name not in ("number", "process"):
            diagnose(dataclasses.replace(run, **{field.name: ()}))
    empty = Run(1, run.process)
    assert diagnose(empty) is None


def test_numbers_that_are_none_raise_nothing() -> None:
    run = recorded("digits_mlp-rate_high")
    for field in ("statistics", "steps", "inputs", "loss_calls", "layers", "loaders", "parameters"):
        rows = []
        for row in getattr(run, field):
            names = {f.name: None for f in dataclasses.fields(row) if "None" in str(f.type)}
            rows.append(dataclasses.replace(row, **names))
        said = diagnose(dataclasses.replace(run, **{field: tuple(rows)}))
        assert said is None or isinstance(said, Diagnosis)


def test_cleared_gradients_say_nothing_of_the_graph() -> None:
    failure = report_of("waves-gradients_cleared").primary
    assert failure is not None
    assert "the graph" not in failure.category.evidence
    assert failure.suspects[0].line == 18
    assert [a.cause for a in failure.advice] == [
        "A call of the training loop is missing or stands in the wrong place."
    ]


def test_a_rate_of_a_section_that_is_handed_over_is_found_and_spoken_of() -> None:
    failure = report_of("words_trainer-rate_high").primary
    assert failure is not None
    first = failure.suspects[0]
    assert (first.file, first.line) == ("settings.json", 7)
    assert any("0.5 is unusually high for AdamW" in e.why for e in first.evidence)
    assert failure.advice[0].cause.startswith("The learning rate")


def test_what_only_starts_a_training_is_no_likely_cause() -> None:
    recording = Recording((recorded("words_trainer-rate_high"),))
    folder = CASES / "words_trainer-rate_high" / "workspace"
    program = (folder / "train.py").read_text()
    with tempfile.TemporaryDirectory() as name:
        # The rate is not written in this folder: nothing but the call is known.
        (Path(name) / "train.py").write_text(program)
        report = localize("", Workspace(Path(name), cache=False), Options(), recording=recording)
    failure = report.primary
    assert failure is not None
    assert failure.confidence is Confidence.UNSURE


def test_a_rate_in_a_branch_that_the_recording_contradicts_is_not_blamed(tmp_path: Path) -> None:
    folder = CASES / "digits_mlp-rate_high" / "workspace"
    program = (folder / "digits_mlp.py").read_text()
    other = "if __debug__:\n    lr = 7.0\nelse:\n    lr = 9.0\n"
    (tmp_path / "digits_mlp.py").write_text(f"{program}\n{other}")
    recording = Recording((recorded("digits_mlp-rate_high"),))
    report = localize("", Workspace(tmp_path, cache=False), Options(top=0), recording=recording)
    failure = report.primary
    assert failure is not None
    said = [e.why for s in failure.suspects for e in s.evidence]
    assert not any("rate of 7" in why or "rate of 9" in why for why in said)


def test_a_place_of_the_recording_says_so_and_does_not_repeat_the_headline() -> None:
    failure = report_of("digits_mlp-sorted_unshuffled").primary
    assert failure is not None
    said = [e.why for e in failure.suspects[0].evidence]
    assert failure.category.evidence not in said
    assert "the recording of the training leads to this line" in said

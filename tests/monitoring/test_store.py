"""The database of trainings and its journals: what is written is read, whatever lies there."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dl_bug_lsp import data_folder
from dl_bug_lsp.monitoring import store
from dl_bug_lsp.monitoring.store import read_journal, read_recording, run_of, take_in, training_file
from dl_bug_lsp.monitoring.tables import FOLDER, TABLES, columns
from dl_bug_lsp.monitoring.training_run import FIELDS, ROWS, Run

RECORDED = Path(__file__).parent / "recorded"


def row(table: str, **values: Any) -> list[Any]:
    return [table, *(values.get(name) for name, _ in columns(table))]


def journal(root: Path, *rows: list[Any], session: str = "s-1", process: int = 7) -> Path:
    folder = data_folder.prepare(root, FOLDER, session)
    file = folder / f"{process}.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return file


def recorded(name: str) -> Run:
    rows, problem = read_journal(RECORDED / f"{name}.jsonl")
    run = run_of(1, rows)
    assert problem is None
    assert run is not None
    return run


def line_of(name: str, words: str) -> int:
    text = (RECORDED.parent / "programs" / f"{name}.py").read_text()
    (line,) = (at for at, line in enumerate(text.split("\n"), 1) if words in line)
    return line


def test_values_have_the_columns_of_their_tables() -> None:
    for table in TABLES:
        fields = [field.name for field in dataclasses.fields(ROWS[table])]
        assert fields == [name for name, _ in columns(table)], table
    assert set(FIELDS) == set(TABLES) - {"run"}


def test_a_journal_is_read_as_it_is_written_and_then_taken_in(tmp_path: Path) -> None:
    rows = [
        row("run", session="s-1", started=5.0, outcome="running", process=7),
        row("step", step=1, phase="train", loss=float("nan")),
        row("step", step=2, phase="train", loss=float("inf"), sampled=True),
        row("layer", layer=1, name="body", line=3),
        row("layer", layer=1, name="body", line=3, calls=9),
    ]
    file = journal(tmp_path, *rows)
    file.write_text(file.read_text() + '["step", 3, "tr')
    (live,) = read_recording(tmp_path).runs
    assert (live.number, live.process.outcome) == (0, "running")
    assert take_in(tmp_path, "s-1") == (1,)
    recording = read_recording(tmp_path)
    (run,) = recording.runs
    assert recording.problems == ()
    assert (run.number, run.process.outcome) == (1, "killed")
    assert [layer.calls for layer in run.layers] == [9]
    assert [step.step for step in run.steps] == [1, 2]
    assert math.isnan(run.steps[0].loss or 0.0)
    assert run.steps[1].loss == math.inf
    assert run.steps[1].sampled is True
    assert not file.exists()


def test_a_second_session_is_added_and_the_oldest_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MOST_RUNS", 2)
    for number in range(4):
        session = f"s-{number}"
        journal(tmp_path, row("run", session=session, started=float(number)), session=session)
        take_in(tmp_path, session)
    runs = read_recording(tmp_path).runs
    assert [run.process.session for run in runs] == ["s-2", "s-3"]
    assert [run.number for run in runs] == [3, 4]


def test_a_journal_without_a_process_is_removed_and_makes_no_database(tmp_path: Path) -> None:
    file = journal(tmp_path, row("seed", library="torch", value=3))
    assert take_in(tmp_path, "s-1") == ()
    assert not file.exists()
    assert not training_file(tmp_path).exists()


def test_a_damaged_database_is_moved_aside(tmp_path: Path) -> None:
    journal(tmp_path, row("run", session="s-1"))
    training_file(tmp_path).write_bytes(b"SQLite format 3\0" + b"\xff" * 900)
    assert "training.db is not read" in read_recording(tmp_path).problems[0]
    assert take_in(tmp_path, "s-1") == (1,)
    assert len(read_recording(tmp_path).runs) == 1
    assert (training_file(tmp_path).parent / "training.db.broken").exists()


@pytest.mark.parametrize(
    "statement",
    [
        "create view layer as select 1",
        "create table step (run, step, phase, extra)",
        "create table step (run, step as (zeroblob(1000000000)))",
        "create table other (a)",
    ],
)
def test_foreign_schemas_are_refused(tmp_path: Path, statement: str) -> None:
    data_folder.prepare(tmp_path)
    with sqlite3.connect(training_file(tmp_path)) as db:
        db.execute("create table about (key text primary key, value text)")
        db.execute("insert into about values ('schema', '1')")
        db.execute(statement)
    recording = read_recording(tmp_path)
    assert recording.runs == ()
    assert recording.problems


def test_a_newer_schema_is_named(tmp_path: Path) -> None:
    data_folder.prepare(tmp_path)
    with sqlite3.connect(training_file(tmp_path)) as db:
        db.execute("create table about (key text primary key, value text)")
        db.execute("insert into about values ('schema', '99')")
    (problem,) = read_recording(tmp_path).problems
    assert "another schema than 1" in problem


def test_wrong_types_in_a_database_are_not_known(tmp_path: Path) -> None:
    journal(tmp_path, row("run", session="s-1"), row("step", step=1, phase="train"))
    take_in(tmp_path, "s-1")
    with sqlite3.connect(training_file(tmp_path)) as db:
        db.execute("update step set loss = 'much', batch = 1.5, training = x'00'")
        db.execute("insert into step (run, step) values (1, 'first')")
        db.execute("insert into step (run, step, phase) values ('x', 1, 'train')")
    (run,) = read_recording(tmp_path).runs
    (step,) = run.steps
    assert (step.loss, step.batch, step.training) == (None, None, None)


def test_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    folder = data_folder.prepare(tmp_path, FOLDER, "s-1")
    secret = tmp_path / "secret.jsonl"
    secret.write_text(json.dumps(row("run", session="s-1")) + "\n")
    (folder / "1.jsonl").symlink_to(secret)
    os.mkfifo(folder / "2.jsonl")
    training_file(tmp_path).symlink_to(secret)
    recording = read_recording(tmp_path)
    assert recording.runs == ()
    assert len(recording.problems) == 3


VALUE = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)


@settings(deadline=None, max_examples=50)
@given(
    st.lists(
        st.builds(lambda table, values: [table, *values], st.sampled_from(sorted(TABLES)) | VALUE,
                  st.lists(VALUE, max_size=25))
        | VALUE
        | st.tuples(st.sampled_from(sorted(TABLES))).map(
            lambda one: [one[0], *([3] * len(columns(one[0])))]
        ),
        max_size=12,
    )
)  # fmt: skip
def test_no_journal_makes_the_reader_raise(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any]
) -> None:
    root = tmp_path_factory.mktemp("any")
    journal(root, *rows)
    before = read_recording(root).runs
    numbers = take_in(root, "s-1")
    after = read_recording(root).runs
    assert len(numbers) == len(after) == len(before)
    shutil.rmtree(root)


def test_what_a_plain_loop_did_is_recorded() -> None:
    run = recorded("plain")
    assert run.process.framework == "torch"
    assert run.process.outcome == "finished"
    assert run.process.steps == 40
    (model,) = run.models
    assert (model.type, model.parameters, model.file) == ("Net", 227, "plain.py")
    by_name = {layer.name: layer for layer in run.layers if not layer.function}
    assert by_name["first"].line == line_of("plain", "self.first =")
    assert by_name["head"].type == "Linear"
    (relu,) = (layer for layer in run.layers if layer.function == "relu")
    assert (relu.file, relu.line) == ("plain.py", line_of("plain", "F.relu"))
    assert [layer.type for layer in sorted(run.layers, key=lambda one: one.position or 0)] == [
        "Linear",
        "BatchNorm1d",
        "relu",
        "Linear",
        "Net",
    ]
    kinds = {(one.kind, one.layer) for one in run.statistics if one.step == 1}
    assert ("activation_gradient", relu.layer) in kinds
    assert {kind for kind, _ in kinds} == {
        "weight",
        "gradient",
        "update",
        "activation",
        "activation_gradient",
    }
    assert {(p.optimizer, p.without) for p in run.parameters} == {(1, 0)}
    assert [rate.rate for rate in run.rates] == pytest.approx([0.01, 0.001])
    assert all(step.loss is not None for step in run.train_steps)
    evaluations = [step for step in run.steps if step.phase == "eval"]
    assert len(evaluations) >= 2
    assert {(step.training, step.gradient) for step in evaluations} == {(False, False)}
    train, test = sorted(run.loaders, key=lambda one: one.loader)
    assert (train.phase, train.shuffled, train.same_order) == ("train", True, False)
    assert (test.phase, test.shuffled) == ("eval", False)
    assert [(one.compared, one.shared) for one in run.overlaps] == [(40, 0)]
    losses = {(call.kind, call.line, call.before) for call in run.loss_calls}
    assert ("cross_entropy", line_of("plain", "criterion(model"), "linear") in losses
    assert {call.kind for call in run.calls} >= {"train", "eval", "zero_grad", "backward"}
    assert ("torch", 0) in {(seed.library, seed.value) for seed in run.seeds}


def test_faults_that_raise_nothing_show() -> None:
    run = recorded("faulty")
    (loader,) = run.loaders
    assert loader.shuffled is False
    assert loader.same_order is True
    (call,) = (one for one in run.loss_calls if one.kind == "cross_entropy")
    assert (call.before, call.input_sums_to_one) == ("softmax", 1.0)
    assert all(cycle.text == "backward step" for cycle in run.cycles)
    (optimizer,) = run.optimizers
    assert (optimizer.missing, optimizer.foreign, optimizer.file) == (2, 0, "faulty.py")
    outside = [one for one in run.parameters if one.optimizer is None]
    assert {one.moved for one in outside} == {0}
    first = next(one for one in run.inputs if one.source == "model")
    assert (first.std or 0) > 500
    saturated = [one.saturated for one in run.statistics if one.saturated is not None]
    assert max(saturated) > 0.9
    targets = [one for one in run.inputs if one.source == "target"]
    assert targets[0].levels == 1
    (event,) = (one for one in run.events if one.kind == "loss_nan")
    assert (event.step, event.file) == (16, "faulty.py")
    assert event.line == line_of("faulty", "loss.backward()")


@pytest.mark.parametrize(
    ("name", "source", "key"),
    [
        ("lightning_module", "lightning", "val_loss"),
        ("transformers_trainer", "transformers", "grad_norm"),
        ("keras_fit", "keras", "val_loss"),
    ],
)
def test_what_trainers_log_is_recorded(name: str, source: str, key: str) -> None:
    run = recorded(name)
    assert key in {logged.key for logged in run.logged if logged.source == source}
    assert run.process.outcome == "finished"
    assert run.optimizers
    assert run.statistics
    assert run.models[0].file == f"{name}.py"


@pytest.mark.parametrize("name", ["keras_fit", "keras_tape"])
def test_keras_has_gradients_and_lines(name: str) -> None:
    run = recorded(name)
    assert run.process.framework == "keras"
    assert {"weight", "update", "gradient"} <= {one.kind for one in run.statistics}
    dense = [layer for layer in run.layers if layer.type == "Dense"]
    assert dense
    assert all(layer.file == f"{name}.py" and layer.line for layer in dense)
    assert {one.library for one in run.seeds} >= {"keras"}


def test_the_last_activation_before_keras_loss_is_known() -> None:
    run = recorded("keras_fit")
    (call,) = run.loss_calls
    assert (call.kind, call.before) == ("sparse_categorical_crossentropy", "softmax")
    assert call.file == "keras_fit.py"
    assert [(one.compared, one.shared) for one in run.overlaps] == [(100, 0)]

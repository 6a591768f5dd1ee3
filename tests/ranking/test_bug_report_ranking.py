"""Bug reports in prose: which files, functions and lines of a small project they lead to."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from dl_bug_lsp.bug_reports import read_report
from dl_bug_lsp.evidence.reports import report_context
from dl_bug_lsp.evidence.reports.file_features import features_of
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.localize import localize
from dl_bug_lsp.ranking.bug_report_ranking import report_weights, shipped_report_weights
from dl_bug_lsp.report import Options
from dl_bug_lsp.workspace import Workspace

FILES = {
    "trainlib/__init__.py": "from trainlib.saver import CheckpointSaver\n",
    "trainlib/saver.py": '''"""Saving and restoring."""
import os


class CheckpointSaver:
    """Keeps the best weights."""

    def __init__(self, folder, monitor="loss"):
        self.folder = folder
        self.monitor = monitor
        self.best_score = None

    def restore(self, state):
        if "weights" not in state:
            raise KeyError(f"the checkpoint {self.folder} holds no weights at all")
        self.weights = state["weights"]

    def save(self, weights, score):
        path = os.path.join(self.folder, "last.pt")
        return path, weights, score
''',
    "trainlib/loop.py": '''"""The training loop."""
from trainlib.saver import CheckpointSaver


def accumulate_gradients(batches, steps):
    total = 0
    for index, batch in enumerate(batches):
        total += batch / steps
        if index % steps == 0:
            yield total


def fit(model, batches, saver: CheckpointSaver):
    for loss in accumulate_gradients(batches, 4):
        model.step(loss)
''',
    "trainlib/metrics/early_stopping.py": '''"""Stopping early."""


def should_stop(history, patience):
    return len(history) > patience and min(history[-patience:]) > min(history)
''',
    "tests/test_saver.py": "from trainlib.saver import CheckpointSaver\n\n\ndef test_save():\n"
    '    assert CheckpointSaver("a").save(1, 2)\n',
    "examples/run.py": "from trainlib.loop import fit\n\nfit(None, [], None)\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Workspace:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Workspace(tmp_path, cache=False)


@pytest.mark.parametrize(
    ("report", "file", "function"),
    [
        (
            "best_score is lost\n\nAfter CheckpointSaver.restore the best_score is None again.",
            "trainlib/saver.py",
            "CheckpointSaver",
        ),
        (
            "Gradients too small\n\nI think accumulate_gradients divides by steps too often.",
            "trainlib/loop.py",
            "accumulate_gradients",
        ),
        (
            "Early stopping never stops\n\nWith patience 3 the run goes on and on.",
            "trainlib/metrics/early_stopping.py",
            "should_stop",
        ),
        (
            "Cannot resume\n\nIt says: the checkpoint runs/7 holds no weights at all. Why is that?",
            "trainlib/saver.py",
            "CheckpointSaver.restore",
        ),
        (
            "Wrong condition\n\nSee https://github.com/a/b/blob/main/trainlib/loop.py#L8-L9",
            "trainlib/loop.py",
            "accumulate_gradients",
        ),
    ],
)
def test_a_report_leads_to_file_function_and_line(
    project: Workspace, report: str, file: str, function: str
) -> None:
    found = localize(report, project, Options(top=0, top_files=0)).failures[0]
    assert found.exception is None
    assert found.files[0].file == file
    first = found.suspects[0]
    assert first.file == file
    assert any((s.function or "").startswith(function) for s in found.suspects[:3])
    assert first.evidence
    assert sum(f.score for f in found.files) <= 1.01


def test_a_tests_file_follows_what_it_tests(project: Workspace) -> None:
    report = "CheckpointSaver loses its score\n\nThe saver forgets best_score when it restores."
    files = [f.file for f in localize(report, project, Options(top_files=0)).failures[0].files]
    assert files.index("trainlib/saver.py") == 0
    assert files.index("tests/test_saver.py") <= 2


TRACEBACK = """Saver fails after a run

When I resume from an old checkpoint of mine I get this error:

Traceback (most recent call last):
  File "/home/me/trainlib/loop.py", line 14, in fit
    for loss in accumulate_gradients(batches, 4):
  File "/home/me/trainlib/saver.py", line 15, in restore
    raise KeyError(f"the checkpoint {self.folder} holds no weights at all")
KeyError: 'the checkpoint a holds no weights at all'
"""


def test_where_a_report_holds_a_traceback_both_are_used(project: Workspace) -> None:
    found = localize(TRACEBACK, project).primary
    assert found is not None
    assert found.exception is not None
    assert found.exception.type == "KeyError"
    assert [frame.workspace_line for frame in found.frames] == [14, 15]
    assert found.files[0].file == "trainlib/saver.py"
    kinds = {evidence.kind for s in found.suspects for evidence in s.evidence}
    assert "stack_trace" in kinds
    assert kinds & {"vsm", "structure"}


@pytest.mark.parametrize(
    ("report", "why"),
    [
        (
            "Gradients too small\n\nI think accumulate_gradients divides by steps too often.",
            "the line has `accumulate_gradients`",
        ),
        (
            "Gradients too small\n\nI think accumulate_gradients divides by steps too often.",
            "`fit` has `accumulate_gradients` of the report",
        ),
        (
            "Wrong condition\n\nSee https://github.com/a/b/blob/main/trainlib/loop.py#L8-L9",
            "the report links to the line",
        ),
        (
            "best_score is lost\n\nAfter CheckpointSaver.restore the best_score is None again.",
            "`CheckpointSaver.__init__` has `best_score` of the report",
        ),
        (
            "best_score is lost\n\nHere it goes:\n\n```\n        self.best_score = None\n```\n",
            "the report quotes the line",
        ),
    ],
)
def test_reasons_are_of_the_line_and_its_function_too(
    project: Workspace, report: str, why: str
) -> None:
    found = localize(report, project, Options(top=0)).failures[0]
    told = [evidence.why for suspect in found.suspects for evidence in suspect.evidence]
    assert any(sentence.startswith(why) for sentence in told), sorted(set(told))
    for suspect in found.suspects:
        assert len({evidence.why for evidence in suspect.evidence}) == len(suspect.evidence)


def test_words_that_no_file_has_lead_nowhere(project: Workspace) -> None:
    found = localize("Zebras migrate northwards\n\nNobody knows why.", project).failures[0]
    assert found.suspects == ()
    assert found.files == ()


def test_the_same_report_ranks_the_same_twice(project: Workspace) -> None:
    again = Workspace(project.root, cache=False)
    assert localize(TRACEBACK, project) == localize(TRACEBACK, again)


def test_of_many_files_those_are_parsed_that_words_speak_for_and_all_are_ranked(
    project: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = read_report("accumulate_gradients divides twice\n\nSee saver.py too, says nobody.")
    whole = features_of(ReportContext(report, project))
    monkeypatch.setattr(report_context, "PARSED", 2)
    context = ReportContext(report, project)
    features = features_of(context)
    parsed = {
        file for file, source in zip(context.files, context.sources, strict=True) if source.uses
    }
    assert parsed == {"trainlib/loop.py", "trainlib/saver.py"}
    assert context.files == project.python_files()
    assert features.keys() == whole.keys()
    # What whole files tell is the same, parsed or not.
    for name in ("file.main", "file.all", "rvsm.all", "path.main", "stem.title"):
        assert features[name] == pytest.approx(whole[name])


def test_an_unparsed_text_has_its_words_and_the_names_it_defines() -> None:
    text = "class Net:\n    async def forward(self, x):\n        return x\n\ndef broken(:\n"
    found = report_context.unparsed_source(text)
    assert dict(found.names) == {"Net": "c", "forward": "f", "broken": "f"}
    assert found.lines == text.count("\n") + 1
    assert (found.functions, found.passages.rows, found.fields["classes"].rows) == ((), 0, 1)


def test_the_shipped_weights_are_of_features_that_exist(project: Workspace) -> None:
    names = set(features_of(ReportContext(read_report(TRACEBACK), project)))
    weights = shipped_report_weights()
    assert set(weights.files.weights) <= names
    assert len(weights.files.weights) > 20
    evidence = {n: w for n, w in weights.files.weights.items() if not n.startswith("kind.")}
    assert min(evidence.values()) >= 0


def test_weights_may_be_given(project: Workspace) -> None:
    text = resources.files("dl_bug_lsp.ranking").joinpath("report_weights.json").read_text("utf-8")
    data = json.loads(text)
    data["files"]["weights"] = {"kind.example": 9.0}
    assert report_weights(data).files.weights == {"kind.example": 9.0}
    options = Options(weights={"reports": data})
    report = "fit fails\n\nThe fit of the example fails when it is called with None."
    assert localize(report, project, options).failures[0].files[0].file == "examples/run.py"

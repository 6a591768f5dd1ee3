from __future__ import annotations

import math
import random
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

from dl_bug_lsp.techniques import NAMES, scores
from dl_bug_lsp.techniques.dnnloc import FEATURES, feature_rows, network_from, shipped
from dl_bug_lsp.techniques.information_retrieval import AMALGAM, BLIA, BUGLOCATOR, segment_score
from dl_bug_lsp.techniques.localizing import technique
from dl_bug_lsp.techniques.scores import FixedReport, Query, Subject, normal
from dl_bug_lsp.workspace import Workspace

NOW = datetime(2024, 5, 1, tzinfo=timezone.utc)


def workspace(folder: Path, files: dict[str, str]) -> Workspace:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return Workspace(folder, cache=False)


def fixed(id: str, text: str, *files: str) -> FixedReport:
    return FixedReport(id, None, NOW - timedelta(days=3), text, "", files)


def test_normal_by_hand() -> None:
    assert list(normal(np.array([2.0, 4.0, 3.0]))) == [0.0, 1.0, 0.5]
    assert list(normal(np.array([2.0, 2.0]))) == [0.0, 0.0]
    assert list(normal(np.array([]))) == []


def test_similar_score_by_hand(tmp_path: Path) -> None:
    # Two earlier reports, each of one word: df of "crop" is 1, n = 2; the query "crop" has cosine 1
    # with the first and 0 with the second. The first's fix changed two files (one gone since), so
    # a.py gets 1/2.
    given = workspace(tmp_path, {"a.py": "", "b.py": ""})
    earlier = [fixed("1", "crop", "a.py", "gone.py"), fixed("2", "zebra", "b.py")]
    subject = Subject(Query("crop", ""), given, earlier)
    assert scores.similar_score(subject) == pytest.approx([0.5, 0.0])


def test_buglocator_by_hand(tmp_path: Path) -> None:
    # Texts: a "tensor crop crop", b "tensor zebra": the cosines of the query "crop" are 1 and 0, so
    # N(rVSM) is 1 and 0. Similar reports: b gets everything, N = 0 and 1. 0.8 and 0.2 are the
    # shares.
    given = workspace(tmp_path, {"a.py": "tensor(crop, crop)", "b.py": "tensor(zebra)"})
    earlier = [fixed("1", "crop", "b.py"), fixed("2", "lion", "a.py")]
    ranked = BUGLOCATOR.rank(Query("crop", ""), given, earlier)
    assert [file for file, _ in ranked.files] == ["a.py", "b.py"]
    assert [score for _, score in ranked.files] == pytest.approx([0.8, 0.2])
    assert ranked.functions is None


def test_structure_sums_report_fields_and_file_fields(tmp_path: Path) -> None:
    # Three files. "crop" is a class name in a.py alone: idf = ln(2.5 / 1.5) over three documents of
    # 1, 0, 0 terms: mean length 1/3, length part 0.25 + 0.75 * 3 = 2.5, so the score is
    # ln(5/3) * 2.5 / (1 + 1.5 * 2.5). It is a variable in b.py alone, of mean length 1/3 likewise.
    # The title and the body both say it once: each file gets its score twice.
    given = workspace(
        tmp_path, {"a.py": "class Crop: pass\n", "b.py": "crop = 1\n", "c.py": "def lion(): pass\n"}
    )
    wanted = 2 * math.log(5 / 3) * 2.5 / 4.75
    found = scores.structure_score(Subject(Query("crop", "crop"), given))
    assert found == pytest.approx([wanted, wanted, 0.0])


def test_stack_score_by_hand(tmp_path: Path) -> None:
    # Innermost first: c.py 1/1, b.py 1/2 (there twice, counted once); c.py imports d.py: 0.1.
    files = {"b.py": "def b():\n    c()\n", "c.py": "import d\ndef c():\n    1 / 0\n", "d.py": ""}
    given = workspace(tmp_path, {"a.py": "", **files})
    text = (
        "Traceback (most recent call last):\n"
        '  File "/home/u/p/b.py", line 2, in b\n    c()\n'
        '  File "/home/u/p/b.py", line 2, in b\n    c()\n'
        '  File "/home/u/p/c.py", line 3, in c\n    1 / 0\n'
        "ZeroDivisionError: division by zero\n"
    )
    found = scores.stack_score(Subject(Query("It stops", text), given))
    assert found == pytest.approx([0.0, 0.5, 1.0, 0.1])


@pytest.mark.parametrize(
    ("age", "window", "wanted"),
    [(0, 15, 0.5), (15, 15, 1 / (1 + math.exp(12))), (5, 15, 1 / (1 + math.exp(4)))],
)
def test_recency_by_hand(age: float, window: float, wanted: float) -> None:
    assert scores.recency(age, window) == pytest.approx(wanted)


@pytest.fixture
def history(tmp_path: Path) -> Workspace:
    """Two files; a.py was fixed 5 days before the newest commit, b.py changed without a fix."""

    def git(*arguments: str, days: int = 0) -> None:
        when = (NOW - timedelta(days=days)).isoformat()
        subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=e@e", "-C", str(tmp_path), *arguments],
            check=True,
            capture_output=True,
            env={"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when, "PATH": "/usr/bin:/bin"},
        )

    git("init", "-q")
    steps = [
        ("a.py", "x = 1\n", "Begin", 40),
        ("a.py", "x = 2\n", "Fix the crop of volumes", 5),
        ("b.py", "y = 1\n", "Fix the zebra", 2),
        ("b.py", "y = 2\n", "Rename", 0),
    ]
    for file, text, message, days in steps:
        (tmp_path / file).write_text(text)
        git("add", ".", days=days)
        git("commit", "-qm", message, days=days)
    return Workspace(tmp_path, cache=False)


def test_history_score_by_hand(history: Workspace) -> None:
    # k = 15: a.py 1 / (1 + e^(12 * 5/15)), b.py 1 / (1 + e^(12 * 2/15)); "Rename" is no fix.
    wanted = [1 / (1 + math.exp(4)), 1 / (1 + math.exp(1.6))]
    assert scores.history_score(Subject(Query("crop", "", NOW), history)) == pytest.approx(wanted)


def test_fixes_after_the_report_do_not_count(history: Workspace) -> None:
    opened = NOW - timedelta(days=3)
    found = scores.history_score(Subject(Query("crop", "", opened), history))
    assert found == pytest.approx([1 / (1 + math.exp(12 * 2 / 15)), 0.0])


def test_commit_score_by_hand(history: Workspace) -> None:
    # Messages "Fix the crop of volumes" and "Fix the zebra", n = 2: fix has idf 0, crop and volume
    # ln 2 each. The query "crop" has cosine 1/sqrt(2) with the first, 0 with the second.
    # Recency over 120 days: 1 / (1 + e^(12 * 5/120)).
    wanted = [1 / math.sqrt(2) / (1 + math.exp(0.5)), 0.0]
    assert scores.commit_score(Subject(Query("crop", "", NOW), history)) == pytest.approx(wanted)


def test_amalgam_weighs_history_by_a_third(history: Workspace) -> None:
    # Structure and similar reports are silent; b.py's newer fix is the best of history: 0.3.
    ranked = AMALGAM.rank(Query("unheard", "", NOW), history)
    assert ranked.files == (("b.py", pytest.approx(0.3)), ("a.py", 0.0))


def test_a_long_file_s_best_segment_counts(tmp_path: Path) -> None:
    # a.py: 800 times "lion", then "crop": its second segment is "crop" alone, cosine 1. b.py "crop
    # zebra": n = 3 segments, crop in 2 (idf ln 1.5), zebra in 1 (ln 3): ln1.5 / hypot(ln1.5, ln3).
    # Lengths 801 and 2: g = 1 / (1 + e^-50) and 1/2.
    given = workspace(tmp_path, {"a.py": "lion " * 800 + "crop", "b.py": "crop zebra"})
    found = segment_score(Subject(Query("crop", ""), given))
    near = math.log(1.5) / math.hypot(math.log(1.5), math.log(3))
    assert found == pytest.approx([1 / (1 + math.exp(-50)), near / 2])


def test_network_by_hand() -> None:
    # One feature, two units: tanh(1 * 2 - 1) = tanh 1 and tanh(-1): their sum with weights 3 and 1
    # is 2 tanh 1; with the bias -1 the output is 1 / (1 + e^-(2 tanh 1 - 1)).
    data = {"hidden": [[1.0, -1.0]], "hidden_bias": [-1.0, 1.0], "out": [3.0, 1.0], "out_bias": -1}
    found = network_from(data).scores(np.array([[2.0]]))
    assert found == pytest.approx([1 / (1 + math.exp(-(2 * math.tanh(1) - 1)))])


def test_dnnloc_features_by_hand(history: Workspace) -> None:
    # a.py: one fix, 5 days old: recency 1 / (0 + 1); b.py the same. Both have one fix: after N, 0.
    earlier = [fixed("1", "crop", "a.py"), fixed("2", "zebra", "b.py")]
    rows = feature_rows(Subject(Query("crop", "", NOW), history, earlier))
    assert rows.shape == (2, len(FEATURES))
    by_name = dict(zip(FEATURES, rows.T.tolist(), strict=True))
    assert by_name["collaborative_filtering"] == [1.0, 0.0]
    assert by_name["fix_recency"] == by_name["fix_frequency"] == [0.0, 0.0]


def test_dnnloc_has_a_network_for_each_project_left_out() -> None:
    everything = shipped()
    assert everything.hidden.shape[0] == len(FEATURES)
    assert np.array_equal(shipped("never heard of").out, everything.out)
    assert not np.array_equal(shipped("fepegar+torchio").out, everything.out)


def test_names_are_those_of_the_registry() -> None:
    assert [technique(name).name for name in NAMES] == list(NAMES)
    with pytest.raises(KeyError):
        technique("unheard")


FILES = {
    "net.py": "class Net:\n    def forward(self, batch):\n        return self.head(batch)\n",
    "data/crop.py": "# cuts volumes\ndef crop(volume, size):\n    return volume[:size]\n",
    "train.py": "from net import Net\n\ndef fit(epochs):\n    for epoch in range(epochs): step()\n",
    "broken.py": "def fit(:\n",
}
REPORTS = {
    "empty": Query("", ""),
    "words": Query("Crop is wrong", "The size of the volume is not the one that was asked for."),
    "foreign": Query("損失が下がらない", "学習率を変えても crop が動かない"),
    "huge": Query("crop", "volume size step epoch\n" * 6_000),
    "hostile": Query(
        "\x00\ud800", '  File "' * 3000 + "Traceback (most recent call last):\n" * 500
    ),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("report", REPORTS)
def test_every_technique_ranks_every_file_on_any_report(
    tmp_path: Path, name: str, report: str
) -> None:
    given = workspace(tmp_path, FILES)
    ranked = technique(name).rank(REPORTS[report], given)
    assert sorted(file for file, _ in ranked.files) == sorted(FILES)
    points = [score for _, score in ranked.files]
    assert points == sorted(points, reverse=True)
    assert all(math.isfinite(score) for score in points)
    assert ranked == technique(name).rank(REPORTS[report], Workspace(tmp_path, cache=False))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("files", [{}, {"README.md": "crop"}, {"a.py": ""}])
def test_every_technique_takes_a_workspace_without_code(
    tmp_path: Path, name: str, files: dict[str, str]
) -> None:
    ranked = technique(name).rank(REPORTS["words"], workspace(tmp_path, files))
    assert [file for file, _ in ranked.files] == [f for f in files if f.endswith(".py")]


@pytest.mark.parametrize("name", [n for n in NAMES if n != "dnnloc"])
def test_the_order_of_files_changes_no_score(tmp_path: Path, name: str) -> None:
    given = workspace(tmp_path, FILES)
    subject = Subject(REPORTS["words"], given)
    shuffled = Subject(REPORTS["words"], given)
    order = list(subject.files)
    random.Random(4).shuffle(order)
    shuffled.files = tuple(order)
    before = dict(technique(name).rank_subject(subject).files)
    after = dict(technique(name).rank_subject(shuffled).files)
    assert after == pytest.approx(before)


def test_blia_ranks_functions(tmp_path: Path) -> None:
    ranked = BLIA.rank(REPORTS["words"], workspace(tmp_path, FILES))
    assert ranked.functions is not None
    assert (ranked.functions[0].file, ranked.functions[0].name) == ("data/crop.py", "crop")

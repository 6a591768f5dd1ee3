from __future__ import annotations

import json
from pathlib import Path

import pytest

from dl_bug_lsp.cli.main import main
from dl_bug_lsp.report import Options
from dl_bug_lsp.techniques import NAMES
from dl_bug_lsp.techniques.localizing import localize_with, query_of
from dl_bug_lsp.techniques.scores import Query
from dl_bug_lsp.workspace import Workspace

CODE = (
    "import torch\n\n\n"
    "def crop(volume, size):\n    # crop crop size\n    edge = 1\n    return volume[:size]\n\n\n"
    "def lion():\n    return 3\n"
)
REPORT = "Crop returns a wrong size\n\nThe volume that crop returns has one voxel more than size.\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "crop.py").write_text(CODE)
    for other in ("zebra", "fox", "wolf"):
        (tmp_path / f"{other}.py").write_text(f"def {other}():\n    return 4\n")
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_the_command_line_runs_every_technique(
    project: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = project / "report.md"
    text.write_text(REPORT)
    code = main(
        ["localize", str(text), "--workspace", str(project), "--technique", name, "--format=json"]
    )
    assert code == 0
    failure = json.loads(capsys.readouterr().out)["failures"][0]
    assert failure["files"][0]["file"] == "crop.py"
    first = failure["suspects"][0]
    assert (first["file"], first["function"], first["line"]) == ("crop.py", "crop", 4)
    assert first["evidence"][0]["kind"] == name
    assert first["score"] == 1.0


def test_an_unknown_technique_is_wrong_use(project: Path) -> None:
    assert main(["localize", "-", "--workspace", str(project), "--technique", "guessing"]) == 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["", "\n\n", "unheard unheard unheard unheard words"])
def test_nothing_to_go_by_is_no_place(project: Path, name: str, text: str) -> None:
    report = localize_with(name, text, Workspace(project, cache=False), Options())
    assert all(not failure.suspects for failure in report.failures)


def test_options_bound_places_and_files(project: Path) -> None:
    options = Options(top=1, top_files=1)
    report = localize_with("bluir", REPORT, Workspace(project, cache=False), options)
    assert report.primary is not None
    assert len(report.primary.suspects) == len(report.primary.files) == 1


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Title\nbody\nmore", Query("Title", "body\nmore")),
        ("\n  Title  \n\nbody", Query("Title", "\nbody")),
        ("", Query("", "")),
    ],
)
def test_query_of(text: str, wanted: Query) -> None:
    assert query_of(text) == wanted


def test_scores_of_a_technique_are_not_shown_as_chances(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = project / "report.md"
    text.write_text(REPORT)
    main(["localize", str(text), "--workspace", str(project), "--technique", "buglocator"])
    places = capsys.readouterr().out.partition("Most suspicious places")[2]
    assert "score 1.00" in places
    assert "100 %" not in places

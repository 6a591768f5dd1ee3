"""What was changed since the last commit, and what the user of a published project wrote."""

from __future__ import annotations

from pathlib import Path

from git_repositories import MadeRepository

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.changed_files import PUBLISHED, weighed
from dl_bug_lsp.localize import case_of, failures_of, localize
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.report import Options, Suspect
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Workspace

BLOCKS = """\
def halves(width):
    return width // 2

def split(width, heads):
    assert width % heads == 0, f"width {width} does not divide by heads {heads}"
    return width // heads

def build(settings):
    width = settings["width"]
    return split(width, settings["heads"])
"""
TRAIN = """\
import json

from blocks import build, halves

settings = json.load(open("settings.json"))
print(halves(settings["width"]))
build(settings)
"""
LOG = """\
Traceback (most recent call last):
  File "train.py", line 7, in <module>
    build(settings)
  File "blocks.py", line 10, in build
    return split(width, settings["heads"])
  File "blocks.py", line 5, in split
    assert width % heads == 0, f"width {width} does not divide by heads {heads}"
AssertionError: width 30 does not divide by heads 4
"""


def _suspects(root: Path) -> tuple[Suspect, ...]:
    return localize(LOG, Workspace(root, cache=False)).failures[-1].suspects


def _program(root: Path) -> MadeRepository:
    made = MadeRepository(root)
    made.write("blocks.py", BLOCKS.replace('settings["width"]', 'settings["width"] - 2'))
    made.write("train.py", TRAIN)
    made.write("settings.json", '{\n  "width": 32,\n  "heads": 4\n}\n')
    return made


def test_the_line_that_was_changed_since_the_last_commit_comes_first(tmp_path: Path) -> None:
    for changed, line in (("width", 2), ("heads", 3)):
        made = _program(tmp_path / changed)
        made.commit("runs")
        text = '{\n  "width": 32,\n  "heads": 4\n}\n'
        made.write("settings.json", text.replace(f'"{changed}": ', f'"{changed}":  '))
        suspect = _suspects(made.path)[0]
        assert (suspect.file, suspect.line) == ("settings.json", line)
        reasons = [reason.why for reason in suspect.evidence]
        assert any("changed since the last commit" in reason for reason in reasons)


def test_a_clean_work_tree_says_nothing(tmp_path: Path) -> None:
    made = _program(tmp_path / "clean")
    made.commit("runs")
    before = [(s.file, s.line, s.score) for s in _suspects(made.path)]
    plain = tmp_path / "plain"
    plain.mkdir()
    for name in ("blocks.py", "train.py", "settings.json"):
        (plain / name).write_bytes((made.path / name).read_bytes())
    assert before == [(s.file, s.line, s.score) for s in _suspects(plain)]


def test_settings_of_a_published_project_come_before_its_code(tmp_path: Path) -> None:
    for name, text in (("blocks.py", BLOCKS), ("train.py", TRAIN), ("README.md", "run train.py")):
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "settings.json").write_text('{\n  "width": 30,\n  "heads": 4\n}\n', "utf-8")
    shares = {s.file: s.score for s in reversed(_suspects(tmp_path))}
    (tmp_path / "LICENSE").write_text("MIT License\n", "utf-8")
    published = {s.file: s.score for s in reversed(_suspects(tmp_path))}
    assert published["settings.json"] > shares["settings.json"]
    assert published["blocks.py"] < shares["blocks.py"]


def test_modules_beside_a_users_script_are_his(tmp_path: Path) -> None:
    (tmp_path / "LICENSE").write_text("MIT\n", encoding="utf-8")
    (tmp_path / "README.md").write_text("Run `python examples/fit.py`.\n", encoding="utf-8")
    (tmp_path / "library").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "library" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "library" / "layers.py").write_text("WIDTH = 4\n", encoding="utf-8")
    (tmp_path / "work" / "data.py").write_text("SIZE = 3\n", encoding="utf-8")
    script = "from data import SIZE\nfrom library.layers import WIDTH\nprint([0] * WIDTH)\n"
    (tmp_path / "work" / "train.py").write_text(script, encoding="utf-8")
    log = 'Traceback (most recent call last):\n  File "work/train.py", line 3, in <module>\n'
    log += "    print([0] * WIDTH)\nValueError: no\n"
    workspace = Workspace(tmp_path, cache=False)
    read = read_log(log)
    (failure,) = failures_of(read, read_failures(read))
    case = case_of(failure, read, workspace, Options())
    files = ("work/data.py", "work/train.py", "library/layers.py")
    clues = [Clue("rules.strong", file, 1, 1.0, "x") for file in files]
    shares = {clue.file: clue.score for clue in weighed(case, clues)}
    assert shares["work/data.py"] == shares["work/train.py"] == 1.0
    assert shares["library/layers.py"] == PUBLISHED

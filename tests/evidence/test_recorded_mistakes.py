"""Programs with one mistake that stands elsewhere than their runs show it, and their logs."""

from __future__ import annotations

import shutil
from pathlib import Path

from dl_bug_lsp.checks.checking import CheckOptions, check
from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import FailureReport
from dl_bug_lsp.workspace import Workspace

RECORDED = Path(__file__).parent / "recorded"
FALLS = "`val_acc` is 0 in all 8 values, but `val_loss` falls from 1.7945 to about 0.1472"


def program(name: str, folder: Path) -> Path:
    return Path(shutil.copytree(RECORDED / name, folder / name))


def found_in(folder: Path) -> FailureReport:
    text = (folder / "train.log").read_text()
    found = localize(text, Workspace(folder, cache=False)).primary
    assert found is not None
    return found


def test_an_accuracy_of_zero_beside_a_loss_that_falls(tmp_path: Path) -> None:
    folder = program("digits", tmp_path)
    found = found_in(folder)
    assert found.category.evidence.startswith(f"{FALLS}: the accuracy may be computed wrongly")
    assert found.category.confidence >= 0.6, "a run is told of it unasked"
    first, second = found.suspects[:2]
    assert (first.file, first.line) == ("train.py", 16)
    words = "the largest scores that `logits.max(dim=1)` gives are compared with `y`"
    assert first.evidence[0].why.startswith(words)
    assert (second.file, second.line) == ("train.py", 17)
    whys = [evidence.why for evidence in second.evidence]
    assert "compares what `accuracy` is computed from, which was printed as 0.0000" in whys
    (advice,) = found.advice
    assert advice.cause.startswith("The metric may compare the wrong things")


def test_the_comparison_is_named_where_the_mistake_is_another(tmp_path: Path) -> None:
    folder = program("digits", tmp_path)
    text = (folder / "train.py").read_text()
    other = text.replace("guess, _ = logits.max(dim=1)", "guess = logits.argmax(1) + 1")
    (folder / "train.py").write_text(other)
    first = found_in(folder).suspects[0]
    assert (first.file, first.line) == ("train.py", 17)


def test_a_size_that_a_script_wrote_leads_to_the_statement_that_made_it(tmp_path: Path) -> None:
    folder = program("tickets", tmp_path)
    found = found_in(folder)
    first = found.suspects[0]
    assert (first.file, first.line) == ("prepare.py", 42)
    made = "makes `vocab_size` of data/prepared/meta.json: "
    assert first.evidence[0].why.startswith(
        f"{made}it is the size 48, which the index 49 does not fit"
    )
    # The number of samples in a batch makes no token.
    whys = [e.why for s in found.suspects if s.file == "configs/base.yaml" for e in s.evidence]
    assert not [why for why in whys if "49" in why]

    report = check(Workspace(folder, cache=False), ["python", "train.py"], CheckOptions())
    (finding,) = [f for f in report.findings if f.id == "index-range"]
    assert (finding.file, finding.line) == ("prepare.py", 42)


def test_settings_that_no_other_script_writes_stay_the_suspects(tmp_path: Path) -> None:
    folder = program("tickets", tmp_path)
    (folder / "prepare.py").unlink()
    first = found_in(folder).suspects[0]
    assert (first.file, first.line) == ("data/prepared/meta.json", 1)
    assert first.evidence[0].why.startswith(
        "this setting (`vocab_size`) is the size 48, which the index 49 does not fit"
    )


def test_a_table_that_is_there_is_explained_by_the_script_that_wrote_it(tmp_path: Path) -> None:
    folder = program("sensors", tmp_path)
    first = found_in(folder).suspects[0]
    assert (first.file, first.line) == ("prepare.py", 15)
    assert first.evidence[0].why.startswith("without `index=False` the labels are written too")

    # Where no script is known to have written it, the table itself has one column too many.
    (folder / "prepare.py").unlink()
    found = found_in(folder)
    assert found.conflict is not None
    assert {place.file for value in found.conflict.values for place in value.places} == {
        "train.py",
        "data/readings.csv",
    }


def test_a_column_without_a_name_leads_to_the_call_that_writes_it(tmp_path: Path) -> None:
    """Also where nothing is known of the table that is written."""
    folder = program("sensors", tmp_path)
    script = folder / "prepare.py"
    text = script.read_text()
    script.write_text(text.replace("readings(np.random", "unknown_library.readings(np.random"))
    first = found_in(folder).suspects[0]
    assert (first.file, first.line) == ("prepare.py", 15)
    words = "without `index=False` the labels of the rows are written too, as a column"
    assert first.evidence[0].why.startswith(words)


def test_lines_that_are_there_are_explained_by_the_script_that_wrote_them(tmp_path: Path) -> None:
    folder = program("names", tmp_path)
    places = {(s.file, s.line) for s in found_in(folder).suspects}
    assert ("prepare.py", 7) in places

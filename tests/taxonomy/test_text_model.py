from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from made_failures import failure

from dl_bug_lsp.taxonomy.categories import categories
from dl_bug_lsp.taxonomy.classify import classify
from dl_bug_lsp.taxonomy.text_models import classify_text, message_tokens, model_from, text_model

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "train_taxonomy.py"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    pytest.importorskip("sklearn")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPT.parent))  # As where the script is started itself.
        return runpy.run_path(str(SCRIPT))


def test_same_probabilities_as_the_trainers(script: dict[str, Any]) -> None:
    few = {"gpu_out_of_memory", "loss_nan", "key_not_found", "syntax_error"}
    rows = [row for row in zip(*script["examples"](), strict=True) if row[1] in few]
    given, wanted = [row[0] for row in rows], [row[1] for row in rows]
    trained = script["category_pipeline"]().fit(given, wanted)
    model = model_from(script["data_of"](trained))
    sample = given[::3]
    for example, row in zip(sample, trained.predict_proba(sample), strict=True):
        ours = model.probabilities(message_tokens(*example))
        assert list(ours) == list(trained.classes_)
        assert list(ours.values()) == pytest.approx(list(row), abs=0.02)


def test_training_examples_are_sound(script: dict[str, Any]) -> None:
    given, wanted = script["examples"]()
    assert set(wanted) <= {row.id for row in categories()}
    assert len(given) >= 400
    assert len(set(given)) == len(given)


def test_weights_know_all_categories_that_a_message_can_have() -> None:
    silent = {row.id for row in categories() if row.dimension in ("silent", "unclassified")}
    assert set(text_model().classes) == {row.id for row in categories()} - silent


@pytest.mark.parametrize(
    ("type", "message", "wanted"),
    [
        (
            "MemoryBudgetError",
            "the model does not fit into GPU memory at this batch size",
            "gpu_out_of_memory",
        ),
        ("DataError", "record 7 lacks the transcript and its label is empty", "corrupt_data"),
        ("MissingKeyError", "required key num_classes absent in config", "key_not_found"),
    ],
)
def test_wordings_of_no_rule(type: str, message: str, wanted: str) -> None:
    assert classify_text(type, message)[0] == wanted


def test_what_it_does_not_know_stays_unclassified() -> None:
    assert classify(failure("Oops", "zzz qqq")).id == "unclassified"


def test_classifying_imports_no_numeric_library() -> None:
    code = (
        "import sys\n"
        "from dl_bug_lsp.taxonomy.text_models import classify_text\n"
        "import dl_bug_lsp.taxonomy.classify\n"
        "classify_text('X', 'y')\n"
        "print(sorted({'numpy', 'sklearn', 'scipy'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

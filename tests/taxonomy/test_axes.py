from __future__ import annotations

import pytest
from made_failures import failure

from dl_bug_lsp.messages.facts import Fact, FactKind, MessageFacts, Role
from dl_bug_lsp.taxonomy.advising import advice
from dl_bug_lsp.taxonomy.bug_type_and_origin import bug_type, origin
from dl_bug_lsp.taxonomy.classify import classify
from dl_bug_lsp.taxonomy.text_models import bug_type_of_report, origin_of_report


@pytest.mark.parametrize(
    ("type", "message", "packages", "wanted"),
    [
        ("torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate 2 GiB", "torch", "gpu"),
        (
            "RuntimeError",
            "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
            "torch",
            "model",
        ),
        (
            "RuntimeError",
            "stack expects each tensor to be equal size, but got [3] at entry 0 and [2] at entry 1",
            "torch",
            "tensor_input",
        ),
        ("RuntimeError", "Trying to backward through the graph a second time", "torch", "training"),
        ("TypeError", "Trainer.__init__() got an unexpected keyword argument 'gpus'", "", "api"),
        ("ModuleNotFoundError", "No module named 'x'", "", "non_dl"),
        ("RuntimeError", "NCCL error: unhandled system error", "torch", "gpu"),
        ("RuntimeError", "[rank1]: Detected mismatch between collectives", "torch", "gpu"),
        ("ValueError", "Shape must be rank 2 but is rank 3", "tensorflow", "model"),
        (
            "ValueError",
            "Missing data for input \"ids\". You passed a data dictionary with keys ['text']",
            "keras",
            "tensor_input",
        ),
    ],
)
def test_bug_types(type: str, message: str, packages: str, wanted: str) -> None:
    found = failure(type, message, packages)
    assert bug_type(found, classify(found)).id == wanted


def test_facts_tell_of_devices() -> None:
    found = failure("KeyError", "'cuda'")
    device = MessageFacts(None, (Fact(FactKind.DEVICE, Role.ACTUAL, "cuda", "cuda"),))
    plain = bug_type(found, classify(found))
    assert bug_type(found, classify(found), device).confidence != plain.confidence


@pytest.mark.parametrize(
    ("type", "message", "wanted"),
    [
        ("RuntimeError", "CUDA error: no kernel image is available for execution", "extrinsic"),
        ("ModuleNotFoundError", "No module named 'torch_scatter'", "extrinsic"),
        ("ImportError", "attempted relative import with no known parent package", "intrinsic"),
        ("UnicodeDecodeError", "'utf-8' codec can't decode byte 0xe9", "intrinsic"),
        ("RuntimeError", "Detected mismatch between collectives on ranks", "intrinsic"),
        ("KeyError", "'label'", "intrinsic"),
        ("ModuleNotFoundError", "No module named 'keras.layers.experimental'", "intrinsic"),
    ],
)
def test_origins(type: str, message: str, wanted: str) -> None:
    found = failure(type, message)
    assert origin(found, classify(found)).id == wanted


def test_a_missing_module_of_the_workspace_is_the_projects_own_doing() -> None:
    found = failure("ModuleNotFoundError", "No module named 'tools.io'")
    own = origin(found, classify(found), workspace_module=lambda m: m.startswith("tools"))
    assert own.id == "intrinsic"


def test_what_the_message_points_at_comes_first() -> None:
    found = failure(
        "RuntimeError", "Error(s) in loading state_dict for Net: size mismatch for fc.weight"
    )
    given = advice(found, classify(found))
    assert "checkpoint" in given[0].cause
    assert 1 <= len(given) <= 3
    assert len(set(given)) == len(given)


@pytest.mark.parametrize(
    ("type", "message", "packages", "word"),
    [
        ("IndexError", "index out of range in self", "torch", "gaps"),
        (
            "ValueError",
            "Tried to step 46 times. The specified number of total steps is 45",
            "torch",
            "schedule",
        ),
    ],
)
def test_advice_speaks_of_what_the_message_says(
    type: str, message: str, packages: str, word: str
) -> None:
    found = failure(type, message, packages)
    assert any(word in row.cause for row in advice(found, classify(found)))


def test_reports_in_words() -> None:
    gpu = bug_type_of_report(
        "CUDA memory leak on multiple GPU devices, gpu memory grows with cudnn"
    )
    assert gpu.id == "gpu"
    assert (
        origin_of_report("build fails with cmake on ubuntu, cuda library not found").id
        == "extrinsic"
    )
    assert 0 <= bug_type_of_report("").confidence <= 1

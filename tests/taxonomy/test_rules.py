from __future__ import annotations

from pathlib import Path

import pytest
from endings import ends
from hypothesis import given
from hypothesis import strategies as st
from made_failures import SPAN, USER, failure

from dl_bug_lsp.messages.facts import Fact, FactKind, MessageFacts, Role
from dl_bug_lsp.taxonomy.categories import categories
from dl_bug_lsp.taxonomy.classification_context import find_phrase
from dl_bug_lsp.taxonomy.classify import classify
from dl_bug_lsp.taxonomy.rules import LAST, TABLES
from dl_bug_lsp.tracebacks import Cause, Failure, FailureKind, Frame, Relation

RULES = [rule for table in TABLES for rule in table.rules] + list(LAST)


def rows() -> list[list[str]]:
    lines = Path(__file__).with_name("messages.tsv").read_text("utf-8").splitlines()
    split = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [[*row, "", "", ""][:5] for row in split]


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row[0]}-{row[1]}-{row[2][:30]}")
def test_messages(row: list[str]) -> None:
    wanted, type, message, packages, source = row
    verdict = classify(failure(type, message, packages, source))
    assert (verdict.id, verdict.rule) == (wanted, verdict.rule)
    assert 0 <= verdict.confidence <= 1


@pytest.mark.parametrize(
    ("program", "message", "wanted"),
    [
        ("argparse", "train.py: error: unrecognized arguments: --lr2 1", "illegal_argument"),
        ("linker", "cannot find -lcudnn", "library_not_found"),
        ("linker", "undefined reference to `sgemm_'", "library_not_found"),
        ("linker", "undefined reference to `c10::Error::Error(std::string)'", "version_conflict"),
        ("linker", "LNK1181: cannot open input file 'cudnn.lib'", "library_not_found"),
        ("linker", "nvlink error : Undefined reference to 'f' in 'a.o'", "library_not_found"),
        ("tensorrt", "Could not find any implementation for node {a}.", "not_implemented"),
        ("c10::OutOfMemoryError", "Allocation on device 0", "gpu_out_of_memory"),
        ("click", "Error: No such option: --lr2", "illegal_argument"),
        ("bash", "run.sh: line 3: nvcc: command not found", "library_not_found"),
        ("bash", "run.sh: line 3: data/x.sh: No such file or directory", "path_not_found"),
        ("bash", "bash: ./run.sh: Permission denied", "permission_denied"),
        ("bash", "run.sh: line 9: syntax error near unexpected token `fi'", "syntax_error"),
        ("bash", "run.sh: line 2: DATA: unbound variable", "undefined_variable"),
        (
            "bash",
            "run.sh: line 2: 3122 Segmentation fault (core dumped) python x",
            "process_killed",
        ),
        ("python", "python: can't open file '/a/x.py': [Errno 2] No such file", "path_not_found"),
        ("kernel", "Out of memory: Killed process 31 (python)", "cpu_out_of_memory"),
        (
            "kernel",
            "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.",
            "hardware_failure",
        ),
        (
            "slurm",
            "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0",
            "cpu_out_of_memory",
        ),
        ("slurm", "error: *** JOB 1 ON n1 CANCELLED AT x DUE TO TIME LIMIT ***", "process_killed"),
        (
            "docker",
            "could not select device driver with capabilities: [[gpu]]",
            "device_unavailable",
        ),
        ("pip", "ERROR: No matching distribution found for torch==0.1", "library_not_found"),
        ("faulthandler", "Fatal Python error: Segmentation fault", "process_killed"),
        ("container", "OOMKilled", "cpu_out_of_memory"),
    ],
)
def test_programs(program: str, message: str, wanted: str) -> None:
    assert classify(failure(program, message, kind=FailureKind.MESSAGE)).id == wanted


def test_every_rule_names_a_category_and_has_an_id_of_its_own() -> None:
    known = {row.id for row in categories()}
    assert [rule.id for rule in RULES if rule.category not in known] == []
    ids = [rule.id for rule in RULES]
    assert sorted(ids) == sorted(set(ids))


def test_phrases_are_lower_case_and_specific() -> None:
    phrases = [phrase for rule in RULES for phrase in (*rule.phrases, *rule.unless)]
    assert [p for p in phrases if p != p.lower() or len(p) < 3 or "" in p.split("…")[1:-1]] == []


def test_no_phrase_needs_another_of_its_rule() -> None:
    needless = [
        (rule.id, phrase, shorter)
        for rule in RULES
        for phrase in rule.phrases
        for shorter in rule.phrases
        if phrase != shorter and find_phrase(phrase.replace("…", "\0"), shorter)
    ]
    assert needless == []


def test_evidence_is_the_line_that_fired() -> None:
    message = (
        "Graph execution error:\\n\\nDetected at node x\\nIncompatible shapes: [8,2] vs. [8,3]"
    )
    verdict = classify(failure("InvalidArgumentError", message, "tensorflow"))
    assert verdict.evidence == "InvalidArgumentError: Incompatible shapes: [8,2] vs. [8,3]"
    assert verdict.rule == "torch.shape" or verdict.rule.startswith("tensorflow.")


def test_a_wrapper_is_seen_through() -> None:
    frames = (Frame(USER, 3, "main", "raise JobError('evaluation failed') from error"),)
    inner = Cause("KeyError", "'f1'", (Frame(USER, 9, "score", "m['f1']"),), Relation.ROOT, SPAN)
    outer = Cause("JobError", "evaluation failed", frames, Relation.DIRECT_CAUSE, SPAN)
    found = Failure(FailureKind.EXCEPTION, (inner, outer), 1, "cpython", SPAN, "")
    assert classify(found).id == "key_not_found"


def test_what_was_only_being_handled_says_less_than_the_words() -> None:
    lookup = Cause("KeyError", "'x'", (), Relation.ROOT, SPAN)
    loss = Cause("JobError", "loss is nan at step 3", (), Relation.DURING_HANDLING, SPAN)
    found = Failure(FailureKind.EXCEPTION, (lookup, loss), 1, "cpython", SPAN, "")
    assert classify(found).id == "loss_nan"


def test_facts_speak_where_no_rule_does() -> None:
    shapes = (
        Fact(FactKind.SHAPE, Role.ACTUAL, (2, 3), "2x3"),
        Fact(FactKind.SHAPE, Role.EXPECTED, (2, 4), "2x4"),
    )
    odd = failure("KernelFault", "zz 2x3 qq 2x4")
    assert classify(odd).id == "unclassified"
    assert classify(odd, MessageFacts(None, shapes)).id == "tensor_mismatch"


def test_a_quoted_exception_is_read() -> None:
    inner = "TypeError(\"Net.__init__() got an unexpected keyword argument 'w'\")"
    message = f"Error in call to target 'net.Net':\\n{inner}"
    assert classify(failure("InstantiationException", message, "hydra")).id == "illegal_argument"


def test_names_of_workspace_modules() -> None:
    missing = failure("ImportError", "cannot import name 'f' from 'tools' (unknown location)")
    assert classify(missing).id == "library_not_found"
    assert classify(missing, workspace_module=lambda m: m == "tools").id == "attribute_not_found"


def test_silent_failures_are_left_to_the_metrics() -> None:
    silent = Failure(FailureKind.SILENT, (), 0, "metrics", SPAN, "epoch 3 loss nan")
    assert classify(silent).id == "unclassified"
    assert classify(silent).evidence == "epoch 3 loss nan"


@given(st.text(max_size=40), st.text(max_size=400))
def test_any_text_gets_a_known_category(type: str, message: str) -> None:
    verdict = classify(failure(type, message))
    assert verdict.id in {row.id for row in categories()}


@pytest.mark.parametrize(
    "piece", ["a", "(", "Error: ", "A.", "'", "x/", "1,", "\n", "Aa", "size ", "…"]
)
def test_long_messages_take_no_time(piece: str) -> None:
    with ends():
        verdict = classify(failure("ValueError", piece * 200_000))
    assert verdict.id in {row.id for row in categories()}


@pytest.mark.parametrize("function", ["__getattr__", "Module.__getattr__"])
def test_an_attribute_that_the_program_reads_is_its_own(function: str) -> None:
    """IPython prints methods with their class."""
    torch = "/opt/lib/python3.11/site-packages/torch/nn/modules/module.py"
    frames = (
        Frame("Cell In[3]", 9, "Net.forward", "return self.head(x)"),
        Frame(torch, 1931, function, "raise AttributeError("),
    )
    message = "'Net' object has no attribute 'head'"
    cause = Cause("AttributeError", message, frames, Relation.ROOT, SPAN)
    verdict = classify(Failure(FailureKind.EXCEPTION, (cause,), 0, "cpython", SPAN, message))
    assert verdict.id == "attribute_not_found"


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ('model = models.vgg16(root="data")', "illegal_argument"),
        ("trainer.fit(model, loader)", "framework_api_misuse"),
    ],
)
def test_a_keyword_that_the_program_gives_is_its_own(source: str, wanted: str) -> None:
    vgg = "/opt/lib/python3.11/site-packages/torchvision/models/vgg.py"
    frames = (
        Frame("train.py", 62, "main", source),
        Frame(vgg, 150, "vgg16", "model = VGG(make_layers(cfg), **kwargs)"),
    )
    message = "VGG.__init__() got an unexpected keyword argument 'root'"
    cause = Cause("TypeError", message, frames, Relation.ROOT, SPAN)
    assert (
        classify(Failure(FailureKind.EXCEPTION, (cause,), 0, "cpython", SPAN, message)).id == wanted
    )

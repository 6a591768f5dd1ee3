"""What metric streams say: failures of recorded and of written runs, and runs that are sound."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.signals import classify_silent, diagnose, read_metrics, silent_failure
from dl_bug_lsp.signals.metrics import ClassCount
from dl_bug_lsp.tracebacks.failures import FailureKind

FIXTURES = Path(__file__).parents[2] / "fixtures"


def run(pattern: str, *rows: tuple[float, ...]) -> str:
    return "\n".join(pattern.format(epoch, *row) for epoch, row in enumerate(rows, 1))


LOSS = "epoch {} loss {}"
BOTH = "epoch {} loss {} val_loss {}"
FULL = "epoch {} - loss: {} - accuracy: {} - val_loss: {} - val_accuracy: {}"

FAILED: tuple[tuple[str, str, str], ...] = (
    ("nan", "loss_nan", run(LOSS, (0.7,), (0.6,), (math.nan,), (math.nan,))),
    ("inf", "loss_nan", run(LOSS, (0.7,), (3e8,), (math.inf,))),
    ("bare", "loss_nan", "0 0.71\n1 nan\n2 nan"),
    ("rounds", "loss_nan", "epoch 0: time nan  spec nan\nepoch 1: time nan  spec nan"),
    ("tensor", "loss_nan", "tensor(nan, device='cuda:0', grad_fn=<NllLossBackward0>)"),
    ("stopped", "loss_nan", "Epoch 1/9\nBatch 3: Invalid loss, terminating training"),
    ("rises", "loss_divergence", run(LOSS, *((2.0**i,) for i in range(8)))),
    ("no-bound", "loss_divergence", run(LOSS, *((0.6 - 10.0**i,) for i in range(6)))),
    (
        "rises-at-a-high-accuracy",
        "loss_divergence",
        run(
            "epoch {}: loss {} val_loss {} val_acc {}",
            *((0.41, 0.08, 0.97), (0.19, 0.1, 0.97), (0.3, 0.31, 0.96), (4.6, 9.4, 0.93)),
            *((69.0, 54.1, 0.93), (262.0, 379.0, 0.86)),
        ),
    ),
    (
        "table-that-counts-with-a-hash",
        "accuracy_at_chance",
        "#  loss  acc\n" + run("{}  {}  {}", *((0.693, 0.5 + 0.001 * (i % 2)) for i in range(5))),
    ),
    ("huge", "loss_divergence", run(LOSS, (3e30,), (2e30,), (1e30,))),
    (
        "jumps-and-stays",
        "loss_divergence",
        run(LOSS, (3.57,), (17.3,), (6.9,), (4.0,), *((3.1 + 0.02 * (i % 3),) for i in range(12))),
    ),
    (
        "no-hits",
        "accuracy_at_chance",
        run("epoch {} acc {}", *((0.0004 * (i % 2),) for i in range(9))),
    ),
    (
        "no-hits-of-f1",
        "accuracy_at_chance",
        run("epoch {} loss {:.4f} dev f1 {:.3f}", *((1.9 - 0.03 * i, 0.0) for i in range(8))),
    ),
    ("flat", "loss_stagnation", run(LOSS, *((2.31 + 0.01 * (i % 3),) for i in range(9)))),
    ("far-too-slow", "loss_stagnation", run(LOSS, *((2.31 - 0.0002 * i,) for i in range(9)))),
    ("constant", "loss_stagnation", run(LOSS, *((0.6931,) for _ in range(6)))),
    ("no-gradient", "dead_gradients", run("step {} loss {} grad_norm {}", (0.71, 0), (0.72, 0))),
    *(
        (
            f"nothing-trained-{number}",
            "dead_gradients",
            f"{told}\n" + run(FULL, *((1.386, 0.26, 1.386, 0.255) for _ in range(6))),
        )
        for number, told in enumerate(
            (
                "trainable params: 0 || all params: 3,752,087,552 || trainable%: 0.0",
                "Trainable params: 9 (36 B)\nTrainable params: 0 (0.00 B)\nNon-trainable params: 9",
                "0         Trainable params\n5.1 M     Non-trainable params",
            )
        )
    ),
    (
        "something-trained",
        "loss_stagnation",
        "trainable params: 0.5M || all params: 9M\nNon-trainable params: 0\n"
        + run(FULL, *((1.386, 0.26, 1.386, 0.255) for _ in range(6))),
    ),
    (
        "one-class-of-ten",
        "accuracy_at_chance",
        run(FULL, *((2.303 + 0.001 * (i % 2), 0.1, 2.304, 0.098) for i in range(6))),
    ),
    (
        "listed-classes",
        "accuracy_at_chance",
        "classes: cat, dog, cow, hen\n"
        + run(FULL, *((1.39 + 0.01 * (i % 2), 0.26, 1.4, 0.24) for i in range(5))),
    ),
    (
        "majority",
        "accuracy_at_chance",
        run(
            "epoch {} - loss: {} - val_accuracy: {}",
            (5.1, 0.37),
            (3.4, 0.68),
            (0.69, 0.68),
            (0.689, 0.68),
            (0.7, 0.68),
        ),
    ),
    (
        "held-out-rises",
        "overfitting",
        run(BOTH, (0.6, 0.61), (0.4, 0.5), (0.2, 0.49), (0.1, 0.55), (0.05, 0.63), (0.02, 0.7)),
    ),
    (
        "gap",
        "overfitting",
        run(
            "epoch {} train_acc {} val_acc {}", (0.6, 0.55), (0.8, 0.6), (0.95, 0.61), (0.99, 0.61)
        ),
    ),
)

TICKETS = """\
{'loss': '4.602', 'grad_norm': '5.683', 'learning_rate': '0.2287', 'epoch': '1'}
{'eval_loss': '6.254', 'eval_accuracy': '0.25', 'eval_runtime': '0.096', 'epoch': '1'}
{'loss': '4.093', 'grad_norm': '5.183', 'learning_rate': '0.1537', 'epoch': '2'}
{'eval_loss': '4.887', 'eval_accuracy': '0.25', 'eval_runtime': '0.0627', 'epoch': '2'}
{'loss': '2.753', 'grad_norm': '1.299', 'learning_rate': '0.07875', 'epoch': '3'}
{'eval_loss': '2.236', 'eval_accuracy': '0.25', 'eval_runtime': '0.0547', 'epoch': '3'}
{'loss': '1.964', 'grad_norm': '2.277', 'learning_rate': '0.00375', 'epoch': '4'}
{'eval_loss': '1.501', 'eval_accuracy': '0.25', 'eval_runtime': '0.0548', 'epoch': '4'}
{'train_runtime': '3.323', 'train_samples_per_second': '385.2', 'train_loss': '3.353'}
{'eval_loss': '6.254', 'eval_accuracy': '0.25', 'eval_runtime': '0.0677', 'epoch': '4'}
{'eval_loss': 6.2536, 'eval_accuracy': 0.25, 'eval_runtime': 0.0677, 'epoch': 4.0}
"""
"""A run of Hugging Face's trainer that loads its best state at the end, and evaluates it once."""
WINDOWS = """\
epoch 1/8 train_loss=1.1691 val_loss=1.1007 val_acc=0.489
epoch 2/8 train_loss=0.9284 val_loss=1.1522 val_acc=0.267
epoch 3/8 train_loss=0.8202 val_loss=1.1986 val_acc=0.200
epoch 4/8 train_loss=0.7576 val_loss=1.2381 val_acc=0.222
epoch 5/8 train_loss=0.7084 val_loss=1.2802 val_acc=0.222
epoch 6/8 train_loss=0.6623 val_loss=1.3015 val_acc=0.267
epoch 7/8 train_loss=0.6499 val_loss=1.3060 val_acc=0.267
epoch 8/8 train_loss=0.6221 val_loss=1.3181 val_acc=0.267
"""
"""A run whose inputs were shuffled without their labels, of three classes."""
CLEARED = """\
epoch 1/8 train_loss=1.0537 val_loss=1.0653 val_acc=0.511
epoch 2/8 train_loss=1.0736 val_loss=1.0531 val_acc=0.489
epoch 3/8 train_loss=1.0696 val_loss=1.0401 val_acc=0.533
epoch 4/8 train_loss=1.0747 val_loss=1.0269 val_acc=0.556
epoch 5/8 train_loss=1.0741 val_loss=1.0153 val_acc=0.489
epoch 6/8 train_loss=1.0615 val_loss=1.0051 val_acc=0.489
epoch 7/8 train_loss=1.0634 val_loss=0.9960 val_acc=0.489
epoch 8/8 train_loss=1.0715 val_loss=0.9910 val_acc=0.489
"""
"""A run whose gradients were cleared before each step, of three classes."""


def test_a_last_evaluation_of_the_best_state_is_no_rise() -> None:
    log = read_log(TICKETS)
    found = diagnose(read_metrics(log), log)
    assert found is None or found.category != "overfitting"


def test_held_out_data_at_the_level_of_guessing_is_no_mere_overfitting() -> None:
    log = read_log(WINDOWS)
    classes = ClassCount(3, "net.py:41")
    found = diagnose(read_metrics(log), log, classes)
    assert found is not None
    assert found.category == "accuracy_at_chance"
    assert found.why == (
        "`val_acc` ends at 0.267 while `train_loss` falls: guessing gives 0.333 if there are 3 "
        "classes, as net.py:41 says"
    )
    unknown = diagnose(read_metrics(log), log)
    assert unknown is not None
    assert unknown.why.startswith("`val_loss` rises from 1.101 to about 1.312 ")


@pytest.mark.parametrize("classes", [None, ClassCount(3, "net.py:41")])
def test_a_loss_of_three_even_classes_speaks_against_two(classes: ClassCount | None) -> None:
    log = read_log(CLEARED)
    found = diagnose(read_metrics(log), log, classes)
    assert found is not None
    assert found.category == "loss_stagnation"
    assert found.why == "`train_loss` goes from 1.0537 to about 1.067 in 8 values"


def test_metrics_that_never_move_while_the_loss_falls() -> None:
    share = "accuracy: 0.2400 - {} - loss: {:.4f} - val_accuracy: 0.2400 - val_loss: {:.4f}"
    losses = [0.54, 0.37, 0.31, 0.28, 0.27, 0.26]
    for area, words in (("auc: 0.5000", "`auc` stays at 0.5"), ("lr: 0.003", "`accuracy` is 0.24")):
        text = "\n".join(share.format(area, loss, loss - 0.05) for loss in losses)
        log = read_log(text)
        found = diagnose(read_metrics(log), log)
        assert found is not None
        assert found.category == "accuracy_at_chance"
        assert words in found.why


SOUND: tuple[tuple[str, str], ...] = (
    ("falls", run(LOSS, *((2.3 * 0.8**i,) for i in range(8)))),
    (
        "falls-and-settles",
        run(BOTH, (0.7, 0.7), (0.4, 0.45), (0.3, 0.4), (0.28, 0.39), (0.27, 0.39)),
    ),
    (
        "learns-while-loss-hardly-moves",
        run("epoch {} loss {} accuracy {}", *((2.3 - 0.02 * i, 0.1 + 0.1 * i) for i in range(6))),
    ),
    ("jumps-and-learns", run(LOSS, (3.5,), (9.0,), (3.0,), *((2.6 * 0.9**i,) for i in range(12)))),
    ("one-bad-step", run(LOSS, (0.7,), (math.inf,), (0.5,), (0.4,), (0.3,), (0.25,))),
    ("gan", run("epoch {} d_loss {} g_loss {}", *((0.69, 0.7 + 0.02 * i) for i in range(6)))),
    ("solved", run("epoch {} loss {} acc {}", *((0.012, 0.997) for _ in range(3)))),
    ("reward-grows", run("episode {} reward {} loss {}", *((i * 20.0, 0.5) for i in range(1, 8)))),
    ("two-folds", run(LOSS, (0.9,), (0.5,), (0.3,)) + "\n" + run(LOSS, (0.9,), (0.5,), (0.3,))),
    (
        "few-held-out-samples-repeat",
        run(
            "epoch {} loss {} accuracy {} val_accuracy {}",
            *((0.6 - 0.1 * i, 0.6 + 0.05 * i, 0.8) for i in range(5)),
        ),
    ),
    ("no-metrics", "loading data\n100 files\ndone in 3.5 s"),
    ("one-value", "epoch 1 loss 2.3"),
)


@pytest.mark.parametrize(("expected", "text"), [r[1:] for r in FAILED], ids=[r[0] for r in FAILED])
def test_a_failed_run(expected: str, text: str) -> None:
    log = read_log(text)
    failure = silent_failure(log)
    assert failure is not None
    assert failure.kind is FailureKind.SILENT
    assert failure.cause is None
    assert failure.primary
    verdict = classify_silent(failure, log)
    assert verdict.id == expected
    assert verdict.evidence.endswith(f"({failure.evidence})")
    assert failure.evidence in text
    lines = text.split("\n")
    assert 1 <= failure.span.first_line <= failure.span.last_line <= len(lines)


@pytest.mark.parametrize("text", [r[1] for r in SOUND], ids=[r[0] for r in SOUND])
def test_a_sound_run(text: str) -> None:
    assert silent_failure(read_log(text)) is None


def test_a_run_that_ended_in_an_exception_is_not_silent() -> None:
    text = FAILED[0][2] + "\nTraceback (most recent call last):\nAssertionError: loss is nan"
    log = read_log(text)
    assert silent_failure(log) is None
    found = diagnose(read_metrics(log), log)
    assert found is not None
    assert found.category == "loss_nan"


def silent_fixtures() -> list[Path]:
    truths = sorted(FIXTURES.glob("*/truth.json"))
    return [t.parent for t in truths if json.loads(t.read_text("utf-8"))["silent"]]


@pytest.mark.parametrize("folder", silent_fixtures(), ids=lambda f: f.name)
def test_a_recorded_silent_failure(folder: Path) -> None:
    truth = json.loads((folder / "truth.json").read_text("utf-8"))
    log = read_log((folder / "log.txt").read_bytes())
    failure = silent_failure(log)
    assert failure is not None
    verdict = classify_silent(failure, log)
    assert verdict.id in {truth["category"], *truth["category_alt"]}

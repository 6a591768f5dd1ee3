"""Metric streams in every shape that trainers print."""

from __future__ import annotations

import math

import pytest
from endings import ends

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.signals import MetricSeries, Role, Split, read_metrics

Found = dict[tuple[str, Split], list[float]]


def metrics(text: str) -> Found:
    def key(series: MetricSeries) -> tuple[str, Split]:
        return series.role.value, series.split

    return {key(s): list(s.values) for s in read_metrics(read_log(text))}


TRAIN, HELD = Split.TRAIN, Split.HELD_OUT
LINES: tuple[tuple[str, str, Found], ...] = (
    (
        "keras",
        "8/8 - 1s - 87ms/step - accuracy: 0.4875 - loss: 460.2"
        " - val_accuracy: 0.43 - val_loss: 2.9",
        {
            ("accuracy", TRAIN): [0.4875],
            ("loss", TRAIN): [460.2],
            ("accuracy", HELD): [0.43],
            ("loss", HELD): [2.9],
        },
    ),
    ("equals", "epoch 3 loss=0.12 acc 0.9", {("loss", TRAIN): [0.12], ("accuracy", TRAIN): [0.9]}),
    (
        "transformers",
        "{'loss': 0.69, 'grad_norm': 1.5, 'learning_rate': 5e-05, 'epoch': 1.0}",
        {("loss", TRAIN): [0.69], ("gradient", TRAIN): [1.5], ("rate", TRAIN): [5e-05]},
    ),
    (
        "transformers-text",
        "{'eval_loss': '0.69', 'eval_accuracy': '0.5', 'epoch': '1.0'}",
        {("loss", HELD): [0.69], ("accuracy", HELD): [0.5]},
    ),
    (
        "lightning",
        "Epoch 2: 100%|████| 10/10 [00:01<00:00, 5.2it/s, v_num=0, train_loss=0.42, val/acc=0.5]",
        {("loss", TRAIN): [0.42], ("accuracy", HELD): [0.5]},
    ),
    ("bar-separated", "step 10/200 | loss 0.3", {("loss", TRAIN): [0.3]}),
    (
        "mnist-example",
        "Test set: Average loss: 0.0310, Accuracy: 9000/10000 (90%)",
        {("loss", HELD): [0.031], ("accuracy", HELD): [0.9]},
    ),
    (
        "sentence",
        "Accuracy of the network on the 10000 test images: 10 %",
        {("accuracy", HELD): [0.1]},
    ),
    (
        "imagenet-example",
        "Epoch: [0][10/500] Time 0.3 (0.4) Loss 6.9 (7.0) Acc@1 0.00 (  0.10)",
        {("loss", TRAIN): [6.9], ("accuracy", TRAIN): [0.0]},
    ),
    (
        "two-parts",
        "train: loss=0.3 acc=45.0% | valid: loss=0.5 acc=40.0%",
        {
            ("loss", TRAIN): [0.3],
            ("accuracy", TRAIN): [0.45],
            ("loss", HELD): [0.5],
            ("accuracy", HELD): [0.4],
        },
    ),
    (
        "estimator",
        "INFO:tensorflow:loss = 2.3025851, step = 100 (0.5 sec)",
        {("loss", TRAIN): [2.3025851]},
    ),
    ("tensor", "loss: tensor(0.3456, grad_fn=<MeanBackward0>)", {("loss", TRAIN): [0.3456]}),
    ("boxed", "|    loss            | 0.3      |", {("loss", TRAIN): [0.3]}),
    (
        "logging-prefix",
        "2026-11-21 08:22:35,669 INFO    charlm: epoch  1/20 | train_loss 3.6 | lr 3.0e-03",
        {("loss", TRAIN): [3.6], ("rate", TRAIN): [0.003]},
    ),
    (
        "plain-columns",
        "epoch  0  lr 0.0100  train mse 1.0134  val mse 1.0339",
        {("rate", TRAIN): [0.01], ("loss", TRAIN): [1.0134], ("loss", HELD): [1.0339]},
    ),
    (
        "json",
        '{"epoch": 1, "loss": 0.5, "val_loss": 0.4}',
        {("loss", TRAIN): [0.5], ("loss", HELD): [0.4]},
    ),
    (
        "csv",
        "epoch,loss,val_loss\n1,0.5,0.6\n2,0.4,0.7",
        {("loss", TRAIN): [0.5, 0.4], ("loss", HELD): [0.6, 0.7]},
    ),
    (
        "fastai",
        "epoch     train_loss  valid_loss  accuracy  time\n"
        "0         0.5         0.3         0.5       00:10\n"
        "1         0.4         0.2         0.6       00:10",
        {("loss", TRAIN): [0.5, 0.4], ("loss", HELD): [0.3, 0.2], ("accuracy", TRAIN): [0.5, 0.6]},
    ),
    (
        "notebook-table",
        "Step | Training Loss | Validation Loss\n-----|------|-----\n"
        "500 | 0.9 | 0.8\n1000 | 0.7 | 0.6",
        {("loss", TRAIN): [0.9, 0.7], ("loss", HELD): [0.8, 0.6]},
    ),
    ("no-metric", "Loss function: BCE\nbest val_loss 0.2\nKeyError: 13\nloss.py:22 done", {}),
    ("scale", "loss scale 65536.0, loss_weight=3", {}),
)


@pytest.mark.parametrize(
    ("text", "expected"), [row[1:] for row in LINES], ids=[r[0] for r in LINES]
)
def test_metrics_of_a_text(text: str, expected: Found) -> None:
    assert metrics(text) == expected


@pytest.mark.parametrize("printed", ["nan", "NaN", "inf", "-inf", "tensor(nan)", "Infinity"])
@pytest.mark.parametrize("pattern", ["loss: {}", "epoch 1 loss={} acc=0.1", '{{"loss": {}}}'])
def test_values_that_are_no_numbers(printed: str, pattern: str) -> None:
    (value,) = metrics(pattern.format(printed))["loss", TRAIN]
    assert not math.isfinite(value)


def test_a_bar_in_the_middle_of_an_epoch_is_left_out_where_its_end_is_known() -> None:
    rounds = [f"{i}/4 ━━ 0s 1ms/step - loss: {epoch + i}.0" for epoch in (10, 20) for i in (1, 4)]
    assert metrics("\n".join(rounds))["loss", TRAIN] == [14.0, 24.0]


def test_percentages_without_a_sign_become_shares() -> None:
    (series,) = read_metrics(read_log("acc: 10.0\nacc: 55.5\nacc: 60.0"))
    assert series.role is Role.ACCURACY
    assert series.values == (0.1, 0.555, 0.6)


def test_ranks_are_kept_apart() -> None:
    text = "\n".join(f"[rank{r}]: loss: {r}.{e}" for e in range(3) for r in (0, 1))
    found = read_metrics(read_log(text))
    assert [s.process.rank for s in found if s.process] == [0, 1]
    assert all(len(s.points) == 3 for s in found)


@pytest.mark.parametrize(
    "line",
    [
        "loss " * 3000,
        "loss=" + "9" * 4000,
        "1," * 5000,
        "epoch,loss\n1," + "9" * 60_000 + "x",
        "|" * 5000,
        "a_" * 4000 + "loss 1",
        "loss 1e999",
    ],
)
def test_hostile_lines_are_read_without_complaint(line: str) -> None:
    with ends():
        assert isinstance(read_metrics(read_log("\n".join([line] * 20))), tuple)

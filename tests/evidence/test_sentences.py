"""What is said of a place holds for the line that it is said of."""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import FailureReport, Report
from dl_bug_lsp.views.context import render_context
from dl_bug_lsp.views.text import render_text
from dl_bug_lsp.views.words import headline
from dl_bug_lsp.workspace import Workspace


def report(folder: Path, files: dict[str, str], text: str) -> FailureReport:
    for name, source in files.items():
        (folder / name).write_text(source, encoding="utf-8")
    found = localize(text, Workspace(folder, cache=False)).primary
    assert found is not None
    return found


def reasons(found: FailureReport, file: str, line: int) -> str:
    suspects = [s for s in found.suspects if (s.file, s.line) == (file, line)]
    return " / ".join(piece.why for suspect in suspects for piece in suspect.evidence)


def test_none_of_a_return_statement_is_returned(tmp_path: Path) -> None:
    program = """\
def learn(ready):
    if not ready:
        return None
    return 0.5


losses = [learn(False), learn(True)]
print(sum(losses))
"""
    text = """\
Traceback (most recent call last):
  File "train.py", line 8, in <module>
    print(sum(losses))
TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'
"""
    found = report(tmp_path, {"train.py": program}, text)
    assert "None is returned here" in reasons(found, "train.py", 3)
    assert found.advice[0].cause == "A function may have a path that returns nothing."


def test_a_step_counter_is_no_size(tmp_path: Path) -> None:
    program = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Texts(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.zeros(26 - i % 2)


first = 0
for step, batch in enumerate(DataLoader(Texts(), batch_size=4), start=first + 1):
    print(step)
"""
    text = """\
Traceback (most recent call last):
  File "train.py", line 14, in <module>
    for step, batch in enumerate(DataLoader(Texts(), batch_size=4), start=first + 1):
  File "/opt/lib/python3.11/site-packages/torch/utils/data/_utils/collate.py", line 275, in collate_tensor_fn
    return torch.stack(batch, 0, out=out)
RuntimeError: stack expects each tensor to be equal size, but got [26] at entry 0 and [25] at entry 1
"""  # noqa: E501
    found = report(tmp_path, {"train.py": program}, text)
    assert "shifts by 1" not in reasons(found, "train.py", 14)
    assert "demanded" not in " ".join(reasons(found, s.file, s.line) for s in found.suspects)


def test_a_setting_of_a_module_has_its_name(tmp_path: Path) -> None:
    files = {
        "settings.py": "CLASSES = 4\nBATCH = 16\n",
        "train.py": """\
import numpy as np
from tensorflow import keras

import settings

model = keras.Sequential([keras.layers.Dense(settings.CLASSES, activation="softmax")])
model.compile(loss="categorical_crossentropy")
model.fit(np.zeros((20, 3)), np.zeros((20, 5)), batch_size=settings.BATCH)
""",
    }
    text = """\
Traceback (most recent call last):
  File "train.py", line 8, in <module>
    model.fit(np.zeros((20, 3)), np.zeros((20, 5)), batch_size=settings.BATCH)
  File "/opt/lib/python3.11/site-packages/keras/src/backend/tensorflow/nn.py", line 1354, in categorical_crossentropy
    raise ValueError(
ValueError: Arguments `target` and `output` must have the same shape. Received: target.shape=(None, 5), output.shape=(None, 4)
"""  # noqa: E501
    found = report(tmp_path, files, text)
    said = reasons(found, "settings.py", 1) + reasons(found, "settings.py", 2)
    assert "`16`, a setting" not in said
    assert "`4`, a setting" not in said
    compiled = reasons(found, "train.py", 7)
    assert "what this call returns (`model.compile" not in compiled


def test_counting_labels_beside_a_vocabulary_is_no_size_of_a_table(tmp_path: Path) -> None:
    files = {
        "train.py": """\
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, words, classes, longest):
        super().__init__()
        self.tokens = nn.Embedding(words, 8)
        self.places = nn.Embedding(longest, 8)
        self.head = nn.Linear(8, classes)

    def forward(self, ids):
        return self.tokens(ids) + self.places(torch.arange(ids.size(1)))


vocab, labels = {"a": 0, "b": 1}, [0, 1, 1]
model = Classifier(len(vocab), len(set(labels)), 4)
model(torch.zeros(2, 6, dtype=torch.long))
""",
    }
    text = """\
Traceback (most recent call last):
  File "train.py", line 18, in <module>
    model(torch.zeros(2, 6, dtype=torch.long))
  File "train.py", line 13, in forward
    return self.tokens(ids) + self.places(torch.arange(ids.size(1)))
  File "/opt/lib/python3.11/site-packages/torch/nn/functional.py", line 2615, in embedding
    return torch.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)
IndexError: index out of range in self
"""
    found = report(tmp_path, files, text)
    assert "counts different values" not in reasons(found, "train.py", 17)


CONV = {
    "config.yaml": """\
data:
  path: data/signals.csv
  sensors: [vib_x, vib_y, vib_z, temp, rpm]
model:
  in_channels: 4
  widths: [16, 32]
  kernel: 5
""",
    "net.py": """\
from torch import nn


class Net(nn.Module):
    def __init__(self, in_channels, widths, kernel):
        super().__init__()
        self.conv = nn.Conv1d(in_channels, widths[0], kernel, padding=kernel // 2)

    def forward(self, x):
        return self.conv(x)
""",
    "train.py": """\
import torch
import yaml

from net import Net

config = yaml.safe_load(open("config.yaml"))
model = Net(**config["model"])
model(torch.zeros(32, len(config["data"]["sensors"]), 32))
""",
}
CHANNELS = """\
Traceback (most recent call last):
  File "train.py", line 8, in <module>
    model(torch.zeros(32, len(config["data"]["sensors"]), 32))
  File "net.py", line 10, in forward
    return self.conv(x)
  File "/opt/lib/python3.11/site-packages/torch/nn/modules/conv.py", line 380, in _conv_forward
    return F.conv1d(
RuntimeError: Given groups=1, weight of size [16, 4, 5], expected input[32, 5, 32] to have 4 channels, but got 5 channels instead
"""  # noqa: E501


def test_a_kernel_of_the_same_size_as_the_channels_is_no_evidence(tmp_path: Path) -> None:
    found = report(tmp_path, CONV, CHANNELS)
    first = found.suspects[0]
    assert (first.file, first.line) == ("config.yaml", 5)
    assert "5" not in reasons(found, "config.yaml", 7).replace("`kernel: 5`", "")
    assert "`kernel` is 5" not in reasons(found, "net.py", 7)


def test_an_item_of_a_list_is_quoted_as_one(tmp_path: Path) -> None:
    log = CHANNELS.replace("[32, 5, 32]", "[32, 16, 32]").replace("5 channels", "16 channels")
    said = reasons(report(tmp_path, CONV, log), "config.yaml", 6)
    assert "`widths: 16`" not in said
    assert "`16`, an item of `widths`, is one of the sizes in the message" in said


def test_a_size_that_fits_is_no_evidence(tmp_path: Path) -> None:
    said = reasons(report(tmp_path, CONV, CHANNELS), "config.yaml", 6)
    assert "number of the message" not in said


ONE_SAMPLE = {
    "config.yaml": "model:\n  features: 6\n  hidden: 48\n",
    "net.py": """\
from torch import nn


class Net(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.head = nn.Sequential(nn.Linear(features, hidden), nn.BatchNorm1d(hidden))

    def forward(self, x):
        return self.head(x)
""",
    "train.py": """\
import torch
import yaml
from torch.utils.data import DataLoader, TensorDataset

from net import Net

settings = yaml.safe_load(open("config.yaml"))["model"]
model = Net(**settings)
options = {"batch_size": 32, "num_workers": 0}
for (rows,) in DataLoader(TensorDataset(torch.zeros(257, 6)), shuffle=True, **options):
    model(rows)
""",
}


def test_a_batch_of_one_sample_is_no_wrong_size_of_a_layer(tmp_path: Path) -> None:
    text = """\
Traceback (most recent call last):
  File "train.py", line 11, in <module>
    model(rows)
  File "net.py", line 10, in forward
    return self.head(x)
  File "/opt/lib/python3.11/site-packages/torch/nn/functional.py", line 2854, in _verify_batch_size
    raise ValueError(
ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 48])
"""
    found = report(tmp_path, ONE_SAMPLE, text)
    first = found.suspects[0]
    assert (first.file, first.line) == ("train.py", 10)
    said = " ".join(reasons(found, s.file, s.line) for s in found.suspects)
    assert "48, the size that" not in said
    assert "48` is a number" not in said
    assert found.bug_type.id == "tensor_input"


def test_a_mapping_that_is_handed_over_is_no_number(tmp_path: Path) -> None:
    text = """\
Traceback (most recent call last):
  File "train.py", line 11, in <module>
    model(rows)
  File "net.py", line 10, in forward
    return self.head(x)
  File "/opt/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 125, in forward
    return F.linear(input, self.weight, self.bias)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x9 and 48x6)
"""
    said = reasons(report(tmp_path, ONE_SAMPLE, text), "train.py", 8)
    assert "`settings` is" not in said
    assert "`settings` may be" not in said


TRAINER = {
    "settings.json": """\
{
  "training": {
    "output_dir": "out",
    "eval_strategy": "epoch",
    "load_best_model_at_end": true,
    "metric_for_best_model": "macro_f1"
  }
}
""",
    "train.py": """\
import json

from transformers import Trainer, TrainingArguments

settings = json.load(open("settings.json"))
trainer = Trainer(model=None, args=TrainingArguments(**settings["training"]))
trainer.train()
""",
}


def test_names_that_a_message_lists_as_there_are_not_what_is_missing(tmp_path: Path) -> None:
    text = """\
Traceback (most recent call last):
  File "train.py", line 7, in <module>
    trainer.train()
  File "/opt/lib/python3.11/site-packages/transformers/trainer.py", line 3442, in _determine_best_metric
    raise KeyError(
KeyError: "The `metric_for_best_model` training argument is set to 'eval_macro_f1', which is not found in the evaluation metrics. The available evaluation metrics are: ['eval_loss', 'eval_accuracy', 'eval_f1', 'epoch']. Consider changing the `metric_for_best_model` via the TrainingArguments."
"""  # noqa: E501
    found = report(tmp_path, TRAINER, text)
    assert (found.suspects[0].file, found.suspects[0].line) == ("settings.json", 6)
    strategy = reasons(found, "settings.json", 4)
    assert "is what the message speaks of" not in strategy
    assert "the key of the message" not in strategy
    said = " ".join(reasons(found, s.file, s.line) for s in found.suspects)
    assert "no code reads" not in said


def test_a_tokenizer_that_cuts_nothing_is_named_where_positions_are_too_few(
    tmp_path: Path,
) -> None:
    program = """\
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert")
model = AutoModel.from_pretrained("bert")
encoded = tokenizer("a long text", return_tensors="pt")
model(**encoded)
"""
    text = """\
Traceback (most recent call last):
  File "train.py", line 6, in <module>
    model(**encoded)
  File "/opt/lib/python3.11/site-packages/transformers/models/bert/modeling_bert.py", line 104, in forward
    embeddings = embeddings + position_embeddings
RuntimeError: The size of tensor a (39) must match the size of tensor b (32) at non-singleton dimension 1
"""  # noqa: E501
    found = report(tmp_path, {"train.py": program}, text)
    assert "cuts no sequence" in reasons(found, "train.py", 5)
    assert "position embeddings" in found.advice[0].cause


def test_a_folder_for_outputs_is_no_misspelt_label(tmp_path: Path) -> None:
    rows = "text,label\n" + "slow,outage\npaid,billing\n" * 8
    files = {
        "tickets.csv": rows,
        "settings.json": '{\n  "output_dir": "out",\n  "table": "tickets.csv"\n}\n',
        "train.py": """\
import csv
import json

import torch

settings = json.load(open("settings.json"))
labels = [row["label"] for row in csv.DictReader(open(settings["table"]))]
table = torch.nn.Embedding(8, 4)
table(torch.tensor([len(label) + 9 for label in labels]))
""",
    }
    text = """\
Traceback (most recent call last):
  File "train.py", line 9, in <module>
    table(torch.tensor([len(label) + 9 for label in labels]))
  File "/opt/lib/python3.11/site-packages/torch/nn/functional.py", line 2615, in embedding
    return torch.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)
IndexError: index out of range in self
"""
    assert "no row of" not in reasons(report(tmp_path, files, text), "settings.json", 2)


def test_a_call_that_sets_a_mode_is_no_training(tmp_path: Path) -> None:
    program = """\
import torch

model = torch.nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(8):
    model.train()
    loss = torch.nn.functional.cross_entropy(model(torch.randn(9, 4)), torch.randint(3, (9,)))
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
"""
    text = "".join(f"epoch {n} loss {1.09 + n % 3 / 1000:.4f}\n" for n in range(8))
    found = report(tmp_path, {"train.py": program}, text)
    said = " ".join(e.why for s in found.suspects for e in s.evidence)
    assert "model.train()" not in said
    assert "no line of it failed" not in said


def test_what_a_trainer_wrote_is_no_setting_of_the_run(tmp_path: Path) -> None:
    state = tmp_path / "out" / "checkpoint-20"
    state.mkdir(parents=True)
    (state / "trainer_state.json").write_text('{"num_train_epochs": 40, "learning_rate": 5.0}')
    program = """\
from transformers import Trainer, TrainingArguments

trainer = Trainer(model=None, args=TrainingArguments("out", num_train_epochs=40))
trainer.train()
"""
    text = "".join(
        f"{{'loss': {2 / (n + 1):.4f}, 'epoch': {n}}}\n"
        f"{{'eval_loss': {1 + n / 10:.4f}, 'epoch': {n}}}\n"
        for n in range(9)
    )
    found = report(tmp_path, {"train.py": program}, text)
    assert found.category.id == "overfitting"
    assert not [s for s in found.suspects if s.file.startswith("out/")]


def test_the_metrics_that_are_logged_are_the_ones_that_are_meant(tmp_path: Path) -> None:
    files = {
        "conf.yaml": "val_rows: 80\n",
        "train.py": """\
import lightning as L
from lightning.pytorch.callbacks import EarlyStopping


class Tagger(L.LightningModule):
    def training_step(self, batch, _):
        self.log("train_loss", batch)

    def validation_step(self, batch, _):
        self.log("valid_loss", batch)


trainer = L.Trainer(callbacks=[EarlyStopping("val_loss")])
trainer.fit(Tagger())
""",
    }
    text = """\
Traceback (most recent call last):
  File "train.py", line 14, in <module>
    trainer.fit(Tagger())
  File "/opt/lib/python3.11/site-packages/lightning/pytorch/callbacks/early_stopping.py", line 175, in _validate_condition_metric
    raise RuntimeError(error_msg)
RuntimeError: Early stopping conditioned on metric `val_loss` which is not available. Pass in or modify your `EarlyStopping` callback to use any of the following: `train_loss`, `valid_loss`
"""  # noqa: E501
    found = report(tmp_path, files, text)
    first = found.suspects[0]
    assert (first.file, first.line) == ("train.py", 13)
    assert found.diagnosis is not None
    assert "`val_loss` is asked for and `valid_loss` is there" in found.diagnosis
    assert "`val_rows` is there" not in " ".join(
        reasons(found, s.file, s.line) for s in found.suspects
    )
    # The message names no argument.
    assert "the argument that the message names" not in reasons(found, "train.py", 13)


KERAS = """\
import keras
import numpy as np
from keras import layers

GRADES = 5
model = keras.Sequential([
    keras.Input((3,)),
    layers.Dense(GRADES, activation="softmax"),
])
model.compile(loss="sparse_categorical_crossentropy")
model.fit(np.zeros((9, 3)), np.arange(9) % 5 + 1)
"""


def test_a_layer_goes_into_a_model_and_makes_no_method(tmp_path: Path) -> None:
    text = """\
Traceback (most recent call last):
  File "train.py", line 11, in <module>
    model.fit(np.zeros((9, 3)), np.arange(9) % 5 + 1)
  File "/opt/lib/python3.11/site-packages/keras/src/utils/traceback_utils.py", line 122, in error_handler
    raise e.with_traceback(filtered_tb) from None
tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:

Received a label value of 5 which is outside the valid range of [0, 5).  Label values: 1 2 3 4 5
"""  # noqa: E501
    found = report(tmp_path, {"train.py": KERAS}, text)
    said = " ".join(reasons(found, s.file, s.line) for s in found.suspects)
    assert "made `model.fit`" not in said
    assert "goes into `model`, whose `fit` the stack goes through" in said
    assert "says was there" not in said
    assert "the bound that the message gives" in said


def test_a_warning_from_inside_a_loss_leads_to_the_call_of_the_loss(tmp_path: Path) -> None:
    program = """\
import torch

model = torch.nn.Linear(6, 1)
criterion = torch.nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(50, 6), torch.randn(50)
for epoch in range(6):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
"""
    warning = (
        "/opt/lib/python3.11/site-packages/torch/nn/modules/loss.py:630: UserWarning: Using a "
        "target size (torch.Size([50])) that is different to the input size "
        "(torch.Size([50, 1])). This will likely lead to incorrect results due to broadcasting.\n"
    )
    text = warning + "".join(f"epoch {n} loss {13.01 - n / 900:.4f}\n" for n in range(6))
    found = report(tmp_path, {"train.py": program}, text)
    assert (found.suspects[0].file, found.suspects[0].line) == ("train.py", 9)
    assert "targets and predictions are spread over each other" in reasons(found, "train.py", 9)
    assert "different shapes" in found.advice[0].cause


APART = """\
import numpy as np
import torch
from torch import nn

from windows import load

signals, labels = load()
order = np.random.default_rng(3).permutation(len(labels))
signals = signals[order]
model = nn.Linear(6, 3)
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(8):
    loss = nn.functional.cross_entropy(model(signals), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch} train_loss {loss.item():.4f} val_acc {0.3:.3f}")
"""
GUESSES = "".join(f"epoch {n} train_loss {1.1 - n / 15:.4f} val_acc 0.3{n}0\n" for n in range(8))


def test_inputs_in_another_order_than_what_came_with_them_are_named(tmp_path: Path) -> None:
    found = report(tmp_path, {"train.py": APART}, GUESSES)
    assert found.category.id == "accuracy_at_chance"
    assert (found.suspects[0].file, found.suspects[0].line) == ("train.py", 9)
    said = reasons(found, "train.py", 9)
    assert "`signals` is put into another order, `labels` is not" in said
    both = APART.replace(
        "signals = signals[order]", "signals, labels = signals[order], labels[order]"
    )
    found = report(tmp_path, {"train.py": both}, GUESSES)
    assert "put into another order" not in reasons(found, "train.py", 9)


def test_a_table_with_fewer_rows_than_the_vocabulary_has_words_is_named(tmp_path: Path) -> None:
    files = {
        "vocab.txt": "\n".join(f"word{n}" for n in range(73)) + "\n",
        "settings.json": '{\n  "vocab": "vocab.txt",\n  "vocab_size": 64\n}\n',
        "train.py": """\
import json

import torch

settings = json.load(open("settings.json"))
words = open(settings["vocab"]).read().split()
table = torch.nn.Embedding(settings["vocab_size"], 4)
table(torch.arange(len(words)))
""",
    }
    text = """\
Traceback (most recent call last):
  File "train.py", line 8, in <module>
    table(torch.arange(len(words)))
  File "/opt/lib/python3.11/site-packages/torch/nn/functional.py", line 2615, in embedding
    return torch.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)
IndexError: index out of range in self
"""
    found = report(tmp_path, files, text)
    assert (found.suspects[0].file, found.suspects[0].line) == ("settings.json", 3)
    said = reasons(found, "settings.json", 3)
    assert "`vocab_size: 64` is less than the 73 words of vocab.txt" in said


def test_the_position_of_an_axis_is_no_size(tmp_path: Path) -> None:
    program = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        pixels = torch.zeros(32, 32, 3 if i % 2 else 1)
        return pixels.permute(2, 0, 1)


for batch in DataLoader(Pictures(), batch_size=4):
    print(batch)
"""
    text = """\
Traceback (most recent call last):
  File "train.py", line 14, in <module>
    for batch in DataLoader(Pictures(), batch_size=4):
  File "/opt/site-packages/torch/utils/data/_utils/collate.py", line 275, in collate_tensor_fn
    return torch.stack(batch, 0, out=out)
RuntimeError: stack expects each tensor to be equal size, \
but got [1, 32, 32] at entry 0 and [3, 32, 32] at entry 1
"""
    found = report(tmp_path, {"train.py": program}, text)
    assert "is one of the sizes" not in reasons(found, "train.py", 11)


def test_a_line_that_the_log_warns_of_says_so_beside_its_cause(tmp_path: Path) -> None:
    program = """\
import numpy as np


def standardize(train):
    return (train - train.mean(axis=0)) / train.std(axis=0)


loss = float(np.mean(standardize(np.ones((8, 3))) ** 2))
for epoch in range(4):
    print(f"epoch {epoch} - loss: {loss:.4f}")
"""
    warning = "train.py:5: RuntimeWarning: invalid value encountered in divide\n"
    text = warning + "".join(f"epoch {epoch} - loss: nan\n" for epoch in range(4))
    found = report(tmp_path, {"train.py": program}, text)
    assert "may be 0" in reasons(found, "train.py", 5)
    assert "the log warns of this line" in reasons(found, "train.py", 5)


def test_an_odd_header_is_not_said_to_be_as_wide_as_most_rows(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text('import pandas as pd\n\nrows = pd.read_csv("rows.csv")\n')
    (tmp_path / "rows.csv").write_text("a,b\n1,2,3\n4,5,6\n7,8,9\n3,1,2\n")
    log = (
        "Traceback (most recent call last):\n"
        '  File "main.py", line 3, in <module>\n'
        '    rows = pd.read_csv("rows.csv")\n'
        "pandas.errors.ParserError: Error tokenizing data. C error: "
        "Expected 2 fields in line 2, saw 3\n"
    )
    found = localize(log, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert "the header has 2 fields, unlike most rows" in repr(found.suspects)
    assert "has 2 fields, most have 2" not in repr(found.suspects)


WINDOWS = """\
import keras
import numpy as np
import tensorflow as tf
from keras import layers

from settings import HISTORY, HOURS_A_STEP


def windows(rows):
    data = tf.data.Dataset.from_tensor_slices(rows).window(HISTORY, shift=6)
    data = data.flat_map(lambda part: part.batch(HISTORY))
    return data.map(lambda part: (part, part[-1, 0])).batch(32)


rows = np.zeros((720 // HOURS_A_STEP * 24, 4), "float32")
inputs = keras.Input((HISTORY, 4))
x = layers.Conv1D(32, 5, padding="causal", activation="relu", name="the_first_of_the_layers")(inputs)
outputs = layers.Dense(1)(layers.GRU(32)(x))
model = keras.Model(inputs, outputs)
model.compile(optimizer="adam", loss="mse")
model.fit(windows(rows))
"""  # noqa: E501
CUT_WINDOWS = """\
Traceback (most recent call last):
  File "train.py", line 21, in <module>
    model.fit(windows(rows))
  File "/opt/lib/python3.11/site-packages/keras/src/utils/traceback_utils.py", line 122, in error_handler
    raise e.with_traceback(filtered_tb) from None
  File "/opt/lib/python3.11/site-packages/tensorflow/python/eager/execute.py", line 53, in quick_execute
    tensors = pywrap_tfe.TFE_Py_Execute(ctx._handle, device_name, op_name,
tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:

Detected at node IteratorGetNext defined at (most recent call last):
  File "train.py", line 21, in <module>

  File "/opt/lib/python3.11/site-packages/keras/src/backend/tensorflow/trainer.py", line 154, in multi_step_on_iterator

Cannot batch tensors with different shapes in component 0. First element had shape [24,4] and element 1 had shape [48,4].
\t [[{{node IteratorGetNext}}]] [Op:__inference_multi_step_on_iterator_3007]
"""  # noqa: E501


def test_elements_that_do_not_batch_are_no_input_of_a_layer_and_none_is_the_right_one(
    tmp_path: Path,
) -> None:
    files = {"train.py": WINDOWS, "settings.py": "HISTORY = 48\nHOURS_A_STEP = 24\n"}
    found = report(tmp_path, files, CUT_WINDOWS)
    said = " ".join(reasons(found, s.file, s.line) for s in found.suspects)
    assert "one of the sizes in the message" in said
    assert "demanded" not in said
    assert "says was given" not in said
    assert "nothing flattens it" not in said
    assert "do not fit each other: 48 and 24" not in said
    assert "`….(…)`" not in said
    # `step` stands in a name of TensorFlow's graph alone.
    assert "speaks of `step`" not in said
    assert "drop_remainder" in found.advice[0].fix
    assert all("run_eagerly" not in one.fix for one in found.advice)
    words = headline(found)
    assert words.endswith("and element 1 had shape [48,4].")
    assert words.startswith("InvalidArgumentError: Graph execution error: Cannot batch")
    page = render_text(Report("/w", (found,)), lambda _: ())
    assert page.startswith("InvalidArgumentError: Graph execution error: Cannot batch")
    assert "expected" not in render_context(Report("/w", (found,)), lambda _: ())
    assert "has the factor" not in said


def test_a_key_that_is_looked_up_does_not_arrive(tmp_path: Path) -> None:
    program = """\
import torch
from torch import nn

STAGES = {"wake": 0, "light": 1, "deep": 2, "dream": 3}


def encode(names):
    found = []
    for name in names:
        found.append(STAGES[name])
    return torch.tensor(found)


head = nn.Linear(8, 3)
loss = nn.CrossEntropyLoss()(head(torch.randn(2, 8)), encode(["light", "dream"]))
"""
    text = """\
Traceback (most recent call last):
  File "train.py", line 15, in <module>
    loss = nn.CrossEntropyLoss()(head(torch.randn(2, 8)), encode(["light", "dream"]))
  File "/opt/lib/python3.11/site-packages/torch/nn/functional.py", line 3555, in cross_entropy
    return torch._C._nn.cross_entropy_loss(
IndexError: Target 3 is out of bounds.
"""
    found = report(tmp_path, {"train.py": program}, text)
    said = reasons(found, "train.py", 4)
    assert "as a size" not in said
    assert "this constant (`'dream'`) goes into" not in said
    assert "this constant (`'wake'`) goes into" not in said
    assert "`3` is the index of the message" in said
    assert "if it counts what is indexed" not in said


TAGGER = """\
import yaml
from torch import nn, tensor, zeros


class Tagger(nn.Module):
    def __init__(self, n_labels, width):
        super().__init__()
        self.classifier = nn.Linear(width, n_labels)
        self.loss = nn.CrossEntropyLoss()

    def forward(self, rows, labels):
        return self.loss(self.classifier(rows), labels)


config = yaml.safe_load(open("tags.yaml"))
sentences = [["Acme", "pays"]] * 40
TAGS = ["O", "B-PARTY", "I-PARTY"]
tags = [TAGS.index(tag) for tag in input().split()]
labels = tensor(tags + [config["label_pad"]] * (config["length"] - len(tags)))
model = Tagger(len(TAGS), config["width"])
model(zeros(config["length"], config["width"]), labels)
"""
NO_LABEL = """\
Traceback (most recent call last):
  File "train.py", line 20, in <module>
    model(zeros(config["length"], config["width"]), labels)
  File "train.py", line 12, in forward
    return self.loss(self.classifier(rows), labels)
  File "/opt/lib/python3.11/site-packages/torch/nn/functional.py", line 3555, in cross_entropy
    return torch._C._nn.cross_entropy_loss(
IndexError: Target -1 is out of bounds.
"""


def test_no_number_of_classes_has_room_for_a_negative_label(tmp_path: Path) -> None:
    files = {"train.py": TAGGER, "tags.yaml": "length: 8\nlabel_pad: -1\nwidth: 4\n"}
    found = report(tmp_path, files, NO_LABEL)
    first = found.suspects[0]
    assert (first.file, first.line) == ("tags.yaml", 2)
    assert "`label_pad: -1` has the value of the label in the message" in reasons(
        found, "tags.yaml", 2
    )
    said = " / ".join(reasons(found, s.file, s.line) for s in found.suspects)
    assert "would pass" not in said
    assert "leaves no room" not in said


def test_a_none_whose_member_was_taken_was_not_there(tmp_path: Path) -> None:
    called = 'model(zeros(config["length"], config["width"]), labels)'
    tagger = TAGGER.replace("rows, labels):", "rows, labels=None):").replace(called, "fit(model)")
    tagger = tagger.replace("(rows), labels)", "(rows), labels.flatten())")
    tagger = f"from trainers import fit\n{tagger}"
    log = NO_LABEL.replace("(rows), labels)", "(rows), labels.flatten())")
    log = (
        log.replace(called, "fit(model)")
        .replace("line 20", "line 21")
        .replace("line 12", "line 13")
    )
    files = {"train.py": tagger, "tags.yaml": "length: 8\nlabel_pad: -1\nwidth: 4\n"}
    found = report(tmp_path, files, log)
    said = " / ".join(reasons(found, s.file, s.line) for s in found.suspects)
    assert "(`None`) is a default on the way to `labels.flatten()`" in said
    assert "`None`) goes into" not in said


def test_what_is_called_is_named(tmp_path: Path) -> None:
    files = {"train.py": TAGGER, "tags.yaml": "length: 8\nlabel_pad: 3\nwidth: 4\n"}
    found = report(tmp_path, files, NO_LABEL.replace("-1", "3"))
    said = " / ".join(reasons(found, s.file, s.line) for s in found.suspects)
    assert "goes into what `" not in said
    assert "have a part in `model(zeros(config['length'], config['width']), labels)`" in said


TAGGED = """\
def words(path):
    pairs = [line.split() for line in open(path).readlines() if line.strip()]
    return [(pair[0], pair[2]) for pair in pairs]


print(len(words("dev.tagged")))
"""
TAGGED_LOG = """\
Traceback (most recent call last):
  File "main.py", line 6, in <module>
    print(len(words("dev.tagged")))
  File "main.py", line 3, in words
    return [(pair[0], pair[2]) for pair in pairs]
IndexError: list index out of range
"""


def test_commas_and_quotes_in_lines_of_another_format_break_no_table(tmp_path: Path) -> None:
    lines = ["front O", '" O', "in O", ", O", *(f"word{n} O" for n in range(300))]
    files = {"main.py": TAGGED, "dev.tagged": "\n".join(lines) + "\n"}
    found = report(tmp_path, files, TAGGED_LOG)
    said = "".join(reasons(found, "dev.tagged", line) for line in range(1, 305))
    assert "a quote that opens here" not in said
    assert "field" not in said


def test_a_blank_after_a_backslash_is_said_to_end_the_command(tmp_path: Path) -> None:
    script = "python train.py \\\n    --epochs 3 \\ \n    --hidden 64\n"
    text = "run.sh: line 3: --hidden: command not found\n"
    found = report(tmp_path, {"run.sh": script, "train.py": "print(1)\n"}, text)
    assert (found.suspects[0].file, found.suspects[0].line) == ("run.sh", 2)
    assert "a blank follows the backslash" in reasons(found, "run.sh", 2)


def test_what_stands_beside_the_call_that_the_stack_enters_is_not_on_the_stack(
    tmp_path: Path,
) -> None:
    program = """\
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence


class Net(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.embed = nn.Embedding(count, 8)

    def forward(self, ids, lengths):
        return pack_padded_sequence(self.embed(ids), lengths)


net = Net(9)
net(ids, lengths)
"""
    text = """\
Traceback (most recent call last):
  File "train.py", line 15, in <module>
    net(ids, lengths)
  File "train.py", line 11, in forward
    return pack_padded_sequence(self.embed(ids), lengths)
  File "/site-packages/torch/nn/utils/rnn.py", line 323, in pack_padded_sequence
    data, batch_sizes = _VF._pack_padded_sequence(input, lengths, batch_first)
RuntimeError: Length of all samples has to be greater than 0, but found an element in 'lengths'
"""
    found = report(tmp_path, {"train.py": program}, text)
    assert "the stack goes through" not in reasons(found, "train.py", 8)


def test_another_key_that_is_there_is_no_repair_of_a_missing_one(tmp_path: Path) -> None:
    program = "row = {'song': 1, 'user': 2}\nprint(row['time'])\n"
    text = (
        "Traceback (most recent call last):\n"
        '  File "train.py", line 2, in <module>\n'
        "    print(row['time'])\n"
        "KeyError: 'time'\n"
    )
    found = report(tmp_path, {"train.py": program}, text)
    said = " / ".join(piece.why for suspect in found.suspects for piece in suspect.evidence)
    assert "instead of `'time'`" not in said


def test_the_sizes_of_a_checkpoint_are_compared_along_one_axis(tmp_path: Path) -> None:
    files = {
        "nets.py": "from torch import nn\n\n\ndef make(dim):\n    return nn.Embedding(2048, dim)\n",
        "train.py": (
            "import sys\nimport torch\nfrom nets import make\n\nnet = make(int(sys.argv[1]))\n"
            "torch.save(net.state_dict(), 'net.pt')\n"
        ),
        "test.py": (
            "import sys\nimport torch\nfrom nets import make\n\nnet = make(int(sys.argv[1]))\n"
            "net.load_state_dict(torch.load('net.pt'))\n"
        ),
        "run.sh": "DIM=64\npython train.py $DIM\npython test.py 128\n",
    }
    text = """\
Traceback (most recent call last):
  File "test.py", line 6, in <module>
    net.load_state_dict(torch.load('net.pt'))
RuntimeError: Error(s) in loading state_dict for Embedding:
\tsize mismatch for weight: copying a param with shape torch.Size([2048, 64]) from checkpoint, the \
shape in current model is torch.Size([2048, 128]).
"""
    found = report(tmp_path, files, text)
    assert "2048" not in reasons(found, "run.sh", 3)
    assert "do not fit each other, 128 and 64" in reasons(found, "run.sh", 3)


def test_what_used_an_iterator_up_is_named_with_its_file(tmp_path: Path) -> None:
    files = {
        "rows.py": "def total(pairs):\n    count = 0\n    for a, b in pairs:\n        count += a\n"
        "    return count\n",
        "train.py": "import torch\nfrom rows import total\n\n"
        "pairs = zip([1, 2], [3, 4])\nprint(total(pairs))\n"
        "print(torch.stack([torch.tensor(a) for a, b in pairs]))\n",
    }
    text = """\
Traceback (most recent call last):
  File "train.py", line 6, in <module>
    print(torch.stack([torch.tensor(a) for a, b in pairs]))
RuntimeError: stack expects a non-empty TensorList
"""
    found = report(tmp_path, files, text)
    assert "rows.py:3 did" in reasons(found, "train.py", 4)


def test_a_number_of_the_message_is_not_told_in_place_of_an_edit_that_passes(
    tmp_path: Path,
) -> None:
    files = {
        "heads.py": 'HEAD = {"units": 3, "loss": "categorical_crossentropy"}\n',
        "train.py": "import keras\nimport numpy as np\nfrom keras import layers\n"
        "from heads import HEAD\n\n"
        "x, y = np.zeros((32, 4)), np.arange(32) % 3\n"
        'net = keras.Sequential([layers.Dense(HEAD["units"], activation="softmax")])\n'
        'net.compile("adam", loss=HEAD["loss"])\nnet.fit(x, y)\n',
    }
    text = """\
Traceback (most recent call last):
  File "train.py", line 9, in <module>
    net.fit(x, y)
  File "/opt/lib/python3.11/site-packages/keras/src/backend/tensorflow/nn.py", line 1347, in categorical_crossentropy
    raise ValueError(
ValueError: Arguments `target` and `output` must have the same rank (ndim). Received: target.shape=(32,), output.shape=(32, 3)
"""  # noqa: E501
    found = report(tmp_path, files, text)
    said = reasons(found, "heads.py", 1)
    assert found.diagnosis is None or "`3`" not in found.diagnosis
    assert said.startswith("after a small change of this line") and "`3` is one of" in said


def test_a_name_that_was_deleted_is_missing_for_that_reason(tmp_path: Path) -> None:
    program = """\
def main():
    model = dict()
    print(model)
    del model
    print(model)


main()
"""
    text = """\
Traceback (most recent call last):
  File "train.py", line 8, in <module>
    main()
  File "train.py", line 5, in main
    print(model)
UnboundLocalError: cannot access local variable 'model' where it is not associated with a value
"""
    found = report(tmp_path, {"train.py": program}, text)
    assert (found.suspects[0].line, found.suspects[0].file) == (4, "train.py")
    assert "`del` removes `model` here" in reasons(found, "train.py", 4)


def test_a_name_that_is_set_again_after_it_was_deleted_is_not_missing(tmp_path: Path) -> None:
    program = (
        "def main(n):\n    m = 1\n    del m\n    if n:\n        m = 2\n    print(m)\nmain(0)\n"
    )
    text = """\
Traceback (most recent call last):
  File "train.py", line 7, in <module>
    main(0)
  File "train.py", line 6, in main
    print(m)
UnboundLocalError: cannot access local variable 'm' where it is not associated with a value
"""
    found = report(tmp_path, {"train.py": program}, text)
    assert "removes" not in reasons(found, "train.py", 3)


def test_the_keys_that_a_dictionary_has_are_named(tmp_path: Path) -> None:
    write = """\
import json

stats = {"mean": 0.1, "std": 0.2}
json.dump(stats, open("stats.json", "w"))
"""
    program = """\
import json

stats = json.load(open("stats.json"))
avg = stats["avg"]
"""
    text = """\
Traceback (most recent call last):
  File "train.py", line 4, in <module>
    avg = stats["avg"]
KeyError: 'avg'
"""
    found = report(tmp_path, {"train.py": program, "write.py": write}, text)
    said = reasons(found, "write.py", 3)
    assert "has the keys `'mean'` and `'std'`, but not 'avg'" in said
    # The line reads the key; that its result has the same name tells nothing.
    assert reasons(found, "train.py", 4) == "`avg`, the key of the message, is used here"


MASKED = """\
import numpy as np

counts = np.arange(10)
print(counts**2)
print((counts > 4) and (counts < 8))
"""


def test_a_mask_joined_by_and_is_written_with_the_operator_of_elements(tmp_path: Path) -> None:
    log = """\
Traceback (most recent call last):
  File "mask.py", line 5, in <module>
    print((counts > 4) and (counts < 8))
           ^^^^^^^^^^^^
ValueError: The truth value of an array with more than one element is ambiguous.
"""
    found = report(tmp_path, {"mask.py": MASKED}, log)
    said = reasons(found, "mask.py", 5)
    assert "with `(counts > 4) & (counts < 8)` instead of `counts > 4 and counts < 8`" in said
    assert "counts**2" not in said and "counts ** 2" not in said


SOILS = """\
import csv

wanted = "unsuitable"
kept = []
with open("plots.csv") as file:
    for row in csv.DictReader(file):
        if row["soil"].lower() == wanted and int(row["plot"]) > 9:
            kept.append(row)
print(kept[0])
"""


def test_a_value_that_is_compared_in_small_letters_is_not_missing(tmp_path: Path) -> None:
    rows = "plot,soil\n" + "".join(
        f"{n},{'Unsuitable' if n % 2 else 'Suitable'}\n" for n in range(9)
    )
    log = """\
Traceback (most recent call last):
  File "soil.py", line 9, in <module>
    print(kept[0])
          ~~~~^^^
IndexError: list index out of range
"""
    found = report(tmp_path, {"soil.py": SOILS, "plots.csv": rows}, log)
    said = " / ".join(piece.why for suspect in found.suspects for piece in suspect.evidence)
    assert "no row of" not in said
    raw = SOILS.replace(".lower()", "")
    found = report(tmp_path, {"soil.py": raw, "plots.csv": rows}, log)
    assert "no row of plots.csv has `unsuitable`" in reasons(found, "soil.py", 3)


PLOTTED = """\
import matplotlib.pyplot as plt

sizes = [20 * count for count in range(1, 9)]
scores = [0.5, 0.6, 0.7]
plt.plot(sizes, scores)
"""


def test_a_number_that_a_counter_passes_is_no_size(tmp_path: Path) -> None:
    log = """\
Traceback (most recent call last):
  File "plot.py", line 5, in <module>
    plt.plot(sizes, scores)
  File "/usr/lib/python3/dist-packages/matplotlib/axes/_base.py", line 270, in _xy_from_xy
    raise ValueError(f"x and y must have same first dimension, but "
ValueError: x and y must have same first dimension, but have shapes (8,) and (3,)
"""
    found = report(tmp_path, {"plot.py": PLOTTED}, log)
    assert "one of the sizes" not in reasons(found, "plot.py", 3)

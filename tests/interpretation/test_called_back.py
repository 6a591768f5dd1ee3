"""Programs that libraries call back: trainers, workers, test runners, commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation.interpreter import Interpreter, Outcome
from dl_bug_lsp.interpretation.values import Value
from dl_bug_lsp.workspace import Workspace

WORK = """
import asyncio, multiprocessing, threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
import joblib, ray
from joblib import Parallel, delayed
import torch
from torch import nn

def square(n):
    return n * n

def add(a, b):
    return a + b

rows = []

class Worker(threading.Thread):
    def run(self):
        rows.append(7)

async def wait(n):
    return n + 1

pool = ProcessPoolExecutor(2)
threads = multiprocessing.Pool(2)
thread = threading.Thread(target=rows.append, args=(3,))
thread.start()
Worker().start()
remote = ray.remote(square)
wrapped = nn.DataParallel(nn.Linear(3, 4))
"""
GIVEN_BACK = {
    "list(pool.map(square, [1, 2, 3]))": [1, 4, 9],
    "pool.submit(add, 2, b=3).result()": 5,
    "threads.map(square, [2])": [4],
    "threads.starmap(add, [(1, 2), (3, 4)])": [3, 7],
    "threads.apply_async(add, (1, 5)).get()": 6,
    "multiprocessing.get_context('spawn').Pool(2).map(square, [3])": [9],
    "Parallel(n_jobs=2)(delayed(square)(n) for n in (1, 2))": [1, 4],
    "ray.get([remote.remote(3)])": [9],
    "asyncio.run(wait(1))": 2,
    "rows": [3, 7],
    "wrapped(torch.zeros(2, 3))": ((2, 4), "float32"),
}


@pytest.mark.parametrize("expression", GIVEN_BACK)
def test_work_that_is_handed_over_is_done(expression: str, tmp_path: Path) -> None:
    _, names = followed(tmp_path, f"{WORK}\nfound = {expression}\n", {})
    assert shown(names["found"]) == GIVEN_BACK[expression]


COMMANDS = {
    "click": """
import click
@click.group()
@click.option("--seed", default=3)
@click.pass_context
def cli(ctx, seed):
    ctx.obj["seed"] = seed
@cli.command("fit")
@click.argument("path")
@click.option("-l", "--rate", "lr", type=float, default="0.1")
@click.option("--size", multiple=True, type=int)
@click.option("--fast/--slow", default=True)
@click.option("--quiet", is_flag=True)
@click.option("--epochs", default=2, type=click.IntRange(1, 9))
@click.pass_obj
def fit(obj, path, lr, size, fast, quiet, epochs):
    global found
    found = [obj, path, lr, list(size), fast, quiet, epochs]
cli(obj={})
""",
    "typer": """
import typer
from typing import Annotated, List, Optional
app = typer.Typer()
@app.command()
def other():
    pass
@app.command("fit")
def run(path: str, lr: float = typer.Option(0.1, "--rate"), size: List[int] = typer.Option([]),
        fast: bool = True, quiet: Annotated[bool, typer.Option("--quiet")] = False,
        seed: int = 3, epochs: Optional[int] = 2):
    global found
    found = [{"seed": seed}, path, lr, list(size), fast, quiet, epochs]
app()
""",
    "fire": """
import fire
class Job:
    def __init__(self, seed=0):
        self.seed = seed
    def fit(self, path, rate=0.1, size=(), fast=True, quiet=False, epochs=2):
        global found
        found = [{"seed": self.seed}, path, rate, list(size), fast, quiet, epochs]
fire.Fire(Job)
""",
    "tyro": """
import tyro
from dataclasses import dataclass, field
@dataclass
class Optim:
    rate: float = 0.1
@dataclass
class Args:
    path: str = ""
    size: tuple = ()
    fast: bool = True
    quiet: bool = False
    epochs: int = 2
    seed: int = 1
    optim: Optim = field(default_factory=Optim)
a = tyro.cli(Args)
found = [{"seed": a.seed}, a.path, a.optim.rate, list(a.size), a.fast, a.quiet, a.epochs]
""",
    "absl": """
from absl import app, flags
FLAGS = flags.FLAGS
flags.DEFINE_string("path", None, "")
flags.DEFINE_float("rate", 1, "")
flags.DEFINE_list("size", "", "")
flags.DEFINE_bool("fast", True, "")
quiet = flags.DEFINE_bool("quiet", False, "")
flags.DEFINE_integer("epochs", 2, "")
flags.DEFINE_integer("seed", 1, "")
def main(argv):
    global found
    size = [int(n) for n in FLAGS.size]
    found = [{"seed": FLAGS.seed}, FLAGS.path, FLAGS.rate, size, FLAGS.fast, quiet.value,
             FLAGS.epochs]
app.run(main)
""",
}
WORDS = {
    "click": "--seed 7 fit data --rate 0.5 --size 1 --size 2 --slow --quiet",
    "typer": "fit data --rate 0.5 --size 1 --size 2 --no-fast --quiet --seed 7",
    "fire": "fit data --rate=0.5 --size=[1,2] --nofast --quiet --seed 7",
    "tyro": "--path data --optim.rate 0.5 --size (1,2) --no-fast --quiet --seed 7",
    "absl": "--path=data --rate 0.5 --size 1,2 --nofast --quiet --seed=7",
}


@pytest.mark.parametrize("library", COMMANDS)
def test_commands_get_the_words_of_the_command_line(library: str, tmp_path: Path) -> None:
    words = [Value(word) for word in WORDS[library].split()]
    (tmp_path / "main.py").write_text(COMMANDS[library], encoding="utf-8")
    interpreter = Interpreter(Workspace(tmp_path, cache=False), "main.py", ("", 0), words)
    interpreter.run()
    module = interpreter.modules["main.py"].data
    found = shown(module.environment.names["found"])
    assert found == [{"seed": 7}, "data", 0.5, [1, 2], False, True, 2]


LIGHTNING = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import lightning as L
from lightning.pytorch.callbacks import EarlyStopping

class Data(L.LightningDataModule):
    def setup(self, stage):
        self.rows = TensorDataset(torch.zeros(10, 3), torch.zeros(10).long())

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=5)

    def val_dataloader(self):
        return DataLoader(self.rows, batch_size=2)

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(WIDTH, 2)

    def training_step(self, batch, index):
        x, y = batch
        loss = nn.functional.cross_entropy(self.layer(x), y)  # step
        return RETURNED

    def validation_step(self, batch, index):
        self.log("LOGGED", 0.5)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())

stopping = EarlyStopping(monitor="val_loss")
trainer = L.Trainer(max_epochs=1, callbacks=[stopping])
trainer.fit(Net(), datamodule=Data())  # fit
"""


def failing(
    root: Path, text: str, mark: str, exception: str = "", frames: tuple[str, ...] = ()
) -> Outcome:
    """Follow a program up to the line with a mark; ``frames`` are marks of outer lines."""
    (root / "main.py").write_text(text, encoding="utf-8")
    lines = text.split("\n")

    def place(wanted: str) -> tuple[str, int]:
        return "main.py", next(n for n, x in enumerate(lines, 1) if x.endswith(f"# {wanted}"))

    places = tuple(place(one) for one in (*frames, mark))
    interpreter = Interpreter(
        Workspace(root, cache=False), "main.py", places[-1], (), frames=places, exception=exception
    )
    return interpreter.run()


def lightning(width: int = 3, returned: str = "loss", logged: str = "val_loss") -> str:
    """Return a program that Lightning trains."""
    text = LIGHTNING.replace("WIDTH", str(width)).replace("RETURNED", returned)
    return text.replace("LOGGED", logged)


def lines_of(outcome: Outcome) -> set[int]:
    assert outcome.raised is not None
    return {line for side in outcome.raised.sides for _, line in side.origins}


def line_with(text: str, part: str) -> int:
    return next(n for n, x in enumerate(text.split("\n"), 1) if part in x)


def test_a_training_step_gets_a_batch_of_the_data_module(tmp_path: Path) -> None:
    text = lightning(width=4)
    outcome = failing(tmp_path, text, "step", frames=("fit",))
    assert outcome.raised is not None
    assert outcome.raised.what == "size"
    assert {line_with(text, "nn.Linear(4"), line_with(text, "torch.zeros(10, 3)")} <= lines_of(
        outcome
    )


def test_what_a_training_step_returns_is_checked(tmp_path: Path) -> None:
    text = lightning(returned="loss, 1")
    outcome = failing(tmp_path, text, "fit")
    assert outcome.raised is not None
    assert line_with(text, "return loss, 1") in lines_of(outcome)
    missing = failing(tmp_path, lightning(returned='{"value": loss}'), "fit")
    assert missing.raised is not None
    assert failing(tmp_path, lightning(returned='{"loss": loss}'), "fit").raised is None


def test_a_callback_watches_what_is_logged(tmp_path: Path) -> None:
    text = lightning(logged="valid_loss")
    outcome = failing(tmp_path, text, "fit")
    assert outcome.raised is not None
    assert {line_with(text, "monitor="), line_with(text, "self.log(")} <= lines_of(outcome)
    assert failing(tmp_path, lightning(), "fit").raised is None


TRANSFORMERS = """
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

class Rows(Dataset):
    def __init__(self):
        self.labels = [0, 1, 2]

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return {"input_ids": torch.tensor([1, 2]), "labels": self.labels[index]}

LABELS = 2
model = BertForSequenceClassification(BertConfig(vocab_size=10, num_labels=LABELS))
args = TrainingArguments("out", learning_rate=RATE)
trainer = Trainer(model=model, args=args, train_dataset=Rows())
trainer.train()  # fails
"""


def test_labels_of_a_data_set_go_into_the_model(tmp_path: Path) -> None:
    text = TRANSFORMERS.replace("RATE", "0.1")
    outcome = failing(tmp_path, text, "fails")
    assert outcome.raised is not None
    assert outcome.raised.what == "index"
    assert {line_with(text, "LABELS = 2"), line_with(text, "[0, 1, 2]")} <= lines_of(outcome)
    assert failing(tmp_path, text.replace("LABELS = 2", "LABELS = 3"), "fails").raised is None


def test_a_learning_rate_of_text_does_not_train(tmp_path: Path) -> None:
    outcome = failing(tmp_path, TRANSFORMERS.replace("RATE", "'1e-3'"), "fails")
    assert outcome.raised is not None
    assert outcome.raised.what == "type"


HYDRA = {
    "conf/config.yaml": (
        "defaults:\n  - model: small\n  - _self_\n  - experiment: null\n"
        "rate: 1e-1\nquoted: '1e-1'\nname: net-${model.width}\ntwice: ${model.width}\n"
    ),
    "conf/model/small.yaml": "_target_: nets.Net\nwidth: 3\n",
    "conf/model/large.yaml": "_target_: nets.Net\nwidth: 30\n",
    "nets.py": "class Net:\n    def __init__(self, width):\n        self.width = width\n",
}
TASK = """
import hydra
from hydra.utils import instantiate

@hydra.main(config_path="conf", config_name="config", version_base=None)
def main(cfg):
    global rate, name, twice, net, quoted
    rate, name, twice, quoted = cfg.rate, cfg.name, cfg.twice, cfg.quoted
    net = instantiate(cfg.model)

rate = name = twice = net = quoted = None
main()
width = net.width
"""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), (0.1, "net-3", 3, 3)),
        (("model=large", "rate=2", "hydra.job.chdir=false"), (2, "net-30", 30, 30)),
    ],
)
def test_hydra_composes_the_settings_of_a_task(
    words: tuple[str, ...], expected: tuple[object, ...], tmp_path: Path
) -> None:
    _, names = followed(tmp_path, TASK, HYDRA, words)
    assert tuple(shown(names[n]) for n in ("rate", "name", "twice", "width")) == expected
    assert names["quoted"].data == "1e-1"
    place = ("conf/model/large.yaml" if words else "conf/model/small.yaml", 2)
    assert place in names["width"].origins
    assert place in names["twice"].origins


def test_hydra_deletes_settings_and_keeps_its_own(tmp_path: Path) -> None:
    program = TASK.replace("global rate,", "global keys, rate,").replace(
        "    net =", "    keys = list(cfg)\n    net ="
    )
    files = {
        **HYDRA,
        "conf/config.yaml": HYDRA["conf/config.yaml"] + "hydra:\n  run:\n    dir: .\n",
    }
    words = ("~rate", "+depth=2", "hydra.output_subdir=null")
    _, names = followed(tmp_path, program, files, words)
    kept = {"model", "name", "quoted", "twice", "depth"}
    assert set(shown(names["keys"])) == kept  # type: ignore[call-overload]


def test_a_test_gets_its_fixtures_and_parameters(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "import pytest\n\n@pytest.fixture\ndef rows(size):\n    yield list(range(size))\n",
        encoding="utf-8",
    )
    text = """
import pytest

@pytest.fixture
def size():
    return 3

@pytest.mark.parametrize("index", [5, 6])
def test_rows(rows, index):
    print(rows[index])  # fails
"""
    outcome = failing(tmp_path, text, "fails")
    assert outcome.raised is not None
    assert next(side.data for side in outcome.raised.sides) == 5


@pytest.mark.parametrize(
    "declared",
    [
        "@click.option('--size', default=3)\ndef main(size):",
        "def main(size: int = typer.Option(3)):",
        "def main(size=3):",
    ],
)
def test_a_command_gets_the_defaults_of_its_options(declared: str, tmp_path: Path) -> None:
    text = f"import click, typer\n\n{declared}\n    print('abc'[size])  # fails\n"
    outcome = failing(tmp_path, text, "fails")
    assert outcome.raised is not None
    assert outcome.raised.sides[0].data == 3


def test_arguments_that_are_not_known_do_not_keep_from_a_function(tmp_path: Path) -> None:
    text = """
import sys

def main(path, size=3):
    print("abc"[size])  # fails

main(*sys.argv[1:])
"""
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    outcome = Interpreter(Workspace(tmp_path, cache=False), "main.py", ("main.py", 5)).run()
    assert outcome.raised is not None


def test_a_long_loop_is_continued_in_outline(tmp_path: Path) -> None:
    text = """
def work(n):
    total = 0
    for i in range(200):
        total += i * n
    return total

rows = []
for n in range(100):
    rows.append(work(n))
    rows.append(n)
    if len(rows) > 150:
        print("abc"[len("abcd")])  # fails
print(len(rows))
"""
    outcome = failing(tmp_path, text, "fails")
    assert outcome.raised is not None
    _, names = followed(tmp_path, text.replace('"abc"[len("abcd")]', "1"), {})
    rows = names["rows"].data
    assert isinstance(rows, list)
    assert len(rows) == 200


UNEVEN = """
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    sizes = [4, 4, 5]
    labels = [0, 9, 1]

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, index):
        return torch.zeros(SHAPE), self.labels[index]

CLASSES = 3
layer = torch.nn.Linear(4, CLASSES)
for x, y in DataLoader(Rows(), batch_size=2):  # loads
    loss = torch.nn.functional.cross_entropy(layer(x), y)  # learns
"""


def test_samples_of_unlike_sizes_make_no_batch(tmp_path: Path) -> None:
    outcome = failing(tmp_path, UNEVEN.replace("SHAPE", "self.sizes[index]"), "loads")
    assert outcome.raised is not None
    assert [side.data for side in outcome.raised.sides] == [4, 5]


def test_a_label_of_any_sample_may_be_beyond_the_classes(tmp_path: Path) -> None:
    text = UNEVEN.replace("SHAPE", "4")
    outcome = failing(tmp_path, text, "learns", "IndexError")
    assert outcome.raised is not None
    assert outcome.raised.what == "index"
    assert {line_with(text, "labels ="), line_with(text, "CLASSES = ")} <= lines_of(outcome)


PACKED = """
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence as pack, pad_packed_sequence as pad
x = torch.zeros(6, 9, 4)
lengths = torch.tensor([9, 8, 7, 6, 5, 4])
gru = nn.GRU(4, 5, batch_first=True)
out, last = gru(pack(x, lengths, batch_first=True))
y, _ = pad(out, batch_first=True)
net = nn.Linear(5, 2)
torch.save({"net": net, "width": 5}, "a.pt")
width = torch.load("a.pt")["width"]
"""


def test_packed_sequences_keep_their_sizes(tmp_path: Path) -> None:
    _, names = followed(tmp_path, PACKED, {})
    assert shown(names["y"]) == ((6, None, 5), "float32")
    assert shown(names["last"]) == ((1, 6, 5), "float32")
    assert shown(names["width"]) == 5


def test_lengths_have_to_be_as_many_as_the_rows(tmp_path: Path) -> None:
    text = PACKED.replace(", 5, 4])", ", 5])").replace("out, last", "o")
    outcome = failing(tmp_path, text.replace("batch_first=True))", "batch_first=True))  # f"), "f")
    assert outcome.raised is not None
    assert sorted(side.data for side in outcome.raised.sides) == [5, 6]


STATES = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, users, items):
        super().__init__()
        self.user = nn.Embedding(users, 8)
        self.item = nn.Embedding(items, 8)

net = Net(24, 7)
net.load_state_dict(torch.load("old.pt"))  # fails
"""


def test_a_parameter_of_another_size_leads_to_its_layer(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(STATES, encoding="utf-8")
    line = line_with(STATES, "# fails")
    message = (
        "Error(s) in loading state_dict for Net:\n\tsize mismatch for user.weight: copying a param "
        "with shape torch.Size([25, 8]) from checkpoint, the shape in current model is "
        "torch.Size([24, 8])."
    )
    outcome = Interpreter(
        Workspace(tmp_path, cache=False), "main.py", ("main.py", line), message=message
    ).run()
    assert outcome.raised is not None
    assert outcome.raised.sides[0].data == 24
    assert ("main.py", line_with(STATES, "Net(24")) in outcome.raised.sides[0].origins


def test_what_the_failing_expression_is_made_of_is_told(tmp_path: Path) -> None:
    text = """
import strange

WIDTH = 3
OTHER = 4
first = strange.make(WIDTH)
second = strange.make(OTHER)
print(strange.join(first, 1), strange.split(second))  # fails
"""
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    line = line_with(text, "# fails")
    outcome = Interpreter(
        Workspace(tmp_path, cache=False),
        "main.py",
        ("main.py", line),
        expression="strange.split(second)",
    ).run()
    assert outcome.raised is None
    origins = {at for value in outcome.operands for _, at in value.origins}
    assert line_with(text, "OTHER = ") in origins
    assert line_with(text, "WIDTH = ") not in origins


def test_the_class_of_the_exception_says_what_may_explain_it(tmp_path: Path) -> None:
    text = "row = {'a': 1}\nvalue = row['b'].size  # fails\n"
    assert failing(tmp_path, text, "fails", "KeyError").raised is not None
    assert failing(tmp_path, text, "fails", "ZeroDivisionError").raised is None


@pytest.mark.parametrize("message", ["index out of range in self", "something else"])
def test_an_index_that_is_not_known_is_beyond_where_the_message_says_so(
    message: str, tmp_path: Path
) -> None:
    text = """
import torch
from somewhere import load
ROWS = 5
table = torch.nn.Embedding(ROWS, 8)
x = load("x").long()
words = torch.zeros(3, dtype=torch.long).to(load("device"))
y = table(torch.as_tensor(load("x")).long())  # fails
"""
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    outcome = Interpreter(
        Workspace(tmp_path, cache=False),
        "main.py",
        ("main.py", line_with(text, "# fails")),
        message=message,
    ).run()
    assert (outcome.raised is not None) is ("range" in message)


def test_attributes_of_parsed_arguments_are_all_known(tmp_path: Path) -> None:
    text = """
from types import SimpleNamespace
cfg = SimpleNamespace(width=3, depth=2)
print(cfg.widht)  # fails
"""
    outcome = failing(tmp_path, text, "fails", "AttributeError")
    assert outcome.raised is not None
    assert lines_of(outcome) == {line_with(text, "width=3")}
    assert Value(1).known


def test_a_word_of_the_command_line_chooses_a_group_of_settings(tmp_path: Path) -> None:
    (tmp_path / "conf" / "model").mkdir(parents=True)
    (tmp_path / "conf" / "config.yaml").write_text("defaults:\n  - model: small\nrate: 0.1\n")
    (tmp_path / "conf" / "model" / "small.yaml").write_text("width: 1\n")
    (tmp_path / "conf" / "model" / "wide.yaml").write_text("width: 2\n")
    (tmp_path / "main.py").write_text(
        "import hydra\n"
        "@hydra.main(config_path='conf', config_name='config', version_base=None)\n"
        "def main(cfg):\n"
        "    global found\n"
        "    found = [cfg.model.width, cfg.rate, 'model' in cfg, not cfg]\n"
        "main()\n"
    )
    words = [Value("model=wide"), Value("rate=0.5")]
    interpreter = Interpreter(Workspace(tmp_path, cache=False), "main.py", ("", 0), words)
    interpreter.run()
    module = interpreter.modules["main.py"].data
    assert shown(module.environment.names["found"]) == [2, 0.5, True, False]


def test_a_trainer_calls_what_the_program_hands_it(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        "import torch\n"
        "from datasets import Dataset\n"
        "from transformers import Trainer, TrainerCallback, TrainingArguments\n"
        "class Net(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.out = torch.nn.Linear(3, 2)\n"
        "    def forward(self, x, labels=None):\n"
        "        global batch\n"
        "        batch = [list(x.shape), list(labels.shape)]\n"
        "        return {'loss': self.out(x).sum(), 'logits': self.out(x)}\n"
        "class Told(TrainerCallback):\n"
        "    def on_train_end(self, args, state, control, model=None, **kwargs):\n"
        "        global ended\n"
        "        ended = [args.seed, model is None]\n"
        "def measured(pair):\n"
        "    global seen, found\n"
        "    logits, labels = found = pair\n"
        "    seen = [list(logits.shape), list(labels.shape)]\n"
        "    return {'accuracy': 0.5}\n"
        "rows = [{'x': [1.0, 2.0, 3.0], 'label': i % 2, 'id': str(i)} for i in range(10)]\n"
        "data = Dataset.from_list(rows).with_format('torch')\n"
        "args = TrainingArguments('out',\n"
        "                         per_device_train_batch_size=4,\n"
        "                         per_device_eval_batch_size=5)\n"
        "trainer = Trainer(model=Net(), args=args, train_dataset=data, eval_dataset=data,\n"
        "                  compute_metrics=measured, callbacks=[Told()])\n"
        "trainer.train()\n"
        "metrics = sorted(trainer.evaluate())\n"
    )
    interpreter = Interpreter(Workspace(tmp_path, cache=False), "main.py", ("", 0), [])
    interpreter.run()
    names = interpreter.modules["main.py"].data.environment.names
    assert shown(names["batch"]) == [[5, 3], [5]]
    assert shown(names["ended"]) == [42, False]
    assert shown(names["seen"]) == [[10, 2], [10]]
    logits = names["found"].data.state["predictions"]
    assert not logits.origins & {("main.py", 24), ("main.py", 25)}  # the sizes of batches
    assert "eval_accuracy" in shown(names["metrics"])


PREDICTIONS = """
import torch
from transformers import (
    AutoConfig, AutoModelForSequenceClassification, T5Config, T5ForConditionalGeneration,
    Trainer, TrainingArguments,
)

class Pairs(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.out = torch.nn.Linear(3, 2)

    def forward(self, x, labels=None):
        return {"loss": x.sum(), "logits": self.out(x), "inner": x}

class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        ids = torch.tensor([1, 2, 3])
        return {"x": ids.float(), "input_ids": ids, "labels": LABELS}

def kinds(value):
    return [kinds(item) for item in value] if isinstance(value, tuple) else list(value.shape)

def measured(pair):
    global seen
    seen = kinds(pair.predictions)
    return {}

config = AutoConfig.for_model("bert", hidden_size=8, num_hidden_layers=2, num_labels=3, MORE)
trainer = Trainer(model=MODEL, args=TrainingArguments("out"), eval_dataset=Rows(),
                  compute_metrics=measured, KEEPING)
trainer.evaluate(GIVEN)
"""
OF_CONFIG = "AutoModelForSequenceClassification.from_config(config)"
FIRST = "preprocess_logits_for_metrics=lambda scores, labels: scores[0]"
WITH_STATES = [[6, 3], [[6, 3, 8], [6, 3, 8], [6, 3, 8]]]


@pytest.mark.parametrize(
    ("model", "more", "keeping", "given", "wanted"),
    [
        (OF_CONFIG, "", "", "", [6, 3]),
        (OF_CONFIG, "output_hidden_states=True", "", "", WITH_STATES),
        (OF_CONFIG, "output_hidden_states=True", "", "ignore_keys=['hidden_states']", [6, 3]),
        (OF_CONFIG, "output_hidden_states=True", FIRST, "", [6, 3]),
        ("Pairs()", "", "", "", [[6, 2], [6, 3]]),
        (
            "T5ForConditionalGeneration(T5Config(vocab_size=9, d_model=8))",
            "",
            "",
            "",
            [[6, 4, 9], [6, 3, 8]],
        ),
    ],
)
def test_a_trainer_keeps_all_that_a_model_returns_but_the_loss(
    tmp_path: Path, model: str, more: str, keeping: str, given: str, wanted: object
) -> None:
    program = PREDICTIONS
    labels = "torch.tensor([1, 2, 3, 4])" if "T5" in model else "1"
    parts = {"MODEL": model, "MORE": more, "KEEPING": keeping, "GIVEN": given, "LABELS": labels}
    for name, text in parts.items():
        program = program.replace(name, text)
    _, names = followed(tmp_path, program, {})
    assert shown(names["seen"]) == wanted


def test_a_dataclass_takes_the_fields_of_its_base_in_a_library(tmp_path: Path) -> None:
    program = """
from dataclasses import dataclass
from transformers import TrainingArguments
from torch import nn

@dataclass
class Arguments(TrainingArguments):
    margin: float = 0.2

@dataclass
class Head(nn.Module):
    width: int = 3

arguments = Arguments("out", margin=0.5, num_train_epochs=4)
margin, epochs = arguments.margin, arguments.num_train_epochs
head = Head(height=4)
"""
    interpreter, names = followed(tmp_path, program.replace('"out", ', "output_dir='out', "), {})
    assert [names["margin"].data, names["epochs"].data] == [0.5, 4]
    assert interpreter.elsewhere == {(("main.py", 16), "arguments")}


def test_a_class_of_the_program_holds_modules_as_its_base_does(tmp_path: Path) -> None:
    program = """
from collections import OrderedDict
from torch import nn

class Stack(nn.Sequential):
    def first(self):
        return self[0]

class Bank(nn.ModuleList):
    pass

stack = Stack(OrderedDict([("a", nn.Linear(3, 5)), ("b", nn.Linear(5, 2))]))
bank = Bank([nn.Linear(3, 4), nn.Linear(3, 6)])
wide = stack.first().out_features
widths = [layer.out_features for layer in bank]
asked = [isinstance(stack, dict), isinstance(bank[1], list), isinstance([1], OrderedDict)]
asked.append(bank[0] == "none")
"""
    _, names = followed(tmp_path, program, {})
    assert names["wide"].data == 5
    assert shown(names["widths"]) == [4, 6]
    assert shown(names["asked"]) == [False, False, False, False]


OPENMMLAB = {
    "configs/_base_/data.py": """
width = 8
train = dict(type='Cells', size=width, crops=[1, 2])
""",
    "configs/_base_/run.py": """
import math
train_cfg = dict(by_epoch=False, max_epochs=3)
optim = dict(type='SGD', lr=0.1, momentum=math.sqrt(0.81))
""",
    "configs/small.py": """
_base_ = ['_base_/data.py', '_base_/run.py']
train = dict(size=16)
optim = dict(_delete_=True, type='Adam')
width = {{_base_.width}}
crops = _base_.train.crops
""",
}


def test_a_config_is_laid_over_its_bases(tmp_path: Path) -> None:
    program = """
from mmengine.config import Config
config = Config.fromfile("configs/small.py")
result = [config.train.size, config["train"]["type"], config.optim, config.width, config.crops]
loop = config.train_cfg.max_epochs
"""
    _, names = followed(tmp_path, program, OPENMMLAB)
    size, kind, optim, width, crops = names["result"].data
    assert [size.data, kind.data, width.data, shown(crops)] == [16, "Cells", 8, [1, 2]]
    assert list(optim.data.state) == ["type"]
    assert size.origins == {("configs/small.py", 3)}
    assert names["loop"].origins == {("configs/_base_/run.py", 3)}


def test_the_package_that_reads_configs_need_not_be_followed(tmp_path: Path) -> None:
    files = {
        **OPENMMLAB,
        "mmengine/__init__.py": "",
        "mmengine/config.py": """
class Config:
    def __init__(self, settings, text):
        self.settings, self.text = settings, text

    @staticmethod
    def _is_lazy_import(filename):
        raise NotImplementedError

    @staticmethod
    def _file2dict(filename):
        raise NotImplementedError

    @staticmethod
    def fromfile(filename):
        if Config._is_lazy_import(filename):
            return None
        settings, text, _ = Config._file2dict(filename)
        return Config(settings, text)
""",
    }
    program = """
from mmengine.config import Config
config = Config.fromfile("configs/small.py")
size = config.settings["train"]["size"]
"""
    _, names = followed(tmp_path, program, files)
    assert names["size"].data == 16

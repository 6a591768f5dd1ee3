"""Small training programs with one fault each; the lines at fault end in ``# FAULT``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    """A program, what its metrics would show, and its files."""

    name: str
    category: str
    files: dict[str, str]


def _one(name: str, category: str, code: str) -> Program:
    return Program(name, category, {"train.py": code.lstrip("\n")})


LOOP = """
import torch
from torch import nn, optim


def train(model, loader, epochs):
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        for x, y in loader:
{body}
"""


def _loop(name: str, body: str, category: str = "loss_stagnation") -> Program:
    lines = "\n".join("            " + line for line in body.strip("\n").split("\n"))
    return _one(name, category, LOOP.replace("{body}", lines))


FAULTY: tuple[Program, ...] = (
    # ------------------------------------------------------------------ the loop
    _loop(
        "no-step",
        """
optimizer.zero_grad()
loss = criterion(model(x), y)
loss.backward()  # FAULT
""",
    ),
    _loop(
        "no-zero-grad",
        """
loss = criterion(model(x), y)
loss.backward()  # FAULT
optimizer.step()  # FAULT
""",
        "loss_divergence",
    ),
    _loop(
        "zero-before-step",
        """
loss = criterion(model(x), y)
loss.backward()
optimizer.zero_grad()  # FAULT
optimizer.step()
""",
    ),
    _loop(
        "step-before-backward",
        """
optimizer.zero_grad()
loss = criterion(model(x), y)
optimizer.step()  # FAULT
loss.backward()
""",
    ),
    _loop(
        "argmax-in-loss",
        """
optimizer.zero_grad()
pred = model(x)
loss = criterion(pred.argmax(dim=1).float(), y)  # FAULT
loss.backward()
optimizer.step()
""",
    ),
    _loop(
        "new-leaf-loss",
        """
optimizer.zero_grad()
loss = criterion(model(x), y)
loss = torch.tensor(loss.item(), requires_grad=True)  # FAULT
loss.backward()
optimizer.step()
""",
    ),
    _loop(
        "maximised",
        """
optimizer.zero_grad()
loss = -criterion(model(x), y)  # FAULT
loss.backward()
optimizer.step()
""",
        "loss_divergence",
    ),
    _loop(
        "against-itself",
        """
optimizer.zero_grad()
output = model(x)
loss = criterion(output, output)  # FAULT
loss.backward()
optimizer.step()
""",
    ),
    _loop(
        "optimizer-in-loop",
        """
optimizer = optim.Adam(model.parameters(), lr=1e-3)  # FAULT
optimizer.zero_grad()
loss = criterion(model(x), y)
loss.backward()
optimizer.step()
""",
    ),
    _loop(
        "first-batch-only",
        """
x, y = next(iter(loader))  # FAULT
optimizer.zero_grad()
loss = criterion(model(x), y)
loss.backward()
optimizer.step()
""",
    ),
    _one(
        "step-outside-batches",
        "loss_stagnation",
        """
import torch


def train(model, loader, optimizer, criterion, epochs):
    for epoch in range(epochs):
        for x, y in loader:
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
        optimizer.step()  # FAULT
""",
    ),
    _one(
        "zero-grad-once-an-epoch",
        "loss_divergence",
        """
import torch


def train(model, train_loader, optimizer, criterion, epochs):
    for epoch in range(epochs):
        optimizer.zero_grad()  # FAULT
        for x, y in train_loader:
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
""",
    ),
    _one(
        "scheduler-per-batch",
        "loss_stagnation",
        """
import torch
from torch.optim.lr_scheduler import StepLR


def train(model, train_loader, criterion, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, step_size=5, gamma=0.5)
    for epoch in range(epochs):
        for x, y in train_loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
            scheduler.step()  # FAULT
""",
    ),
    # ------------------------------------------------------------------ optimisers
    Program(
        "rate-in-yaml",
        "loss_divergence",
        {
            "train.py": """
import torch
import yaml

with open("conf.yaml") as f:
    cfg = yaml.safe_load(f)


def fit(model, loader):
    opt = torch.optim.AdamW(model.parameters(), lr=cfg["optim"]["lr"])
    for x, y in loader:
        opt.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        opt.step()
""",
            "conf.yaml": "optim:\n  lr: 3.0  # FAULT\n  weight_decay: 0.01\n",
        },
    ),
    _one(
        "rate-option",
        "loss_stagnation",
        """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=1e-9)  # FAULT
parser.add_argument("--epochs", type=int, default=10)
args = parser.parse_args()


def fit(model, loader):
    opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    for x, y in loader:
        opt.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        opt.step()
""",
    ),
    _one(
        "head-after-optimizer",
        "loss_stagnation",
        """
import torch
from torch import nn
from torchvision import models


def build(classes):
    model = models.resnet18(weights=None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # FAULT
    model.fc = nn.Linear(512, classes)  # FAULT
    return model, optimizer
""",
    ),
    _one(
        "all-frozen",
        "loss_stagnation",
        """
import torch
from torch import nn


def build(model):
    for parameter in model.parameters():
        parameter.requires_grad = False  # FAULT
    return model
""",
    ),
    _one(
        "keras-not-trainable",
        "loss_stagnation",
        """
import keras
from keras import layers


def build(classes):
    model = keras.Sequential([
        layers.Dense(32, activation="relu"),
        layers.Dense(classes, activation="softmax"),
    ])
    model.trainable = False  # FAULT
    model.compile("adam", loss="sparse_categorical_crossentropy")
    return model
""",
    ),
    _one(
        "decay-too-strong",
        "loss_stagnation",
        """
import torch


def make_optimizer(model):
    return torch.optim.AdamW(
        model.parameters(),
        lr=1e-3,
        weight_decay=10.0,  # FAULT
    )
""",
    ),
    _one(
        "clipped-away",
        "loss_stagnation",
        """
import torch


def update(model, loss, optimizer):
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-6)  # FAULT
    optimizer.step()
""",
    ),
    _one(
        "warm-up-without-end",
        "loss_stagnation",
        """
import torch
from transformers import get_linear_schedule_with_warmup


def schedule(optimizer):
    return get_linear_schedule_with_warmup(
        optimizer,
        num_warmup_steps=10000,  # FAULT
        num_training_steps=300,
    )
""",
    ),
    # ------------------------------------------------------------------ losses
    _one(
        "softmax-before-cross-entropy",
        "loss_stagnation",
        """
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(20, 64),
            nn.ReLU(),
            nn.Linear(64, classes),
            nn.Softmax(dim=1),  # FAULT
        )
        self.loss = nn.CrossEntropyLoss()

    def forward(self, x):
        return self.body(x)
""",
    ),
    _one(
        "sigmoid-before-logits-loss",
        "loss_stagnation",
        """
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 4)

    def forward(self, x):
        return torch.sigmoid(self.out(x))  # FAULT


def loss_of(model, x, y):
    return F.binary_cross_entropy_with_logits(model(x), y)
""",
    ),
    _one(
        "keras-raw-scores",
        "accuracy_at_chance",
        """
import keras
from keras import layers


def build():
    model = keras.Sequential([
        layers.Dense(32, activation="relu"),
        layers.Dense(1),  # FAULT
    ])
    model.compile(
        optimizer="adam",
        loss="binary_crossentropy",  # FAULT
        metrics=["accuracy"],
    )
    return model
""",
    ),
    _one(
        "keras-from-logits-twice",
        "loss_stagnation",
        """
import keras
from keras import layers


def build(classes):
    model = keras.Sequential([
        layers.Dense(32, activation="relu"),
        layers.Dense(classes, activation="softmax"),  # FAULT
    ])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)  # FAULT
    model.compile("adam", loss=loss)
    return model
""",
    ),
    _one(
        "categorical-one-unit",
        "loss_stagnation",
        """
import keras
from keras import layers


def build():
    model = keras.Sequential()
    model.add(layers.Dense(16, activation="relu"))
    model.add(layers.Dense(1, activation="sigmoid"))  # FAULT
    model.compile("adam", loss="categorical_crossentropy")  # FAULT
    return model
""",
    ),
    # ------------------------------------------------------------------ models
    _one(
        "stacked-sigmoids",
        "loss_stagnation",
        """
import keras
from keras import layers


def build(depth):
    model = keras.Sequential()
    for _ in range(depth):
        model.add(layers.Dense(64, activation="sigmoid"))  # FAULT
    model.add(layers.Dense(10, activation="softmax"))
    model.compile("adam", loss="sparse_categorical_crossentropy")
    return model
""",
    ),
    _one(
        "zero-weights",
        "loss_stagnation",
        """
import torch.nn as nn


def init_weights(module):
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.weight)  # FAULT
        nn.init.zeros_(module.bias)
""",
    ),
    _one(
        "softmax-over-batch",
        "accuracy_at_chance",
        """
import torch.nn.functional as F


def log_probabilities(logits):
    return F.log_softmax(logits, dim=0)  # FAULT
""",
    ),
    _one(
        "dropout-nearly-all",
        "loss_stagnation",
        """
import torch.nn as nn


def block(width):
    return nn.Sequential(
        nn.Linear(width, width),
        nn.ReLU(),
        nn.Dropout(0.97),  # FAULT
    )
""",
    ),
    # ------------------------------------------------------------------ data
    _one(
        "shuffled-apart",
        "accuracy_at_chance",
        """
import numpy as np


def prepare(images, labels, rng):
    rng.shuffle(images)  # FAULT
    rng.shuffle(labels)  # FAULT
    return images, labels
""",
    ),
    _one(
        "two-permutations",
        "accuracy_at_chance",
        """
import torch


def batches(x, y, size):
    x = x[torch.randperm(len(x))]  # FAULT
    y = y[torch.randperm(len(y))]  # FAULT
    for start in range(0, len(x), size):
        yield x[start:start + size], y[start:start + size]
""",
    ),
    _one(
        "index-unused",
        "loss_stagnation",
        """
from torch.utils.data import Dataset


class Frames(Dataset):
    def __init__(self, images, labels):
        self.images, self.labels = images, labels

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[0], self.labels[0]  # FAULT
""",
    ),
    _one(
        "labels-padded-along-another-axis",
        "loss_stagnation",
        """
import torch
from torch.nn.utils.rnn import pad_sequence


def collate(rows):
    words, tags = zip(*rows)
    words = pad_sequence(words, batch_first=True, padding_value=0)
    return words, pad_sequence(tags, padding_value=-100)  # FAULT
""",
    ),
    _one(
        "target-is-input",
        "accuracy_at_chance",
        """
import torch


def windows(ids, start, size):
    x = ids[start:start + size]
    y = ids[start:start + size]  # FAULT
    return x, y
""",
    ),
    _one(
        "used-up",
        "loss_stagnation",
        """
def fit(model, xs, ys, epochs):
    pairs = zip(xs, ys)  # FAULT
    for epoch in range(epochs):
        for x, y in pairs:
            model.train_on_batch(x, y)
""",
    ),
    _one(
        "encoded-apart",
        "accuracy_at_chance",
        """
from sklearn.preprocessing import LabelEncoder


def encode(train, val):
    encoder = LabelEncoder()
    train["y"] = encoder.fit_transform(train["label"])
    val["y"] = encoder.fit_transform(val["label"])  # FAULT
    return train, val
""",
    ),
    # ------------------------------------------------------------------ numbers
    _one(
        "log-of-probability",
        "loss_nan",
        """
import torch


def entropy_loss(logits, target):
    prob = torch.softmax(logits, dim=-1)
    return -(target * torch.log(prob)).sum(dim=-1).mean()  # FAULT
""",
    ),
    _one(
        "root-of-distance",
        "loss_nan",
        """
import torch


def distances(a, b):
    return torch.sqrt(((a[:, None] - b[None]) ** 2).sum(-1))  # FAULT
""",
    ),
    _one(
        "log-of-rectified",
        "loss_nan",
        """
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mean = nn.Linear(width, 1)
        self.spread = nn.Sequential(nn.Linear(width, 1), nn.ReLU())  # FAULT

    def forward(self, h):
        return self.mean(h), self.spread(h)


head = Head(8)


def loss_of(h, y):
    mean, spread = head(h)
    return (torch.log(spread) + (y - mean).abs()).mean()
""",
    ),
    _one(
        "bound-of-zero",
        "loss_nan",
        """
import tensorflow as tf


def rate_of(x, w):
    return tf.maximum(tf.matmul(x, w), 0.0)  # FAULT


def loss_of(x, w, counts):
    rate = rate_of(x, w)
    return tf.reduce_mean(rate - counts * tf.math.log(rate))
""",
    ),
    _one(
        "power-of-degree",
        "loss_nan",
        """
import torch


def normalise(links):
    degree = links.sum(dim=1)
    scale = torch.pow(degree, -0.5)  # FAULT
    return scale[:, None] * links * scale[None]
""",
    ),
    _one(
        "mean-over-mask",
        "loss_nan",
        """
import torch


def pooled(states, ids):
    mask = (ids != 0).float().unsqueeze(-1)
    return (states * mask).sum(1) / mask.sum(1)  # FAULT
""",
    ),
    _one(
        "softmax-by-hand",
        "loss_nan",
        """
import jax.numpy as jnp


def softmax(z):
    e = jnp.exp(z)  # FAULT
    return e / e.sum(-1, keepdims=True)
""",
    ),
    Program(
        "log-of-zero-column",
        "loss_nan",
        {
            "train.py": """
import numpy as np
import pandas as pd


def load(path):
    frame = pd.read_csv(path)
    frame["amount"] = np.log(frame["amount"])  # FAULT
    return frame
""".lstrip("\n"),
            "data.csv": "amount,age\n" + "".join(f"{i % 7},{20 + i}\n" for i in range(40)),
        },
    ),
    Program(
        "constant-column",
        "loss_nan",
        {
            "train.py": """
import pandas as pd


def scale(path):
    frame = pd.read_csv(path)
    return (frame - frame.mean()) / frame.std()  # FAULT
""".lstrip("\n"),
            "data.csv": "amount,site\n" + "".join(f"{i * 3 % 17},4\n" for i in range(40)),
        },
    ),
    Program(
        "holes-in-data",
        "loss_nan",
        {
            "train.py": """
import pandas as pd


def load(path):
    return pd.read_csv(path)  # FAULT
""".lstrip("\n"),
            "data.csv": "a,b\n" + "".join(f"{i},{i * 2 if i != 9 else ''}\n" for i in range(30)),
        },
    ),
    # ------------------------------------------------------------------ overfitting
    _one(
        "tiny-split",
        "overfitting",
        """
from sklearn.model_selection import train_test_split


def split(x, y):
    return train_test_split(
        x,
        y,
        test_size=0.95,  # FAULT
        random_state=0,
    )
""",
    ),
    Program(
        "share-in-config",
        "overfitting",
        {
            "train.py": "import json\n\ncfg = json.load(open('conf.json'))\n",
            "conf.json": '{\n  "seed": 1,\n  "train_fraction": 0.04,  \n  "epochs": 10\n}\n',
        },
    ),
    # ------------------------------------------------------------------ JAX
    _one(
        "updates-dropped",
        "loss_stagnation",
        """
import jax
import optax


def step(params, opt_state, batch, tx, loss_fn):
    loss, grads = jax.value_and_grad(loss_fn)(params, batch)
    updates, opt_state = tx.update(grads, opt_state, params)
    optax.apply_updates(params, updates)  # FAULT
    return params, opt_state, loss
""",
    ),
    _one(
        "old-state-returned",
        "loss_stagnation",
        """
import jax


@jax.jit
def train_step(state, batch):
    grads = jax.grad(lambda p: state.apply_fn(p, batch))(state.params)
    new_state = state.apply_gradients(grads=grads)  # FAULT
    return state  # FAULT
""",
    ),
    _one(
        "up-the-gradient",
        "loss_divergence",
        """
import jax
import optax


def make():
    return optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.scale_by_adam(),
        optax.scale(1e-3),  # FAULT
    )
""",
    ),
    _one(
        "optimizer-state-anew",
        "loss_stagnation",
        """
import jax
import optax


def train(params, batches, tx, loss_fn):
    for batch in batches:
        opt_state = tx.init(params)  # FAULT
        grads = jax.grad(loss_fn)(params, batch)
        updates, opt_state = tx.update(grads, opt_state)
        params = optax.apply_updates(params, updates)
    return params
""",
    ),
    _one(
        "epochs-for-steps",
        "loss_stagnation",
        """
import optax


def schedule(cfg):
    return optax.cosine_decay_schedule(
        init_value=cfg.lr,
        decay_steps=cfg.epochs,  # FAULT
    )
""",
    ),
    # ------------------------------------------------------------------ TensorFlow
    _one(
        "gradients-not-applied",
        "loss_stagnation",
        """
import tensorflow as tf


def step(model, x, y, loss_fn):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x, training=True))
    grads = tape.gradient(loss, model.trainable_variables)  # FAULT
    return loss, grads
""",
    ),
    _one(
        "head-replaced-in-a-method",
        "loss_stagnation",
        """
import torch
from torch import nn


class Tuner:
    def __init__(self, model, classes):
        self.model = model
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.prepare(classes)
        self.criterion = nn.CrossEntropyLoss()

    def prepare(self, classes):
        self.model.fc = nn.Linear(self.model.fc.in_features, classes)  # FAULT

    def epoch(self, loader):
        for x, y in loader:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            loss.backward()
            self.optimizer.step()
""",
    ),
    _one(
        "streams-shuffled-one-by-one",
        "loss_stagnation",
        """
import tensorflow as tf


def stream(frame, names):
    return tf.data.Dataset.from_tensor_slices({n: frame[n].to_numpy() for n in names})


def pairs(orders, batch):
    buyer = stream(orders, ["buyer", "city"])
    basket = stream(orders, ["item", "price"])
    buyer, basket = (s.shuffle(2000) for s in (buyer, basket))  # FAULT
    return tf.data.Dataset.zip((buyer, basket)).batch(batch)


def train(model, orders):
    model.compile(optimizer="adam")
    model.fit(pairs(orders, 64), epochs=3)
""",
    ),
)


HEALTHY: tuple[Program, ...] = (
    _one(
        "kept-off-zero",
        "",
        """
import torch


def normalise(links):
    degree = links.sum(dim=1)
    scale = degree.pow(-0.5)
    scale[torch.isinf(scale)] = 0.0
    return scale[:, None] * links * scale[None]


def spread_of(layer, h):
    return torch.log(torch.relu(layer(h)) + 1e-6)


def pooled(states, ids):
    mask = (ids != 0).float().unsqueeze(-1)
    return (states * mask).sum(1) / mask.sum(1).clamp(min=1)


def softmax(z):
    e = torch.exp(z - z.max())
    return e / e.sum(-1, keepdim=True)
""",
    ),
    _one(
        "torch-classifier",
        "",
        """
import argparse

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, random_split


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.2))
        self.gate = nn.Linear(64, 64)
        self.head = nn.Linear(64, classes)

    def forward(self, x):
        h = self.body(x)
        h = h * torch.sigmoid(self.gate(h))
        return self.head(h)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    right = total = 0
    for x, y in loader:
        probabilities = F.softmax(model(x), dim=1)
        right += (probabilities.argmax(dim=1) == y).sum().item()
        total += len(y)
    return right / max(total, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    data = torch.load("data.pt")
    n = int(len(data) * 0.8)
    train, val = random_split(data, [n, len(data) - n])
    train_loader = DataLoader(train, batch_size=32, shuffle=True)
    val_loader = DataLoader(val, batch_size=64)
    model = Net(10)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20)
    for epoch in range(20):
        model.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        scheduler.step()
        print(epoch, loss.item(), evaluate(model, val_loader))
""",
    ),
    _one(
        "torch-accumulation",
        "",
        """
import torch


def train(model, loader, criterion, accumulate=4):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    optimizer.zero_grad()
    for i, (x, y) in enumerate(loader):
        loss = criterion(model(x), y) / accumulate
        loss.backward()
        if (i + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
""",
    ),
    _one(
        "gan",
        "",
        """
import torch
import torch.nn.functional as F


def train(generator, discriminator, loader, dim):
    opt_g = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    opt_d = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    for real, _ in loader:
        z = torch.randn(real.size(0), dim)
        fake = generator(z)
        d_loss = F.softplus(-discriminator(real)).mean()
        d_loss = d_loss + F.softplus(discriminator(fake.detach())).mean()
        opt_d.zero_grad()
        d_loss.backward()
        opt_d.step()
        g_loss = F.softplus(-discriminator(fake)).mean()
        opt_g.zero_grad()
        g_loss.backward()
        opt_g.step()
""",
    ),
    _one(
        "policy-gradient",
        "",
        """
import torch


def update(policy, optimizer, states, actions, advantages):
    dist = torch.distributions.Categorical(logits=policy(states))
    loss = -(dist.log_prob(actions) * advantages.detach()).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def sync(target, online, tau=0.005):
    for t, o in zip(target.parameters(), online.parameters()):
        t.data.mul_(1 - tau).add_(tau * o.data)
""",
    ),
    _one(
        "keras-binary",
        "",
        """
import keras
import numpy as np
from keras import layers
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


def main():
    x, y = np.load("x.npy"), np.load("y.npy")
    x_train, x_val, y_train, y_val = train_test_split(x, y, test_size=0.2, random_state=0)
    scaler = StandardScaler()
    x_train = scaler.fit_transform(x_train)
    x_val = scaler.transform(x_val)
    model = keras.Sequential([
        layers.Dense(64, activation="relu"),
        layers.Dropout(0.3),
        layers.Dense(1, activation="sigmoid"),
    ])
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3), loss="binary_crossentropy", metrics=["accuracy"]
    )
    model.fit(x_train, y_train, validation_data=(x_val, y_val), epochs=10)
""",
    ),
    _one(
        "keras-regression",
        "",
        """
import keras
from keras import layers


def build(steps_per_epoch, epochs):
    model = keras.Sequential([layers.Dense(64, activation="relu"), layers.Dense(1)])
    schedule = keras.optimizers.schedules.CosineDecay(
        1e-3, decay_steps=steps_per_epoch * epochs
    )
    model.compile(optimizer=keras.optimizers.Adam(schedule), loss="mse")
    return model
""",
    ),
    _one(
        "attention",
        "",
        """
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x, mask):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        scores = scores.masked_fill(mask == 0, float("-inf"))
        return F.softmax(scores, dim=-1) @ v


def loss_of(logits, targets):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def windows(ids, start, size):
    x = ids[start:start + size]
    y = ids[start + 1:start + size + 1]
    return x, y
""",
    ),
    _one(
        "flax-step",
        "",
        """
import jax
import jax.numpy as jnp
import optax
from flax.training import train_state


def create(model, key, sample):
    params = model.init(key, sample)["params"]
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(3e-4))
    return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=tx)


@jax.jit
def train_step(state, batch, key):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["x"], rngs={"dropout": key})
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def fit(state, batches, key):
    for batch in batches:
        key, step_key = jax.random.split(key)
        state, loss = train_step(state, batch, step_key)
    return state
""",
    ),
    _one(
        "vae",
        "",
        """
import torch
import torch.nn as nn
import torch.nn.functional as F


class VAE(nn.Module):
    def __init__(self, width, latent):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(784, width), nn.ReLU(), nn.Linear(width, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, width), nn.ReLU(), nn.Linear(width, 784))

    def forward(self, x):
        mean, logvar = self.encoder(x).chunk(2, dim=-1)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * logvar)
        return self.decoder(z), mean, logvar


def loss_of(model, x):
    logits, mean, logvar = model(x)
    reconstruction = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    kl = -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())
    return reconstruction + kl
""",
    ),
    _one(
        "fine-tuning",
        "",
        """
import torch
from torch import nn
from torchvision import models


def build(classes):
    model = models.resnet18(weights="DEFAULT")
    for parameter in model.parameters():
        parameter.requires_grad = False
    model.fc = nn.Linear(512, classes)
    optimizer = torch.optim.Adam(model.fc.parameters(), lr=1e-3)
    return model, optimizer
""",
    ),
    _one(
        "tape",
        "",
        """
import tensorflow as tf


@tf.function
def step(model, optimizer, x, y, loss_fn):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x, training=True))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


def dataset(x, y):
    pairs = tf.data.Dataset.from_tensor_slices((x, y))
    return pairs.shuffle(1000).batch(32).prefetch(2)
""",
    ),
    _one(
        "lightning",
        "",
        """
import lightning as L
import torch
import torch.nn.functional as F
from torch import nn


class Module(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 3))

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, index):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
""",
    ),
    _one(
        "head-replaced-before-the-optimizer",
        "loss_stagnation",
        """
import torch
from torch import nn


class Tuner:
    def __init__(self, model, classes):
        self.model = model
        self.prepare(classes)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.criterion = nn.CrossEntropyLoss()

    def prepare(self, classes):
        self.model.fc = nn.Linear(self.model.fc.in_features, classes)

    def epoch(self, loader):
        for x, y in loader:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            loss.backward()
            self.optimizer.step()
""",
    ),
    _one(
        "streams-shuffled-with-one-seed",
        "loss_stagnation",
        """
import tensorflow as tf


def pairs(orders, batch):
    buyer = tf.data.Dataset.from_tensor_slices(orders)
    basket = tf.data.Dataset.from_tensor_slices(orders)
    buyer = buyer.shuffle(2000, seed=4)
    basket = basket.shuffle(2000, seed=4)
    return tf.data.Dataset.zip((buyer, basket)).batch(batch)


def domains(horses, zebras):
    return tf.data.Dataset.zip((horses.shuffle(900), zebras.shuffle(900)))


def train(model, orders):
    model.compile(optimizer="adam")
    model.fit(pairs(orders, 64), epochs=3)
""",
    ),
)

"""Small trainings with one mistake each; the lines at fault end in ``# FAULT``.

Each is one that a rule for lost values, updates, objectives, generative models, evaluation or
alignment finds.
"""

from __future__ import annotations

from training_programs import Program


def _one(name: str, code: str, category: str = "loss_stagnation") -> Program:
    return Program(name, category, {"train.py": code.lstrip("\n")})


MISTAKES: tuple[Program, ...] = (
    # ------------------------------------------------------------------ averages of weights
    _one(
        "optimizer-of-averages",
        """
import copy
import torch
from torch import nn


def make_optimizer(module, rate):
    return torch.optim.Adam(module.parameters(), lr=rate)


class Run:
    def __init__(self, rate):
        self.model = nn.Linear(5, 2)
        self.ema_model = copy.deepcopy(self.model)
        self.optimizer = make_optimizer(self.ema_model, rate)  # FAULT

    def step(self, x, y):
        loss = nn.functional.cross_entropy(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        for own, new in zip(self.ema_model.parameters(), self.model.parameters()):
            own.data.mul_(0.99).add_(new.data, alpha=0.01)
        return loss.item()
""",
        "loss_stagnation",
    ),
    # ------------------------------------------------------------------ lost values
    _one(
        "mode-only-named",
        """
import torch


def check(net, batches):
    net.eval  # FAULT
    with torch.no_grad():
        return [net(waves).argmax(1) for waves in batches]
""",
        "overfitting",
    ),
    _one(
        "table-left-with-holes",
        """
import pandas as pd


def readings(path):
    table = pd.read_csv(path)
    table.dropna(subset=["pressure"])  # FAULT
    return table[["flow", "pressure"]].to_numpy()
""",
        "overfitting",
    ),
    _one(
        "data-set-not-batched",
        """
import tensorflow as tf


def birds(paths, decode):
    train_ds = tf.data.Dataset.from_tensor_slices(paths)
    train_ds.map(decode)  # FAULT
    return train_ds.batch(32)
""",
    ),
    _one(
        "tensor-not-turned",
        """
import torch


def channels_first(scans):
    volume = torch.stack(scans)
    volume.permute(0, 3, 1, 2)  # FAULT
    return volume.float()
""",
    ),
    _one(
        "adapters-not-merged",
        """
from peft import PeftModel


def export(base, folder):
    tuned = PeftModel.from_pretrained(base, folder)
    tuned.merge_and_unload()  # FAULT
    tuned.save_pretrained("merged")
""",
    ),
    _one(
        "checkpoint-not-kept",
        """
import torch


def resume(tagger, path):
    tagger.load_from_checkpoint(path)  # FAULT
    return tagger
""",
    ),
    _one(
        "penalty-never-added",
        """
import torch
import torch.nn.functional as F


def objective(net, cells, kinds):
    logits = net(cells)
    reg_penalty = sum(w.abs().sum() for w in net.parameters())  # FAULT
    return F.cross_entropy(logits, kinds)
""",
        "overfitting",
    ),
    _one(
        "mask-never-used",
        """
import torch


def decode(layers, ids):
    causal = torch.tril(torch.ones(ids.size(1), ids.size(1)))  # FAULT
    hidden = layers.embed(ids)
    return layers.blocks(hidden)
""",
    ),
    _one(
        "end-of-episode-never-used",
        """
import torch


def targets(online, batch, gamma):
    states, gains, following, done = batch  # FAULT
    with torch.no_grad():
        best = online(following).amax(dim=1)
    return states, gains + gamma * best
""",
    ),
    _one(
        "returns-in-first-round",
        """
import torch


def mean_error(net, batches, measure):
    errors = []
    for spectra, ages in batches:
        errors.append(measure(net(spectra), ages))
        return torch.stack(errors).mean()  # FAULT
""",
        "overfitting",
    ),
    _one(
        "sum-overwritten",
        """
import torch


def epoch_error(net, batches, measure):
    total = 0.0
    for roads, speeds in batches:
        total = measure(net(roads), speeds).item()  # FAULT
    return total / len(batches)
""",
    ),
    _one(
        "one-array-for-all-frames",
        """
import numpy as np


def frames(camera, count):
    frame = np.zeros((64, 64))
    kept = []
    for _ in range(count):
        frame[:] = camera.read()
        kept.append(frame)  # FAULT
    return np.stack(kept)
""",
    ),
    _one(
        "misspelt-freeze",
        """
import torch
from torchvision import models


def backbone():
    net = models.resnet34(weights="DEFAULT")
    for weight in net.layer1.parameters():
        weight.require_grad = False  # FAULT
    return net
""",
        "overfitting",
    ),
    _one(
        "unpacked-in-another-order",
        """
import numpy as np


def load(path):
    stored = np.load(path)
    genes, tissues = stored["genes"], stored["tissues"]
    return genes, tissues


def run(path, model):
    tissues, genes = load(path)  # FAULT
    model.learn(genes, tissues)


run("cells.npz", None)
""",
    ),
    _one(
        "prepared-in-another-order",
        """
import torch
from accelerate import Accelerator


def ready(net, adam, batches):
    accelerator = Accelerator()
    net, batches, adam = accelerator.prepare(net, adam, batches)  # FAULT
    return net, adam, batches
""",
    ),
    _one(
        "arguments-crossed",
        """
import torch


def distance(anchor, sample, margin):
    return torch.relu((anchor - sample).norm(dim=1) - margin)


def score(net, anchor, sample):
    return distance(sample, anchor, 0.2).mean()  # FAULT


score(None, None, None)
""",
    ),
    _one(
        "parts-of-a-split-crossed",
        """
from sklearn.model_selection import train_test_split


def parts(x, y):
    x_train, y_train, x_test, y_test = train_test_split(x, y, random_state=1)  # FAULT
    return x_train, x_test, y_train, y_test
""",
        "accuracy_at_chance",
    ),
    # ------------------------------------------------------------------ updates
    _one(
        "second-optimizer-never-steps",
        """
import torch


class Pair:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.reader_opt = torch.optim.Adam(reader.parameters(), lr=1e-3)
        self.writer_opt = torch.optim.Adam(writer.parameters(), lr=1e-3)

    def clear(self):
        self.reader_opt.zero_grad()
        self.writer_opt.zero_grad()  # FAULT

    def learn(self, texts, sums):
        self.clear()
        torch.nn.functional.cross_entropy(self.writer(self.reader(texts)), sums).backward()
        self.reader_opt.step()
""",
    ),
    _one(
        "second-optimizer-never-cleared",
        """
import torch


class Pair:
    def __init__(self, trunk, head):
        self.trunk, self.head = trunk, head
        self.trunk_opt = torch.optim.Adam(trunk.parameters(), lr=1e-4)
        self.head_opt = torch.optim.Adam(head.parameters(), lr=1e-3)

    def learn(self, leaves, kinds):
        self.head_opt.zero_grad()
        torch.nn.functional.cross_entropy(self.head(self.trunk(leaves)), kinds).backward()
        self.trunk_opt.step()  # FAULT
        self.head_opt.step()
""",
    ),
    _one(
        "cleared-optimizer-of-a-function",
        """
import torch


def learn(actor, critic, actor_opt, critic_opt, judge, batch):
    actor_opt.zero_grad()
    critic_opt.zero_grad()  # FAULT
    judge(actor, critic, batch).backward()
    actor_opt.step()
""",
    ),
    _one(
        "step-of-a-scaler-never-cleared",
        """
import torch


def learn(painter, judge, painter_opt, judge_opt, scaler, measure, batch):
    painter_opt.zero_grad()
    scaler.scale(measure(painter, judge, batch)).backward()
    scaler.step(painter_opt)
    scaler.step(judge_opt)  # FAULT
    scaler.update()
""",
        "loss_divergence",
    ),
    _one(
        "both-optimizers-hold-one-model",
        """
import torch


def optimizers(painter, judge):
    paint_opt = torch.optim.Adam(painter.parameters(), lr=2e-4)  # FAULT
    judge_opt = torch.optim.Adam(painter.parameters(), lr=2e-4)  # FAULT
    return paint_opt, judge_opt
""",
    ),
    _one(
        "accumulation-cleared-in-each-round",
        """
import torch


def learn(net, batches, optimizer, measure, every=8):
    for number, (maps, yields) in enumerate(batches, 1):
        optimizer.zero_grad()  # FAULT
        loss = measure(net(maps), yields) / every
        loss.backward()
        if number % every == 0:
            optimizer.step()
""",
    ),
    _one(
        "clipped-before-gradients",
        """
import torch
from torch.nn.utils import clip_grad_norm_


def learn(net, batch, optimizer, measure):
    optimizer.zero_grad()
    error = measure(net, batch)
    clip_grad_norm_(net.parameters(), 1.0)  # FAULT
    error.backward()
    optimizer.step()
""",
        "loss_divergence",
    ),
    _one(
        "clipped-while-scaled",
        """
import torch


def learn(net, batch, optimizer, scaler, measure):
    optimizer.zero_grad()
    with torch.autocast("cuda"):
        error = measure(net, batch)
    scaler.scale(error).backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # FAULT
    scaler.step(optimizer)
    scaler.update()
""",
    ),
    _one(
        "training-mode-once",
        """
import torch


def check(net, batches):
    net.eval()
    with torch.no_grad():
        return sum((net(x).argmax(1) == y).sum().item() for x, y in batches)


def learn(net, batches, rest, optimizer, measure):
    net.train()  # FAULT
    for epoch in range(30):
        for x, y in batches:
            optimizer.zero_grad()
            measure(net(x), y).backward()
            optimizer.step()
        print(epoch, check(net, rest))
""",
    ),
    _one(
        "gradients-in-the-wrong-phase",
        """
import torch


def run(net, phase, batches, optimizer, measure):
    for x, y in batches[phase]:
        optimizer.zero_grad()
        with torch.set_grad_enabled(phase == "val"):  # FAULT
            error = measure(net(x), y)
        if phase == "train":
            error.backward()
            optimizer.step()
""",
    ),
    _one(
        "optimizer-for-each-step",
        """
import torch


def train_step(net, batch, measure):
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-4)  # FAULT
    optimizer.zero_grad()
    measure(net, batch).backward()
    optimizer.step()
""",
    ),
    _one(
        "step-returns-nothing",
        """
import lightning as L
import torch
import torch.nn.functional as F


class Counter(L.LightningModule):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def training_step(self, batch, index):  # FAULT
        crowds, counts = batch
        loss = F.mse_loss(self.net(crowds), counts)
        self.log("loss", loss)  # FAULT

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)
""",
    ),
    _one(
        "warm-up-of-zeros",
        """
def rate_at(step, peak, warmup_steps):
    if step < warmup_steps:
        return peak * (step // warmup_steps)  # FAULT
    return peak


print(rate_at(1, 2, 3))
""",
    ),
    _one(
        "warm-up-of-zeros-in-a-lambda",
        """
import torch


def schedule(optimizer, warm):
    return torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda done: min(1.0, done // warm),  # FAULT
    )
""",
    ),
    _one(
        "pixels-divided-as-integers",
        """
import numpy as np
from PIL import Image


def picture(path):
    image = np.asarray(Image.open(path))
    return image // 255  # FAULT
""",
    ),
    _one(
        "sampler-without-epoch",
        """
import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def learn(net, songs, step, epochs):
    sampler = DistributedSampler(songs)  # FAULT
    loader = DataLoader(songs, batch_size=32, sampler=sampler)
    for epoch in range(epochs):  # FAULT
        for batch in loader:
            step(net, batch)
""",
        "overfitting",
    ),
    _one(
        "plateau-of-a-counter",
        """
import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau


def learn(net, optimizer, run, check, epochs):
    scheduler = ReduceLROnPlateau(optimizer, patience=3)
    for epoch in range(epochs):
        run(net, optimizer)
        print(check(net))
        scheduler.step(epoch)  # FAULT
""",
    ),
    _one(
        "best-metric-is-the-least",
        """
import keras


def callbacks():
    return [
        keras.callbacks.ModelCheckpoint(  # FAULT
            "best.keras",
            monitor="val_accuracy",
            mode="min",  # FAULT
            save_best_only=True,
        )
    ]
""",
        "overfitting",
    ),
    _one(
        "greater-loss-is-better",
        """
from transformers import TrainingArguments


def settings(folder):
    return TrainingArguments(  # FAULT
        folder,
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        greater_is_better=True,  # FAULT
    )
""",
        "overfitting",
    ),
    _one(
        "default-direction",
        """
from lightning.pytorch.callbacks import EarlyStopping


def stop():
    return EarlyStopping(monitor="val_f1", patience=4)  # FAULT
""",
        "overfitting",
    ),
    _one(
        "words-never-adapted",
        """
import keras
from keras import layers


def build(classes):
    words = layers.TextVectorization(max_tokens=8000, output_sequence_length=60)  # FAULT
    net = keras.Sequential([
        words,
        layers.Embedding(8000, 64),
        layers.GlobalAveragePooling1D(),
        layers.Dense(classes, activation="softmax"),
    ])
    net.compile("adam", loss="sparse_categorical_crossentropy")
    return net
""",
        "accuracy_at_chance",
    ),
    _one(
        "weight-is-a-plain-tensor",
        """
import torch
from torch import nn


class Prompted(nn.Module):
    def __init__(self, body, width):
        super().__init__()
        self.body = body
        self.prompt = torch.randn(1, 8, width) * 1.0
        self.gain_weight = torch.ones(width)  # FAULT
        self.slope = torch.zeros(width, requires_grad=True)  # FAULT

    def forward(self, x):
        return self.body(torch.cat([self.prompt, x * self.gain_weight + self.slope], 1))
""",
    ),
    # ------------------------------------------------------------------ objectives
    _one(
        "column-against-flat",
        """
import torch
import torch.nn.functional as F


def error(net, rooms, rents):
    guessed = net(rooms).squeeze(1)  # FAULT
    rents = rents.view(-1, 1)  # FAULT
    return F.mse_loss(guessed, rents)  # FAULT
""",
    ),
    _one(
        "difference-of-column-and-flat",
        """
import jax.numpy as jnp


def error(apply, params, doses, answers):
    guessed = apply(params, doses).reshape(-1)  # FAULT
    return jnp.mean((guessed - answers.reshape(-1, 1)) ** 2)  # FAULT
""",
    ),
    _one(
        "weights-are-frequencies",
        """
import torch
from torch import nn


def criterion(kinds, classes):
    counts = torch.bincount(kinds, minlength=classes).float()
    importance = counts / counts.sum()  # FAULT
    return nn.CrossEntropyLoss(weight=importance)
""",
        "accuracy_at_chance",
    ),
    _one(
        "frequencies-as-argument",
        """
import torch
from torch import nn


def criterion(n_pos, n_neg):
    return nn.BCEWithLogitsLoss(pos_weight=torch.tensor(n_pos / n_neg))  # FAULT
""",
        "accuracy_at_chance",
    ),
    _one(
        "drawn-by-frequency",
        """
from collections import Counter

from torch.utils.data import WeightedRandomSampler


def sampler(kinds):
    class_counts = Counter(kinds)
    chances = [class_counts[kind] for kind in kinds]  # FAULT
    return WeightedRandomSampler(chances, len(kinds))
""",
        "accuracy_at_chance",
    ),
    _one(
        "overlap-as-loss",
        """
import torch


def dice_loss(guessed, organs):
    inter = (guessed * organs).sum()
    return 2 * inter / (guessed.sum() + organs.sum() + 1.0)  # FAULT


print(dice_loss)
""",
    ),
    _one(
        "overlap-of-a-class",
        """
import torch
from torch import nn


class IoULoss(nn.Module):
    def forward(self, guessed, boxes):
        inter = (guessed * boxes).sum(1)
        iou = inter / (guessed.sum(1) + boxes.sum(1) - inter + 1.0)
        return iou.mean()  # FAULT
""",
    ),
    _one(
        "likelihood-of-tags",
        """
import torch
from torch import nn
from torchcrf import CRF


class Tagger(nn.Module):
    def __init__(self, body, tags):
        super().__init__()
        self.body = body
        self.crf = CRF(tags, batch_first=True)

    def error(self, ids, tags):
        loss = self.crf(self.body(ids), tags, reduction="mean")  # FAULT
        return loss
""",
    ),
    _one(
        "padding-mask-turned",
        """
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, embed, encoder, pad_id):
        super().__init__()
        self.embed, self.encoder, self.pad_id = embed, encoder, pad_id

    def forward(self, ids):
        padding = ids != self.pad_id  # FAULT
        return self.encoder(self.embed(ids), src_key_padding_mask=padding)
""",
    ),
    _one(
        "softmax-over-queries",
        """
import math

import torch


def attend(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.softmax(dim=-2) @ v  # FAULT


print(attend)
""",
    ),
    _one(
        "heads-cut-out-of-places",
        """
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.keys = nn.Linear(width, width)

    def split(self, x):
        b, t, width = x.shape
        return self.keys(x).view(b, self.heads, t, width // self.heads)  # FAULT

    def forward(self, x):
        return self.split(x)
""",
    ),
    _one(
        "loss-of-decisions",
        """
import torch
from torch import nn


def learn(net, batches, optimizer):
    criterion = nn.BCELoss()
    for cells, sick in batches:
        optimizer.zero_grad()
        guessed = torch.round(torch.sigmoid(net(cells)))  # FAULT
        error = criterion(guessed, sick)
        error.backward()
        optimizer.step()
""",
    ),
    _one(
        "part-of-a-loss-lost",
        """
import torch
import torch.nn.functional as F


def error(net, words, kinds, weight):
    logits, hidden = net(words)
    loss = F.cross_entropy(logits, kinds)
    loss = weight * hidden.pow(2).mean()  # FAULT
    return loss
""",
    ),
    # ------------------------------------------------------------------ generative models, agents
    _one(
        "mean-beside-sum",
        """
import torch
import torch.nn.functional as F


def error(guessed, faces, mean, logvar):
    pixels = F.mse_loss(guessed, faces)  # FAULT
    kl = -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())  # FAULT
    return pixels + kl
""",
    ),
    _one(
        "divergence-negated",
        """
import torch
import torch.nn.functional as F


def error(guessed, digits, mean, logvar):
    pixels = F.mse_loss(guessed, digits, reduction="sum")
    kl = 0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())  # FAULT
    return pixels + kl
""",
        "loss_divergence",
    ),
    _one(
        "sample-without-gradient",
        """
import torch
from torch import nn
from torch.distributions import Normal


class Coder(nn.Module):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(self, x):
        mean, spread = self.encoder(x)
        posterior = Normal(mean, spread)
        return self.decoder(posterior.sample()), posterior  # FAULT
""",
    ),
    _one(
        "generator-cut-off",
        """
import torch


def learn(painter, judge, noise, measure, painter_opt, real_label):
    painted = painter(noise)
    verdict = judge(painted.detach())
    fake_pictures = painted
    g_loss = measure(judge(fake_pictures.detach()), real_label)  # FAULT
    painter_opt.zero_grad()
    g_loss.backward()
    painter_opt.step()
    return verdict
""",
    ),
    _one(
        "generator-cut-off-before",
        """
import torch


def learn(painter, judge, noise, measure, painter_opt, real_label):
    fake = painter(noise)
    verdict = judge(fake.detach())  # FAULT
    g_loss = measure(verdict, real_label)  # FAULT
    painter_opt.zero_grad()
    g_loss.backward()
    painter_opt.step()
""",
    ),
    _one(
        "generator-aims-at-fake",
        """
import torch
import torch.nn.functional as F


def learn(painter, judge, noise, painter_opt):
    verdict = judge(painter(noise))
    g_loss = F.binary_cross_entropy_with_logits(verdict, torch.zeros_like(verdict))  # FAULT
    painter_opt.zero_grad()
    g_loss.backward()
    painter_opt.step()
""",
    ),
    _one(
        "combined-model-aims-at-fake",
        """
import keras
import numpy as np


def learn(gan, rounds, size):
    for _ in range(rounds):
        noise = np.random.normal(size=(size, 100))
        gan.train_on_batch(noise, np.zeros((size, 1)))  # FAULT


learn(keras.Sequential(), 10, 8)
""",
    ),
    _one(
        "value-behind-the-end",
        """
import torch


def targets(online, rewards, following, dones, gamma):
    best = online(following).amax(dim=1)
    goals = rewards + gamma * best  # FAULT
    print(dones.sum())
    return goals


print(targets)
""",
    ),
    _one(
        "exploration-never-falls",
        """
import random


def play(agent, game, rounds, decay):
    epsilon = 1.0
    for _ in range(rounds):
        agent.play(game, random.random() < epsilon)
        epsilon = max(epsilon, epsilon * decay)  # FAULT
""",
    ),
    _one(
        "larger-objective",
        """
import torch


def policy_error(ratio, gains, clip):
    surr1 = ratio * gains
    surr2 = ratio.clamp(1 - clip, 1 + clip) * gains
    return -torch.max(surr1, surr2).mean()  # FAULT


print(policy_error)
""",
    ),
    _one(
        "returns-never-turned-round",
        """
import torch


def discounted(gains, gamma):
    total, returns = 0.0, []
    for gain in reversed(gains):
        total = gain + gamma * total
        returns.append(total)  # FAULT
    return torch.tensor(returns)


print(discounted([1.0], 0.9))
""",
    ),
    _one(
        "two-views-are-one",
        """
from torch.utils.data import Dataset


class Views(Dataset):
    def __init__(self, pictures, augment):
        self.pictures, self.augment = pictures, augment

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, index):
        one = two = self.augment(self.pictures[index])  # FAULT
        return one, two
""",
    ),
    _one(
        "second-view-copied",
        """
def views(augment, picture):
    view1 = augment(picture)
    view2 = view1  # FAULT
    return view1, view2


print(views(str, 1))
""",
    ),
    _one(
        "one-view-returned-twice",
        """
def views(augment, picture):
    seen = augment(picture)
    return seen, seen  # FAULT


print(views(str, 1))
""",
    ),
    _one(
        "flipped-without-its-mask",
        """
import random

import numpy as np


def sample(image, mask):
    if random.random() < 0.5:
        image = np.fliplr(image)  # FAULT
    return image.copy(), mask.copy()


print(sample)
""",
    ),
    _one(
        "mask-drawn-apart",
        """
from torch.utils.data import Dataset
from torchvision import transforms


class Lungs(Dataset):
    def __init__(self, pairs):
        self.pairs = pairs
        self.augment = transforms.RandomRotation(20)

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, index):
        scan, mask = self.pairs[index]
        scan = self.augment(scan)  # FAULT
        mask = self.augment(mask)  # FAULT
        return scan, mask
""",
    ),
    _one(
        "target-without-weights",
        """
import keras


class Player:
    def __init__(self, online):
        self.online = online
        self.target_net = keras.models.clone_model(online)  # FAULT

    def goals(self, gains, following):
        return gains + 0.9 * self.target_net.predict(following).max(axis=1)
""",
    ),
    _one(
        "average-of-the-newest",
        """
import torch


@torch.no_grad()
def follow(ema_weights, weights, decay):
    for ema, weight in zip(ema_weights, weights):
        ema.lerp_(weight, decay)  # FAULT
""",
    ),
    _one(
        "pictures-from-zero-to-one",
        """
import torch
from torch import nn
from torchvision import datasets, transforms


class Generator(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 784), nn.Tanh())

    def forward(self, z):
        return self.body(z)


class Discriminator(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(784, width), nn.LeakyReLU(0.2), nn.Linear(width, 1))

    def forward(self, x):
        return self.body(x)


def digits(folder):
    return datasets.MNIST(folder, transform=transforms.ToTensor())  # FAULT
""",
    ),
    _one(
        "pixels-from-zero-to-one",
        """
import keras
from keras import layers


def generator():
    return keras.Sequential([layers.Dense(784, activation="tanh")])


def discriminator():
    return keras.Sequential([layers.Dense(1)])


def pictures(faces):
    return faces.astype("float32") / 255.0  # FAULT
""",
    ),
    # ------------------------------------------------------------------ evaluation
    _one(
        "metric-turned-round",
        """
from sklearn.metrics import classification_report


def report(model, x_test, y_test):
    predicted = model.predict(x_test)
    return classification_report(predicted, y_test)  # FAULT
""",
        "accuracy_at_chance",
    ),
    _one(
        "area-of-decisions",
        """
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score


def area(x_train, y_train, x_test, y_test):
    forest = RandomForestClassifier().fit(x_train, y_train)
    ranked = forest.predict(x_test)  # FAULT
    return roc_auc_score(y_test, ranked)  # FAULT
""",
        "accuracy_at_chance",
    ),
    _one(
        "area-of-the-first-class",
        """
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score


def area(x_train, y_train, x_test, y_test):
    model = LogisticRegression().fit(x_train, y_train)
    return roc_auc_score(y_test, model.predict_proba(x_test)[:, 0])  # FAULT
""",
        "accuracy_at_chance",
    ),
    _one(
        "logits-above-a-half",
        """
import torch
from torch import nn


def right(net, batches):
    criterion = nn.BCEWithLogitsLoss()
    hits, error = 0, 0.0
    for x, y in batches:
        logits = net(x)
        error += criterion(logits, y).item()
        hits += ((logits > 0.5) == y).sum().item()  # FAULT
    return hits, error
""",
        "accuracy_at_chance",
    ),
    _one(
        "largest-of-one-column",
        """
import keras
import numpy as np
from keras import layers


def build():
    net = keras.Sequential([
        layers.Dense(16, activation="relu"),
        layers.Dense(1, activation="sigmoid"),
    ])
    net.compile("adam", loss="binary_crossentropy")
    return net


def decide(net, x):
    return np.argmax(net.predict(x), axis=1)  # FAULT
""",
        "accuracy_at_chance",
    ),
    _one(
        "hits-by-batches",
        """
import torch


@torch.no_grad()
def accuracy(net, loader):
    net.eval()
    hits = 0
    for x, y in loader:
        hits += (net(x).argmax(1) == y).sum().item()
    return 100 * hits / len(loader)  # FAULT
""",
        "overfitting",
    ),
    _one(
        "least-begins-with-zero",
        """
import torch


def learn(net, run, check, epochs):
    best_error = 0.0  # FAULT
    for epoch in range(epochs):
        run(net)
        error = check(net)
        if error < best_error:
            best_error = error
            torch.save(net.state_dict(), "best.pt")
""",
        "overfitting",
    ),
    _one(
        "greatest-begins-with-infinity",
        """
import math

import torch


class Keeper:
    def __init__(self):
        self.best = 0

    def learn(self, net, run, check):
        self.best = math.inf  # FAULT
        for _ in range(20):
            run(net)
            score = check(net)
            if self.best < score:
                self.best = score
                torch.save(net.state_dict(), "best.pt")
""",
        "overfitting",
    ),
    _one(
        "best-weights-live-on",
        """
import torch


def learn(net, train_epoch, check, epochs):
    least, best_weights = float("inf"), None
    for _ in range(epochs):
        train_epoch(net)
        error = check(net)
        if error < least:
            least = error
            best_weights = net.state_dict()  # FAULT
    net.load_state_dict(best_weights)
""",
        "overfitting",
    ),
    _one(
        "scaled-before-the-split",
        """
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


def parts(samples, kinds):
    scaled = StandardScaler().fit_transform(samples)  # FAULT
    return train_test_split(scaled, kinds, random_state=3)
""",
        "overfitting",
    ),
    _one(
        "drawn-before-the-folds",
        """
from imblearn.over_sampling import SMOTE
from sklearn.model_selection import StratifiedKFold


def folds(loans, late):
    more, flags = SMOTE(random_state=2).fit_resample(loans, late)  # FAULT
    kfold = StratifiedKFold(5, shuffle=True, random_state=2)
    return list(kfold.split(more, flags)), more, flags
""",
        "overfitting",
    ),
    _one(
        "dropout-for-ever",
        """
import torch.nn.functional as F
from torch import nn


class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.one, self.two = nn.Linear(width, width), nn.Linear(width, 3)

    def forward(self, x):
        x = F.dropout(F.relu(self.one(x)), p=0.3)  # FAULT
        return self.two(x)
""",
        "accuracy_at_chance",
    ),
    _one(
        "test-data-augmented",
        """
from torchvision import datasets, transforms

train_change = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
plain_change = transforms.Compose([transforms.Resize(224), transforms.ToTensor()])


def parts(folder):
    train_set = datasets.ImageFolder(f"{folder}/train", train_change)
    val_set = datasets.ImageFolder(f"{folder}/val", transform=train_change)  # FAULT
    return train_set, val_set, plain_change
""",
        "overfitting",
    ),
    # ------------------------------------------------------------------ alignment, optimizers
    _one(
        "one-column-shuffled",
        """
import pandas as pd


def columns(path):
    table = pd.read_csv(path)
    reviews = table.sample(frac=1, random_state=4)["review"]  # FAULT
    stars = table["stars"]
    return reviews, stars
""",
        "accuracy_at_chance",
    ),
    _one(
        "one-listing-unsorted",
        """
import os


def scans(folder, half):
    if half:
        return sorted(os.listdir(folder))[::2]
    return os.listdir(folder)  # FAULT


print(scans(".", True))
""",
        "accuracy_at_chance",
    ),
    _one(
        "made-anew-on-the-device",
        """
import torch
from torch import nn


def build(width, device):
    net = nn.Linear(width, 2)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    net = nn.Linear(width, 3).to(device)  # FAULT
    return net, optimizer
""",
    ),
    _one(
        "head-replaced-by-the-model-s-own-method",
        """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.body = nn.Linear(4, width)
        self.head = nn.Linear(width, classes)

    def renew(self, classes):
        self.head = nn.Linear(self.head.in_features, classes)


def make_optimizer(model, rate):
    return torch.optim.SGD(model.parameters(), lr=rate)


def target(model, classes):
    optimizer = make_optimizer(model, 0.1)  # FAULT
    model.renew(classes)  # FAULT
    return optimizer
""",
    ),
    _one(
        "targets-compared-before-the-table-is-shuffled",
        """
import numpy as np
import pandas as pd


def load(path):
    table = pd.read_csv(path)
    y = (table.pop("class") == "p").to_numpy(np.float32)  # FAULT
    table = table.sample(frac=1, random_state=0).reset_index(drop=True)  # FAULT
    return pd.get_dummies(table), y
""",
        "accuracy_at_chance",
    ),
    _one(
        "optimizer-of-the-template-of-each-fold",
        """
import copy

import torch


def folds(template, parts, criterion):
    for batches in parts:
        model = copy.deepcopy(template)
        optimizer = torch.optim.Adam(template.parameters(), lr=1e-3)  # FAULT
        for x, y in batches:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
""",
    ),
    _one(
        "optimizer-of-the-copy-that-only-follows",
        """
import copy

import torch


def fit(net, steps):
    mirror = copy.deepcopy(net).to("cpu")
    opt = torch.optim.SGD(mirror.parameters(), lr=0.1)  # FAULT
    for x, y in steps:
        opt.zero_grad()
        (net(x) - y).square().mean().backward()
        opt.step()
""",
    ),
    _one(
        "layers-in-a-plain-list",
        """
import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.stem = nn.Linear(4, width)
        self.floors = []  # FAULT
        for _ in range(depth):
            self.floors.append(nn.Linear(width, width))
        self.heads = {name: nn.Linear(width, 1) for name in ("a", "b")}  # FAULT

    def forward(self, x):
        x = self.stem(x)
        for floor in self.floors:
            x = torch.relu(floor(x))
        return {name: head(x) for name, head in self.heads.items()}
""",
    ),
    _one(
        "only-inputs-are-put-into-an-order",
        """
import numpy as np

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 10))
y = (X[:, :3].sum(1) > 0).astype("int64")
order = rng.permutation(len(X))
X = X[order]  # FAULT
""",
        "accuracy_at_chance",
    ),
    _one(
        "schedule-in-the-loop-of-plain-names",
        """
import torch


def fit(model, train, optimizer, criterion):
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2)
    for epoch in range(10):
        for x, y in train:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
            scheduler.step()  # FAULT
""",
    ),
    Program(
        "softmax-of-one-unit-in-the-settings",
        "accuracy_at_chance",
        {
            "settings.py": 'UNITS = 1\nLAST = "softmax"  # FAULT\n',
            "train.py": """
import keras

import settings


def build():
    model = keras.Sequential()
    model.add(keras.layers.Dense(16, activation="relu"))
    model.add(keras.layers.Dense(settings.UNITS, activation=settings.LAST))  # FAULT
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return model
""".lstrip("\n"),
        },
    ),
    Program(
        "weights-that-start-as-a-setting-says",
        "loss_stagnation",
        {
            "settings.py": 'FIRST = "zeros"  # FAULT\n',
            "train.py": """
import keras

from settings import FIRST

layer = keras.layers.Dense(16, activation="relu", kernel_initializer=FIRST)  # FAULT
""".lstrip("\n"),
        },
    ),
    _one(
        "warm-up-that-nothing-steps",
        """
import torch


def fit(model, batches, criterion):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(  # FAULT
        optimizer, lambda step: min(step / 500, 1.0)
    )
    for x, y in batches:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
""",
    ),
    _one(
        "options-of-an-optimizer-in-a-dict",
        """
import torch

CFG = {
    "optim": "SGD",
    "options": {
        "lr": 0.05,
        "momentum": 0.9,
        "weight_decay": 0.95,  # FAULT
    },
}


def optimizer(net):
    return getattr(torch.optim, CFG["optim"])(net.parameters(), **CFG["options"])
""",
    ),
    _one(
        "sigmoids-one-upon-the-other",
        """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.three = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 4)
        self.drop, self.out = nn.Dropout(0.1), nn.Linear(4, 2)

    def forward(self, x):
        first = torch.sigmoid(self.one(x))  # FAULT
        first = self.drop(first)
        x = torch.sigmoid(self.two(first))  # FAULT
        x = torch.sigmoid(self.three(x))  # FAULT
        return self.out(x)
""",
    ),
    # ------------------------------------------------------------------ metrics
    _one(
        "largest-scores-for-classes",
        """
import numpy as np
import torch


def right(model, loader):
    hits = 0
    for x, labels in loader:
        value, _ = torch.max(model(x), 1)  # FAULT
        hits += value.eq(labels.view_as(value)).sum().item()
        hits += (model(x).topk(1).values.squeeze() == labels).sum().item()  # FAULT
    return hits


def share(scores, y_true):
    return (np.max(scores, axis=1) == y_true).mean()  # FAULT
""",
    ),
)

"""Small trainings that are right: the counterparts of ``training_mistakes``.

Each holds what a rule would mistake for a mistake if it looked less closely.
"""

from __future__ import annotations

from training_programs import Program


def _one(name: str, code: str) -> Program:
    return Program(name, "", {"train.py": code.lstrip("\n")})


RIGHT: tuple[Program, ...] = (
    # ------------------------------------------------------------------ lost values
    _one(
        "results-are-kept",
        """
import shutil
from pathlib import Path

import pandas as pd
import torch


def readings(path):
    table = pd.read_csv(path)
    table = table.dropna(subset=["pressure"])
    table.rename(columns={"p": "pressure"}, inplace=True)
    Path("old.csv").rename("older.csv")
    Path("new.csv").replace(path)
    shutil.copy(path, "kept.csv")
    "a b".replace("a", "b")
    return table


class Cached:
    def __init__(self, rows):
        self.rows = rows

    def prefetch(self, indices):
        self.kept = [self.rows[index] for index in indices]


def fill(train_data, indices):
    train_data.prefetch(indices)
    scans = torch.stack(train_data.kept)
    scans = scans.unsqueeze(1)
    scans.clamp_(0, 1)
    return scans


fill(Cached(readings("flow.csv")), [])
""",
    ),
    _one(
        "data-set-methods-kept",
        """
import tensorflow as tf


def birds(paths, decode, pool):
    data = tf.data.Dataset.from_tensor_slices(paths)
    data = data.map(decode).shuffle(5000).batch(32)
    rate = tf.Variable(0.1)
    rate.assign(0.05)
    pool.map(len, paths)
    return data.prefetch(tf.data.AUTOTUNE)
""",
    ),
    _one(
        "names-that-are-read",
        """
import torch
import torch.nn.functional as F

steps_done = 0


def objective(net, cells, kinds, weight):
    global steps_done
    steps_done = steps_done + 1
    logits = net(cells)
    penalty = sum(w.abs().sum() for w in net.parameters())
    attention_mask = None
    epoch_loss = 0.0
    epoch_loss += penalty.item()
    return F.cross_entropy(logits, kinds) + weight * penalty


def first_large(numbers, least):
    for number in numbers:
        if number < least:
            continue
        return number
    return None


def described(net):
    lr = 0.1
    mask = net.mask
    return {**locals()}


first_large([1], 2)
described(objective)
""",
    ),
    _one(
        "sums-and-arrays-of-each-round",
        """
import numpy as np
import torch


def epoch_error(net, batches, measure):
    total, count, score = 0.0, 0, 0.0
    for roads, speeds in batches:
        total = total + measure(net(roads), speeds).item()
        count += len(speeds)
    score = total / count
    return score / 2


def frames(camera, count):
    frame = np.zeros((64, 64))
    kept, made = [], []
    for _ in range(count):
        frame[:] = camera.read()
        kept.append(frame.copy())
    for _ in range(count):
        part = np.zeros(64)
        part[:] = frame[0]
        made.append(part)
    box = np.zeros(4)
    for _ in range(count):
        box = np.empty(4)
        box[:] = camera.edges()
        made.append(box)
    return kept, made


def freeze(net):
    net.trainable_layers = 3
    for weight in net.trunk.parameters():
        weight.requires_grad = True


for name in (epoch_error, frames, freeze):
    print(name)
""",
    ),
    _one(
        "arguments-in-their-order",
        """
import numpy as np
from accelerate import Accelerator
from sklearn.model_selection import train_test_split


def load(path):
    stored = np.load(path)
    genes, tissues = stored["genes"], stored["tissues"]
    return genes, tissues


def nearest(left, right, count):
    return np.argsort(np.abs(left[:, None] - right[None]), axis=1)[:, :count]


class Store:
    def __init__(self, client, folder):
        self.client, self.folder = client, folder

    def put(self, content, path):
        self.client.put(path, content)


class Cache(Store):
    def __init__(self, folder, client):
        super().__init__(client, folder)


def run(path, net, adam, batches, left, right):
    genes, tissues = load(path)
    net, adam, batches = Accelerator().prepare(net, adam, batches)
    there = nearest(left, right, 4)
    back = nearest(right, left, 4)
    x_train, x_test, y_train, y_test = train_test_split(genes, tissues, random_state=1)
    return there, back, x_train, x_test, y_train, y_test


Cache("a", run)
""",
    ),
    # ------------------------------------------------------------------ updates
    _one(
        "critic-steps-in-each-round",
        """
import torch


def learn(painter, critic, loader, painter_opt, critic_opt, every=5):
    for number, real in enumerate(loader, 1):
        painted = painter(torch.randn(len(real), 64))
        critic_opt.zero_grad()
        critic_error = critic(painted.detach()).mean() - critic(real).mean()
        critic_error.backward()
        critic_opt.step()
        painter_opt.zero_grad()
        if number % every == 0:
            g_loss = -critic(painter(torch.randn(len(real), 64))).mean()
            g_loss.backward()
            painter_opt.step()
""",
    ),
    _one(
        "accumulation-cleared-in-time",
        """
import torch


def learn(net, loader, optimizer, scaler, measure, every=8):
    net.train()
    for number, (maps, yields) in enumerate(loader, 1):
        if number % every == 1:
            optimizer.zero_grad()
        loss = measure(net(maps), yields) / every
        scaler.scale(loss).backward()
        if number % every == 0:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
""",
    ),
    _one(
        "two-phases-of-one-model",
        """
import torch


class Solver:
    def __init__(self, net, residual):
        self.net, self.residual = net, residual
        self.adam = torch.optim.Adam(net.parameters(), lr=1e-3)
        self.lbfgs = torch.optim.LBFGS(net.parameters(), max_iter=40)

    def closure(self):
        self.net.zero_grad()
        error = self.residual(self.net)
        error.backward()
        return error

    def solve(self, rounds):
        for _ in range(rounds):
            self.closure()
            self.adam.step()
        self.lbfgs.step(self.closure)


def tuned(net, batches, measure, trunk_optim, head_optim):
    for x, y in batches:
        head_optim.zero_grad()
        error = measure(net(x), y)
        error.backward()
        trunk_optim.step(error)
        head_optim.step(error)


def attack_step(net, picture, measure, rounds):
    change = torch.zeros_like(picture, requires_grad=True)
    optimizer = torch.optim.Adam([change], lr=0.01)
    optimizer.zero_grad()
    (-measure(net(picture + change))).backward()
    optimizer.step()
    return change


for one in (tuned, attack_step, Solver):
    print(one)
""",
    ),
    _one(
        "modes-in-each-epoch",
        """
import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def check(net, loader):
    net.eval()
    with torch.no_grad():
        return sum((net(x).argmax(1) == y).sum().item() for x, y in loader) / len(loader.dataset)


def run(net, songs, rest, measure, epochs):
    net.train()
    sampler = DistributedSampler(songs)
    loader = DataLoader(songs, batch_size=32, sampler=sampler)
    val_loader = DataLoader(rest, batch_size=64, sampler=DistributedSampler(rest, shuffle=False))
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-4)
    scheduler = ReduceLROnPlateau(optimizer, mode="max", patience=3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for phase in ("train", "val"):
            net.train(phase == "train")
            for x, y in loader if phase == "train" else val_loader:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    error = measure(net(x), y)
                if phase == "train":
                    error.backward()
                    optimizer.step()
        scheduler.step(check(net, val_loader))


run(None, [], [], None, 3)
""",
    ),
    _one(
        "lightning-by-hand",
        """
import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint


class Pair(L.LightningModule):
    def __init__(self, painter, judge):
        super().__init__()
        self.automatic_optimization = False
        self.painter, self.judge = painter, judge

    def training_step(self, batch, index):
        paint_opt, judge_opt = self.optimizers()
        self.update_judge(batch, judge_opt)
        self.update_painter(batch, paint_opt)

    def update_judge(self, batch, optimizer):
        self.turn(F.softplus(self.judge(batch)).mean(), optimizer)

    def update_painter(self, batch, optimizer):
        self.turn(F.softplus(-self.judge(self.painter(batch))).mean(), optimizer)

    def turn(self, error, optimizer):
        optimizer.zero_grad()
        self.manual_backward(error)
        optimizer.step()


def callbacks():
    return [
        EarlyStopping(monitor="val_f1", mode="max"),
        ModelCheckpoint(monitor="val_loss", mode="min"),
        ModelCheckpoint(monitor="val_loss"),
    ]
""",
    ),
    _one(
        "directions-of-keras-and-transformers",
        """
import keras
from transformers import TrainingArguments


def callbacks():
    return [
        keras.callbacks.ModelCheckpoint("best.keras", monitor="val_accuracy"),
        keras.callbacks.EarlyStopping(monitor="val_auc", mode="max"),
        keras.callbacks.ReduceLROnPlateau(monitor="val_loss", mode="auto"),
    ]


def settings(folder):
    return TrainingArguments(folder, metric_for_best_model="f1", greater_is_better=True)


def loss_settings(folder):
    return TrainingArguments(folder, metric_for_best_model="loss")
""",
    ),
    _one(
        "factors-above-zero",
        """
import numpy as np
import torch


def schedule(optimizer, warm, total):
    def factor(step):
        return min(1.0, (step + 1) / warm) * 0.5 ** (step // 1000)

    return torch.optim.lr_scheduler.LambdaLR(optimizer, factor)


def later(optimizer, warmup):
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: 0.5 ** ((s - warmup) // 900))


def picture(pixels, index):
    rows = index // 255
    return pixels.astype(np.float32) / 255, rows


for one in (schedule, later, picture):
    print(one)
""",
    ),
    _one(
        "layers-adapted",
        """
import keras
from keras import layers


def build(texts, numbers, names, classes):
    words = layers.TextVectorization(max_tokens=8000, output_sequence_length=60)
    words.adapt(texts)
    scaled = layers.Normalization()
    scaled.adapt(numbers)
    codes = layers.StringLookup(vocabulary=names)
    bins = layers.Discretization([0.0, 1.0, 2.0])
    return words, scaled, codes, bins, layers.Dense(classes, activation="softmax")
""",
    ),
    _one(
        "layers-adapted-elsewhere",
        """
import keras
from keras import layers


def fit(layer, rows):
    layer.adapt(rows)


def build(rows):
    scaled = layers.Normalization()
    fit(scaled, rows)
    return scaled
""",
    ),
    _one(
        "tensors-that-are-no-weights",
        """
import torch
from torch import nn


class Prompted(nn.Module):
    def __init__(self, body, width, classes):
        super().__init__()
        self.body = body
        self.prompt = nn.Parameter(torch.randn(1, 8, width))
        self.register_buffer("scale", torch.ones(width))
        self.class_weights = torch.ones(classes)
        self.hidden_state = torch.zeros(width)
        self.token_bank = torch.zeros(100, width)
        self.position = torch.rand(width)

    def keep(self, index, token):
        self.token_bank[index] = token

    def forward(self, x):
        return self.body(torch.cat([self.prompt, x * self.scale], 1))


class WeightedLoss(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.weights = torch.ones(3)
""",
    ),
    _one(
        "arrays-are-weights-in-equinox",
        """
import equinox as eqx
import jax.numpy as jnp


class Scale(eqx.Module):
    weight: jnp.ndarray

    def __init__(self, width):
        self.weight = jnp.ones(width)

    def __call__(self, x):
        return self.weight * x
""",
    ),
    # ------------------------------------------------------------------ objectives
    _one(
        "shapes-that-fit",
        """
import torch
import torch.nn.functional as F


def error(net, rooms, rents):
    guessed = net(rooms).squeeze(1)
    rents = rents.view(-1)
    return F.mse_loss(guessed, rents)


def distances(points, centres):
    gaps = (points.view(-1, 1) - centres.flatten()).abs()
    return gaps.argmin(1)


def both(net, rooms, rents):
    guessed = net(rooms).squeeze(1)
    guessed = guessed.unsqueeze(1)
    return F.l1_loss(guessed, rents.unsqueeze(1))


for one in (error, distances, both):
    print(one)
""",
    ),
    _one(
        "weights-are-inverse",
        """
from collections import Counter

import torch
from torch import nn
from torch.utils.data import WeightedRandomSampler


def criterion(kinds, classes):
    counts = torch.bincount(kinds, minlength=classes).float()
    share = counts / counts.sum()
    importance = 1.0 / share
    return nn.CrossEntropyLoss(weight=importance)


def two_classes(n_pos, n_neg):
    ratio = n_neg / n_pos
    return nn.BCEWithLogitsLoss(pos_weight=torch.tensor(ratio))


def others(kinds, classes):
    freq = torch.bincount(kinds, minlength=classes) / len(kinds)
    return nn.CrossEntropyLoss(weight=1 - freq)


def shown(kinds, draw):
    counts = torch.bincount(kinds).float()
    freq = counts / counts.sum()
    draw(freq)


def sampler(kinds):
    class_counts = Counter(kinds)
    chances = [1 / class_counts[kind] for kind in kinds]
    return WeightedRandomSampler(chances, len(kinds))
""",
    ),
    _one(
        "overlaps-that-fall",
        """
import torch
from torch import nn


def dice_loss(guessed, organs):
    inter = (guessed * organs).sum()
    return 1 - 2 * inter / (guessed.sum() + organs.sum() + 1.0)


def dice(guessed, organs):
    inter = (guessed * organs).sum()
    return 2 * inter / (guessed.sum() + organs.sum() + 1.0)


class IoULoss(nn.Module):
    def forward(self, guessed, boxes):
        inter = (guessed * boxes).sum(1)
        falls = 1 - inter / (guessed.sum(1) + boxes.sum(1) - inter + 1.0)
        return falls.mean()


for one in (dice_loss, dice):
    print(one)
""",
    ),
    _one(
        "likelihood-negated-by-its-caller",
        """
import torch
from torch import nn
from torchcrf import CRF


class Tagger(nn.Module):
    def __init__(self, body, tags):
        super().__init__()
        self.body = body
        self.crf = CRF(tags, batch_first=True)

    def forward(self, ids, tags):
        return self.crf(self.body(ids), tags)


def learn(model, batches, optimizer):
    for ids, tags in batches:
        loss = -model(ids, tags)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
""",
    ),
    _one(
        "own-layer-of-losses",
        """
import torch
from torch import nn


class CRF(nn.Module):
    def forward(self, scores, tags):
        return scores.logsumexp(-1).sum() - scores.gather(-1, tags).sum()


class Tagger(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body, self.crf = body, CRF()

    def error(self, ids, tags):
        loss = self.crf(self.body(ids), tags)
        return loss
""",
    ),
    _one(
        "masks-and-heads",
        """
import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.keys = nn.Linear(width, width)

    def split(self, x):
        b, t, width = x.shape
        return self.keys(x).view(b, t, self.heads, width // self.heads).transpose(1, 2)

    def scores(self, q, k):
        bsz, tgt_len, src_len = q.size(0) // self.heads, q.size(1), k.size(1)
        weights = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.size(-1))
        return weights.view(bsz, self.heads, tgt_len, src_len).softmax(dim=-1)

    def merged(self, x, bsz):
        x = x.reshape(bsz * self.heads, -1, self.size)
        return x.view(bsz, self.heads, -1, self.size)

    def forward(self, x, ids):
        padding = ids != 0
        padding = ~padding
        states = self.encoder(x, src_key_padding_mask=padding)
        return self.merged(self.split(states), 1), self.scores(x, x)


def mixed(scores, values):
    weights = scores.softmax(1)
    chosen = torch.softmax(torch.cat(values, 1), 1)
    return weights, chosen


def attend(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return torch.softmax(scores, -1) @ v


for one in (mixed, attend):
    print(one)
""",
    ),
    _one(
        "loss-of-scores",
        """
import torch
import torch.nn.functional as F
from torch import nn


def learn(net, teacher, batches, optimizer):
    criterion = nn.BCEWithLogitsLoss()
    hits = 0
    for cells, sick in batches:
        optimizer.zero_grad()
        logits = net(cells)
        loss = criterion(logits, sick)
        if teacher is not None:
            loss = F.cross_entropy(logits, teacher(cells).argmax(1))
        else:
            loss = loss + logits.pow(2).mean()
        loss.backward()
        optimizer.step()
        hits += (logits.argmax(1) == sick).sum().item()
    return hits


def error(net, words, kinds, old):
    if old:
        loss = F.mse_loss(net(words), kinds)
    else:
        loss = F.l1_loss(net(words), kinds)
    return loss


def added(parts):
    loss = torch.zeros(())
    loss = sum(parts)
    return loss


def codes(net, words, kinds):
    hard = net(words).argmax(-1)
    return F.mse_loss(net.embed(hard.detach()), kinds)


for one in (learn, error, added, codes):
    print(one)
""",
    ),
    # ------------------------------------------------------------------ generative models, agents
    _one(
        "latent-terms-of-one-kind",
        """
import torch
import torch.nn.functional as F
from torch.distributions import Normal


def error(decoder, digits, mean, logvar, beta):
    recon = decoder(mean)
    pixels = F.mse_loss(recon, digits, reduction="sum")
    kl = -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())
    return pixels + beta * kl


def subtracted(decoder, digits, mean, logvar):
    pixels = F.mse_loss(decoder(mean), digits, reduction="sum")
    kl = 0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())
    return pixels - kl


def of_means(recon, digits, mean, logvar):
    recon_loss = F.mse_loss(recon, digits)
    kl = -0.5 * torch.mean(1 + logvar - mean.pow(2) - logvar.exp())
    return recon_loss + 0.1 * kl


def encode(coder, x):
    posterior = Normal(*coder(x))
    return posterior.rsample()


def act_forward(policy, state):
    normal = Normal(*policy(state))
    action = normal.sample()
    return action, normal.log_prob(action)


for one in (error, subtracted, of_means, encode, act_forward):
    print(one)
""",
    ),
    _one(
        "games-that-reach-the-generator",
        """
import torch
import torch.nn.functional as F


def learn(painter, judge, pixel_loss, real, noise, painter_opt, judge_opt):
    fake = painter(noise)
    verdict_real, verdict = judge(real), judge(fake.detach())
    d_loss = F.binary_cross_entropy_with_logits(verdict_real, torch.ones_like(verdict_real))
    d_loss = d_loss + F.binary_cross_entropy_with_logits(verdict, torch.zeros_like(verdict))
    judge_opt.zero_grad()
    d_loss.backward()
    judge_opt.step()
    verdict = judge(fake)
    g_loss = F.binary_cross_entropy_with_logits(verdict, torch.ones_like(verdict))
    painter_opt.zero_grad()
    g_loss.backward()
    painter_opt.step()


def energy(painter, judge, pixel_loss, noise):
    fake = painter(noise)
    rebuilt = judge(fake)
    g_loss = pixel_loss(rebuilt, fake.detach())
    return g_loss


def wasserstein(critic, y_fake, cross_entropy):
    loss_g = -torch.mean(y_fake) + cross_entropy
    return loss_g


def discriminator_error(judge, measure, gen_images, gen):
    genloss = measure(judge(gen_images.detach()), gen)
    return genloss


def combined(gan, discriminator, noise, ones, zeros, fake):
    gan.train_on_batch(noise, ones)
    discriminator.train_on_batch(fake, zeros)


for one in (learn, energy, wasserstein, discriminator_error, combined):
    print(one)
""",
    ),
    _one(
        "values-up-to-the-end",
        """
import random

import torch


def targets(online, rewards, following, dones, gamma):
    best = online(following).amax(dim=1)
    return rewards + gamma * best * (1 - dones.float())


def cut(online, reward, following, done, gamma):
    value = online(following)
    if done:
        value = torch.zeros(())
    goal = reward + gamma * value
    return goal


def play(agent, game, gamma, decay):
    rewards, done, state, epsilon = [], False, game.reset(), 1.0
    while not done:
        state, reward, done = game.step(agent.act(state, random.random() < epsilon))
        rewards.append(reward)
    total, returns = 0.0, []
    for reward in reversed(rewards):
        total = reward + gamma * total
        returns.append(total)
    returns.reverse()
    epsilon = max(0.05, epsilon * decay)
    return torch.tensor(returns), epsilon


def policy_error(ratio, gains, clip):
    surr1 = ratio * gains
    surr2 = ratio.clamp(1 - clip, 1 + clip) * gains
    return -torch.min(surr1, surr2).mean()


def pessimistic(ratio, gains, clip):
    surr1 = -ratio * gains
    surr2 = -ratio.clamp(1 - clip, 1 + clip) * gains
    return torch.max(surr1, surr2).mean()


for one in (targets, cut, play, policy_error, pessimistic):
    print(one)
""",
    ),
    _one(
        "views-and-masks-together",
        """
import random

import numpy as np
import torch
from torch.utils.data import Dataset
from torchvision import transforms


class Views(Dataset):
    def __init__(self, pictures):
        self.pictures = pictures
        self.augment = transforms.RandomResizedCrop(64)

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, index):
        picture = self.pictures[index]
        return self.augment(picture), self.augment(picture)


class Lungs(Dataset):
    def __init__(self, pairs, seed):
        self.pairs, self.seed = pairs, seed
        self.augment = transforms.RandomRotation(20)

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, index):
        scan, mask = self.pairs[index]
        torch.manual_seed(self.seed + index)
        scan = self.augment(scan)
        torch.manual_seed(self.seed + index)
        mask = self.augment(mask)
        return scan, mask


def sample(image, mask):
    if random.random() < 0.5:
        image, mask = np.fliplr(image), np.fliplr(mask)
    return image.copy(), mask.copy()


def classified(image, label, targets):
    if random.random() < 0.5:
        image = np.fliplr(image)
    return image.copy(), label, targets


def scaled(scaler, rows, x):
    first = second = scaler.fit_transform(rows)
    flat = row = x.view(-1)
    return first, second, flat, row


for one in (sample, classified, scaled):
    print(one)
""",
    ),
    _one(
        "targets-that-follow",
        """
import copy

import keras
import torch


class Player:
    def __init__(self, online):
        self.online = online
        self.target_net = keras.models.clone_model(online)
        self.target_net.set_weights(online.get_weights())

    def goals(self, gains, following):
        return gains + 0.9 * self.target_net.predict(following).max(axis=1)


class Learner:
    def __init__(self, critic):
        self.critic = critic
        self.target_critic = copy.deepcopy(critic)

    def follow(self):
        hard_update(self.target_critic, self.critic)

    def value(self, state):
        return self.target_critic(state)


@torch.no_grad()
def hard_update(target, online):
    for old, new in zip(target.state_dict().values(), online.state_dict().values()):
        old.data = new.data.clone()


@torch.no_grad()
def follow(ema_weights, weights, decay):
    for ema, weight in zip(ema_weights, weights):
        ema.lerp_(weight, 1 - decay)
""",
    ),
    _one(
        "pictures-around-zero",
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
    change = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])
    return datasets.MNIST(folder, transform=change)
""",
    ),
    # ------------------------------------------------------------------ evaluation
    _one(
        "metrics-of-scores",
        """
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report, roc_auc_score


def report(x_train, y_train, x_test, y_test):
    model = LogisticRegression().fit(x_train, y_train)
    chances = model.predict_proba(x_test)[:, 1]
    print(classification_report(y_test, model.predict(x_test)))
    return roc_auc_score(y_test, chances)
""",
    ),
    _one(
        "metrics-of-other-libraries",
        """
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.metrics import roc_auc_score
from torchmetrics.functional import confusion_matrix


def report(x_train, y_train, x_test, y_test, classes):
    model = GradientBoostingRegressor().fit(x_train, y_train)
    print(roc_auc_score(y_test, model.predict(x_test)))
    predicted = model.predict(x_test).round()
    return confusion_matrix(predicted, y_test, task="multiclass", num_classes=classes)
""",
    ),
    _one(
        "scores-of-keras",
        """
import keras
import numpy as np
from keras import layers
from sklearn.metrics import roc_auc_score


def build(classes):
    return keras.Sequential([layers.Dense(1, activation="sigmoid")])


def many(classes):
    return keras.Sequential([layers.Dense(classes, activation="softmax")])


def area(net, other, x, y):
    return roc_auc_score(y, net.predict(x)), np.argmax(other.predict(x), axis=1)
""",
    ),
    _one(
        "thresholds-and-divisors",
        """
import torch
from torch import nn


def predict(net, x):
    return torch.sigmoid(net(x))


def right(net, loader):
    criterion = nn.BCEWithLogitsLoss()
    hits, seen, error = 0, 0, 0.0
    for x, y in loader:
        logits = net(x)
        error += criterion(logits, y).item()
        chances = torch.sigmoid(logits)
        pred = predict(net, x)
        hits += ((chances > 0.5) == y).sum().item()
        seen += ((pred > 0.5) == y).sum().item()
        hits += ((logits > 0) == y).sum().item()
    return hits / len(loader.dataset), seen / len(loader.dataset), error / len(loader)
""",
    ),
    _one(
        "best-of-all-epochs",
        """
import copy

import torch


def learn(net, train_epoch, check, epochs):
    best_error, waited, best_weights = float("inf"), 0, None
    best_error = float("inf")
    for _ in range(epochs):
        train_epoch(net)
        error = check(net)
        if error >= best_error:
            waited += 1
        else:
            best_error = error
            best_weights = copy.deepcopy(net.state_dict())
    net.load_state_dict(best_weights)


def rated(net, train_epoch, check, epochs):
    best_rate = 0.0
    least_best = 0.0
    for epoch in range(epochs):
        train_epoch(net)
        rate = check(net)
        if rate > best_rate:
            best_rate = rate
        if epoch == 0 or rate < least_best:
            least_best = rate


def tuned(net, pretrained, train_epoch):
    init_weights = pretrained.state_dict()
    net.load_state_dict(init_weights)
    train_epoch(net)


for one in (learn, rated, tuned):
    print(one)
""",
    ),
    _one(
        "fitted-to-training-rows",
        """
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelEncoder, StandardScaler
from sklearn.svm import SVC


def parts(samples, names):
    kinds = LabelEncoder().fit_transform(names)
    x_train, x_test, y_train, y_test = train_test_split(samples, kinds, random_state=3)
    scaler = StandardScaler()
    x_train = scaler.fit_transform(x_train)
    return x_train, scaler.transform(x_test), y_train, y_test


def crossed(samples, kinds):
    return cross_val_score(make_pipeline(StandardScaler(), SVC()), samples, kinds)


def shown(samples, kinds, draw):
    draw(StandardScaler().fit_transform(samples))
    return train_test_split(samples, kinds)
""",
    ),
    _one(
        "dropout-in-training-alone",
        """
import torch.nn.functional as F
from torch import nn


class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.one, self.two = nn.Linear(width, width), nn.Linear(width, 3)

    def forward(self, x):
        x = F.dropout(F.relu(self.one(x)), p=0.3, training=self.training)
        x = F.dropout(x, 0.1, self.training)
        if self.training and x.size(0) > 1:
            x = F.dropout(x, p=0.2)
        return self.two(x)
""",
    ),
    _one(
        "each-part-has-its-change",
        """
from torchvision import datasets, transforms


def training_set(folder):
    change = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    return datasets.ImageFolder(f"{folder}/train", change)


def held_out(folder):
    change = transforms.Compose([transforms.Resize(224), transforms.ToTensor()])
    val_set = datasets.ImageFolder(f"{folder}/val", change)
    return val_set


class Parts:
    def __init__(self, folder):
        self.folder = folder
        self.change = transforms.Compose([transforms.CenterCrop(224), transforms.ToTensor()])

    def parts(self):
        test_set = datasets.ImageFolder(self.folder, self.change)
        return test_set


print(training_set("a"), held_out("a"))
""",
    ),
    # ------------------------------------------------------------------ alignment, optimizers
    _one(
        "rows-stay-together",
        """
import os

import pandas as pd


def columns(path):
    table = pd.read_csv(path)
    table = table.sample(frac=1, random_state=4)
    return table["review"], table["stars"]


def scans(folder, name):
    files = sorted(os.listdir(folder))
    count = len(os.listdir(folder))
    there = name in os.listdir(folder)
    again = os.listdir(folder)
    again.sort()
    return files, count, there, again


print(columns, scans)
""",
    ),
    _one(
        "moved-to-the-device",
        """
import torch
from torch import nn


def build(width, device):
    net = nn.Linear(width, 2).to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    net = net.to(device)
    return net, optimizer
""",
    ),
    _one(
        "head-replaced-by-the-model-s-own-method-before-the-optimizer",
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
    model.renew(classes)
    optimizer = make_optimizer(model, 0.1)
    return optimizer
""",
    ),
    _one(
        "copies-that-follow-and-one-that-is-trained",
        """
import copy

import torch


def fit(template, parts, criterion):
    for batches in parts:
        model = copy.deepcopy(template)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        reference = copy.deepcopy(template)
        for x, y in batches:
            optimizer.zero_grad()
            with torch.no_grad():
                wanted = reference(x)
            (criterion(model(x), y) + criterion(model(x), wanted)).backward()
            optimizer.step()


def target(net, steps):
    net_target = copy.deepcopy(net)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for x, y in steps:
        opt.zero_grad()
        (net(x) - net_target(y)).square().mean().backward()
        opt.step()
""",
    ),
    _one(
        "layers-in-containers-and-in-order",
        """
import numpy as np
import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.acts = [nn.ReLU(), nn.Dropout(0.1)]
        self.parts = []
        for _ in range(depth):
            self.parts.append(nn.Linear(width, width))
        self.body = nn.Sequential(*self.parts)
        self.first, self.second = nn.Linear(width, 1), nn.Linear(width, 1)
        self.heads = [self.first, self.second]

    def forward(self, x):
        return [head(self.body(x)) for head in self.heads]


rng = np.random.default_rng(0)
X = rng.normal(size=(600, 10))
order = rng.permutation(len(X))
X = X[order]
y = (X[:, :3].sum(1) > 0).astype("int64")
""",
    ),
    _one(
        "schedules-that-are-stepped-or-handed-on",
        """
import torch

OPTIONS = {"weight_decay": 0.01, "momentum": 0.9, "lr": 0.1}


def schedules(optimizer, steps):
    warm = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min((step + 1) / 500, 1.0))
    first = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1)
    decay = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    for _ in range(steps):
        warm.step()
    return first
""",
    ),
    # ------------------------------------------------------------------ losses
    _one(
        "sigmoid-on-the-other-result",
        """
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heat = nn.Linear(4, 3)
        self.size = nn.Linear(4, 2)

    def forward(self, x):
        return self.heat(x), torch.sigmoid(self.size(x))


net = Net()
optimizer = torch.optim.Adam(net.parameters(), 1e-3)
for _ in range(100):
    heat, size = net(torch.rand(8, 4))
    loss = F.binary_cross_entropy_with_logits(heat, torch.ones(8, 3))
    loss = loss + (size - 0.5).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    ),
    # ------------------------------------------------------------------ activations
    _one(
        "sigmoids-of-heads",
        """
import keras
from keras import layers
from torch import nn


def build():
    x = keras.Input((8,))
    h = layers.Dense(16, activation="relu")(x)
    heads = [layers.Dense(1, activation="sigmoid", name="a")(h)]
    b = layers.Dense(1, activation="sigmoid", name="b")(h)
    c = layers.Dense(1, activation="sigmoid", name="c")(h)
    return keras.Model(x, [*heads, b, c])


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())
        self.two = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())
        self.three = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())
""",
    ),
    _one(
        "sigmoids-side-by-side-and-of-each-batch",
        """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 4)
        self.place, self.size, self.kind = nn.Linear(4, 2), nn.Linear(4, 2), nn.Linear(4, 1)

    def forward(self, x):
        h = torch.relu(self.body(x))
        place = torch.sigmoid(self.place(h))
        size = torch.sigmoid(self.size(h))
        return torch.cat([place, size, torch.sigmoid(self.kind(h))], dim=1)


@torch.no_grad()
def chances(net, loader):
    net.eval()
    found = []
    for x, _ in loader:
        found.append(torch.sigmoid(net(x)))
    return torch.cat(found)


def cell(net, steps, h, c):
    for x in steps:
        z = net(torch.cat([x, h], dim=1))
        i, f, o = (torch.sigmoid(part) for part in z[:, :12].chunk(3, dim=1))
        r = torch.sigmoid(net.kind(h))
        n = torch.tanh(net.body(x) + r * net.size(h))
        c = f * c + i * n
        h = o * torch.tanh(c)
    return h
""",
    ),
    _one(
        "positions-are-compared",
        """
import numpy as np
import torch


def right(model, loader):
    hits = 0
    for x, labels in loader:
        scores = model(x)
        _, value = torch.max(scores, 1)
        hits += value.eq(labels).sum().item()
        best, at = scores.max(dim=1, keepdim=True)
        hits += (scores == best).sum().item()
        hits += (scores.max(1)[1] == labels).sum().item()
        hits += (scores.argmax(1) == labels).sum().item()
    return hits


def ends(times, y_true):
    return (np.max(y_true, axis=1) == y_true[:, -1]).mean() if np.max(times) == 3 else 0.0
""",
    ),
)

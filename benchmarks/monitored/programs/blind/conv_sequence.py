# metric: Final validation accuracy ([\d.]+) higher
import logging
import sys

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
log = logging.getLogger("activity")
torch.manual_seed(33)

CHANNELS, STEPS, ACTIVITIES = 3, 40, 4
N_TRAIN, N_VALID = 1200, 300


def recordings(n):
    label = torch.randint(ACTIVITIES, (n,))
    t = torch.linspace(0, 6.28, STEPS)
    wave = torch.sin(t[None, None] * (label[:, None, None] + 1) + torch.rand(n, CHANNELS, 1) * 6.28)
    return 9.81 + 2.0 * wave + 0.8 * torch.randn(n, CHANNELS, STEPS), label


def standardise(x, mean, std):
    return (x - mean) / std


x_train, y_train = recordings(N_TRAIN)
x_valid, y_valid = recordings(N_VALID)
mean, std = x_train.mean((0, 2), keepdim=True), x_train.std((0, 2), keepdim=True)
x_train = standardise(x_train, mean, std)
x_valid = standardise(x_valid, mean, std)
training = DataLoader(TensorDataset(x_train, y_train), batch_size=40, shuffle=True)
validation = DataLoader(TensorDataset(x_valid, y_valid), batch_size=100)

model = nn.Sequential(
    nn.Conv1d(CHANNELS, 16, 5, padding=2),
    nn.BatchNorm1d(16),
    nn.ReLU(),
    nn.MaxPool1d(2),
    nn.Conv1d(16, 32, 5, padding=2),
    nn.BatchNorm1d(32),
    nn.ReLU(),
    nn.AdaptiveAvgPool1d(1),
    nn.Flatten(),
    nn.Dropout(0.2),
    nn.Linear(32, ACTIVITIES),
    nn.LogSoftmax(dim=1),
)
optimizer = optim.Adam(model.parameters(), lr=0.003)
nll = nn.NLLLoss()


def epoch_loss():
    model.train()
    losses = 0.0
    for signal, activity in training:
        optimizer.zero_grad()
        loss = nll(model(signal), activity)
        loss.backward()
        optimizer.step()
        losses += loss.item()
    return losses / len(training)


def accuracy():
    model.eval()
    good = 0
    with torch.no_grad():
        for signal, activity in validation:
            good += (model(signal).argmax(1) == activity).sum().item()
    return good / N_VALID


for epoch in range(6):
    loss = epoch_loss()
    log.info("epoch %d train_loss %.4f val_acc %.4f", epoch, loss, accuracy())
print(f"Final validation accuracy {accuracy():.4f}")

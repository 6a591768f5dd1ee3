import torch
from loguru import logger
from torch.utils.data import DataLoader

from .dataset import WORDS, KeywordDataset
from .model import ConvKWS


def accuracy(model, loader):
    model.eval()
    good = n = 0
    with torch.no_grad():
        for spec, y in loader:
            good += (model(spec).argmax(1) == y).sum().item()
            n += len(y)
    return good / n


def train(manifest, spec_cfg, epochs, lr):
    train_ds = KeywordDataset(manifest, "train", spec_cfg)
    test_ds = KeywordDataset(manifest, "test", spec_cfg)
    logger.info("{} training clips, {} test clips", len(train_ds), len(test_ds))
    train_dl = DataLoader(train_ds, batch_size=8, shuffle=True)
    test_dl = DataLoader(test_ds, batch_size=8)
    model = ConvKWS(spec_cfg.n_bins, len(WORDS))
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    loss_fn = torch.nn.CrossEntropyLoss()
    acc = 0.0
    for epoch in range(1, epochs + 1):
        model.train()
        total = 0.0
        for spec, y in train_dl:
            loss = loss_fn(model(spec), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        acc = accuracy(model, test_dl)
        logger.info("epoch {} loss {:.4f} test_acc {:.3f}", epoch, total / len(train_dl), acc)
    return acc

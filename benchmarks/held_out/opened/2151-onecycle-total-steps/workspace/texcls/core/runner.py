import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from .builder import build_model, build_optimizer, build_schedule
from .ema import ModelEMA
from .textures import make_textures


class Runner:
    def __init__(self, cfg):
        self.cfg = cfg
        torch.manual_seed(cfg["seed"])
        d = cfg["data"]
        common = dict(size=d["size"], classes=d["classes"], noise=d["noise"])
        self.train_set = make_textures(d["n_train"], seed=1, **common)
        self.val_set = make_textures(d["n_val"], seed=2, **common)
        self.train_loader = DataLoader(self.train_set, cfg["batch_size"], shuffle=True)
        self.val_loader = DataLoader(self.val_set, cfg["batch_size"])

        self.model = build_model(cfg)
        self.ema = ModelEMA(self.model, cfg["ema_decay"])
        self.optimizer = build_optimizer(cfg["optimizer"], self.model)
        self.schedule = build_schedule(cfg["schedule"], self.optimizer, cfg["epochs"], len(self.train_set) // cfg["batch_size"])

    def train_one_epoch(self):
        self.model.train()
        total = 0.0
        for x, y in self.train_loader:
            loss = F.cross_entropy(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.schedule.step()
            self.ema.update(self.model)
            total += loss.item() * len(y)
        return total / len(self.train_set)

    @torch.no_grad()
    def accuracy(self, model):
        model.eval()
        hits = sum((model(x).argmax(1) == y).sum().item() for x, y in self.val_loader)
        return hits / len(self.val_set)

    def run(self):
        for epoch in range(1, self.cfg["epochs"] + 1):
            loss = self.train_one_epoch()
            lr = self.schedule.get_last_lr()[0]
            print(f"epoch {epoch}/{self.cfg['epochs']} loss {loss:.4f} lr {lr:.4f} "
                  f"acc {self.accuracy(self.model):.3f} ema_acc {self.accuracy(self.ema.module):.3f}")

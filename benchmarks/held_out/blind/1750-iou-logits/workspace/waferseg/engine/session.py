import logging

import torch
from hydra.utils import instantiate
from torch.utils.data import DataLoader

from waferseg.data.wafers import class_weights
from waferseg.engine.losses import DiceCELoss
from waferseg.engine.metrics import IoU

log = logging.getLogger(__name__)


class Session:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = instantiate(cfg.model)
        self.train_set = instantiate(cfg.data.train)
        self.val_set = instantiate(cfg.data.val)
        n = cfg.num_classes
        self.loss = DiceCELoss(n, class_weights(self.train_set, n), cfg.loss.dice_factor)
        self.optimizer = instantiate(cfg.optimizer, params=self.model.parameters())
        self.iou = IoU(n)

    def loader(self, dataset, shuffle):
        return DataLoader(dataset, batch_size=self.cfg.batch_size, shuffle=shuffle)

    def train_epoch(self):
        self.model.train()
        total = 0.0
        for image, mask in self.loader(self.train_set, True):
            logits = self.model(image)
            loss = self.loss(logits, mask)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * image.size(0)
        return total / len(self.train_set)

    @torch.inference_mode()
    def validate(self):
        self.model.eval()
        self.iou.reset()
        for image, mask in self.loader(self.val_set, False):
            self.iou.add(self.model(image), mask)
        return self.iou.result()

    def fit(self):
        for epoch in range(self.cfg.epochs):
            loss = self.train_epoch()
            scores = self.validate()
            named = ", ".join(f"{c} {s:.3f}" for c, s in zip(self.cfg.class_names, scores.tolist()))
            log.info("epoch %d loss %.4f IoU: %s", epoch, loss, named)
        return scores.mean().item()

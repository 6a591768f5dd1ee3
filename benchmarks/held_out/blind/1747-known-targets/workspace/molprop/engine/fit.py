import torch

from molprop.engine.losses import masked_mae_per_task, masked_mse
from molprop.utils.ema import ModelEMA


class Fitter:
    def __init__(self, net, stats, cfg):
        self.net = net
        self.mean, self.std = stats
        self.cfg = cfg
        self.opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
        self.ema = ModelEMA(net, cfg.ema_decay)

    def normalize(self, y):
        return (y - self.mean) / self.std

    def denormalize(self, y):
        return y * self.std + self.mean

    def step(self, batch):
        x, adj, mask, y = batch
        pred = self.net(x, adj, mask)
        loss = masked_mse(pred, self.normalize(y))
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.ema.update(self.net)
        return loss.item()

    @torch.no_grad()
    def validate(self, loader):
        net = self.ema.shadow
        net.eval()
        preds, ys = [], []
        for x, adj, mask, y in loader:
            preds.append(self.denormalize(net(x, adj, mask)))
            ys.append(y)
        return masked_mae_per_task(torch.cat(preds), torch.cat(ys))

    def run(self, train_loader, val_loader):
        history = []
        for epoch in range(self.cfg.epochs):
            self.net.train()
            losses = [self.step(b) for b in train_loader]
            mae = self.validate(val_loader)
            history.append(mae)
            row = "  ".join(f"{t}={v:.3f}" for t, v in zip(self.cfg.tasks, mae.tolist()))
            print(f"{epoch + 1:3d}  loss {sum(losses) / len(losses):.4f}  val MAE  {row}")
        return history

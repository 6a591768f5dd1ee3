"""Training loop."""
import torch
import torch.nn.functional as F


class Trainer:
    def __init__(self, model, lr, clip, log_every):
        self.model, self.clip, self.log_every = model, clip, log_every
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        self.step = 0

    def train_epoch(self, loader):
        self.model.train()
        for ids, mask, teams in loader:
            loss = F.cross_entropy(self.model(ids, mask), teams)
            if not torch.isfinite(loss):
                raise FloatingPointError(f"loss is {loss.item()} at step {self.step}")
            self.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
            self.optimizer.step()
            if self.step % self.log_every == 0:
                print(f"step {self.step:4d}  loss {loss.item():.4f}")
            self.step += 1

    @torch.no_grad()
    def accuracy(self, loader):
        self.model.eval()
        hits = total = 0
        for ids, mask, teams in loader:
            hits += (self.model(ids, mask).argmax(-1) == teams).sum().item()
            total += len(teams)
        return hits / total

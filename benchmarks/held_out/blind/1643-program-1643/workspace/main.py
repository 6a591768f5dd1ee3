import torch
from torch.utils.data import DataLoader

from interactions import InteractionTable, synthesize
from neumf import NeuMF
from ranking import RankingEvaluator
from sampling import PairDataset
from settings import Settings


class Trainer:
    def __init__(self, settings):
        self.s = settings
        torch.manual_seed(settings.seed)
        self.table = InteractionTable(synthesize(settings))
        self.data = PairDataset(self.table, settings.negatives, settings.seed)
        self.model = NeuMF(self.table.n_users, self.table.n_items, settings.dim)
        self.evaluator = RankingEvaluator(self.table, settings.top_k)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=settings.lr)
        self.loss = torch.nn.BCEWithLogitsLoss()

    def run_epoch(self):
        self.model.train()
        self.data.resample()
        total, steps = 0.0, 0
        for users, items, labels in DataLoader(self.data, self.s.batch_size, shuffle=True):
            loss = self.loss(self.model(users, items), labels)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item()
            steps += 1
        return total / steps

    def fit(self):
        print(f"{self.table.n_users} users, {self.table.n_items} items, {len(self.data)} pairs")
        for epoch in range(self.s.epochs):
            print(f"[{epoch}] loss {self.run_epoch():.4f}")
            m = self.evaluator.evaluate(self.model)
            print(f"[{epoch}] hit@{self.s.top_k} {m['hit']:.3f} ndcg {m['ndcg']:.3f}")


if __name__ == "__main__":
    Trainer(Settings()).fit()

import numpy as np
import torch


class RankingEvaluator:
    """Leave-one-out hit rate and NDCG over the full catalogue."""

    def __init__(self, table, top_k):
        self.table = table
        self.top_k = top_k
        self.catalogue = torch.arange(table.n_items)

    @torch.no_grad()
    def user_scores(self, model, uid):
        who = torch.full_like(self.catalogue, uid)
        scores = model(self.catalogue, who)
        seen = torch.tensor(sorted(self.table.seen[uid]))
        scores[seen] = -float("inf")
        return scores

    def evaluate(self, model):
        model.eval()
        hits, gains = [], []
        for uid, target in self.table.test[["uid", "iid"]].to_numpy():
            scores = self.user_scores(model, int(uid))
            top = torch.topk(scores, self.top_k).indices.tolist()
            hit = int(target) in top
            hits.append(hit)
            gains.append(1 / np.log2(top.index(int(target)) + 2) if hit else 0.0)
        return {"hit": float(np.mean(hits)), "ndcg": float(np.mean(gains))}

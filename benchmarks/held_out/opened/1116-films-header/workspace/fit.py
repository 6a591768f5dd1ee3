import yaml
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from tqdm import tqdm

from recsys import PairwiseInteractions, TwoTower, load_interactions


def bpr(pos, neg):
    return -F.logsigmoid(pos.unsqueeze(1) - neg).mean()


def hit_rate_and_ndcg(model, test, seen, k):
    model.eval()
    users = sorted(test["user"].unique().tolist())
    top = model.recommend(torch.tensor(users), k, [seen.get(u, set()) for u in users])
    truth = test.groupby("user")["item"].agg(list)
    hits, ndcg = [], []
    discount = 1 / torch.log2(torch.arange(2, k + 2).float())
    for u, ranked in zip(users, top):
        rel = torch.isin(ranked, torch.tensor(truth[u])).float()
        hits.append(rel.max())
        ndcg.append((rel * discount).sum() / discount[: len(truth[u])].sum())
    return torch.stack(hits).mean().item(), torch.stack(ndcg).mean().item()


def main():
    with open("settings.yaml") as fh:
        s = yaml.safe_load(fh)
    torch.manual_seed(0)
    train, test, n_users, catalog = load_interactions(s["paths"]["ratings"], s["paths"]["films"],
                                                      s["split"]["holdout_per_user"])
    data = PairwiseInteractions(train, len(catalog), s["training"]["negatives"])
    print(f"{n_users} users, {len(catalog)} films, {len(train)} train / {len(test)} test interactions")
    loader = DataLoader(data, s["training"]["batch_size"], shuffle=True)
    model = TwoTower(n_users, catalog, **s["features"])
    opt = torch.optim.Adagrad(model.parameters(), lr=s["training"]["lr"])
    for epoch in range(s["training"]["epochs"]):
        model.train()
        total = 0.0
        for users, pos, neg in tqdm(loader, desc=f"epoch {epoch}", leave=False):
            loss = bpr(model(users, pos), model(users, neg))
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        hr, ndcg = hit_rate_and_ndcg(model, test, data.seen, s["eval"]["k"])
        print(f"epoch {epoch}: bpr {total / len(loader):.4f} HR@{s['eval']['k']} {hr:.3f} NDCG {ndcg:.3f}")
    best = model.recommend(torch.tensor([0]), 3, [data.seen[0]])[0]
    print("user 0 should watch:", ", ".join(catalog.titles[i] for i in best.tolist()))


if __name__ == "__main__":
    main()

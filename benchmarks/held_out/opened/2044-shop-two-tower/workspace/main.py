import argparse

import numpy as np
import torch

from recsys.features import build_item_table, build_user_table, index_interactions, temporal_split
from recsys.io import load_interactions, load_items, load_users
from recsys.model import TwoTower


def tensors(table, id_col, side_col, num_cols):
    return (
        torch.as_tensor(table[id_col].to_numpy(copy=True)),
        torch.as_tensor(table[side_col].to_numpy(copy=True)),
        torch.as_tensor(table[num_cols].to_numpy(dtype="float32", copy=True)),
    )


@torch.no_grad()
def recall_at_k(model, user_t, item_t, train, test, k):
    model.eval()
    scores = model.user(*user_t) @ model.item(*item_t).T
    scores[train["user_idx"].to_numpy(copy=True), train["item_idx"].to_numpy(copy=True)] = -1e9
    top = scores.topk(k, dim=1).indices.numpy()
    hits = [i in top[u] for u, i in zip(test["user_idx"], test["item_idx"])]
    return float(np.mean(hits))


def main():
    ap = argparse.ArgumentParser(description="two-tower retrieval")
    ap.add_argument("--data-dir", default="data")
    ap.add_argument("--dim", type=int, default=16)
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--batch-size", type=int, default=128)
    ap.add_argument("--lr", type=float, default=5e-3)
    ap.add_argument("-k", type=int, default=10)
    args = ap.parse_args()
    torch.manual_seed(0)

    inter = load_interactions(args.data_dir)
    items, users = load_items(args.data_dir), load_users(args.data_dir)
    print(f"read {len(inter)} interactions, {len(items)} items, {len(users)} users")

    user_table = build_user_table(users, inter)
    item_table = build_item_table(items, inter)
    train, test = temporal_split(index_interactions(inter, user_table, item_table))
    print(f"train {len(train)}  test {len(test)}  (cut at {test['ts'].min():%Y-%m-%d})")

    user_t = tensors(user_table, "user_idx", "country_idx", ["n_clicks"])
    item_t = tensors(item_table, "item_idx", "category_idx", ["pop", "log_price"])
    model = TwoTower(len(user_table), len(item_table), int(user_t[1].max()) + 1, int(item_t[1].max()) + 1, args.dim)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)

    u_all = torch.as_tensor(train["user_idx"].to_numpy(copy=True))
    i_all = torch.as_tensor(train["item_idx"].to_numpy(copy=True))
    freq = torch.bincount(i_all, minlength=len(item_table)).float()
    log_q = torch.log((freq + 1) / (freq + 1).sum())
    for epoch in range(1, args.epochs + 1):
        model.train()
        perm, total, nb = torch.randperm(len(u_all)), 0.0, 0
        for idx in perm.split(args.batch_size):
            u, i = u_all[idx], i_all[idx]
            loss = model.in_batch_loss(model.user(*[t[u] for t in user_t]), model.item(*[t[i] for t in item_t]), log_q[i])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total, nb = total + loss.item(), nb + 1
        r = recall_at_k(model, user_t, item_t, train, test, args.k)
        print(f"epoch {epoch}  loss {total / nb:.4f}  recall@{args.k} {r:.4f}")


if __name__ == "__main__":
    main()

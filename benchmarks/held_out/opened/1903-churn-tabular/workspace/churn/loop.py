import torch
from torch.nn.functional import binary_cross_entropy_with_logits as bce
from torch.utils.data import DataLoader, TensorDataset, random_split


def auc(scores, y):
    # Mann-Whitney; fine for a few hundred rows
    pos, neg = scores[y == 1], scores[y == 0]
    return (pos[:, None] > neg[None]).float().mean().item()


def fit(model, cats, nums, y, cfg):
    ds = TensorDataset(torch.from_numpy(cats), torch.from_numpy(nums), torch.from_numpy(y))
    n_val = len(ds) // 5
    train, val = random_split(ds, [len(ds) - n_val, n_val])
    dl = DataLoader(train, cfg["batch_size"], shuffle=True, drop_last=True)
    vc, vn, vy = (torch.stack(t) for t in zip(*val))
    opt = torch.optim.AdamW(model.parameters(), lr=cfg["lr"])
    for epoch in range(1, cfg["epochs"] + 1):
        model.train()
        losses = []
        for c, n, t in dl:
            loss = bce(model(c, n), t)
            opt.zero_grad(); loss.backward(); opt.step()
            losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            s = model(vc, vn)
        print(f"epoch {epoch:2d}  train {sum(losses) / len(losses):.4f}  val {bce(s, vy).item():.4f}  auc {auc(s, vy):.3f}")

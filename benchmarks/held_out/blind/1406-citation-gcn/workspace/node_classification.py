from pathlib import Path

import torch
import torch.nn.functional as F

from graphlib import GCN, load_graph, random_sbm, save_graph

CACHE = Path("sbm.npz")
LABELS_PER_CLASS = 8
EPOCHS = 120


def split(y: torch.Tensor, per_class: int, gen: torch.Generator):
    train = torch.zeros_like(y, dtype=torch.bool)
    for c in y.unique():
        idx = (y == c).nonzero().squeeze(1)
        train[idx[torch.randperm(len(idx), generator=gen)[:per_class]]] = True
    return train, ~train


if not CACHE.exists():
    save_graph(CACHE, *random_sbm([60, 50, 70], 0.10, 0.01, n_feat=16, seed=0))

g = load_graph(CACHE)
print(g.summary())
gen = torch.Generator().manual_seed(0)
torch.manual_seed(0)
train_mask, test_mask = split(g.y, LABELS_PER_CLASS, gen)

model = GCN(g.x.size(1), 32, int(g.y.max()) + 1)
optimizer = torch.optim.Adam([
    {"params": model.c1.parameters(), "weight_decay": 5e-3},
    {"params": model.c2.parameters(), "weight_decay": 0.0},
], lr=0.02)

best = 0.0
for epoch in range(EPOCHS):
    model.train()
    optimizer.zero_grad()
    out = model(g.x, g.edge_index)
    loss = F.cross_entropy(out[train_mask], g.y[train_mask])
    loss.backward()
    optimizer.step()

    if epoch % 20 == 19:
        model.eval()
        with torch.inference_mode():
            pred = model(g.x, g.edge_index).argmax(dim=-1)
        acc = (pred[test_mask] == g.y[test_mask]).float().mean().item()
        best = max(best, acc)
        print(f"epoch {epoch + 1:3d}  loss {loss:.4f}  test acc {acc:.3f}")
print(f"best {best:.3f}")

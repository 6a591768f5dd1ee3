import sys

import torch
import torch.nn.functional as F
import yaml

from gcn.graph_io import normalised_adjacency, read_citations, read_papers
from gcn.layers import GCN


def split(y, per_class, gen):
    train = torch.zeros(len(y), dtype=torch.bool)
    for c in y.unique():
        members = (y == c).nonzero().squeeze(1)
        train[members[torch.randperm(len(members), generator=gen)[:per_class]]] = True
    return train, ~train


def main(path="settings.yaml"):
    with open(path) as fh:
        st = yaml.safe_load(fh)
    torch.manual_seed(st["seed"])
    gen = torch.Generator().manual_seed(st["seed"])

    x, y, areas = read_papers(st["nodes"])
    edges = read_citations(st["links"], st["max_year"])
    adj = normalised_adjacency(edges)
    train, rest = split(y, st["train_per_class"], gen)
    print(f"{len(x)} papers, {edges.shape[1]} citations until {st['max_year']}, areas: {', '.join(areas)}")

    net = GCN(x.shape[1], st["hidden"], len(areas), st["layers"], st["dropout"])
    opt = torch.optim.Adam(net.parameters(), lr=st["lr"], weight_decay=st["weight_decay"])
    for epoch in range(st["epochs"]):
        net.train()
        loss = F.cross_entropy(net(x, adj)[train], y[train])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if epoch % 10 == 9:
            net.eval()
            with torch.no_grad():
                pred = net(x, adj).argmax(1)
            print(f"epoch {epoch + 1:3d} loss {loss.item():.3f} "
                  f"train {(pred == y)[train].float().mean():.3f} rest {(pred == y)[rest].float().mean():.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])

import argparse

import torch
import torch.nn.functional as F

from .graph import load_graph
from .layers import GCN
from .report import report


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--graph", default="graph")
    p.add_argument("--hidden", type=int, default=16)
    p.add_argument("--epochs", type=int, default=40)
    p.add_argument("--lr", type=float, default=0.02)
    return p.parse_args()


def main():
    args = parse()
    torch.manual_seed(42)
    graph, names = load_graph(args.graph)
    print(f"{graph.num_nodes} nodes, {len(names)} topics, {int(graph.train_mask.sum())} labelled")
    model = GCN(graph.x.size(1), args.hidden, len(names))
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=5e-4)
    for epoch in range(1, args.epochs + 1):
        model.train()
        optimizer.zero_grad()
        logp = model(graph.x, graph.adj)
        loss = F.nll_loss(logp[graph.train_mask], graph.y[graph.train_mask])
        loss.backward()
        optimizer.step()
        if epoch % 10 == 0:
            model.eval()
            with torch.no_grad():
                logp = model(graph.x, graph.adj)
            acc = (logp.argmax(1) == graph.y)[graph.test_mask].float().mean()
            print(f"epoch {epoch:3d} loss {loss.item():.4f} test_acc {acc:.3f}")
    print(report(logp, graph, names))


if __name__ == "__main__":
    main()

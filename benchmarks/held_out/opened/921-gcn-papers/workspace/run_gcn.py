import torch
import torch.nn as nn
import torch.nn.functional as F

from graph import load_graph


class GraphLayer(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.self_lin = nn.Linear(d_in, d_out)
        self.neigh_lin = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x, adj):
        return self.self_lin(x) + adj @ self.neigh_lin(x)


class GCN(nn.Module):
    def __init__(self, d_in, hidden, n_classes, dropout=0.3):
        super().__init__()
        self.l1 = GraphLayer(d_in, hidden)
        self.l2 = GraphLayer(hidden, n_classes)
        self.dropout = dropout

    def forward(self, x, adj):
        h = F.relu(self.l1(x, adj))
        h = F.dropout(h, self.dropout, self.training)
        return self.l2(h, adj)


def main():
    torch.manual_seed(0)
    graph, topics = load_graph()
    print("nodes", graph.x.shape, "classes", topics)
    model = GCN(graph.x.shape[1], 16, len(topics))
    opt = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)

    for epoch in range(1, 61):
        model.train()
        opt.zero_grad()
        logits = model(graph.x, graph.adj)
        loss = F.cross_entropy(logits[graph.train_mask], graph.y[graph.train_mask])
        assert torch.isfinite(loss), f"loss is {loss.item()} at epoch {epoch}"
        loss.backward()
        opt.step()

        if epoch % 20 == 0:
            model.eval()
            with torch.no_grad():
                pred = model(graph.x, graph.adj).argmax(1)
            acc = (pred == graph.y)[graph.test_mask].float().mean().item()
            print(f"epoch {epoch:3d}  loss {loss.item():.4f}  test acc {acc:.3f}")


if __name__ == "__main__":
    main()

import torch


@torch.no_grad()
def recall_at_1(net, x, y):
    net.eval()
    emb = net(x)
    net.train()
    sim = emb @ emb.t()
    sim.fill_diagonal_(-2.0)
    return (y[sim.argmax(dim=1)] == y).float().mean().item()

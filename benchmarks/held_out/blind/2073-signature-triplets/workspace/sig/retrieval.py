import torch


@torch.no_grad()
def embed_all(model, loader):
    model.eval()
    zs, ws = [], []
    for x, w in loader:
        zs.append(model(x))
        ws.append(w)
    return torch.cat(zs), torch.cat(ws)


def recall_at_1(z, w):
    sim = z @ z.T
    sim.fill_diagonal_(-2)
    nearest = sim.argmax(1)
    return (w[nearest] == w).float().mean().item()

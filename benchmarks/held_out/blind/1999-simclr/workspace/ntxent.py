import torch
import torch.nn.functional as F


def nt_xent(z, temperature):
    """z holds the two views stacked: rows i and i + N are a pair."""
    n = z.size(0) // 2
    sim = z @ z.t() / temperature
    sim = sim.masked_fill(torch.eye(2 * n, dtype=torch.bool, device=z.device), float("-inf"))
    target = torch.cat([torch.arange(n, 2 * n), torch.arange(n)]).to(z.device)
    loss = F.cross_entropy(sim, target)
    top1 = (sim.argmax(dim=1) == target).float().mean()
    return loss, top1.item()

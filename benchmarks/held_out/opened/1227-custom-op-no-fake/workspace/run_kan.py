import torch
from torch import nn

from bspline import bspline


class KANLayer(nn.Module):
    def __init__(self, cin, cout, intervals=8, order=3):
        super().__init__()
        h = 2.0 / intervals
        grid = torch.arange(-order, intervals + order + 1) * h - 1.0
        self.register_buffer("grid", grid)
        self.order = order
        self.coef = nn.Parameter(torch.randn(cout, cin, intervals + order) * 0.1)
        self.base = nn.Linear(cin, cout)

    def forward(self, x):
        x = torch.tanh(x)
        basis = bspline(x, self.grid, self.order)
        return self.base(x) + torch.einsum("bik,oik->bo", basis, self.coef)


class KAN(nn.Sequential):
    def __init__(self, *sizes):
        super().__init__(*(KANLayer(a, b) for a, b in zip(sizes, sizes[1:])))


def target(x):
    return torch.exp(torch.sin(torch.pi * x[:, :1]) + x[:, 1:2] ** 2)


def main():
    torch.manual_seed(0)
    device = "cuda"
    model = KAN(2, 8, 1).to(device)
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(200):
        x = torch.rand(512, 2, device=device) * 2 - 1
        loss = nn.functional.mse_loss(compiled(x), target(x))
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 50 == 0:
            print(f"step {step} mse {loss.item():.5f}")


if __name__ == "__main__":
    main()

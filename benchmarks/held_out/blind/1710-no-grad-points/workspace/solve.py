import numpy as np
import torch
from torch import nn

from rod import residual, sample_ends, sample_initial, sample_interior

ADAM_STEPS = 400
RESAMPLE_EVERY = 100
LBFGS_STEPS = 8
W_INIT, W_ENDS = 10.0, 10.0

torch.manual_seed(12)

net = nn.Sequential(
    nn.Linear(2, 32), nn.Tanh(),
    nn.Linear(32, 32), nn.Tanh(),
    nn.Linear(32, 1),
)

interior = sample_interior(400)
init_pts, init_u = sample_initial(100)
end_pts = sample_ends(100)


def losses():
    pde = residual(net, interior).pow(2).mean()
    init = (net(init_pts) - init_u).pow(2).mean()
    ends = net(end_pts).pow(2).mean()
    return pde + W_INIT * init + W_ENDS * ends, pde, init, ends


# stage 1: Adam with fresh collocation points now and then
adam = torch.optim.Adam(net.parameters(), lr=5e-3)
for step in range(1, ADAM_STEPS + 1):
    total, pde, init, ends = losses()
    adam.zero_grad()
    total.backward()
    adam.step()
    if step % RESAMPLE_EVERY == 0:
        print(f"adam {step:4d} total {total.item():.4f} pde {pde.item():.4f} init {init.item():.4f} ends {ends.item():.4f}")
        interior = sample_interior(400)

# stage 2: L-BFGS
lbfgs = torch.optim.LBFGS(net.parameters(), max_iter=10, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    total, *_ = losses()
    total.backward()
    return total


for step in range(1, LBFGS_STEPS + 1):
    total = lbfgs.step(closure)
    print(f"lbfgs {step:2d} total {total.item():.5f}")

# compare with the series solution
ref = np.loadtxt("rod_reference.csv", delimiter=",", skiprows=1, dtype=np.float32)
with torch.no_grad():
    u = net(torch.from_numpy(ref[:, :2])).squeeze(1).numpy()
err = np.linalg.norm(u - ref[:, 2]) / np.linalg.norm(ref[:, 2])
print(f"relative L2 error against the series: {err:.4f}")

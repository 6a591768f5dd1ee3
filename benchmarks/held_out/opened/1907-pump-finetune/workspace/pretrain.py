import torch
from torch.nn.functional import mse_loss

from pump import GRUEncoder, NextValue, make_batch
from pump.common import save_encoder, start

cfg, gen = start("configs/pretrain.yaml")
model = NextValue(GRUEncoder(**cfg["encoder"]), cfg["encoder"]["channels"])
o = cfg["optim"]
opt = torch.optim.Adam(model.parameters(), lr=o["lr"])
for step in range(1, o["steps"] + 1):
    x, _ = make_batch(o["batch"], cfg["length"], gen)
    # the conv looks two steps ahead, hence the shift by three
    loss = mse_loss(model(x)[:, :-3], x[:, 3:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 0:
        print(f"step {step} mse {loss.item():.4f}")
save_encoder(model.encoder, cfg["run_dir"])

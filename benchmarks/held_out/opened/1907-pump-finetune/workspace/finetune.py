import torch
from torch.nn.functional import cross_entropy

from pump import GRUEncoder, StateClassifier, make_batch
from pump.common import load_encoder, start

cfg, gen = start("configs/finetune.yaml")
encoder = GRUEncoder(**cfg["encoder"])
if cfg.get("init_from"):
    load_encoder(encoder, cfg["init_from"])
model = StateClassifier(encoder, len(cfg["states"]))

o = cfg["optim"]
opt = torch.optim.Adam(model.parameters(), lr=o["lr"])
test_x, test_s = make_batch(200, cfg["length"], torch.Generator().manual_seed(99))
for step in range(1, o["steps"] + 1):
    encoder.requires_grad_(step > cfg["freeze_steps"])
    x, s = make_batch(o["batch"], cfg["length"], gen)
    loss = cross_entropy(model(x), s)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 0:
        with torch.no_grad():
            acc = (model(test_x).argmax(1) == test_s).float().mean().item()
        print(f"step {step} loss {loss.item():.4f} test acc {acc:.3f}")

with torch.no_grad():
    pred = model(test_x).argmax(1)
for i, name in enumerate(cfg["states"]):
    print(f"  recall {name:12s} {(pred[test_s == i] == i).float().mean():.2f}")

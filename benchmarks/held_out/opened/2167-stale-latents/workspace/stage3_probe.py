import torch
from torch import nn

from digits import splits
from settings import S
from stage2_latents import latents


def run():
    torch.manual_seed(S.seed)
    data = splits()
    z = {s: torch.from_numpy(latents(s)) for s in data}
    mean, std = z["train"].mean(0), z["train"].std(0)
    probe = nn.Sequential(nn.Linear(S.latent, 64), nn.ReLU(), nn.Linear(64, 10))
    opt = torch.optim.Adam(probe.parameters(), 1e-2)
    crit = nn.CrossEntropyLoss()
    for ep in range(S.probe_epochs):
        out = probe((z["train"] - mean) / std)
        loss = crit(out, data["train"][1])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if ep % 20 == 19:
            with torch.no_grad():
                pred = probe((z["test"] - mean) / std).argmax(1)
            acc = (pred == data["test"][1]).float().mean().item()
            print(f"[probe] {ep + 1:3d} loss {loss.item():.3f} test acc {acc:.3f}")


if __name__ == "__main__":
    run()

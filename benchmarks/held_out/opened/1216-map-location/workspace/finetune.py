import argparse
from pathlib import Path

import torch
import yaml
from torch.nn.functional import cross_entropy

from nets import Classifier, load_pretrained


def pretrain_if_needed(path, channels, device):
    """A stand-in for the rotation-prediction pretraining job."""
    path = Path(path)
    if path.exists():
        return
    model = Classifier(channels, 4).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(20):
        x = torch.rand(32, 3, 32, 32, device=device).cumsum(-1) / 32
        k = torch.randint(0, 4, (32,), device=device)
        x = torch.stack([torch.rot90(img, int(r), (1, 2)) for img, r in zip(x, k)])
        loss = cross_entropy(model(x), k)
        opt.zero_grad()
        loss.backward()
        opt.step()
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"model": model.state_dict(), "task": "rotation"}, path)
    print(f"pretrained backbone saved, loss {loss.item():.3f}")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", required=True)
    cfg = yaml.safe_load(Path(ap.parse_args().config).read_text())
    torch.manual_seed(0)
    device = torch.device(cfg["device"])
    pre, o = cfg["pretrained"], cfg["optim"]
    pretrain_if_needed(pre["path"], cfg["model"]["channels"], device)

    model = Classifier(**cfg["model"]).to(device)
    load_pretrained(model, pre["path"], pre["map_location"], pre["strict"])
    for stage in model.backbone.stages[: pre["freeze_until"]]:
        stage.requires_grad_(False)
    opt = torch.optim.AdamW([
        {"params": [p for p in model.backbone.parameters() if p.requires_grad], "lr": o["backbone_lr"]},
        {"params": model.head.parameters(), "lr": o["head_lr"]},
    ])
    protos = torch.rand(cfg["model"]["num_classes"], 3, 32, 32, device=device)
    for epoch in range(o["epochs"]):
        for _ in range(20):
            y = torch.randint(0, len(protos), (64,), device=device)
            x = protos[y] + 0.3 * torch.randn(64, 3, 32, 32, device=device)
            loss = cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"epoch {epoch} loss {loss.item():.3f}")


if __name__ == "__main__":
    main()

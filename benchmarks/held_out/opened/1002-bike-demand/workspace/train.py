import torch
import torch.nn as nn

from data import load_config, make_loaders
from model import DemandGRU


def run_epoch(model, loader, loss_fn, optimizer=None, clip=None):
    training = optimizer is not None
    model.train(training)
    model.reset_state()
    total, n = 0.0, 0
    with torch.set_grad_enabled(training):
        for x, y in loader:
            pred = model(x)
            loss = loss_fn(pred, y)
            if training:
                optimizer.zero_grad()
                loss.backward()
                if clip:
                    nn.utils.clip_grad_norm_(model.parameters(), clip)
                optimizer.step()
            total += loss.item() * len(x)
            n += len(x)
    return total / n


def main():
    torch.manual_seed(7)
    cfg = load_config()
    train_dl, val_dl, (y_mean, y_std) = make_loaders(cfg)
    print(f"{len(train_dl.dataset)} train windows, {len(val_dl.dataset)} val windows")

    model = DemandGRU(horizon=cfg["horizon"], **cfg["model"])
    n_par = sum(p.numel() for p in model.parameters())
    print(f"model has {n_par} parameters")
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    loss_fn = nn.SmoothL1Loss()

    best = float("inf")
    for epoch in range(1, cfg["epochs"] + 1):
        tr = run_epoch(model, train_dl, loss_fn, optimizer, cfg["grad_clip"])
        va = run_epoch(model, val_dl, loss_fn)
        print(f"epoch {epoch}: train {tr:.4f}  val {va:.4f}")
        if va < best:
            best = va
            torch.save(model.state_dict(), "best.pt")

    model.load_state_dict(torch.load("best.pt"))
    model.eval()
    model.reset_state()
    x, y = next(iter(val_dl))
    with torch.no_grad():
        pred = model(x) * y_std + y_mean
    truth = y * y_std + y_mean
    print("MAE on first val batch (bikes):", (pred - truth).abs().mean().item())


if __name__ == "__main__":
    main()

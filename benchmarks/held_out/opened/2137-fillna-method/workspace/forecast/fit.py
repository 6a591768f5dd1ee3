import torch
from torch import nn


def run_epoch(model, loader, opt=None):
    mse = nn.MSELoss()
    total, seen = 0.0, 0
    model.train(opt is not None)
    with torch.set_grad_enabled(opt is not None):
        for x, y in loader:
            loss = mse(model(x), y)
            if opt is not None:
                opt.zero_grad()
                loss.backward()
                opt.step()
            total += loss.item() * len(x)
            seen += len(x)
    return total / seen


def mape(model, loader, scaler, target):
    model.eval()
    errors = []
    with torch.no_grad():
        for x, y in loader:
            pred = scaler.invert(model(x), target)
            true = scaler.invert(y, target)
            errors.append(((pred - true).abs() / true.abs()).mean(1))
    return 100 * torch.cat(errors).mean().item()

import torch
from torch.utils.data import DataLoader


@torch.no_grad()
def score(model, dataset, tasks):
    model.eval()
    x, targets = next(iter(DataLoader(dataset, len(dataset))))
    outputs = model(x)
    result = {}
    for name, spec in tasks.items():
        out, t = outputs[name], targets[name]
        if spec["kind"] == "classification":
            result[f"{name}/acc"] = (out.argmax(1) == t).float().mean().item()
        elif spec["kind"] == "binary":
            result[f"{name}/acc"] = ((out.squeeze(1) > 0) == (t > 0.5)).float().mean().item()
        else:
            scale = float(dataset.stats[name].std)
            result[f"{name}/mae"] = (out.squeeze(1) - t).abs().mean().item() * scale
    return result

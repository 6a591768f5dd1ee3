from pathlib import Path

import torch


def save_best(model, settings, step, val_loss):
    path = Path(settings.run_dir) / "best.pt"
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"model": model.state_dict(), "settings": settings, "step": step, "val_loss": val_loss}, path)
    return path


def restore(model, path):
    state = torch.load(path, map_location="cpu")
    model.load_state_dict(state["model"])
    return state["step"], state["val_loss"]

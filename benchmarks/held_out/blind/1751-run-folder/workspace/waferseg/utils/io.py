from pathlib import Path

import torch


def save_weights(model, path):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), path)


def load_weights(model, path):
    state = torch.load(path, map_location="cpu")
    model.load_state_dict(state)
    return model

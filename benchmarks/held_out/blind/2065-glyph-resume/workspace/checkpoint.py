from pathlib import Path

import torch


class CheckpointManager:
    """Keeps <output_dir>/last.pt; resume='auto' picks it up when it is there."""

    def __init__(self, output_dir):
        self.dir = Path(output_dir)
        self.dir.mkdir(parents=True, exist_ok=True)
        self.path = self.dir / "last.pt"

    def save(self, model, opt, epoch):
        torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "epoch": epoch}, self.path)

    def maybe_resume(self, model, opt, mode):
        if mode != "auto" or not self.path.exists():
            return 0
        state = torch.load(self.path, map_location="cpu")
        model.load_state_dict(state["model"])
        opt.load_state_dict(state["opt"])
        return state["epoch"] + 1

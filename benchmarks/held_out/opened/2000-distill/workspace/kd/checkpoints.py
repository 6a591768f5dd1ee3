from pathlib import Path

import torch

from .nets import TeacherNet


def save_teacher(model, width, accuracy, path):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    torch.save({"width": width, "accuracy": accuracy, "state": model.state_dict()}, path)
    print(f"wrote {path}")


def load_teacher(path):
    blob = torch.load(path, map_location="cpu")
    teacher = TeacherNet(width=blob["width"])
    teacher = teacher.load_state_dict(blob["state"])
    print(f"teacher from {path}: width {blob['width']}, accuracy {blob['accuracy']:.3f}")
    return teacher

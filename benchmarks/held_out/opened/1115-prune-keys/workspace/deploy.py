"""Load the compressed student, report its size and latency, compare float32 with bfloat16."""
import sys
import time

import torch

from nets import DepthwiseStudent, synth


def load_student(path):
    model = DepthwiseStudent()
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state)
    return model.eval()


def latency(model, x, repeat=20):
    with torch.inference_mode():
        start = time.perf_counter()
        for _ in range(repeat):
            model(x)
    return (time.perf_counter() - start) / repeat


if __name__ == "__main__":
    path = sys.argv[1]
    model = load_student(path)
    nonzero = sum(int(p.count_nonzero()) for p in model.parameters())
    total = sum(p.numel() for p in model.parameters())
    x, y = synth(200, seed=2)
    print(f"{nonzero}/{total} non-zero parameters")
    with torch.inference_mode():
        full = model(x).argmax(1)
        half = load_student(path).bfloat16()(x.bfloat16()).argmax(1)
    print(f"test accuracy {(full == y).float().mean():.3f}, bf16 agreement {(full == half).float().mean():.3f}")
    print("latency ok" if latency(model, x[:1]) < 1.0 else "too slow")

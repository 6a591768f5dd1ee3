import io

import numpy as np
import torch
from torch import nn

from int8_linear import Int8Linear, quantize_rows


def export(model):
    """What the export job writes: one npz with q / scale / bias per layer."""
    arrays = {}
    for name, m in model.named_modules():
        if isinstance(m, nn.Linear):
            q, s = quantize_rows(m.weight.detach().cpu().numpy())
            arrays[f"{name}.q"], arrays[f"{name}.scale"] = q, s
            arrays[f"{name}.bias"] = m.bias.detach().cpu().numpy()
    buf = io.BytesIO()
    np.savez(buf, **arrays)
    buf.seek(0)
    return buf


def load_quantized(file, template, device):
    arrays = np.load(file)
    layers = []
    for name, m in template.named_children():
        layers.append(Int8Linear.from_arrays(arrays, name, device) if isinstance(m, nn.Linear) else m)
    return nn.Sequential(*layers)


@torch.inference_mode()
def main():
    torch.manual_seed(0)
    device = torch.device("cuda")
    model = nn.Sequential(nn.Linear(100, 300), nn.GELU(), nn.Linear(300, 200), nn.GELU(), nn.Linear(200, 12)).to(device)
    served = load_quantized(export(model), model, device)
    x = torch.randn(512, 100, device=device)
    full, small = model(x), served(x)
    rel = ((full - small).norm() / full.norm()).item()
    same = (full.argmax(1) == small.argmax(1)).float().mean().item()
    print(f"relative error {rel:.4f}, same prediction {same:.3f}")


if __name__ == "__main__":
    main()

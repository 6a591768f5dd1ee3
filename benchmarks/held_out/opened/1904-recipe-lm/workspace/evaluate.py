import math
import torch
import torch.nn.functional as F


@torch.no_grad()
def perplexity(model, stream, seq_len):
    """Non-overlapping chunks over the held-out stream."""
    was = model.training
    model.eval()
    nll, count = 0.0, 0
    for i in range(0, len(stream) - seq_len - 1, seq_len):
        x = stream[i : i + seq_len][None]
        y = stream[i + 1 : i + seq_len + 1][None]
        nll += F.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="sum").item()
        count += y.numel()
    model.train(was)
    return math.exp(nll / count)

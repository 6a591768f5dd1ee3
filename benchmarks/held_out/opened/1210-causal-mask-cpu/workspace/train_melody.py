import random

import torch
import torch.nn.functional as F

from melody.decoder import MelodyDecoder

SCALE = [0, 2, 4, 5, 7, 9, 11]
PITCHES = 50


def random_melody(rng):
    degree, notes = rng.randrange(14), []
    for _ in range(rng.randint(16, 48)):
        degree = max(0, min(20, degree + rng.choice([-2, -1, -1, 0, 1, 1, 2])))
        notes.append(1 + 12 * (degree // 7) + SCALE[degree % 7])
    return notes


def batchify(melodies):
    lengths = torch.tensor([len(m) - 1 for m in melodies])
    width = int(lengths.max())
    x = torch.zeros(len(melodies), width, dtype=torch.long)
    y = torch.zeros_like(x)
    for i, m in enumerate(melodies):
        x[i, : len(m) - 1] = torch.tensor(m[:-1])
        y[i, : len(m) - 1] = torch.tensor(m[1:])
    return x, y, lengths


def main(device="cuda"):
    rng = random.Random(4)
    torch.manual_seed(4)
    melodies = [random_melody(rng) for _ in range(256)]
    model = MelodyDecoder(PITCHES).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(3):
        rng.shuffle(melodies)
        for i in range(0, len(melodies), 32):
            x, y, lengths = batchify(melodies[i : i + 32])
            logits = model(x.to(device), lengths)
            loss = F.cross_entropy(logits.transpose(1, 2), y.to(device), ignore_index=0)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
        print(f"epoch {epoch} perplexity {loss.exp().item():.2f}")


if __name__ == "__main__":
    main()

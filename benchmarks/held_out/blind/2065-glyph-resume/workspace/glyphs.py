import torch
from torch.utils.data import TensorDataset

PATTERNS = [
    ["#####", "#...#", "#...#", "#...#", "#####"],
    ["..#..", "..#..", "..#..", "..#..", "..#.."],
    ["#...#", ".#.#.", "..#..", ".#.#.", "#...#"],
    ["#....", "#....", "#....", "#....", "#####"],
]


def templates():
    return torch.tensor([[[float(c == "#") for c in row] for row in p] for p in PATTERNS])


def glyph_dataset(n, noise, seed):
    """5x5 glyphs placed at a random spot on a 12x12 canvas."""
    g = torch.Generator().manual_seed(seed)
    tpl = templates()
    y = torch.randint(len(tpl), (n,), generator=g)
    canvas = noise * torch.randn(n, 1, 12, 12, generator=g)
    off = torch.randint(0, 8, (n, 2), generator=g)
    for i in range(n):
        r, c = off[i].tolist()
        canvas[i, 0, r:r + 5, c:c + 5] += tpl[y[i]]
    return TensorDataset(canvas, y)

import torch


def build_targets(boxes, labels, grid, n_classes):
    """One cell a box: heat (C,G,G), size and offset (4,G,G), and the mask of used cells."""
    heat = torch.zeros(n_classes, grid, grid)
    geo = torch.zeros(4, grid, grid)
    used = torch.zeros(grid, grid, dtype=torch.bool)
    for (cx, cy, w, h), c in zip(boxes.tolist(), labels.tolist()):
        gx, gy = int(cx * grid), int(cy * grid)
        heat[c, gy, gx] = 1.0
        geo[:, gy, gx] = torch.tensor([cx * grid - gx, cy * grid - gy, w, h])
        used[gy, gx] = True
    return heat, geo, used


def batch_targets(boxes, labels, grid, n_classes):
    parts = [build_targets(b, l, grid, n_classes) for b, l in zip(boxes, labels)]
    return tuple(torch.stack(p) for p in zip(*parts))


def decode(heat, geo, top=5):
    """Inverse of build_targets for one image -> (k,6) rows of score, class, cx, cy, w, h."""
    c, g, _ = heat.shape
    scores, idx = heat.flatten().topk(top)
    cls, rest = idx // (g * g), idx % (g * g)
    gy, gx = rest // g, rest % g
    dx, dy, w, h = geo[:, gy, gx]
    return torch.stack([scores, cls.float(), (gx + dx) / g, (gy + dy) / g, w, h], dim=1)

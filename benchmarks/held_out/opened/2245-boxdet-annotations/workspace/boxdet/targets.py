import torch

STRIDE = 8


def encode(boxes, labels, grid, n_classes):
    """One positive cell per box: the one that holds the box centre."""
    heat = torch.zeros(len(boxes), n_classes, grid, grid)
    size = torch.zeros(len(boxes), 4, grid, grid)
    mask = torch.zeros(len(boxes), grid, grid)
    for b, (bx, lab) in enumerate(zip(boxes, labels)):
        centre = bx[:, :2] + bx[:, 2:] / 2
        cell = (centre / STRIDE).long()
        offset = centre / STRIDE - cell
        for (cx, cy), off, wh, k in zip(cell.tolist(), offset, bx[:, 2:], lab.tolist()):
            heat[b, k, cy, cx] = 1
            size[b, :, cy, cx] = torch.cat([off, (wh / STRIDE).log()])
            mask[b, cy, cx] = 1
    return heat, size, mask

import torch


def gaussian_maps(points, width, height, stride, sigma):
    """One map per joint, with a peak at the joint; hidden joints give an empty map."""
    w, h = width // stride, height // stride
    xs = torch.arange(w).float()
    ys = torch.arange(h).float()
    maps = torch.zeros(len(points), h, w)
    for k, (x, y, visible) in enumerate(points):
        if not visible:
            continue
        gx = torch.exp(-((xs - x / stride) ** 2) / (2 * sigma ** 2))
        gy = torch.exp(-((ys - y / stride) ** 2) / (2 * sigma ** 2))
        maps[k] = gy[:, None] * gx[None, :]
    return maps


def peak_points(maps, stride):
    b, k, h, w = maps.shape
    flat = maps.reshape(b, k, -1).argmax(-1)
    return torch.stack([flat % w, flat // w], dim=-1).float() * stride

import torch


class HeatmapEncoder:
    """Gaussian heat maps at 1/stride of the input, one for each keypoint."""

    def __init__(self, input_size, stride, sigma):
        w, h = input_size
        self.h, self.w = h // stride, w // stride
        self.sigma = sigma
        ys = torch.arange(self.h, dtype=torch.float32)
        xs = torch.arange(self.w, dtype=torch.float32)
        self.ys, self.xs = ys[:, None], xs[None, :]

    def __call__(self, points):
        maps = torch.zeros(len(points), self.h, self.w)
        weight = torch.zeros(len(points))
        for k, (x, y, visible) in enumerate(points):
            if not visible:
                continue
            cx, cy = x * (self.w - 1), y * (self.h - 1)
            d2 = (self.xs - cx) ** 2 + (self.ys - cy) ** 2
            maps[k] = torch.exp(-d2 / (2 * self.sigma ** 2))
            weight[k] = 1.0
        return maps, weight


def decode(maps):
    """arg max of every map as relative (x, y)"""
    b, k, h, w = maps.shape
    idx = maps.flatten(2).argmax(-1)
    x, y = idx % w, idx // w
    return torch.stack([x / (w - 1), y / (h - 1)], -1)

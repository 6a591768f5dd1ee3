import torch
from torch.utils.data import IterableDataset


class Sprites(IterableDataset):
    """Endless stream of mirrored random sprites (like space invaders) in a coarse 8x8 raster."""

    def __init__(self, image_size, seed):
        self.scale, self.seed = image_size // 8, seed
        g = torch.Generator().manual_seed(123)
        self.parts = (torch.rand(5, 8, 4, generator=g) < 0.45).float()

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed)
        while True:
            top, bottom = torch.randint(5, (2,), generator=g).tolist()
            half = torch.cat([self.parts[top, :4], self.parts[bottom, 4:]])
            img = torch.cat([half, half.flip(1)], dim=1)
            img = img.repeat_interleave(self.scale, 0).repeat_interleave(self.scale, 1)
            flip = torch.rand(img.shape, generator=g) < 0.01
            yield torch.where(flip, 1 - img, img).unsqueeze(0)

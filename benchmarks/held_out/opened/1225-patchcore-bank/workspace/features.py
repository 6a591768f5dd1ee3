import torch
import torch.nn.functional as F
from torchvision.models import resnet50


class PatchExtractor(torch.nn.Module):
    """Concatenates intermediate ResNet maps at the resolution of the first one."""

    def __init__(self, layers):
        super().__init__()
        self.net = resnet50(weights=None).eval()
        self.layers = layers
        self.maps = {}
        for name in layers:
            getattr(self.net, name).register_forward_hook(self._save(name))

    def _save(self, name):
        def hook(module, args, output):
            self.maps[name] = output

        return hook

    @torch.no_grad()
    def forward(self, x):
        self.net(x)
        first = self.maps[self.layers[0]]
        maps = [F.interpolate(self.maps[n], first.shape[-2:], mode="bilinear") for n in self.layers]
        feats = F.avg_pool2d(torch.cat(maps, 1), 3, 1, 1)
        return feats.permute(0, 2, 3, 1).flatten(0, 2)

import numpy as np
from mmengine.dataset import BaseDataset
from mmengine.registry import DATASETS


@DATASETS.register_module()
class SyntheticSpectra(BaseDataset):
    """Sums of three peaks; the targets are their heights."""

    METAINFO = dict(task='regression')

    def __init__(self, size, bands, targets, seed=0, **kwargs):
        self.size = size
        self.bands = bands
        self.targets = targets
        self.seed = seed
        super().__init__(**kwargs)

    def load_data_list(self):
        rng = np.random.default_rng(self.seed)
        grid = np.linspace(0, 1, self.bands)
        centers = np.linspace(0.2, 0.8, self.targets)
        peaks = np.exp(-((grid[None, :] - centers[:, None]) / 0.1) ** 2)
        heights = rng.uniform(0, 1, size=(self.size, self.targets))
        return [
            dict(spectrum=(h @ peaks).astype(np.float32), heights=h.astype(np.float32))
            for h in heights
        ]

import numpy as np
import torch
from mmengine.registry import TRANSFORMS


@TRANSFORMS.register_module()
class AddNoise:

    def __init__(self, sigma):
        self.sigma = sigma

    def __call__(self, results):
        noise = np.random.normal(0, self.sigma, results['spectrum'].shape)
        results['spectrum'] = results['spectrum'] + noise.astype(np.float32)
        return results


@TRANSFORMS.register_module()
class DropBands:

    def __init__(self, count):
        self.count = count

    def __call__(self, results):
        spectrum = results['spectrum'].copy()
        index = np.random.choice(len(spectrum), self.count, replace=False)
        spectrum[index] = 0.0
        results['spectrum'] = spectrum
        return results


@TRANSFORMS.register_module()
class PackSpectrum:

    def __call__(self, results):
        return dict(
            inputs=torch.from_numpy(results['spectrum']),
            labels=torch.from_numpy(results['heights']))

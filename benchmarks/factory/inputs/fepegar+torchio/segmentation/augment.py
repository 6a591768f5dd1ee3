"""Show what a pipeline of augmentations does to one subject."""
import argparse

import numpy as np
import torch
import torchio as tio

parser = argparse.ArgumentParser()
parser.add_argument('--size', type=int, default=16)
parser.add_argument('--pad', type=int, default=2)
parser.add_argument('--repeat', type=int, default=3)
args = parser.parse_args()

generator = torch.Generator().manual_seed(0)
image = torch.rand(1, args.size, args.size, args.size, generator=generator)
subject = tio.Subject(
    t1=tio.ScalarImage(tensor=image, affine=np.diag([1, 1, 2, 1])),
    brain=tio.LabelMap(tensor=(image > 0.5).int(), affine=np.diag([1, 1, 2, 1])),
    age=45,
)
pipeline = tio.Compose(
    [
        tio.CropOrPad((args.size, args.size, args.size - 4)),
        tio.RescaleIntensity(out_min_max=(0, 1), percentiles=(1, 99)),
        tio.OneOf({tio.RandomBlur(std=(0, 1)): 0.6, tio.RandomGamma(): 0.4}),
        tio.RandomAffine(scales=(0.9, 1.1), degrees=5, image_interpolation='linear'),
        tio.Pad(args.pad),
        tio.OneHot(num_classes=2),
    ]
)
means = []
for _ in range(args.repeat):
    result = pipeline(subject)
    assert result['t1'].spatial_shape == result['brain'].spatial_shape
    means.append(result['t1'].data.mean().item())
    print([t.name for t in result.history], tuple(result['t1'].shape))
print(f'mean intensity {sum(means) / len(means):.4f}')

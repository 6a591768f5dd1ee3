"""Write small NIfTI volumes with a bright ball each, and its mask."""
import sys
from pathlib import Path

import nibabel as nib
import numpy as np

folder = Path(sys.argv[1])
rng = np.random.default_rng(0)
axes = np.stack(np.meshgrid(*[np.arange(20)] * 3, indexing='ij'))
for number in range(6):
    center = rng.integers(7, 13, size=3)
    radius = rng.integers(3, 6)
    mask = ((axes - center[:, None, None, None]) ** 2).sum(0) <= radius**2
    image = rng.normal(100, 10, mask.shape) + 60 * mask
    for name, array, kind in (('image', image, np.float32), ('label', mask, np.uint8)):
        path = folder / name / f'subject_{number:02d}.nii.gz'
        path.parent.mkdir(parents=True, exist_ok=True)
        nib.save(nib.Nifti1Image(array.astype(kind), np.eye(4)), path)

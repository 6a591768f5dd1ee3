from pathlib import Path

import torch
import torchio as tio
from torch.utils.data import DataLoader


def load_subjects(root):
    root = Path(root)
    subjects = []
    for path in sorted((root / 'image').glob('*.nii.gz')):
        subjects.append(
            tio.Subject(
                image=tio.ScalarImage(path),
                label=tio.LabelMap(root / 'label' / path.name),
            )
        )
    return subjects


def make_transforms(config):
    preprocess = [tio.ToCanonical()] if config['canonical'] else []
    preprocess += [tio.Resample(config['spacing']), tio.ZNormalization()]
    augment = [
        tio.RandomFlip(axes=(0, 1), flip_probability=config['flip_probability']),
        tio.RandomNoise(std=config['noise_std']),
    ]
    return tio.Compose(preprocess + augment), tio.Compose(preprocess)


def make_loader(dataset, patches, batch_size):
    sampler = tio.data.LabelSampler(
        patch_size=patches['size'], label_name='label', label_probabilities={0: 1, 1: 2}
    )
    queue = tio.Queue(
        dataset,
        max_length=patches['queue_length'],
        samples_per_volume=patches['samples_per_volume'],
        sampler=sampler,
        num_workers=0,
    )
    return DataLoader(queue, batch_size=batch_size, num_workers=0)


def unpack(batch):
    image = batch['image'][tio.DATA].float()
    label = batch['label'][tio.DATA].squeeze(1).long()
    return image, label

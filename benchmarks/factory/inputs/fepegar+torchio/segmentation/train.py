"""Patch-based segmentation with TorchIO: train on random patches, infer on a grid."""
import argparse

import torch
import torch.nn.functional as F
import torchio as tio
import yaml
from data import load_subjects, make_loader, make_transforms, unpack
from net import SmallNet
from torch.utils.data import DataLoader


def train_epoch(model, loader, optimizer):
    model.train()
    total, count = 0.0, 0
    for batch in loader:
        image, label = unpack(batch)
        loss = F.cross_entropy(model(image), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        count += 1
    return total / count


@torch.no_grad()
def infer(model, subject, patches):
    model.eval()
    sampler = tio.inference.GridSampler(subject, patches['size'], patches['overlap'])
    aggregator = tio.inference.GridAggregator(sampler)
    for batch in DataLoader(sampler, batch_size=4):
        image = batch['image'][tio.DATA].float()
        aggregator.add_batch(model(image).argmax(1, keepdim=True), batch[tio.LOCATION])
    return aggregator.get_output_tensor()


def dice(prediction, target):
    both = (prediction * target).sum()
    return (2 * both / (prediction.sum() + target.sum()).clamp(min=1)).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('config')
    args = parser.parse_args()
    with open(args.config) as file:
        config = yaml.safe_load(file)

    subjects = load_subjects(config['data']['root'])
    n = config['data']['train_subjects']
    train_transform, test_transform = make_transforms(config['transforms'])
    train_set = tio.SubjectsDataset(subjects[:n], transform=train_transform)
    test_set = tio.SubjectsDataset(subjects[n:], transform=test_transform)
    loader = make_loader(train_set, config['patches'], config['training']['batch_size'])

    model = SmallNet(**config['model'])
    optimizer = torch.optim.Adam(model.parameters(), lr=config['training']['lr'])
    for epoch in range(config['training']['epochs']):
        loss = train_epoch(model, loader, optimizer)
        scores = [
            dice(infer(model, s, config['patches']), s['label'].data) for s in test_set
        ]
        print(f'epoch {epoch}: loss {loss:.4f}, dice {sum(scores) / len(scores):.4f}')


if __name__ == '__main__':
    main()

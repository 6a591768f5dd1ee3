"""Compress small signals with a discrete code; the quantizer is chosen in a YAML file."""
import argparse

import torch
import torch.nn.functional as F
import yaml
from torch import nn

from vector_quantize_pytorch import FSQ, LFQ, ResidualVQ, VectorQuantize

QUANTIZERS = {'vq': VectorQuantize, 'fsq': FSQ, 'residual': ResidualVQ, 'lfq': LFQ}


class Autoencoder(nn.Module):
    def __init__(self, dim, hidden, kind, options):
        super().__init__()
        self.kind = kind
        self.encoder = nn.Sequential(
            nn.Conv1d(1, hidden, 4, stride=2, padding=1), nn.GELU(),
            nn.Conv1d(hidden, dim, 4, stride=2, padding=1),
        )
        self.quantizer = QUANTIZERS[kind](**options)
        self.decoder = nn.Sequential(
            nn.ConvTranspose1d(dim, hidden, 4, stride=2, padding=1), nn.GELU(),
            nn.ConvTranspose1d(hidden, 1, 4, stride=2, padding=1),
        )

    def forward(self, x):
        z = self.encoder(x).transpose(1, 2)
        if self.kind == 'fsq':
            codes, indices = self.quantizer(z)
            commit = torch.zeros(())
        else:
            codes, indices, commit = self.quantizer(z)
            commit = commit.mean()
        return self.decoder(codes.transpose(1, 2)), indices, commit


def signals(n, length):
    t = torch.linspace(0, 6.283, length)
    phase, rate = torch.rand(n, 1) * 6.283, torch.randint(1, 5, (n, 1))
    return torch.sin(rate * t + phase).unsqueeze(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('config')
    args = parser.parse_args()
    with open(args.config) as f:
        config = yaml.safe_load(f)

    torch.manual_seed(config['seed'])
    model = Autoencoder(**config['model'])
    optimizer = torch.optim.AdamW(model.parameters(), lr=config['train']['lr'])
    for step in range(1, config['train']['steps'] + 1):
        x = signals(config['data']['batch_size'], config['data']['length'])
        out, indices, commit = model(x)
        rec = F.l1_loss(out, x)
        loss = rec + config['train']['alpha'] * commit
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            used = indices.unique().numel()
            print(f'step {step} rec loss {rec.item():.4f} commit {commit.item():.4f} codes {used}')


if __name__ == '__main__':
    main()

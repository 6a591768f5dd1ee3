"""Two ranks with gloo on the processor; each prints a digest of its weights and random state."""

import hashlib
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(3)
    torch.set_num_threads(1)
    data = TensorDataset(torch.randn(64, 6), torch.randint(0, 3, (64,)))
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
    total = hashlib.sha256(torch.get_rng_state().numpy().tobytes())
    for value in model.state_dict().values():
        total.update(value.numpy().tobytes())
    Path(f"{os.environ['DIGESTS']}.{rank}").write_text(total.hexdigest())
    dist.destroy_process_group()


main()

import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from text_data import CharWindows


class CharLSTM(nn.Module):
    def __init__(self, chars, hidden):
        super().__init__()
        self.emb = nn.Embedding(chars, 32)
        self.rnn = nn.LSTM(32, hidden, num_layers=2, batch_first=True)
        self.out = nn.Linear(hidden, chars)

    def forward(self, ids):
        return self.out(self.rnn(self.emb(ids))[0])


def setup():
    dist.init_process_group("nccl")
    index = int(os.environ["LOCAL_RANK"]) % torch.cuda.device_count()
    torch.cuda.set_device(index)
    return torch.device("cuda", index)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--hidden", type=int, default=256)
    ap.add_argument("--batch-size", type=int, default=64)
    args = ap.parse_args()
    device = setup()
    torch.manual_seed(0)
    data = CharWindows()
    sampler = DistributedSampler(data, shuffle=True, seed=1)
    loader = DataLoader(data, batch_size=args.batch_size, sampler=sampler, drop_last=True)
    model = DistributedDataParallel(CharLSTM(len(data.chars), args.hidden).to(device), device_ids=[device])
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device=device)
        for x, y in loader:
            logits = model(x.to(device))
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.to(device).flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.detach()
        total /= max(len(loader), 1)
        dist.all_reduce(total)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: loss {total.item() / dist.get_world_size():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

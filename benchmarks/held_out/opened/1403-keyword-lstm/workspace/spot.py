from dataclasses import dataclass, field, asdict
import json
import time

import torch
from torch import nn, Tensor
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence
from torch.utils.data import DataLoader, TensorDataset, Dataset, random_split

from features import KEYWORDS, FeatureSpec, log_bands, synth


@dataclass
class Settings:
    spec: FeatureSpec = field(default_factory=FeatureSpec)
    n_utts: int = 240
    min_sec: float = 0.5
    max_sec: float = 1.3
    hidden: int = 32
    batch: int = 24
    epochs: int = 4
    lr: float = 4e-3
    seed: int = 5


class Utterances(Dataset):
    def __init__(self, s: Settings):
        gen = torch.Generator().manual_seed(s.seed)
        self.items = []
        for i in range(s.n_utts):
            kind = i % len(KEYWORDS)
            sec = s.min_sec + (s.max_sec - s.min_sec) * torch.rand(1, generator=gen).item()
            feats = log_bands(synth(kind, sec, s.spec.sample_rate, gen), s.spec)
            self.items.append((feats, kind))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    feats, labels = zip(*batch)
    lengths = torch.tensor([f.size(0) for f in feats])
    padded = pad_sequence(feats)
    return padded, lengths, torch.tensor(labels)


class AttentivePool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.score = nn.Linear(dim, 1)

    def forward(self, h: Tensor, lengths: Tensor) -> Tensor:
        w = self.score(h).squeeze(-1)
        pad = torch.arange(h.size(1))[None, :] >= lengths[:, None]
        w = w.masked_fill(pad, float("-inf")).softmax(dim=1)
        return torch.einsum("bt,btd->bd", w, h)


class Spotter(nn.Module):
    def __init__(self, n_bands, hidden, n_out):
        super().__init__()
        self.norm = nn.LayerNorm(n_bands)
        self.rnn = nn.LSTM(n_bands, hidden, batch_first=True, bidirectional=True)
        self.pool = AttentivePool(2 * hidden)
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(2 * hidden, n_out))

    def forward(self, x, lengths):
        x = self.norm(x)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        h, _ = self.rnn(packed)
        h, _ = pad_packed_sequence(h, batch_first=True)
        return self.head(self.pool(h, lengths))


def run_epoch(model, loader, loss_fn, opt=None):
    model.train(opt is not None)
    tot, hit, n = 0.0, 0, 0
    with torch.set_grad_enabled(opt is not None):
        for x, lengths, y in loader:
            logits = model(x, lengths)
            loss = loss_fn(logits, y)
            if opt is not None:
                opt.zero_grad()
                loss.backward()
                opt.step()
            tot += loss.item() * len(y)
            hit += (logits.argmax(-1) == y).sum().item()
            n += len(y)
    return tot / n, hit / n


def main(s: Settings = Settings()):
    torch.manual_seed(s.seed)
    print(json.dumps(asdict(s)))
    data = Utterances(s)
    train, test = random_split(data, [0.8, 0.2])
    tl = DataLoader(train, s.batch, shuffle=True, collate_fn=collate)
    vl = DataLoader(test, s.batch, collate_fn=collate)
    model = Spotter(s.spec.n_bands, s.hidden, len(KEYWORDS))
    opt = torch.optim.Adam(model.parameters(), lr=s.lr)
    loss_fn = nn.CrossEntropyLoss(label_smoothing=0.05)
    for ep in range(s.epochs):
        t0 = time.perf_counter()
        tr = run_epoch(model, tl, loss_fn, opt)
        te = run_epoch(model, vl, loss_fn)
        print(f"[{ep}] train {tr[0]:.3f}/{tr[1]:.2%}  test {te[0]:.3f}/{te[1]:.2%}  {time.perf_counter()-t0:.1f}s")


if __name__ == "__main__":
    main()

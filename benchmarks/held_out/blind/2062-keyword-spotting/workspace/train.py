import sys

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from features import LogMel
from kws import KeywordNet, synth
from settings import load_settings


def evaluate(model, loader):
    model.eval()
    with torch.no_grad():
        ok = sum((model(w).argmax(1) == y).sum().item() for w, y in loader)
    return ok / len(loader.dataset)


def main(path):
    s = load_settings(path)
    torch.manual_seed(s.seed)
    print(f"run {s.name}: {len(s.audio.keywords)} keywords, {s.optim.epochs} epochs")
    train = DataLoader(synth(s.audio, 160, 1), batch_size=s.optim.batch_size, shuffle=True)
    test = DataLoader(synth(s.audio, 60, 2), batch_size=60)

    frontend = LogMel(s.features, s.audio.sample_rate)
    model = KeywordNet(frontend, s.model, len(s.audio.keywords))
    opt = torch.optim.Adam(model.parameters(), lr=s.optim.lr)
    for epoch in range(s.optim.epochs):
        model.train()
        total = 0.0
        for wave, y in train:
            loss = F.cross_entropy(model(wave), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / len(train):.3f} test acc {evaluate(model, test):.3f}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "conf/kws_small.yaml")

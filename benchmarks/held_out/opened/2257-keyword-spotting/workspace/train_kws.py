import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from config import TrainConfig
from kws.clips import iter_clips
from kws.dataset import build_dataset
from kws.frontend import LogSpectrogram
from kws.model import KeywordNet


def prepare(cfg: TrainConfig):
    train_clips = iter_clips(cfg.keywords, cfg.clips_per_word, cfg.audio, seed=cfg.seed)
    test_clips = iter_clips(cfg.keywords, 6, cfg.audio, seed=cfg.seed + 1)

    frontend = LogSpectrogram(cfg.audio).fit(train_clips)
    print(f"feature mean {frontend.mean:.3f} std {frontend.std:.3f}")
    return build_dataset(train_clips, frontend), build_dataset(test_clips, frontend)


def main():
    cfg = TrainConfig()
    torch.manual_seed(cfg.seed)
    train_set, test_set = prepare(cfg)
    loader = DataLoader(train_set, batch_size=cfg.batch_size, shuffle=True)

    model = KeywordNet(len(cfg.keywords))
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        model.train()
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            x, y = test_set.tensors
            acc = (model(x).argmax(1) == y).float().mean().item()
        print(f"epoch {epoch}: loss {loss.item():.3f}  test acc {acc:.2f}")


if __name__ == "__main__":
    main()

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from options import Options
from pointnet import PointNet
from schedule import warmup_then_linear
from shapes import NAMES, build


def train_one_epoch(model, loader, optimizer, scheduler):
    model.train()
    total, right, n = 0.0, 0, 0
    for pts, y in loader:
        logits = model(pts)
        loss = F.cross_entropy(logits, y, label_smoothing=0.05)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        scheduler.step()
        total += loss.item() * len(y)
        right += (logits.argmax(1) == y).sum().item()
        n += len(y)
    return total / n, right / n


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    hits = [(model(pts).argmax(1) == y) for pts, y in loader]
    return torch.cat(hits).float().mean().item()


def main():
    opt = Options.from_args()
    print(opt)
    torch.manual_seed(opt.seed)
    train_set = build(opt, opt.n_per_class, seed=opt.seed)
    test_set = build(opt, 20, seed=opt.seed + 1)
    train_loader = DataLoader(train_set, opt.batch_size, shuffle=True)
    test_loader = DataLoader(test_set, 50)

    model = PointNet(opt.width, len(NAMES))
    optimizer = torch.optim.AdamW(model.parameters(), lr=opt.lr, weight_decay=opt.weight_decay)
    scheduler = warmup_then_linear(optimizer, opt.warmup, opt.epochs)

    for epoch in range(opt.epochs):
        loss, acc = train_one_epoch(model, train_loader, optimizer, scheduler)
        print(f"{epoch + 1:3d}/{opt.epochs}  loss {loss:.4f}  acc {acc:.3f}  test acc {accuracy(model, test_loader):.3f}")


if __name__ == "__main__":
    main()

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from opts import get_opts
from pointnet import PointNet, orthogonality
from solids import SHAPES, make_clouds


@torch.no_grad()
def test(net, loader):
    net.eval()
    conf = torch.zeros(len(SHAPES), len(SHAPES), dtype=torch.int64)
    for cloud, label in loader:
        pred = net(cloud)[0].argmax(1)
        for t, p in zip(label.tolist(), pred.tolist()):
            conf[t, p] += 1
    return conf


def main():
    opt = get_opts()
    print(opt)
    torch.manual_seed(opt.seed)
    train = make_clouds(opt.train_clouds, opt.points, opt.jitter, seed=opt.seed)
    held = make_clouds(opt.test_clouds, opt.points, opt.jitter, seed=opt.seed + 1)
    print(f"clouds: {len(train)} train, {len(held)} test, {opt.points} points each")

    net = PointNet(len(SHAPES), opt.mlp, opt.fc, use_tnet=not opt.no_tnet)
    optim = torch.optim.Adam(net.parameters(), lr=opt.lr)
    for epoch in range(opt.epochs):
        net.train()
        tot = 0.0
        for cloud, label in DataLoader(train, opt.batch, shuffle=True):
            logits, align = net(cloud)
            loss = F.cross_entropy(logits, label)
            if align is not None:
                loss = loss + opt.reg * orthogonality(align)
            optim.zero_grad()
            loss.backward()
            optim.step()
            tot += loss.item() * len(label)
        conf = test(net, DataLoader(held, 32))
        print(f"Epoch {epoch}: loss={tot / len(train):.4f} test_acc={conf.diag().sum().item() / conf.sum().item():.3f}")
    for name, row in zip(SHAPES, conf.tolist()):
        print(f"{name:>9}", row)


if __name__ == "__main__":
    main()

import argparse, json, os
import numpy as np
import torch
from torch.utils.data import DataLoader
from datasets_ import Digits, PKSampler
from nets import Embedder
from triplet import batch_all

p = argparse.ArgumentParser()
p.add_argument('--epochs', type=int, default=4)
p.add_argument('--batches', type=int, default=40)
p.add_argument('--P', type=int, default=8)
p.add_argument('--K', type=int, default=4)
p.add_argument('--margin', type=float, default=.2)
p.add_argument('--lr', type=float, default=1e-3)
p.add_argument('--embed-dim', type=int, default=32)
p.add_argument('--bs', type=int, default=128)
p.add_argument('--seed', type=int, default=0)
p.add_argument('--tag', default='x')
A = p.parse_args()

np.random.seed(A.seed); torch.manual_seed(A.seed)

train = Digits('train', aug=True)
gallery, query = Digits('gallery'), Digits('query')
dl = DataLoader(train, batch_sampler=PKSampler(train.targets, A.P, A.K, A.batches))
gal_dl = DataLoader(gallery, batch_size=A.bs, shuffle=True)
qry_dl = DataLoader(query, batch_size=A.bs, shuffle=False)

net = Embedder(A.embed_dim)
opt = torch.optim.Adam(net.parameters(), lr=A.lr)


@torch.no_grad()
def embed(loader):
    net.eval()
    return torch.cat([net(x) for x, _ in loader])


def retrieval(k=5):
    G, Q = embed(gal_dl), embed(qry_dl)
    gy, qy = torch.tensor(gallery.targets), torch.tensor(query.targets)
    order = (Q @ G.t()).argsort(dim=1, descending=True)
    hit = gy[order] == qy[:, None]
    r1 = hit[:, 0].float().mean().item()
    rk = hit[:, :k].any(1).float().mean().item()
    prec = hit.float().cumsum(1) / torch.arange(1, hit.size(1) + 1)
    mAP = ((prec * hit).sum(1) / hit.sum(1).clamp(min=1)).mean().item()
    return {'R@1': r1, f'R@{k}': rk, 'mAP': mAP}


log = []
for ep in range(A.epochs):
    net.train()
    ls, vs = [], []
    for x, y in dl:
        loss, viol = batch_all(net(x), y, A.margin)
        opt.zero_grad(); loss.backward(); opt.step()
        ls.append(loss.item()); vs.append(viol.item())
    r = retrieval()
    log.append(r)
    print('ep', ep, 'loss %.4f viol %.2f' % (np.mean(ls), np.mean(vs)), ' '.join('%s %.3f' % kv for kv in r.items()))

os.makedirs('logs', exist_ok=True)
json.dump({'args': vars(A), 'log': log}, open('logs/%s.json' % A.tag, 'w'))

import numpy as np
import torch

from metric import MetricConfig
from metric.mining import batch_hard_triplet
from metric.net import Embedder
from metric.people import IdentityFeatures, PKSampler
from metric.retrieval import recall_at_1


def main():
    cfg = MetricConfig()
    print(cfg)
    torch.manual_seed(cfg.seed)
    data = IdentityFeatures(cfg)
    x_train, y_train = data.subset(range(cfg.train_identities))
    x_test, y_test = data.subset(range(cfg.train_identities, cfg.identities))
    sampler = PKSampler(y_train, cfg.p, cfg.k, np.random.default_rng(cfg.seed))

    net = Embedder(cfg)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    print(f"before training: R@1 seen {recall_at_1(net, x_train, y_train):.3f} "
          f"unseen {recall_at_1(net, x_test, y_test):.3f}")
    for it in range(1, cfg.iterations + 1):
        idx = sampler.draw()
        loss, active = batch_hard_triplet(net(x_train[idx]), y_train[idx], cfg.margin)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if it % cfg.report == 0:
            print(f"iter {it}: loss {loss.item():.4f} active {active:.2f} "
                  f"R@1 seen {recall_at_1(net, x_train, y_train):.3f} "
                  f"unseen {recall_at_1(net, x_test, y_test):.3f}")


if __name__ == "__main__":
    main()

import random

import hydra
import torch
import torch.nn.functional as F
from omegaconf import DictConfig

from chem import merge, read_molecules
from message_passing import SolubilityNet


def minibatches(graphs, size, shuffle):
    order = list(range(len(graphs)))
    if shuffle:
        random.shuffle(order)
    for i in range(0, len(order), size):
        yield merge([graphs[j] for j in order[i:i + size]])


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig):
    random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    graphs = read_molecules(cfg.file)
    cut = int(0.8 * len(graphs))
    train, held = graphs[:cut], graphs[cut:]
    net = SolubilityNet(graphs[0]["x"].shape[1], graphs[0]["edge_attr"].shape[1], **cfg.net)
    opt = torch.optim.AdamW(net.parameters(), **cfg.optim)
    for epoch in range(1, cfg.epochs + 1):
        net.train()
        running = 0.0
        for x, edges, attr, owner, y in minibatches(train, cfg.batch_size, True):
            pred = net(x, edges, attr, owner, len(y))
            loss = F.mse_loss(pred, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item() * len(y)
        net.eval()
        with torch.no_grad():
            errs = [(net(x, e, a, o, len(y)) - y).abs() for x, e, a, o, y in minibatches(held, cfg.batch_size, False)]
        print(f"epoch {epoch:2d}  train mse {running / len(train):.4f}  held-out MAE {torch.cat(errs).mean():.4f}")


if __name__ == "__main__":
    main()

import torch
from torch.utils.data import DataLoader

from encoder import Encoder
from glyphs import NAMES, Glyphs
from knn_monitor import knn_accuracy
from objective import info_nce
from options import Options


def main(opt: Options):
    torch.manual_seed(opt.seed)
    torch.set_num_threads(1)
    pairs = DataLoader(Glyphs(opt.n_train, opt.side, opt.seed), opt.batch, shuffle=True, drop_last=True)
    bank = DataLoader(Glyphs(opt.n_train, opt.side, opt.seed, views=False), 128)
    query = DataLoader(Glyphs(opt.n_test, opt.side, opt.seed + 1, views=False), 128)

    model = Encoder(opt.width, opt.proj_dim)
    optim = torch.optim.AdamW(model.parameters(), lr=opt.lr, weight_decay=1e-4)
    for epoch in range(opt.epochs):
        model.train()
        total = 0.0
        for a, b, _ in pairs:
            loss = info_nce(model(a), model(b), opt.tau)
            optim.zero_grad(set_to_none=True)
            loss.backward()
            optim.step()
            total += loss.item()
        print(f"epoch {epoch} nce {total / len(pairs):.4f}", flush=True)
        if (epoch + 1) % 2 == 0:
            acc = knn_accuracy(model, bank, query, len(NAMES), opt.knn_k, opt.knn_tau)
            print(f"epoch {epoch} knn@{opt.knn_k} {acc:.3f}", flush=True)


if __name__ == "__main__":
    main(Options.from_cli())

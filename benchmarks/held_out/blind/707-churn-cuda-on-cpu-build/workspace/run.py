import argparse
import logging

import torch

from churn.config import Config
from churn.features import Featurizer, load_frame, make_loader, split
from churn.loop import evaluate, train_epoch
from churn.model import TabularNet

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("run")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", default="config.json")
    args = ap.parse_args()
    cfg = Config.load(args.config)
    torch.manual_seed(0)
    df = load_frame(cfg)
    train_df, val_df = split(df)
    log.info("%d train rows, %d validation rows", len(train_df), len(val_df))
    feats = Featurizer(cfg.numeric, cfg.categorical).fit(train_df)
    train_dl = make_loader(train_df, feats, cfg, shuffle=True)
    val_dl = make_loader(val_df, feats, cfg, shuffle=False)
    model = TabularNet(len(cfg.numeric), feats.cardinalities(), cfg.hidden).to(cfg.device)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        loss = train_epoch(model, train_dl, opt, cfg.device)
        auc = evaluate(model, val_dl, cfg.device)
        log.info("epoch %d loss %.4f val_auc %.3f", epoch, loss, auc)


if __name__ == "__main__":
    main()

import tomllib

import click
import torch
from loguru import logger
from torch.utils.data import DataLoader

from kws.clips import CommandClips, collate
from kws.net import CommandNet


@click.command()
@click.option("--config", default="kws.toml", type=click.Path(exists=True))
@click.option("--epochs", type=int, default=None)
def main(config, epochs):
    with open(config, "rb") as f:
        cfg = tomllib.load(f)
    hp = cfg["train"]
    torch.manual_seed(hp["seed"])
    sets = {s: CommandClips(cfg["audio"], cfg["data"], s, hp["seed"]) for s in ("train", "val")}
    logger.info("clips: train {} val {}", len(sets["train"]), len(sets["val"]))
    train = DataLoader(sets["train"], hp["batch_size"], shuffle=True, collate_fn=collate)
    val = DataLoader(sets["val"], hp["batch_size"], collate_fn=collate)
    model = CommandNet(len(cfg["data"]["commands"]))
    opt = torch.optim.Adam(model.parameters(), lr=hp["lr"])
    for epoch in range(epochs or hp["epochs"]):
        model.train()
        for x, y in train:
            loss = torch.nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            good = sum((model(x).argmax(1) == y).sum().item() for x, y in val)
        logger.info("epoch {} loss {:.3f} val acc {:.3f}", epoch, loss.item(), good / len(sets["val"]))


if __name__ == "__main__":
    main()

import sys

import torch
import yaml
from torch.utils.data import DataLoader

from leafnet.dataset import LeafDataset
from leafnet.engine import accuracy, classify_file, train_epoch
from leafnet.model import LeafNet


def main(config_path):
    with open(config_path) as f:
        cfg = yaml.safe_load(f)
    torch.manual_seed(0)

    def dataset(split):
        return LeafDataset(
            cfg["paths"]["labels"], cfg["paths"]["images"], split,
            size=cfg["image_size"], split_column=cfg["split_column"], augment=split == "train",
        )

    train_set, val_set = dataset("train"), dataset("val")
    print(f"train: {len(train_set)} images, val: {len(val_set)} images")
    batch = cfg["optim"]["batch_size"]
    train_dl = DataLoader(train_set, batch_size=batch, shuffle=True)
    val_dl = DataLoader(val_set, batch_size=batch)

    model = LeafNet(len(cfg["classes"]), **cfg["model"])
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=cfg["optim"]["lr"], weight_decay=cfg["optim"]["weight_decay"]
    )
    for epoch in range(cfg["optim"]["epochs"]):
        loss = train_epoch(model, train_dl, optimizer)
        print(f"epoch {epoch + 1}: loss {loss:.3f}, val accuracy {accuracy(model, val_dl):.3f}")

    for path in val_set.files[:3]:
        name, p = classify_file(model, path, cfg["image_size"], cfg["classes"])
        print(f"{path.name}: {name} ({p:.2f})")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "config.yaml")

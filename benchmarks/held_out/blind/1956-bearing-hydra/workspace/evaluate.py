"""Confusion matrix of the best checkpoint on the held-out test part."""
import hydra
import torch
from sklearn.metrics import confusion_matrix
from torch.utils.data import DataLoader

from bearing import load_splits


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    splits, names = load_splits(cfg.data, cfg.seed)
    model = hydra.utils.instantiate(cfg.model)
    ckpt = torch.load(cfg.checkpoint, map_location="cpu")
    model.load_state_dict(ckpt)
    model.eval()

    truth, pred = [], []
    with torch.no_grad():
        for x, y in DataLoader(splits["test"], batch_size=64):
            truth.append(y)
            pred.append(model(x).argmax(1))
    cm = confusion_matrix(torch.cat(truth), torch.cat(pred), labels=range(len(names)))
    width = max(len(n) for n in names)
    for name, row in zip(names, cm):
        print(name.rjust(width), " ".join(f"{v:4d}" for v in row))
    print("accuracy", round(cm.trace() / cm.sum(), 3))


if __name__ == "__main__":
    main()

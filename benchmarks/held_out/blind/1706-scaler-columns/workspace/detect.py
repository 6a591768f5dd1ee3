import json
import sys

import numpy as np
import torch
from sklearn.metrics import f1_score, roc_auc_score
from torch.utils.data import DataLoader, TensorDataset

from autoencoder import LSTMAutoencoder, reconstruction_error
from windows import prepare


def train(model, x, cfg):
    loader = DataLoader(TensorDataset(x), batch_size=cfg["batch"], shuffle=True)
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    for epoch in range(cfg["epochs"]):
        model.train()
        losses = []
        for (xb,) in loader:
            loss = torch.nn.functional.mse_loss(model(xb), xb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        if epoch % 3 == 2:
            print(f"epoch {epoch + 1}: reconstruction {np.mean(losses):.4f}")
    return model


def main():
    cfg_path = sys.argv[1] if len(sys.argv) > 1 else "config.json"
    cfg = json.load(open(cfg_path))
    torch.manual_seed(4)

    x_train, x_test, y_test = prepare(cfg)
    print("windows:", x_train.shape, x_test.shape, "faulty:", int(y_test.sum()))

    x_train = torch.from_numpy(x_train)
    x_test = torch.from_numpy(x_test)
    model = LSTMAutoencoder(len(cfg["features"]), cfg["hidden"], cfg["latent"])
    train(model, x_train, cfg)

    threshold = torch.quantile(reconstruction_error(model, x_train), cfg["quantile"])
    scores = reconstruction_error(model, x_test)
    alarms = (scores > threshold).int()
    print(f"threshold {threshold:.3f}, {int(alarms.sum())} alarms")
    print(f"AUC {roc_auc_score(y_test, scores):.3f}  F1 {f1_score(y_test, alarms):.3f}")


if __name__ == "__main__":
    main()

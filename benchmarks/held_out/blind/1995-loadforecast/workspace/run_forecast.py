import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from forecast.network import ForecastGRU
from forecast.settings import Settings
from forecast.windows import Windows, read_table, split_and_scale


def predict(model, loader):
    model.eval()
    preds, golds = [], []
    with torch.no_grad():
        for past, future in loader:
            preds.append(model(past))
            golds.append(future)
    return torch.cat(preds).numpy(), torch.cat(golds).numpy()


def main():
    s = Settings.from_command_line()
    torch.manual_seed(s.seed)
    np.random.seed(s.seed)

    values = read_table(s.csv, s.columns)
    print(f"{s.csv}: {values.shape[0]} hours, {values.shape[1]} features")
    scaler, (train, val, test) = split_and_scale(values, s.train_frac, s.val_frac)
    target = s.columns.index(s.target)
    sets = [Windows(p, s.history, s.horizon, target) for p in (train, val, test)]
    print("windows:", *(len(w) for w in sets))
    train_loader = DataLoader(sets[0], s.batch_size, shuffle=True)
    val_loader, test_loader = (DataLoader(w, s.batch_size) for w in sets[1:])

    model = ForecastGRU(len(s.columns), s.hidden, s.horizon, s.dropout)
    optimizer = torch.optim.Adam(model.parameters(), lr=s.lr)
    criterion = nn.SmoothL1Loss()

    best, bad = float("inf"), 0
    for epoch in range(1, s.epochs + 1):
        model.train()
        running = 0.0
        for past, future in train_loader:
            loss = criterion(model(past), future)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            running += loss.item() * len(past)
        pred, gold = predict(model, val_loader)
        val_mae = np.abs(pred - gold).mean() * scaler.std[target]
        print(f"epoch {epoch}: train loss {running / len(sets[0]):.4f}, val MAE {val_mae:.2f} MW")
        if val_mae < best:
            best, bad = val_mae, 0
        else:
            bad += 1
            if bad >= s.patience:
                print(f"no improvement for {bad} epochs, stopping")
                break

    pred, gold = predict(model, test_loader)
    err = scaler.inverse_column(pred, target) - scaler.inverse_column(gold, target)
    for h in range(s.horizon):
        print(f"test MAE at +{h + 1}h: {np.abs(err[:, h]).mean():.2f} MW")


if __name__ == "__main__":
    main()

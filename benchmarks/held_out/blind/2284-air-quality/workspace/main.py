import logging
import sys

import torch
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset

from nowcast import Nowcast
from tables import read_all, to_windows

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("no2")

HISTORY, AHEAD, EPOCHS = 24, 3, 5


def build(tables, part):
    sets = []
    for k, (name, df) in enumerate(tables.items()):
        cut = int(0.75 * len(df))
        df = df.iloc[:cut] if part == "train" else df.iloc[cut:]
        x, y = to_windows(df, HISTORY, AHEAD)
        log.info("%s %s: %d windows", part, name, len(x))
        sets.append(TensorDataset(
            torch.as_tensor(x).float(),
            torch.full((len(x),), k),
            torch.as_tensor(y).float(),
        ))
    return ConcatDataset(sets)


def main():
    torch.manual_seed(6)
    tables = read_all(sys.argv[1] if len(sys.argv) > 1 else "data")
    train, test = build(tables, "train"), build(tables, "test")
    model = Nowcast(train[0][0].shape[-1], len(tables))
    opt = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(EPOCHS):
        model.train()
        for x, site, y in DataLoader(train, 64, shuffle=True):
            loss = torch.nn.functional.l1_loss(model(x, site), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            mae = torch.cat([(model(x, s) - y).abs() for x, s, y in DataLoader(test, 256)]).mean()
        log.info("epoch %d: train %.2f, test MAE %.2f ug/m3", epoch, loss.item(), mae.item())


if __name__ == "__main__":
    main()

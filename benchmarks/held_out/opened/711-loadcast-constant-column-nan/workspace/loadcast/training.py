import torch
from torch.utils.data import DataLoader


class EarlyStopping:
    def __init__(self, patience):
        self.patience = patience
        self.best = float("inf")
        self.bad = 0

    def step(self, value):
        if value < self.best:
            self.best, self.bad = value, 0
        else:
            self.bad += 1
        return self.bad >= self.patience


def fit(model, train_ds, valid_ds, cfg):
    gen = torch.Generator().manual_seed(cfg["seed"])
    train_dl = DataLoader(train_ds, cfg["batch_size"], shuffle=True, generator=gen)
    valid_dl = DataLoader(valid_ds, cfg["batch_size"])
    optim = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    sched = torch.optim.lr_scheduler.ReduceLROnPlateau(optim, factor=0.5, patience=1)
    loss_fn = torch.nn.MSELoss()
    stopper = EarlyStopping(cfg["patience"])
    for epoch in range(1, cfg["epochs"] + 1):
        model.train()
        running = 0.0
        for past, future in train_dl:
            optim.zero_grad()
            loss = loss_fn(model(past), future)
            loss.backward()
            optim.step()
            running += loss.item()
        valid = validate(model, valid_dl, loss_fn)
        sched.step(valid)
        print(f"[{epoch:02d}] train mse {running / len(train_dl):.4f}  valid mse {valid:.4f}")
        if stopper.step(valid):
            print("early stop")
            break
    return stopper.best


@torch.no_grad()
def validate(model, loader, loss_fn):
    model.eval()
    losses = [loss_fn(model(past), future).item() for past, future in loader]
    return sum(losses) / len(losses)

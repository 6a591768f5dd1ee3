import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader


def fit(model, optimizer, train, val, epochs, batch_size):
    loader = DataLoader(train, batch_size=batch_size, shuffle=True)
    for epoch in range(1, epochs + 1):
        model.train()
        for x, y in loader:
            loss = F.smooth_l1_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % 20 == 0:
            model.eval()
            with torch.no_grad():
                xv, yv = val.tensors
                mae = (model(xv) - yv).abs().mean().item()
            print(f"epoch {epoch:3d} train {loss.item():.4f} val mae {mae:.4f}")
    return mae

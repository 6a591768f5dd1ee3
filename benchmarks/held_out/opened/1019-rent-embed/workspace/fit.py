import numpy as np
import torch
from sklearn.metrics import mean_absolute_error
from torch.utils.data import DataLoader, TensorDataset

import params as P
from network import RentNet
from prepare import load


def tensors(pack):
    return [torch.from_numpy(a) for a in pack]


torch.manual_seed(P.SEED)
train, test, sizes, y_scale = load()
print("rows:", len(train[0]), "train,", len(test[0]), "test; category sizes", sizes)

loader = DataLoader(TensorDataset(*tensors(train)), batch_size=P.BATCH, shuffle=True)
net = RentNet(sizes, len(P.NUMERIC), P.EMB_DIM, P.HIDDEN)
opt = torch.optim.Adam(net.parameters(), lr=P.LR)

for epoch in range(P.EPOCHS):
    losses = []
    for cat, num, y in loader:
        pred = net(cat, num)
        loss = ((pred - y) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1:3d}  mse {np.mean(losses):.4f}")

net.eval()
cat, num, y = tensors(test)
with torch.no_grad():
    pred = net(cat, num).numpy().reshape(-1, 1)
rent_pred = y_scale.inverse_transform(pred)
rent_true = y_scale.inverse_transform(y.numpy().reshape(-1, 1))
mae = mean_absolute_error(rent_true, rent_pred)
naive = mean_absolute_error(rent_true, np.full_like(rent_true, y_scale.mean_[0]))
print(f"test MAE {mae:.0f} EUR, mean predictor {naive:.0f} EUR")
assert mae < 0.8 * naive, f"model is no better than the mean predictor ({mae:.0f} vs {naive:.0f})"
torch.save(net.state_dict(), "rent_net.pt")

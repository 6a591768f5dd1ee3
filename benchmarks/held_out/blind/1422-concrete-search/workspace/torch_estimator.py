import numpy as np
import torch
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import nn


class TorchMLPRegressor(RegressorMixin, BaseEstimator):
    """Scikit-learn compatible MLP with early stopping on a held-out fraction."""

    def __init__(self, hidden_size=32, n_layers=2, lr=0.01, weight_decay=0.0, max_epochs=60,
                 patience=8, batch_size=64, valid_fraction=0.15, random_state=0):
        self.width = hidden_size
        self.n_layers = n_layers
        self.lr = lr
        self.weight_decay = weight_decay
        self.max_epochs = max_epochs
        self.patience = patience
        self.batch_size = batch_size
        self.valid_fraction = valid_fraction
        self.random_state = random_state

    def _build(self, n_in):
        mods = []
        for _ in range(self.n_layers):
            mods += [nn.Linear(n_in, self.width), nn.ELU()]
            n_in = self.width
        return nn.Sequential(*mods, nn.Linear(n_in, 1), nn.Flatten(0))

    def fit(self, X, y):
        X, y = validate_data(self, X, y, dtype=np.float32, y_numeric=True)
        gen = torch.Generator().manual_seed(self.random_state)
        torch.manual_seed(self.random_state)
        self.y_mean_, self.y_scale_ = float(y.mean()), float(y.std() + 1e-9)
        Xt = torch.from_numpy(X)
        yt = torch.as_tensor((y - self.y_mean_) / self.y_scale_, dtype=torch.float32)
        perm = torch.randperm(len(Xt), generator=gen)
        n_val = max(1, int(self.valid_fraction * len(Xt)))
        val, tr = perm[:n_val], perm[n_val:]
        self.module_ = self._build(X.shape[1])
        opt = torch.optim.AdamW(self.module_.parameters(), lr=self.lr, weight_decay=self.weight_decay)
        best, wait, self.history_ = float("inf"), 0, []
        for epoch in range(self.max_epochs):
            self.module_.train()
            for b in tr[torch.randperm(len(tr), generator=gen)].split(self.batch_size):
                opt.zero_grad()
                loss = nn.functional.mse_loss(self.module_(Xt[b]), yt[b])
                loss.backward()
                opt.step()
            self.module_.eval()
            with torch.no_grad():
                v = nn.functional.mse_loss(self.module_(Xt[val]), yt[val]).item()
            self.history_.append(v)
            if v < best - 1e-4:
                best, wait = v, 0
                state = {k: t.clone() for k, t in self.module_.state_dict().items()}
            else:
                wait += 1
                if wait >= self.patience:
                    break
        self.module_.load_state_dict(state)
        return self

    def predict(self, X):
        check_is_fitted(self, "module_")
        X = validate_data(self, X, dtype=np.float32, reset=False)
        with torch.no_grad():
            out = self.module_(torch.from_numpy(X)).numpy()
        return out * self.y_scale_ + self.y_mean_

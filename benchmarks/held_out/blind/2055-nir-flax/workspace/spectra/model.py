from typing import Sequence

import flax.linen as nn


class SpectrumEncoder(nn.Module):
    widths: Sequence[int]
    kernel: int = 7

    @nn.compact
    def __call__(self, x):
        for w in self.widths:
            x = nn.Conv(w, kernel_size=(self.kernel,), strides=(2,))(x)
            x = nn.LayerNorm()(x)
            x = nn.gelu(x)
        return x.reshape(*x.shape[:-2], -1)


class SpectrumRegressor(nn.Module):
    """Predicts concentrations of the mixture components from an NIR spectrum."""

    n_targets: int
    widths: Sequence[int] = (16, 32)
    hidden: int = 32
    dropout: float = 0.1

    @nn.compact
    def __call__(self, spectra, *, train: bool):
        h = SpectrumEncoder(self.widths)(spectra[..., None])
        h = nn.gelu(nn.Dense(self.hidden)(h))
        h = nn.Dropout(self.dropout, deterministic=not train)(h)
        return nn.softplus(nn.Dense(self.n_targets)(h))

import flax.linen as nn
import jax.numpy as jnp


class LoadForecaster(nn.Module):
    hidden: int
    dropout: float

    def setup(self):
        self.encoder = nn.RNN(nn.GRUCell(self.hidden), return_carry=True)
        self.cell = nn.GRUCell(self.hidden)
        self.drop = nn.Dropout(self.dropout)
        self.head = nn.Dense(1)

    def __call__(self, history, horizon, target_col=0, train=False):
        """history (B, T, F) -> (B, horizon), decoded one hour at a time."""
        carry, _ = self.encoder(history)
        last = history[:, -1, target_col][:, None]
        steps = []
        for _ in range(horizon):
            carry, h = self.cell(carry, last)
            h = self.drop(h, deterministic=not train)
            last = last + self.head(h)
            steps.append(last)
        return jnp.concatenate(steps, axis=1)

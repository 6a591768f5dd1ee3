import torch
from torch import nn


class LSTMAutoencoder(nn.Module):
    def __init__(self, n_features, hidden, latent):
        super().__init__()
        self.encoder = nn.LSTM(n_features, hidden, batch_first=True)
        self.squeeze = nn.Linear(hidden, latent)
        self.decoder = nn.LSTM(latent, hidden, batch_first=True)
        self.output = nn.Linear(hidden, n_features)

    def forward(self, x):
        _, (h, _) = self.encoder(x)
        z = self.squeeze(h[-1])
        repeated = z.unsqueeze(1).expand(-1, x.size(1), -1)
        decoded, _ = self.decoder(repeated)
        return self.output(decoded)


def reconstruction_error(model, x):
    model.eval()
    with torch.no_grad():
        return ((model(x) - x) ** 2).mean(dim=(1, 2))

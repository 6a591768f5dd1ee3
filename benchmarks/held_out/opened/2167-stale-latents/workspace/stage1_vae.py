import torch
from torch.utils.data import DataLoader, TensorDataset

from autoenc import VAE, elbo
from digits import splits
from settings import S


def run():
    torch.manual_seed(S.seed)
    x, y = splits()["train"]
    loader = DataLoader(TensorDataset(x, y), S.batch, shuffle=True)
    net = VAE(x.shape[1], S.hidden, S.latent)
    opt = torch.optim.Adam(net.parameters(), 2e-3)
    for ep in range(S.vae_epochs):
        tot = [0.0, 0.0]
        for xb, _ in loader:
            loss, rec, kl = elbo(xb, *net(xb), S.beta)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot[0] += rec.item() / len(loader)
            tot[1] += kl.item() / len(loader)
        print(f"[vae] {ep:2d} rec {tot[0]:.2f} kl {tot[1]:.2f}")
    torch.save(net.state_dict(), S.work / "vae.pt")


if __name__ == "__main__":
    run()

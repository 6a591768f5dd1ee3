import hydra
import torch
from torch import nn


def load_data():
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(120, 10, generator=generator)
    y = torch.randint(0, 4, (120,), generator=generator)
    return x, y


def build_model():
    return nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    x, y = load_data()
    model = build_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.3f}")


if __name__ == "__main__":
    main()

import torch
import yaml
from torch import nn

from data import loaders


def evaluate(model, loader):
    model.eval()
    right = seen = 0
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            logits = model(x)
            total += nn.functional.cross_entropy(logits, y, reduction="sum").item()
            guess, _ = logits.max(dim=1)
            right += (guess == y).sum().item()
            seen += len(y)
    return total / seen, right / seen


def main():
    with open("config.yaml") as f:
        config = yaml.safe_load(f)
    torch.manual_seed(config["seed"])
    train, test = loaders(config["batch_size"], config["seed"])
    model = nn.Sequential(nn.Linear(64, config["hidden"]), nn.ReLU(), nn.Linear(config["hidden"], 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=config["lr"], momentum=0.9)
    for epoch in range(1, config["epochs"] + 1):
        model.train()
        losses = []
        for x, y in train:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        val_loss, accuracy = evaluate(model, test)
        print(f"epoch {epoch}/{config['epochs']} loss {sum(losses) / len(losses):.4f} val_loss {val_loss:.4f} val_acc {accuracy:.4f}", flush=True)


if __name__ == "__main__":
    main()

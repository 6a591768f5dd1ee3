import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from engine import balanced_accuracy, train_one_epoch

FREQUENCIES = [0.72, 0.15, 0.08, 0.05]  # ok, scratch, dent, hole


def make_split(n, seed):
    g = torch.Generator().manual_seed(seed)
    y = torch.multinomial(torch.tensor(FREQUENCIES), n, replacement=True, generator=g)
    x = 0.2 * torch.randn(n, 1, 32, 32, generator=g)
    for i, label in enumerate(y.tolist()):
        if label == 1:
            x[i, 0, 16, 4:28] += 1.5
        elif label == 2:
            x[i, 0, 10:20, 10:20] -= 1.0
        elif label == 3:
            x[i, 0, 14:18, 14:18] += 3.0
    return TensorDataset(x, y)


def inverse_frequency(labels, classes, power=0.5):
    counts = torch.bincount(labels, minlength=classes).float()
    weights = (counts.sum() / counts.clamp(min=1)).pow(power)
    return weights / weights.mean()


def build_model(classes):
    def stage(cin, cout):
        return [nn.Conv2d(cin, cout, 3, stride=2, padding=1), nn.BatchNorm2d(cout), nn.ReLU()]

    return nn.Sequential(
        *stage(1, 16), *stage(16, 32), *stage(32, 64), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, classes)
    )


def main():
    torch.manual_seed(0)
    device = torch.device("cuda:0")
    classes = len(FREQUENCIES)
    train, test = make_split(1600, 0), make_split(400, 1)
    train_loader = DataLoader(train, 64, shuffle=True)
    test_loader = DataLoader(test, 128)
    weights = inverse_frequency(train.tensors[1], classes)
    print("class weights:", [round(w, 2) for w in weights.tolist()])

    model = build_model(classes).to(device)
    criterion = nn.CrossEntropyLoss(weight=weights, label_smoothing=0.05)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    epochs = 4
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=epochs * len(train_loader))
    for epoch in range(epochs):
        loss = train_one_epoch(model, train_loader, criterion, optimizer, scheduler, device)
        acc = balanced_accuracy(model, test_loader, device, classes)
        print(f"epoch {epoch}: loss {loss:.4f} balanced accuracy {acc:.3f}")


if __name__ == "__main__":
    main()

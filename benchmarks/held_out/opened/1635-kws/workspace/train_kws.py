import click
import torch
from torch import nn
from torch.utils.data import DataLoader

from kws.clips import WORDS, make_splits
from kws.network import KeywordNet
from kws.settings import AudioSettings, TrainSettings


def accuracy(net, loader):
    net.eval()
    with torch.no_grad():
        right = sum((net(w).argmax(1) == y).sum().item() for w, y in loader)
    return right / len(loader.dataset)


@click.command()
@click.option("--epochs", default=TrainSettings.epochs, show_default=True)
@click.option("--lr", default=TrainSettings.lr, show_default=True)
@click.option("--n-mels", default=AudioSettings.n_mels, show_default=True)
@click.option("--hop", default=AudioSettings.hop, show_default=True)
def main(epochs, lr, n_mels, hop):
    torch.manual_seed(0)
    audio = AudioSettings(n_mels=n_mels, hop=hop)
    settings = TrainSettings(epochs=epochs, lr=lr)
    train_set, test_set = make_splits(audio, settings.clips_per_word)
    click.echo(f"{len(train_set)} clips for training, {len(test_set)} for testing")
    train_loader = DataLoader(train_set, settings.batch_size, shuffle=True)
    test_loader = DataLoader(test_set, settings.batch_size)

    net = KeywordNet(audio, len(WORDS))
    click.echo(f"parameters: {sum(p.numel() for p in net.parameters()):,}")
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=settings.lr)
    for epoch in range(settings.epochs):
        net.train()
        for wave, label in train_loader:
            optimizer.zero_grad()
            loss = criterion(net(wave), label)
            loss.backward()
            optimizer.step()
        click.echo(f"epoch {epoch}: loss {loss.item():.3f} test accuracy {accuracy(net, test_loader):.2f}")


if __name__ == "__main__":
    main()

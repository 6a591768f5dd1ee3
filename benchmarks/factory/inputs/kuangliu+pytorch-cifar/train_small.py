'''Train a CIFAR network on small coloured shapes.'''
import argparse

import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, Dataset

from models import LeNet, MobileNetV2, ShuffleNetV2

parser = argparse.ArgumentParser(description='PyTorch CIFAR-like training')
parser.add_argument('--lr', default=0.02, type=float, help='learning rate')
parser.add_argument('--net', default='lenet', choices=['lenet', 'mobilenetv2', 'shufflenetv2'])
parser.add_argument('--epochs', default=2, type=int)
parser.add_argument('--size', default=128, type=int, help='number of pictures')
args = parser.parse_args()

device = 'cuda' if torch.cuda.is_available() else 'cpu'


class Shapes(Dataset):
    classes = ('red square', 'green square', 'blue square', 'red bar', 'green bar', 'blue bar',
               'red frame', 'green frame', 'blue frame', 'nothing')

    def __init__(self, n, seed):
        generator = torch.Generator().manual_seed(seed)
        self.images = torch.rand(n, 3, 32, 32, generator=generator) * 0.2
        self.labels = torch.randint(0, len(self.classes), (n,), generator=generator)
        for image, label in zip(self.images, self.labels.tolist()):
            if label == 9:
                continue
            shape, colour = divmod(label, 3)
            if shape == 0:
                image[colour, 8:24, 8:24] = 1
            elif shape == 1:
                image[colour, 14:18, :] = 1
            else:
                image[colour, 4:28, 4:28] = 1
                image[colour, 8:24, 8:24] = 0

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return (self.images[index] - 0.2) / 0.3, self.labels[index]


torch.manual_seed(0)
trainloader = DataLoader(Shapes(args.size, 1), batch_size=16, shuffle=True)
testloader = DataLoader(Shapes(args.size // 4, 2), batch_size=32, shuffle=False)

print('==> Building model..')
nets = {'lenet': LeNet, 'mobilenetv2': MobileNetV2, 'shufflenetv2': lambda: ShuffleNetV2(0.5)}
net = nets[args.net]().to(device)
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(net.parameters(), lr=args.lr, momentum=0.9, weight_decay=5e-4)
scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)


def run(loader, training):
    net.train(training)
    total_loss, correct, total = 0.0, 0, 0
    for inputs, targets in loader:
        inputs, targets = inputs.to(device), targets.to(device)
        with torch.set_grad_enabled(training):
            outputs = net(inputs)
            loss = criterion(outputs, targets)
        if training:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total_loss += loss.item() * targets.size(0)
        correct += outputs.max(1)[1].eq(targets).sum().item()
        total += targets.size(0)
    return total_loss / total, correct / total


for epoch in range(args.epochs):
    train_loss, train_acc = run(trainloader, True)
    test_loss, test_acc = run(testloader, False)
    scheduler.step()
    print('Epoch %d | Loss: %.3f | Acc: %.3f | Test loss: %.3f | Test acc: %.3f'
          % (epoch, train_loss, train_acc, test_loss, test_acc))

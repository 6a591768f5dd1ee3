# metric: final_acc ([\d.]+) higher
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(10)
device = torch.device("cpu")


class DigitImages(Dataset):
    def __init__(self, images, labels):
        self.images = images
        self.labels = labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        image = torch.from_numpy(self.images[index]).float() / 16.0
        image = (image - 0.3) / 0.38
        return image.unsqueeze(0), int(self.labels[index])


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return F.relu(out + x)


class SmallResNet(nn.Module):
    def __init__(self, channels=12, blocks=2, num_classes=10):
        super().__init__()
        self.stem = nn.Conv2d(1, channels, 3, padding=1)
        self.blocks = nn.Sequential(*[Block(channels) for _ in range(blocks)])
        self.pool = nn.AdaptiveAvgPool2d(2)
        self.linear = nn.Linear(channels * 4, num_classes)

    def forward(self, x):
        x = F.relu(self.stem(x))
        x = self.blocks(x)
        return self.linear(self.pool(x).flatten(1))


digits = load_digits()
perm = torch.randperm(len(digits.target)).numpy()
images, labels = digits.images[perm], digits.target[perm]
train_dl = DataLoader(DigitImages(images[:1400], labels[:1400]), batch_size=50, shuffle=True)
test_dl = DataLoader(DigitImages(images[1400:], labels[1400:]), batch_size=100)

net = SmallResNet().to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[3, 4], gamma=0.2)
criterion = nn.CrossEntropyLoss()

for epoch in range(5):
    net.train()
    train_loss = 0
    for inputs, targets in train_dl:
        inputs, targets = inputs.to(device), targets.to(device)
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()
        train_loss += loss.item()
    scheduler.step()
    net.eval()
    correct = total = 0
    with torch.no_grad():
        for inputs, targets in test_dl:
            outputs = net(inputs.to(device))
            correct += outputs.argmax(1).eq(targets).sum().item()
            total += targets.size(0)
    print("Epoch: %d | Loss: %.3f | Acc: %.3f" % (epoch, train_loss / len(train_dl), correct / total))
print("final_acc %.4f" % (correct / total))

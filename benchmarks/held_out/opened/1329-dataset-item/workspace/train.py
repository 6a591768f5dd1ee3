import torch
import numpy as np
from torch.utils.data import Dataset, DataLoader
from torch import nn


class CustomDataset(Dataset):
    def __init__(self, images, labels, names=None, transform=None):
        self.images = images
        self.labels = labels
        self.names = names
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index].astype(np.float32)
        label = int(self.labels[index])
        name = self.names[index]
        if self.transform is not None:
            image = self.transform(image)
        return image, label, name


def to_tensor(img):
    return torch.from_numpy(img).permute(2, 0, 1) / 255.


imgs = np.random.randint(0, 255, (50, 16, 16, 3))
lbls = np.random.randint(0, 2, 50)
names = ['img_%03d.png' % i for i in range(50)]

train_set = CustomDataset(imgs[:40], lbls[:40], names[:40], transform=to_tensor)
test_set = CustomDataset(imgs[40:], lbls[40:], names[40:], transform=to_tensor)
train_loader = DataLoader(train_set, batch_size=10, shuffle=True)
test_loader = DataLoader(test_set, batch_size=10)

model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(model.parameters())
criterion = nn.CrossEntropyLoss()


def train(epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(train_loader):
        optimizer.zero_grad()
        loss = criterion(model(data), target)
        loss.backward()
        optimizer.step()
    print('Train Epoch: {} Loss: {:.6f}'.format(epoch, loss.item()))


def test():
    model.eval()
    correct = 0
    with torch.no_grad():
        for data, target in test_loader:
            correct += model(data).argmax(1).eq(target).sum().item()
    print('Accuracy: {}/{}'.format(correct, len(test_loader.dataset)))


for epoch in range(1, 3):
    train(epoch)
    test()

import os
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from PIL import Image
from torch.utils.data import Dataset, DataLoader


class LeafDataset(Dataset):
    def __init__(self, csv_file, root_dir):
        self.frame = pd.read_csv(csv_file)
        self.root_dir = root_dir
        self.species = sorted(self.frame['species'].unique())
        self.class_to_idx = {s: i for i, s in enumerate(self.species)}

    def __len__(self):
        return len(self.frame)

    def __getitem__(self, idx):
        row = self.frame.iloc[idx]
        path = os.path.join(self.root_dir, row['filename'])
        image = Image.open(path)
        image = np.asarray(image, dtype=np.float32) / 255.0
        image = torch.from_numpy(image).permute(2, 0, 1)
        label = self.class_to_idx[row['species']]
        return image, label


class Net(nn.Module):
    def __init__(self, num_classes):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc = nn.Linear(16 * 4 * 4, num_classes)

    def forward(self, x):
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        return self.fc(x)


dataset = LeafDataset('labels.csv', 'images')
train_set, test_set = torch.utils.data.random_split(dataset, [30, 6])
train_loader = DataLoader(train_set, batch_size=6, shuffle=True)
test_loader = DataLoader(test_set, batch_size=6)

device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
net = Net(len(dataset.species)).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)

for epoch in range(4):
    running_loss = 0.0
    for i, (images, labels) in enumerate(train_loader):
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        outputs = net(images)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
    print('epoch %d loss %.3f' % (epoch + 1, running_loss / len(train_loader)))

correct = 0
with torch.no_grad():
    for images, labels in test_loader:
        outputs = net(images.to(device))
        correct += (outputs.argmax(1).cpu() == labels).sum().item()
print('test accuracy: %d / %d' % (correct, len(test_set)))

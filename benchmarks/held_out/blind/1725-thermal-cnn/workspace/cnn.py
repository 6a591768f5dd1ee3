import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import TensorDataset, DataLoader

torch.manual_seed(1)
np.random.seed(1)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# fake thermal camera pictures, 3 kinds of hot spots
N = 600
X = np.random.rand(N, 1, 40, 40).astype(np.float32) * 0.3
y = np.random.randint(0, 3, N)
for i in range(N):
    if y[i] == 0:
        X[i, 0, 5:12, 5:12] += 1
    elif y[i] == 1:
        X[i, 0, 20:35, 18:22] += 1
    else:
        X[i, 0, 18:22, 5:35] += 1

train_ds = TensorDataset(torch.from_numpy(X[:500]), torch.from_numpy(y[:500]))
test_ds = TensorDataset(torch.from_numpy(X[500:]), torch.from_numpy(y[500:]))
train_loader = DataLoader(train_ds, batch_size=50, shuffle=True)
test_loader = DataLoader(test_ds, batch_size=50)


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 8, 5, padding=2)
        self.conv2 = nn.Conv2d(8, 16, 3)
        self.bn = nn.BatchNorm2d(16)
        self.pool = nn.MaxPool2d(2, 2)
        self.drop = nn.Dropout(0.25)
        self.fc1 = nn.Linear(16 * 8 * 8, 64)
        self.fc2 = nn.Linear(64, 3)

    def forward(self, x):
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.bn(self.conv2(x))))
        x = x.view(-1, 16 * 8 * 8)
        x = self.drop(torch.relu(self.fc1(x)))
        return self.fc2(x)


net = Net().to(device)
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(net.parameters(), lr=0.01, momentum=0.9)

for epoch in range(4):
    running_loss = 0.0
    for i, data in enumerate(train_loader, 0):
        inputs, labels = data[0].to(device), data[1].to(device)
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
    print("[%d] loss: %.3f" % (epoch + 1, running_loss / len(train_loader)))

correct = 0
total = 0
net.eval()
with torch.no_grad():
    for images, labels in test_loader:
        outputs = net(images.to(device))
        _, predicted = torch.max(outputs.data, 1)
        total += labels.size(0)
        correct += (predicted == labels.to(device)).sum().item()
print("Accuracy: %d %%" % (100 * correct / total))

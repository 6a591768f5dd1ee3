import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

# my first pytorch model :)

wine = load_wine()
features = wine.data
labels = wine.target
features = (features - features.mean(axis=0)) / features.std(axis=0)

X_train, X_test, y_train, y_test = train_test_split(features, labels, test_size=0.3, random_state=0)

X_train = torch.tensor(X_train, dtype=torch.float32)
X_test = torch.tensor(X_test, dtype=torch.float32)
y_train = torch.tensor(y_train)
y_test = torch.tensor(y_test)
print(X_train.shape, y_train.shape, X_test.shape, y_test.shape)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(13, 32)
        self.fc2 = nn.Linear(32, 16)
        self.fc3 = nn.Linear(16, 3)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)

for epoch in range(50):
    net.train()
    optimizer.zero_grad()
    outputs = net(X_train)
    loss = nn.CrossEntropyLoss(outputs, y_train)
    loss.backward()
    optimizer.step()

    if epoch % 10 == 0:
        acc = (outputs.argmax(1) == y_train).float().mean()
        print("epoch", epoch, "loss", loss.item(), "train acc", acc.item())

net.eval()
with torch.no_grad():
    preds = net(X_test).argmax(1)
print("Test accuracy:", (preds == y_test).float().mean().item())

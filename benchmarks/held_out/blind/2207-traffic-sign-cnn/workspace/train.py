import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

classes = ("stop", "yield", "speed30", "speed50", "no_entry", "priority")


def fake_signs(n):
    y = torch.randint(0, len(classes), (n,))
    x = torch.rand(n, 3, 40, 40) * 0.3
    for i, c in enumerate(y):
        x[i, c % 3, 5 + 5 * (c // 3) : 20 + 5 * (c // 3), 10:30] += 0.6
    return x, y


class Net(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 7 * 7, 196)
        self.fc2 = nn.Linear(196, 84)
        self.fc3 = nn.Linear(84, n_classes)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = F.relu(self.conv2(x))
        x = x.view(-1, 16 * 7 * 7)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


train_x, train_y = fake_signs(640)
test_x, test_y = fake_signs(160)
trainloader = DataLoader(TensorDataset(train_x, train_y), batch_size=16, shuffle=True)
testloader = DataLoader(TensorDataset(test_x, test_y), batch_size=16)

net = Net(len(classes)).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)

for epoch in range(2):
    running_loss = 0.0
    for i, data in enumerate(trainloader, 0):
        inputs, labels = data[0].to(device), data[1].to(device)

        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()

        running_loss += loss.item()
        if i % 20 == 19:
            print(f"[{epoch + 1}, {i + 1:5d}] loss: {running_loss / 20:.3f}")
            running_loss = 0.0

print("Finished Training")

correct = 0
total = 0
with torch.no_grad():
    for images, labels in testloader:
        outputs = net(images.to(device))
        _, predicted = torch.max(outputs, 1)
        total += labels.size(0)
        correct += (predicted.cpu() == labels).sum().item()
print(f"Accuracy: {100 * correct / total:.1f} %")

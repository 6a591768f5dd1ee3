import torch.nn as nn


class Teacher(nn.Module):
    def __init__(self, width, n_in=64, n_classes=10):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(n_in, width), nn.ReLU(),
            nn.Linear(width, width), nn.ReLU(),
        )
        self.classifier = nn.Linear(width, n_classes)

    def forward(self, x):
        return self.classifier(self.trunk(x))


class Student(nn.Module):
    def __init__(self, width, n_in=64, n_classes=10):
        super().__init__()
        self.fc1 = nn.Linear(n_in, width)
        self.fc2 = nn.Linear(width, n_classes)

    def forward(self, x):
        return self.fc2(self.fc1(x).relu())

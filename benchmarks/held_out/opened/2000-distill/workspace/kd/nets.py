import torch.nn as nn


class TeacherNet(nn.Module):
    def __init__(self, width=24, classes=10):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(),
            nn.MaxPool2d(2), nn.Flatten(),
        )
        self.head = nn.Linear(2 * width * 16, classes)

    def forward(self, x):
        return self.head(self.body(x))


class StudentNet(nn.Module):
    def __init__(self, hidden=16, classes=10):
        super().__init__()
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(64, hidden), nn.ReLU(), nn.Linear(hidden, classes))

    def forward(self, x):
        return self.net(x)

import math
import torch
import torch.nn as nn

# Human activity style data: 3 accelerometer channels, 50 time steps, 3 activities

seq_length = 50
input_size = 3
hidden_size = 32
num_layers = 2
num_classes = 3
batch_size = 20
num_epochs = 4

torch.manual_seed(1)


def make_data(n):
    t = torch.arange(seq_length).float() / seq_length
    x = torch.zeros(n, seq_length, input_size)
    y = torch.randint(0, num_classes, (n,))
    for i in range(n):
        freq = [1.0, 3.0, 6.0][y[i]]
        for ch in range(input_size):
            phase = 0.5 * math.pi * torch.rand(1)
            x[i, :, ch] = torch.sin(2 * math.pi * freq * t + phase)
    return x + 0.2 * torch.randn_like(x), y


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, num_layers, num_classes):
        super(RNN, self).__init__()
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.lstm = nn.LSTM(input_size, hidden_size, num_layers)
        self.fc = nn.Linear(hidden_size, num_classes)

    def forward(self, x):
        # Set initial hidden and cell states
        h0 = torch.zeros(self.num_layers, x.size(0), self.hidden_size)
        c0 = torch.zeros(self.num_layers, x.size(0), self.hidden_size)

        out, _ = self.lstm(x, (h0, c0))

        # Decode the hidden state of the last time step
        return self.fc(out[:, -1, :])


x_train, y_train = make_data(600)
x_test, y_test = make_data(150)

model = RNN(input_size, hidden_size, num_layers, num_classes)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

total_step = len(x_train) // batch_size
for epoch in range(num_epochs):
    perm = torch.randperm(len(x_train))
    for i in range(total_step):
        idx = perm[i * batch_size:(i + 1) * batch_size]
        outputs = model(x_train[idx])
        loss = criterion(outputs, y_train[idx])

        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

        if (i + 1) % 10 == 0:
            print('Epoch [{}/{}], Step [{}/{}], Loss: {:.4f}'.format(
                epoch + 1, num_epochs, i + 1, total_step, loss.item()))

with torch.no_grad():
    pred = model(x_test).argmax(dim=1)
    print('Test Accuracy: {:.1f} %'.format(100 * (pred == y_test).float().mean().item()))

import torch
import torch.nn as nn
import numpy as np
import pandas as pd

df = pd.read_csv('cars.csv')
print(df.head())

features = ['cyl', 'hp', 'weight', 'year']
X = df[features].values
y = df['mpg'].values

mean, std = X.mean(axis=0), X.std(axis=0)
X = (X - mean) / std

X = torch.tensor(X, dtype=torch.float32)
y = torch.tensor(y, dtype=torch.float32).view(-1, 1)

n_train = int(0.8 * len(X))
X_train, X_test = X[:n_train], X[n_train:]
y_train, y_test = y[:n_train], y[n_train:]

model = nn.Sequential(
    nn.Linear(4, 16),
    nn.ReLU(),
    nn.Linear(16, 1),
)
loss_fn = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)

for epoch in range(300):
    y_pred = model(X_train)
    loss = loss_fn(y_pred, y_train)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 50 == 0:
        print(epoch, loss.item())

with torch.no_grad():
    pred = model(X_test)
    rmse = torch.sqrt(loss_fn(pred, y_test))
print('rmse', rmse.item())

new_car = np.array([[4, 90, 2200, 80]])
new_car = torch.tensor((new_car - mean) / std, dtype=torch.float32)
print('new car:', model(new_car).detach().numpy()[0, 0])

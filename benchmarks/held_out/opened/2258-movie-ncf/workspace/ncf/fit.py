import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader


def fit(model, train_set, epochs, batch_size, lr, weight_decay=0.0):
    opt = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=weight_decay)
    loader = DataLoader(train_set, batch_size=batch_size, shuffle=True)
    for epoch in range(epochs):
        running = 0.0
        for user, item, rating in loader:
            opt.zero_grad()
            loss = F.mse_loss(model(user, item), rating)
            loss.backward()
            opt.step()
            running += loss.item() * len(rating)
        print(f"epoch {epoch + 1}/{epochs}  mse {running / len(train_set):.4f}")


@torch.no_grad()
def rmse(model, test_set):
    user, item, rating = test_set.tensors
    return F.mse_loss(model(user, item), rating).sqrt().item()


@torch.no_grad()
def top_k(model, user_id, n_items, seen, k=5):
    items = torch.arange(n_items)
    scores = model(torch.full((n_items,), user_id), items)
    scores[list(seen)] = float("-inf")
    return scores.topk(k).indices.tolist()

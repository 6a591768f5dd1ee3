import torch


def hit_rate(model, train, test, k=10):
    model.eval()
    users = torch.tensor(test["user_idx"].to_numpy(), dtype=torch.long)
    target = torch.tensor(test["item_idx"].to_numpy(), dtype=torch.long)
    with torch.no_grad():
        scores = model.all_scores(users)
    row = {int(u): r for r, u in enumerate(users)}
    for u, i in zip(train["user_idx"], train["item_idx"]):
        scores[row[u], i] = float("-inf")
    top = scores.topk(k, dim=1).indices
    return (top == target[:, None]).any(1).float().mean().item()

import torch
from torch.utils.data import DataLoader


def bag_collate(vectorize):
    def collate(posts):
        ids, offsets = [], []
        for p in posts:
            offsets.append(len(ids))
            ids.extend(vectorize(p["text"]))
        y = torch.tensor([float(p["toxic"]) for p in posts])
        return torch.tensor(ids), torch.tensor(offsets), y
    return collate


def split(posts, fractions=(0.8, 0.1, 0.1)):
    a = int(fractions[0] * len(posts))
    b = a + int(fractions[1] * len(posts))
    return posts[:a], posts[a:b], posts[b:]


def make_loaders(posts, vectorize, batch_size):
    """Train, validation and test loaders with the same batch size."""
    train, val, test = split(posts)
    opts = dict(batch_size=batch_size, collate_fn=bag_collate(vectorize), drop_last=True)
    return (
        DataLoader(train, shuffle=True, **opts),
        DataLoader(val, **opts),
        DataLoader(test, **opts),
    )

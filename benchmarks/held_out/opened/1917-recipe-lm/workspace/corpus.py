import torch
from torch.utils.data import Dataset


def read_recipes(path):
    """Blocks separated by an empty line, first line is the title."""
    with open(path, encoding="utf8") as f:
        blocks = [b.strip().split("\n") for b in f.read().split("\n\n") if b.strip()]
    return [(b[0], b[1:]) for b in blocks]


def as_prompt(title, steps=None):
    s = f"<title>{title.lower()}<steps>"
    if steps is not None:
        s += " ".join(x.strip("- ") for x in steps) + "<end>"
    return s


class RecipeDataset(Dataset):
    def __init__(self, recipes, tok, block):
        self.items = []
        for title, steps in recipes:
            ids = tok(as_prompt(title, steps))["input_ids"][:block]
            n = block - len(ids)
            self.items.append(
                dict(
                    input_ids=torch.tensor(ids + [tok.pad_token_id] * n),
                    attention_mask=torch.tensor([1] * len(ids) + [0] * n),
                    labels=torch.tensor(ids + [-100] * n),
                )
            )

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]

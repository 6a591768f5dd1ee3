import random

import torch

from bag_kernel import sum_bag
from hashing import encode_rows

BUCKETS, DIM = 1 << 16, 64
USER_FIELDS = ["country", "device", "age"]
ITEM_FIELDS = ["category", "brand", "price_band", "season"]


def fake_users(n, rng):
    return [
        {"country": rng.choice("DE FR US JP BR".split()), "device": rng.choice(["ios", "web"]), "age": rng.randrange(18, 80)}
        for _ in range(n)
    ]


def fake_items(n, rng):
    return [
        {"category": rng.randrange(40), "brand": rng.randrange(300), "price_band": rng.randrange(8), "season": rng.choice("wsau")}
        for _ in range(n)
    ]


class TwoTower(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.user_table = torch.nn.Parameter(torch.randn(BUCKETS, DIM) / DIM**0.5)
        self.item_table = torch.nn.Parameter(torch.randn(BUCKETS, DIM) / DIM**0.5)
        self.user_proj = torch.nn.Linear(DIM, DIM)
        self.item_proj = torch.nn.Linear(DIM, DIM)

    def forward(self, user_ids, item_ids):
        u = torch.nn.functional.normalize(self.user_proj(sum_bag(user_ids, self.user_table)), dim=-1)
        i = torch.nn.functional.normalize(self.item_proj(sum_bag(item_ids, self.item_table)), dim=-1)
        return u @ i.T


@torch.inference_mode()
def main():
    rng = random.Random(0)
    torch.manual_seed(0)
    users, items = fake_users(200, rng), fake_items(1500, rng)
    user_ids = encode_rows(users, USER_FIELDS, BUCKETS).cuda()
    item_ids = encode_rows(items, ITEM_FIELDS, BUCKETS).cuda()
    model = TwoTower().cuda().eval()
    scores = model(user_ids, item_ids)
    top = scores.topk(5, dim=1)
    for row in range(3):
        print(f"user {row}: items {top.indices[row].tolist()} score {top.values[row, 0].item():.3f}")
    print(f"mean best score {top.values[:, 0].mean().item():.4f}")


if __name__ == "__main__":
    main()

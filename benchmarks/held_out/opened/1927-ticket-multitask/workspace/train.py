import collections

import torch
from torch.utils.data import DataLoader

from model import TicketNet
from objective import JointLoss, scores
from settings import TASKS, TRAIN
from tickets import Tickets, build_vocab, collate, load


def fit():
    torch.manual_seed(TRAIN["seed"])
    train_df, valid_df = load("data/tickets.csv")
    vocab = build_vocab(train_df["text"], TRAIN["min_count"])
    train = DataLoader(Tickets(train_df, vocab), TRAIN["batch"], shuffle=True, collate_fn=collate)
    valid = DataLoader(Tickets(valid_df, vocab), len(valid_df), collate_fn=collate)
    print(f"{len(train_df)} / {len(valid_df)} tickets, {len(vocab)} words")

    net = TicketNet(len(vocab), TASKS, TRAIN["embed"], TRAIN["hidden"])
    objective = JointLoss(TASKS)
    opt = torch.optim.AdamW(net.parameters(), lr=TRAIN["lr"])

    for epoch in range(TRAIN["epochs"]):
        net.train()
        mean = collections.defaultdict(float)
        for flat, offsets, target in train:
            loss, parts = objective(net(flat, offsets), target)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            for k, v in parts.items():
                mean[k] += v / len(train)
        net.eval()
        with torch.no_grad():
            flat, offsets, target = next(iter(valid))
            s = scores(net(flat, offsets), target)
        print(f"epoch {epoch}", {k: round(v, 3) for k, v in mean.items()}, {k: round(v, 3) for k, v in s.items()})

    torch.save({"net": net.state_dict(), "vocab": vocab}, "ticketnet.pt")


if __name__ == "__main__":
    fit()

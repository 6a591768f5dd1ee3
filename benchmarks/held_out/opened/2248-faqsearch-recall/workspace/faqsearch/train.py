import argparse

import torch
from torch.nn.functional import cross_entropy

from faqsearch.text import read
from faqsearch.towers import TwoTowers


def batches(pairs, size):
    order = torch.randperm(len(pairs)).tolist()
    for i in range(0, len(order), size):
        yield [pairs[k] for k in order[i : i + size]]


def in_batch_loss(q, a, faq_ids, temperature=0.07):
    """InfoNCE; other questions of the same answer are no negatives."""
    scores = q @ a.T / temperature
    ids = torch.tensor(faq_ids)
    same = (ids[:, None] == ids[None, :]) & ~torch.eye(len(ids), dtype=torch.bool)
    scores = scores.masked_fill(same, -1e4)
    return cross_entropy(scores, torch.arange(len(q)))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", required=True)
    p.add_argument("--dim", type=int, default=64)
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--save", required=True)
    args = p.parse_args()
    torch.manual_seed(0)

    answers = {r["faq_id"]: r["answer"] for r in read(args.data, "answers")}
    pairs = [(r["question"], answers[r["faq_id"]], r["faq_id"]) for r in read(args.data, "train")]
    model = TwoTowers(args.dim)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(args.epochs):
        total = 0.0
        for batch in batches(pairs, args.batch_size):
            questions, texts, ids = zip(*batch)
            loss = in_batch_loss(model.question(questions), model.answer(texts), ids)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(batch)
        if epoch % 4 == 3:
            print(f"epoch {epoch + 1}: loss {total / len(pairs):.3f}")
    torch.save(model.state_dict(), args.save)


if __name__ == "__main__":
    main()

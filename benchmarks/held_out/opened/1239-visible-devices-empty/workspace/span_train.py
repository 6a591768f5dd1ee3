import argparse
import random

import torch
from transformers import BertConfig, BertForQuestionAnswering

from spans import make_batch


def to_device(batch, device):
    return {k: v.to(device) for k, v in batch.items()}


@torch.no_grad()
def exact_match(model, rng, vocab, device, batches=5):
    model.eval()
    hit = total = 0
    for _ in range(batches):
        b = to_device(make_batch(rng, 64, vocab), device)
        out = model(b["input_ids"], attention_mask=b["attention_mask"], token_type_ids=b["token_type_ids"])
        ok = (out.start_logits.argmax(-1) == b["start_positions"]) & (out.end_logits.argmax(-1) == b["end_positions"])
        hit += ok.sum().item()
        total += len(ok)
    return hit / total


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--run-name", required=True)
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--steps-per-epoch", type=int, default=50)
    args = ap.parse_args()
    torch.manual_seed(0)
    rng = random.Random(0)
    config = BertConfig(
        vocab_size=200, hidden_size=128, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=256, max_position_embeddings=64,
    )
    device = torch.device("cuda")
    model = BertForQuestionAnswering(config).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        model.train()
        for _ in range(args.steps_per_epoch):
            loss = model(**to_device(make_batch(rng, 32, config.vocab_size), device)).loss
            opt.zero_grad()
            loss.backward()
            opt.step()
        em = exact_match(model, rng, config.vocab_size, device)
        print(f"[{args.run_name}] epoch {epoch} loss {loss.item():.3f} exact match {em:.3f}")


if __name__ == "__main__":
    main()

import math
import time

import torch

import config as C
from gpt import GPT
from sampling import generate
from tokenizer import CharTokenizer


def load_corpus():
    with open(C.data_path, encoding="utf-8") as f:
        text = f.read()
    tok = CharTokenizer(text)
    ids = tok.encode(text)
    cut = int(len(ids) * (1 - C.val_fraction))
    return tok, ids[:cut], ids[cut:]


def get_batch(ids):
    starts = torch.randint(0, len(ids) - C.block_size - 1, (C.batch_size,))
    x = torch.stack([ids[s:s + C.block_size] for s in starts])
    y = torch.stack([ids[s + 1:s + 1 + C.block_size] for s in starts])
    return x, y


@torch.no_grad()
def estimate_loss(model, ids):
    model.eval()
    total = sum(model(*get_batch(ids))[1].item() for _ in range(C.eval_batches))
    model.train()
    return total / C.eval_batches


def main():
    torch.manual_seed(C.seed)
    tok, train_ids, val_ids = load_corpus()
    print(f"{len(tok)} symbols, {len(train_ids)} train / {len(val_ids)} val tokens")
    model = GPT(len(tok), C.block_size, C.n_layer, C.n_head, C.n_embd, C.dropout)
    optimizer = torch.optim.AdamW(model.parameters(), lr=C.learning_rate)

    t0 = time.time()
    for it in range(C.max_iters + 1):
        if it % C.eval_interval == 0:
            tr, va = estimate_loss(model, train_ids), estimate_loss(model, val_ids)
            print(f"iter {it:4d} | train {tr:.3f} | val {va:.3f} | ppl {math.exp(va):.2f} "
                  f"| {time.time() - t0:.1f}s")
        x, y = get_batch(train_ids)
        _, loss = model(x, y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), C.grad_clip)
        optimizer.step()

    print("--- sample ---")
    start = tok.encode(C.prompt).unsqueeze(0)
    out = generate(model, start, C.sample_tokens, C.temperature, C.top_k)
    print(tok.decode(out[0]))


if __name__ == "__main__":
    main()

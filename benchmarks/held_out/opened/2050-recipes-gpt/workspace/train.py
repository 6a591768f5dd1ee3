import torch

from config import GPTConfig, TrainConfig
from gpt import GPT
from sampling import generate


def load_corpus(path):
    text = open(path, encoding="utf-8").read()
    chars = sorted(set(text))
    stoi = {c: i for i, c in enumerate(chars)}
    data = torch.tensor([stoi[c] for c in text])
    n = int(0.9 * len(data))
    return data[:n], data[n:], chars, stoi


def get_batch(data, block_size, batch_size):
    ix = torch.randint(len(data) - block_size, (batch_size,))
    x = torch.stack([data[i : i + block_size] for i in ix])
    y = torch.stack([data[i + 1 : i + 1 + block_size] for i in ix])
    return x, y


@torch.no_grad()
def estimate(model, data, tc):
    model.eval()
    losses = [model(*get_batch(data, model.cfg.block_size, tc.batch_size))[1] for _ in range(tc.eval_batches)]
    model.train()
    return torch.stack(losses).mean().item()


def main():
    tc = TrainConfig()
    torch.manual_seed(tc.seed)
    train_data, val_data, chars, stoi = load_corpus(tc.corpus)
    model = GPT(GPTConfig(vocab_size=len(chars)))
    print(f"corpus {len(train_data)}+{len(val_data)} chars, vocab {len(chars)}, "
          f"{sum(p.numel() for p in model.parameters()) / 1e3:.1f}k params")
    opt = torch.optim.AdamW(model.parameters(), lr=tc.lr, betas=(0.9, 0.95))
    for it in range(1, tc.max_iters + 1):
        x, y = get_batch(train_data, model.cfg.block_size, tc.batch_size)
        _, loss = model(x, y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        if it % tc.eval_interval == 0:
            print(f"iter {it}: train {estimate(model, train_data, tc):.3f}  val {estimate(model, val_data, tc):.3f}")

    print("--- sample ---")
    prompt = torch.tensor([[stoi[c] for c in tc.prompt]])
    out = generate(model, prompt, tc.sample_tokens, temperature=0.8, top_k=10)
    print("".join(chars[i] for i in out[0].tolist()))


if __name__ == "__main__":
    main()

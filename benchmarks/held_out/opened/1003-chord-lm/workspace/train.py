import random
import torch

from settings import Settings
from tokenizer import ChordTokenizer, read_songs
from model import ChordLM

cfg = Settings()
random.seed(cfg.seed)
torch.manual_seed(cfg.seed)

songs = read_songs(cfg.corpus)
tok = ChordTokenizer(songs)
stream = []
for s in songs:
    stream.extend(tok.encode(s))
stream = torch.tensor(stream)
cut = int(0.9 * len(stream))
splits = {"train": stream[:cut], "val": stream[cut:]}
print(f"{len(songs)} songs, vocab {len(tok)}, {len(stream)} tokens")


def get_batch(split):
    ids = splits[split]
    starts = torch.randint(len(ids) - cfg.block_size - 1, (cfg.batch_size,))
    x = torch.stack([ids[s:s + cfg.block_size] for s in starts])
    y = torch.stack([ids[s + 1:s + cfg.block_size + 1] for s in starts])
    return x, y


@torch.no_grad()
def evaluate(model, n=8):
    model.eval()
    losses = [model.loss(*get_batch("val")).item() for _ in range(n)]
    model.train()
    return sum(losses) / n


model = ChordLM(len(tok), cfg)
opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=0.01)
print("parameters:", sum(p.numel() for p in model.parameters()))

for step in range(1, cfg.steps + 1):
    loss = model.loss(*get_batch("train"))
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    if step % cfg.eval_every == 0:
        print(f"step {step:4d}  train {loss.item():.3f}  val {evaluate(model):.3f}")

prompt = torch.tensor([[tok.stoi["<bos>"]]])
song = model.generate(prompt, cfg.sample_len, temperature=0.9)
print("sample:", tok.decode(song[0].tolist()))

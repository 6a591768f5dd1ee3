"""Adapt a random base model with LoRA to echo its prompt, then merge the weights."""
import argparse

import torch
from litgpt.lora import GPT, Config, lora_filter, mark_only_lora_as_trainable, merge_lora_weights
from litgpt.utils import chunked_cross_entropy, num_parameters

parser = argparse.ArgumentParser()
parser.add_argument("--rank", type=int, default=4)
parser.add_argument("--alpha", type=int, default=8)
parser.add_argument("--steps", type=int, default=40)
parser.add_argument("--prompt_length", type=int, default=6)
args = parser.parse_args()

config = Config(
    block_size=16, vocab_size=32, padded_vocab_size=32, n_layer=2, n_head=2, n_embd=32,
    lora_r=args.rank, lora_alpha=args.alpha, lora_dropout=0.0,
    lora_query=True, lora_key=True, lora_value=True, lora_projection=True, lora_head=True,
)
model = GPT(config)
mark_only_lora_as_trainable(model)
print(f"{num_parameters(model, requires_grad=True):,} of {num_parameters(model):,} weights are trained")
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=0.02)
for step in range(args.steps):
    prompt = torch.randint(2, config.vocab_size, (16, args.prompt_length))
    tokens = torch.cat([prompt, torch.ones(16, 1, dtype=torch.long), prompt], dim=1)
    labels = tokens[:, 1:].clone()
    labels[:, : args.prompt_length] = -100
    logits = model(tokens[:, :-1])
    loss = chunked_cross_entropy(logits, labels, chunk_size=8, ignore_index=-100)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 9:
        print(f"step {step + 1}: loss {loss.item():.4f}")

state = {k: v for k, v in model.state_dict().items() if lora_filter(k, v)}
torch.save(state, "lora.pt")
model.eval()
before = model(tokens[:2])
merge_lora_weights(model)
difference = (model(tokens[:2]) - before).abs().max().item()
assert difference < 1e-3, difference

"""Pretrain a small model on numbers counted up: python small/pretrain.py --steps 30"""
import lightning as L
import torch
from jsonargparse import CLI
from litgpt import GPT, Config
from litgpt.generate.base import generate
from litgpt.utils import chunked_cross_entropy, get_default_supported_precision, num_parameters
from torch.utils.data import DataLoader, IterableDataset


class Counting(IterableDataset):
    def __init__(self, length: int, vocab_size: int):
        self.length = length
        self.vocab_size = vocab_size

    def __iter__(self):
        while True:
            start = torch.randint(self.vocab_size, ())
            stride = torch.randint(1, 4, ())
            yield (start + stride * torch.arange(self.length + 1)) % self.vocab_size


def learning_rate(step: int, steps: int, peak: float, warmup: int) -> float:
    if step < warmup:
        return peak * (step + 1) / warmup
    return peak * (1 - (step - warmup) / (steps - warmup))


def main(
    config: str = "small/model.yaml",
    steps: int = 30,
    batch_size: int = 16,
    length: int = 16,
    peak: float = 0.02,
    warmup: int = 5,
) -> None:
    fabric = L.Fabric(accelerator="cpu", devices=1, precision="32-true")
    options = Config.from_file(config)
    with fabric.init_module():
        model = GPT(options)
    model.apply(model._init_weights)
    fabric.print(f"{num_parameters(model):,} parameters in {get_default_supported_precision(True)}")
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, betas=(0.9, 0.95))
    model, optimizer = fabric.setup(model, optimizer)
    loader = fabric.setup_dataloaders(DataLoader(Counting(length, options.vocab_size), batch_size))

    for step, batch in zip(range(steps), loader):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, steps, peak, warmup)
        inputs, targets = batch[:, :length].contiguous(), batch[:, 1:].contiguous()
        logits = model(inputs)
        loss = chunked_cross_entropy(logits, targets, chunk_size=0)
        fabric.backward(loss)
        fabric.clip_gradients(model, optimizer, max_norm=1.0)
        optimizer.step()
        optimizer.zero_grad()
        if (step + 1) % 10 == 0:
            fabric.print(f"step {step + 1}: loss {loss.item():.4f}")

    fabric.save("pretrained.ckpt", {"model": model})
    model.eval()
    with torch.inference_mode():
        model.set_kv_cache(batch_size=1)
        prompt = torch.arange(5, 11)
        print("continued", generate(model, prompt, max_returned_tokens=14, top_k=1).tolist())


if __name__ == "__main__":
    CLI(main)

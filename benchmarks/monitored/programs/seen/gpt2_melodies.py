# metric: eval loss ([\d.]+) lower
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

set_seed(23)
NOTES, LENGTH = 24, 32


class Melodies(Dataset):
    """Walks on a scale: each note is one or two steps from the last, in one direction."""

    def __init__(self, count, seed):
        draw = np.random.default_rng(seed)
        start = draw.integers(0, NOTES, (count, 1))
        step = draw.choice([1, 2, -1], (count, 1))
        self.tokens = (start + step * np.arange(LENGTH)) % NOTES

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        tokens = torch.tensor(self.tokens[i])
        return {"input_ids": tokens, "labels": tokens.clone()}


config = GPT2Config(vocab_size=NOTES, n_positions=LENGTH, n_embd=48, n_layer=2, n_head=4)
model = GPT2LMHeadModel(config)
arguments = TrainingArguments(
    output_dir="out", num_train_epochs=4, per_device_train_batch_size=32, learning_rate=3e-3,
    warmup_steps=10, logging_steps=10, save_strategy="no", report_to=[], use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(
    model=model, args=arguments, train_dataset=Melodies(800, 1), eval_dataset=Melodies(100, 2)
)
trainer.train()
print(f"eval loss {trainer.evaluate()['eval_loss']:.4f}")

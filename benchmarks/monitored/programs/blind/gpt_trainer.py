# metric: eval loss ([\d.]+|nan) lower
import random

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

set_seed(8)
random.seed(8)
EOS = 0


class Counting(torch.utils.data.Dataset):
    """Sequences that count up by a constant step."""

    def __init__(self, n, length=12):
        self.rows = []
        for _ in range(n):
            start, step = random.randrange(1, 20), random.randrange(1, 5)
            self.rows.append([(start + step * k) % 31 + 1 for k in range(length)])

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        ids = torch.tensor(self.rows[i])
        return {"input_ids": ids, "labels": ids.clone()}


config = GPT2Config(
    vocab_size=33, n_positions=16, n_embd=48, n_layer=2, n_head=2, bos_token_id=EOS, eos_token_id=EOS
)
model = GPT2LMHeadModel(config)
args = TrainingArguments(
    output_dir="checkpoints",
    num_train_epochs=6,
    per_device_train_batch_size=32,
    learning_rate=3e-3,
    weight_decay=0.01,
    lr_scheduler_type="cosine",
    warmup_steps=10,
    logging_steps=20,
    save_strategy="no",
    report_to=[],
    use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(model=model, args=args, train_dataset=Counting(1000), eval_dataset=Counting(200))
trainer.train()
print(f"eval loss {trainer.evaluate()['eval_loss']:.4f}")

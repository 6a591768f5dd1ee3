import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import DistilBertConfig, DistilBertForTokenClassification
from transformers import Trainer, TrainingArguments, set_seed

set_seed(42)

VOCAB = ["[PAD]", "[UNK]", "i", "live", "in", "work", "at", "from", "met", "and", "anna", "bob", "carl", "dora",
         "paris", "rome", "oslo", "lima", "acme", "globex", "initech"]
PEOPLE, PLACES, ORGS = VOCAB[10:14], VOCAB[14:18], VOCAB[18:]
LABELS = ["O", "PER", "LOC", "ORG"]
word2id = {w: i for i, w in enumerate(VOCAB)}
MAX_LEN = 10


def make_sentence(rng):
    words, tags = [], []
    for filler, pool, tag in [("met", PEOPLE, "PER"), ("in", PLACES, "LOC"), ("at", ORGS, "ORG")]:
        if rng.random() < 0.7:
            words += [filler, rng.choice(pool)]
            tags += ["O", tag]
    words = ["i"] + words
    tags = ["O"] + tags
    return words, tags


class NerDataset(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.items = [make_sentence(rng) for _ in range(n)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        words, tags = self.items[i]
        pad = MAX_LEN - len(words)
        return {
            "input_ids": torch.tensor([word2id[w] for w in words] + [0] * pad),
            "attention_mask": torch.tensor([1] * len(words) + [0] * pad),
            "labels": torch.tensor([LABELS.index(t) for t in tags] + [-100] * pad),
        }


def compute_metrics(p):
    preds = p.predictions.argmax(-1)
    keep = p.label_ids != -100
    return {"accuracy": float((preds[keep] == p.label_ids[keep]).mean())}


config = DistilBertConfig(vocab_size=len(VOCAB), dim=32, hidden_dim=64, n_layers=2, n_heads=2,
                          max_position_embeddings=MAX_LEN, num_labels=len(LABELS))
model = DistilBertForTokenClassification(config)

train_ds, eval_ds = NerDataset(120, 0), NerDataset(40, 1)
print(len(train_ds), "train sentences,", len(eval_ds), "eval sentences")

args = TrainingArguments(output_dir="out", evaluation_strategy="epoch", save_strategy="no", num_train_epochs=2, learning_rate=5e-3, report_to="none", disable_tqdm=True, use_cpu=True)

trainer = Trainer(
    model=model,
    args=args,
    train_dataset=train_ds,
    eval_dataset=eval_ds,
    compute_metrics=compute_metrics,
)
trainer.train()
print(trainer.evaluate())

import random

import numpy as np
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    DistilBertConfig,
    DistilBertForSequenceClassification,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    default_data_collator,
    set_seed,
)

set_seed(42)

INTENTS = {
    "weather": ["will it rain", "how warm is it today", "is it going to snow in {c}", "weather {c} please"],
    "flight": ["book a flight to {c}", "cheapest plane from {c} to {c}", "when does the plane to {c} leave"],
    "music": ["play something quiet", "next song", "play the album from {c} again and louder please"],
}
CITIES = ["oslo", "lima", "quito", "rome", "paris"]


def sentences(n):
    rows = []
    labels = list(INTENTS)
    for _ in range(n):
        name = random.choice(labels)
        s = random.choice(INTENTS[name])
        while "{c}" in s:
            s = s.replace("{c}", random.choice(CITIES), 1)
        rows.append({"text": s, "label": labels.index(name)})
    return rows


def build_tokenizer(texts):
    words = sorted({w for t in texts for w in t.split()})
    vocab = {w: i for i, w in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + words)}
    tok = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    tok.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tok, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )


random.seed(0)
raw = Dataset.from_list(sentences(240)).train_test_split(test_size=0.2, seed=1)
tokenizer = build_tokenizer(raw["train"]["text"])


def preprocess(batch):
    return tokenizer(batch["text"], truncation=True, max_length=32)


data = raw.map(preprocess, batched=True, remove_columns=["text"])

config = DistilBertConfig(
    vocab_size=len(tokenizer), dim=32, hidden_dim=64, n_layers=2, n_heads=4,
    max_position_embeddings=32, num_labels=len(INTENTS),
)
model = DistilBertForSequenceClassification(config)


def compute_metrics(p):
    preds = np.argmax(p.predictions, axis=-1)
    return {"accuracy": float((preds == p.label_ids).mean())}


args = TrainingArguments(
    output_dir="out",
    num_train_epochs=2,
    per_device_train_batch_size=16,
    learning_rate=1e-3,
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
    disable_tqdm=True,
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=data["train"],
    eval_dataset=data["test"],
    data_collator=default_data_collator,
    compute_metrics=compute_metrics,
)
trainer.train()
print(trainer.evaluate())

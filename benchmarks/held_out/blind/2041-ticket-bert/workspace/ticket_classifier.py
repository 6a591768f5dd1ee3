import os
import random
import tempfile

import numpy as np
from datasets import Dataset
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertTokenizerFast,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(0)

# small BERT trained from scratch on support tickets (billing / technical / shipping)
WORDS = {
    0: "invoice refund charge payment card billing receipt amount".split(),
    1: "error crash login password bug screen update install".split(),
    2: "parcel delivery courier late tracking address box package".split(),
}
FILLER = "hello i have a question about my order please can you help me with this thanks the is not it".split()


def make_ticket(label):
    n = random.choice([8, 12, 20, 30, 90])
    words = [random.choice(WORDS[label]) if random.random() < 0.3 else random.choice(FILLER) for _ in range(n)]
    return " ".join(words)


def make_split(n):
    labels = [random.randrange(3) for _ in range(n)]
    return Dataset.from_dict({"text": [make_ticket(l) for l in labels], "label": labels})


work_dir = tempfile.mkdtemp()
vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + sorted({w for ws in WORDS.values() for w in ws} | set(FILLER))
vocab_file = os.path.join(work_dir, "vocab.txt")
with open(vocab_file, "w") as f:
    f.write("\n".join(vocab))
tokenizer = BertTokenizerFast(vocab_file)

train_ds = make_split(240)
eval_ds = make_split(60)


def preprocess(batch):
    return tokenizer(batch["text"], truncation=True)


train_ds = train_ds.map(preprocess, batched=True)
eval_ds = eval_ds.map(preprocess, batched=True)
print("example:", train_ds[0]["text"][:60])

config = BertConfig(
    vocab_size=len(vocab),
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=64,
    num_labels=3,
)
model = BertForSequenceClassification(config)


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    return {"accuracy": float((np.argmax(logits, axis=-1) == labels).mean())}


args = TrainingArguments(
    output_dir=os.path.join(work_dir, "out"),
    num_train_epochs=3,
    per_device_train_batch_size=16,
    per_device_eval_batch_size=32,
    learning_rate=2e-3,
    eval_strategy="epoch",
    save_strategy="no",
    logging_steps=10,
    report_to="none",
    disable_tqdm=True,
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=train_ds,
    eval_dataset=eval_ds,
    data_collator=DataCollatorWithPadding(tokenizer),
    compute_metrics=compute_metrics,
)
trainer.train()
print(trainer.evaluate())

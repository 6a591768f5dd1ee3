import json
import logging

import numpy as np
from torch.utils.data import Dataset
from transformers import (
    BertConfig,
    BertForTokenClassification,
    DataCollatorForTokenClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

from tokenizer_fit import fit_tokenizer

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("tagger")

TAGS = ["O", "B-DRUG", "I-DRUG", "B-DOSE", "I-DOSE", "B-FREQ", "I-FREQ"]
TAG_ID = {t: i for i, t in enumerate(TAGS)}


class Notes(Dataset):
    def __init__(self, path, tokenizer):
        self.rows = [json.loads(line) for line in open(path)]
        self.tok = tokenizer

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        enc = self.tok(row["words"], is_split_into_words=True, truncation=True, max_length=48)
        labels, last = [], None
        for w in enc.word_ids():
            labels.append(-100 if w is None or w == last else TAG_ID[row["tags"][w]])
            last = w
        return {"input_ids": enc["input_ids"], "attention_mask": enc["attention_mask"], "labels": labels}


def metrics(output):
    pred = output.predictions.argmax(-1)
    gold = output.label_ids
    keep = gold != -100
    hit = (pred == gold) & keep
    entity = keep & (gold != TAG_ID["O"])
    return {"accuracy": hit.sum() / keep.sum(), "entity_recall": (hit & entity).sum() / entity.sum()}


def main():
    set_seed(5)
    tok = fit_tokenizer("data/train.jsonl")
    train, dev = Notes("data/train.jsonl", tok), Notes("data/dev.jsonl", tok)
    log.info("vocabulary %d, %d training notes, %d dev notes", len(tok), len(train), len(dev))
    config = BertConfig(
        vocab_size=len(tok),
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=64,
        num_labels=len(TAGS),
    )
    model = BertForTokenClassification(config)
    args = TrainingArguments(
        output_dir="out",
        num_train_epochs=4,
        per_device_train_batch_size=16,
        learning_rate=2e-3,
        evaluation_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model="entity_recall",
        save_total_limit=1,
        logging_steps=10,
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
    )
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=train,
        eval_dataset=dev,
        data_collator=DataCollatorForTokenClassification(tok),
        compute_metrics=metrics,
    )
    trainer.train()
    final = trainer.evaluate()
    log.info("final recall %.3f", final["eval_entity_recall"])


if __name__ == "__main__":
    main()

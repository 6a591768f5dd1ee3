import argparse

import numpy as np
from datasets import disable_progress_bars
from transformers import (
    BertConfig,
    BertForTokenClassification,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    set_seed,
)

from ner_data import LABEL2ID, LABELS, make_split
from tokenization import align_labels, train_tokenizer

disable_progress_bars()


def token_accuracy(eval_pred):
    logits, labels = eval_pred
    keep = labels != -100
    pred = logits.argmax(-1)
    entity = keep & (labels > 0)
    return {
        "accuracy": float((pred == labels)[keep].mean()),
        "entity_recall": float(np.mean((pred == labels)[entity])),
    }


def build_model(tokenizer):
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=64,
        num_labels=len(LABELS),
        id2label=dict(enumerate(LABELS)),
        label2id=LABEL2ID,
        pad_token_id=tokenizer.pad_token_id,
    )
    return BertForTokenClassification(config)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train-size", type=int, default=400)
    parser.add_argument("--max-length", type=int, default=48)
    parser.add_argument("--epochs", type=float, default=2)
    args = parser.parse_args()
    set_seed(1)

    train, val = make_split(args.train_size, 0), make_split(100, 1)
    tokenizer = train_tokenizer(" ".join(t) for t in train["tokens"])
    kwargs = {"tokenizer": tokenizer, "max_length": args.max_length}
    train = train.map(align_labels, batched=True, fn_kwargs=kwargs, remove_columns=train.column_names)
    val = val.map(align_labels, batched=True, fn_kwargs=kwargs, remove_columns=val.column_names)
    print(f"vocabulary {len(tokenizer)}, train {len(train)}, validation {len(val)}")

    collator = DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8)
    training_args = TrainingArguments(
        output_dir="ner_out",
        num_train_epochs=args.epochs,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=32,
        learning_rate=2e-3,
        logging_steps=10,
        save_strategy="no",
        eval_strategy="epoch",
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = Trainer(
        model=build_model(tokenizer),
        args=training_args,
        train_dataset=train,
        eval_dataset=val,
        data_collator=collator,
        compute_metrics=token_accuracy,
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()

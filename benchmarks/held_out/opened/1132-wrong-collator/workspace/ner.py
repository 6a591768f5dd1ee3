"""Entities in invoice mails with a small DistilBERT, trained from scratch. No hub access needed.

    python ner.py data/invoices.conll --epochs 3
"""
import argparse
from dataclasses import dataclass

import numpy as np
from datasets import Dataset, disable_progress_bars
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    DataCollatorWithPadding,
    DistilBertConfig,
    DistilBertForTokenClassification,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    pipeline,
    set_seed,
)

LABELS = ["O"] + [f"{p}-{t}" for t in ("ORG", "LOC", "AMT", "DATE") for p in "BI"]
LABEL2ID = {l: i for i, l in enumerate(LABELS)}


@dataclass
class Span:
    start: int
    end: int
    kind: str

    def key(self):
        return self.start, self.end, self.kind


def read_conll(path):
    tokens, tags, sentences = [], [], {"tokens": [], "ner_tags": []}
    with open(path, encoding="utf-8") as fh:
        for line in [*fh, "\n"]:
            line = line.rstrip("\n")
            if line:
                token, tag = line.split("\t")
                tokens.append(token)
                tags.append(LABEL2ID[tag])
            elif tokens:
                sentences["tokens"].append(tokens)
                sentences["ner_tags"].append(tags)
                tokens, tags = [], []
    return Dataset.from_dict(sentences)


def train_wordpiece(sentences, size):
    tok = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.normalizer = normalizers.Lowercase()
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=special, show_progress=False)
    tok.train_from_iterator((" ".join(s) for s in sentences), trainer)
    tok.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", tok.token_to_id("[CLS]")), ("[SEP]", tok.token_to_id("[SEP]"))]
    )
    tok.decoder = decoders.WordPiece()
    return PreTrainedTokenizerFast(
        tokenizer_object=tok, model_max_length=64, pad_token="[PAD]", unk_token="[UNK]",
        cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]",
        model_input_names=["input_ids", "attention_mask"],
    )


def encode(batch, tokenizer):
    enc = tokenizer(batch["tokens"], is_split_into_words=True, truncation=True)
    enc["labels"] = []
    for i, tags in enumerate(batch["ner_tags"]):
        labels, previous = [], None
        for word in enc.word_ids(i):
            labels.append(-100 if word is None or word == previous else tags[word])
            previous = word
        enc["labels"].append(labels)
    return enc


def spans(tags):
    found, current = [], None
    for i, tag in enumerate([*tags, "O"]):
        if current and not (tag.startswith("I-") and tag[2:] == current.kind):
            current.end = i
            found.append(current)
            current = None
        if tag.startswith("B-"):
            current = Span(i, i + 1, tag[2:])
    return {s.key() for s in found}


def span_f1(eval_pred):
    logits, labels = eval_pred
    guess = logits.argmax(-1)
    tp = n_guess = n_gold = 0
    for g_row, l_row in zip(guess, labels):
        keep = l_row != -100
        got = spans([LABELS[i] for i in g_row[keep]])
        gold = spans([LABELS[i] for i in l_row[keep]])
        tp, n_guess, n_gold = tp + len(got & gold), n_guess + len(got), n_gold + len(gold)
    p, r = tp / max(n_guess, 1), tp / max(n_gold, 1)
    return {"precision": p, "recall": r, "f1": 2 * p * r / max(p + r, 1e-9)}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("conll")
    ap.add_argument("--epochs", type=float, default=3)
    ap.add_argument("--vocab", type=int, default=220)
    ap.add_argument("--out", default="ner-out")
    a = ap.parse_args()
    set_seed(1)
    disable_progress_bars()

    raw = read_conll(a.conll).train_test_split(test_size=0.2, seed=1)
    tokenizer = train_wordpiece(raw["train"]["tokens"], a.vocab)
    data = raw.map(encode, batched=True, fn_kwargs={"tokenizer": tokenizer}, remove_columns=["tokens", "ner_tags"])
    lengths = [len(x) for x in data["train"]["input_ids"]]
    print(f"{len(lengths)} sentences, {np.mean(lengths):.1f} pieces on average (longest {max(lengths)})")

    model = DistilBertForTokenClassification(DistilBertConfig(
        vocab_size=len(tokenizer), dim=48, hidden_dim=96, n_layers=2, n_heads=4, max_position_embeddings=64,
        id2label=dict(enumerate(LABELS)), label2id=LABEL2ID, dropout=0.05,
    ))
    trainer = Trainer(
        model=model,
        args=TrainingArguments(
            a.out, num_train_epochs=a.epochs, per_device_train_batch_size=12, learning_rate=3e-3,
            eval_strategy="epoch", save_strategy="no", logging_steps=24, report_to="none", use_cpu=True,
        ),
        train_dataset=data["train"],
        eval_dataset=data["test"],
        processing_class=tokenizer,
        data_collator=DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8),
        compute_metrics=span_f1,
    )
    trainer.train()

    tagger = pipeline("token-classification", model=trainer.model, tokenizer=tokenizer, aggregation_strategy="first",
                      device=-1)
    for ent in tagger("invoice from Blue Fern Ltd for 2,310.55 EUR due 3 May 2024"):
        print(f"{ent['entity_group']:>5} {ent['score']:.2f} {ent['word']}")


if __name__ == "__main__":
    main()

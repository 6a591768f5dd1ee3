from transformers import BertConfig, BertForTokenClassification, DataCollatorWithPadding

from .encode import build_tokenizer, tokenize_and_align
from .reader import read_jsonl, read_labels


def build_data(data_dir):
    labels = read_labels(f"{data_dir}/labels.txt")
    label2id = {name: i for i, name in enumerate(labels)}
    train = read_jsonl(f"{data_dir}/train.jsonl", label2id)
    dev = read_jsonl(f"{data_dir}/dev.jsonl", label2id)
    tokenizer = build_tokenizer(train["tokens"])
    kwargs = dict(fn_kwargs={"tokenizer": tokenizer}, batched=True, remove_columns=train.column_names)
    train = train.map(tokenize_and_align, **kwargs)
    dev = dev.map(tokenize_and_align, **kwargs)
    collator = DataCollatorWithPadding(tokenizer)
    return labels, tokenizer, train, dev, collator


def build_model(labels, tokenizer):
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=64,
        pad_token_id=tokenizer.pad_token_id,
        num_labels=len(labels),
    )
    return BertForTokenClassification(config)

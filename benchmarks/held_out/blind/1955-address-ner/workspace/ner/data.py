from datasets import load_dataset
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from ner.labels import TAG2ID, align


def load_splits(data_dir, cache_dir):
    files = {"train": f"{data_dir}/train.jsonl", "dev": f"{data_dir}/dev.jsonl"}
    return load_dataset("json", data_files=files, cache_dir=cache_dir)


def train_tokenizer(sentences, vocab_size=180):
    tok = Tokenizer(models.BPE(unk_token="<unk>"))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, special_tokens=["<pad>", "<unk>", "<s>", "</s>"], show_progress=False
    )
    tok.train_from_iterator((" ".join(s) for s in sentences), trainer)
    tok.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 2), ("</s>", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tok, pad_token="<pad>", unk_token="<unk>", bos_token="<s>", eos_token="</s>"
    )


def encode(splits, tokenizer, max_length):
    def fn(batch):
        enc = tokenizer(batch["tokens"], is_split_into_words=True, truncation=True, max_length=max_length)
        enc["labels"] = [
            align(enc.word_ids(i), [TAG2ID[t] for t in tags]) for i, tags in enumerate(batch["tags"])
        ]
        return enc

    ds = splits.map(fn, batched=True, remove_columns=["tokens", "tags"])
    return ds.select_columns(["input_ids", "attention_mask", "labels"])

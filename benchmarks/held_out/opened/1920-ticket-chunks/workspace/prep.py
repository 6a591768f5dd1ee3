from datasets import load_dataset
from transformers import DistilBertTokenizerFast

QUEUES = ["billing", "hardware", "login", "network"]
RAW_COLUMNS = ["ticket_id", "text", "queue"]


def get_tokenizer(vocab="vocab.txt"):
    return DistilBertTokenizerFast(vocab=vocab, do_lower_case=True)


def load_tickets(path, seed=13):
    ds = load_dataset("json", data_files=path, split="train")
    ds = ds.filter(lambda r: r["queue"] in QUEUES and len(r["text"]) > 0)
    return ds.train_test_split(test_size=0.2, seed=seed)


def chunk_fn(tok, size, overlap):
    """Long tickets become several overlapping windows with the label of the ticket."""

    def f(batch):
        enc = tok(
            batch["text"],
            truncation=True,
            max_length=size,
            stride=overlap,
            return_overflowing_tokens=True,
            padding="max_length",
        )
        src = enc.pop("overflow_to_sample_mapping")
        enc["label"] = [QUEUES.index(batch["queue"][i]) for i in src]
        enc["doc"] = [batch["ticket_id"][i] for i in src]
        return enc

    return f


def build(path, tok, size=32, overlap=8):
    raw = load_tickets(path)
    ds = raw.map(
        chunk_fn(tok, size, overlap),
        batched=True,
        batch_size=64,
        remove_columns=RAW_COLUMNS,
        desc="chunking",
    )
    ds.set_format("torch", columns=["input_ids", "attention_mask", "label", "doc"])
    return ds

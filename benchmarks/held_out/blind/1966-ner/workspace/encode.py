from datasets import Dataset

from conll import read_conll

IGNORE = -100


def build_dataset(path, tokenizer, label_map, max_length):
    sents = read_conll(path)
    raw = Dataset.from_dict({"tokens": [s[0] for s in sents], "tags": [s[1] for s in sents]})

    def encode(batch):
        enc = tokenizer(batch["tokens"], is_split_into_words=True, truncation=True, max_length=max_length)
        all_labels = []
        for i, tags in enumerate(batch["tags"]):
            prev, row = None, []
            for wid in enc.word_ids(batch_index=i):
                if wid is None or wid == prev:
                    row.append(IGNORE)
                else:
                    row.append(label_map.label2id[tags[wid]])
                prev = wid
            all_labels.append(row)
        enc["labels"] = all_labels
        return enc

    return raw.map(encode, batched=True, remove_columns=raw.column_names)

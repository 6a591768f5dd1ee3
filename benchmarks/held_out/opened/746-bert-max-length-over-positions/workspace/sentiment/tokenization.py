import re


class WordTokenizer:
    def __init__(self, vocab_file, max_length):
        with open(vocab_file) as f:
            self.ids = {w.rstrip("\n"): i for i, w in enumerate(f)}
        self.max_length = max_length

    def __len__(self):
        return len(self.ids)

    def __call__(self, text):
        words = re.findall(r"[a-z]+", text.lower())[: self.max_length - 2]
        toks = ["[CLS]"] + words + ["[SEP]"]
        ids = [self.ids.get(t, self.ids["[UNK]"]) for t in toks]
        pad = self.max_length - len(ids)
        return {
            "input_ids": ids + [self.ids["[PAD]"]] * pad,
            "attention_mask": [1] * len(ids) + [0] * pad,
        }

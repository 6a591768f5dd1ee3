"""Word level BIO tags -> word piece labels."""

LABELS = ["O", "B-REAGENT", "I-REAGENT", "B-AMOUNT", "I-AMOUNT", "B-DEVICE", "I-DEVICE"]
_IDS = {l: i for i, l in enumerate(LABELS)}
IGNORE = -100


def to_ids(tags):
    return [_IDS[t] for t in tags]


def encode_labels(tok, words, label_ids, max_len):
    """First piece of a word carries the label, the others are ignored in the loss."""
    out = []
    for w, l in zip(words, label_ids):
        pieces = tok.tokenize(w)
        out.append(l)
        out.extend([IGNORE] * (len(pieces) - 1))
    return [IGNORE] + out + [IGNORE]

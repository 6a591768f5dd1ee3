def bio_spans(tags):
    """Set of (start, end, type) of a BIO sequence."""
    spans, start, kind = set(), None, None
    for i, tag in enumerate(list(tags) + ["O"]):
        if tag == "O" or tag.startswith("B-") or tag[2:] != kind:
            if start is not None:
                spans.add((start, i, kind))
            start, kind = (i, tag[2:]) if tag != "O" else (None, None)
    return spans


def f1(gold, pred):
    tp = sum(len(g & p) for g, p in zip(gold, pred))
    n_gold = sum(map(len, gold))
    n_pred = sum(map(len, pred))
    if not tp:
        return 0.0
    return 2 * tp / (n_gold + n_pred)

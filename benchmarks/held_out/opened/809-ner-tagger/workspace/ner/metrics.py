def spans(tags):
    """turn a BIO sequence into a set of (start, end, type)"""
    out, start, kind = set(), None, None
    for i, t in enumerate(list(tags) + ["O"]):
        if t == "O" or t.startswith("B-") or (kind and t[2:] != kind):
            if start is not None:
                out.add((start, i, kind))
                start, kind = None, None
        if t.startswith("B-"):
            start, kind = i, t[2:]
    return out


def f1(gold, pred):
    tp = fp = fn = 0
    for g, p in zip(gold, pred):
        g, p = spans(g), spans(p)
        tp += len(g & p)
        fp += len(p - g)
        fn += len(g - p)
    prec = tp / (tp + fp) if tp + fp else 0.0
    rec = tp / (tp + fn) if tp + fn else 0.0
    return 2 * prec * rec / (prec + rec) if prec + rec else 0.0

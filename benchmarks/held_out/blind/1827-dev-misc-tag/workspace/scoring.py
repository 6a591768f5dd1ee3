def spans(tags):
    found, start, kind = set(), None, None
    for i, t in enumerate(list(tags) + ["O"]):
        if start is not None and not (t.startswith("I-") and t[2:] == kind):
            found.add((start, i, kind))
            start = None
        if t.startswith("B-"):
            start, kind = i, t[2:]
    return found


def span_f1(gold, predicted):
    tp = fp = fn = 0
    for g, p in zip(gold, predicted, strict=True):
        a, b = spans(g), spans(p)
        tp, fp, fn = tp + len(a & b), fp + len(b - a), fn + len(a - b)
    return 2 * tp / max(2 * tp + fp + fn, 1)

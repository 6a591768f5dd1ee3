def bio_to_spans(tags):
    """Turn a BIO tag sequence into a set of (start, end, label)."""
    spans = set()
    start, label = None, None
    for i, tag in enumerate(tags + ["O"]):
        if tag == "O" or tag.startswith("B-"):
            if start is not None:
                spans.add((start, i, label))
                start, label = None, None
        if tag.startswith("B-"):
            start, label = i, tag.split("-", 1)[1]
    return spans

def read_conll(path):
    """[(tokens, tags), ...]"""
    out, toks, tags = [], [], []
    with open(path) as f:
        for line in f:
            line = line.strip()
            if not line:
                if toks:
                    out.append((toks, tags))
                toks, tags = [], []
                continue
            tok, tag = line.split()
            toks.append(tok)
            tags.append(tag)
    if toks:
        out.append((toks, tags))
    return out

def greedy_decode(log_probs, lengths, symbols, blank):
    hyps = []
    for lp, n in zip(log_probs, lengths.tolist()):
        prev, out = blank, []
        for s in lp[:n].argmax(-1).tolist():
            if s != prev and s != blank:
                out.append(symbols[s])
            prev = s
        hyps.append("".join(out))
    return hyps


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, cb in enumerate(b, 1):
            prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (ca != cb))
    return row[-1]


def cer(hyps, refs):
    return sum(edit_distance(h, r) for h, r in zip(hyps, refs)) / sum(len(r) for r in refs)

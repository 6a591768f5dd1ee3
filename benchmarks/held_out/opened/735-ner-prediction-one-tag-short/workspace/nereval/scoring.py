import numpy as np

from .spans import bio_to_spans


class Scorer:
    def __init__(self, labels):
        self.labels = labels
        self.index = {name: i for i, name in enumerate(labels)}
        self.tp = np.zeros(len(labels), dtype=int)
        self.fp = np.zeros(len(labels), dtype=int)
        self.fn = np.zeros(len(labels), dtype=int)
        self.token_hits = []

    def add(self, gold, pred):
        gold_tags, pred_tags = gold["tags"], pred["tags"]
        hits = np.array(gold_tags) == np.array(pred_tags)
        self.token_hits.append(hits.mean())
        g, p = bio_to_spans(gold_tags), bio_to_spans(pred_tags)
        for span in g & p:
            self.tp[self.index[span[2]]] += 1
        for span in p - g:
            self.fp[self.index[span[2]]] += 1
        for span in g - p:
            self.fn[self.index[span[2]]] += 1

    def results(self):
        rows = []
        for name, tp, fp, fn in zip(self.labels, self.tp.tolist(), self.fp.tolist(), self.fn.tolist()):
            precision = tp / (tp + fp)
            recall = tp / (tp + fn)
            f1 = 2 * precision * recall / (precision + recall)
            rows.append((name, precision, recall, f1))
        rows.append(("token acc", *(3 * [float(np.mean(self.token_hits))])))
        return rows

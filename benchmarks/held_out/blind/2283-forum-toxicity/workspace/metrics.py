class Running:
    """Weighted running means plus the counts for precision and recall."""

    def __init__(self):
        self.sums, self.n = {}, 0
        self.tp = self.fp = self.fn = 0

    def add(self, n, **values):
        for k, v in values.items():
            self.sums[k] = self.sums.get(k, 0.0) + v * n
        self.n += n

    def add_predictions(self, pred, target):
        self.tp += int((pred & target).sum())
        self.fp += int((pred & ~target).sum())
        self.fn += int((~pred & target).sum())

    def mean(self, key):
        return self.sums.get(key, 0.0) / self.n

    @property
    def f1(self):
        d = 2 * self.tp + self.fp + self.fn
        return 2 * self.tp / d if d else 0.0

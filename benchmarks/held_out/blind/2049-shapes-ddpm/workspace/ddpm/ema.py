import copy


class EMA:
    """Exponential moving average of a model's weights, used for sampling."""

    def __init__(self, model, decay=0.995):
        self.decay = decay
        self.step = 0
        self.shadow = copy.deepcopy(model).eval()

    def update(self, model):
        self.step += 1
        d = min(self.decay, (1 + self.step) / (10 + self.step))
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.mul_(d).add_(p, alpha=1 - d)
        for s, b in zip(self.shadow.buffers(), model.buffers()):
            s.copy_(b)

from collections import OrderedDict

import torch
import torch.nn.functional as F


class MAML:
    def __init__(self, learner, inner_lr, inner_steps, first_order=False):
        self.learner = learner
        self.inner_lr = inner_lr
        self.inner_steps = inner_steps
        self.first_order = first_order

    def adapt(self, x, y, steps=None, second_order=True):
        """Return parameters after a few gradient steps on the support set."""
        params = self.learner.fresh_params()
        create_graph = second_order and not self.first_order
        for _ in range(steps or self.inner_steps):
            loss = F.mse_loss(self.learner.with_params(params, x), y)
            grads = torch.autograd.grad(loss, list(params.values()), create_graph=create_graph)
            params = OrderedDict(
                (name, p - self.inner_lr * g) for (name, p), g in zip(params.items(), grads)
            )
        return params

    def query_loss(self, params, x, y):
        return F.mse_loss(self.learner.with_params(params, x), y)

    def meta_loss(self, tasks, shots, queries):
        losses = []
        for task in tasks:
            params = self.adapt(*task.points(shots))
            losses.append(self.query_loss(params, *task.points(queries)))
        return torch.stack(losses).mean()

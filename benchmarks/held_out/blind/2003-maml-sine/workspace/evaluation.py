import torch


@torch.no_grad()
def evaluate(maml, distribution, n_tasks, shots, queries, max_steps):
    """Mean query error after 0..max_steps adaptation steps on unseen tasks."""
    curve = torch.zeros(max_steps + 1)
    for task in distribution.sample(n_tasks):
        support, query = task.points(shots), task.points(queries)
        for k in range(max_steps + 1):
            if k == 0:
                params = maml.learner.fresh_params()
            else:
                params = maml.adapt(*support, steps=k, second_order=False)
            curve[k] += maml.query_loss(params, *query).item()
    return (curve / n_tasks).tolist()


def format_curve(curve):
    return " -> ".join(f"{v:.3f}" for v in curve)

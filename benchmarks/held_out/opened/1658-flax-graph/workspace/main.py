import argparse

import jax
import optax

from gcn import GCN
from graphs import stochastic_block_graph
from loop import accuracy, make_train_step


def make_optimizer(lr, steps, weight_decay):
    schedule = optax.warmup_cosine_decay_schedule(0.0, lr, steps // 10, steps)
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=weight_decay))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--weight-decay", type=float, default=5e-4)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    graph = stochastic_block_graph(seed=args.seed)
    print(f"graph: {graph.x.shape[0]} nodes, {graph.senders.size} edges, {int(graph.train_mask.sum())} labelled")

    key, init_key = jax.random.split(jax.random.PRNGKey(args.seed))
    model = GCN(hidden=args.hidden, num_classes=3)
    variables = model.init(init_key, graph, train=False)
    params, batch_stats = variables["params"], variables["batch_stats"]

    tx = make_optimizer(args.lr, args.steps, args.weight_decay)
    opt_state = tx.init(variables)
    train_step = make_train_step(model, tx)

    for step in range(args.steps):
        key, sub = jax.random.split(key)
        params, batch_stats, opt_state, loss = train_step(params, batch_stats, opt_state, graph, sub)
        if step % 50 == 0:
            acc = accuracy(model, params, batch_stats, graph)
            print(f"step {step:4d} loss {float(loss):.4f} held-out accuracy {float(acc):.3f}")

    print(f"final accuracy {float(accuracy(model, params, batch_stats, graph)):.3f}")


if __name__ == "__main__":
    main()

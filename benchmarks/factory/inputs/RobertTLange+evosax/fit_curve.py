"""Fit a small network to a curve with an evolution strategy chosen by name."""
import argparse

import jax
import jax.numpy as jnp

from evosax.algorithms import CMA_ES, PGPE, Open_ES, SimpleES

STRATEGIES = {'cma': CMA_ES, 'open': Open_ES, 'pgpe': PGPE, 'simple': SimpleES}


def init_net(key, hidden):
    k1, k2 = jax.random.split(key)
    return {
        'w1': 0.5 * jax.random.normal(k1, (1, hidden)),
        'b1': jnp.zeros(hidden),
        'w2': 0.5 * jax.random.normal(k2, (hidden, 1)),
    }


def predict(net, x):
    return jnp.tanh(x @ net['w1'] + net['b1']) @ net['w2']


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--strategy', choices=sorted(STRATEGIES), default='simple')
    parser.add_argument('--population', type=int, default=16)
    parser.add_argument('--generations', type=int, default=10)
    parser.add_argument('--hidden', type=int, default=6)
    parser.add_argument('--seed', type=int, default=0)
    args = parser.parse_args()

    x = jnp.linspace(-2, 2, 32).reshape(-1, 1)
    y = jnp.sin(2 * x)
    key, net_key, init_key = jax.random.split(jax.random.key(args.seed), 3)
    net = init_net(net_key, args.hidden)
    es = STRATEGIES[args.strategy](population_size=args.population, solution=net)
    params = es.default_params
    state = es.init(init_key, net, params)
    ask, tell = jax.jit(es.ask), jax.jit(es.tell)
    fitness_of = jax.jit(jax.vmap(lambda candidate: jnp.mean((predict(candidate, x) - y) ** 2)))
    for generation in range(1, args.generations + 1):
        key, ask_key, tell_key = jax.random.split(key, 3)
        population, state = ask(ask_key, state, params)
        fitness = fitness_of(population)
        state, metrics = tell(tell_key, population, fitness, state, params)
        print(f'generation {generation} best {fitness.min():.4f} mean {fitness.mean():.4f}')
    print(f'loss: {state.best_fitness:.4f}')


if __name__ == '__main__':
    main()

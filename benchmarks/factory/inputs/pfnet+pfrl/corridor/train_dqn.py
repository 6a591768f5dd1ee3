"""Double DQN with prioritized replay in the corridor."""
import argparse

import numpy as np
import pfrl
import torch
from env import Corridor
from pfrl import agents, experiments, explorers, replay_buffers
from pfrl.q_functions import FCStateQFunctionWithDiscreteAction


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--outdir", default="runs/dqn")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--length", type=int, default=6)
    parser.add_argument("--hidden", type=int, default=24)
    parser.add_argument("--replay-start-size", type=int, default=60)
    parser.add_argument("--target-update-interval", type=int, default=40)
    parser.add_argument("--gamma", type=float, default=0.95)
    args = parser.parse_args()
    if args.seed is not None:
        pfrl.utils.set_random_seed(args.seed)

    env, eval_env = Corridor(args.length), Corridor(args.length, seed=1)
    q_func = FCStateQFunctionWithDiscreteAction(
        env.observation_space.low.size, env.action_space.n, n_hidden_channels=args.hidden, n_hidden_layers=1
    )
    explorer = explorers.LinearDecayEpsilonGreedy(
        1.0, 0.1, args.steps // 2, lambda: np.random.randint(env.action_space.n)
    )
    replay_buffer = replay_buffers.PrioritizedReplayBuffer(
        capacity=10**3, alpha=0.6, beta0=0.4, betasteps=args.steps, num_steps=2
    )
    agent = agents.DoubleDQN(
        q_func,
        torch.optim.Adam(q_func.parameters(), lr=3e-3),
        replay_buffer,
        gamma=args.gamma,
        explorer=explorer,
        replay_start_size=args.replay_start_size,
        minibatch_size=16,
        update_interval=2,
        target_update_interval=args.target_update_interval,
        phi=lambda x: x.astype(np.float32, copy=False),
    )
    experiments.train_agent_with_evaluation(
        agent, env, steps=args.steps, eval_n_steps=None, eval_n_episodes=4,
        eval_interval=args.steps // 2, train_max_episode_len=env.max_steps,
        outdir=args.outdir, eval_env=eval_env,
    )
    result = experiments.eval_performance(eval_env, agent, n_steps=None, n_episodes=5)
    print(f"mean return {result['mean']:.3f}")


if __name__ == "__main__":
    main()

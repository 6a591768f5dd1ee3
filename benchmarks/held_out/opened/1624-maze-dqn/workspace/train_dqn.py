import click
import numpy as np
import torch

from agent import DQNAgent
from maze import MazeEnv
from replay import ReplayBuffer


def evaluate(agent, env, rng, episodes):
    solved = 0
    for _ in range(episodes):
        obs, done = env.reset(rng), False
        while not done:
            obs, _, reached, truncated = env.step(agent.act(obs, 0.0, rng))
            done = reached or truncated
        solved += reached
    return solved / episodes


@click.command()
@click.option("--episodes", default=400)
@click.option("--batch-size", default=64)
@click.option("--capacity", default=10_000)
@click.option("--warmup", default=500, help="transitions before learning starts")
@click.option("--sync-every", default=200)
@click.option("--eps-end", default=0.05)
@click.option("--target", default=0.9, help="success rate needed to save")
@click.option("--seed", default=1)
def main(episodes, batch_size, capacity, warmup, sync_every, eps_end, target, seed):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    env, test_env = MazeEnv(), MazeEnv()
    agent = DQNAgent(env.obs_dim, env.num_actions)
    buffer = ReplayBuffer(capacity, rng)

    steps, losses = 0, [0.0]
    for episode in range(1, episodes + 1):
        epsilon = max(eps_end, 1.0 - episode / (0.6 * episodes))
        obs, done = env.reset(rng), False
        while not done:
            action = agent.act(obs, epsilon, rng)
            next_obs, reward, reached, truncated = env.step(action)
            buffer.push(obs, action, reward, next_obs, reached)
            obs, done = next_obs, reached or truncated
            steps += 1
            if len(buffer) >= warmup:
                losses.append(agent.learn(buffer.sample(batch_size)))
            if steps % sync_every == 0:
                agent.sync()
        if episode % 100 == 0:
            rate = evaluate(agent, test_env, rng, 50)
            click.echo(f"episode {episode:4d}  eps {epsilon:.2f}  "
                       f"loss {np.mean(losses[-500:]):.4f}  solved {rate:.2f}")

    rate = evaluate(agent, test_env, rng, 200)
    click.echo(f"final success rate {rate:.2f}")
    assert rate >= target, f"success rate {rate:.2f} < {target:.2f}, agent not saved"
    torch.save(agent.q.state_dict(), "agent.pt")


if __name__ == "__main__":
    main()

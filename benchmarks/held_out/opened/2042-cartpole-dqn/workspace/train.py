#!/usr/bin/env python
import argparse

import numpy as np
import torch
import yaml

from dqn import DQNAgent, ReplayBuffer, make_env


def epsilon(step, cfg):
    frac = min(1.0, step / cfg["eps_decay_steps"])
    return cfg["eps_start"] + frac * (cfg["eps_end"] - cfg["eps_start"])


def evaluate(agent, env, episodes, rng):
    returns = []
    for _ in range(episodes):
        obs, total, over = env.reset(), 0.0, False
        while not over:
            obs, r, term, trunc = env.step(agent.act(obs, 0.0, rng))
            total += r
            over = term or trunc
        returns.append(total)
    return float(np.mean(returns))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", required=True)
    ap.add_argument("--seed", type=int)
    args = ap.parse_args()

    with open(args.config) as f:
        cfg = yaml.safe_load(f)
    seed = cfg["seed"] if args.seed is None else args.seed
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)

    env = make_env(cfg["env"], seed=seed)
    eval_env = make_env(cfg["env"], seed=seed + 1000)
    print(f"env={cfg['env']['name']} obs_dim={env.obs_dim} n_actions={env.n_actions} seed={seed}")
    buffer = ReplayBuffer(cfg["replay"]["capacity"], env.obs_dim, seed=seed)
    agent = DQNAgent(env.obs_dim, env.n_actions, **cfg["agent"])

    obs, ep_ret, recent, losses = env.reset(), 0.0, [], []
    tcfg = cfg["train"]
    for step in range(1, tcfg["total_steps"] + 1):
        a = agent.act(obs, epsilon(step, cfg["explore"]), rng)
        nxt, r, term, trunc = env.step(a)
        buffer.add(obs, a, r, nxt, term)
        ep_ret += r
        obs = nxt
        if term or trunc:
            recent.append(ep_ret)
            obs, ep_ret = env.reset(), 0.0
        if len(buffer) >= cfg["replay"]["warmup"] and step % tcfg["update_every"] == 0:
            losses.append(agent.update(buffer.sample(cfg["replay"]["batch_size"])))
        if step % tcfg["log_every"] == 0:
            print(
                f"step {step:5d}  eps {epsilon(step, cfg['explore']):.2f}  "
                f"loss {np.mean(losses[-200:]):.4f}  train_ret {np.mean(recent[-10:]):6.1f}  "
                f"eval_ret {evaluate(agent, eval_env, tcfg['eval_episodes'], rng):6.1f}"
            )


if __name__ == "__main__":
    main()

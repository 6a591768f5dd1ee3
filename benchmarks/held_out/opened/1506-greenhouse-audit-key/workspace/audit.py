"""Greedy roll-out of the saved controller over two days; prints how often each actuator was used."""
import collections
import sys

import torch

from agent import RecurrentActorCritic
from climate import ACTIONS, Greenhouse


def load_controller(path, env):
    ckpt = torch.load(path, map_location="cpu", weights_only=True)
    net = RecurrentActorCritic(env.obs_size, env.n_actions, hidden=ckpt["hidden"])
    net.load_state_dict(ckpt["model"])
    return net.eval()


@torch.inference_mode()
def audit(path):
    env = Greenhouse(bays=8, seed=99)
    net = load_controller(path, env)
    obs, state = env.reset(), net.initial_state(env.bays)
    used, total = collections.Counter(), 0.0
    for _ in range(96):
        dist, _, state = net(torch.from_numpy(obs), state)
        act = dist.probs.argmax(-1).numpy()
        used.update(ACTIONS[i] for i in act)
        obs, rew, _ = env.step(act)
        total += rew.mean()
    print(f"mean reward per step {total / 96:.3f}; use:", dict(used.most_common()))


if __name__ == "__main__":
    audit(sys.argv[1])

import os

import numpy as np
import torch

from agent import A2C
from robot_env import WarehouseEnv

MAP = os.environ.get("WAREHOUSE_MAP", "maps/aisle.txt")
UPDATES = int(os.environ.get("UPDATES", 120))
EVAL_EVERY = int(os.environ.get("EVAL_EVERY", 40))
SEED = int(os.environ.get("SEED", 4))

torch.manual_seed(SEED)
env = WarehouseEnv(MAP, seed=SEED)
eval_env = WarehouseEnv(MAP, seed=SEED + 1)
print(f"map {MAP}: {env.height}x{env.width}, item at {env.shelf}, gate at {env.gate}")

agent = A2C(env)
for update in range(1, UPDATES + 1):
    loss = agent.update()
    if update % EVAL_EVERY == 0:
        recent = np.mean(agent.returns[-20:]) if agent.returns else float("nan")
        print(f"update {update:4d}  loss {loss:+.3f}  episodes {len(agent.returns)}  "
              f"train return {recent:+.2f}  greedy return {agent.evaluate(eval_env):+.2f}")
torch.save(agent.net.state_dict(), "robot.pt")

from .agent import DQNAgent
from .envs import make_env
from .replay import ReplayBuffer

__all__ = ["DQNAgent", "ReplayBuffer", "make_env"]

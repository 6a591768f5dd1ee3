from .dqn import DQNAgent
from .replay import ReplayBuffer

__all__ = ["DQNAgent", "ReplayBuffer"]

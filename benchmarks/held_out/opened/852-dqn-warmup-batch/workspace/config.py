ENV = dict(size=5, max_steps=30, n_walls=3, seed=11)

AGENT = dict(
    state_dim=4,
    n_actions=4,
    hidden=64,
    gamma=0.95,
    lr=1e-3,
    target_update=50,
)

REPLAY_SIZE = 2000
WARMUP = 64
BATCH_SIZE = 128
EPISODES = 60
EPS_START, EPS_END, EPS_DECAY = 1.0, 0.05, 30

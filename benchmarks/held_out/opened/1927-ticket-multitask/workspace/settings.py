from types import SimpleNamespace

TASKS = SimpleNamespace(
    priority=dict(kind="class", size=3, weight=1.0),
    team=dict(kind="class", size=4, weight=0.7),
    hours=dict(kind="value", size=1, weight=0.5),
)

UNKNOWN = -1          # label of tickets nobody has routed yet

TRAIN = dict(batch=32, epochs=8, lr=3e-3, embed=32, hidden=64, min_count=2, seed=21)
